"""Reinforce a tiny language model with SARI as the reward, for a few steps on the CPU.

    python examples/train_reward.py

Everything is made on the spot, with 200 sentences from the grammar of train.py: the model is a randomly initialised
Llama, the trainer TRL's GRPOTrainer. A few steps teach it nothing; the lines with `sari` are the same for a real model.
"""

import argparse
import random
import tempfile
from pathlib import Path

import evaluate
from datasets import Dataset
from train import sentence, train_tokenizer
from transformers import LlamaConfig, LlamaForCausalLM, set_seed
from trl import GRPOConfig, GRPOTrainer

SARI = Path(__file__).resolve().parent.parent / "sari.py"


def main() -> None:
    """Train for some steps and print the mean reward of each."""
    parser = argparse.ArgumentParser(description="Reinforce a tiny language model with SARI.")
    parser.add_argument("--steps", type=int, default=5, help="how long to train (default: 5)")
    options = parser.parse_args()

    set_seed(1)
    rng = random.Random(1)
    rows = [sentence(rng) for _ in range(200)]
    tokenizer = train_tokenizer([text for row in rows for text in (row["source"], *row["references"])])
    tokenizer.padding_side = "left"
    model = LlamaForCausalLM(
        LlamaConfig(
            **{"vocab_size": len(tokenizer), "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2},
            **{"num_attention_heads": 4, "max_position_embeddings": 256},
            **{"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None},
        )
    )
    sari = evaluate.load(str(SARI))
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
