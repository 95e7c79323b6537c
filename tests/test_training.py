"""SARI as `compute_metrics` of real Trainers and as a reward: scores of what is generated, or a refusal in one line."""

import json
import os
import pickle
import subprocess
import sys
from itertools import zip_longest
from types import SimpleNamespace

import numpy as np
import pytest
import tiny_trainers as tiny
import torch
import two_processes
from conftest import ROOT, TESTS
from datasets import Dataset
from tiny_trainers import LABELS, OUTPUTS, REFERENCES, SOURCES, expected_scores, make_dataset, make_tokenizer
from tokenizers import normalizers
from torch.utils.data import Subset
from transformers import (
    AddedToken,
    EvalPrediction,
    StoppingCriteriaList,
    StopStringCriteria,
    Trainer,
    TrainingArguments,
)
from trl import GRPOConfig, GRPOTrainer

INPUTS = {"include_for_metrics": ["inputs"]}
ALL, SOME = range(10), [7, 2, 5, 5, 5]
DATASET = make_dataset(make_tokenizer())
# Models that know the references by heart cause warnings about texts.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def sari(sari):
    return sari.with_options(variant="easse", max_order=2)


@pytest.fixture(scope="module")
def outputs():
    """Return what the model generates for `DATASET`, one by one."""
    prompts = [f"simplify: {source}" for source in SOURCES]
    texts = tiny.generated(tiny.make_t5(), make_tokenizer(), prompts, max_length=40)
    assert len({*texts, *LABELS}) > 10
    return texts


@pytest.fixture
def with_function(sari, tokenizer, tmp_path):
    """Return a function that makes a Trainer that generates, with the function for its set or for a given one."""

    def make(evaluated=DATASET, given=None, **arguments):
        function = sari.compute_metrics(tokenizer, given or evaluated)
        arguments = {"predict_with_generate": True, "generation_max_length": 40, **arguments}
        return tiny.make_trainer(tmp_path, tokenizer, tiny.make_t5(), evaluated, function, **arguments)

    return make


# ---- The function ----------------------------------------------------------------------------------------------------


def unchanged(rows):
    return rows


def tokenized_when_read(rows):
    def tokenize(row):
        prompts, labels = [f"simplify: {source}" for source in row["source"]], [texts[0] for texts in row["references"]]
        return {**make_tokenizer()(prompts, text_target=labels)}

    return rows.select_columns(["source", "references"]).with_transform(tokenize)


#: What is given and what is evaluated of `DATASET`, the rows that are scored, and training arguments.
EVALUATED = {
    "shuffled": (unchanged, lambda rows: rows.shuffle(seed=1), ALL, INPUTS),
    "some": (unchanged, lambda rows: rows.select(SOME), SOME, {}),
    "hidden texts": (lambda rows: rows.with_format("torch", columns=["labels"]), unchanged, ALL, {}),
    "tokenized when read": (tokenized_when_read, tokenized_when_read, ALL, {"remove_unused_columns": False}),
    "inputs that the set lacks": (lambda rows: rows.remove_columns("input_ids"), unchanged, ALL, INPUTS),
    "a stream and more": (lambda rows: [rows.take(4).to_iterable_dataset(), Subset(rows, ALL[4:])], unchanged, ALL, {}),
}
if hasattr(TrainingArguments, "use_legacy_prediction_loop"):  # of transformers 4
    EVALUATED["an old loop"] = (unchanged, unchanged, ALL, {"use_legacy_prediction_loop": True})


@pytest.mark.parametrize("name", EVALUATED)
def test_rows_are_found_whatever_is_evaluated(sari, with_function, outputs, name):
    given, evaluated, rows, arguments = EVALUATED[name]
    metrics = with_function(given=given(DATASET), **arguments).evaluate(evaluated(DATASET))
    assert tiny.of_evaluation(metrics) == expected_scores(sari, outputs, rows)


def test_several_sets(sari, tokenizer, with_function, outputs):
    """Rows are of the set that has them; sets may share rows, and sources with other labels. Padding is on the left."""
    tokenizer.padding_side = "left"
    second = [row[1:] for row in REFERENCES]
    others = make_dataset(tokenizer, [row[0] for row in second], second)
    metrics = with_function({"all": DATASET, "part": DATASET.select(SOME), "others": others}).evaluate()
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


def of_labels(rows):
    """Return what a Trainer gives for rows of which the model generates the labels."""
    labels = [DATASET["labels"][row] for row in rows]
    return of_ids([[0, *ids] for ids in labels], labels)


def test_columns_of_other_names_and_what_is_done_to_texts(sari, tokenizer):
    cased = sari.with_options(lowercase=False)
    rows = DATASET.rename_columns({"source": "complex", "references": "simple"})
    function = cased.compute_metrics(tokenizer, rows, sources="complex", references="simple", postprocess=str.upper)
    assert function(of_labels(ALL)) == expected_scores(cased, [label.upper() for label in LABELS])


#: What two processes evaluate, the sets that were given, and the rows that count, or why it is not known which do.
REPEATS = [
    ([0, 1, 2, 0, 1, 2, 0, 1], [ALL], [0, 1, 2]),
    ([0, 0, 7, 2, 5, 0, 0, 7], [[0, 0, 7, 2, 5]], [0, 0, 7, 2, 5]),
    ([7, 2, 7, 2, 7, 2], [ALL, [7, 2]], [7, 2]),
]
UNKNOWN_REPEATS = [
    ([7, 2, 7, 2, 7, 2], [[*ALL, 7, 2], [7, 2]], "rows that several sets have, not equally often, expected a function"),
    ([0, 0, 0, 0, 1, 2], [ALL], "rows that no set has so often, expected rows of one set"),
    ([0, 1], [[0], [1]], "rows that no set has so often, expected rows of one set"),
]


@pytest.fixture
def of_two_processes(sari, tokenizer, monkeypatch):
    """Return a function for sets of these rows; two processes evaluate."""
    monkeypatch.setattr("accelerate.PartialState", lambda: SimpleNamespace(num_processes=2))
    return lambda sets: sari.compute_metrics(tokenizer, [DATASET.select(rows) for rows in sets])


@pytest.mark.parametrize(("evaluated", "sets", "counted"), REPEATS)
def test_several_processes_repeat_rows(sari, of_two_processes, evaluated, sets, counted):
    """To fill their last batch; each row counts as often as the set has it that is evaluated."""
    assert of_two_processes(sets)(of_labels(evaluated)) == expected_scores(sari, LABELS, counted)


@pytest.mark.parametrize(("evaluated", "sets", "message"), UNKNOWN_REPEATS)
def test_several_processes_repeat_rows_of_which_set(of_two_processes, evaluated, sets, message):
    with pytest.raises(ValueError, match=f"^label_ids: got {message}"):
        of_two_processes(sets)(of_labels(evaluated))


def test_two_processes_score_as_one_does(tmp_path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(TESTS)])}
    command = [sys.executable, str(TESTS / "two_processes.py"), str(tmp_path)]
    subprocess.run(command, env=environment, timeout=300, check=True)
    alone = [[2, scores] for _, scores in two_processes.scores(tmp_path)]
    written = (tmp_path / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, written)) == [alone] * 2


#: A change of the set that is given, training arguments, options of `evaluate`, and the refusal.
REFUSED = [
    (unchanged, {"predict_with_generate": False}, {}, r"predictions: got tuple of .*, expected token ids of 10 rows: "),
    (unchanged, {"batch_eval_metrics": True}, {}, "predictions: got batches, expected all rows at once"),
    (unchanged, {"eval_do_concat_batches": False}, {}, "predictions: got batches, expected all rows at once"),
    (unchanged, {"generation_num_beams": 2}, {"num_return_sequences": 2}, r"predictions: got ndarray of shape \(20, "),
    (lambda rows: rows.select([0]), {}, {}, r"label_ids\[1\]: got 'The [^']*', expected those of a row of dataset: "),
    (lambda rows: rows.map(lambda _: {"input_ids": [5]}), INPUTS, {}, r"label_ids\[0\]: got '.*' with other inputs"),
]


@pytest.mark.parametrize(("given", "arguments", "options", "message"), REFUSED)
def test_evaluations_that_are_refused(with_function, given, arguments, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        with_function(given=given(DATASET), **arguments).evaluate(**options)


LIKE_LOGITS, CONTINUED = "outputs are in the places of labels, like ids of logits", "outputs are inputs, continued"
CUT, LACKING = "many outputs are cut before their end", "outputs have ids that the tokenizer lacks"
FOREIGN = "outputs have other tokens than sources and references"
SPACE = make_tokenizer().convert_tokens_to_ids("▁")
#: Whether a special token begins texts; what is predicted, made of the ids of labels and inputs; warnings.
PREDICTED = [
    (True, lambda label, _: [0, *label], []),
    (True, lambda label, _: [2, *label], []),  # the token that starts the decoder begins labels, too
    (False, lambda label, _: [0, SPACE, *label[:-1], SPACE, 1], []),
    (True, lambda _, inputs: [0, *inputs], []),
    (True, lambda label, inputs: [*inputs, *label] if len(label) % 3 else [*inputs, 1], [(CONTINUED, "")]),
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
        # A loop of one's own may give tensors, and a tuple.
        assert function(tuple(map(torch.from_numpy, (evaluated.predictions, evaluated.label_ids)))) == function(
            evaluated
        )
    assert [*dict.fromkeys(tiny.training_warnings(collected))] == warned


GENERATED, NO_IDS = of_labels(ALL).predictions, r"expected token ids, int\[row, token\]$"


@pytest.mark.parametrize(
    ("predictions", "labels", "message"),
    [
        (GENERATED, None, f"label_ids: got NoneType, {NO_IDS}"),
        (GENERATED[:, :0], GENERATED, r"predictions: got ndarray of shape \(10, 0\), expected token ids of 10 rows"),
        (
            GENERATED.astype(float),
            GENERATED,
            r"predictions: got ndarray of shape \(10, 31\), expected token ids of 10 rows",
        ),
    ],
)
def test_what_is_not_generated_is_refused(sari, tokenizer, predictions, labels, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        sari.compute_metrics(tokenizer, DATASET)(EvalPrediction(predictions, labels))


def argmax(logits, _):
    return (logits[0] if isinstance(logits, tuple) else logits).argmax(-1)


def end_pads(tokenizer, model):
    tokenizer.pad_token = tokenizer.eos_token
    model.generation_config.pad_token_id = tokenizer.eos_token_id


def end_at_full_stops(tokenizer, model):
    vocabulary = tokenizer.get_vocab().items()
    model.generation_config.eos_token_id = [1, *(number for token, number in vocabulary if token.endswith("."))]


def stop_at_full_stops(tokenizer, _):
    """As `stop_strings` do, for which Trainers of transformers 4 give no tokenizer."""
    return {"stopping_criteria": StoppingCriteriaList([StopStringCriteria(tokenizer, ["."])])}


def as_it_is(tokenizer, model):
    pass


#: What is done to the tokenizer and the model, or is an option of `evaluate`; the length of outputs; what is warned of,
#: in how many of ten.
ENDS = [
    (as_it_is, 40, []),
    (as_it_is, 12, [(CUT, "10 of 10")]),
    (end_pads, 40, []),
    (end_pads, 17, [(CUT, "10 of 10")]),  # and padded to the 20 tokens of the configuration
    (end_at_full_stops, 40, []),
    (stop_at_full_stops, 40, []),
]


@pytest.mark.parametrize(("change", "length", "warned"), ENDS)
def test_outputs_that_are_cut(sari, with_function, change, length, warned):
    trainer = with_function(generation_max_length=length)
    options = change(trainer.processing_class, trainer.model) or {}
    trainer.compute_metrics = sari.compute_metrics(trainer.processing_class, DATASET)
    with sari.collect_warnings() as collected:
        trainer.evaluate(**options)
    assert tiny.training_warnings(collected) == warned


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_language_model_that_continues_prompts_and_answers(sari, tokenizer, tmp_path, side):
    """Its end pads, too, so that nothing shows that a row ends at once."""
    tokenizer.pad_token, tokenizer.padding_side = "</s>", side
    ids = tiny.make_causal_dataset(tokenizer)["input_ids"]
    rows = DATASET.remove_columns(["input_ids", "labels", "attention_mask"])
    rows = rows.add_column("input_ids", ids).add_column("labels", ids)
    arguments = {"predict_with_generate": True, "generation_max_length": 128}
    function = sari.compute_metrics(tokenizer, rows)
    trainer = tiny.make_trainer(tmp_path, tokenizer, tiny.make_llama(), rows, function, **arguments)
    with sari.collect_warnings() as collected:
        trainer.evaluate()
    assert (CONTINUED, "") in tiny.training_warnings(collected)


@pytest.mark.parametrize("has_encoder", [True, False])
def test_ids_of_logits_give_a_warning(sari, tokenizer, tmp_path, has_encoder):
    model = tiny.make_t5() if has_encoder else tiny.make_llama()
    rows = DATASET
    if not has_encoder:
        ids = tiny.make_causal_dataset(tokenizer).to_dict()
        rows = Dataset.from_dict({**ids, "source": SOURCES, "references": REFERENCES})
    function = sari.compute_metrics(tokenizer, rows)
    trainer = tiny.make_trainer(tmp_path, tokenizer, model, rows, function, kind=Trainer)
    trainer.preprocess_logits_for_metrics = argmax
    with sari.collect_warnings() as collected:
        trainer.evaluate()
    assert (LIKE_LOGITS, "") in tiny.training_warnings(collected)


def test_a_model_without_a_start_token(sari, tokenizer):
    """Whisper's ids begin and end with the text; padding is all that is beside it. So are its labels."""
    model = tiny.make_whisper()
    rows = Dataset.from_dict({"labels": tokenizer(LABELS)["input_ids"], "source": SOURCES, "references": REFERENCES})
    ids = model.generate(input_features=tiny.SOUNDS, max_length=40).numpy()
    texts = tokenizer.batch_decode(ids, skip_special_tokens=True)
    assert len({*texts, *LABELS}) < 20
    with sari.collect_warnings() as collected:
        scores = sari.compute_metrics(tokenizer, rows)(EvalPrediction(ids, of_labels(ALL).label_ids))
    assert scores == expected_scores(sari, texts)
    assert tiny.training_warnings(collected) == []


def test_a_start_token_that_is_not_special(sari, tokenizer, tmp_path):
    tokenizer.add_tokens("<simple>")
    model, prompts = tiny.make_t5(tiny.START), [f"simplify: {source}" for source in SOURCES]
    texts = tiny.generated(model, tokenizer, prompts, max_length=40)
    arguments = {"predict_with_generate": True, "generation_max_length": 40}
    function = sari.compute_metrics(tokenizer, DATASET)
    trainer = tiny.make_trainer(tmp_path, tokenizer, model, DATASET, function, **arguments)
    assert tiny.of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)
    trainer.compute_metrics = None
    sari.attach(trainer, sources=SOURCES, references=REFERENCES, prompts=prompts)
    assert tiny.of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


def test_outputs_of_another_tokenizer(sari, tokenizer, tmp_path):
    """That of the inputs, where labels have one of their own, and one with fewer tokens."""
    model, rows = tiny.make_t5_of_two_tokenizers(), tiny.make_dataset_of_two_tokenizers(tokenizer)
    prompts, warned = rows["input_ids"], []
    texts = tiny.generated(model, tokenizer, prompts, max_new_tokens=40)
    for one in (tokenizer, make_tokenizer(texts=SOURCES), make_tokenizer(size=330)):
        trainer = tiny.make_trainer(tmp_path, one, model, rows)
        sari.attach(trainer, sources=SOURCES, references=REFERENCES, prompts=prompts)
        with sari.collect_warnings() as collected:
            scores = tiny.of_evaluation(trainer.evaluate())
        warned.append([message for message, _ in tiny.training_warnings(collected)])
        assert (scores == expected_scores(sari, texts)) == (one is tokenizer)
    assert warned == [[], [FOREIGN], [LACKING]]


def add_an_end(ids):
    return [*ids, 1]


def split_otherwise(ids):
    tokenizer = make_tokenizer()
    tokenizer.backend_tokenizer.model.dropout = 0.5
    return tokenizer(tokenizer.decode(ids, skip_special_tokens=True))["input_ids"]


@pytest.mark.parametrize("change", [add_an_end, split_otherwise])
def test_labels_that_are_not_those_of_the_set(with_function, change):
    """A collator adds ends, or a tokenizer with BPE dropout splits words otherwise at each call."""
    trainer = with_function()
    collate = trainer.data_collator
    trainer.data_collator = lambda rows: collate([{**row, "labels": change(row["labels"])} for row in rows])
    message = r"^label_ids\[0\]: got 'The .*' as other ids, expected those of dataset: no end .*, no BPE dropout$"
    with pytest.raises(ValueError, match=message):
        trainer.evaluate()


def test_thoughts_whose_end_is_a_special_token(sari, tokenizer):
    tokenizer.add_tokens(AddedToken("</think>", special=True))
    rows, labels = [[0, 7, 400, *ids] for ids in DATASET["labels"]], DATASET["labels"]
    options = {"postprocess": lambda text: text.partition("</think>")[2].replace("</s>", "").strip()}
    for skipped, texts in ((True, [""] * 10), (False, LABELS)):
        function = sari.compute_metrics(tokenizer, DATASET, **options, skip_special_tokens=skipped)
        assert function(of_ids(rows, labels)) == expected_scores(sari, texts)


@pytest.mark.parametrize(("count", "warned"), [(5, []), (6, [("the tokenizer changes texts", "'#The")])])
def test_a_tokenizer_that_changes_the_texts(sari, tokenizer, count, warned):
    """It lacks the first characters of so many of ten references, before or behind letters, and all capitals."""
    tokenizer.backend_tokenizer.normalizer = normalizers.Lowercase()
    rows = make_dataset(tokenizer, references=[["#他"[row % 2] * (row < count) + LABELS[row]] for row in ALL])
    for postprocess, expected in ((None, warned), (str.strip, [])):
        with sari.collect_warnings() as collected:
            sari.compute_metrics(tokenizer, rows, postprocess=postprocess)
        assert [(message, detail[:5]) for message, detail in tiny.training_warnings(collected)] == expected


def test_a_variant_that_rewards_copies_gives_a_warning(sari, tokenizer):
    sari = sari.with_options(variant="hf")
    with sari.collect_warnings() as collected:
        sari.compute_metrics(tokenizer, DATASET)
        sari.reward()
    assert [type(warning).__name__ for warning in collected] == ["RewardsCopyingWarning"] * 2


def test_labels_of_another_tokenizer_give_a_warning(sari):
    """One of as many tokens, which a trained model generates."""
    other = make_tokenizer(texts=SOURCES)
    with sari.collect_warnings() as collected:
        sari.compute_metrics(other, DATASET)(of_labels(ALL))
    assert FOREIGN in dict(tiny.training_warnings(collected))


ROW = {"labels": make_tokenizer()("a")["input_ids"], "input_ids": [6, 1], "source": "a b", "references": ["a"]}
OTHER = {**ROW, "source": "c"}
NO_SET, COLUMNS = "expected a data set, or several of them", r"expected columns \['labels', 'source', 'references'\]"
AGAIN, IDS = "got the labels and input_ids of another row, with other texts", "expected a list of token ids$"
BAD_DATA = [
    (5, f"dataset: got 5, {NO_SET}"),
    ((1, 2), rf"dataset\[0\]: got 1, {NO_SET}"),
    ([{"labels": [5]}], rf"dataset\[0\]: got columns \['labels'\], {COLUMNS}"),
    ([ROW, "x"], rf"dataset\[1\]: got 'x', {COLUMNS}"),
    ({"x": [{**ROW, "source": None}]}, r"dataset\['x'\]: sources\[0\]: got a missing value"),
    ([], "dataset: got no rows, expected at least one"),
    ({"x": [ROW], "y": [ROW, OTHER]}, rf"dataset\['y'\]\[1\]: {AGAIN}"),
    ([{**ROW, "labels": 5}], rf"labels of dataset\[0\]: got 5, {IDS}"),
    ([{**ROW, "labels": [[5], [5, 1]]}], rf"labels of dataset\[0\]: got \[\[5\], \[5, 1\]\], {IDS}"),
    ([{**ROW, "labels": [[5, 1]]}], rf"labels of dataset\[0\]: got \[\[5, 1\]\], {IDS}"),
    ([{**ROW, "input_ids": [2.5]}], rf"input_ids of dataset\[0\]: got \[2.5\], {IDS}"),
    ([{**ROW, "labels": [5, 400]}], r"tokenizer: got 400 tokens, and label id 400 in dataset\[0\], expected the one"),
]


@pytest.mark.parametrize(("data", "message"), BAD_DATA)
def test_data_that_are_refused(sari, tokenizer, data, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        sari.compute_metrics(tokenizer, data)


NAME, FUNCTION = "the name of a column", "a function from a text to a text"


@pytest.mark.parametrize(
    ("method", "wanted"),
    [
        ("compute_metrics", {"tokenizer": "a tokenizer of transformers", "sources": NAME, "postprocess": FUNCTION}),
        ("reward", {"source": NAME, "references": NAME, "name": "a str", "postprocess": FUNCTION}),
    ],
)
def test_arguments_of_a_wrong_type(sari, tokenizer, method, wanted):
    good = {"tokenizer": tokenizer, "dataset": DATASET} if method == "compute_metrics" else {}
    for name, expected in wanted.items():
        with pytest.raises(TypeError, match=f"^{name}: got (5|int), expected {expected}$"):
            getattr(sari, method)(**{**good, name: 5})


def test_pickles(sari, tokenizer):
    evaluated, function = of_labels(SOME), sari.compute_metrics(tokenizer, DATASET, postprocess=str.lower)
    assert pickle.loads(pickle.dumps(function))(evaluated) == function(evaluated)
    reward, given = sari.reward(unit=False, name=""), {"source": SOURCES, "references": LABELS}
    again = pickle.loads(pickle.dumps(reward))
    assert (again(completions=OUTPUTS, **given), again.__name__) == (reward(completions=OUTPUTS, **given), "")
    assert [len(repr(made)) < 200 for made in {function, reward}] == [True, True]


# ---- The reward ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [False, True])
def test_the_reward_is_the_score_of_each_completion_alone(sari, unit):
    columns, texts = {"complex": SOURCES[:3], "simple": REFERENCES[:3], "trainer_state": None}, [*OUTPUTS[:2], ""]
    scores = [expected_scores(sari, texts, [row])["sari"] / (100 if unit else 1) for row in range(3)]
    names = {"source": "complex", "references": "simple", "unit": unit}
    reward = sari.reward(**names)
    assert reward(prompts=["?"] * 3, completions=(f" {text}\n" for text in texts), **columns) == scores
    # The content of a message is None where a tool is called.
    parts = [[{"type": "text", "text": part} for part in (" ", text[:9], text[9:])] for text in texts]
    for contents in (texts, [*texts[:2], None], parts):
        chats = [[*tiny.ask("?"), {"role": "assistant", "content": content}] for content in contents]
        assert reward(completions=chats, **columns) == scores
    thought = sari.reward(**names, postprocess=lambda text: text.partition("</think>")[2])
    assert thought(completions=[f"<think>Hm.</think>\n{text}" for text in texts], **columns) == scores


PARTS, LIST = r"completions\[0\]: got .* parts with text$", "expected a list with a row per completion$"
BAD_COMPLETIONS = [
    ({"source": None}, r"reward: got columns references, completions, expected also 'source'$"),
    ({"source": "a"}, f"source: got str, {LIST}"),
    ({"completions": "a"}, f"completions: got str, {LIST}"),
    ({"source": [5]}, r"sources\[0\]: got int"),
    ({"references": [5]}, r"references\[0\]: got int"),
    ({"completions": ["a", "b"]}, r"source: got 1 row, expected 2 \(as in completions\)$"),
    ({"references": [["a"], ["b"]]}, r"references: got 2 rows, expected 1 \(as in completions\)$"),
    ({"completions": [5]}, r"completions\[0\]: got 5, expected a str or a list of messages"),
    ({"completions": [[]]}, r"completions\[0\]: got \[\], expected a str or a list of messages"),
    ({"completions": [[{"content": "a"}]]}, r"completions\[0\]: got .*, expected a str or a list of messages"),
    ({"completions": [[{"role": "assistant"}]]}, r"completions\[0\]: got .*, expected a str or a list of messages"),
    ({"completions": [[{"role": "assistant", "content": 5}]]}, PARTS),
    ({"completions": [[{"role": "assistant", "content": ["a"]}]]}, PARTS),
    ({"completions": [[{"role": "assistant", "content": [{"text": "a"}, {"text": None}]}]]}, PARTS),
]


@pytest.mark.parametrize(("given", "message"), BAD_COMPLETIONS)
def test_completions_and_columns_that_cannot_be_scored(sari, given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        sari.reward()(**{"completions": ["a"], "source": ["a"], "references": [["a"]], **given})


def test_what_the_assistant_did_not_say_gets_no_reward(sari):
    columns = {"source": SOURCES[:3], "references": REFERENCES[:3]}
    chats = [[*tiny.ask("?"), {"role": "assistant", "content": LABELS[row]}] for row in range(3)]
    first = sari.reward()(completions=chats, **columns)[0]
    for row, role in ((1, "tool"), (2, "user")):
        chats[row].append({"role": role, "content": LABELS[row]})
    assert sari.reward()(completions=chats, **columns) == [first, None, None]


@pytest.mark.parametrize("none", [None, [], [None]])
def test_rows_without_source_or_references_get_no_reward(sari, none):
    """TRL fills up lists with None."""
    every = sari.reward()(completions=OUTPUTS, source=SOURCES, references=REFERENCES)
    columns = {"source": [None, *SOURCES[1:]], "references": [*([*row, None] for row in REFERENCES[:9]), none]}
    assert sari.reward()(completions=OUTPUTS, **columns) == [None, *every[1:9], None]


def test_references_of_a_reward_may_be_single_texts_and_postprocess_returns_texts(sari):
    given = {"completions": OUTPUTS, "source": SOURCES, "references": LABELS}
    assert sari.reward()(**given) == sari.reward()(**{**given, "references": [[label] for label in LABELS]})
    with pytest.raises(ValueError, match=r"^postprocess\[0\]: got a missing value"):
        sari.reward(postprocess=lambda _: None)(**given)


def test_reinforcement(sari, tokenizer, tmp_path):
    """TRL calls the reward as it calls its own, here for chats, and leaves out a row without references."""
    tokenizer.padding_side = "left"
    rows = make_dataset(tokenizer, references=[*REFERENCES[:5], [], *REFERENCES[6:]])
    rows = rows.add_column("prompt", list(map(tiny.ask, SOURCES)))
    args = GRPOConfig(str(tmp_path), max_steps=5, **tiny.TRL, **tiny.GROUPS)
    trainer = GRPOTrainer(tiny.make_llama(), sari.reward(), args, rows, processing_class=tokenizer)
    trainer.train()
    means = [entry.get("rewards/sari_easse/mean") for entry in trainer.state.log_history]
    assert [0 < mean < 1 for mean in means[:5]] == [True] * 5
