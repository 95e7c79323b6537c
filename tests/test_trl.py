"""The callback and the reward in TRL's trainers, and the examples."""

import re

import pytest
from datasets import Dataset
from test_training_generation import CHAT
from tiny_trainers import (
    PROMPT,
    REFERENCES,
    ROOT,
    SOURCES,
    expected_scores,
    make_llama,
    make_model,
    make_tokenizer,
    output_of_example,
)
from trl import GRPOConfig, GRPOTrainer

COMMON = {"bf16": False, "gradient_checkpointing": False, "report_to": "none", "use_cpu": True, "disable_tqdm": True}


def asked(source):
    return [{"role": "user", "content": source}]


@pytest.fixture
def tokenizer():
    made = make_tokenizer()
    made.chat_template = CHAT
    return made


def make_grpo_trainer(folder, tokenizer, rows, *rewards, **options):
    tokenizer.padding_side = "left"
    common = {"per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 8, "logging_steps": 1}
    return GRPOTrainer(
        model=make_llama(tokenizer),
        reward_funcs=list(rewards),
        args=GRPOConfig(output_dir=str(folder), **common, **options, **COMMON),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )


def test_rewards_are_told_apart_and_checked(sari, tokenizer, tmp_path):
    """Each is logged under a name of its own; what would fail after a while is said before training."""
    columns = {"source": SOURCES, "references": REFERENCES, "prompt": list(map(PROMPT.format, SOURCES))}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    rewards = [sari.reward(), sari.reward(unit=False), sari.reward(postprocess=str.lower)]
    trainer = make_grpo_trainer(tmp_path, tokenizer, rows, *rewards, max_steps=1)
    for reward in rewards:
        reward.check(trainer)
    trainer.train()
    names = ["sari_easse", "sari_easse_unit-False", "sari_easse_postprocess-lower"]
    one, percent, lower = (trainer.state.log_history[0][f"rewards/{name}/mean"] for name in names)
    assert percent == pytest.approx(100 * one)
    assert lower == pytest.approx(one)  # in lower case both
    twice = make_grpo_trainer(tmp_path, tokenizer, rows, rewards[0], rewards[0])
    with pytest.raises(ValueError, match=r"^reward_funcs: got two of the name sari_easse, expected names that differ"):
        rewards[0].check(twice)
    other = sari.reward(references="simple")
    trainer = make_grpo_trainer(tmp_path, tokenizer, rows, other)
    message = r"^simple: got columns source, references, prompt, expected also 'simple'$"
    for attempt in (lambda: other.check(trainer), trainer.train):
        with pytest.raises(ValueError, match=message if attempt != trainer.train else "^simple: got columns "):
            attempt()


@pytest.mark.parametrize("prompt", [PROMPT.format, asked], ids=["plain", "chat"])
def test_reinforcement(sari, tokenizer, tmp_path, prompt):
    rows = [
        {"prompt": prompt(source), "source": source, "references": references}
        for source, references in zip(SOURCES, [*REFERENCES[:5], [], *REFERENCES[6:]], strict=True)
    ]
    reward, seen = sari.reward(), []

    def watched(**given):
        rewards = reward(**given)
        seen.extend(zip(given["source"], given["references"], given["completions"], rewards, strict=True))
        return rewards

    watched.__name__ = reward.__name__
    trainer = make_grpo_trainer(tmp_path, tokenizer, rows, reward, watched, max_steps=5)
    trainer.train()
    assert len(seen) == 20
    assert sum("rewards/sari_easse/mean" in entry for entry in trainer.state.log_history) == 5
    for source, references, completion, value in seen:
        text = completion if isinstance(completion, str) else completion[-1]["content"]
        assert (value is None) == (not references)
        if references:
            assert value == expected_scores(sari, [text], [source], [references])["sari"] / 100


def test_the_example_of_fine_tuning(capsys, monkeypatch, tmp_path):
    output = output_of_example(capsys, monkeypatch, tmp_path, "train_llm.py", "--epochs", "1", "--sentences", "160")
    before, after = map(float, re.search(r"SARI before training (\S+), after (\S+)\n$", output).groups())
    assert after >= before


def test_the_example_of_a_reward(capsys, monkeypatch, tmp_path):
    output = output_of_example(capsys, monkeypatch, tmp_path, "train_reward.py", "--steps", "2")
    assert len(re.findall(r"^step \d: mean reward 0\.\d{4}$", output, re.MULTILINE)) == 2


def test_the_code_of_the_page(monkeypatch, tmp_path, sari, tokenizer):
    """The blocks of docs/training.md run one after the other, as they are."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8").replace("path/to/sari", str(ROOT / "sari.py"))
    rows = Dataset.from_dict({"source": SOURCES, "references": REFERENCES})
    names = {"tokenizer": tokenizer, "rows": rows, "model": make_model(tokenizer), "llm": make_llama(tokenizer)}
    blocks = re.findall(r"^```python\n(?!>>>)(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    with sari.collect_warnings():
        for block in blocks:
            exec(block, names)
    assert "eval_sari" in {key for entry in names["callback"].trainer.state.log_history for key in entry}
