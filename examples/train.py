"""Train a tiny simplification model from nothing, on the CPU in a minute, and watch its SARI rise.

    python examples/train.py

The data, the tokenizer and the randomly initialised T5 are made on the spot, see toy_data.py: 3,000 training and 100
evaluation sentences. The lines with `sari` are the same for a real model and a real data set.
"""

import argparse
import random
import tempfile
from pathlib import Path

import evaluate
from datasets import Dataset
from toy_data import sentences, tiny_t5, train_tokenizer
from transformers import DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments, set_seed

SARI = Path(__file__).resolve().parent.parent / "sari.py"


def main() -> None:
    """Train, with SARI after every epoch, keep the best model and print scores before and after."""
    parser = argparse.ArgumentParser(description="Train a tiny simplification model and watch its SARI rise.")
    parser.add_argument("--epochs", type=int, default=6, help="how long to train (default: 6)")
    parser.add_argument("--sentences", type=int, default=3000, help="how many sentences to train on (default: 3000)")
    options = parser.parse_args()

    set_seed(1)
    rng = random.Random(1)
    training, evaluation = sentences(options.sentences, rng), sentences(100, rng)
    tokenizer = train_tokenizer(training)
    model = tiny_t5(len(tokenizer))

    def tokenize(row: dict) -> dict:
        return tokenizer("simplify: " + row["source"], text_target=row["references"][0], truncation=True, max_length=64)

    evaluation_set = Dataset.from_list(evaluation).map(tokenize)
    sari = evaluate.load(str(SARI), "easse")
    compute_metrics = sari.compute_metrics(tokenizer, evaluation_set)  # with columns "source" and "references"
    with tempfile.TemporaryDirectory() as folder:
        trainer = Seq2SeqTrainer(
            model=model,
            args=Seq2SeqTrainingArguments(
                output_dir=folder,
                num_train_epochs=options.epochs,
                per_device_train_batch_size=32,
                per_device_eval_batch_size=50,
                learning_rate=2e-3,
                predict_with_generate=True,
                generation_max_length=48,
                eval_strategy="epoch",
                save_strategy="epoch",
                save_total_limit=1,
                load_best_model_at_end=True,
                metric_for_best_model="sari",
                report_to="none",
                use_cpu=True,
            ),
            train_dataset=Dataset.from_list(training).map(tokenize),
            eval_dataset=evaluation_set,
            processing_class=tokenizer,
            data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
            compute_metrics=compute_metrics,
        )
        before = trainer.evaluate()["eval_sari"]
        trainer.train()
        after = trainer.evaluate()["eval_sari"]  # of the best model, which the Trainer has loaded by now
        output = trainer.predict(evaluation_set).predictions[0]
    print(f"Source:     {evaluation[0]['source']}")
    print(f"Output:     {tokenizer.decode(output[output >= 0], skip_special_tokens=True)}")
    print(f"References: {' / '.join(evaluation[0]['references'])}")
    print(f"SARI before training {before:.2f}, after {after:.2f}")


if __name__ == "__main__":
    main()
