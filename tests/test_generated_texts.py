"""Texts attached to Trainers of transformers and TRL: the scores of what the model generates; the programs of docs."""

import copy
import random
import re
import runpy
import sys
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
import tiny_trainers as tiny
import torch
import transformers
from conftest import ROOT
from datasets import Dataset
from peft import LoraConfig, PromptTuningConfig, get_peft_model
from tiny_trainers import LABELS, PROMPT, REFERENCES, SOURCES, expected_scores, generated, make_llama, make_tokenizer
from tokenizers import processors

PROMPTS = list(map(PROMPT.format, SOURCES))
SHORT = {"max_new_tokens": 40}
# Models that know the references by heart, or nothing, cause warnings.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def sari(sari):
    return sari.with_options(variant="easse", max_order=2)


@pytest.fixture(scope="module")
def texts():
    """Return what `make_llama` generates for the prompts, one by one."""
    return generated(make_llama(), make_tokenizer(), PROMPTS, **SHORT)


@pytest.fixture
def trainer_of(tokenizer, tmp_path):
    """Return a function that makes a Trainer, by default of a language model that evaluates at both of its steps."""

    def make(model=None, dataset=None, **arguments):
        arguments = {"max_steps": 2, "eval_strategy": "steps", "eval_steps": 1, **arguments}
        given = model or make_llama(), dataset or tiny.make_causal_dataset(tokenizer)
        return tiny.make_trainer(tmp_path, tokenizer, *given, kind=transformers.Trainer, **arguments)

    return make


def attach(sari, trainer, **options):
    """Attach the texts to a Trainer and return it."""
    options = {"prompts": PROMPT.format, "generation_kwargs": SHORT, **options}
    sari.attach(trainer, **{"sources": SOURCES, "references": REFERENCES, **options})
    return trainer


# ---- What is generated -----------------------------------------------------------------------------------------------


def begin_answer(source):
    return [*tiny.ask(source), {"role": "assistant", "content": "So:"}]


BEGUN = {"chat_template_kwargs": {"thinking": True, "continue_final_message": True}, "prompts": begin_answer}
BEGUN_PROMPTS = [f"[think][user] {source} [assistant] So:" for source in SOURCES]
PROMPT_IDS = make_tokenizer()(PROMPTS, add_special_tokens=False)["input_ids"]
BEGINNING = [f"<unk>{prompt}" for prompt in PROMPTS]
TO_SIMPLIFY = [f"simplify: {source}" for source in SOURCES]
FIRST = {"sources": SOURCES[:2], "references": REFERENCES[:2]}
STOP = {**SHORT, "stop_strings": ["."]}
STOP_ELSEWHERE = {**STOP, "tokenizer": make_tokenizer(texts=[text[::-1] for text in SOURCES])}
SAMPLES = {"do_sample": True, "temperature": 9.0}
#: What the configuration of a model says, which holds unless it is about sampling, length and number.
OF_MODEL = {**SAMPLES, "num_beams": 3, "num_return_sequences": 3, "min_new_tokens": 30, "forced_bos_token_id": 7}


#: A model that generates something else after two beginnings, and as much as it may.
UNTRAINED = partial(make_llama, initializer_range=0.5)
LORA = LoraConfig(r=2, init_lora_weights=False, target_modules=["q_proj"])


def configured(make_model, **config):
    model = make_model()
    model.generation_config.update(**config)
    return model


def make_bart():
    """Return a model that generates something else where its inputs are padded on the left."""
    transformers.set_seed(1)
    sizes = {"vocab_size": 400, "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "init_std": 0.5}
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1, "decoder_start_token_id": 1}
    return transformers.BartForConditionalGeneration(transformers.BartConfig(**sizes, **ids))


MAKE_T5 = partial(configured, tiny.make_t5, **OF_MODEL, return_dict_in_generate=True)
STOPPED = partial(configured, make_llama, stop_strings=["."])
LONG = partial(configured, make_llama, min_length=90)  # which would count padding


class Case(NamedTuple):
    """Options of `attach`, the prompts one by one and what generates the same for them, and whether texts begin."""

    options: dict
    prompts: list
    same: dict = SHORT
    make_model: Callable = make_llama
    begins: bool = False


CASES = {
    "token ids": Case({"prompts": map(torch.tensor, PROMPT_IDS)}, PROMPTS),
    "a chat": Case({"prompts": tiny.ask}, [f"[user] {source} [a]" for source in SOURCES]),
    "an answer that is begun": Case({**BEGUN, "postprocess": lambda text: text[3:]}, BEGUN_PROMPTS),
    "no beginning": Case({}, BEGINNING, SHORT, UNTRAINED, begins=True),
    "a beginning": Case({"prompts": BEGINNING}, BEGINNING, SHORT, UNTRAINED, begins=True),
    "an end that is written": Case({"prompts": f"{PROMPT}</s>".format}, [f"{prompt}</s>" for prompt in PROMPTS]),
    "stop_strings": Case({}, PROMPTS, {**STOP, "tokenizer": make_tokenizer()}, STOPPED),
    "a least length": Case({}, PROMPTS, {**SHORT, "min_length": 0}, LONG),
    "a tokenizer for stop_strings": Case({"generation_kwargs": STOP_ELSEWHERE}, PROMPTS, STOP_ELSEWHERE),
    "no length": Case({"generation_kwargs": None, **FIRST}, PROMPTS[:2], {"max_new_tokens": 128}, UNTRAINED),
    "LoRA": Case({}, PROMPTS, make_model=lambda: get_peft_model(make_llama(), LORA)),
    "sources": Case({"prompts": None}, SOURCES, SHORT, MAKE_T5),
    "prompts": Case({"prompts": TO_SIMPLIFY}, TO_SIMPLIFY, SHORT, make_bart),
}


@pytest.mark.parametrize("name", CASES)
def test_the_model_generates_as_for_each_prompt_alone(sari, trainer_of, name):
    case = CASES[name]
    model, tokenizer = case.make_model(), make_tokenizer(case.begins)
    trainer = trainer_of(model, tiny.make_dataset(tokenizer) if model.config.is_encoder_decoder else None)
    trainer.processing_class = tokenizer
    same = {"num_return_sequences": 1, "return_dict_in_generate": False, **case.same}
    texts = list(map(case.options.get("postprocess", str), generated(model, tokenizer, case.prompts, **same)))
    metrics = attach(sari, trainer, **case.options).evaluate()
    assert tiny.of_evaluation(metrics) == expected_scores(sari, texts, range(len(texts)))


def test_an_empty_prompt_keeps_its_beginning(sari, trainer_of):
    trainer, tokenizer = trainer_of(), make_tokenizer(begins=True)
    template = processors.TemplateProcessing(single="<unk> $A", special_tokens=[("<unk>", 2)])  # which adds no end
    tokenizer.backend_tokenizer.post_processor, trainer.processing_class = template, tokenizer
    attach(sari, trainer, prompts=["", *PROMPTS[1:]])
    assert trainer.attached_texts["eval"].prompts[0] == [2]


def test_training_goes_on_as_without_it(sari, trainer_of):
    """Sampling changes what is generated, and nothing else."""
    runs, scores = [], []
    for options in (None, {}, {"generation_kwargs": {**SHORT, **SAMPLES}}):
        trainer = trainer_of()
        if options is not None:
            attach(sari, trainer, **options)
        trainer.train()
        parameters = [parameter.tolist() for parameter in trainer.model.parameters()]
        runs.append([parameters, random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()])
        scores += [[entry["eval_sari"] for entry in trainer.state.log_history if "eval_sari" in entry]]
    assert runs[0] == runs[1] == runs[2]
    assert scores[1][0] > scores[2][0] + 20


@pytest.mark.parametrize(("quiet", "options", "count"), [(False, {"max_new_tokens": 12}, 1), (True, STOP, 0)])
def test_attached_texts_that_are_cut_give_a_warning(sari, trainer_of, capsys, quiet, options, count):
    """After the progress bar, if there is one, over four batches of three, as the Trainer has them."""
    trainer = trainer_of(disable_tqdm=quiet, per_device_eval_batch_size=3)
    attach(sari, trainer, generation_kwargs=options)
    with sari.collect_warnings() as collected:
        trainer.evaluate()
    assert tiny.training_warnings(collected) == [("many outputs are cut before their end", "10 of 10")] * count
    assert bool(re.search("SARI: generating.* 0/4", capsys.readouterr().err)) is not quiet


def make_bart_decoder():
    """Return a language model with absolute positions, which padding moves."""
    transformers.set_seed(1)
    sizes = {"vocab_size": 400, "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "init_std": 0.5}
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1, "forced_eos_token_id": None}
    config = transformers.BartConfig(**sizes, **ids, is_decoder=True, is_encoder_decoder=False)
    return transformers.BartForCausalLM(config)


PADDED = "padding changes what the model generates"


@pytest.mark.parametrize("make_model", [tiny.make_rwkv, make_bart_decoder, make_llama])
def test_padding_that_changes_what_a_model_generates(sari, tokenizer, trainer_of, make_model):
    """By default it generates for one prompt at a time. What has another size is generated so, with a warning."""
    model, is_changed = make_model().train(), make_model is not make_llama
    length, scores = {"max_new_tokens": 16}, {}
    texts = generated(model, tokenizer, PROMPTS, **length)
    for size in (None, 1, 3):
        trainer = trainer_of(model.train())
        with sari.collect_warnings() as collected:
            attach(sari, trainer, batch_size=size, generation_kwargs=length)
        assert model.training
        assert tiny.training_warnings(collected) == [(PADDED, "")] * (is_changed and size != 1)
        scores[size] = tiny.of_evaluation(trainer.evaluate())
    assert scores[None] == scores[1] == expected_scores(sari, texts)
    assert (scores[3] != scores[1]) == is_changed


def test_tuned_prompts_and_the_order_of_warnings(sari, trainer_of):
    """Padding stands between these prompts and a text."""
    model = get_peft_model(make_llama(), PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2))
    with sari.collect_warnings() as collected:
        attach(sari.with_options(variant="hf"), trainer_of(model), references=[["#"]] * 10)
    assert [type(warning).__name__ for warning in collected][:1] == ["RewardsCopyingWarning"]
    assert [text for text, _ in tiny.training_warnings(collected)] == ["the tokenizer changes texts", PADDED]


def test_arguments_of_the_trainer_hold_for_attached_texts(sari, tokenizer, trainer_of):
    arguments = {"generation_num_beams": 3, "generation_max_length": 14}
    trainer = trainer_of(tiny.make_t5(), tiny.make_dataset(tokenizer), **arguments)
    texts = generated(trainer.model, tokenizer, TO_SIMPLIFY, num_beams=3, max_length=14)
    attach(sari, trainer, prompts=TO_SIMPLIFY, generation_kwargs=None)
    assert tiny.of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)
    with pytest.raises(ValueError, match=r"^trainer: got generation_max_length=14, expected max_new_tokens in gen"):
        attach(sari, trainer_of(**arguments), generation_kwargs=None)


# ---- Which evaluations have the scores -------------------------------------------------------------------------------


def test_the_best_model_is_chosen_by_the_scores(sari, trainer_of):
    chosen = {"metric_for_best_model": "sari", "load_best_model_at_end": True, "learning_rate": 0.5}
    trainer = attach(sari, trainer_of(eval_on_start=True, save_strategy="steps", save_steps=1, **chosen))
    trainer.train()  # It unlearns all that it knows.
    before, *scores = [entry["eval_sari"] for entry in trainer.state.log_history if "eval_sari" in entry]
    assert before > max(scores) > min(scores)
    assert trainer.state.best_metric == trainer.evaluate()["eval_sari"] == max(scores)


def test_texts_for_each_of_several_sets(sari, tokenizer, texts, trainer_of):
    trainer = trainer_of(dataset=dict.fromkeys(["news", "web", "law"], tiny.make_causal_dataset(tokenizer)))
    attach(sari, trainer, evaluation_set="news")
    attach(sari, trainer, evaluation_set="web", sources=SOURCES[:1], references=REFERENCES[:1])
    metrics = trainer.evaluate()
    assert tiny.of_evaluation(metrics, "eval_news") == expected_scores(sari, texts)
    assert tiny.of_evaluation(metrics, "eval_web") == expected_scores(sari, texts, [0])
    assert "eval_law_sari" not in metrics
    with pytest.raises(ValueError, match=r"got None, expected a name in eval_dataset: \['news', 'web', 'law'\]$"):
        attach(sari, trainer)


def test_scores_are_of_the_texts_whatever_is_evaluated(sari, tokenizer, texts, trainer_of):
    trainer, rows = attach(sari, trainer_of()), tiny.make_causal_dataset(tokenizer)
    for metrics in (trainer.evaluate(rows.select([0])), trainer.predict(rows, metric_key_prefix="eval").metrics):
        assert tiny.of_evaluation(metrics) == expected_scores(sari, texts)
    for metrics in (trainer.evaluate(metric_key_prefix="test"), trainer.predict(rows).metrics):
        assert not [name for name in metrics if name.endswith("_sari")]


def test_scores_that_are_there_already_are_refused_before_anything_is_generated(sari, trainer_of, monkeypatch):
    trainer = attach(sari, trainer_of())
    with pytest.raises(ValueError, match=r"^trainer: got a second sari.attach for eval, expected one$"):
        attach(sari, trainer)
    trainer.compute_metrics = lambda _: {"keep": 1.0}
    monkeypatch.setattr(trainer.model, "generate", None)
    with pytest.raises(ValueError, match=r"^metrics: got eval_keep already, expected other names from compute_metrics"):
        trainer.evaluation_loop(trainer.get_eval_dataloader(), "", None, None, "eval")


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_trainer_evaluates_its_own_model(sari, tokenizer, texts, trainer_of, make_copy):
    trainer = attach(sari, trainer_of())
    again = make_copy(trainer)
    again.model = make_llama(initializer_range=0.5)
    other = generated(again.model, tokenizer, PROMPTS, **SHORT)
    assert tiny.of_evaluation(again.evaluate()) == expected_scores(sari, other)
    assert tiny.of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)
    again.eval_dataset = {"news": trainer.eval_dataset}
    attach(sari, again, evaluation_set="news")
    assert [*trainer.attached_texts] == ["eval"]


# ---- What is refused -------------------------------------------------------------------------------------------------

BAD_OPTIONS = [
    ({"sources": [], "references": []}, "sources: got no rows, expected at least one"),
    ({"references": LABELS[1:]}, r"references: got 9 rows, expected 10 \(as in sources\)"),
    ({"batch_size": 0}, "batch_size: got 0, expected a whole number of at least 1"),
    ({"evaluation_set": "news"}, r"evaluation_set: got 'news', expected None, as eval_dataset is no dict"),
    ({"prompts": None}, "prompts: got None, expected a list, or a function .* to a prompt, such as .Simplify: "),
    ({"prompts": 5}, "prompts: got 5, expected a list, or a function from a source to a prompt"),
    ({"prompts": ["a"]}, r"prompts: got 1 row, expected 10 \(as in sources\)"),
    ({"prompts": [*PROMPTS[1:], 5]}, r"prompts\[9\]: got 5, expected a str, a list of messages with"),
    (
        {"prompts": lambda _: [{"role": "user", "contents": ""}]},
        r"prompts\[0\]: got .*, expected a str, a list of mess",
    ),
    ({"prompts": [*PROMPTS[1:], []]}, r"prompts\[9\]: got \[\], expected tokens with ids from 0 to 399$"),
    ({"prompts": [[1, 400], *PROMPTS[1:]]}, r"prompts\[0\]: got \[1, 400\], expected tokens with ids from 0 to 399$"),
    ({"prompts": [[-1], *PROMPTS[1:]]}, r"prompts\[0\]: got \[-1\], expected tokens with ids from 0 to 399$"),
    ({"prompts": [[2**64 - 1], *PROMPTS[1:]]}, r"prompts\[0\]: got \[1844\d+\], expected a list of token ids"),
    ({"prompts": begin_answer}, r"prompts\[0\]: got a chat that ends with an answer, expected a chat without it"),
    ({"prompts": lambda _: ""}, r"prompts\[0\]: got '', expected tokens with ids from 0 to 399$"),
    ({"generation_kwargs": {"max_length": 75}}, "generation_kwargs: got max_length, expected max_new_tokens"),
    ({"generation_kwargs": {"num_return_sequences": 2}}, "generation_kwargs: got num_return_sequences, expected none"),
    ({"generation_kwargs": {"max_new_tokens": 0}}, "max_new_tokens in generation_kwargs: got 0, expected a whole"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_options_that_are_refused(sari, trainer_of, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        attach(sari, trainer_of(), **options)


@pytest.mark.parametrize("name", ["postprocess", "generation_kwargs", "chat_template_kwargs", "skip_special_tokens"])
def test_options_of_a_wrong_type(sari, trainer_of, name):
    with pytest.raises(TypeError, match=rf"^{name}: got \[\], expected (a function|a dict|True)"):
        attach(sari, trainer_of(), **{name: []})


@pytest.mark.parametrize("places_model_later", ["is_fsdp_enabled", "is_deepspeed_enabled"])
def test_what_generate_refuses(sari, trainer_of, monkeypatch, places_model_later):
    trainer, wrong = trainer_of(), {"generation_kwargs": {"prompt_lookup_num_tokens": 3}}
    message = r"batch_size = 1[^\n]*\nsari.attach: for prompts\[\d\] of \d+ tokens in a batch of 3, max_new_tokens=128;"
    with pytest.raises(ValueError, match=message):
        attach(sari, trainer, **wrong)
    monkeypatch.setattr(trainer, places_model_later, True)
    attach(sari, trainer, **wrong)
    monkeypatch.undo()
    with pytest.raises(ValueError, match=message):
        trainer.evaluate()


def test_the_longest_prompt_is_tried(sari, trainer_of):
    """The model has positions for it, but not for a token behind it, which is read, though most tokens are ends."""
    longest, sizes = max(map(len, PROMPT_IDS)), {"vocab_size": 400, "n_embd": 8, "n_layer": 1, "n_head": 1}
    config = transformers.GPT2Config(**sizes, n_positions=longest, eos_token_id=list(range(399)))
    trainer = trainer_of(transformers.GPT2LMHeadModel(config))
    place = rf"prompts\[{list(map(len, PROMPT_IDS)).index(longest)}\] of {longest} tokens in a batch of 3"
    with pytest.raises(IndexError, match=rf"for {place}, max_new_tokens=2; the model has {longest} positions$"):
        attach(sari, trainer, generation_kwargs={"max_new_tokens": 2})
    attach(sari, trainer, generation_kwargs={"max_new_tokens": 1})


def test_trainers_that_are_refused(sari, trainer_of):
    trainer = trainer_of()
    trainer.args.use_legacy_prediction_loop = True  # an argument of transformers 4
    with pytest.raises(ValueError, match=r"^trainer: got use_legacy_prediction_loop=True, expected False"):
        attach(sari, trainer)
    trainer.model = torch.nn.Linear(1, 1)
    for other, got in ((trainer, "Linear"), (5, "int")):
        with pytest.raises(ValueError, match=rf"^trainer: got {got}, expected a Trainer with a model that generates$"):
            attach(sari, other)


# ---- The examples and the page ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("train.py --epochs 1 --sentences 160", r"SARI before training \d+\.\d\d, after \d+\.\d\d$"),
        ("train_llm.py --epochs 1 --sentences 160", r"SARI before training \d+\.\d\d, after \d+\.\d\d$"),
        ("train_reward.py --steps 2", r"step 1: mean reward 0\.\d{4}\nstep 2: mean reward 0\.\d{4}$"),
    ],
)
def test_the_examples_run(capsys, monkeypatch, tmp_path, command, printed):
    """As programs, but in this process, which has imported torch already."""
    name, *arguments = command.split()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(ROOT / "examples" / name), *arguments])
    monkeypatch.syspath_prepend(ROOT / "examples")
    runpy.run_path(sys.argv[0], run_name="__main__")
    assert re.search(printed, capsys.readouterr().out.strip())


def test_the_programs_of_the_page(monkeypatch, tmp_path, tokenizer):
    """The blocks of docs/training.md run one after the other, as they are; the third attaches texts to a DPOTrainer."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8").replace("path/to/sari.py", str(ROOT / "sari.py"))
    rows = Dataset.from_dict({"source": SOURCES, "references": REFERENCES})
    models = {"model": tiny.make_t5(), "llm": make_llama(), "reference_llm": make_llama()}
    names, logged = {"tokenizer": tokenizer, "rows": rows, **models}, ["eval_keep", "eval_sari_of_first", "eval_sari"]
    needed = page.partition("The code needs")[2].partition("with the columns")[0]
    assert set(re.findall(r"`(\w+)`", needed)) == set(names)
    blocks = re.findall(r"^```python\n(?!>>>)(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for number, (block, column) in enumerate(zip(blocks, [*logged, "rewards/sari_easse/mean"], strict=True)):
        exec(block, names)
        assert any(column in entry for entry in names["trainer"].state.log_history)
        if number == 2:
            trainer, prompts = names["trainer"], [f"Simplify: {source}\n" for source in SOURCES]
            texts = generated(trainer.model, tokenizer, prompts, max_new_tokens=64)
            assert tiny.of_evaluation(trainer.evaluate()) == expected_scores(names["sari"], texts)
