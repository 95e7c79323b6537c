"""Models that only decode: the hook aligns or refuses, the callback generates and scores."""

import logging
import pickle

import pytest
import torch
from datasets import Dataset
from tiny_trainers import OUTPUTS, REFERENCES, SCORES, SOURCES, make_tokenizer
from transformers import (
    DataCollatorForSeq2Seq,
    GenerationConfig,
    LlamaConfig,
    LlamaForCausalLM,
    Trainer,
    TrainingArguments,
    set_seed,
)
from transformers.utils.logging import warning_once

PROMPT = "Simplify: {} Simple:"
CHAT = (
    "{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}[a]{% endif %}"
)
TARGETS = [row[0] for row in REFERENCES]


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


def make_llama(tokenizer):
    set_seed(5)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=512,
            pad_token_id=0,
            eos_token_id=1,
            bos_token_id=None,
        )
    )


def rows_of(tokenizer, *, masked=True):
    """Return prompts and answers in one, as language models are trained, with or without the prompt among labels."""
    rows = []
    for source, target in zip(SOURCES, TARGETS, strict=True):
        prompt = tokenizer(PROMPT.format(source))["input_ids"][:-1]
        answer = tokenizer(target)["input_ids"]
        ids = prompt + answer
        labels = [-100] * len(prompt) + answer if masked else list(ids)
        rows.append({"input_ids": ids, "attention_mask": [1] * len(ids), "labels": labels})
    return Dataset.from_list(rows)


def make_trainer(folder, tokenizer, model=None, *, masked=True, train=False, **options):
    arguments = {
        "output_dir": str(folder),
        "per_device_train_batch_size": 5,
        "per_device_eval_batch_size": 4,
        "report_to": "none",
        "use_cpu": True,
        "disable_tqdm": True,
        "save_strategy": "no",
    } | options.pop("arguments", {})
    return Trainer(
        model=model or make_llama(tokenizer),
        args=TrainingArguments(**arguments),
        train_dataset=rows_of(tokenizer, masked=masked) if train else None,
        eval_dataset=rows_of(tokenizer, masked=masked),
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
        **options,
    )


@pytest.fixture(scope="module")
def memorised(tokenizer, tmp_path_factory):
    """Return a model that knows every answer by heart."""
    arguments = {"num_train_epochs": 70, "learning_rate": 1e-2, "logging_strategy": "no"}
    arguments |= {"per_device_train_batch_size": len(SOURCES)}
    trainer = make_trainer(tmp_path_factory.mktemp("memorised"), tokenizer, train=True, arguments=arguments)
    trainer.train()
    return trainer.model.eval()


def of_evaluation(metrics, prefix="eval"):
    return {name: metrics[f"{prefix}_{name}"] for name in SCORES}


def generated(model, tokenizer, prompts):
    """Return what a model makes of prompts, one by one: what the callback should see."""
    texts = []
    for prompt in prompts:
        ids = torch.tensor([tokenizer(prompt)["input_ids"][:-1]])
        with torch.no_grad():
            made = model.generate(input_ids=ids, max_new_tokens=128, do_sample=False, pad_token_id=0)
        texts.append(tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True).strip())
    return texts


@pytest.fixture(scope="module")
def answers(memorised, tokenizer):
    """Return what that model generates."""
    return generated(memorised, tokenizer, map(PROMPT.format, SOURCES))


# ---- The hook --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [{}, {"batch_eval_metrics": True}, {"eval_do_concat_batches": False}], ids=str)
@pytest.mark.parametrize("reduced", [True, False])
def test_logits_of_a_memorised_set_score_as_what_is_generated(
    sari, tokenizer, memorised, answers, tmp_path, reduced, arguments
):
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
    trainer = make_trainer(
        tmp_path,
        tokenizer,
        memorised,
        arguments=arguments,
        compute_metrics=hook,
        preprocess_logits_for_metrics=hook.preprocess_logits_for_metrics if reduced else None,
    )
    assert answers == tokenizer.batch_decode(tokenizer(TARGETS)["input_ids"], skip_special_tokens=True)
    expected = sari.compute(sources=SOURCES, predictions=answers, references=REFERENCES)
    assert of_evaluation(trainer.evaluate()) == expected


def test_ids_that_are_one_off_are_refused(sari, tokenizer, memorised, tmp_path):
    trainer = make_trainer(
        tmp_path,
        tokenizer,
        memorised,
        compute_metrics=sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES),
        preprocess_logits_for_metrics=lambda logits, _labels: logits.argmax(-1),
    )
    with pytest.raises(ValueError, match=r"^predictions: got token ids that do not stand where labels do, wanted"):
        trainer.evaluate()


@pytest.mark.parametrize(
    ("batch_size", "arguments"),
    [(1, {}), (4, {}), (10, {}), (1, {"batch_eval_metrics": True}), (1, {"eval_do_concat_batches": False})],
    ids=str,
)
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("reduced", [True, False])
def test_labels_of_which_some_hold_prompts_are_refused(sari, memorised, tmp_path, reduced, side, batch_size, arguments):
    """One row is not masked, the longest: padded on the left, the others of its batch begin with -100 anyway."""
    tokenizer = make_tokenizer()
    tokenizer.padding_side = side
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
    trainer = make_trainer(
        tmp_path,
        tokenizer,
        memorised,
        compute_metrics=hook,
        preprocess_logits_for_metrics=hook.preprocess_logits_for_metrics if reduced else None,
        arguments={"per_device_eval_batch_size": batch_size, **arguments},
    )
    rows, whole = trainer.eval_dataset.to_list(), rows_of(tokenizer, masked=False)
    longest = max(range(len(rows)), key=lambda row: len(rows[row]["labels"]))
    rows[longest] = whole[longest]
    trainer.eval_dataset = Dataset.from_list(rows)
    with pytest.raises(ValueError, match=r"^label_ids: got -100 at the beginning of \d of \d+ rows, wanted it in all"):
        trainer.evaluate()


@pytest.mark.parametrize("include", [[], ["inputs"]])
def test_labels_with_prompts_are_refused(sari, tokenizer, memorised, tmp_path, include):
    hook = sari.compute_metrics(tokenizer, **({} if include else {"sources": SOURCES, "references": REFERENCES}))
    trainer = make_trainer(
        tmp_path,
        tokenizer,
        memorised,
        masked=False,
        compute_metrics=hook,
        preprocess_logits_for_metrics=hook.preprocess_logits_for_metrics,
        arguments={"include_for_metrics": include},
    )
    with pytest.raises(ValueError, match=r"^label_ids: got labels that hold the source as well, in 10 of 10 rows"):
        trainer.evaluate()


def test_inputs_with_answers_are_no_sources(sari, tokenizer, memorised, tmp_path):
    hook = sari.compute_metrics(tokenizer)
    trainer = make_trainer(
        tmp_path,
        tokenizer,
        memorised,
        compute_metrics=hook,
        preprocess_logits_for_metrics=hook.preprocess_logits_for_metrics,
        arguments={"include_for_metrics": ["inputs"]},
    )
    with pytest.raises(ValueError, match=r"^sources: got none, wanted the raw sources"):
        trainer.evaluate()


def test_a_reordering_sampler_is_named(sari, tokenizer, memorised, tmp_path):
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
    trainer = make_trainer(
        tmp_path,
        tokenizer,
        memorised,
        compute_metrics=hook,
        preprocess_logits_for_metrics=hook.preprocess_logits_for_metrics,
        arguments={"train_sampling_strategy": "group_by_length"},
    )
    with pytest.raises(ValueError, match=r"^references: wanted the order .* \(a sampler such as group_by_length"):
        trainer.evaluate()


def test_the_hook_and_its_kin_pickle(sari, tokenizer):
    hook = pickle.loads(pickle.dumps(sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)))
    assert callable(hook)
    callback = pickle.loads(pickle.dumps(sari.generation_callback(tokenizer, sources=SOURCES, references=TARGETS)))
    assert callback.on_train_begin() is None
    reward = pickle.loads(pickle.dumps(sari.reward(unit=True)))
    given = {"completions": OUTPUTS, "source": SOURCES, "references": REFERENCES}
    assert reward(**given) == sari.reward(unit=True)(**given)


# ---- The callback ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [1, 3, 16])
@pytest.mark.parametrize("training", [True, False])
def test_the_callback_scores_what_is_generated(sari, tokenizer, memorised, answers, tmp_path, batch_size, training):
    callback = sari.generation_callback(
        tokenizer,
        sources=SOURCES,
        references=REFERENCES,
        prompts=PROMPT.format,
        batch_size=batch_size,
        variant="easse",
    )
    trainer = make_trainer(tmp_path, tokenizer, memorised, callbacks=[callback])
    memorised.train(training)
    memorised.lm_head.train(not training)
    before, random = [part.training for part in memorised.modules()], torch.random.get_rng_state()
    metrics = {"eval_runtime": 1.0}
    callback.on_evaluate(trainer.args, trainer.state, trainer.control, model=memorised, metrics=metrics)
    assert [part.training for part in memorised.modules()] == before
    assert torch.equal(torch.random.get_rng_state(), random)
    memorised.eval()
    expected = sari.compute(sources=SOURCES, predictions=answers, references=REFERENCES, variant="easse")
    assert of_evaluation(metrics) == expected
    assert of_evaluation(trainer.state.log_history[-1]) == expected


def test_the_best_model_is_chosen_and_loaded(sari, tokenizer, tmp_path):
    callback = sari.generation_callback(
        tokenizer,
        sources=SOURCES,
        references=REFERENCES,
        prompts=PROMPT.format,
        generation={"max_new_tokens": 16},
        variant="easse",
    )
    arguments = {
        "num_train_epochs": 3,
        "learning_rate": 5e-3,
        "eval_strategy": "epoch",
        "save_strategy": "epoch",
        "load_best_model_at_end": True,
        "metric_for_best_model": "sari",
    }
    trainer = make_trainer(tmp_path, tokenizer, train=True, callbacks=[callback], arguments=arguments)
    callback.trainer = trainer
    trainer.train()
    scores = [entry["eval_sari"] for entry in trainer.state.log_history if "eval_sari" in entry]
    assert len(scores) == 3
    assert trainer.state.best_metric == max(scores)
    assert trainer.evaluate()["eval_sari"] == max(scores)


def test_sets_by_name_and_chats(sari, memorised, tmp_path):
    tokenizer = make_tokenizer()
    tokenizer.chat_template = CHAT
    parts = {"first": slice(0, 4), "second": slice(4, 10)}
    callback = sari.generation_callback(
        tokenizer,
        sources={name: SOURCES[part] for name, part in parts.items()},
        references={name: REFERENCES[part] for name, part in parts.items()},
        prompts=lambda source: [{"role": "user", "content": source}],
        generation={"max_new_tokens": 12, "do_sample": False},
        variant="easse",
    )
    trainer = make_trainer(tmp_path, tokenizer, memorised, callbacks=[callback])
    trainer.eval_dataset = {name: trainer.eval_dataset.select(range(10)[part]) for name, part in parts.items()}
    metrics = trainer.evaluate()
    for name, part in parts.items():
        texts = []
        for source in SOURCES[part]:
            ids = torch.tensor([tokenizer(f"[user] {source} [a]", add_special_tokens=False)["input_ids"]])
            made = memorised.generate(input_ids=ids, max_new_tokens=12, do_sample=False, pad_token_id=0)
            texts.append(tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True).strip())
        expected = sari.compute(sources=SOURCES[part], predictions=texts, references=REFERENCES[part], variant="easse")
        assert of_evaluation(metrics, f"eval_{name}") == expected


@pytest.mark.parametrize("how", ["dict", "config", "of the model"])
def test_parts_of_what_is_generated_are_no_texts(sari, tokenizer, memorised, monkeypatch, tmp_path, how):
    """A model that returns what else it knows of its tokens, too, is scored by its tokens."""
    asked, scores = {"max_new_tokens": 4, "do_sample": False}, []
    more = {**asked, "return_dict_in_generate": True, "output_scores": True}
    generation = {"dict": more, "config": GenerationConfig(**more), "of the model": asked}[how]
    for given in (asked, generation):
        callback = sari.generation_callback(tokenizer, sources=SOURCES, references=REFERENCES, generation=given)
        trainer = make_trainer(tmp_path, tokenizer, memorised, callbacks=[callback])
        metrics = {"eval_runtime": 1.0}
        callback.on_evaluate(trainer.args, trainer.state, trainer.control, model=memorised, metrics=metrics)
        scores.append(of_evaluation(metrics))
        if how == "of the model":
            monkeypatch.setattr(memorised.generation_config, "return_dict_in_generate", True)
    assert scores[0] == scores[1]


def test_chats_want_a_template_when_the_trainer_is_made(sari, memorised, tmp_path):
    tokenizer, wanted = (
        make_tokenizer(),
        r"^tokenizer: got no chat_template, wanted one, for prompts that are messages$",
    )
    callback = sari.generation_callback(
        tokenizer, sources=SOURCES, references=TARGETS, prompts=lambda source: [{"role": "user", "content": source}]
    )
    with pytest.raises(ValueError, match=wanted):
        make_trainer(tmp_path, tokenizer, memorised, callbacks=[callback])
    trainer = make_trainer(tmp_path, tokenizer, memorised)
    with pytest.raises(ValueError, match=wanted):
        callback.on_evaluate(trainer.args, trainer.state, None, model=memorised, metrics={"eval_runtime": 1.0})
    tokenizer.chat_template = CHAT
    make_trainer(tmp_path, tokenizer, memorised, callbacks=[callback])


def test_a_configuration_is_passed_alone(sari, tokenizer, memorised, monkeypatch, caplog, tmp_path):
    """What is padded with stands in a copy: transformers warns of arguments beside a configuration."""
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    warning_once.cache_clear()
    config = GenerationConfig(max_new_tokens=2)
    callback = sari.generation_callback(tokenizer, sources=SOURCES[:2], references=TARGETS[:2], generation=config)
    trainer = make_trainer(tmp_path, tokenizer, memorised, callbacks=[callback])
    callback.on_evaluate(trainer.args, trainer.state, trainer.control, model=memorised, metrics={"eval_runtime": 1.0})
    assert caplog.messages == []
    assert config.pad_token_id is None


def test_several_texts_that_the_model_returns_are_refused(sari, tokenizer, memorised, monkeypatch, tmp_path):
    monkeypatch.setattr(memorised.generation_config, "num_return_sequences", 2)
    monkeypatch.setattr(memorised.generation_config, "num_beams", 2)
    generation = {"max_new_tokens": 2}
    callback = sari.generation_callback(tokenizer, sources=SOURCES, references=REFERENCES, generation=generation)
    trainer = make_trainer(tmp_path, tokenizer, memorised, callbacks=[callback])
    with pytest.raises(ValueError, match=r"^generation: got 8 texts for 4 prompts, wanted one text for each prompt: "):
        callback.on_evaluate(trainer.args, trainer.state, trainer.control, model=memorised, metrics={"eval_runtime": 1})


ONE_SET = {"sources": {"a": SOURCES}, "references": {"a": REFERENCES}}


BAD = [
    ({"tokenizer": None}, r"^tokenizer: got NoneType, wanted a tokenizer of transformers$"),
    ({"sources": [], "references": []}, r"^sources, references: got no segments, wanted at least one$"),
    ({"sources": {}, "references": {}}, r"^sources: got a dict without an evaluation set, wanted at least one$"),
    ({"sources": {"a": SOURCES, "b": SOURCES}}, r"^references: got list, wanted a dict with .* each of a, b$"),
    ({**ONE_SET, "references": {"b": TARGETS}}, r"^references: got b, wanted a dict with a column for each of a$"),
    ({**ONE_SET, "prompts": {"b": SOURCES}}, r"^prompts: got b, wanted a dict with a column for each of a$"),
    ({**ONE_SET, "prompts": SOURCES}, r"^prompts: got list, wanted a dict with a column for each of a$"),
    ({"batch_size": 0}, r"^batch_size: got 0, wanted a whole number of at least 1"),
    ({"variant": "bleu"}, r"^variant: got 'bleu'"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_arguments(sari, tokenizer, options, message):
    given = {"tokenizer": tokenizer, "sources": SOURCES, "references": REFERENCES, **options}
    with pytest.raises((ValueError, TypeError), match=message):
        sari.generation_callback(**given)


def make_callback(sari, tokenizer):
    return sari.generation_callback(
        tokenizer,
        sources=SOURCES[:9],
        references=REFERENCES[:9],
        prompts=PROMPT.format,
        generation={"max_new_tokens": 10},
        batch_size=2,
        variant="xu2016",
        tokenize=lambda text: text.replace(",", " ,"),  # which does not pickle
    )


def test_two_processes(sari, tokenizer, tmp_path, two_processes):
    """Nine rows for two processes with batches of two: exactly the score of one process."""
    found = [(entry["processes"], entry["scores"]) for entry in two_processes if entry["case"] == "callback"]
    trainer = make_trainer(tmp_path, tokenizer, callbacks=[make_callback(sari, tokenizer)])
    assert found == [(2, of_evaluation(trainer.evaluate()))] * 2
