"""Texts attached to real Trainers, of transformers and TRL: what the model generates is scored and logged."""

import random
import re

import numpy as np
import pytest
import torch
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from tiny_trainers import (
    COMMON,
    PROMPT,
    REFERENCES,
    ROOT,
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
    output_of_example,
)
from transformers import EarlyStoppingCallback, GenerationConfig, Trainer, TrainerCallback
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

CHAT = (
    "{% if thinking %}[think]{% endif %}{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }} "
    "{% endfor %}{% if add_generation_prompt %}[a]{% endif %}"
)
LABELS = [row[0] for row in REFERENCES]
PROMPTS = list(map(PROMPT.format, SOURCES))
SHORT = {"max_new_tokens": 8}
EACH_STEP = {"max_steps": 2, "eval_strategy": "steps", "eval_steps": 1}
TRL = {**COMMON, **EACH_STEP, "bf16": False, "gradient_checkpointing": False}


@pytest.fixture
def tokenizer():
    made = make_tokenizer()
    made.chat_template = CHAT
    return made


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


def asked(source):
    return [{"role": "user", "content": source}]


def as_chat(source):
    return f"[user] {source} [a]"


def attach(sari, trainer, **options):
    given = {**TEXTS, "prompts": PROMPT.format, "generation_kwargs": SHORT, **options}
    sari.attach(trainer, **given)


# ---- Trainers --------------------------------------------------------------------------------------------------------


def plain(folder, tokenizer, rows, **options):
    return make_trainer(folder, tokenizer, make_llama(tokenizer), rows, kind=Trainer, **{**EACH_STEP, **options})


def lora(folder, tokenizer, rows):
    model = get_peft_model(make_llama(tokenizer), LoraConfig(r=2, init_lora_weights=False, target_modules=["q_proj"]))
    return make_trainer(folder, tokenizer, model, rows, kind=Trainer, **EACH_STEP)


def sft(folder, tokenizer, prompts, completions):
    rows = Dataset.from_dict({"prompt": prompts, "completion": completions})
    args = SFTConfig(output_dir=str(folder), **TRL)
    return SFTTrainer(make_llama(tokenizer), args, train_dataset=rows, eval_dataset=rows, processing_class=tokenizer)


def dpo(folder, tokenizer, _):
    rows = Dataset.from_dict({"prompt": PROMPTS, "chosen": LABELS, "rejected": SOURCES})
    args = DPOConfig(output_dir=str(folder), **TRL)
    return DPOTrainer(
        make_llama(tokenizer),
        make_llama(tokenizer),
        args,
        train_dataset=rows,
        eval_dataset=rows,
        processing_class=tokenizer,
    )


def grpo(folder, tokenizer, _, *rewards, prompts=PROMPTS, references=REFERENCES, **options):
    rows = Dataset.from_dict({"prompt": prompts, "source": SOURCES, "references": references})
    sizes = {"per_device_train_batch_size": 4, "per_device_eval_batch_size": 4, "num_generations": 2}
    args = GRPOConfig(output_dir=str(folder), max_completion_length=8, logging_steps=1, **{**TRL, **sizes, **options})
    columns = {"train_dataset": rows, "eval_dataset": rows, "processing_class": tokenizer}
    return GRPOTrainer(make_llama(tokenizer), list(rewards) or length, args, **columns)


def length(completions, **_):
    return [float(len(text)) for text in completions]


TRAINERS = {
    "language model": plain,
    "LoRA": lora,
    "SFT": lambda folder, tokenizer, _: sft(folder, tokenizer, PROMPTS, [f" {label}" for label in LABELS]),
    "SFT of chats": lambda folder, tokenizer, _: sft(
        folder, tokenizer, list(map(asked, SOURCES)), [[{"role": "assistant", "content": label}] for label in LABELS]
    ),
    "DPO": dpo,
    "GRPO": grpo,
}


@pytest.mark.parametrize("name", TRAINERS)
def test_what_is_generated_is_scored(sari, tokenizer, rows, tmp_path, name):
    """At once, and after training: `eval_sari` is of the model as it is."""
    trainer, is_chat = TRAINERS[name](tmp_path, tokenizer, rows), name == "SFT of chats"
    prompts = list(map(as_chat, SOURCES)) if is_chat else PROMPTS
    tokenizer.padding_side = "left" if name == "GRPO" else "right"
    attach(sari, trainer, prompts=asked if is_chat else PROMPT.format, batch_size=4)
    previous = generated(trainer.model, tokenizer, prompts, **SHORT)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, previous)
    trainer.args.learning_rate = 0.05
    trainer.train()
    texts = generated(trainer.model, tokenizer, prompts, **SHORT)
    assert texts != previous
    logged = [entry for entry in trainer.state.log_history if "eval_sari" in entry]
    assert of_evaluation(logged[-1]) == of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


def test_an_encoder_decoder_that_also_has_a_function(sari, tokenizer, tmp_path):
    model, rows = make_t5(tokenizer), make_dataset(tokenizer)
    texts = generated(model, tokenizer, SOURCES, **SHORT)

    def lengths(evaluated):
        return {"length": evaluated.predictions.shape[1]}

    trainer = make_trainer(
        tmp_path, tokenizer, model, rows, lengths, predict_with_generate=True, generation_max_length=18
    )
    attach(sari.with_options(max_order=2), trainer, prompts=None)
    metrics = trainer.evaluate()
    assert of_evaluation(metrics) == expected_scores(sari, texts, max_order=2)
    assert metrics["eval_length"] == 20


def test_everyone_sees_the_scores(sari, tokenizer, rows, tmp_path):
    """Trackers, early stopping, which stand before anything that is added, and the choice of the best model."""
    logged = []

    class Tracker(TrainerCallback):
        def on_log(self, _args, _state, _control, logs, **_):
            logged.extend(logs[name] for name in logs if name == "eval_sari")

    chosen = {"metric_for_best_model": "sari", "load_best_model_at_end": True, "learning_rate": 0.5}
    often = {"max_steps": 6, "eval_on_start": True, "save_strategy": "steps", "save_steps": 1, "save_only_model": True}
    callbacks = [EarlyStoppingCallback(early_stopping_patience=1), Tracker()]
    trainer = plain(tmp_path, tokenizer, rows, callbacks=callbacks, **chosen, **often)
    attach(sari, trainer)
    trainer.train()
    scores = [entry["eval_sari"] for entry in trainer.state.log_history if "eval_sari" in entry]
    assert scores == logged
    assert 2 < len(scores) < 7
    assert trainer.state.best_metric == max(scores[1:])
    assert trainer.evaluate()["eval_sari"] == max(scores[1:])


def test_training_goes_on_as_without_it(sari, tokenizer, rows, tmp_path):
    found = []
    for options in (None, {}, {"generation_kwargs": {"do_sample": True, "max_new_tokens": 8}}):
        trainer = plain(tmp_path, tokenizer, rows, max_steps=3, logging_steps=1)
        if options is not None:
            attach(sari, trainer, **options)
        trainer.train()
        losses = [entry[name] for entry in trainer.state.log_history for name in ("loss", "eval_loss") if name in entry]
        states = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
        parameters = [parameter.tolist() for parameter in trainer.model.parameters()]
        found.append((losses, states, parameters, trainer.model.generation_config.to_dict()))
    assert len(losses) == 6
    assert found[0] == found[1] == found[2]


def test_the_set_in_whose_evaluations_the_scores_stand(sari, tokenizer, rows, texts, tmp_path):
    sets = {"news": rows, "web": rows.select([0])}
    trainer = plain(tmp_path, tokenizer, sets)
    for name in (None, "books"):
        with pytest.raises(ValueError, match=r"^evaluation_set: got (None|books), expected .*'news', 'web'"):
            attach(sari, trainer, evaluation_set=name)
    attach(sari, trainer, evaluation_set="news")
    metrics = trainer.evaluate()
    assert of_evaluation(metrics, "eval_news") == expected_scores(sari, texts)
    assert "eval_web_sari" not in metrics
    single = plain(tmp_path, tokenizer, rows)
    with pytest.raises(ValueError, match=r"^evaluation_set: got news, expected a set of the Trainer: \[None\]"):
        attach(sari, single, evaluation_set="news")
    attach(sari, single)
    assert of_evaluation(single.evaluate(rows.select([0]))) == expected_scores(sari, texts)
    for metrics in (single.evaluate(metric_key_prefix="test"), single.predict(rows).metrics):
        assert not [name for name in metrics if name.endswith("_sari")]
    single.eval_dataset = sets
    with pytest.raises(
        ValueError, match=r"^evaluation_set: got None, expected a set of the Trainer: \['news', 'web'\]"
    ):
        single.evaluate()


def test_metrics_of_these_names_are_not_replaced(sari, tokenizer, rows, tmp_path):
    trainer = plain(tmp_path, tokenizer, rows)
    attach(sari, trainer)
    attach(sari, trainer)
    with pytest.raises(
        ValueError, match=r"^metrics: got eval_sari, eval_keep, eval_delete, eval_add already, expected "
    ):
        trainer.evaluate()


# ---- Prompts and generation ------------------------------------------------------------------------------------------


def test_a_chat_whose_answer_is_begun(sari, tokenizer, rows, tmp_path):
    trainer = plain(tmp_path, tokenizer, rows)
    attach(
        sari,
        trainer,
        prompts=lambda source: [*asked(source), {"role": "assistant", "content": "So:"}],
        chat_template_kwargs={"thinking": True, "continue_final_message": True},
        postprocess=lambda text: text[3:],
    )
    texts = generated(
        trainer.model, tokenizer, [f"[think][user] {source} [assistant] So:" for source in SOURCES], **SHORT
    )
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, [text[3:] for text in texts])


def test_no_second_beginning(sari, rows, tmp_path):
    """Prompts may begin with the token that the tokenizer adds, too."""
    tokenizer, scores = make_tokenizer(begins=True), []
    for prompt in (PROMPT.format, f"{tokenizer.bos_token}{PROMPT}".format):
        trainer = plain(tmp_path, tokenizer, rows)
        attach(sari, trainer, prompts=prompt)
        scores.append(of_evaluation(trainer.evaluate()))
    assert scores[0] == scores[1]


def test_prompts_that_are_too_long_lose_their_beginning(sari, tokenizer, rows, tmp_path):
    model = make_llama(tokenizer, max_position_embeddings=64)
    trainer = make_trainer(tmp_path, tokenizer, model, rows, kind=Trainer)
    with sari.collect_warnings() as collected:
        attach(sari, trainer, prompts=[f"{source} " * 5 for source in SOURCES])
    (warning,) = [one for one in collected if type(one).__name__ == "TrainingWarning"]
    assert warning.detail == "10 of 10 have more than 56 tokens"
    texts = []
    for source in SOURCES:
        ids = torch.tensor([tokenizer(f"{source} " * 5, add_special_tokens=False)["input_ids"][-56:]])
        made = model.generate(input_ids=ids, do_sample=False, pad_token_id=0, **SHORT)[0, 56:]
        texts.append(tokenizer.decode(made, skip_special_tokens=True).strip())
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


CONFIGS = {
    "a dict": SHORT,
    "a config": {"generation_config": GenerationConfig(**SHORT)},
    "more than tokens": {**SHORT, "return_dict_in_generate": True, "output_scores": True},
    "one to sample from": {**SHORT, "do_sample": True, "top_k": 1},
}


@pytest.mark.parametrize("name", CONFIGS)
def test_nothing_is_sampled_unless_asked(sari, tokenizer, rows, texts, tmp_path, name):
    trainer = plain(tmp_path, tokenizer, rows)
    trainer.model.generation_config = GenerationConfig(do_sample=True, temperature=9.0, eos_token_id=1)
    attach(sari, trainer, generation_kwargs=CONFIGS[name])
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


@pytest.mark.parametrize(("given", "new"), [({}, 128), ({"max_length": 60}, None)])
def test_texts_end_at_128_tokens_unless_a_length_is_given(sari, tokenizer, rows, tmp_path, given, new):
    trainer = plain(tmp_path, tokenizer, rows)
    trainer.model.generation_config.eos_token_id = None
    attach(sari, trainer, generation_kwargs=given, sources=SOURCES[:2], references=REFERENCES[:2], batch_size=1)
    limit = {"max_new_tokens": new} if new else {"max_length": 60}
    assert of_evaluation(trainer.evaluate()) == expected_scores(
        sari, generated(trainer.model, tokenizer, PROMPTS[:2], **limit)
    )


def test_warnings_about_texts_are_given_once(sari, tokenizer, rows, tmp_path):
    trainer, found = plain(tmp_path, tokenizer, rows), []
    attach(sari, trainer, postprocess=lambda _: "")
    for _ in range(2):
        with sari.collect_warnings() as collected:
            trainer.evaluate()
        found.append([type(warning).__name__ for warning in collected])
    assert "EmptyOutputsWarning" in found[0]
    assert found[1] == []


def answered(source):
    return [*asked(source), {"role": "assistant", "content": "Simple."}]


BAD = [
    ({"sources": [], "references": []}, r"sources: got no rows, expected at least one"),
    ({"references": LABELS[1:]}, r"references: got 9 rows, expected 10 \(as in sources\)"),
    ({"batch_size": 0}, r"batch_size: got 0, expected a whole number of at least 1"),
    ({"prompts": answered}, r"prompts\[0\]: got a chat that ends with its answer, expected what is before it"),
    ({"prompts": 5}, r"prompts: got 5, expected a list, or a function from a source to a prompt"),
    ({"prompts": ["a"]}, r"prompts: got 1 rows, expected 10 \(as in sources\)"),
    ({"prompts": lambda _: 5}, r"prompts\[0\]: got 5, expected a str or a list of messages"),
    ({"postprocess": lambda _: None}, r"postprocess\[0\]: got NoneType, expected str"),
    (
        {"generation_kwargs": {"max_new_tokens": 2048}},
        r"generation_kwargs: got max_new_tokens=2048, expected fewer than",
    ),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_what_is_refused_at_once(sari, tokenizer, rows, tmp_path, options, message):
    trainer = plain(tmp_path, tokenizer, rows)
    with pytest.raises(ValueError, match=f"^{message}"):
        attach(sari, trainer, **options)


def test_what_a_trainer_must_have(sari, rows, tmp_path):
    tokenizer, model = make_tokenizer(), make_llama(make_tokenizer())
    tokenizer.pad_token = tokenizer.eos_token = None
    trainer = make_trainer(tmp_path, tokenizer, model, rows, kind=Trainer)
    with pytest.raises(
        ValueError, match=r"^processing_class: got no pad_token and no eos_token, expected one to pad with"
    ):
        attach(sari, trainer)
    trainer = plain(tmp_path, make_tokenizer(), rows)
    attach(sari, trainer, generation_kwargs={"num_beams": 2, "num_return_sequences": 2})
    with pytest.raises(ValueError, match=r"^generation_kwargs: got 6 texts for 3 prompts, expected one each"):
        trainer.evaluate()


# ---- The reward, the examples and the page ---------------------------------------------------------------------------


@pytest.mark.parametrize("prompt", [PROMPT.format, asked], ids=["plain", "chat"])
def test_reinforcement(sari, tokenizer, tmp_path, prompt):
    reward, seen = sari.reward(), []

    def watched(**given):
        rewards = reward(**given)
        seen.extend(zip(given["source"], given["references"], given["completions"], rewards, strict=True))
        return rewards

    given = {"prompts": list(map(prompt, SOURCES)), "references": [*REFERENCES[:5], [], *REFERENCES[6:]]}
    tokenizer.padding_side = "left"
    trainer = grpo(tmp_path, tokenizer, None, reward, watched, **given, max_steps=5, eval_strategy="no")
    trainer.train()
    assert len(seen) == 20
    assert sum("rewards/sari_easse/mean" in entry for entry in trainer.state.log_history) == 5
    for source, references, completion, value in seen:
        text = completion if isinstance(completion, str) else completion[-1]["content"]
        own = {"sources": [source], "predictions": [text], "references": [references or ["-"]], "variant": "easse"}
        assert value == (sari.compute(**own)["sari"] / 100 if references else None)


@pytest.mark.parametrize("name", ["train.py", "train_llm.py"])
def test_the_examples_of_training(capsys, monkeypatch, tmp_path, name):
    output = output_of_example(capsys, monkeypatch, tmp_path, name, "--epochs", "1", "--sentences", "160")
    before, after = map(float, re.search(r"SARI before training (\S+), after (\S+)\n$", output).groups())
    assert after >= before


def test_the_example_of_a_reward(capsys, monkeypatch, tmp_path):
    output = output_of_example(capsys, monkeypatch, tmp_path, "train_reward.py", "--steps", "2")
    assert len(re.findall(r"^step \d: mean reward 0\.\d{4}$", output, re.MULTILINE)) == 2


def test_the_programs_of_the_page(monkeypatch, tmp_path, sari, tokenizer):
    """The blocks of docs/training.md run one after the other, as they are."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    page = page.replace("path/to/sari.py", str(ROOT / "sari.py"))
    rows, llms = Dataset.from_dict({"source": SOURCES, "references": REFERENCES}), ("llm", "reference_llm")
    names = {"tokenizer": tokenizer, "rows": rows, "model": make_t5(tokenizer)}
    names |= {name: make_llama(tokenizer, initializer_range=0.02) for name in llms}
    blocks = re.findall(r"^```python\n(?!>>>)(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    with sari.collect_warnings():
        for block in blocks:
            exec(block, names)
            logged = {name for entry in names["trainer"].state.log_history for name in entry}
            assert logged & {"eval_sari", "rewards/sari_easse/mean"}
