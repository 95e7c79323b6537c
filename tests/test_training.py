"""What training passes on, piece by piece: to the compute_metrics function, and to the reward."""

import pickle
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tiny_trainers import (
    NAMED,
    OUTPUTS,
    REFERENCES,
    SEGMENTS,
    SOURCES,
    TEXTS,
    expected_scores,
    make_dataset,
    make_tokenizer,
)

from sari.variants import OPTIONS

# Predictions made up by hand have tokens where labels are hidden.
pytestmark = pytest.mark.filterwarnings("ignore:Predictions have tokens where labels are -100:UserWarning")

LABELS = [row[0] for row in REFERENCES]


def evaluated(tokenizer, predictions=OUTPUTS, labels=LABELS, inputs=None, padding=-100):
    """Return what the Trainer makes of texts."""

    def padded(texts):
        rows = [tokenizer(text)["input_ids"] for text in texts]
        table = np.full((len(rows), max(map(len, rows)) + 2), padding)
        for line, row in zip(table, rows, strict=True):
            line[: len(row)] = row
        return table

    inputs = None if inputs is None else padded(inputs)
    return SimpleNamespace(predictions=padded(predictions), label_ids=padded(labels), inputs=inputs)


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture
def function(sari, tokenizer):
    return sari.compute_metrics(tokenizer, **TEXTS)


@pytest.fixture
def expected(sari):
    return expected_scores(sari, OUTPUTS)


@pytest.mark.parametrize("padding", [-100, 0, 10**6])
def test_padding(function, tokenizer, expected, padding):
    assert function(evaluated(tokenizer, padding=padding)) == expected


def test_tensors(function, tokenizer, expected):
    arrays = evaluated(tokenizer)
    tensors = {name: torch.tensor(array) for name, array in vars(arrays).items() if array is not None}
    assert function(SimpleNamespace(**tensors)) == expected
    labels = tensors["label_ids"][:, :-3]
    logits = torch.nn.functional.one_hot(tensors["predictions"].clamp(min=0)).bfloat16()
    assert function(SimpleNamespace(predictions=(logits, None), label_ids=(labels,))) == expected


@pytest.mark.filterwarnings("ignore:The scores are of teacher forcing:UserWarning")
@pytest.mark.filterwarnings("ignore:Some labels do not begin with -100:UserWarning")
def test_a_loss_before_the_logits(function, tokenizer):
    """A mixture of experts that is asked for the logits of its router returns their loss first."""
    handed = evaluated(tokenizer, predictions=LABELS)
    logits = np.eye(len(tokenizer), dtype=np.float32)[np.maximum(handed.predictions, 0)]
    before = (np.zeros(4, np.float32), logits)
    alone, behind = (
        function(SimpleNamespace(predictions=predictions, label_ids=handed.label_ids))
        for predictions in (logits, before)
    )
    assert alone == behind == function(handed)


def test_data_sets_of_other_kinds(sari, tokenizer, expected):
    dataset = make_dataset(tokenizer)
    for kind in (dataset.to_list(), dataset.with_format("torch", ["labels"])):
        assert sari.compute_metrics(tokenizer, dataset=kind, **NAMED)(evaluated(tokenizer)) == expected
    function = sari.compute_metrics(tokenizer, dataset=dataset, **TEXTS)
    assert function(evaluated(tokenizer)) == expected


def test_answers_of_several_turns_are_refused(function, tokenizer):
    handed = evaluated(tokenizer)
    handed.label_ids[:, 0] = handed.label_ids[3, 3:5] = -100
    with pytest.raises(ValueError, match=r"^label_ids\[3\]: got -100 between tokens, expected one answer"):
        function(handed)


@pytest.mark.parametrize("known", [True, False])
def test_an_evaluation_that_was_interrupted(sari, tokenizer, expected, known):
    """With `batch_eval_metrics` its batches are there when the next evaluation begins."""
    dataset = {"dataset": make_dataset(tokenizer)} if known else {}
    function = sari.compute_metrics(tokenizer, **TEXTS, **dataset)
    first, second = (evaluated(tokenizer, OUTPUTS[part], LABELS[part]) for part in (slice(0, 5), slice(5, SEGMENTS)))
    assert function(first, compute_result=False) == {}
    assert function(first, compute_result=False) == {}
    wanted = (
        r"label_ids: got 5 rows more often than dataset has them" if known else r"sources: got 10 rows, expected 15 "
    )
    with pytest.raises(ValueError, match=f"^{wanted}"):
        function(second)
    assert function(first, compute_result=False) == {}
    assert function(second) == expected


def test_rows_that_come_twice_are_refused(sari, tokenizer):
    """Only several processes repeat rows."""
    twice = evaluated(tokenizer, *([*texts, texts[0]] for texts in (OUTPUTS, LABELS, SOURCES)))
    for dataset in (None, make_dataset(tokenizer)):
        function = sari.compute_metrics(tokenizer, **TEXTS, dataset=dataset)
        with pytest.raises(ValueError, match=r"got 10 rows, expected 11|1 rows more often than dataset"):
            function(twice)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sources": SOURCES, "references": REFERENCES[1:]}, "references: got 9 rows, expected 10 (as in sources)"),
        ({"sources": [*SOURCES[1:], None]}, "sources[9]: got NoneType, expected str"),
        ({"sources": {"a": SOURCES}, "references": REFERENCES}, "references: got list, expected a dict of the sets a"),
        ({"sources": {"a": SOURCES}, "references": {"b": REFERENCES}}, "references: got sets b, expected the sets of"),
        ({"references": {"a": [[]]}}, "a: references[0]: got no reference, expected at least one"),
        ({"sources": "source"}, "sources: got 'source', expected a column, or dataset= with a column of this name"),
        (
            {"dataset": [{"input_ids": [1]}]},
            "dataset: got a data set with columns input_ids, expected one with 'labels'",
        ),
        ({"dataset": iter([])}, "dataset: got list_iterator, expected a data set with a length"),
        ({"dataset": [{"labels": [5]}], "sources": SOURCES}, "sources: got 10 rows, expected 1 (as in dataset)"),
        ({"dataset": [{"labels": [5, -100, 6]}]}, "dataset labels[0]: got -100 between tokens, expected one answer"),
        ({"sources": {"a": SOURCES, "b": SOURCES}}, "dataset: got none for the sets a, b, expected their data sets"),
        ({"tokenizer": "t5-small"}, "tokenizer: got str, expected a tokenizer of transformers"),
    ],
)
def test_bad_arguments_are_refused_at_once(sari, tokenizer, arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        sari.compute_metrics(**{"tokenizer": tokenizer, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"postprocess": 5}, "postprocess: got 5, expected a function"),
        ({"causal": "yes"}, "causal: got yes, expected True, False or None"),
        ({"dataset": []}, "trainer: got None, expected a Trainer"),
    ],
)
def test_bad_arguments_of_the_function_are_refused(sari, tokenizer, arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        sari.compute_metrics(tokenizer, **arguments).check(None)


def test_what_is_no_ids_or_text_is_refused(sari, function, tokenizer):
    arrays = evaluated(tokenizer)
    arrays.predictions = np.zeros((SEGMENTS, 3))
    with pytest.raises(ValueError, match=r"^predictions: got float64 of shape \(10, 3\), expected token ids"):
        function(arrays)
    with pytest.raises(ValueError, match=r"^predictions: got 9 rows, expected 10 \(as in labels\)"):
        function(evaluated(tokenizer, OUTPUTS[1:]))
    broken = sari.compute_metrics(tokenizer, postprocess=lambda _: None)
    with pytest.raises(ValueError, match=r"^postprocess\[0\]: got NoneType, expected str$"):
        broken(evaluated(tokenizer, inputs=SOURCES))
    columns = {f"column_{number}": 0 for number in range(99)}
    with pytest.raises(ValueError, match=r"^dataset: got a data set with columns column_0") as raised:
        sari.compute_metrics(tokenizer, dataset=[columns])
    assert len(str(raised.value)) <= 200


def test_warnings_are_given_once(sari, function, tokenizer):
    """Data warnings by their category, also where numbers in them differ."""
    found = []
    for empty in (8, 9):
        with sari.collect_warnings() as collected:
            function(evaluated(tokenizer, [""] * empty + OUTPUTS[empty:]))
        found.append([type(warning).__name__ for warning in collected])
    assert "EmptyOutputsWarning" in found[0]
    assert not set(found[0]) & set(found[1])
    logits, labels = np.zeros((2, 3, 5)), np.ones((2, 3), int)
    with sari.collect_warnings() as collected:
        for _ in range(2):
            function.preprocess_logits_for_metrics(logits, labels)
    assert len(collected) == 1
    assert len(str(collected[0])) <= 200


@pytest.mark.filterwarnings("ignore:.* not tokenized, and are only split at spaces:UserWarning")
def test_the_default_variant(sari, tokenizer, expected):
    from sari.sari_scorer import Scorer

    assert Scorer().compute_metrics(tokenizer, **TEXTS)(evaluated(tokenizer)) == expected
    chosen = Scorer("xu2016").compute_metrics(tokenizer, **TEXTS)(evaluated(tokenizer))
    assert chosen == expected_scores(sari, OUTPUTS, variant="xu2016")
    assert Scorer("xu2016").reward().__name__ == "sari_xu2016"


def test_pickling(sari, tokenizer, function, expected):
    assert pickle.loads(pickle.dumps(function))(evaluated(tokenizer)) == expected
    callback = sari.generation_callback(tokenizer, sources=SOURCES, references=LABELS)
    assert type(pickle.loads(pickle.dumps(callback))) is type(callback)
    reward, given = sari.reward(unit=False), {"completions": OUTPUTS, "source": SOURCES, "references": REFERENCES}
    assert pickle.loads(pickle.dumps(reward))(**given) == reward(**given)


# ---- The reward ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [False, True])
def test_the_reward_is_the_score_of_each_completion_alone(sari, unit):
    rows = [0, 0, 3, 0, 5, 3]
    texts = [REFERENCES[row][place % 2] for place, row in enumerate(rows)]
    columns = {"complex": [SOURCES[row] for row in rows], "simple": [REFERENCES[row] for row in rows]}
    scores = [
        expected_scores(sari, [text], [SOURCES[row]], [REFERENCES[row]])["sari"]
        for row, text in zip(rows, texts, strict=True)
    ]
    expected = [score / 100 for score in scores] if unit else scores
    names = {"source": "complex", "references": "simple"}
    reward = sari.reward(**names, unit=unit)
    assert reward(prompts=["?"] * 6, completions=texts, trainer_state=None, **columns) == expected
    for content in (str, lambda text: [{"type": "text", "text": text}]):
        chats = [[{"role": "assistant", "content": content(text)}] for text in texts]
        assert reward(completions=chats, **columns) == expected
    thought = sari.reward(**names, unit=unit, postprocess=lambda text: text.rpartition("</think>")[2].strip())
    assert thought(completions=[f"<think>Hm.</think>\n{text}" for text in texts], **columns) == expected


def test_a_variant_that_rewards_copies_warns(sari):
    with sari.collect_warnings() as collected:
        assert sari.with_options(variant="hf").reward().__name__ == "sari_hf"
        sari.reward()
    assert [type(warning).__name__ for warning in collected] == ["RewardsCopyingWarning"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": ["a"]}, r"^source: got columns text, references, expected also 'source'$"),
        ({"completions": [5]}, r"^completions\[0\]: got 5, expected a str or a list of messages$"),
        ({"source": [5]}, r"^sources\[0\]: got int"),
        ({"source": ["a", "b"]}, r"^source: got 2 rows, expected 1 \(as in completions\)$"),
        *[
            (
                {"completions": [[{"role": "assistant", "content": content}]]},
                r"^completions\[0\]: got .* parts with text$",
            )
            for content in (5, ["a"], [{"text": None}], [{"text": "a"}, {"text": 5}])
        ],
    ],
)
def test_completions_and_columns_that_cannot_be_scored(sari, given, message):
    columns = {"source": ["a"]} if "text" not in given else {}
    with pytest.raises(ValueError, match=message):
        sari.reward()(**{"completions": ["a"], **columns, **given, "references": [["a"]]})


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "sari_easse"),
        ({"unit": True, "level": "corpus", "source": "source"}, "sari_easse"),
        ({"unit": False, "postprocess": str.strip}, "sari_easse_unit-False_postprocess-strip"),
        ({"variant": "xu2016"}, "sari_xu2016"),
        ({"lowercase": False, "max_order": 2}, "sari_easse_lowercase-False_max_order-2"),
        ({"source": "complex", "references": "simple"}, "sari_easse_source-complex_references-simple"),
        ({"tokenize": str.upper}, "sari_easse_tokenize-upper"),
    ],
    ids=str,
)
def test_names_tell_rewards_apart(sari, options, name):
    own = {name: options[name] for name in options if name not in OPTIONS}
    chosen = {name: options[name] for name in options if name in OPTIONS}
    assert sari.with_options(**chosen).reward(**own).__name__ == name


def test_rows_without_references_get_no_reward(sari):
    reward = sari.reward(references="simple")
    every = reward(completions=LABELS, source=SOURCES, simple=REFERENCES)
    for none in (None, [], [None]):
        some = {"source": [None, *SOURCES[1:]], "simple": [none, *REFERENCES[1:9], none]}
        assert reward(completions=LABELS, **some) == [None, *every[1:9], None]
        assert reward(completions=LABELS[:2], source=SOURCES[:2], simple=[none, none]) == [None, None]
    filled = {"source": SOURCES, "simple": [[*row, None] for row in REFERENCES]}
    assert reward(completions=LABELS, **filled) == every
    single = {"source": SOURCES, "simple": [None, *LABELS[1:]]}
    listed = {"source": SOURCES, "simple": [None, *([label] for label in LABELS[1:])]}
    assert reward(completions=OUTPUTS, **single) == reward(completions=OUTPUTS, **listed)
    with pytest.raises(ValueError, match=r"^references\[2\]: got int"):
        reward(completions=LABELS[:3], source=SOURCES[:3], simple=[None, "a", 5])
