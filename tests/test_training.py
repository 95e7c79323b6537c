"""SARI as `compute_metrics` of real Trainers and as a reward: scores of what is generated, or a refusal in one line."""

import json
import os
import pickle
import subprocess
import sys
from contextlib import nullcontext
from itertools import zip_longest
from types import SimpleNamespace

import accelerate
import numpy as np
import pytest
import tiny_trainers as tiny
import two_processes
from conftest import ROOT, TESTS
from datasets import Dataset
from tiny_trainers import LABELS, OUTPUTS, REFERENCES, SOURCES, expected_scores, make_dataset, make_tokenizer
from transformers import EvalPrediction
from trl import GRPOConfig, GRPOTrainer

INPUTS = {"include_for_metrics": ["inputs"]}
ALL, SOME = range(10), [7, 2, 5, 5, 5]
# Models that know the references by heart cause warnings about texts.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def sari(sari):
    return sari.with_options(variant="easse", max_order=2)


tokenizer = pytest.fixture(make_tokenizer)


@pytest.fixture(scope="module")
def t5():
    return tiny.make_t5()


@pytest.fixture(scope="module")
def dataset():
    return make_dataset(make_tokenizer())


@pytest.fixture(scope="module")
def outputs(t5):
    """Return what `t5` generates for `dataset`, one by one."""
    texts = tiny.generated(t5, make_tokenizer(), [f"simplify: {source}" for source in SOURCES], max_length=40)
    assert len({*texts, *LABELS}) > 10
    return texts


@pytest.fixture
def with_function(sari, tokenizer, t5, tmp_path):
    """Return a function that makes a Trainer of `t5` with the function for a set."""

    def make(dataset, given=None, **arguments):
        function = sari.compute_metrics(tokenizer, dataset if given is None else given)
        arguments = {"predict_with_generate": True, "generation_max_length": 40, **arguments}
        return tiny.make_trainer(tmp_path, tokenizer, t5, dataset, function, **arguments)

    return make


# ---- The function ----------------------------------------------------------------------------------------------------


def unchanged(rows):
    return rows


def tokenized_when_read(rows):
    def tokenize(row):
        prompts, labels = [f"simplify: {source}" for source in row["source"]], [texts[0] for texts in row["references"]]
        return {**make_tokenizer()(prompts, text_target=labels)}

    return rows.select_columns(["source", "references"]).with_transform(tokenize)


#: What is given and what is evaluated of `dataset`, the rows that are scored, and training arguments.
EVALUATED = {
    "shuffled": (unchanged, lambda rows: rows.shuffle(seed=1), ALL, INPUTS),
    "some": (unchanged, lambda rows: rows.select(SOME), SOME, {}),
    "padded left": (unchanged, unchanged, ALL, {}),
    "hidden texts": (lambda rows: rows.with_format("torch", columns=["labels"]), unchanged, ALL, {}),
    "tokenized when read": (tokenized_when_read, tokenized_when_read, ALL, {"remove_unused_columns": False}),
    "inputs that the set lacks": (lambda rows: rows.remove_columns("input_ids"), unchanged, ALL, INPUTS),
    "in a list": (lambda rows: [rows.select([row]) for row in ALL], unchanged, ALL, {}),
}


@pytest.mark.parametrize("name", EVALUATED)
def test_rows_are_found_whatever_is_evaluated(sari, tokenizer, dataset, with_function, outputs, name):
    given, evaluated, rows, arguments = EVALUATED[name]
    tokenizer.padding_side = "left" if name == "padded left" else "right"
    trainer = with_function(dataset, given(dataset), **arguments)
    assert tiny.of_evaluation(trainer.evaluate(evaluated(dataset))) == expected_scores(sari, outputs, rows)


def test_several_sets(sari, tokenizer, dataset, with_function, outputs):
    """Rows are of the set that has them; sets may share rows, and sources with other labels."""
    second = [row[1:] for row in REFERENCES]
    others = make_dataset(tokenizer, [row[0] for row in second], second)
    metrics = with_function({"all": dataset, "part": dataset.select(SOME), "others": others}).evaluate()
    assert tiny.of_evaluation(metrics, "eval_all") == expected_scores(sari, outputs)
    assert tiny.of_evaluation(metrics, "eval_part") == expected_scores(sari, outputs, SOME)
    assert tiny.of_evaluation(metrics, "eval_others") == expected_scores(sari, outputs, references=second)


@pytest.mark.parametrize("labels", [[LABELS[row // 2] for row in ALL], [""] * 10], ids=["shared", "empty"])
def test_rows_with_the_same_labels_are_known_by_their_inputs(sari, tokenizer, with_function, outputs, labels):
    references = [[*row, label] for row, label in zip(REFERENCES, labels, strict=True)]
    rows = make_dataset(tokenizer, labels, references)
    trainer = with_function(rows)
    with pytest.raises(ValueError, match=r'^label_ids\[0\]: got .*, expected include_for_metrics=\["inputs"\] in'):
        trainer.evaluate()
    trainer.args.include_for_metrics = ["inputs"]
    expected = expected_scores(sari, outputs, SOME, references)
    assert tiny.of_evaluation(trainer.evaluate(rows.select(SOME))) == expected


def of_ids(*columns):
    """Return what a Trainer gives for rows of generated ids, and of ids of labels and inputs."""
    return EvalPrediction(*(np.array([*zip_longest(*rows, fillvalue=-100)]).T for rows in columns))


def of_labels(dataset, rows):
    """Return what a Trainer gives for rows of which the model generates the labels."""
    labels = [dataset["labels"][row] for row in rows]
    return of_ids([[0, *ids] for ids in labels], labels)


def test_columns_of_other_names_and_what_is_done_to_texts(sari, tokenizer, dataset):
    rows, cased = (
        dataset.rename_columns({"source": "complex", "references": "simple"}),
        sari.with_options(lowercase=False),
    )
    names = {"sources": "complex", "references": "simple"}
    function = cased.compute_metrics(tokenizer, rows, **names, postprocess=str.upper)
    assert function(of_labels(rows, ALL)) == expected_scores(cased, [label.upper() for label in LABELS])


TWICE = [0, 0, 7, 2, 5]
#: What two processes evaluate, the sets that were given, and the rows that count, if it is known which do.
REPEATS = [
    ([0, 1, 2, 0, 1, 2, 0, 1], [ALL], [0, 1, 2]),
    ([*TWICE, *TWICE[:3]], [TWICE], TWICE),
    ([7, 2, 7, 2, 7, 2], [ALL, [7, 2]], [7, 2]),
    ([7, 2, 7, 2, 7, 2], [[*ALL, 7, 2], [7, 2]], "rows that several sets have, not equally often, expected a function"),
    ([0, 0, 0, 0, 1, 2], [ALL], "rows that no set has so often, expected rows of one set"),
    ([0, 1], [[0], [1]], "rows that no set has so often, expected rows of one set"),
]


@pytest.mark.parametrize(("evaluated", "sets", "counted"), REPEATS)
def test_several_processes_repeat_rows(sari, tokenizer, dataset, monkeypatch, evaluated, sets, counted):
    """To fill their last batch; each row counts as often as the set has it that is evaluated."""
    function = sari.compute_metrics(tokenizer, [dataset.select(rows) for rows in sets])
    monkeypatch.setattr(accelerate, "PartialState", lambda: SimpleNamespace(num_processes=2))
    is_refused = isinstance(counted, str)
    with pytest.raises(ValueError, match=f"^label_ids: got {counted}") if is_refused else nullcontext():
        assert function(of_labels(dataset, evaluated)) == expected_scores(sari, LABELS, counted)


def test_two_processes_score_as_one_does(tmp_path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(TESTS)])}
    command = [sys.executable, str(TESTS / "two_processes.py"), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    alone = [[2, scores] for _, scores in two_processes.scores(tmp_path)]
    written = (tmp_path / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, written)) == [alone] * 2


BATCHES = "predictions: got batches, expected all rows at once: without batch_eval_metrics and eval_do_concat_batches="
INPUTS_DIFFER = r"label_ids\[0\]: got '.*' with other inputs, ex"
#: A change of the set that is given, training arguments, options of `evaluate`, and the refusal.
REFUSED = [
    (unchanged, {"predict_with_generate": False}, {}, r"predictions: got tuple of .*, expected token ids of 10 rows: "),
    (unchanged, {"batch_eval_metrics": True}, {}, BATCHES),
    (unchanged, {"eval_do_concat_batches": False}, {}, BATCHES),
    (unchanged, {"generation_num_beams": 2}, {"num_return_sequences": 2}, r"predictions: got ndarray of shape \(20, "),
    (lambda rows: rows.select([0]), {}, {}, r"label_ids\[1\]: got 'The [^']*', expected those of a row of dataset: "),
    (lambda rows: rows.map(lambda _: {"input_ids": [5]}), INPUTS, {}, INPUTS_DIFFER),
]


@pytest.mark.parametrize(("given", "arguments", "options", "message"), REFUSED)
def test_evaluations_that_are_refused(dataset, with_function, given, arguments, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        with_function(dataset, given(dataset), **arguments).evaluate(**options)


LIKE_LOGITS, CONTINUED = "outputs begin as labels do, like ids of logits", "outputs are inputs, continued"
SPACE = make_tokenizer().convert_tokens_to_ids("▁")
#: Whether a special token begins texts; what is predicted, made of the ids of labels and inputs; warnings.
PREDICTED = [
    (True, lambda label, _: [0, *label], []),
    (True, lambda label, _: [2, *label], []),  # the token that starts the decoder begins labels, too
    (True, lambda label, _: label, [(LIKE_LOGITS, "")]),
    (False, lambda label, _: [0, SPACE, *label[:-1], SPACE, 1], []),
    (True, lambda _, inputs: [0, *inputs], []),
    (True, lambda label, inputs: [*inputs, *label], [(CONTINUED, "")]),
]


@pytest.mark.parametrize(("begins", "predict", "warned"), PREDICTED)
def test_generated_ids_are_scored_as_the_texts_without_outer_spaces(sari, begins, predict, warned):
    """Ids that look like others are scored with a warning. The variant has spaces among its tokens."""
    sari, tokenizer = sari.with_options(variant="xu2016"), make_tokenizer(begins)
    rows = make_dataset(tokenizer)
    predicted = list(map(predict, rows["labels"], rows["input_ids"]))
    texts = [tokenizer.decode(ids, skip_special_tokens=True).strip() for ids in predicted]
    function, evaluated = sari.compute_metrics(tokenizer, rows), of_ids(predicted, rows["labels"], rows["input_ids"])
    with sari.collect_warnings() as collected:
        assert function(evaluated) == expected_scores(sari, texts)
    assert tiny.training_warnings(collected) == warned


NO_IDS = [
    ({"label_ids": None}, r"label_ids: got NoneType, expected token ids, int\[row, token\]$"),
    ({"label_ids": (LABELS,)}, r"label_ids: got tuple, expected token ids, int\[row, token\]$"),
    (
        {"predictions": np.full((10, 3), 5)},
        "predictions: got ids that begin with no special token, like those of logits",
    ),
]


@pytest.mark.parametrize(("change", "message"), NO_IDS)
def test_what_is_not_generated_is_refused(sari, tokenizer, dataset, change, message):
    good = of_labels(dataset, ALL)
    with pytest.raises(ValueError, match=f"^{message}"):
        sari.compute_metrics(tokenizer, dataset)(
            EvalPrediction(**{"predictions": good[0], "label_ids": good[1], **change})
        )


CUT, LACKING = "many outputs are cut before their end", "outputs have ids that the tokenizer lacks"
ENDS = [(1, 7, []), (2, 7, [(CUT, "2 of 10")]), (10, 1, []), (3, 400, [(CUT, "3 of 10"), (LACKING, "3 of 10")])]


@pytest.mark.parametrize(("count", "end", "warned"), ENDS)
def test_outputs_that_are_cut_or_have_unknown_ids(sari, tokenizer, dataset, monkeypatch, count, end, warned):
    """So many of ten rows end with this id."""
    function, evaluated = sari.compute_metrics(tokenizer, dataset), of_labels(dataset, ALL)
    evaluated.predictions[:count, -1] = end
    monkeypatch.setattr(type(tokenizer), "get_vocab", None)  # it takes long, so it is not asked for again
    with sari.collect_warnings() as collected:
        function(evaluated)
    assert tiny.training_warnings(collected) == warned


@pytest.mark.parametrize(("count", "warned"), [(5, []), (6, ["the tokenizer changes texts"])])
def test_a_tokenizer_that_changes_the_texts(sari, tokenizer, count, warned):
    """It lacks the first characters of so many of ten references."""
    references = [["他去年" * (row < count) + text] for row, text in enumerate(LABELS)]
    rows = make_dataset(tokenizer, references=references)
    with sari.collect_warnings() as collected:
        sari.compute_metrics(tokenizer, rows)
        sari.compute_metrics(tokenizer, rows, postprocess=str.strip)
    assert [message for message, _ in tiny.training_warnings(collected)] == warned


def test_labels_of_another_tokenizer_are_refused(sari, tokenizer, dataset):
    """It has as many tokens."""
    other = make_tokenizer(texts=[text[::-1] for text in SOURCES])
    assert len(other) == len(tokenizer)
    wanted = r"^labels of dataset: got \d+% of ids in a reference of the same row, expected a third or more"
    with pytest.raises(ValueError, match=wanted):
        sari.compute_metrics(other, dataset)
    sari.compute_metrics(tokenizer, make_dataset(tokenizer, references=[row[1:] for row in REFERENCES]))


ROW = {"labels": make_tokenizer()("a")["input_ids"], "input_ids": [6, 1], "source": "a b", "references": ["a"]}
OTHER = {**ROW, "source": "c"}
NO_SET, COLUMNS = "expected a data set, or several of them", r"expected columns \['labels', 'source', 'references'\]"
AGAIN, IDS = "got the labels and input_ids of another row, with other texts", "expected a list of token ids$"
BAD_DATA = [
    (5, f"dataset: got 5, {NO_SET}"),
    ((1, 2), rf"dataset\[0\]: got 1, {NO_SET}"),
    ([{"labels": [5]}], rf"dataset\[0\]: got columns \['labels'\], {COLUMNS}"),
    ([ROW, "x"], rf"dataset\[1\]: got 'x', {COLUMNS}"),
    ({"x": [1]}, rf"dataset\['x'\]\[0\]: got 1, {COLUMNS}"),
    ([{**ROW, "source": None}], r"sources\[0\]: got a missing value"),
    ([ROW, OTHER], rf"dataset\[1\]: {AGAIN}"),
    ({"x": [ROW], "y": [OTHER]}, rf"dataset\['y'\]\[0\]: {AGAIN}"),
    ([{**ROW, "labels": None}], rf"labels of dataset\[0\]: got None, {IDS}"),
    ([{**ROW, "labels": [[5], [5, 1]]}], rf"labels of dataset\[0\]: got \[\[5\], \[5, 1\]\], {IDS}"),
    ([{**ROW, "labels": [[5, 1]]}], rf"labels of dataset\[0\]: got \[\[5, 1\]\], {IDS}"),
    ([{**ROW, "input_ids": [2.5]}], rf"input_ids of dataset\[0\]: got \[2.5\], {IDS}"),
    ([{**ROW, "labels": [5, 400]}], r"tokenizer: got 400 tokens, and label ids up to 400 in dataset"),
]


@pytest.mark.parametrize(("data", "message"), BAD_DATA)
def test_data_that_are_refused(sari, tokenizer, data, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        sari.compute_metrics(tokenizer, data)


NAME, FUNCTION = "the name of a column", "a function from a text to a text"
WRONG_TYPES = [
    ("compute_metrics", {"tokenizer": "a tokenizer of transformers", "sources": NAME, "postprocess": FUNCTION}),
    ("reward", {"source": NAME, "references": NAME, "name": "a str", "postprocess": FUNCTION}),
]


@pytest.mark.parametrize(("method", "wanted"), WRONG_TYPES)
def test_arguments_of_a_wrong_type(sari, tokenizer, dataset, method, wanted):
    good = {"tokenizer": tokenizer, "dataset": dataset} if method == "compute_metrics" else {}
    for name, expected in wanted.items():
        with pytest.raises(TypeError, match=f"^{name}: got (5|int), expected {expected}$"):
            getattr(sari, method)(**{**good, name: 5})


def test_pickles(sari, tokenizer, dataset):
    evaluated, function = of_labels(dataset, SOME), sari.compute_metrics(tokenizer, dataset, postprocess=str.lower)
    assert pickle.loads(pickle.dumps(function))(evaluated) == function(evaluated)
    assert "Dataset" not in repr(function)
    reward, given = sari.reward(unit=False, name=""), {"source": SOURCES, "references": REFERENCES}
    again = pickle.loads(pickle.dumps(reward))
    assert (again(completions=OUTPUTS, **given), again.__name__) == (reward(completions=OUTPUTS, **given), "")


# ---- The reward ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [False, True])
def test_the_reward_is_the_score_of_each_completion_alone(sari, unit):
    columns = {"complex": SOURCES[:3], "simple": REFERENCES[:3], "trainer_state": None}
    texts = [*OUTPUTS[:2], ""]
    scores = [expected_scores(sari, texts, [row])["sari"] / (100 if unit else 1) for row in range(3)]
    names = {"source": "complex", "references": "simple", "unit": unit}
    reward = sari.reward(**names)
    assert reward(prompts=["?"] * 3, completions=[f" {text}\n" for text in texts], **columns) == scores
    # The content of a message is None where a tool is called.
    parts = [[{"type": "text", "text": part} for part in (" ", text[:9], text[9:])] for text in texts]
    for contents in (texts, [*texts[:2], None], parts):
        chats = [[*tiny.ask("?"), {"role": "assistant", "content": content}] for content in contents]
        assert reward(completions=chats, **columns) == scores
    thought = sari.reward(**names, postprocess=lambda text: text.partition("</think>")[2])
    assert thought(completions=[f"<think>Hm.</think>\n{text}" for text in texts], **columns) == scores


def answers(content):
    return {"completions": [[{"role": "assistant", "content": content}]]}


PARTS, LIST = r"completions\[0\]: got .* parts with text$", "expected a list with a row per completion$"
BAD_COMPLETIONS = [
    ({"source": None}, r"reward: got columns references, completions, expected also 'source'$"),
    ({"source": "a"}, f"source: got str, {LIST}"),
    ({"completions": "a"}, f"completions: got str, {LIST}"),
    ({"source": [5]}, r"sources\[0\]: got int"),
    ({"references": [5]}, r"references\[0\]: got int"),
    ({"completions": ["a", "b"]}, r"source: got 1 row, expected 2 \(as in completions\)$"),
    ({"references": [["a"], ["b"]]}, r"references: got 2 rows, expected 1 \(as in completions\)$"),
    ({"completions": [5]}, r"completions\[0\]: got 5, expected a str or a list of messages$"),
    ({"completions": [[{"content": "a"}]]}, r"completions\[0\]: got .*, expected a str or a list of messages$"),
    (answers(5), PARTS),
    (answers(["a"]), PARTS),
    (answers([{"text": "a"}, {"text": None}]), PARTS),
]


@pytest.mark.parametrize(("given", "message"), BAD_COMPLETIONS)
def test_completions_and_columns_that_cannot_be_scored(sari, given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        sari.reward()(**{"completions": ["a"], "source": ["a"], "references": [["a"]], **given})


@pytest.mark.parametrize("none", [None, [], [None]])
def test_rows_without_references_get_no_reward(sari, none):
    every = sari.reward()(completions=LABELS, source=SOURCES, references=REFERENCES)
    filled = [[*row, None] for row in REFERENCES]
    columns = {"source": [None, *SOURCES[1:]], "references": [filled[0], *filled[1:8], LABELS[8:9], none]}
    single = sari.reward()(completions=LABELS[8:9], source=SOURCES[8:9], references=LABELS[8:9])
    assert sari.reward()(completions=LABELS, **columns) == [None, *every[1:8], *single, None]


@pytest.mark.parametrize("prompts", [list(map(tiny.PROMPT.format, SOURCES)), list(map(tiny.ask, SOURCES))])
def test_reinforcement(sari, tokenizer, tmp_path, prompts):
    """TRL calls the reward as it calls its own, and leaves out a row without references."""
    reward, found = sari.reward(), []

    def watched(references, **given):
        values = reward(references=references, **given)
        found.extend(zip(references, values, strict=True))
        return values

    tokenizer.padding_side, references = "left", [*REFERENCES[:5], [], *REFERENCES[6:]]
    rows = Dataset.from_dict({"prompt": prompts, "source": SOURCES, "references": references})
    args = GRPOConfig(str(tmp_path), max_steps=5, **tiny.TRL, **tiny.GROUPS)
    trainer = GRPOTrainer(tiny.make_llama(), [reward, watched], args, rows, processing_class=tokenizer)
    trainer.train()
    assert sum("rewards/sari_easse/mean" in entry for entry in trainer.state.log_history) == 5
    assert [value is None for _, value in found] == [not row for row, _ in found]
    assert len(found) == 20
