"""The callback: what it generates and scores in real Trainers, and what it says before training."""

import logging

import pytest
import torch
from tiny_trainers import (
    PROMPT,
    REFERENCES,
    SOURCES,
    TEXTS,
    expected_scores,
    make_causal_dataset,
    make_llama,
    make_model,
    make_tokenizer,
    make_trainer,
    of_evaluation,
)
from transformers import EarlyStoppingCallback, GenerationConfig, GPT2Config, GPT2LMHeadModel, TrainerCallback
from transformers.utils.logging import warning_once

TARGETS = [row[0] for row in REFERENCES]
CHAT = (
    "{% if thinking %}[think]{% endif %}{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }} "
    "{% endfor %}{% if add_generation_prompt %}[a]{% endif %}"
)


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture(scope="module")
def rows(tokenizer):
    return make_causal_dataset(tokenizer)


@pytest.fixture(scope="module")
def memorised(tokenizer, rows, tmp_path_factory):
    """Return a model that knows every answer by heart."""
    arguments = {"num_train_epochs": 70, "learning_rate": 1e-2, "per_device_train_batch_size": len(SOURCES)}
    folder, model = tmp_path_factory.mktemp("memorised"), make_llama(tokenizer)
    make_trainer(folder, tokenizer, model=model, eval_dataset=rows, generate=False, **arguments).train()
    return model.eval()


def asks(source):
    return [{"role": "user", "content": source}]


def generated(model, tokenizer, prompts, new=128, **options):
    """Return what a model makes of prompts, one by one: what the callback should score."""
    texts = []
    for prompt in prompts:
        ids = torch.tensor([tokenizer(prompt, **options)["input_ids"]])
        ids = ids[:, :-1] if ids[0, -1] == tokenizer.eos_token_id else ids
        with torch.no_grad():
            made = model.generate(input_ids=ids, max_new_tokens=new, do_sample=False, pad_token_id=0)
        texts.append(tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True).strip())
    return texts


def make_callback(sari, tokenizer, **options):
    given = {"sources": SOURCES, "references": REFERENCES, "prompts": PROMPT.format, **options}
    return sari.generation_callback(tokenizer, **given)


def with_callbacks(folder, tokenizer, model, *callbacks, eval_dataset=None, **options):
    """Return a Trainer that gets callbacks when it is made."""
    rows = make_causal_dataset(tokenizer) if eval_dataset is None else eval_dataset
    options = {"max_steps": 1, "eval_strategy": "epoch", **options}
    callbacks = list(callbacks)
    return make_trainer(
        folder, tokenizer, model=model, eval_dataset=rows, generate=False, callbacks=callbacks, **options
    )


def collected(sari, function):
    with sari.collect_warnings() as found:
        function()
    return [str(warning) for warning in found if type(warning).__name__ == "TrainingWarning"]


def test_what_is_generated_is_scored(sari, tokenizer, memorised, rows, tmp_path):
    callback = make_callback(sari, tokenizer, batch_size=4)
    assert isinstance(callback, TrainerCallback)
    trainer = with_callbacks(tmp_path, tokenizer, memorised, callback, eval_dataset=rows)
    answers = generated(memorised, tokenizer, map(PROMPT.format, SOURCES))
    assert answers == tokenizer.batch_decode(tokenizer(TARGETS)["input_ids"], skip_special_tokens=True)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, answers)
    assert of_evaluation(trainer.state.log_history[-1]) == expected_scores(sari, answers)
    log = trainer.log
    trainer.log = lambda logs, *others: log(dict(logs), *others)  # as a subclass may
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, answers)


@pytest.mark.filterwarnings("ignore:the variant gives a delete score of 100:UserWarning")
def test_an_encoder_decoder(sari, tokenizer, tmp_path):
    model = make_model(tokenizer, extra_outputs=0).eval()
    callback = make_callback(
        sari.with_options(variant="hf"), tokenizer, prompts=None, generation_kwargs={"max_new_tokens": 9}
    )
    texts = []
    for source in SOURCES:
        ids = torch.tensor([tokenizer(source)["input_ids"]])
        made = model.generate(input_ids=ids, max_new_tokens=9, do_sample=False)
        texts.append(tokenizer.decode(made[0], skip_special_tokens=True).strip())
    found = make_trainer(tmp_path, tokenizer, model=model, callbacks=[callback]).evaluate()
    assert of_evaluation(found) == expected_scores(sari, texts, variant="hf")


@pytest.mark.parametrize("known", [True, False])
def test_early_stopping_and_the_best_model(sari, tokenizer, tmp_path, known):
    """Also where the other callbacks stand before; what they log has the scores if the callback knows the Trainer."""
    logged, options = [], {"generation_kwargs": {"max_new_tokens": 16}}

    class Logger(TrainerCallback):
        def on_log(self, _args, _state, _control, logs, **_):
            logged.extend(logs)

    trainer = with_callbacks(
        tmp_path,
        tokenizer,
        make_llama(tokenizer),
        Logger(),
        EarlyStoppingCallback(early_stopping_patience=1),
        *([] if known else [make_callback(sari, tokenizer, **options)]),
        **{"num_train_epochs": 6, "max_steps": -1, "save_strategy": "epoch", "load_best_model_at_end": True},
        metric_for_best_model="sari",
        learning_rate=0.5,  # which leads nowhere
    )
    if known:
        trainer.add_callback(make_callback(sari, tokenizer, trainer=trainer, **options))
    trainer.train()
    scores = [entry["eval_sari"] for entry in trainer.state.log_history if "eval_sari" in entry]
    assert 2 <= len(scores) < 6
    assert logged.count("eval_sari") == (len(scores) if known else 0)
    assert trainer.state.best_metric == max(scores)
    assert trainer.evaluate()["eval_sari"] == max(scores)


def test_a_second_trainer(sari, tokenizer, memorised, rows, tmp_path):
    """A callback needs to know no Trainer, and may serve several."""
    callback = make_callback(sari, tokenizer, generation_kwargs={"max_new_tokens": 4})
    first = with_callbacks(tmp_path, tokenizer, memorised, callback, eval_dataset=rows)
    second = with_callbacks(tmp_path, tokenizer, make_llama(tokenizer), callback, eval_dataset=rows)
    scores = [of_evaluation(trainer.evaluate()) for trainer in (first, second, first)]
    assert scores[0] == scores[2] != scores[1]


def test_what_repeated_evaluations_warn_of(sari, tokenizer, memorised, rows, tmp_path):
    callback = make_callback(sari, tokenizer, postprocess=lambda _: "")
    trainer = with_callbacks(tmp_path, tokenizer, memorised, callback, eval_dataset=rows)
    trainer.compute_metrics = sari.compute_metrics(tokenizer, **TEXTS)
    found = []
    for _ in range(2):
        with sari.collect_warnings() as warned:
            trainer.evaluate()
        found.append([str(warning) for warning in warned])
    assert "compute_metrics or another callback writes eval_sari too: use one of them." in found[0]
    assert "some outputs are empty" in found[0]
    assert not found[1]


def test_sets_by_name_and_chats(sari, memorised, rows, tmp_path):
    tokenizer = make_tokenizer()
    tokenizer.chat_template = CHAT
    parts = {"first": slice(0, 4), "second": slice(4, 10)}
    columns = TEXTS
    callback = make_callback(
        sari,
        tokenizer,
        **{column: {name: texts[part] for name, part in parts.items()} for column, texts in columns.items()},
        prompts=lambda source: [*asks(source), {"role": "assistant", "content": "So:"}],
        generation_kwargs={"max_new_tokens": 12},
        chat_template_kwargs={"thinking": True, "continue_final_message": True},
        postprocess=lambda text: text[3:],
    )
    sets = {name: rows.select(range(10)[part]) for name, part in parts.items()}
    trainer = with_callbacks(tmp_path, tokenizer, memorised, callback, eval_dataset=sets)
    metrics = trainer.evaluate()
    for name, part in parts.items():
        prompts = [f"[think][user] {source} [assistant] So:" for source in SOURCES[part]]
        texts = generated(memorised, tokenizer, prompts, new=12, add_special_tokens=False)
        texts = [text[3:] for text in texts]
        expected = expected_scores(sari, texts, SOURCES[part], REFERENCES[part])
        assert of_evaluation(metrics, f"eval_{name}") == expected
    (warned,) = collected(sari, lambda: trainer.evaluate(sets["first"].select([0])))
    assert warned.startswith("Nothing was generated for eval: ")


def test_prompts_that_are_too_long_lose_their_beginning(sari, tokenizer, rows, tmp_path):
    sizes = {"n_positions": 64, "n_embd": 32, "n_layer": 1, "n_head": 2, "eos_token_id": 1, "bos_token_id": None}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), **sizes)).eval()
    short = rows.select([0]).map(
        lambda row: {name: row[name][:9] for name in ("input_ids", "attention_mask", "labels")}
    )
    prompts = [" ".join([source] * 5) for source in SOURCES]
    callback = make_callback(sari, tokenizer, prompts=prompts, generation_kwargs={"max_new_tokens": 20})
    trainer = with_callbacks(tmp_path, tokenizer, model, callback, eval_dataset=short)
    message = "10 of 10 prompts lose their beginning: the model takes 44 tokens. "
    assert message + "Shorten them, or max_new_tokens, which is 20." in collected(sari, trainer.train)
    texts = []
    for prompt in prompts:
        ids = torch.tensor([tokenizer(prompt)["input_ids"][:-1][-44:]])
        made = model.generate(input_ids=ids, max_new_tokens=20, do_sample=False, pad_token_id=0)
        texts.append(tokenizer.decode(made[0, 44:], skip_special_tokens=True).strip())
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)
    callback = make_callback(sari, tokenizer, generation_kwargs={"max_new_tokens": 64})
    with pytest.raises(
        ValueError, match=r"^generation_kwargs: got max_new_tokens=64, expected fewer than the model's 64"
    ):
        with_callbacks(tmp_path, tokenizer, model, callback, eval_dataset=short).train()


def test_no_second_beginning(sari, memorised, rows, tmp_path):
    """Prompts that a template was applied to begin with the token that the tokenizer adds, too."""
    tokenizer = make_tokenizer(begins=True)
    scores = []
    for prompt in (PROMPT.format, f"{tokenizer.bos_token}{PROMPT}".format):
        callback = make_callback(sari, tokenizer, prompts=prompt, generation_kwargs={"max_new_tokens": 12})
        trainer = with_callbacks(tmp_path, tokenizer, memorised, callback, eval_dataset=rows)
        scores.append(of_evaluation(trainer.evaluate()))
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    "kwargs",
    [
        {"max_new_tokens": 9},
        {"generation_config": GenerationConfig(max_new_tokens=9)},
        {"generation_config": {"max_new_tokens": 9}},
        {"max_new_tokens": 9, "return_dict_in_generate": True, "output_scores": True},
        {"max_new_tokens": 9, "do_sample": True, "top_k": 1},
    ],
    ids=["dict", "config", "dict as config", "more than tokens", "asked to sample"],
)
def test_nothing_is_sampled_unless_asked(sari, tokenizer, memorised, rows, monkeypatch, caplog, tmp_path, kwargs):
    expected = expected_scores(sari, generated(memorised, tokenizer, map(PROMPT.format, SOURCES), new=9))
    monkeypatch.setattr(
        memorised, "generation_config", GenerationConfig(do_sample=True, temperature=9.0, eos_token_id=1)
    )
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    warning_once.cache_clear()
    random = []
    for callbacks in ([], [make_callback(sari, tokenizer, generation_kwargs=kwargs)]):
        trainer = with_callbacks(tmp_path, tokenizer, memorised, *callbacks, eval_dataset=rows)
        torch.manual_seed(1)
        metrics = trainer.evaluate()
        random.append(torch.random.get_rng_state())
    assert of_evaluation(metrics) == expected
    assert torch.equal(*random)  # training goes on as without the callback
    assert not [message for message in caplog.messages if "together with" in message]


# ---- What is said before training ------------------------------------------------------------------------------------

SETS = {"sources": {"news": SOURCES, "web": SOURCES}, "references": {"news": TARGETS, "web": TARGETS}}
BEFORE = [
    ({**SETS}, {}, r"^sources: got sets news, web, expected one set$"),
    ({**SETS}, {"sets": ["news"]}, r"^sources: got sets news, web, expected a dict of the Trainer's sets news$"),
    ({}, {"sets": ["news"]}, r"^sources: got one set, expected a dict of the Trainer's sets news$"),
    (
        {**SETS},
        {"sets": ["web", "news"], "metric_for_best_model": "sari"},
        r"^metric_for_best_model: got sari, expected news_sari, web_sari$",
    ),
    ({}, {"metric_for_best_model": "news_sari"}, r"^metric_for_best_model: got news_sari, expected sari$"),
    ({"postprocess": lambda text: int(text)}, {}, r"^invalid literal for int\(\)"),
    ({"postprocess": lambda _: None}, {}, r"^postprocess\[0\]: got NoneType, expected str$"),
    ({"prompts": asks}, {}, r"^tokenizer: got no chat_template, expected one, for prompts of messages$"),
    ({"generation_kwargs": {"max_tokens": 3}}, {}, r"model_kwargs.*max_tokens"),
    (
        {"generation_kwargs": {"num_beams": 2, "num_return_sequences": 2}},
        {},
        r"^generation_kwargs: got 2 texts for 1 prompts, expected one each: num_return_sequences=1$",
    ),
]


@pytest.mark.parametrize(("options", "arguments", "message"), BEFORE, ids=[message[:40] for *_, message in BEFORE])
def test_what_cannot_be_scored_is_said_before_training(sari, tokenizer, rows, tmp_path, options, arguments, message):
    sets = arguments.pop("sets", None)
    callback = make_callback(sari, tokenizer, **options)
    trainer = with_callbacks(
        tmp_path,
        tokenizer,
        make_llama(tokenizer),
        callback,
        eval_dataset=dict.fromkeys(sets, rows) if sets else rows,
        **arguments,
    )
    callback.trainer = trainer  # without which nobody knows its sets
    with pytest.raises(ValueError, match=message):
        trainer.train()
    assert trainer.state.global_step == 0


def test_padding_and_ends(sari, rows, tmp_path):
    tokenizer = make_tokenizer()
    tokenizer.eos_token = None
    callback = make_callback(sari, tokenizer, generation_kwargs={"max_new_tokens": 2})
    model = make_llama(tokenizer, eos_token_id=None)
    trainer = with_callbacks(tmp_path, tokenizer, model, callback, eval_dataset=rows, eval_strategy="no")
    assert collected(sari, trainer.train) == [
        "The model has no eos_token_id, so that all texts run on to max_new_tokens: give the tokenizer an eos_token.",
        'eval_strategy is "no": only trainer.evaluate() will generate.',
    ]
    bare = make_tokenizer()
    bare.pad_token = bare.eos_token = None
    trainer = with_callbacks(tmp_path, make_tokenizer(), model, make_callback(sari, bare), eval_dataset=rows)
    with pytest.raises(ValueError, match=r"^tokenizer: got no pad_token and no eos_token, expected one to pad with$"):
        trainer.train()


def answered(source):
    """Return messages as TRL's column of that name has them, with the answer."""
    return [*asks(source), {"role": "assistant", "content": "Simple."}]


BAD = [
    ({"tokenizer": None}, r"^tokenizer: got NoneType, expected a tokenizer of transformers$"),
    ({"sources": [], "references": []}, r"^sources: got no rows, expected at least one$"),
    ({"sources": {}, "references": {}}, r"^sources: got an empty dict, expected at least one evaluation set$"),
    ({**SETS, "prompts": SOURCES}, r"^prompts: got list, expected a dict of the sets news, web$"),
    ({**SETS, "references": {"news": TARGETS, "web": []}}, r"^web: references: got 0 rows, expected 10"),
    ({"batch_size": 0}, r"^batch_size: got 0, expected a whole number of at least 1$"),
    ({"generation_kwargs": "greedy"}, r"^generation_kwargs: got greedy, expected a dict of arguments$"),
    (
        {"generation_kwargs": {"generation_config": "x"}},
        r"^generation_config: got x, expected a GenerationConfig or a dict$",
    ),
    ({"chat_template_kwargs": "no"}, r"^chat_template_kwargs: got no, expected a dict of arguments$"),
    ({"chat_template_kwargs": {"tokenize": True}}, r"^chat_template_kwargs: got tokenize, expected none: the callback"),
    ({"prompts": answered}, r"^prompts\[0\]: got a chat that ends with the answer, expected the messages before it$"),
    ({"prompts": 5}, r"^prompts: got 5, expected a list, or a function from a source to a prompt$"),
    ({"prompts": ["a"]}, r"^prompts: got 1 rows, expected 10 \(as in sources\)$"),
    ({"prompts": lambda _: 5}, r"^prompts\[0\]: got 5, expected a str or a list of messages$"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_arguments(sari, tokenizer, options, message):
    given = {"tokenizer": tokenizer, "sources": SOURCES, "references": REFERENCES, **options}
    with pytest.raises(ValueError, match=message):
        sari.generation_callback(**given)
