"""The compute_metrics function in real Trainers: the scores of the decoded texts, whatever the set-up."""

import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import two_processes
from conftest import ROOT, TESTS
from datasets import concatenate_datasets
from tiny_trainers import (
    NAMED,
    REFERENCES,
    SEGMENTS,
    SOURCES,
    TEXTS,
    decode,
    expected_scores,
    make_causal_dataset,
    make_dataset,
    make_llama,
    make_tokenizer,
    make_trainer,
    of_evaluation,
    output_of_example,
    predictions_of,
)

# Without generation each token is predicted after the right ones.
pytestmark = pytest.mark.filterwarnings("ignore:The scores are of teacher forcing:UserWarning")

SHORT = [row[0].split(",")[0] for row in REFERENCES]
MODES = [{}, {"batch_eval_metrics": True}, {"eval_do_concat_batches": False}]


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture(scope="module")
def dataset(tokenizer):
    return make_dataset(tokenizer)


def checked(trainer):
    """Return the scores of an evaluation, after the check that users are told to make."""
    trainer.compute_metrics.check(trainer)
    return of_evaluation(trainer.evaluate())


@pytest.mark.filterwarnings("ignore:The tokenizer turns:UserWarning")
@pytest.mark.filterwarnings("ignore:.* not tokenized, and are only split at spaces:UserWarning")
@pytest.mark.parametrize(("known", "mode"), [(True, MODES[0]), (False, MODES[0]), (False, MODES[1]), (True, MODES[2])])
def test_generation(sari, tokenizer, dataset, tmp_path, known, mode):
    texts = {"dataset": dataset, **NAMED} if known else TEXTS
    options = {"variant": "xu2016", "tokenize": "none"} if mode else {}
    function = sari.with_options(**options).compute_metrics(tokenizer, **texts, postprocess=lambda text: text[1:])
    trainer = make_trainer(tmp_path, tokenizer, function, **mode)
    found = [checked(trainer), checked(trainer)]
    trainer.args.eval_do_concat_batches = True
    texts = [text[1:] for text in predictions_of(trainer, tokenizer)]
    assert len(set(texts)) > 1
    assert found == [expected_scores(sari, texts, **options)] * 2
    assert all(type(score) is float for score in found[0].values())


@pytest.mark.filterwarnings("ignore:All sources begin with:UserWarning")
@pytest.mark.parametrize(("generate", "mode"), [(True, MODES[0]), (False, MODES[1]), (True, MODES[2])])
def test_without_raw_texts_inputs_and_labels_are_decoded(sari, tokenizer, dataset, tmp_path, generate, mode):
    function = sari.compute_metrics(tokenizer)
    trainer = make_trainer(tmp_path, tokenizer, function, generate=generate, include_for_metrics=["inputs"], **mode)
    found = checked(trainer)
    trainer.args.eval_do_concat_batches, trainer.args.include_for_metrics = True, []
    texts = predictions_of(trainer, tokenizer)
    sources, labels = (
        tokenizer.batch_decode(dataset[name][:], skip_special_tokens=True) for name in ("input_ids", "labels")
    )
    assert found == expected_scores(sari, texts, sources, labels)
    trainer.compute_metrics = sari.compute_metrics(tokenizer, references=REFERENCES)
    wanted = r'^sources: got none and no inputs, expected sources, or include_for_metrics=\["inputs"\]'
    for attempt in (trainer.compute_metrics.check, lambda trainer: trainer.evaluate()):
        with pytest.raises(ValueError, match=wanted):
            attempt(trainer)


@pytest.mark.filterwarnings("ignore:Logits fill the memory:UserWarning")
@pytest.mark.parametrize(("reduced", "batch_size"), [(True, 1), (True, 4), (False, 4)])
def test_logits(sari, tokenizer, tmp_path, reduced, batch_size):
    # A T5 answers with a tuple: logits and the encoder's states. The score must not depend on how rows are padded.
    function = sari.compute_metrics(tokenizer, **TEXTS)
    trainer = make_trainer(tmp_path, tokenizer, function, generate=False, per_device_eval_batch_size=batch_size)
    model, texts = trainer.model.eval(), []
    for row in trainer.eval_dataset:
        with torch.no_grad():
            names = ("input_ids", "attention_mask", "labels")
            logits = model(**{name: torch.tensor([row[name]]) for name in names}).logits
        texts += decode(tokenizer, logits.argmax(-1))
    if not reduced:
        trainer.preprocess_logits_for_metrics = None
    assert checked(trainer) == expected_scores(sari, texts)
    kept = trainer.predict(trainer.eval_dataset).predictions
    assert (kept.dtype == np.int64) if reduced else isinstance(kept, tuple)


# ---- Which rows are scored -------------------------------------------------------------------------------------------


def test_sets_of_the_same_sources(sari, tokenizer, tmp_path):
    """References of two kinds for the same rows, as ASSET and TurkCorpus have them: labels tell the sets apart."""
    references = {name: [row[place:] for row in REFERENCES] for place, name in enumerate(["asset", "turk"])}
    sets = {name: make_dataset(tokenizer, references=rows) for name, rows in references.items()}
    function = sari.compute_metrics(tokenizer, dataset=sets, **NAMED)
    trainer = make_trainer(tmp_path, tokenizer, function, eval_dataset=sets)
    function.check(trainer)
    texts = predictions_of(trainer, tokenizer, sets["asset"])
    expected = {name: expected_scores(sari, texts, references=rows) for name, rows in references.items()}
    part = expected_scores(sari, texts[:7], SOURCES[:7], references["asset"][:7])
    with sari.collect_warnings() as collected:
        metrics = trainer.evaluate()
        assert {name: of_evaluation(metrics, f"eval_{name}") for name in expected} == expected
        assert of_evaluation(trainer.evaluate("turk")) == expected["turk"]
        # Neither names nor variables choose the set.
        for prefix in ("eval_turk", "trained_on_turk"):
            metrics = trainer.evaluate(sets["asset"], metric_key_prefix=prefix)
            assert of_evaluation(metrics, prefix) == expected["asset"]
        assert (
            of_evaluation(trainer.predict(sets["asset"], metric_key_prefix="turk").metrics, "turk") == expected["asset"]
        )

        test_dataset = eval_dataset = sets["turk"]
        assert of_evaluation(trainer.evaluate(sets["asset"].select(range(7)))) == part
        assert test_dataset is eval_dataset
    assert [str(warning) for warning in collected if type(warning).__name__ == "TrainingWarning"] == [
        "Only 7 of 10 rows of asset were evaluated, and only they are scored."
    ]


def test_rows_that_cannot_be_told_apart_are_refused(sari, tokenizer, dataset):
    others = make_dataset(tokenizer, references=[[*row, "Same."] for row in REFERENCES])
    twice = concatenate_datasets([dataset, others])
    got = "dataset: got the labels and inputs of another row, with other texts, in "
    for given, message in [
        ({"one": dataset, "other": others}, rf"{got}other\[0\], expected other labels, or a function for each set"),
        (twice, rf"{got}\[10\], expected other labels"),
        (twice.remove_columns("input_ids"), r"dataset: got the labels of .* in \[10\], expected a column 'input_ids'"),
    ]:
        with pytest.raises(ValueError, match=f"^{message}"):
            sari.compute_metrics(tokenizer, dataset=given, **NAMED)
    same = sari.compute_metrics(tokenizer, dataset={"one": dataset, "other": dataset.select(range(3))}, **NAMED)
    assert isinstance(same.dataset, dict)


def test_check_forgets_what_was_interrupted(sari, tokenizer, dataset, tmp_path):
    function = sari.compute_metrics(tokenizer, dataset={"first": dataset, "second": dataset.select([0])}, **NAMED)
    trainer = make_trainer(tmp_path, tokenizer, function, eval_dataset={"first": dataset}, batch_eval_metrics=True)
    batch = next(iter(trainer.get_eval_dataloader("first")))["labels"]
    function(SimpleNamespace(predictions=batch, label_ids=batch), compute_result=False)
    function.check(trainer)
    texts = predictions_of(make_trainer(tmp_path, tokenizer), tokenizer)
    assert of_evaluation(trainer.evaluate(), "eval_first") == expected_scores(sari, texts)


def test_a_set_without_length(sari, tokenizer, dataset, tmp_path):
    function = sari.compute_metrics(tokenizer, dataset=dataset, **NAMED)
    trainer = make_trainer(tmp_path, tokenizer, function)
    trainer.eval_dataset = dataset.to_iterable_dataset()
    assert checked(trainer) == expected_scores(sari, predictions_of(trainer, tokenizer, dataset))


@pytest.mark.parametrize("metric", ["news_sari", "eval_eval_sari", "sari_sari"])
def test_scores_that_no_set_has(sari, tokenizer, tmp_path, metric):
    function = sari.compute_metrics(tokenizer, **TEXTS)
    trainer = make_trainer(tmp_path, tokenizer, function, metric_for_best_model=metric)
    with pytest.raises(ValueError, match=f"^metric_for_best_model: got {metric}, expected sari$"):
        function.check(trainer)
    for name in ("sari", "eval_keep", "loss", "overadd"):
        trainer.args.metric_for_best_model = name
        function.check(trainer)
    trainer.compute_metrics, trainer.args.metric_for_best_model = lambda evaluated: function(evaluated), metric
    function.check(trainer)  # Another function may rename the scores.
    trainer.compute_metrics = None
    with pytest.raises(ValueError, match=r"^compute_metrics: got none in the Trainer, expected this function$"):
        function.check(trainer)


def test_the_check_tells_kinds_of_models_apart(sari, tokenizer, dataset, tmp_path):
    """Logits of a T5 whose labels begin with -100 are not shifted, though no states of its encoder come with them."""
    rows = dataset.map(lambda row: {"labels": [-100, *row["labels"][1:]]})
    function = sari.compute_metrics(tokenizer, dataset=rows, **NAMED)
    trainer = make_trainer(tmp_path, tokenizer, function, generate=False, eval_dataset=rows)
    logits, labels = np.eye(9)[[[1, 2, 3]]], np.array([[-100, 5, 6]])
    assert function.preprocess_logits_for_metrics(logits, labels).tolist() == [[-100, 1, 2]]
    function.check(trainer)
    assert function.preprocess_logits_for_metrics(logits, labels).tolist() == [[-100, 2, 3]]


@pytest.mark.parametrize("how", ["drop_last", "subset", "shuffled", "group_by_length"])
def test_rows_are_found_by_their_labels(sari, tokenizer, dataset, tmp_path, how):
    arguments = {"drop_last": {"dataloader_drop_last": True}, "group_by_length": {"train_sampling_strategy": how}}
    rows = {"drop_last": range(9), "subset": [7, 2, 5], "shuffled": [*range(5, 10), *range(5)]}.get(how, range(10))
    function = sari.compute_metrics(tokenizer, dataset=dataset, **NAMED)
    evaluated = dataset if how in arguments else dataset.select(rows)
    trainer = make_trainer(tmp_path, tokenizer, function, eval_dataset=evaluated, **arguments.get(how, {}))
    with sari.collect_warnings() as collected:
        found = [checked(trainer), checked(trainer)]
    trainer.args.dataloader_drop_last, trainer.args.train_sampling_strategy = False, "random"
    part = dataset.select(rows)
    expected = expected_scores(sari, predictions_of(trainer, tokenizer, part), part["source"], part["references"])
    assert found == [expected] * 2
    warned = [str(warning) for warning in collected if type(warning).__name__ == "TrainingWarning"]
    few = f"Only {len(rows)} of 10 rows were evaluated, and only they are scored."
    assert warned == ([few] if len(rows) < 10 else [])


@pytest.mark.parametrize(
    ("arguments", "select", "message"),
    [
        (
            {"dataloader_drop_last": True},
            range(10),
            r"^sources: got 10 rows, expected 9 \(as in the evaluation\), or",
        ),
        ({}, range(8), r"^sources: got 10 rows, expected 8 \(as in the evaluation\), or dataset= to score a subset$"),
        ({"train_sampling_strategy": "group_by_length"}, range(10), r"^dataset: got none, expected the evaluation set"),
    ],
    ids=["drop_last", "subset", "order"],
)
def test_rows_in_order_need_the_whole_set(sari, tokenizer, dataset, tmp_path, arguments, select, message):
    function = sari.compute_metrics(tokenizer, **TEXTS)
    trainer = make_trainer(tmp_path, tokenizer, function, eval_dataset=dataset.select(select), **arguments)
    with pytest.raises(ValueError, match=message):
        function.check(trainer)
    if "train_sampling_strategy" not in arguments:
        with pytest.raises(ValueError, match=message):
            trainer.evaluate()


@pytest.mark.filterwarnings("ignore:Only .* rows were evaluated:UserWarning")
@pytest.mark.parametrize(
    ("labels", "mode"), [("equal", MODES[0]), ("shared", MODES[1]), ("empty", MODES[2]), ("equal", MODES[1])]
)
def test_equal_labels(sari, tokenizer, tmp_path, labels, mode):
    """Rows whose labels are not unique are known by their inputs: in part, shuffled, batch by batch."""
    targets = {
        "equal": ["Same."] * SEGMENTS,
        "shared": [SHORT[row // 2] for row in range(SEGMENTS)],
        "empty": [""] * SEGMENTS,
    }
    dataset = make_dataset(tokenizer, labels=targets[labels])
    function = sari.compute_metrics(tokenizer, dataset=dataset, **NAMED)
    trainer = make_trainer(tmp_path, tokenizer, function, eval_dataset=dataset, **mode)
    for attempt in (function.check, lambda trainer: trainer.evaluate()):
        with pytest.raises(
            ValueError, match=r'^label_ids\[\d\]: got .*, expected include_for_metrics=\["inputs"\] in the arg'
        ):
            attempt(trainer)
    trainer.args.include_for_metrics = ["inputs"]
    function.check(trainer)
    texts = predictions_of(make_trainer(tmp_path, tokenizer, model=trainer.model), tokenizer, dataset)
    for rows in (range(5, 10), [3, 1, 8, 0, 9, 2, 7, 4, 6, 5]):
        found = of_evaluation(trainer.evaluate(dataset.select(rows)))
        columns = ([column[row] for row in rows] for column in (texts, SOURCES, REFERENCES))
        assert found == expected_scores(sari, *columns)


def test_rows_of_another_set_are_refused(sari, tokenizer, dataset, tmp_path):
    function = sari.compute_metrics(tokenizer, dataset=dataset.select(range(5)), **NAMED)
    trainer = make_trainer(tmp_path, tokenizer, function)
    for attempt in (function.check, lambda trainer: trainer.evaluate()):
        with pytest.raises(
            ValueError,
            match=r"^label_ids\[5\]: got '\w.*', expected those of a row of dataset: the set as the Trainer gets it$",
        ):
            attempt(trainer)
    trainer.eval_dataset = dataset.select(range(5))
    assert checked(trainer) == expected_scores(sari, predictions_of(trainer, tokenizer), SOURCES[:5], REFERENCES[:5])


@pytest.mark.parametrize(
    ("generate", "how"),
    [(True, "equal and unknown"), (False, "left"), (True, "left"), (False, "multiple"), (True, "masked")],
)
def test_labels_of_any_kind(sari, tmp_path, generate, how):
    """Equal ones in a script that the tokenizer does not know, and such as begin with padding."""
    tokenizer = make_tokenizer()
    equal = ["他去年夏天去了北京。"] * SEGMENTS
    dataset = make_dataset(tokenizer, labels=equal if how == "equal and unknown" else None)
    if how == "masked":
        dataset = dataset.map(lambda row: {"labels": [-100, *row["labels"][1:]]})
    elif how != "equal and unknown":
        tokenizer.padding_side = "left"
    function = sari.compute_metrics(tokenizer, dataset=dataset, **NAMED)
    arguments = {"pad_to_multiple_of": 32} if how == "multiple" else {"include_for_metrics": ["inputs"]}
    trainer = make_trainer(tmp_path, tokenizer, function, generate=generate, eval_dataset=dataset, **arguments)
    trainer.model.generation_config.max_length = 60  # up to which the model's padding follows that of the batch
    with sari.collect_warnings():
        assert checked(trainer) == expected_scores(sari, predictions_of(trainer, tokenizer))


# ---- Decoder-only models ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def llama(tokenizer):
    return make_llama(tokenizer)


@pytest.fixture(scope="module")
def teacher_forced(tokenizer, llama):
    """Return what the model says at each token of the answers, given the right ones before."""
    texts = []
    for row in make_causal_dataset(tokenizer):
        with torch.no_grad():
            ids = llama.eval()(input_ids=torch.tensor([row["input_ids"]])).logits.argmax(-1)
        answer = sum(label != -100 for label in row["labels"])
        texts += decode(tokenizer, ids[:, -answer - 1 : -1])
    return texts


@pytest.mark.parametrize(
    ("causal", "reduced", "mode"), [(True, True, MODES[0]), (None, True, MODES[1]), (None, False, MODES[2])]
)
def test_logits_of_a_decoder_only_model(sari, tokenizer, llama, teacher_forced, tmp_path, causal, reduced, mode):
    for side in ("left", "right"):
        tokenizer.padding_side = side
        dataset = make_causal_dataset(tokenizer)
        function = sari.compute_metrics(tokenizer, dataset=dataset, causal=causal, **NAMED)
        options = {} if reduced else {"preprocess_logits_for_metrics": None}
        arguments = {"model": llama, "eval_dataset": dataset, "generate": False, **options, **mode}
        trainer = make_trainer(tmp_path, tokenizer, function, **arguments)
        with sari.collect_warnings() as collected:
            assert checked(trainer) == expected_scores(sari, teacher_forced)
        warned = [str(warning) for warning in collected if type(warning).__name__ == "TrainingWarning"]
        assert ["Logits fill the memory" in message for message in warned] == ([False] if reduced else [False, True])
        assert warned[0].startswith("The scores are of teacher forcing:")


def make_causal_trainer(folder, tokenizer, llama, function, **options):
    dataset = make_causal_dataset(tokenizer, hidden=options.pop("hidden", True))
    return make_trainer(folder, tokenizer, function, model=llama, eval_dataset=dataset, generate=False, **options)


@pytest.mark.parametrize("causal", [True, None])
def test_prompts_in_labels(sari, tokenizer, llama, tmp_path, causal):
    function = sari.compute_metrics(tokenizer, **TEXTS, causal=causal)
    trainer = make_causal_trainer(tmp_path, tokenizer, llama, function, hidden=False)
    with pytest.raises(ValueError, match=r"^eval_dataset: got labels that hold prompts, expected -100"):
        function.check(trainer)
    if causal:
        with pytest.raises(ValueError, match=r"^label_ids: got labels that do not begin with -100, expected"):
            trainer.evaluate()
    else:
        assert "If it is decoder-only, set the labels of prompts to -100" in warned_of(sari, trainer)


@pytest.mark.parametrize("causal", [True, None])
def test_ids_of_hidden_prompts(sari, tokenizer, llama, tmp_path, causal):
    """What `logits.argmax(-1)` leaves is not aligned with labels."""
    function, argmax = sari.compute_metrics(tokenizer, **TEXTS, causal=causal), lambda logits, _: logits.argmax(-1)
    trainer = make_causal_trainer(tmp_path, tokenizer, llama, function, preprocess_logits_for_metrics=argmax)
    assert "Predictions have tokens where labels are -100" in warned_of(sari, trainer)


def warned_of(sari, trainer):
    """Evaluate, and return what was warned of."""
    with sari.collect_warnings() as collected:
        trainer.evaluate()
    return " ".join(map(str, collected))


def test_what_a_decoder_only_model_does_not_have(sari, tokenizer, llama, tmp_path):
    for causal in (True, None):
        function = sari.compute_metrics(tokenizer, causal=causal)
        trainer = make_causal_trainer(tmp_path, tokenizer, llama, function, include_for_metrics=["inputs"])
        for attempt in (function.check, lambda trainer: trainer.evaluate()):
            with pytest.raises(ValueError, match=r"^sources: got none, expected the raw ones"):
                attempt(trainer)
    function = sari.compute_metrics(tokenizer, **TEXTS, causal=False)
    with pytest.raises(ValueError, match=r"^causal: got False, expected True or None$"):
        function.check(make_causal_trainer(tmp_path, tokenizer, llama, function))
    trainer = make_trainer(tmp_path, tokenizer, function, model=llama)
    with pytest.raises(ValueError, match=r"^predict_with_generate: got True for a decoder-only model, expected sari"):
        function.check(trainer)


# ---- Processes, and the example --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:All sources begin with:UserWarning")
@pytest.mark.filterwarnings("ignore:eval_sari is of the callback's own:UserWarning")
def test_two_processes(tmp_path):
    """The callback and the function score as in one process."""
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


def test_the_example(capsys, monkeypatch, tmp_path):
    """The example runs as it is, with less to learn."""
    output = output_of_example(capsys, monkeypatch, tmp_path, "train.py", "--epochs", "1", "--sentences", "160")
    before, after = map(float, re.search(r"SARI before training (\S+), after (\S+)\n$", output).groups())
    assert after > before
