"""What BLEU is made of: sacreBLEU's own numbers, whatever the references are prepared for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from sari.measures import bleu
from sari.measures.bleu import BleuReferences

texts = st.text("abc é日\u00a0\t\x1c\n" + " " * 8, max_size=24)
segments = st.lists(st.tuples(texts, texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=5)


def by_sacrebleu(predictions, references):
    metric = BLEU(tokenize="none", force=True, effective_order=True)
    scores = [metric.sentence_score(*row) for row in zip(predictions, references, strict=True)]
    return [[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in scores]


@given(segments)
def test_counts_are_sacrebleus_for_every_system(rows):
    one, other, references = map(list, zip(*rows, strict=True))
    prepared = BleuReferences(references)
    for predictions in (one, other, one):
        assert prepared.counts(predictions).tolist() == by_sacrebleu(predictions, references)


def test_chunks_change_nothing(monkeypatch):
    words = np.random.default_rng(1).integers(0, 5, (40, 4, 12)).tolist()
    columns = [[" ".join(map(str, text)) for text in row] for row in words]
    predictions, references = [row[0] for row in columns], [row[1 : 2 + place % 3] for place, row in enumerate(columns)]
    whole = BleuReferences(references).counts(predictions).tolist()
    monkeypatch.setattr(bleu, "_CHUNK_SEGMENTS", 7)
    assert BleuReferences(references).counts(predictions).tolist() == whole == by_sacrebleu(predictions, references)


def test_of_references_as_close_the_shorter_counts():
    prepared = BleuReferences([["a b c d", "a b"], ["a b", "a b c d"]])
    assert prepared.counts(["a b c", "a b c"])[:, 1].tolist() == [2, 2]


def test_no_segments():
    assert BleuReferences([]).counts([]).shape == (0, 10)


def test_refusals():
    with pytest.raises(ValueError, match=r"^references: got 1 rows, wanted 2, as many as predictions$"):
        BleuReferences([["a"]]).counts(["a", "b"])
    with pytest.raises(ValueError, match=r"^references\[1\]: "):
        BleuReferences([["a"], []])
    with pytest.raises(TypeError, match=r"^predictions\[0\]: "):
        BleuReferences([["a"]]).counts([None])
