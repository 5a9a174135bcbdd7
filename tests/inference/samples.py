"""Samples of which intervals are asked, and what is read off an answer."""

import functools
import math

import numpy as np
import pytest

import baserate as br

AT = br.Conditions(prior=0.02)


def sample(positives=60, negatives=600, shift=1.2, seed=3, digits=2):
    rng = np.random.default_rng(seed)
    labels = np.arange(positives + negatives) < positives
    return labels, np.round(rng.normal(size=len(labels)) + shift * labels, digits)


@functools.cache
def counts(*args, **options):
    return br.count(*sample(*args, **options))


@functools.cache
def grouped(clusters=40):
    labels, scores = sample()
    return br.count(labels, scores, cluster=np.arange(len(labels)) % clusters)


def codes(found):
    return [note.code for note in found.notes]


def text_of(found, code):
    return next(note.text for note in found.notes if note.code == code)


def quantiles(values, level=0.95):
    """Of what is defined, to the last digits of the shares beyond them."""
    return pytest.approx(np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2]), rel=1e-12)


def own_auc(part):
    return br.auc(part)


def own_ks(part):
    return br.curves.ks(part)


def never(_):
    return math.nan
