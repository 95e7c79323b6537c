"""Fine-tune a tiny language model, on the CPU in two minutes, with the SARI of what it generates after every epoch.

    python examples/train_llm.py

Everything is made on the spot, with 1,200 training and 50 evaluation sentences from the grammar of train.py: the model
is a randomly initialised Llama, the trainer TRL's SFTTrainer. The lines with `sari` are the same for a real model.
"""

import argparse
import random
import tempfile
from pathlib import Path

import evaluate
from datasets import Dataset
from train import sentence, train_tokenizer
from transformers import LlamaConfig, LlamaForCausalLM, set_seed
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
    training, evaluation = ([sentence(rng) for _ in range(size)] for size in (options.sentences, 50))
    tokenizer = train_tokenizer([text for row in training for text in (row["source"], *row["references"])])
    columns = [{"prompt": PROMPT.format(row["source"]), "completion": " " + row["references"][0]} for row in training]
    model = LlamaForCausalLM(
        LlamaConfig(
            **{"vocab_size": len(tokenizer), "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2},
            **{"num_attention_heads": 4, "max_position_embeddings": 256},
            **{"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None},
        )
    )
    sari = evaluate.load(str(SARI))
    callback = sari.generation_callback(
        tokenizer,
        sources=[row["source"] for row in evaluation],
        references=[row["references"] for row in evaluation],
        prompts=PROMPT.format,
        generation_kwargs={"max_new_tokens": 48},
    )
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
            train_dataset=Dataset.from_list(columns),
            eval_dataset=Dataset.from_list(columns[:50]),
            processing_class=tokenizer,
            callbacks=[callback],
        )
        before = trainer.evaluate()["eval_sari"]
        trainer.train()
        after = trainer.evaluate()["eval_sari"]  # of the best model, which the Trainer has loaded by now
    print(f"SARI before training {before:.2f}, after {after:.2f}")


if __name__ == "__main__":
    main()
