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


@pytest.mark.parametrize("prompt", [PROMPT.format, asked], ids=["plain", "chat"])
def test_reinforcement(sari, tokenizer, tmp_path, prompt):
    tokenizer.padding_side = "left"
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
    trainer = GRPOTrainer(
        model=make_llama(tokenizer),
        reward_funcs=[reward, watched],
        args=GRPOConfig(
            output_dir=str(tmp_path),
            max_steps=5,
            logging_steps=1,
            per_device_train_batch_size=4,
            num_generations=2,
            max_completion_length=8,
            **COMMON,
        ),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )
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
    assert len(blocks) == 4
    with sari.collect_warnings():
        for block in blocks:
            exec(block, names)
    assert "eval_sari" in {key for entry in names["callback"].trainer.state.log_history for key in entry}
