"""Fine-tune a tiny language model, on the CPU in two minutes, with the SARI of what it generates after every epoch.

    python examples/train_llm.py

The data, the tokenizer and the randomly initialised Llama are made on the spot, see toy_data.py: 1,200 training and 50
evaluation sentences. The trainer is TRL's SFTTrainer. The lines with `sari` are the same for a real model.
"""

import argparse
import random
import tempfile
from pathlib import Path

import evaluate
from datasets import Dataset
from toy_data import sentences, tiny_llama, train_tokenizer
from transformers import set_seed
from trl import SFTConfig, SFTTrainer

SARI = Path(__file__).resolve().parent.parent / "sari.py"
PROMPT = "Complex: {} Simple:"


def main() -> None:
    """Train, with SARI after every epoch, keep the best model and print scores before and after."""
    parser = argparse.ArgumentParser(description="Fine-tune a tiny language model and watch its SARI rise.")
    parser.add_argument("--epochs", type=int, default=4, help="how long to train (default: 4)")
    parser.add_argument("--sentences", type=int, default=1200, help="how many sentences to train on (default: 1200)")
    options = parser.parse_args()

    set_seed(1)
    rng = random.Random(1)
    training, evaluation = sentences(options.sentences, rng), sentences(50, rng)
    tokenizer = train_tokenizer(training)
    model = tiny_llama(len(tokenizer))
    columns = {
        name: [{"prompt": PROMPT.format(row["source"]), "completion": " " + row["references"][0]} for row in rows]
        for name, rows in (("training", training), ("evaluation", evaluation))
    }
    sari = evaluate.load(str(SARI), "easse")
    with tempfile.TemporaryDirectory() as folder:
        trainer = SFTTrainer(
            model=model,
            args=SFTConfig(
                output_dir=folder,
                num_train_epochs=options.epochs,
                per_device_train_batch_size=32,
                per_device_eval_batch_size=50,
                learning_rate=3e-3,
                bf16=False,
                gradient_checkpointing=False,
                eval_strategy="epoch",
                save_strategy="epoch",
                save_total_limit=1,
                load_best_model_at_end=True,
                metric_for_best_model="sari",
                report_to="none",
                use_cpu=True,
            ),
            train_dataset=Dataset.from_list(columns["training"]),
            eval_dataset=Dataset.from_list(columns["evaluation"]),
            processing_class=tokenizer,
        )
        sari.attach(
            trainer,
            sources=[row["source"] for row in evaluation],
            references=[row["references"] for row in evaluation],
            prompts=PROMPT.format,
            generation_kwargs={"max_new_tokens": 48},
        )
        before = trainer.evaluate()["eval_sari"]
        trainer.train()
        after = trainer.evaluate()["eval_sari"]  # of the best model, which the Trainer has loaded by now
    print(f"SARI before training {before:.2f}, after {after:.2f}")


if __name__ == "__main__":
    main()
