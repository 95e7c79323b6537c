"""Reinforce a tiny language model with SARI as the reward, for a few steps on the CPU.

    python examples/train_reward.py

The data, the tokenizer and the randomly initialised Llama are made on the spot, see toy_data.py: 200 sentences. The
trainer is TRL's GRPOTrainer. A few steps teach it nothing; the lines with `sari` are the same for a real model.
"""

import argparse
import random
import tempfile
from pathlib import Path

import evaluate
from datasets import Dataset
from toy_data import sentences, tiny_llama, train_tokenizer
from transformers import set_seed
from trl import GRPOConfig, GRPOTrainer

SARI = Path(__file__).resolve().parent.parent / "sari.py"


def main() -> None:
    """Train for some steps and print the mean reward of each."""
    parser = argparse.ArgumentParser(description="Reinforce a tiny language model with SARI.")
    parser.add_argument("--steps", type=int, default=5, help="how long to train (default: 5)")
    options = parser.parse_args()

    set_seed(1)
    rows = sentences(200, random.Random(1))
    tokenizer = train_tokenizer(rows)
    tokenizer.padding_side = "left"
    model = tiny_llama(len(tokenizer))
    sari = evaluate.load(str(SARI), "easse")
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=sari.reward(),  # reads the columns "source" and "references"
            args=GRPOConfig(
                output_dir=folder,
                max_steps=options.steps,
                per_device_train_batch_size=8,
                num_generations=4,
                max_completion_length=24,
                logging_steps=1,
                bf16=False,
                gradient_checkpointing=False,
                report_to="none",
                save_strategy="no",
                use_cpu=True,
            ),
            train_dataset=Dataset.from_list([{"prompt": f"Complex: {row['source']} Simple:", **row} for row in rows]),
            processing_class=tokenizer,
        )
        trainer.train()
    for entry in trainer.state.log_history:
        if "rewards/sari_easse/mean" in entry:
            print(f"step {entry['step']}: mean reward {entry['rewards/sari_easse/mean']:.4f}")


if __name__ == "__main__":
    main()
