"""Measures of machine translation: those of sacreBLEU, and what is refused."""

from itertools import product, zip_longest

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from sari.companion_measures import translation as measures

texts = st.text("abc é日\u00a0\t\x1c\n" + " " * 8, max_size=24)
segments = st.lists(st.tuples(texts, texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=5)


@given(segments)
@example([("", "", ["a"]), ("aaaa", "", ["aabb", "ab"])])  # two references are equally near
def test_scores_of_sums_are_sacrebleus(rows):
    one, other, references = map(list, zip(*rows, strict=True))
    streams = list(zip_longest(*references))
    metrics = {"bleu": BLEU(tokenize="none", force=True), "chrf": CHRF(), "ter": TER()}
    for outputs, (name, metric) in product((one, other, one), metrics.items()):
        sums = getattr(measures, f"{name}_counts")(outputs, references).sum(axis=0)
        score = getattr(measures, f"{name}_of_sums")(sums)
        assert score == pytest.approx(metric.corpus_score(outputs, streams).score, abs=1e-9), name


def test_options_of_bleu_are_sacrebleus():
    assert measures.bleu(["A b c d."], ["a b c d ."], tokenize="13a", lowercase=True) == pytest.approx(100)
    assert measures.bleu([], []) == 0


def test_ibleu_by_hand():
    columns = ["a b c d e f g"], ["a b c d x"], [["a b c d x", "z"]]
    copied = measures.bleu(["a b c d x"], ["a b c d e f g"])
    assert 0 < copied < 100
    for alpha in (0, 0.5, 1):
        assert measures.ibleu(*columns, alpha=alpha) == pytest.approx(alpha * 100 - (1 - alpha) * copied)
    counts = measures.ibleu_counts(*columns)
    assert measures.ibleu_of_sums(counts).tolist() == pytest.approx([measures.ibleu(*columns)])


@pytest.mark.parametrize("alpha", [-0.1, 1.1, "0.9", None, True])
def test_other_alphas_are_refused(alpha):
    with pytest.raises((ValueError, TypeError), match=r"^alpha: got .*, expected a number from 0 to 1$"):
        measures.ibleu(["a"], ["a"], ["a"], alpha=alpha)
