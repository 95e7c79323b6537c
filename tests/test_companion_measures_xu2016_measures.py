"""Measures of table 5 of Xu et al. 2016: slow twins of Joshua's, by hand, and laws.

That the figures of the table come out is the business of `python . reproduce xu2016-measures`.
"""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sari.companion_measures import xu2016_measures
from sari.companion_measures.xu2016_measures import joshua_tokens

texts = st.text("abe .,-1", max_size=14)
rows = st.lists(st.tuples(texts, texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=3)


def ngrams(words, order):
    return Counter(tuple(words[place : place + order]) for place in range(len(words) - order + 1))


def slow_bleu(output, references, length):
    """Joshua's BLEU of one segment, with the length of the references that the penalty is for."""
    smooth, logarithms = 1.0, 0.0
    for order in range(1, 5):
        most = Counter()
        for words in references:
            most |= ngrams(words, order)
        matches, total = (ngrams(output, order) & most).total(), max(len(output) - order + 1, 0)
        precision = matches / total if total else 1.0
        if not precision:
            smooth *= 0.5
            precision = smooth / total
        logarithms += 0.25 * math.log(precision)
    if len(output) >= length:
        return math.exp(logarithms)
    return math.exp(1 - length / len(output)) * math.exp(logarithms) if output else 0.0


def slow_fkbleu(source, output, references, alpha):
    words, source = joshua_tokens(output), joshua_tokens(source, normalize=False)
    targets = [joshua_tokens(text) for text in references]
    mean = sum(max(len(target), 1) for target in targets) // len(targets)
    ibleu = alpha * slow_bleu(words, targets, mean) - (1 - alpha) * slow_bleu(words, [source], len(source))
    return ibleu, source, words


@given(rows, st.sampled_from([0.0, 0.5, 0.9]))
def test_scores_are_those_of_slow_twins(columns, alpha):
    sources, outputs, references = map(list, zip(*columns, strict=True))
    found = xu2016_measures.ibleu_scores(sources, outputs, references, alpha=alpha)
    bleu = xu2016_measures.bleu_scores(outputs, references)
    combined = xu2016_measures.fkbleu_scores(sources, outputs, references, alpha=alpha)
    for place, (source, output, own) in enumerate(columns):
        ibleu, before, words = slow_fkbleu(source, output, own, alpha)
        targets = [joshua_tokens(text) for text in own]
        closest = min((abs(len(target) - len(words)), len(target)) for target in targets)[1]
        assert bleu[place] == pytest.approx(100 * slow_bleu(words, targets, closest), abs=1e-9)
        assert found[place] == pytest.approx(100 * ibleu, abs=1e-9)
        grades = [
            max(0.39 * len(each) + 11.8 * syllables(each) / len(each) - 15.19, 0) if each else 0
            for each in (words, before)
        ]
        eased = 1 / (1 + math.exp(grades[0] - grades[1]))
        expected = 100 * math.sqrt(max(ibleu, 0) * eased) if words else 0
        assert combined[place] == pytest.approx(expected, abs=1e-6)


def syllables(words):
    return sum(xu2016_measures.joshua_syllables(word) for word in words)
