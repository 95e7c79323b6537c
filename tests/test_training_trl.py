"""SARI in the Trainers of TRL, with and without PEFT: attached texts before and after training, and the reward."""

import re
import runpy
import sys

import pytest
from conftest import ROOT
from datasets import Dataset
from peft import LoraConfig, PromptTuningConfig, get_peft_model
from test_training import EACH_STEP, PROMPTS, SHORT
from tiny_trainers import (
    COMMON,
    LABELS,
    PROMPT,
    REFERENCES,
    SOURCES,
    TEXTS,
    ask,
    expected_scores,
    generated,
    make_causal_dataset,
    make_llama,
    make_t5,
    make_tokenizer,
    make_trainer,
    of_evaluation,
)
from transformers import Trainer
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

TRL = {**COMMON, **EACH_STEP, "bf16": False, "gradient_checkpointing": False, "learning_rate": 0.05}
# A step of training at this rate makes models that know nothing, whose outputs have no end.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def sari(sari):
    return sari.with_options(variant="easse")


tokenizer = pytest.fixture(make_tokenizer)


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


def test_tuned_prompts_give_a_warning_where_prompts_are_padded(sari, tokenizer, tmp_path):
    tuning, rows = PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2), make_causal_dataset(tokenizer)
    trainer = make_trainer(tmp_path, tokenizer, get_peft_model(make_llama(tokenizer), tuning), rows, kind=Trainer)
    for size, warned in [(1, []), (3, ["with tuned prompts a model can generate other texts at each batch size"])]:
        with sari.collect_warnings() as collected:
            sari.attach(trainer, **TEXTS, prompts=PROMPT.format, batch_size=size)
        assert [str(found).partition(":")[0] for found in collected] == warned


def length(completions, **_):
    return [float(len(text)) for text in completions]


CHATS = {
    "prompt": list(map(ask, SOURCES)),
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
def test_what_is_generated_is_scored(sari, tokenizer, tmp_path, name):
    """Before and after training: the scores are of the model as it is."""
    tokenizer.padding_side = "left" if name == "GRPO" else "right"
    prompts = [f"[user] {source} [a]" for source in SOURCES] if name == "chats" else PROMPTS
    own = ask if name == "chats" else PROMPT.format
    trainer = TRAINERS[name](tmp_path, tokenizer)
    sari.attach(trainer, **TEXTS, prompts=own, generation_kwargs=SHORT, batch_size=4)
    before = generated(trainer.model, tokenizer, prompts, **SHORT)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, before)
    trainer.train()
    after = generated(trainer.model, tokenizer, prompts, **SHORT)
    assert after != before
    logged = [entry for entry in trainer.state.log_history if "eval_sari" in entry]
    assert of_evaluation(logged[-1]) == of_evaluation(trainer.evaluate()) == expected_scores(sari, after)


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
    assert len(blocks) == 4
    for block in blocks:
        with sari.collect_warnings():
            exec(block, names)
        logged = {name for entry in names["trainer"].state.log_history for name in entry}
        assert logged & {"eval_sari", "rewards/sari_easse/mean"}
