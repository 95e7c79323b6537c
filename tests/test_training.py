"""The function in real Trainers that generate: the scores of the texts, or a refusal in one line. And the reward."""

import json
import os
import pickle
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import two_processes
from conftest import ROOT, TESTS
from datasets import Dataset, concatenate_datasets
from tiny_trainers import (
    OUTPUTS,
    REFERENCES,
    SOURCES,
    expected_scores,
    generated,
    make_dataset,
    make_llama,
    make_t5,
    make_tokenizer,
    make_trainer,
    of_evaluation,
)
from transformers import Trainer

GENERATES = {"predict_with_generate": True, "generation_max_length": 18}
INPUTS = {"include_for_metrics": ["inputs"]}
LABELS = [row[0] for row in REFERENCES]
SOME = [7, 2, 5]


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture(scope="module")
def dataset(tokenizer):
    return make_dataset(tokenizer)


@pytest.fixture(scope="module")
def model(tokenizer):
    return make_t5(tokenizer)


@pytest.fixture(scope="module")
def texts(tokenizer, model):
    found = generated(model, tokenizer, [f"simplify: {source}" for source in SOURCES], max_length=18)
    assert len(set(found)) > 5
    return found


#: What is evaluated of `dataset`, its rows, and training arguments.
WAYS = {
    "all": (lambda rows: rows, range(10), {}),
    "shuffled": (lambda rows: rows.shuffle(seed=1), range(10), {}),
    "subset": (lambda rows: rows.select(SOME), SOME, {}),
    "drop_last": (lambda rows: rows, range(9), {"dataloader_drop_last": True}),
    "group_by_length": (lambda rows: rows, range(10), {"train_sampling_strategy": "group_by_length"}),
    "stream": (lambda rows: rows.to_iterable_dataset(), range(10), {}),
    "columns removed": (lambda rows: rows.select_columns(["input_ids", "labels"]), range(10), {}),
    "a list": (lambda rows: rows.to_list(), range(10), {"remove_unused_columns": True}),
}


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("way", WAYS)
def test_rows_are_found_whatever_is_evaluated(sari, dataset, model, texts, tmp_path, way, side):
    tokenizer = make_tokenizer()
    tokenizer.padding_side = side
    change, rows, arguments = WAYS[way]
    trainer = make_trainer(
        tmp_path, tokenizer, model, dataset, sari.compute_metrics(tokenizer, dataset), **arguments, **GENERATES
    )
    evaluated = change(dataset)
    found = [of_evaluation(trainer.evaluate(evaluated)) for _ in range(2)]
    assert found == [expected_scores(sari, texts, rows)] * 2


def test_sets_by_name_or_in_a_list(sari, tokenizer, dataset, model, texts, tmp_path):
    """Rows are of the set that has them; two sets may share rows, and sources with other labels."""
    others = make_dataset(tokenizer, [row[1] for row in REFERENCES]).map(
        lambda row: {"references": row["references"][1:]}
    )
    sets = {"both": dataset, "part": dataset.select(SOME), "second": others}
    for given in (sets, list(sets.values())):
        trainer = make_trainer(tmp_path, tokenizer, model, sets, sari.compute_metrics(tokenizer, given), **GENERATES)
        metrics = trainer.evaluate()
        assert of_evaluation(metrics, "eval_both") == expected_scores(sari, texts)
        assert of_evaluation(metrics, "eval_part") == expected_scores(sari, texts, SOME)
        second = sari.compute(
            sources=SOURCES, predictions=texts, references=[row[1:] for row in REFERENCES], variant="easse"
        )
        assert of_evaluation(metrics, "eval_second") == second


@pytest.mark.parametrize("labels", [["Same."] * 10, [""] * 10, [f"Number {row // 2}." for row in range(10)]])
def test_rows_with_the_same_labels_are_known_by_their_inputs(sari, tokenizer, model, texts, tmp_path, labels):
    rows = make_dataset(tokenizer, labels)
    trainer = make_trainer(tmp_path, tokenizer, model, rows, sari.compute_metrics(tokenizer, rows), **GENERATES)
    with pytest.raises(ValueError, match=r'^label_ids\[0\]: got .*, expected include_for_metrics=\["inputs"\] in'):
        trainer.evaluate()
    trainer.args.include_for_metrics = ["inputs"]
    assert of_evaluation(trainer.evaluate(rows.select(SOME))) == expected_scores(sari, texts, SOME)


class Generating(Trainer):
    """A Trainer of a language model that generates from prompts; labels are answers only."""

    def prediction_step(self, model, inputs, *_, **__):
        ids, mask = inputs["input_ids"], inputs["attention_mask"]
        made = model.generate(input_ids=ids, attention_mask=mask, max_new_tokens=12, do_sample=False, pad_token_id=0)
        return None, made[:, ids.shape[1] :], inputs["labels"]


def test_a_language_model_with_a_prediction_step_of_its_own(sari, tmp_path):
    tokenizer = make_tokenizer()
    tokenizer.padding_side = "left"
    llama, prompts = make_llama(tokenizer), [f"Simplify: {source} Simple:" for source in SOURCES]
    ids = [row[:-1] for row in tokenizer(prompts)["input_ids"]]
    columns = {"input_ids": ids, "labels": tokenizer(LABELS)["input_ids"], "complex": SOURCES, "simple": LABELS}
    rows = Dataset.from_dict({**columns, "attention_mask": [[1] * len(row) for row in ids]})
    scorer = sari.with_options(max_order=2)
    function = scorer.compute_metrics(tokenizer, rows, sources="complex", references="simple", postprocess=str.lower)
    trainer = make_trainer(tmp_path, tokenizer, llama, rows, function, kind=Generating)
    texts = list(map(str.lower, generated(llama, tokenizer, prompts, max_new_tokens=12)))
    expected = sari.compute(sources=SOURCES, predictions=texts, references=LABELS, variant="easse", max_order=2)
    assert of_evaluation(trainer.evaluate()) == expected


def test_equal_rows_count_as_often_as_the_set_has_them(sari, tokenizer, dataset, model, texts, tmp_path):
    twice = concatenate_datasets([dataset, dataset.select(SOME)])
    trainer = make_trainer(tmp_path, tokenizer, model, twice, sari.compute_metrics(tokenizer, twice), **GENERATES)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts, [*range(10), *SOME])


#: Training arguments, what is evaluated of `dataset`, and the refusal.
REFUSED = [
    (
        {"predict_with_generate": False},
        "all",
        r"predictions: got tuple of shape \(\), expected token ids of 10 rows: pred",
    ),
    ({"batch_eval_metrics": True}, "all", r"batch_eval_metrics: got True, expected False, which is the default"),
    ({"eval_do_concat_batches": False}, "all", r"eval_do_concat_batches: got False, expected True"),
    (
        {},
        "stranger",
        r"label_ids\[1\]: got 'He was.*', expected those of a row of dataset: the set that the Tr",
    ),
    (
        {"generation_num_beams": 2},
        "twice",
        r"predictions: got ndarray of shape \(20, 20\), expected token ids of 10 rows",
    ),
]


@pytest.mark.parametrize(("arguments", "evaluated", "message"), REFUSED)
def test_what_is_refused_in_an_evaluation(sari, tokenizer, dataset, model, tmp_path, arguments, evaluated, message):
    trainer = make_trainer(
        tmp_path, tokenizer, model, dataset, sari.compute_metrics(tokenizer, dataset), **{**GENERATES, **arguments}
    )
    stranger = Dataset.from_dict(tokenizer(["simplify: Something."], text_target=["He was something else."]))
    rows = concatenate_datasets([dataset.select([0]), stranger]) if evaluated == "stranger" else dataset
    with pytest.raises(ValueError, match=f"^{message}") as error:
        trainer.evaluate(rows, **({"num_return_sequences": 2} if evaluated == "twice" else {}))
    assert len(str(error.value)) <= 200


ROW = {"labels": [5, 1], "input_ids": [6, 1], "source": "a b", "references": ["a"]}
BAD_DATA = [
    (
        {"dataset": [{"labels": [5]}]},
        r"dataset: got a row with \['labels'\], expected columns \('labels', 'source', 'refer",
    ),
    (
        {"dataset": [ROW], "sources": "text"},
        r"dataset: got a row with .*, expected columns \('labels', 'text', 'references'\)",
    ),
    ({"dataset": [ROW], "sources": SOURCES}, r"dataset: got a row with .*, expected columns \('labels', \["),
    ({"dataset": 5}, r"dataset: got 5, expected a data set, or several of them"),
    ({"dataset": [{**ROW, "source": None}]}, r"sources\[0\]: got NoneType, expected str"),
    ({"dataset": [{**ROW, "references": []}]}, r"references\[0\]: got no reference"),
    (
        {"dataset": [ROW, {**ROW, "source": "c"}]},
        r"dataset\[1\]: got the labels and input_ids of another row, with other",
    ),
    ({"dataset": {"x": [ROW], "y": [{**ROW, "source": "c"}]}}, r"dataset\['y'\]\[0\]: got the labels and input_ids"),
    (
        {"dataset": [{**ROW, "labels": [5, 400]}]},
        r"tokenizer: got 400 tokens, and label ids up to 400 in dataset\[0\], exp",
    ),
    ({"tokenizer": "t5-small"}, r"tokenizer: got str, expected a tokenizer of transformers"),
    ({"postprocess": lambda _: None}, r"postprocess\[0\]: got NoneType, expected str"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_DATA)
def test_what_is_refused_at_once(sari, tokenizer, arguments, message):
    with pytest.raises(ValueError, match=f"^{message}") as error:
        sari.compute_metrics(**{"tokenizer": tokenizer, "dataset": [ROW], **arguments})
    assert len(str(error.value)) <= 200


def test_a_tokenizer_that_changes_the_texts(sari, tokenizer, dataset):
    spelled = dataset.map(lambda row: {"references": [" ".join(text) for text in row["references"]]})
    unknown = dataset.map(lambda row: {"references": [f"他去年{text}" for text in row["references"]]})
    for rows, wanted in ((dataset, 0), (spelled, 0), (unknown, 1)):
        with sari.collect_warnings() as collected:
            sari.compute_metrics(tokenizer, rows)
        found = [warning for warning in collected if type(warning).__name__ == "TrainingWarning"]
        assert len(found) == wanted
    assert "他去年" in found[0].detail


def test_sources_and_references_are_counted_once(sari, tokenizer, dataset, monkeypatch):
    """However often the same rows are evaluated in the same order."""
    module, made = sys.modules[type(sari.reward()).__module__], []
    monkeypatch.setattr(module, "Prepared", lambda *given, make=module.Prepared: made.append(given) or make(*given))
    function = sari.compute_metrics(tokenizer, dataset)
    ids = np.array([[5, 1]] * 10)
    labels = [
        np.array([row + [-100] * (80 - len(row)) for row in dataset["labels"]])[rows] for rows in (range(10), SOME)
    ]
    for part in (*labels, *labels[:1]):
        function(SimpleNamespace(predictions=ids[: len(part)], label_ids=part))
    assert [len(sources) for _, sources, _ in made] == [10, 3, 10]
    function(SimpleNamespace(predictions=ids, label_ids=labels[0]))
    assert len(made) == 3


def test_pickling(sari, tokenizer, dataset, model, tmp_path):
    function = sari.compute_metrics(tokenizer, dataset, postprocess=str.lower)
    trainer = make_trainer(tmp_path, tokenizer, model, dataset, function, **GENERATES)
    before = of_evaluation(trainer.evaluate())
    trainer.compute_metrics = pickle.loads(pickle.dumps(function))
    assert of_evaluation(trainer.evaluate()) == before
    reward, given = (
        sari.reward(unit=False, name="r"),
        {"completions": OUTPUTS, "source": SOURCES, "references": REFERENCES},
    )
    again = pickle.loads(pickle.dumps(reward))
    assert (again(**given), again.__name__) == (reward(**given), "r")


# ---- The reward ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [False, True])
def test_the_reward_is_the_score_of_each_completion_alone(sari, unit):
    rows = [0, 0, 3, 0, 5, 3]
    texts = [REFERENCES[row][place % 2] for place, row in enumerate(rows)]
    columns = {"complex": [SOURCES[row] for row in rows], "simple": [REFERENCES[row] for row in rows]}
    scores = [
        sari.compute(sources=[source], predictions=[text], references=[own], variant="easse")["sari"]
        for source, text, own in zip(columns["complex"], texts, columns["simple"], strict=True)
    ]
    expected = [score / 100 for score in scores] if unit else scores
    names = {"source": "complex", "references": "simple", "unit": unit}
    reward = sari.reward(**names)
    assert reward(prompts=["?"] * 6, completions=texts, trainer_state=None, **columns) == expected
    for content in (str, lambda text: [{"type": "text", "text": text}]):
        chats = [[{"role": "assistant", "content": content(text)}] for text in texts]
        assert reward(completions=chats, **columns) == expected
    thought = sari.reward(**names, postprocess=lambda text: text.rpartition("</think>")[2].strip())
    assert thought(completions=[f"<think>Hm.</think>\n{text}" for text in texts], **columns) == expected


@pytest.mark.filterwarnings("ignore:the variant gives a delete score of 100:UserWarning")
def test_the_name_of_a_reward_is_its_variant_unless_it_has_another(sari):
    for variant in ("hf", "xu2016"):
        assert sari.with_options(variant=variant).reward().__name__ == f"sari_{variant}"
    assert (sari.reward().__name__, sari.reward(name="keep_it").__name__) == ("sari_easse", "keep_it")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"source": None}, r"^reward: got columns references, expected also 'source'$"),
        ({"completions": [5]}, r"^completions\[0\]: got 5, expected a str or a list of messages$"),
        ({"source": [5]}, r"^sources\[0\]: got int"),
        ({"source": ["a", "b"]}, r"got 1 rows, expected 2|zip"),
        ({"completions": ["a", "b"]}, r"got 2 rows, expected 1"),
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
    with pytest.raises(ValueError, match=message):
        sari.reward()(**{"completions": ["a"], "source": ["a"], "references": [["a"]], **given})


def test_rows_without_references_get_no_reward(sari):
    reward = sari.reward(references="simple")
    every = reward(completions=LABELS, source=SOURCES, simple=REFERENCES)
    for none in (None, [], [None]):
        some = {"source": [None, *SOURCES[1:]], "simple": [none, *REFERENCES[1:9], none]}
        assert reward(completions=LABELS, **some) == [None, *every[1:9], None]
    filled = {"source": SOURCES, "simple": [[*row, None] for row in REFERENCES]}
    assert reward(completions=LABELS, **filled) == every
    single, listed = [None, *LABELS[1:]], [None, *([label] for label in LABELS[1:])]
    assert reward(completions=OUTPUTS, source=SOURCES, simple=single) == reward(
        completions=OUTPUTS, source=SOURCES, simple=listed
    )


# ---- Two processes ---------------------------------------------------------------------------------------------------


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
