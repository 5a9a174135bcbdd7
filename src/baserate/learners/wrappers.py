"""What classifiers around another one share: checked labels, the one inside fitted, its tags, its features, routed metadata."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_is_fitted, column_or_1d

from baserate.errors import refuse
from baserate.exact import Floats


def checked(X: Any, y: Any) -> tuple[Any, npt.NDArray[Any]]:  # noqa: N803 (scikit-learn's name)
    """Cases that can be taken one by one, and a label for each, as scikit-learn wants them."""
    labels: npt.NDArray[Any] = column_or_1d(y, warn=True)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    rows, labels = indexable(X, labels)
    return rows, labels


def with_probabilities(estimator: Any) -> Any:
    """The same, refused where it gives no probabilities."""
    if not hasattr(estimator, "predict_proba"):
        text = f"{type(estimator).__name__} gives no probabilities, and costs are weighed by them"
        raise refuse("BR900", text, "CalibratedClassifierCV around it, or a threshold found empirically")
    return estimator


def _gives_probabilities(self: Any) -> bool:
    # Raises AttributeError of the one inside where there are none, which hasattr turns into False.
    getattr(getattr(self, "estimator_", self.estimator), "predict_proba")  # noqa: B009
    return True


class Wrapper(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier around `estimator`, which is cloned, and fitted as `estimator_`."""

    estimator: Any
    estimator_: Any
    classes_: npt.NDArray[Any]
    several_classes = False

    def _inside(self) -> Any:
        return self.estimator

    def _fit_inside(self, X: Any, y: Any, **params: Any) -> None:  # noqa: N803
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        self._take_features(self.estimator_)

    def _take_features(self, fitted: Any) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def _routed(self, params: dict[str, Any]) -> dict[str, Any]:
        """What of the metadata the estimator inside is fitted with: as it asks where routing is on, else everything."""
        if not get_config()["enable_metadata_routing"]:
            return params
        found: dict[str, Any] = dict(process_routing(self, "fit", **params).estimator.fit)
        return found

    def get_metadata_routing(self) -> Any:
        """What is given to fit goes to the fit of the estimator inside."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self._inside(), method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags, inside = super().__sklearn_tags__(), get_tags(self._inside())
        tags.classifier_tags.multi_class = self.several_classes and inside.classifier_tags is not None and inside.classifier_tags.multi_class
        for name in ("sparse", "pairwise", "allow_nan"):
            setattr(tags.input_tags, name, getattr(inside.input_tags, name))
        return tags


class Transparent(Wrapper):
    """One that leaves the probabilities of the estimator inside as they are."""

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The probabilities of the estimator inside, as they are: only the answer changes."""
        check_is_fitted(self)
        found: Floats = np.asarray(self.estimator_.predict_proba(X))
        return found
