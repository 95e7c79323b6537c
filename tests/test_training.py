"""SARI in real Trainers: the scores of the texts that are generated, or a refusal in one line."""

import copy
import json
import os
import pickle
import random
import subprocess
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import accelerate
import numpy as np
import pytest
import torch
import two_processes
from conftest import ROOT, TESTS
from tiny_trainers import (
    GROUPED,
    LABELS,
    OUTPUTS,
    PROMPT,
    REFERENCES,
    SOURCES,
    TEXTS,
    ask,
    expected_scores,
    generated,
    make_causal_dataset,
    make_dataset,
    make_llama,
    make_t5,
    make_tokenizer,
    make_trainer,
    of_evaluation,
)
from transformers import EarlyStoppingCallback, EvalPrediction, GenerationConfig, Trainer, TrainerCallback

GENERATES = {"predict_with_generate": True, "generation_max_length": 40}
INPUTS = {"include_for_metrics": ["inputs"]}
ALL, SOME = range(10), [7, 2, 5]
PROMPTS = list(map(PROMPT.format, SOURCES))
SHORT = {"max_new_tokens": 40}
EACH_STEP = {"max_steps": 2, "eval_strategy": "steps", "eval_steps": 1}

pytestmark = [
    # Models that know the references by heart, or nothing, cause warnings about texts; those about training are errors.
    pytest.mark.filterwarnings("ignore::UserWarning"),
    *map(
        pytest.mark.filterwarnings, ["error:many outputs are cut", "error:the tokenizer ch", "error:outputs have ids"]
    ),
]


@pytest.fixture(scope="module")
def sari(sari):
    return sari.with_options(variant="easse", max_order=2)


tokenizer = pytest.fixture(make_tokenizer)


@pytest.fixture(scope="module")
def t5():
    return make_t5(make_tokenizer())


@pytest.fixture(scope="module")
def dataset():
    return make_dataset(make_tokenizer())


@pytest.fixture(scope="module")
def outputs(t5):
    """Return what `t5` generates for `dataset`, one by one."""
    texts = generated(t5, make_tokenizer(), [f"simplify: {source}" for source in SOURCES], max_length=40)
    assert len(set(texts)) == 10
    assert texts != LABELS
    return texts


@pytest.fixture
def with_function(sari, tokenizer, t5, tmp_path):
    """Return a function that makes a Trainer of `t5` with the function for a set."""

    def make(dataset, given=None, **arguments):
        function = sari.compute_metrics(tokenizer, dataset if given is None else given)
        return make_trainer(tmp_path, tokenizer, t5, dataset, function, **{**GENERATES, **arguments})

    return make


def training_warnings(collected):
    return [(str(warning), warning.detail) for warning in collected if type(warning).__name__ == "TrainingWarning"]


# ---- The function ----------------------------------------------------------------------------------------------------


def unchanged(rows):
    return rows


def with_hidden_texts(rows):
    return rows.with_format("torch", columns=["input_ids", "attention_mask", "labels"])


def tokenized_when_read(rows):
    def tokenize(row):
        prompts, labels = [f"simplify: {source}" for source in row["source"]], [texts[0] for texts in row["references"]]
        return {**make_tokenizer()(prompts, text_target=labels)}

    return rows.select_columns(["source", "references"]).with_transform(tokenize)


def without_inputs(rows):
    return rows.remove_columns("input_ids")


#: What is given and what is evaluated of `dataset`, the rows that are scored, and training arguments.
EVALUATED = {
    "shuffled": (unchanged, lambda rows: rows.shuffle(seed=1), ALL, INPUTS),
    "subset": (unchanged, lambda rows: rows.select(SOME), SOME, {}),
    "repeated": (unchanged, lambda rows: rows.select([0, 0, 0, 0, 1, 2]), [0, 0, 0, 0, 1, 2], {}),
    "drop_last": (unchanged, unchanged, range(9), {"dataloader_drop_last": True}),
    "group_by_length": (unchanged, unchanged, ALL, GROUPED),
    "stream": (unchanged, lambda rows: rows.to_iterable_dataset(), ALL, {}),
    "padded left": (unchanged, unchanged, ALL, {}),
    "hidden texts": (with_hidden_texts, with_hidden_texts, ALL, {}),
    "tokenized when read": (tokenized_when_read, tokenized_when_read, ALL, {"remove_unused_columns": False}),
    "inputs that the set lacks": (without_inputs, unchanged, ALL, INPUTS),
    "in a list": (lambda rows: [rows.select([row]) for row in ALL], unchanged, ALL, {}),
}


@pytest.mark.parametrize("name", EVALUATED)
def test_rows_are_found_whatever_is_evaluated(sari, tokenizer, dataset, with_function, outputs, name):
    given, evaluated, rows, arguments = EVALUATED[name]
    tokenizer.padding_side = "left" if name == "padded left" else "right"
    trainer = with_function(dataset, given(dataset), **arguments)
    assert of_evaluation(trainer.evaluate(evaluated(dataset))) == expected_scores(sari, outputs, rows)


def test_several_sets(sari, tokenizer, dataset, with_function, outputs):
    """Rows are of the set that has them; sets may share rows, and sources with other labels."""
    second = [row[1:] for row in REFERENCES]
    others = make_dataset(tokenizer, [row[0] for row in second], second)
    metrics = with_function({"all": dataset, "part": dataset.select(SOME), "others": others}).evaluate()
    assert of_evaluation(metrics, "eval_all") == expected_scores(sari, outputs)
    assert of_evaluation(metrics, "eval_part") == expected_scores(sari, outputs, SOME)
    assert of_evaluation(metrics, "eval_others") == expected_scores(sari, outputs, references=second)


@pytest.mark.parametrize("labels", [[LABELS[row // 2] for row in ALL], [""] * 10], ids=["shared", "empty"])
def test_rows_with_the_same_labels_are_known_by_their_inputs(sari, tokenizer, with_function, outputs, labels):
    references = [[*row, label] for row, label in zip(REFERENCES, labels, strict=True)]
    rows = make_dataset(tokenizer, labels, references)
    trainer = with_function(rows)
    with pytest.raises(ValueError, match=r'^label_ids\[0\]: got .*, expected include_for_metrics=\["inputs"\] in'):
        trainer.evaluate()
    trainer.args.include_for_metrics = ["inputs"]
    expected = expected_scores(sari, outputs, SOME, references)
    assert of_evaluation(trainer.evaluate(rows.select(SOME))) == expected


def test_columns_and_texts_of_other_names(sari, tokenizer, dataset, t5, outputs, tmp_path):
    """With a function for what is predicted."""
    rows = dataset.rename_columns({"source": "complex", "references": "simple"})
    function = sari.compute_metrics(tokenizer, rows, sources="complex", references="simple", postprocess=str.upper)
    metrics = make_trainer(tmp_path, tokenizer, t5, rows, function, **GENERATES).evaluate()
    cased = sari.with_options(lowercase=False)
    assert of_evaluation(metrics) == expected_scores(sari, [text.upper() for text in outputs])
    assert of_evaluation(metrics) != expected_scores(cased, [text.upper() for text in outputs])


def of_ids(*columns):
    """Return what a Trainer gives for rows of generated ids, and of ids of labels and inputs."""
    widths = [max(map(len, rows)) for rows in columns]
    padded = [
        [[*ids, *[-100] * (width - len(ids))] for ids in rows] for rows, width in zip(columns, widths, strict=True)
    ]
    return EvalPrediction(*map(np.array, padded))


def of_labels(dataset, rows):
    """Return what a Trainer gives for rows of which the model generates the labels."""
    labels = [dataset["labels"][row] for row in rows]
    return of_ids([[0, *ids] for ids in labels], labels)


TWICE = [0, 0, *SOME]
#: What two processes evaluate, the sets that were given, and the rows that count, if it is known which do.
REPEATS = [
    ([0, 1, 2, 0, 1, 2, 0, 1], [ALL], [0, 1, 2]),
    ([*TWICE, *TWICE[:3]], [TWICE], TWICE),
    ([*SOME, *SOME, *SOME], [ALL, SOME], SOME),
    ([*SOME, *SOME, *SOME], [[*ALL, *SOME], SOME], "rows that several sets have, not equally often, expected a"),
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
    done = subprocess.run(
        [sys.executable, str(TESTS / "two_processes.py"), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(TESTS)])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    alone = [[2, scores] for _, scores in two_processes.scores(tmp_path)]
    written = (tmp_path / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, written)) == [alone] * 2


BATCHES = "predictions: got batches, expected all rows at once: without batch_eval_metrics and eval_do_concat_batches="
LOGITS = {"preprocess_logits_for_metrics": lambda logits, _: logits[0].argmax(-1), "predict_with_generate": False}
#: What is given and evaluated of `dataset`, training arguments, options of `evaluate`, and the refusal.
REFUSED = [
    (unchanged, {"predict_with_generate": False}, {}, r"predictions: got tuple of .*, expected token ids of 10 rows: "),
    (unchanged, {"batch_eval_metrics": True}, {}, BATCHES),
    (unchanged, {"eval_do_concat_batches": False}, {}, BATCHES),
    (unchanged, {"generation_num_beams": 2}, {"num_return_sequences": 2}, r"predictions: got ndarray of shape \(20, "),
    (unchanged, LOGITS, {}, r"predictions: got ids that begin with no special.* no preprocess_logits_for_metrics"),
    (
        lambda rows: rows.select([0]),
        {},
        {},
        r"label_ids\[1\]: got 'The [^']*', expected those of a row of dataset: the",
    ),
    (
        lambda rows: rows.map(lambda _: {"input_ids": [5]}),
        INPUTS,
        {},
        r"label_ids\[0\]: got '.*' with other inputs, ex",
    ),
]


@pytest.mark.parametrize(("given", "arguments", "options", "message"), REFUSED)
def test_evaluations_that_are_refused(dataset, with_function, given, arguments, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        with_function(dataset, given(dataset), **arguments).evaluate(**options)


LIKE_LOGITS = ["outputs begin as labels do, like ids of logits: no preprocess_logits_for_metrics"]
CONTINUED = ["outputs are inputs, continued: take a model with an encoder, or sari.attach"]
SPACE = make_tokenizer().convert_tokens_to_ids("▁")
#: Whether a special token begins texts; what is predicted, made of the ids of labels and inputs; warnings.
PREDICTED = [
    (True, lambda label, _: [0, *label], []),
    (True, lambda label, _: [2, *label], []),  # the token that starts the decoder begins labels, too
    (True, lambda label, _: label, LIKE_LOGITS),
    (False, lambda label, _: [0, *label], []),
    (False, lambda label, _: [0, SPACE, *label[:-1], SPACE, 1], []),
    (True, lambda _, inputs: [0, *inputs], []),
    (True, lambda label, inputs: [*inputs, *label], CONTINUED),
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
    assert [message for message, _ in training_warnings(collected)] == warned


@pytest.mark.parametrize("labels", [None, (LABELS,)])
def test_labels_that_are_no_ids_are_refused(sari, tokenizer, dataset, labels):
    evaluated = EvalPrediction(of_labels(dataset, ALL).predictions, labels)
    with pytest.raises(ValueError, match=r"^label_ids: got \w+, expected token ids, int\[row, token\]$"):
        sari.compute_metrics(tokenizer, dataset)(evaluated)


CUT = "many outputs are cut before their end: raise "
LACKING = "outputs have ids that the tokenizer lacks: give the one of the Trainer"
#: How many of ten rows end with which id, and the warning.
ENDS = [
    (1, 7, []),
    (2, 7, [(f"{CUT}generation_max_length", "2 of 10")]),
    (10, 1, []),
    (3, 400, [(f"{CUT}generation_max_length", "3 of 10"), (LACKING, "3 of 10")]),
]


@pytest.mark.parametrize(("count", "end", "warned"), ENDS)
def test_outputs_that_are_cut_or_have_unknown_ids(sari, tokenizer, dataset, monkeypatch, count, end, warned):
    function, evaluated = sari.compute_metrics(tokenizer, dataset), of_labels(dataset, ALL)
    evaluated.predictions[:count, -1] = end
    monkeypatch.setattr(type(tokenizer), "get_vocab", None)  # it takes long, so it is not asked for again
    with sari.collect_warnings() as collected:
        function(evaluated)
    assert training_warnings(collected) == warned


@pytest.mark.parametrize(
    ("count", "warned"), [(5, []), (6, ["the tokenizer changes texts: correct them with postprocess"])]
)
def test_a_tokenizer_that_changes_the_texts(sari, tokenizer, count, warned):
    """It lacks the first characters of so many of ten references."""
    references = [["他去年" * (row < count) + text] for row, text in enumerate(LABELS)]
    rows = make_dataset(tokenizer, references=references)
    with sari.collect_warnings() as collected:
        sari.compute_metrics(tokenizer, rows)
        sari.compute_metrics(tokenizer, rows, postprocess=str.strip)
    assert [message for message, _ in training_warnings(collected)] == warned


def test_labels_of_another_tokenizer_are_refused(sari, tokenizer, dataset):
    """It has as many tokens."""
    other = make_tokenizer(texts=[text[::-1] for text in SOURCES])
    assert len(other) == len(tokenizer)
    wanted = (
        r"^labels of dataset: got \d+% of ids in a reference of the same row, expected a third or more: the tokenizer"
    )
    with pytest.raises(ValueError, match=wanted):
        sari.compute_metrics(other, dataset)
    sari.compute_metrics(tokenizer, make_dataset(tokenizer, references=[row[1:] for row in REFERENCES]))


ROW = {"labels": make_tokenizer()("a")["input_ids"], "input_ids": [6, 1], "source": "a b", "references": ["a"]}
OTHER = {**ROW, "source": "c"}
BAD_DATA = [
    ({"dataset": [{"labels": [5]}]}, r"dataset: got a row with \['labels'\], expected columns \['labels', 'source'"),
    ({"sources": "text"}, r"dataset: got a row with .*, expected columns \['labels', 'text', 'references'\]"),
    ({"sources": SOURCES}, r"sources: got .*, expected the name of a column$"),
    ({"postprocess": 3}, r"postprocess: got 3, expected a function from a text to a text$"),
    ({"dataset": 5}, r"dataset: got 5, expected a data set, or several of them"),
    ({"dataset": (1, 2)}, r"dataset\[0\]: got 1, expected a data set, or several of them"),
    ({"dataset": {"x": [1]}}, r"dataset\['x'\]: got the row 1, expected columns \['labels', 'source', 'references'\]"),
    ({"dataset": [{**ROW, "source": None}]}, r"sources\[0\]: got a missing value"),
    ({"dataset": [{**ROW, "references": []}]}, r"references\[0\]: got no reference"),
    ({"dataset": [ROW, OTHER]}, r"dataset\[1\]: got the labels and input_ids of another row, with other texts, e"),
    ({"dataset": {"x": [ROW], "y": [OTHER]}}, r"dataset\['y'\]\[0\]: got the labels and input_ids of another row"),
    ({"dataset": [{**ROW, "labels": None}]}, r"dataset\[0\]: got labels None, expected a list of token ids$"),
    ({"dataset": [{**ROW, "input_ids": [2.5]}]}, r"dataset\[0\]: got input_ids \[2.5\], expected a list of token"),
    ({"dataset": [{**ROW, "labels": [5, 400]}]}, r"tokenizer: got 400 tokens, and label ids up to 400 in dataset"),
    ({"tokenizer": "t5-small"}, r"tokenizer: got str, expected a tokenizer of transformers"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_DATA)
def test_data_that_are_refused(sari, tokenizer, arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        sari.compute_metrics(**{"tokenizer": tokenizer, "dataset": [ROW], **arguments})


def test_pickles(sari, tokenizer, dataset):
    evaluated, function = of_labels(dataset, SOME), sari.compute_metrics(tokenizer, dataset, postprocess=str.lower)
    assert pickle.loads(pickle.dumps(function))(evaluated) == function(evaluated)
    reward, given = sari.reward(unit=False, name="r"), {"source": SOURCES, "references": REFERENCES}
    again = pickle.loads(pickle.dumps(reward))
    assert (again(completions=OUTPUTS, **given), again.__name__) == (reward(completions=OUTPUTS, **given), "r")


# ---- Attached texts --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows():
    return make_causal_dataset(make_tokenizer())


@pytest.fixture(scope="module")
def texts():
    """Return what `make_llama` generates for the prompts, one by one."""
    found = generated(make_llama(make_tokenizer()), make_tokenizer(), PROMPTS, **SHORT)
    assert len(set(found)) == 10
    return found


@pytest.fixture
def attached(sari, tokenizer, rows, tmp_path):
    """Return a function that attaches texts to a Trainer, of a language model where none is given."""

    def make(trainer=None, dataset=None, arguments=None, **options):
        given = {"kind": Trainer, **EACH_STEP, **(arguments or {})}
        trainer = trainer or make_trainer(tmp_path, tokenizer, make_llama(tokenizer), dataset or rows, **given)
        sari.attach(trainer, **{**TEXTS, "prompts": PROMPT.format, "generation_kwargs": SHORT, **options})
        return trainer

    return make


def begin_answer(source):
    return [*ask(source), {"role": "assistant", "content": "So:"}]


BEGUN = {"chat_template_kwargs": {"thinking": True, "continue_final_message": True}, "prompts": begin_answer}
BEGUN_PROMPTS = [f"[think][user] {source} [assistant] So:" for source in SOURCES]
PROMPT_IDS = make_tokenizer()(PROMPTS, add_special_tokens=False)["input_ids"]
MOST = 2048 - max(map(len, PROMPT_IDS))  # the model has 2,048 positions, for prompt and answer
TO_SIMPLIFY = [f"simplify: {source}" for source in SOURCES]
STOP = {**SHORT, "stop_strings": ["."]}
SAMPLES = {"do_sample": True, "temperature": 9.0}
#: What the configuration of a model says, which holds unless it is about sampling and length.
OWN = {**SAMPLES, "num_beams": 3, "min_new_tokens": 30, "forced_bos_token_id": 7}
#: For each kind of model: options of `attach`; the prompts, one by one, and what generates the same for them.
LLAMA = {
    "batches of one": ({"batch_size": 1}, PROMPTS, SHORT),
    "batches of nine": ({"batch_size": 9}, PROMPTS, SHORT),
    "token ids": ({"prompts": PROMPT_IDS}, PROMPTS, SHORT),
    "iterators": ({"prompts": map(iter, PROMPT_IDS)}, PROMPTS, SHORT),
    "a chat": ({"prompts": ask}, [f"[user] {source} [a]" for source in SOURCES], SHORT),
    "an answer that is begun": ({**BEGUN, "postprocess": lambda text: text[3:]}, BEGUN_PROMPTS, SHORT),
    "no beginning": ({"prompts": PROMPT.format}, [f"<unk>{prompt}" for prompt in PROMPTS], SHORT),
    "a beginning": ({"prompts": f"<unk>{PROMPT}".format}, [f"<unk>{prompt}" for prompt in PROMPTS], SHORT),
    "an end that is written": ({"prompts": f"{PROMPT}</s>".format}, [f"{prompt}</s>" for prompt in PROMPTS], SHORT),
    "nothing but an end": ({"prompts": lambda _: ""}, ["</s>"] * 10, SHORT),
    "one to sample from": ({"generation_kwargs": {**SHORT, "do_sample": True, "top_k": 1}}, PROMPTS, SHORT),
    "more than tokens": ({"generation_kwargs": {**SHORT, "return_dict_in_generate": True}}, PROMPTS, SHORT),
    "stop_strings": ({"generation_kwargs": STOP}, PROMPTS, {**STOP, "tokenizer": make_tokenizer()}),
    "no length": ({"generation_kwargs": None}, PROMPTS, {"max_new_tokens": 128}),
    "the greatest length": ({"generation_kwargs": {"max_new_tokens": MOST}}, PROMPTS, SHORT),
}
T5 = {"sources": ({"prompts": None}, SOURCES, SHORT), "prompts": ({"prompts": TO_SIMPLIFY}, TO_SIMPLIFY, SHORT)}


@pytest.mark.filterwarnings("ignore:`do_sample` is set to `False`")
@pytest.mark.parametrize("name", [*LLAMA, *T5])
def test_the_model_generates_as_for_each_prompt_alone(sari, attached, rows, dataset, tmp_path, name):
    options, prompts, same = {**LLAMA, **T5}[name]
    tokenizer = make_tokenizer(begins="beginning" in name)
    # A model that learned nothing generates something else after two beginnings, and as much as it may.
    config = {"initializer_range": 0.5} if "beginning" in name or name == "no length" else {}
    model = make_t5(tokenizer) if name in T5 else make_llama(tokenizer, **config)
    model.generation_config.update(**(OWN if name in T5 else SAMPLES))
    trainer = make_trainer(tmp_path, tokenizer, model, dataset if name in T5 else rows, kind=Trainer)
    texts = list(map(options.get("postprocess", str), generated(model, tokenizer, prompts, **same)))
    with sari.collect_warnings():
        assert of_evaluation(attached(trainer, **options).evaluate()) == expected_scores(sari, texts)


def test_sampling_is_what_is_asked_for(sari, texts, attached):
    with sari.collect_warnings():
        found = attached(generation_kwargs={**SHORT, **SAMPLES}).evaluate()["eval_sari"]
    assert found < expected_scores(sari, texts)["sari"] - 20


def test_everyone_sees_the_scores(sari, attached):
    """Trackers, early stopping, which stands before anything that is added, and the choice of the best model."""
    chosen = {"metric_for_best_model": "sari", "load_best_model_at_end": True, "learning_rate": 0.5}
    often = {"max_steps": 6, "eval_on_start": True, "save_strategy": "steps", "save_steps": 1, "save_only_model": True}
    logged, tracker = [], TrainerCallback()  # as `report_to` adds one
    tracker.on_log = lambda *_, logs, **__: logged.extend(logs[name] for name in logs if name == "eval_sari")
    callbacks = [EarlyStoppingCallback(early_stopping_patience=1), tracker]
    trainer = attached(arguments={"callbacks": callbacks, **chosen, **often})
    with sari.collect_warnings():  # It unlearns all that it knows.
        trainer.train()
        best = trainer.evaluate()["eval_sari"]
    scores = [entry["eval_sari"] for entry in trainer.state.log_history if "eval_sari" in entry]
    assert scores == logged
    assert 2 < len(scores) < 7
    assert trainer.state.best_metric == best == max(scores[1:])


def test_training_goes_on_as_without_it(tokenizer, rows, attached, tmp_path):
    runs = []
    for options in (None, {}, {"generation_kwargs": {"do_sample": True, **SHORT}}):
        arguments = {"kind": Trainer, **EACH_STEP, "logging_steps": 1}
        trainer = make_trainer(tmp_path, tokenizer, make_llama(tokenizer), rows, **arguments)
        if options is not None:
            attached(trainer, **options)
        trainer.train()
        losses = [entry[name] for entry in trainer.state.log_history for name in ("loss", "eval_loss") if name in entry]
        states = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
        runs.append((losses, states, [parameter.tolist() for parameter in trainer.model.parameters()]))
    assert len(losses) == 4
    assert runs[0] == runs[1] == runs[2]


def test_the_set_whose_evaluations_have_the_scores(sari, rows, texts, attached):
    sets = {"news": rows, "web": rows.select([0])}
    trainer = attached(dataset=sets, evaluation_set="news")
    metrics = trainer.evaluate()
    assert of_evaluation(metrics, "eval_news") == expected_scores(sari, texts)
    assert "eval_web_sari" not in metrics
    wanted = r"^evaluation_set: got (None|'books'), expected a set of the Trainer: \['news', 'web'\]$"
    for name in (None, "books"):
        with pytest.raises(ValueError, match=wanted):
            attached(trainer, evaluation_set=name)
    trainer = attached()
    trainer.eval_dataset = sets
    with pytest.raises(ValueError, match=wanted):
        trainer.evaluate()


def test_scores_are_of_the_texts_whatever_is_evaluated(sari, rows, texts, attached):
    trainer = attached()
    assert of_evaluation(trainer.evaluate(rows.select([0]))) == expected_scores(sari, texts)
    assert of_evaluation(trainer.predict(rows, metric_key_prefix="eval").metrics) == expected_scores(sari, texts)
    for metrics in (trainer.evaluate(metric_key_prefix="test"), trainer.predict(rows).metrics):
        assert not [name for name in metrics if name.endswith("_sari")]
    again = r"^metrics: got eval_add, eval_delete, eval_keep, eval_sari already, expected one sari.attach, or"
    with pytest.raises(ValueError, match=again):
        attached(trainer).evaluate()


def test_metrics_that_are_there_are_refused_before_anything_is_generated(attached, monkeypatch):
    trainer = attached()
    trainer.compute_metrics = lambda _: {"keep": 1.0}
    monkeypatch.setattr(trainer.model, "generate", None)
    with pytest.raises(ValueError, match=r"^metrics: got eval_keep already, expected one sari.attach, or a compute_me"):
        trainer.evaluate()


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_trainer_evaluates_its_own_model(sari, tokenizer, texts, attached, make_copy):
    trainer = attached()
    again = make_copy(trainer)
    again.model = make_llama(tokenizer, initializer_range=0.5)
    other = generated(again.model, tokenizer, PROMPTS, **SHORT)
    with sari.collect_warnings():
        assert of_evaluation(again.evaluate()) == expected_scores(sari, other)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


@pytest.mark.parametrize("quiet", [False, True])
def test_attached_texts_that_are_cut_give_a_warning(sari, attached, capsys, quiet):
    """After the progress bar, if there is one."""
    with sari.collect_warnings() as collected:
        attached(arguments={"disable_tqdm": quiet}, generation_kwargs={"max_new_tokens": 12}).evaluate()
    assert training_warnings(collected) == [(f"{CUT}max_new_tokens in generation_kwargs", "10 of 10")]
    assert ("SARI: generating" in capsys.readouterr().err) is not quiet


SEVERAL = {"num_beams": 2, "num_return_sequences": 2}
BAD_OPTIONS = [
    ({"generation_kwargs": 5}, "generation_kwargs: got 5, expected a dict of arguments"),
    ({"sources": [], "references": []}, r"sources: got no rows, expected at least one"),
    ({"references": LABELS[1:]}, r"references: got 9 rows, expected 10 \(as in sources\)"),
    ({"batch_size": 0}, r"batch_size: got 0, expected a whole number of at least 1"),
    ({"prompts": begin_answer}, r"prompts\[0\]: got a chat that ends with an answer, exp"),
    ({"prompts": 5}, r"prompts: got 5, expected a list, or a function from a source to a prompt"),
    ({"prompts": ["a"]}, r"prompts: got 1 row, expected 10 \(as in sources\)"),
    ({"prompts": [*PROMPTS[1:], []]}, r"prompts\[9\]: got \[\], expected a str, a list of messages, or token ids"),
    (
        {"prompts": [["a"], *PROMPTS[1:]]},
        r"prompts\[0\]: got \['a'\], expected a str, a list of messages, or token ids",
    ),
    ({"postprocess": lambda _: None}, r"postprocess\[0\]: got a missing value"),
    ({"prompts": None}, r"prompts: got None, expected what the model continues, such as"),
    (
        {"generation_kwargs": {"max_new_tokens": 1 + MOST}},
        r"prompts\[\d\]: got \d+ tokens and max_new_tokens=\d+, expected at most 2048, the positions of the model$",
    ),
    ({"generation_kwargs": {"max_new_tokens": None}}, r"max_new_tokens: got None, expected a whole number of at "),
    ({"generation_kwargs": {"max_length": 75}}, r"generation_kwargs: got max_length, expected max_new_tokens"),
    ({"generation_kwargs": {"min_length": 75}}, r"generation_kwargs: got min_length, expected min_new_tokens"),
    ({"generation_kwargs": {"generation_config": GenerationConfig()}}, r"generation_kwargs: got generation_config, ex"),
    ({"generation_kwargs": SEVERAL}, r"generation_kwargs: got 6 texts for 3 prompts, expected one each"),
    ({"evaluation_set": "news"}, r"evaluation_set: got 'news', expected a set of the Trainer: \[None\]"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_options_that_are_refused(attached, options, message):
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        attached(**options).evaluate()


def test_tokenizers_that_are_refused(tokenizer, attached):
    trainer = attached()
    tokenizer.pad_token = None
    with pytest.raises(ValueError, match=r"^processing_class: got no pad_token, expected one, such as its eos_token"):
        attached(trainer)
    trainer.processing_class = None
    with pytest.raises(ValueError, match=r"^processing_class: got NoneType, expected a tokenizer of transformers"):
        attached(trainer)


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
        chats = [[*ask("?"), {"role": "assistant", "content": content}] for content in contents]
        assert reward(completions=chats, **columns) == scores
    thought = sari.reward(**names, postprocess=lambda text: text.partition("</think>")[2])
    assert thought(completions=[f"<think>Hm.</think>\n{text}" for text in texts], **columns) == scores


PARTS = r"completions\[0\]: got .* parts with text$"
BAD_COMPLETIONS = [
    ({"source": None}, r"reward: got columns references, expected also 'source'$"),
    ({"source": [5]}, r"sources\[0\]: got int"),
    ({"references": [5]}, r"references\[0\]: got int"),
    ({"completions": ["a", "b"]}, r"source: got 1 row, expected 2 \(as in completions\)$"),
    ({"references": [["a"], ["b"]]}, r"references: got 2 rows, expected 1 \(as in completions\)$"),
    ({"completions": [5]}, r"completions\[0\]: got 5, expected a str or a list of messages$"),
    ({"completions": [[]]}, r"completions\[0\]: got \[\], expected a str or a list of messages$"),
    ({"completions": [[{"content": "a"}]]}, r"completions\[0\]: got .*, expected a str or a list of messages$"),
    ({"completions": [[{"role": "assistant", "content": 5}]]}, PARTS),
    ({"completions": [[{"role": "assistant", "content": ["a"]}]]}, PARTS),
    ({"completions": [[{"role": "assistant", "content": [{"text": "a"}, {"text": None}]}]]}, PARTS),
]


@pytest.mark.parametrize(("given", "message"), BAD_COMPLETIONS)
def test_completions_and_columns_that_cannot_be_scored(sari, given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        sari.reward()(**{"completions": ["a"], "source": ["a"], "references": [["a"]], **given})


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        *dict.fromkeys(("source", "references"), "the name of a column").items(),
        ("postprocess", "a function from a text to a text"),
        ("name", "a str"),
    ],
)
def test_arguments_of_rewards_that_are_refused(sari, name, wanted):
    with pytest.raises(ValueError, match=f"^{name}: got 5, expected {wanted}$"):
        sari.reward(**{name: 5})


@pytest.mark.parametrize("none", [None, [], [None]])
def test_rows_without_references_get_no_reward(sari, none):
    every = sari.reward()(completions=LABELS, source=SOURCES, references=REFERENCES)
    filled = [[*row, None] for row in REFERENCES]
    columns = {"source": [None, *SOURCES[1:]], "references": [filled[0], *filled[1:8], LABELS[8:9], none]}
    single = sari.reward()(completions=LABELS[8:9], source=SOURCES[8:9], references=LABELS[8:9])
    assert sari.reward()(completions=LABELS, **columns) == [None, *every[1:8], *single, None]
