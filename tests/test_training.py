"""SARI in real Trainers: the scores of the texts that are generated, or a refusal in one line."""

import copy
import json
import os
import pickle
import random
import subprocess
import sys
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
SOME = [7, 2, 5]
CHAT = (
    "{% if thinking %}[think]{% endif %}{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }} "
    "{% endfor %}{% if add_generation_prompt %}[a]{% endif %}"
)
PROMPTS = list(map(PROMPT.format, SOURCES))
SHORT = {"max_new_tokens": 40}
EACH_STEP = {"max_steps": 2, "eval_strategy": "steps", "eval_steps": 1}


#: Models that know the references by heart, or nothing, cause warnings about texts; those about training are errors.
WARNINGS = [
    "ignore::UserWarning",
    "error:many outputs are cut",
    "error:the tokenizer changes",
    "error:outputs have ids",
]
pytestmark = pytest.mark.filterwarnings(*WARNINGS)


def about_training(collected):
    return [(str(found), found.detail) for found in collected if type(found).__name__ == "TrainingWarning"]


@pytest.fixture(scope="module")
def sari(sari):
    return sari.with_options(variant="easse")


def make_chat_tokenizer():
    made = make_tokenizer()
    made.chat_template = CHAT
    return made


tokenizer = pytest.fixture(make_chat_tokenizer)


@pytest.fixture(scope="module")
def t5():
    return make_t5(make_tokenizer())


@pytest.fixture(scope="module")
def dataset():
    return make_dataset(make_tokenizer())


@pytest.fixture(scope="module")
def outputs(t5):
    """Return what `t5` generates for `dataset`, one by one."""
    found = generated(t5, make_tokenizer(), [f"simplify: {source}" for source in SOURCES], max_length=40)
    assert len(set(found)) == 10
    assert found != LABELS
    return found


@pytest.fixture
def with_function(sari, tokenizer, t5, tmp_path):
    """Return a function that makes a Trainer of `t5` with the function for a set."""

    def make(dataset, given=None, **arguments):
        function = sari.compute_metrics(tokenizer, dataset if given is None else given)
        return make_trainer(tmp_path, tokenizer, t5, dataset, function, **{**GENERATES, **arguments})

    return make


# ---- The function ----------------------------------------------------------------------------------------------------

#: What is evaluated of `dataset`, its rows, and training arguments.
WAYS = {
    "all": (lambda rows: rows, range(10), {}),
    "shuffled": (lambda rows: rows.shuffle(seed=1), range(10), {}),
    "subset": (lambda rows: rows.select(SOME), SOME, {}),
    "drop_last": (lambda rows: rows, range(9), {"dataloader_drop_last": True}),
    "group_by_length": (lambda rows: rows, range(10), GROUPED),
    "stream": (lambda rows: rows.to_iterable_dataset(), range(10), {}),
    "left": (lambda rows: rows, range(10), {}),
}


@pytest.mark.parametrize("way", WAYS)
def test_rows_are_found_whatever_is_evaluated(tokenizer, sari, dataset, with_function, outputs, way):
    change, rows, arguments = WAYS[way]
    tokenizer.padding_side = "left" if way == "left" else "right"
    trainer, evaluated = with_function(dataset, **arguments), change(dataset)
    found = [of_evaluation(trainer.evaluate(evaluated)) for _ in range(2)]
    assert found == [expected_scores(sari, outputs, rows)] * 2


@pytest.mark.parametrize("kind", [dict, lambda sets: list(sets.values())])
def test_several_sets(sari, tokenizer, dataset, with_function, outputs, kind):
    """Rows are of the set that has them; sets may share rows, and sources with other labels."""
    second = [row[1:] for row in REFERENCES]
    others = make_dataset(tokenizer, [row[0] for row in second], second)
    sets = {"all": dataset, "part": dataset.select(SOME), "others": others}
    metrics = with_function(sets, kind(sets)).evaluate()
    assert of_evaluation(metrics, "eval_all") == expected_scores(sari, outputs)
    assert of_evaluation(metrics, "eval_part") == expected_scores(sari, outputs, SOME)
    assert of_evaluation(metrics, "eval_others") == expected_scores(sari, outputs, references=second)


#: Labels that several rows have, with other texts.
SHARED = [LABELS[row // 2] for row in range(10)]


@pytest.mark.parametrize("labels", [SHARED, [""] * 10])
def test_rows_with_the_same_labels_are_known_by_their_inputs(sari, tokenizer, with_function, outputs, labels):
    references = [[*row, label] for row, label in zip(REFERENCES, labels, strict=True)]
    rows = make_dataset(tokenizer, labels, references)
    trainer = with_function(rows)
    with pytest.raises(ValueError, match=r'^label_ids\[0\]: got .*, expected include_for_metrics=\["inputs"\] in'):
        trainer.evaluate()
    trainer.args.include_for_metrics = ["inputs"]
    expected = expected_scores(sari, outputs, SOME, references)
    assert of_evaluation(trainer.evaluate(rows.select(SOME))) == expected


def test_rows_of_another_set_with_the_same_labels(tokenizer, dataset, with_function):
    """Where the Trainer gives inputs, they are those of the row; without inputs in the set, labels are enough."""
    others = dataset.map(lambda row: {"input_ids": tokenizer(f"simplify: {row['source'][:20]}")["input_ids"]})
    with pytest.raises(ValueError, match=r"^label_ids\[0\]: got 'The .*' with other inputs, expected those of a row"):
        with_function(dataset, **INPUTS).evaluate(others.remove_columns("attention_mask"))
    trainer = with_function(dataset, dataset.remove_columns("input_ids"))
    labels_alone = trainer.evaluate()
    trainer.args.include_for_metrics = ["inputs"]
    assert of_evaluation(trainer.evaluate()) == of_evaluation(labels_alone)


@pytest.mark.parametrize("rows", [[*range(10), *SOME], [0, 0, 0, 0, 1, 2]], ids=str)
def test_rows_count_as_often_as_they_are_evaluated(sari, dataset, with_function, outputs, rows):
    found = of_evaluation(with_function(dataset).evaluate(dataset.select(rows)))
    assert found == expected_scores(sari, outputs, rows)


def rows_of(dataset, tokenizer, rows, width=40):
    """Return what a Trainer gives for rows of which the model generates the labels."""
    labels = np.full((len(rows), width), -100)
    predictions = np.full((len(rows), width), -100)
    for place, row in enumerate(rows):
        ids = dataset["labels"][row]
        labels[place, : len(ids)], predictions[place, : len(ids) + 1] = ids, [tokenizer.pad_token_id, *ids]
    return EvalPrediction(predictions, labels)


PART = [0, 0, *SOME]
#: What two processes evaluate, the rows that count of it, and the sets that were given.
REPEATS = [
    ([0, 1, 2, 0, 1, 2, 0, 1], [0, 1, 2], [[*range(10)]]),
    ([*PART, *PART[:3]], PART, [PART]),
    ([*SOME, *SOME, *SOME], SOME, [[*range(10), *SOME], SOME]),
]


@pytest.mark.parametrize(("evaluated", "counted", "sets"), REPEATS)
def test_several_processes_repeat_rows(sari, tokenizer, dataset, monkeypatch, evaluated, counted, sets):
    """To fill their last batch; each row counts as often as the smallest set that has all rows."""
    function = sari.compute_metrics(tokenizer, [dataset.select(rows) for rows in sets])
    monkeypatch.setattr(accelerate, "PartialState", lambda: SimpleNamespace(num_processes=2))
    assert function(rows_of(dataset, tokenizer, evaluated)) == expected_scores(sari, LABELS, counted)


@pytest.mark.parametrize(("evaluated", "sets"), [([0, 0, 0, 0, 1, 2], [[*range(10)]]), ([0, 1], [[0], [1]])])
def test_rows_that_several_processes_cannot_tell_from_repeated_ones(
    sari, tokenizer, dataset, monkeypatch, evaluated, sets
):
    function = sari.compute_metrics(tokenizer, [dataset.select(rows) for rows in sets])
    monkeypatch.setattr(accelerate, "PartialState", lambda: SimpleNamespace(num_processes=2))
    with pytest.raises(ValueError, match=r"^label_ids: got rows that no set has so often, expected rows of one set"):
        function(rows_of(dataset, tokenizer, evaluated))


@pytest.mark.filterwarnings("ignore:Creating a tensor from a list")
def test_formats_and_transforms_of_data_sets(sari, tokenizer, dataset, with_function, outputs):
    """A format may hide the texts, and a transform may make the ids."""
    texts = dataset.select_columns(["source", "references"])
    ids = ["input_ids", "attention_mask", "labels"]
    shown = dataset.with_format("torch", columns=ids)
    assert of_evaluation(with_function(shown).evaluate()) == expected_scores(sari, outputs)

    def tokenize(rows):
        prompts = [f"simplify: {source}" for source in rows["source"]]
        return {**tokenizer(prompts, text_target=[row[0] for row in rows["references"]])}

    lazy = texts.with_transform(tokenize)
    assert of_evaluation(with_function(lazy, remove_unused_columns=False).evaluate()) == expected_scores(sari, outputs)


def test_columns_and_texts_of_other_names(sari, tokenizer, dataset, t5, outputs, tmp_path):
    """With options of the metric, and a function for what is predicted."""
    rows = dataset.rename_columns({"source": "complex", "references": "simple"})
    named = {"sources": "complex", "references": "simple", "postprocess": str.lower}
    function = sari.with_options(max_order=2).compute_metrics(tokenizer, rows, **named)
    found = of_evaluation(make_trainer(tmp_path, tokenizer, t5, rows, function, **GENERATES).evaluate())
    assert found == expected_scores(sari, [text.lower() for text in outputs], max_order=2)


#: Training arguments, those of `evaluate`, and the refusal.
BATCHES = "got batches, expected all rows at once: without batch_eval_metrics and eval_do_concat_batches=False"
REFUSED = [
    ({"predict_with_generate": False}, {}, r"predictions: got tuple of .*, expected token ids of 10 rows: predict"),
    ({"batch_eval_metrics": True}, {}, f"predictions: {BATCHES}"),
    ({"eval_do_concat_batches": False}, {}, f"predictions: {BATCHES}"),
    ({"generation_num_beams": 2}, {"num_return_sequences": 2}, r"predictions: got ndarray of shape \(20, \d+\), e"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), REFUSED)
def test_evaluations_that_are_refused(dataset, with_function, arguments, options, message):
    with pytest.raises(ValueError, match=f"^{message}.{{,99}}$"):
        with_function(dataset, **arguments).evaluate(**options)


@pytest.mark.parametrize("begins", [False, True])
def test_ids_of_logits_are_refused(sari, t5, begins, tmp_path):
    """Whether labels begin with a special token or not."""
    tokenizer = make_tokenizer(begins=begins)
    rows = make_dataset(tokenizer)
    trainer = make_trainer(tmp_path, tokenizer, t5, rows, sari.compute_metrics(tokenizer, rows))
    trainer.preprocess_logits_for_metrics = lambda logits, labels: logits[0].argmax(-1) if not begins else labels
    with pytest.raises(ValueError, match=r"^predictions: got ids that begin as labels do.*no preprocess_logits_for_m"):
        trainer.evaluate()


def test_a_model_that_continues_its_inputs_is_refused(sari, tokenizer, rows, tmp_path):
    """It has no encoder: its outputs begin with its inputs, which begin with a special token here."""
    begun = rows.map(lambda row: {"input_ids": [2, *row["input_ids"]], "labels": [-100, *row["labels"]]})
    begun = begun.add_column("source", SOURCES).add_column("references", REFERENCES).remove_columns("attention_mask")
    function, arguments = sari.compute_metrics(tokenizer, begun), {**GENERATES, "generation_max_length": 120}
    trainer = make_trainer(tmp_path, tokenizer, make_llama(tokenizer), begun, function, **arguments)
    with pytest.raises(ValueError, match=r"^predictions: got inputs, continued, expected a model with an encoder"):
        trainer.evaluate()


def test_outputs_that_are_cut_give_a_warning(sari, dataset, with_function):
    """As those of 20 tokens, which are the default of transformers."""
    cut = ("many outputs are cut before their end: raise generation_max_length", "9 of 10")
    for length, warned in [(20, [cut]), (40, [])]:
        with sari.collect_warnings() as collected:
            with_function(dataset, generation_max_length=length).evaluate()
        assert about_training(collected) == warned


def test_a_token_that_the_tokenizer_lacks(sari, tokenizer, dataset):
    """The tokenizer of the Trainer had one more."""
    evaluated = rows_of(dataset, tokenizer, range(10))
    evaluated.predictions[:, 2] = len(tokenizer)
    with sari.collect_warnings() as collected:
        sari.compute_metrics(tokenizer, dataset)(evaluated)
    assert about_training(collected) == [
        ("outputs have ids that the tokenizer lacks: give the one of the Trainer", "10 of 10")
    ]


def test_labels_of_another_tokenizer_are_refused(sari, tokenizer, dataset):
    """It has as many tokens."""
    other = make_tokenizer(texts=[text[::-1] for text in SOURCES])
    assert len(other) == len(tokenizer)
    with pytest.raises(
        ValueError, match=r"^labels of dataset: got \d+% of ids in a reference of the same row, expected"
    ):
        sari.compute_metrics(other, dataset)
    sari.compute_metrics(tokenizer, make_dataset(tokenizer, references=[row[1:] for row in REFERENCES]))


def test_the_vocabulary_is_not_asked_for_by_row(tokenizer, with_function, dataset, monkeypatch):
    trainer, calls = with_function(dataset), []
    ask = type(tokenizer).get_vocab
    monkeypatch.setattr(type(tokenizer), "get_vocab", lambda own: calls.append(own) or ask(own))
    trainer.evaluate()
    assert len(calls) < 2


def test_rows_of_other_sets_are_refused(dataset, with_function):
    with pytest.raises(ValueError, match=r"^label_ids\[1\]: got 'The .*', expected those of a row of dataset: the set"):
        with_function(dataset.select([0]), None).evaluate(dataset)


ROW = {"labels": make_tokenizer()("a")["input_ids"], "input_ids": [6, 1], "source": "a b", "references": ["a"]}
OTHER = {**ROW, "source": "c"}
BAD_DATA = [
    ({"dataset": [{"labels": [5]}]}, r"dataset: got a row with \['labels'\], expected columns \['labels', 'source'"),
    ({"sources": "text"}, r"dataset: got a row with .*, expected columns \['labels', 'text', 'references'\]"),
    ({"sources": SOURCES}, r"sources: got .*, expected the name of a column of dataset$"),
    ({"dataset": 5}, r"dataset: got 5, expected a data set, or several of them"),
    ({"dataset": [{**ROW, "source": None}]}, r"sources\[0\]: got a missing value"),
    ({"dataset": [{**ROW, "references": []}]}, r"references\[0\]: got no reference"),
    ({"dataset": [ROW, OTHER]}, r"dataset\[1\]: got the labels and input_ids of another row, with other texts, e"),
    ({"dataset": {"x": [ROW], "y": [OTHER]}}, r"dataset\['y'\]\[0\]: got the labels and input_ids of another row"),
    ({"dataset": [{**ROW, "labels": [5, 400]}]}, r"tokenizer: got 400 tokens, and label ids up to 400 in dataset"),
    ({"tokenizer": "t5-small"}, r"tokenizer: got str, expected a tokenizer of transformers"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_DATA)
def test_data_that_are_refused(sari, tokenizer, arguments, message):
    with pytest.raises(ValueError, match=f"^{message}") as error:
        sari.compute_metrics(**{"tokenizer": tokenizer, "dataset": [ROW], **arguments})
    assert len(str(error.value)) <= 200


@pytest.mark.parametrize(("beginning", "warned"), [("", []), ("他去年", ["TrainingWarning"])])
def test_a_tokenizer_that_changes_the_texts(sari, tokenizer, beginning, warned):
    references = [[beginning + text for text in row] for row in REFERENCES]
    with sari.collect_warnings() as collected:
        sari.compute_metrics(tokenizer, make_dataset(tokenizer, references=references))
    assert [type(warning).__name__ for warning in collected] == warned


def test_pickling(sari, dataset, with_function):
    trainer = with_function(dataset)
    before = of_evaluation(trainer.evaluate())
    trainer.compute_metrics = pickle.loads(pickle.dumps(trainer.compute_metrics))
    assert of_evaluation(trainer.evaluate()) == before
    reward = sari.reward(unit=False, name="r")
    again, given = pickle.loads(pickle.dumps(reward)), {"source": SOURCES, "references": REFERENCES}
    assert (again(completions=OUTPUTS, **given), again.__name__) == (reward(completions=OUTPUTS, **given), "r")


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
    alone = [[2, found] for _, found in two_processes.scores(tmp_path)]
    found = (tmp_path / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, found)) == [alone] * 2


# ---- Attached texts --------------------------------------------------------------------------------------------------


def asked(source):
    return [{"role": "user", "content": source}]


@pytest.fixture(scope="module")
def rows():
    return make_causal_dataset(make_tokenizer())


@pytest.fixture(scope="module")
def texts():
    """Return what `make_llama` generates for the prompts, one by one."""
    tokenizer = make_tokenizer()
    found = generated(make_llama(tokenizer), tokenizer, PROMPTS, **SHORT)
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


def test_an_encoder_decoder_that_also_has_a_function(sari, tokenizer, t5, dataset, tmp_path):
    given = {"compute_metrics": lambda evaluated: {"rows": len(evaluated.label_ids)}, **GENERATES}
    trainer = make_trainer(tmp_path, tokenizer, t5, dataset, **given)
    sari.with_options(max_order=2).attach(trainer, **TEXTS, generation_kwargs=SHORT)
    with sari.collect_warnings():  # It learned to read prompts.
        metrics = trainer.evaluate()
    assert of_evaluation(metrics) == expected_scores(sari, generated(t5, tokenizer, SOURCES, **SHORT), max_order=2)
    assert metrics["eval_rows"] == 10


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
    found, common = [], {"kind": Trainer, **EACH_STEP, "logging_steps": 1}
    for options in (None, {}, {"generation_kwargs": {"do_sample": True, **SHORT}}):
        trainer = make_trainer(tmp_path, tokenizer, make_llama(tokenizer), rows, **common)
        trainer = trainer if options is None else attached(trainer, **options)
        trainer.train()
        losses = [entry[name] for entry in trainer.state.log_history for name in ("loss", "eval_loss") if name in entry]
        states = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
        found.append((losses, states, [parameter.tolist() for parameter in trainer.model.parameters()]))
    assert len(losses) == 4
    assert found[0] == found[1] == found[2]


def test_the_set_whose_evaluations_have_the_scores(sari, rows, texts, attached):
    sets, wanted = {"news": rows, "web": rows.select([0])}, r"expected a set of the Trainer: \['news', 'web'\]"
    trainer = attached(dataset=sets, evaluation_set="news")
    metrics = trainer.evaluate()
    assert of_evaluation(metrics, "eval_news") == expected_scores(sari, texts)
    assert "eval_web_sari" not in metrics
    for name in (None, "books"):
        with pytest.raises(ValueError, match=f"^evaluation_set: got {name}, {wanted}"):
            attached(trainer, evaluation_set=name)
    trainer = attached()
    with pytest.raises(ValueError, match=r"^evaluation_set: got news, expected a set of the Trainer: \[None\]"):
        attached(trainer, evaluation_set="news")
    trainer.eval_dataset = sets
    with pytest.raises(ValueError, match=f"^evaluation_set: got None, {wanted}"):
        trainer.evaluate()


def test_scores_are_of_the_texts_whatever_is_evaluated(sari, rows, texts, attached):
    trainer = attached()
    assert of_evaluation(trainer.evaluate(rows.select([0]))) == expected_scores(sari, texts)
    for metrics in (trainer.evaluate(metric_key_prefix="test"), trainer.predict(rows).metrics):
        assert not [name for name in metrics if name.endswith("_sari")]
    with pytest.raises(
        ValueError, match=r"^metrics: got eval_sari, eval_keep, eval_delete, eval_add already, expected"
    ):
        attached(trainer).evaluate()


def test_a_chat_whose_answer_is_begun(sari, tokenizer, attached):
    begun, template = {"role": "assistant", "content": "So:"}, {"thinking": True, "continue_final_message": True}
    options = {"chat_template_kwargs": template, "postprocess": lambda text: text[3:]}
    trainer = attached(prompts=lambda source: [*asked(source), begun], **options)
    prompts = [f"[think][user] {source} [assistant] So:" for source in SOURCES]
    texts = [text[3:] for text in generated(trainer.model, tokenizer, prompts, **SHORT)]
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


def test_no_second_beginning(rows, attached, tmp_path):
    """Prompts may begin with the token that the tokenizer adds, too."""
    tokenizer = make_tokenizer(begins=True)
    trainer = make_trainer(tmp_path, tokenizer, make_llama(tokenizer), {"one": rows, "other": rows}, kind=Trainer)
    for name, prompt in (("one", PROMPT), ("other", f"{tokenizer.bos_token}{PROMPT}")):
        attached(trainer, prompts=prompt.format, evaluation_set=name)
    metrics = trainer.evaluate()
    assert of_evaluation(metrics, "eval_one") == of_evaluation(metrics, "eval_other")


def test_token_ids_are_prompts(sari, tokenizer, texts, attached):
    ids = tokenizer(PROMPTS, add_special_tokens=False)["input_ids"]
    assert of_evaluation(attached(prompts=ids).evaluate()) == expected_scores(sari, texts)


@pytest.mark.parametrize("size", [1, 3, 9])
def test_scores_do_not_depend_on_the_batch_size(sari, texts, attached, size):
    assert of_evaluation(attached(batch_size=size).evaluate()) == expected_scores(sari, texts)


@pytest.mark.parametrize("made", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_trainer_evaluates_its_own_model(sari, tokenizer, texts, attached, made):
    trainer = attached()
    again = made(trainer)
    again.model = make_llama(tokenizer, initializer_range=0.5)
    other = generated(again.model, tokenizer, PROMPTS, **SHORT)
    with sari.collect_warnings():
        assert of_evaluation(again.evaluate()) == expected_scores(sari, other)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


#: Arguments of `generate`, and those that generate the same prompt by prompt.
GENERATION = {
    "one to sample from": ({**SHORT, "do_sample": True, "top_k": 1}, SHORT),
    "more than tokens": ({**SHORT, "return_dict_in_generate": True, "output_scores": True}, SHORT),
    "stop_strings": ({**SHORT, "stop_strings": ["."]}, {**SHORT, "stop_strings": ["."]}),
    "no length": ({}, {"max_new_tokens": 128}),
}
#: What the model's own configuration says, which holds unless it is about sampling and length.
OWN = {"do_sample": True, "temperature": 9.0, "num_beams": 3, "min_new_tokens": 30, "forced_bos_token_id": 7}


@pytest.mark.filterwarnings("ignore:`do_sample` is set to `False`")
@pytest.mark.parametrize("name", GENERATION)
def test_arguments_of_generate(sari, tokenizer, attached, name):
    given, same = GENERATION[name]
    same = {**same, "tokenizer": tokenizer} if name == "stop_strings" else same
    trainer = attached(generation_kwargs=given)
    trainer.model.generation_config.update(do_sample=True, temperature=9.0)
    texts = generated(trainer.model, tokenizer, PROMPTS, **same)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


@pytest.mark.filterwarnings("ignore:`do_sample` is set to `False`")
def test_the_configuration_of_the_model_holds(sari, tokenizer, t5, dataset, tmp_path):
    model = copy.deepcopy(t5)
    model.generation_config.update(**OWN)
    trainer = make_trainer(tmp_path, tokenizer, model, dataset)
    sari.attach(trainer, **TEXTS, prompts="simplify: {}".format, generation_kwargs=SHORT)
    texts = generated(model, tokenizer, [f"simplify: {source}" for source in SOURCES], **SHORT)
    with sari.collect_warnings():
        assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


def test_sampling_is_what_is_asked_for(sari, texts, attached):
    trainer = attached(generation_kwargs={**SHORT, "do_sample": True, "temperature": 9.0})
    with sari.collect_warnings():
        assert of_evaluation(trainer.evaluate())["sari"] < expected_scores(sari, texts)["sari"] - 20


def test_attached_texts_that_are_cut_give_a_warning(sari, attached):
    with sari.collect_warnings() as collected:
        attached(generation_kwargs={"max_new_tokens": 12}).evaluate()
    assert about_training(collected) == [
        ("many outputs are cut before their end: raise max_new_tokens in generation_kwargs", "10 of 10")
    ]


SEVERAL = {"num_beams": 2, "num_return_sequences": 2}
ANSWERED = [*asked("a"), {"role": "assistant", "content": "b"}]
BAD_OPTIONS = [
    ({"sources": [], "references": []}, r"sources: got no rows, expected at least one"),
    ({"references": LABELS[1:]}, r"references: got 9 rows, expected 10 \(as in sources\)"),
    ({"batch_size": 0}, r"batch_size: got 0, expected a whole number of at least 1"),
    (
        {"prompts": lambda _: ANSWERED},
        r"prompts\[0\]: got a chat that ends with an answer, exp",
    ),
    ({"prompts": 5}, r"prompts: got 5, expected a list, or a function from a source to a prompt"),
    ({"prompts": ["a"]}, r"prompts: got 1 rows, expected 10 \(as in sources\)"),
    ({"prompts": lambda _: 5}, r"prompts\[0\]: got 5, expected a str, a list of messages, or token ids"),
    ({"postprocess": lambda _: None}, r"postprocess\[0\]: got a missing value"),
    ({"prompts": None}, r"prompts: got None, expected what the model continues, such as"),
    ({"generation_kwargs": {"max_new_tokens": 2000}}, r"prompts\[\d\]: got \d+ tokens, expected at most 48: the model"),
    ({"generation_kwargs": {"max_length": 75}}, r"generation_kwargs: got max_length, expected max_new_tokens"),
    ({"generation_kwargs": {"min_length": 75}}, r"generation_kwargs: got min_length, expected min_new_tokens"),
    ({"generation_kwargs": {"generation_config": GenerationConfig()}}, r"generation_kwargs: got generation_config, ex"),
    ({"generation_kwargs": SEVERAL}, r"generation_kwargs: got 6 texts for 3 prompts, expected one each"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_options_that_are_refused(attached, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
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
    columns = {"complex": SOURCES[:3], "simple": REFERENCES[:3]}
    scores = [expected_scores(sari, OUTPUTS, [row])["sari"] / (100 if unit else 1) for row in range(3)]
    names = {"source": "complex", "references": "simple", "unit": unit}
    reward = sari.reward(**names)
    assert reward(prompts=["?"] * 3, completions=OUTPUTS[:3], trainer_state=None, **columns) == scores
    for content in (str, lambda text: [{"type": "text", "text": text}]):
        chats = [[{"role": "assistant", "content": content(text)}] for text in OUTPUTS[:3]]
        assert reward(completions=chats, **columns) == scores
    thought = sari.reward(**names, postprocess=lambda text: text.partition("</think>")[2])
    assert thought(completions=[f"<think>Hm.</think>\n{text}" for text in OUTPUTS[:3]], **columns) == scores


PART = r"completions\[0\]: got .* parts with text$"
BAD_COMPLETIONS = [
    ({"source": None}, r"reward: got columns references, expected also 'source'$"),
    ({"source": [5]}, r"sources\[0\]: got int"),
    ({"completions": ["a", "b"]}, r"source: got 1 rows, expected 2 \(as in completions\)$"),
    ({"references": [["a"], ["b"]]}, r"references: got 2 rows, expected 1 \(as in completions\)$"),
    ({"completions": [5]}, r"completions\[0\]: got 5, expected a str or a list of messages$"),
    ({"completions": [[{"role": "assistant", "content": 5}]]}, PART),
    ({"completions": [[{"role": "assistant", "content": ["a"]}]]}, PART),
    ({"completions": [[{"role": "assistant", "content": [{"text": "a"}, {"text": None}]}]]}, PART),
]


@pytest.mark.parametrize(("given", "message"), BAD_COMPLETIONS)
def test_completions_and_columns_that_cannot_be_scored(sari, given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        sari.reward()(**{"completions": ["a"], "source": ["a"], "references": [["a"]], **given})


@pytest.mark.parametrize("none", [None, [], [None]])
def test_rows_without_references_get_no_reward(sari, none):
    reward = sari.reward()
    every = reward(completions=LABELS, source=SOURCES, references=[[*row, None] for row in REFERENCES])
    some = {"source": [None, *SOURCES[1:]], "references": [none, *REFERENCES[1:9], none]}
    assert reward(completions=LABELS, **some) == [None, *every[1:9], None]
    single = reward(completions=OUTPUTS, source=SOURCES, references=[None, *LABELS[1:]])
    assert single == reward(completions=OUTPUTS, source=SOURCES, references=[None, *([text] for text in LABELS[1:])])
