"""The hook for the Trainer, given piece by piece what a Trainer hands over."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tiny_trainers import OUTPUTS, REFERENCES, SEGMENTS, SOURCES, make_tokenizer
from tokenizers import normalizers


def evaluated(tokenizer, predictions=OUTPUTS, labels=None, inputs=None, padding=-100):
    """Return what the Trainer makes of texts."""

    def padded(texts):
        rows = [tokenizer(text)["input_ids"] for text in texts]
        table = np.full((len(rows), max(map(len, rows)) + 2), padding)
        for line, row in zip(table, rows, strict=True):
            line[: len(row)] = row
        return table

    labels = [row[0] for row in REFERENCES] if labels is None else labels
    return SimpleNamespace(
        predictions=padded(predictions), label_ids=padded(labels), inputs=None if inputs is None else padded(inputs)
    )


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture
def hook(sari, tokenizer):
    return sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)


@pytest.fixture
def expected(sari):
    return sari.compute(sources=SOURCES, predictions=OUTPUTS, references=REFERENCES)


@pytest.mark.parametrize("padding", [-100, 0, 10**6])
def test_padding(hook, tokenizer, expected, padding):
    assert hook(evaluated(tokenizer, padding=padding)) == expected


def test_tensors(hook, tokenizer, expected):
    arrays = evaluated(tokenizer)
    tensors = {name: torch.tensor(array) for name, array in vars(arrays).items() if array is not None}
    assert hook(SimpleNamespace(**tensors)) == expected
    labels = tensors["label_ids"][:, :-3]  # as wide as none of the predictions, which are not what was trained then
    logits = torch.nn.functional.one_hot(tensors["predictions"].clamp(min=0)).bfloat16()
    assert hook(SimpleNamespace(predictions=(logits, None), label_ids=(labels,))) == expected


@pytest.mark.parametrize(
    "labels",
    [
        [row[1] for row in REFERENCES],
        [row[0][: len(row[0]) // 2] for row in REFERENCES],
        [row[0].lower() for row in REFERENCES],
        ["In short: " + row[0] for row in REFERENCES],
        [""] * SEGMENTS,
    ],
    ids=["another reference", "truncated", "case", "prefix", "empty"],
)
def test_labels_that_are_in_order(sari, expected, labels):
    # Characters that the tokenizer does not know are lost.
    tokenizer = make_tokenizer(normalizer=normalizers.NFC())
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
    assert hook(evaluated(tokenizer, labels=labels)) == expected


def test_labels_that_lost_characters(sari):
    sources, references = ["Ångström é", "Łódź ü"], [["Ωμέγα ж A"], ["日本 щ B"]]
    tokenizer = make_tokenizer()
    hook = sari.compute_metrics(tokenizer, sources=sources, references=references)
    found = hook(evaluated(tokenizer, predictions=["A", "B"], labels=[row[0] for row in references]))
    assert found == sari.compute(sources=sources, predictions=["A", "B"], references=references)
    with pytest.raises(ValueError, match="wanted the order of the evaluation set"):
        hook(evaluated(tokenizer, predictions=["A", "B"], labels=[row[0] for row in references[::-1]]))


def test_labels_of_other_texts_are_refused(hook, tokenizer):
    with pytest.raises(ValueError, match=r"row 0 of it is 'zzz yyy', row 0 of these 'The lighthouse .* \.\.\.'$"):
        hook(evaluated(tokenizer, labels=["zzz yyy"] * SEGMENTS))


def test_inputs_show_the_order_of_sources(sari, tokenizer):
    labels = [row[0] for row in REFERENCES]
    hook = sari.compute_metrics(tokenizer, sources=SOURCES)
    prompts = ["simplify: " + source for source in SOURCES]
    assert hook(evaluated(tokenizer, inputs=prompts)) == sari.compute(
        sources=SOURCES,
        predictions=OUTPUTS,
        references=tokenizer.batch_decode(tokenizer(labels)["input_ids"], skip_special_tokens=True),
    )
    with pytest.raises(ValueError, match=r"^sources: wanted the order of the evaluation set"):
        hook(evaluated(tokenizer, inputs=prompts[::-1]))


def test_a_fault_leaves_nothing_behind(hook, tokenizer, expected):
    half = evaluated(tokenizer, OUTPUTS[:5], [row[0] for row in REFERENCES[:5]])
    assert hook(half, compute_result=False) == {}
    with pytest.raises(ValueError, match="got 10 rows, wanted 15"):
        hook(evaluated(tokenizer), compute_result=True)
    assert hook(evaluated(tokenizer)) == expected


def test_sets_that_cannot_be_told_apart_are_refused(sari, tokenizer):
    hook = sari.compute_metrics(
        tokenizer,
        sources={"other": SOURCES[::-1], "plain": SOURCES},
        references={"other": REFERENCES, "plain": REFERENCES},
    )
    with pytest.raises(ValueError, match=r"^got an evaluation set that may be any of other, plain, wanted"):
        hook(evaluated(tokenizer))
    assert hook(evaluated(tokenizer, inputs=SOURCES)) == sari.compute(
        sources=SOURCES, predictions=OUTPUTS, references=REFERENCES
    )
    with pytest.raises(
        ValueError, match=r"^got an evaluation set that is none of other, plain: other: references: .*; plain"
    ):
        hook(evaluated(tokenizer, labels=[row[0] for row in REFERENCES[::-1]]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sources": SOURCES, "references": REFERENCES[1:]}, "references: got 9 rows, wanted 10, as many as sources"),
        ({"sources": [*SOURCES[1:], None]}, "sources[9]: got NoneType, wanted str"),
        ({"sources": {"a": SOURCES}, "references": REFERENCES}, "references: got list, wanted a dict with"),
        ({"sources": {"a": SOURCES}, "references": {"b": REFERENCES}}, "references: got b, wanted a dict with"),
        ({"references": {"a": [[]]}}, "a: references[0]: got no reference, wanted at least one"),
        ({"variant": "bleu"}, "variant: got 'bleu', wanted one of hf (Hugging Face"),
    ],
    ids=["lengths", "kind", "a dict and a list", "other names", "within a set", "option"],
)  # fmt: skip
def test_bad_arguments_are_refused_at_once(sari, tokenizer, arguments, message):
    with pytest.raises((ValueError, TypeError), match=f"^{re.escape(message)}"):
        sari.compute_metrics(tokenizer, **arguments)


def test_a_tokenizer_is_wanted(sari):
    with pytest.raises(TypeError, match=r"^tokenizer: got str, wanted a tokenizer of transformers$"):
        sari.compute_metrics("t5-small")


def test_scores_of_words_are_refused(hook, tokenizer):
    arrays = evaluated(tokenizer)
    arrays.predictions = np.zeros((SEGMENTS, 3))
    with pytest.raises(ValueError, match=r"^predictions: got float64 of shape \(10, 3\), wanted token ids"):
        hook(arrays)
