"""Settings: every threshold of every model, and what it flags at every site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.arithmetic import exactly
from baserate.counts import Counts
from baserate.decisions.borders import check_names
from baserate.decisions.merged import refuse_hidden
from baserate.decisions.rules import Rule, Term
from baserate.decisions.searching import Mask, keeping
from baserate.errors import quoted, refuse
from baserate.exact import Floats
from baserate.grouped import GroupedCounts
from baserate.measures.confusions import Confusion
from baserate.measures.values import Measure
from baserate.points import LABELS_MISSING, Points
from baserate.prospects.scenes import Scene
from baserate.spreads import Draws

# The only site there is, where cases were not counted by site.
HERE = ""
Model = Counts | Points | GroupedCounts


@dataclass(frozen=True)
class Candidates:
    """A model with all its thresholds: `sites` are the points of each site, `places` where each threshold lies among them."""

    name: str
    points: Points
    sites: Mapping[Any, Points]
    places: Mapping[Any, npt.NDArray[np.intp]]

    def __len__(self) -> int:
        return len(self.points)

    def threshold(self, index: int) -> Any:
        return self.points.threshold(index)

    def missed(self, site: Any) -> Floats:
        """1 − tpr of every threshold at a site."""
        return 1 - self.sites[site].tpr[self.places[site]]

    def alarmed(self, site: Any) -> Floats:
        """The fpr of every threshold at a site."""
        return self.sites[site].fpr[self.places[site]]

    def rates(self, index: int, site: Any) -> tuple[Fraction, Fraction]:
        """(fpr, tpr) of one threshold at a site, exactly."""
        return exact_rates(self.sites[site], int(self.places[site][index]))


def exact_rates(points: Points, index: int) -> tuple[Fraction, Fraction]:
    """(fpr, tpr) of one of the points, exactly."""
    fp, tp = exactly(points.fp[index].item()), exactly(points.tp[index].item())
    return fp / exactly(points.total_negatives), tp / exactly(points.total_positives)


def candidates(models: Mapping[str, Model]) -> list[Candidates]:
    """Every model with its thresholds; several sites must be the same of all."""
    if not isinstance(models, Mapping) or isinstance(models, GroupedCounts) or not models:
        raise refuse("BR410", "the counts of each model are needed by name", '{"logit": counts}')
    check_names(models)
    found = [_candidates(name, counts) for name, counts in models.items()]
    if len({frozenset(one.sites) for one in found}) > 1:
        raise refuse("BR409", "the models were counted at different sites", "count_groups with the same groups for each model")
    return found


def _candidates(name: str, counts: Any) -> Candidates:
    if not isinstance(counts, GroupedCounts):
        points = Points.of(counts)
        return Candidates(name, _checked(name, points), {HERE: points}, {HERE: np.arange(len(points))})
    whole = Points.of(counts.total())
    sites = {site: _checked(f"{name} at {site}", Points.of(counts[site])) for site in counts}
    return Candidates(name, whole, sites, {site: _places(whole, points) for site, points in sites.items()})


def _places(whole: Points, site: Points) -> npt.NDArray[np.intp]:
    """How many scores of the site each threshold of the whole flags."""
    flagged = len(site.scores) - np.searchsorted(site.scores[::-1], whole.scores, side="left")
    return np.concatenate(([0], flagged))


def _checked(name: str, points: Points) -> Points:
    if not points.total_positives or not points.total_negatives:
        raise refuse("BR552", f"{quoted(name)} has cases of one class only: it has no ROC", "count cases of both classes")
    return points


def own_priors(found: list[Candidates], asked: Iterable[Measure] = ()) -> dict[Any, Fraction | str]:
    """The sample's own prior of every site, or why there is none for these measures: it must be the same for all models."""
    asked = tuple(asked)
    own: dict[Any, Fraction | str] = {}
    for site in found[0].sites:
        priors = {own_prior(one.sites[site], asked) for one in found}
        own[site] = priors.pop() if len(priors) == 1 else "the models were counted on cases with different priors"
    return own


def own_prior(sample: Points | Confusion, asked: Iterable[Measure]) -> Fraction | str:
    """The sample's own prior, or why there is none for these measures.

    Cases without a label are not counted over a range of conditions: neither those that are flagged nor the positives among them.
    """
    if sample.labels_missing and any(measure.counts_cases or measure.name == "posfrac" for measure in asked):
        return LABELS_MISSING
    prior = sample.exact_prior
    return sample.why_no_prior or (prior if isinstance(prior, Fraction) else "only rates are known")


def kept(one: Candidates, rule: Rule, every: list[Scene]) -> Mask:
    """The thresholds that keep the rule in every scene: at every site, and over the whole of each range."""
    asked = [
        (term, scene.site, known.conditions())
        for term in rule.terms
        for scene in (every if term.measure.depends_on_prior else _first_of_each_site(every))
        for known in ends(term, scene)
    ]
    masks = [keeping(term, one.sites[site], at)[one.places[site]] for term, site, at in asked]
    mask: Mask = reduce(np.logical_and, masks, np.ones(len(one), dtype=np.bool_))
    refuse_hidden(one.points, mask, ((term, at) for term, _, at in asked))
    return mask


def _first_of_each_site(every: list[Scene]) -> list[Scene]:
    return list({scene.site: scene for scene in every}.values())


def ends(term: Term, scene: Scene) -> list[Scene]:
    """The scenes at which a term must hold so that it holds in all of this one; refused where that cannot be known."""
    if not term.measure.depends_on_prior:
        return [scene]
    if term.measure.parts is None:
        text = f"{term.measure.name} may rise and fall between two base rates: a rule on it cannot be held over a range"
        raise refuse("BR534", text, "a measure such as precision, posfrac, alerts, f1 or expected_cost")
    found = [scene]
    for name in scene.believed:
        part = getattr(scene, name)
        if part.ends is None:
            raise refuse("BR588", f"a distribution of {name} without ends keeps no rule for sure", "a Range, LogUniform or list of values")
        values = np.unique(np.asarray(part.values)).tolist() if isinstance(part, Draws) else part.ends
        found = [one.given(**{name: Fraction(value)}) for one in found for value in (min(values), max(values))]
    return found
