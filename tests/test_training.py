"""SARI in real Trainers: the scores of the texts that are generated, or a refusal in one line."""

import json
import os
import pickle
import random
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest
import torch
import two_processes
from conftest import ROOT, TESTS
from datasets import Dataset, concatenate_datasets
from peft import LoraConfig, get_peft_model
from tiny_trainers import (
    COMMON,
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
from transformers import EarlyStoppingCallback, GenerationConfig, Trainer, TrainerCallback
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

GENERATES = {"predict_with_generate": True, "generation_max_length": 18}
SOME = [7, 2, 5]
CHAT = (
    "{% if thinking %}[think]{% endif %}{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }} "
    "{% endfor %}{% if add_generation_prompt %}[a]{% endif %}"
)
PROMPTS = list(map(PROMPT.format, SOURCES))
SHORT = {"max_new_tokens": 8}
EACH_STEP = {"max_steps": 2, "eval_strategy": "steps", "eval_steps": 1}
TRL = {**COMMON, **EACH_STEP, "bf16": False, "gradient_checkpointing": False, "learning_rate": 0.05}


@pytest.fixture(scope="module")
def sari(sari):
    return sari.with_options(variant="easse")


@pytest.fixture
def tokenizer():
    made = make_tokenizer()
    made.chat_template = CHAT
    return made


@pytest.fixture(scope="module")
def t5():
    return make_t5(make_tokenizer())


@pytest.fixture(scope="module")
def dataset():
    return make_dataset(make_tokenizer())


@pytest.fixture(scope="module")
def outputs(t5):
    """Return what `t5` generates for `dataset`, one by one."""
    found = generated(t5, make_tokenizer(), [f"simplify: {source}" for source in SOURCES], max_length=18)
    assert len(set(found)) > 5
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
    "group_by_length": (lambda rows: rows, range(10), {"train_sampling_strategy": "group_by_length"}),
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


@pytest.mark.parametrize("labels", [["Same."] * 10, [""] * 10, [f"Number {row // 2}." for row in range(10)]])
def test_rows_with_the_same_labels_are_known_by_their_inputs(sari, tokenizer, with_function, outputs, labels):
    rows = make_dataset(tokenizer, labels)
    trainer = with_function(rows)
    with pytest.raises(ValueError, match=r'^label_ids\[0\]: got .*, expected include_for_metrics=\["inputs"\] in'):
        trainer.evaluate()
    trainer.args.include_for_metrics = ["inputs"]
    assert of_evaluation(trainer.evaluate(rows.select(SOME))) == expected_scores(sari, outputs, SOME)


def test_equal_rows_count_as_often_as_the_set_has_them(sari, dataset, with_function, outputs):
    trainer = with_function(concatenate_datasets([dataset, dataset.select(SOME)]))
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, outputs, [*range(10), *SOME])


def test_columns_and_texts_of_other_names(sari, tokenizer, dataset, t5, outputs, tmp_path):
    """With options of the metric, and a function for what is predicted."""
    rows = dataset.rename_columns({"source": "complex", "references": "simple"})
    named = {"sources": "complex", "references": "simple", "postprocess": str.lower}
    function = sari.with_options(max_order=2).compute_metrics(tokenizer, rows, **named)
    found = of_evaluation(make_trainer(tmp_path, tokenizer, t5, rows, function, **GENERATES).evaluate())
    assert found == expected_scores(sari, [text.lower() for text in outputs], max_order=2)


#: Training arguments, those of `evaluate`, and the refusal.
REFUSED = [
    ({"predict_with_generate": False}, {}, r"predictions: got tuple of .*, expected token ids of 10 rows: predict"),
    ({"batch_eval_metrics": True}, {}, r"batch_eval_metrics: got True, expected False, which is the default"),
    ({"eval_do_concat_batches": False}, {}, r"eval_do_concat_batches: got False, expected True"),
    ({"generation_num_beams": 2}, {"num_return_sequences": 2}, r"predictions: got ndarray of shape \(20, 20\), e"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), REFUSED)
def test_evaluations_that_are_refused(dataset, with_function, arguments, options, message):
    with pytest.raises(ValueError, match=f"^{message}.{{,99}}$"):
        with_function(dataset, **arguments).evaluate(**options)


def test_rows_of_other_sets_are_refused(dataset, with_function):
    with pytest.raises(ValueError, match=r"^label_ids\[1\]: got 'The .*', expected those of a row of dataset: the set"):
        with_function(dataset.select([0]), None).evaluate(dataset)


ROW = {"labels": [5, 1], "input_ids": [6, 1], "source": "a b", "references": ["a"]}
OTHER = {**ROW, "source": "c"}
BAD_DATA = [
    ({"dataset": [{"labels": [5]}]}, r"dataset: got a row with \['labels'\], expected columns \('labels', 'source'"),
    ({"sources": "text"}, r"dataset: got a row with .*, expected columns \('labels', 'text', 'references'\)"),
    ({"sources": SOURCES}, r"dataset: got a row with .*, expected columns \('labels', \["),
    ({"dataset": 5}, r"dataset: got 5, expected a data set, or several of them"),
    ({"dataset": [{**ROW, "source": None}]}, r"sources\[0\]: got a missing value"),
    ({"dataset": [{**ROW, "references": []}]}, r"references\[0\]: got no reference"),
    ({"dataset": [ROW, OTHER]}, r"dataset\[1\]: got the labels and input_ids of another row, with other texts, e"),
    ({"dataset": {"x": [ROW], "y": [OTHER]}}, r"dataset\['y'\]\[0\]: got the labels and input_ids of another row"),
    ({"dataset": [{**ROW, "labels": [5, 400]}]}, r"tokenizer: got 400 tokens, and label ids up to 400 in dataset"),
    ({"tokenizer": "t5-small"}, r"tokenizer: got str, expected a tokenizer of transformers"),
    ({"postprocess": lambda _: None}, r"postprocess\[0\]: got a missing value"),
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


def test_sources_and_references_are_counted_once(sari, dataset, with_function, monkeypatch):
    """However often the same rows are evaluated in the same order."""
    module, made = sys.modules[type(sari.reward()).__module__], []
    monkeypatch.setattr(module, "Prepared", lambda *given, make=module.Prepared: made.append(given) or make(*given))
    trainer = with_function(dataset)
    for rows in (dataset, dataset, dataset.select(SOME)):
        trainer.evaluate(rows)
    assert [len(sources) for _, sources, _ in made] == [10, 3]


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
    assert len(set(found)) > 5
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


def of_trl(kind, config, *models, **columns):
    """Return a function that makes a Trainer of TRL; `columns` are those of its data."""

    def make(folder, tokenizer, **arguments):
        rows = Dataset.from_dict(columns)
        args = config(output_dir=str(folder), per_device_eval_batch_size=4, **{**TRL, **arguments})
        data = {"train_dataset": rows, "eval_dataset": rows, "processing_class": tokenizer}
        given = (model(tokenizer) if model is make_llama else model for model in models)
        return kind(make_llama(tokenizer), *given, args=args, **data)

    return make


def with_lora(folder, tokenizer):
    model = get_peft_model(make_llama(tokenizer), LoraConfig(r=2, init_lora_weights=False, target_modules=["q_proj"]))
    arguments = {"kind": Trainer, **EACH_STEP, "learning_rate": 0.05}
    return make_trainer(folder, tokenizer, model, make_causal_dataset(tokenizer), **arguments)


def length(completions, **_):
    return [float(len(text)) for text in completions]


CHATS = {
    "prompt": list(map(asked, SOURCES)),
    "completion": [[{"role": "assistant", "content": text}] for text in LABELS],
}
GROUPS = {"per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 8, "logging_steps": 1}
TRAINERS = {
    "LoRA": with_lora,
    "SFT": of_trl(SFTTrainer, SFTConfig, prompt=PROMPTS, completion=LABELS),
    "chats": of_trl(SFTTrainer, SFTConfig, **CHATS),
    "DPO": of_trl(DPOTrainer, DPOConfig, make_llama, prompt=PROMPTS, chosen=LABELS, rejected=SOURCES),
    "GRPO": lambda *given: of_trl(GRPOTrainer, GRPOConfig, length, prompt=PROMPTS)(*given, **GROUPS),
}


@pytest.mark.parametrize("name", TRAINERS)
def test_what_is_generated_is_scored(sari, tokenizer, attached, tmp_path, name):
    """Before and after training: the scores are of the model as it is."""
    tokenizer.padding_side = "left" if name == "GRPO" else "right"
    prompts = [f"[user] {source} [a]" for source in SOURCES] if name == "chats" else PROMPTS
    own = asked if name == "chats" else PROMPT.format
    trainer = attached(TRAINERS[name](tmp_path, tokenizer), prompts=own, batch_size=4)
    before = generated(trainer.model, tokenizer, prompts, **SHORT)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, before)
    trainer.train()
    after = generated(trainer.model, tokenizer, prompts, **SHORT)
    assert after != before
    logged = [entry for entry in trainer.state.log_history if "eval_sari" in entry]
    assert of_evaluation(logged[-1]) == of_evaluation(trainer.evaluate()) == expected_scores(sari, after)


def test_an_encoder_decoder_that_also_has_a_function(sari, tokenizer, t5, dataset, tmp_path):
    given = {"compute_metrics": lambda evaluated: {"rows": len(evaluated.label_ids)}, **GENERATES}
    trainer = make_trainer(tmp_path, tokenizer, t5, dataset, **given)
    sari.with_options(max_order=2).attach(trainer, **TEXTS, generation_kwargs=SHORT)
    metrics = trainer.evaluate()
    assert of_evaluation(metrics) == expected_scores(sari, generated(t5, tokenizer, SOURCES, **SHORT), max_order=2)
    assert metrics["eval_rows"] == 10


def test_everyone_sees_the_scores(attached):
    """Trackers, early stopping, which stands before anything that is added, and the choice of the best model."""
    chosen = {"metric_for_best_model": "sari", "load_best_model_at_end": True, "learning_rate": 0.5}
    often = {"max_steps": 6, "eval_on_start": True, "save_strategy": "steps", "save_steps": 1, "save_only_model": True}
    logged, tracker = [], TrainerCallback()  # as `report_to` adds one
    tracker.on_log = lambda *_, logs, **__: logged.extend(logs[name] for name in logs if name == "eval_sari")
    callbacks = [EarlyStoppingCallback(early_stopping_patience=1), tracker]
    trainer = attached(arguments={"callbacks": callbacks, **chosen, **often})
    trainer.train()
    scores = [entry["eval_sari"] for entry in trainer.state.log_history if "eval_sari" in entry]
    assert scores == logged
    assert 2 < len(scores) < 7
    assert trainer.state.best_metric == trainer.evaluate()["eval_sari"] == max(scores[1:])


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


def test_prompts_that_are_too_long_lose_their_beginning(sari, tokenizer, rows, attached, tmp_path):
    model, prompts = make_llama(tokenizer, max_position_embeddings=64), [f"{source} " * 5 for source in SOURCES]
    trainer = make_trainer(tmp_path, tokenizer, model, rows, kind=Trainer)
    with sari.collect_warnings() as collected:
        attached(trainer, prompts=prompts)
    assert [warning.detail for warning in collected] == ["10 of 10 have more than 56 tokens"]
    texts = generated(model, tokenizer, prompts, most=56, **SHORT)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


CONFIGS = {
    "a dict": SHORT,
    "a config": {"generation_config": GenerationConfig(**SHORT)},
    "more than tokens": {**SHORT, "return_dict_in_generate": True, "output_scores": True},
    "one to sample from": {**SHORT, "do_sample": True, "top_k": 1},
}


@pytest.mark.parametrize("name", CONFIGS)
def test_nothing_is_sampled_unless_asked(sari, texts, attached, name):
    trainer = attached(generation_kwargs=CONFIGS[name])
    trainer.model.generation_config = GenerationConfig(do_sample=True, temperature=9.0, eos_token_id=1)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


@pytest.mark.parametrize("given", [{}, {"max_length": 60}], ids=str)
def test_texts_end_at_128_tokens_unless_a_length_is_given(sari, tokenizer, attached, given):
    few = {"sources": SOURCES[:2], "references": REFERENCES[:2], "batch_size": 1}
    trainer = attached(generation_kwargs=given, **few)
    trainer.model.generation_config.eos_token_id = None
    texts = generated(trainer.model, tokenizer, PROMPTS[:2], **(given or {"max_new_tokens": 128}))
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


def test_warnings_about_texts_are_given_once(sari, attached):
    trainer, found = attached(postprocess=lambda _: ""), []
    for _ in range(2):
        with sari.collect_warnings() as collected:
            trainer.evaluate()
        found.append([type(warning).__name__ for warning in collected])
    assert "EmptyOutputsWarning" in found[0]
    assert found[1] == []


SEVERAL = {"num_beams": 2, "num_return_sequences": 2}
BAD_OPTIONS = [
    ({"sources": [], "references": []}, r"sources: got no rows, expected at least one"),
    ({"references": LABELS[1:]}, r"references: got 9 rows, expected 10 \(as in sources\)"),
    ({"batch_size": 0}, r"batch_size: got 0, expected a whole number of at least 1"),
    ({"prompts": lambda _: CHATS["completion"][0]}, r"prompts\[0\]: got a chat that ends with its answer, exp"),
    ({"prompts": 5}, r"prompts: got 5, expected a list, or a function from a source to a prompt"),
    ({"prompts": ["a"]}, r"prompts: got 1 rows, expected 10 \(as in sources\)"),
    ({"prompts": lambda _: 5}, r"prompts\[0\]: got 5, expected a str or a list of messages"),
    ({"postprocess": lambda _: None}, r"postprocess\[0\]: got a missing value"),
    ({"generation_kwargs": {"max_new_tokens": 2048}}, r"generation_kwargs: got max_new_tokens=2048, expected"),
    ({"generation_kwargs": SEVERAL}, r"generation_kwargs: got 6 texts for 3 prompts, expected one each"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_options_that_are_refused(attached, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        attached(**options).evaluate()


def test_a_tokenizer_that_cannot_pad_is_refused(tokenizer, attached):
    trainer = attached()
    tokenizer.pad_token = tokenizer.eos_token = None
    with pytest.raises(ValueError, match=r"^processing_class: got no pad_token and no eos_token, expected one to pad"):
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
    thought = sari.reward(**names, postprocess=lambda text: text.rpartition("</think>")[2])
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


@pytest.mark.parametrize("prompts", [PROMPTS, CHATS["prompt"]], ids=["plain", "chat"])
def test_reinforcement(sari, tokenizer, tmp_path, prompts):
    """TRL calls the reward as it calls its own, and leaves out a row without references."""
    reward, found = sari.reward(), []

    def watched(references, **given):
        values = reward(references=references, **given)
        found.extend(zip(references, values, strict=True))
        return values

    tokenizer.padding_side, references = "left", [*REFERENCES[:5], [], *REFERENCES[6:]]
    columns = {"prompt": prompts, "source": SOURCES, "references": references}
    make, arguments = of_trl(GRPOTrainer, GRPOConfig, [reward, watched], **columns), {**GROUPS, "max_steps": 5}
    trainer = make(tmp_path, tokenizer, **arguments, eval_strategy="no")
    trainer.train()
    assert sum("rewards/sari_easse/mean" in entry for entry in trainer.state.log_history) == 5
    assert [value is None for _, value in found] == [not row for row, _ in found]
    assert len(found) == 20


# ---- The examples and the page ---------------------------------------------------------------------------------------

EXAMPLES = [
    ("train.py --epochs 1 --sentences 160", r"SARI before training \d+\.\d\d, after \d+\.\d\d$"),
    ("train_llm.py --epochs 1 --sentences 160", r"SARI before training \d+\.\d\d, after \d+\.\d\d$"),
    ("train_reward.py --steps 2", r"step 1: mean reward 0\.\d{4}\nstep 2: mean reward 0\.\d{4}$"),
]


@pytest.mark.parametrize(("command", "printed"), EXAMPLES)
def test_the_examples_run(capsys, monkeypatch, tmp_path, command, printed):
    """As programs, but in this process, which has imported torch already."""
    name, *arguments = command.split()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(ROOT / "examples" / name), *arguments])
    monkeypatch.syspath_prepend(ROOT / "examples")
    runpy.run_path(sys.argv[0], run_name="__main__")
    assert re.search(printed, capsys.readouterr().out.strip())


def test_the_programs_of_the_page(monkeypatch, tmp_path, sari, tokenizer):
    """The blocks of docs/training.md run one after the other, as they are."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8").replace("path/to/sari.py", str(ROOT / "sari.py"))
    rows = Dataset.from_dict({"source": SOURCES, "references": REFERENCES})
    names = {"tokenizer": tokenizer, "rows": rows, "model": make_t5(tokenizer)}
    names |= {name: make_llama(tokenizer, initializer_range=0.02) for name in ("llm", "reference_llm")}
    blocks = re.findall(r"^```python\n(?!>>>)(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        with sari.collect_warnings():
            exec(block, names)
        logged = {name for entry in names["trainer"].state.log_history for name in entry}
        assert logged & {"eval_sari", "rewards/sari_easse/mean"}
