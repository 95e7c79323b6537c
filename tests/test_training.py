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


def tokens_of(tokenizer, texts):
    """Return what is left of texts that go through the tokenizer."""
    return tokenizer.batch_decode(tokenizer(texts)["input_ids"], skip_special_tokens=True)


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
    hook = sari.compute_metrics(tokenizer, sources=SOURCES)
    prompts = ["simplify: " + source for source in SOURCES]
    assert hook(evaluated(tokenizer, inputs=prompts)) == sari.compute(
        sources=SOURCES,
        predictions=OUTPUTS,
        references=tokens_of(tokenizer, [row[0] for row in REFERENCES]),
    )
    with pytest.raises(ValueError, match=r"^sources: wanted the order of .* group_by_length .*, row 9 of these$"):
        hook(evaluated(tokenizer, inputs=prompts[::-1]))
    with pytest.raises(ValueError, match=r"^references: got none and no inputs, so that nothing tells whether sources"):
        hook(evaluated(tokenizer))


def test_a_fault_leaves_nothing_behind(hook, tokenizer, expected):
    half = evaluated(tokenizer, OUTPUTS[:5], [row[0] for row in REFERENCES[:5]])
    assert hook(half, compute_result=False) == {}
    with pytest.raises(ValueError, match="wanted the order of the evaluation set"):
        hook(half)
    assert hook(evaluated(tokenizer)) == expected


@pytest.mark.parametrize("raw", [True, False])
def test_an_evaluation_that_broke_off_is_told(sari, tokenizer, raw):
    """With `batch_eval_metrics` its batches are there when the next evaluation begins."""
    hook = sari.compute_metrics(tokenizer, **({"sources": SOURCES, "references": REFERENCES} if raw else {}))
    labels = [row[0] for row in REFERENCES]
    batches = [
        evaluated(tokenizer, OUTPUTS[part], labels[part], SOURCES[part]) for part in (slice(0, 5), slice(5, SEGMENTS))
    ]
    assert hook(batches[0], compute_result=False) == {}
    assert hook(batches[0], compute_result=False) == {}
    with pytest.raises(ValueError, match=r"^label_ids: got rows that begin again at row 5, .*: evaluate again$"):
        hook(batches[1])
    assert hook(batches[0], compute_result=False) == {}
    assert hook(batches[1]) == hook(evaluated(tokenizer, inputs=SOURCES))


def test_rows_that_are_there_twice(sari, tokenizer):
    labels, twice = [row[0] for row in REFERENCES], [0, 1, 0, 1]
    hook = sari.compute_metrics(
        tokenizer, sources=[SOURCES[row] for row in twice], references=[REFERENCES[row] for row in twice]
    )
    batch = evaluated(tokenizer, OUTPUTS[:2], labels[:2])
    assert hook(batch, compute_result=False) == {}
    assert hook(batch) == sari.compute(sources=SOURCES[:2], predictions=OUTPUTS[:2], references=REFERENCES[:2])
    hook, row = sari.compute_metrics(tokenizer), evaluated(tokenizer, OUTPUTS[:1], labels[:1], SOURCES[:1])
    assert [hook(row, compute_result=False) for _ in range(2)] == [{}, {}]
    assert hook(row) == hook(row)


def test_many_sources_as_their_own_references(sari, tokenizer):
    labels = [*SOURCES[:8], REFERENCES[8][0], REFERENCES[9][0]]
    hook = sari.compute_metrics(tokenizer)
    found = hook(evaluated(tokenizer, labels=labels, inputs=SOURCES))
    assert found == sari.compute(
        sources=tokens_of(tokenizer, SOURCES), predictions=OUTPUTS, references=tokens_of(tokenizer, labels)
    )
    with pytest.raises(ValueError, match=r"^label_ids: got labels that hold the source as well, in 10 of 10 rows"):
        hook(evaluated(tokenizer, labels=SOURCES, inputs=SOURCES))


def test_several_answers_in_a_row_are_refused(hook, tokenizer):
    """The turns of a chat, with what the user said between them."""
    handed = evaluated(tokenizer)
    handed.predictions = np.eye(len(tokenizer), dtype=np.float32)[np.maximum(handed.label_ids, 0)]
    handed.label_ids[:, 0] = handed.label_ids[3, 3:5] = -100
    with pytest.raises(ValueError, match=r"^label_ids\[3\]: got -100 between tokens, .* wanted one answer, "):
        hook(handed)


@pytest.mark.parametrize("cut", [1, 2, SEGMENTS])
def test_labels_without_their_ends(hook, sari, tokenizer, cut):
    """Logits stand where labels do, so that what a model says behind them is not there to be scored."""
    labels = [row[0] for row in REFERENCES]
    labels[:cut] = [label[: len(label) // 2] for label in labels[:cut]]
    handed = evaluated(tokenizer, predictions=labels, labels=labels)
    if cut == 1:  # a tenth
        assert hook(handed) == sari.compute(
            sources=SOURCES, predictions=tokens_of(tokenizer, labels), references=REFERENCES
        )
        return
    message = rf"^label_ids: got labels without the ends of their references, in {cut} of 10 rows, .* max_length"
    with pytest.raises(ValueError, match=message):
        hook(handed)


def test_predictions_with_their_prompts_are_refused(sari, hook, tokenizer):
    prompted = [f"Simplify: {source} Simple: {output}" for source, output in zip(SOURCES, OUTPUTS, strict=True)]
    with pytest.raises(ValueError, match=r"^predictions: got texts that hold a prompt and the source before an answer"):
        hook(evaluated(tokenizer, predictions=prompted))
    prompted[3] = OUTPUTS[3]  # a model that begins with its input, now and then
    assert hook(evaluated(tokenizer, predictions=prompted)) == sari.compute(
        sources=SOURCES, predictions=tokens_of(tokenizer, prompted), references=REFERENCES
    )


def test_a_loss_before_the_logits(hook, tokenizer):
    """A mixture of experts that is asked for the logits of its router says a loss of theirs first."""
    handed = evaluated(tokenizer, predictions=[row[0] for row in REFERENCES])
    logits = np.eye(len(tokenizer), dtype=np.float32)[np.maximum(handed.predictions, 0)]
    alone, behind = (
        hook(SimpleNamespace(predictions=predictions, label_ids=handed.label_ids))
        for predictions in (logits, (np.zeros(4, np.float32), logits))
    )
    assert alone == behind == hook(handed)


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
