"""Train a tiny simplification model from nothing, on the CPU in a minute, and watch its SARI rise.

    python examples/train.py

Everything is made on the spot: 3,000 training and 100 evaluation sentences from the small grammar below, a tokenizer
trained on the training sentences, and a randomly initialised T5. The lines with `sari` are the same for a real model
and a real data set.
"""

import argparse
import random
import tempfile
from pathlib import Path

import evaluate
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)

SARI = Path(__file__).resolve().parent.parent / "sari.py"
PREFIX = "simplify: "

# What stands in a source, and the ways to say it simply.
THINGS = ["lighthouse", "bridge", "church", "museum", "harbour", "castle", "school", "station", "tower", "library"]
PLACES = ["Varnholt", "Cape Morrow", "Eskdale", "Port Linden", "Ambry", "Tarn Hill"]
ADJECTIVES = {"substantial": ["big"], "antiquated": ["old"], "diminutive": ["small", "little"], "renowned": ["famous"]}
BUILT = {"was erected": ["was built"], "was constructed": ["was built"], "was inaugurated": ["was opened", "opened"]}
ASIDES = [", according to local records,", ", as is widely known,", ", notwithstanding some objections,", ""]
ENDS = {
    "remained in operation until": ["was used until", "worked until"],
    "was demolished in": ["was torn down in", "was pulled down in"],
    "underwent renovation in": ["was repaired in", "was renewed in"],
}


def sentence(rng: random.Random) -> dict:
    """Return a sentence of the grammar and two simplifications of it."""
    thing, place = rng.choice(THINGS), rng.choice(PLACES)
    adjective, built, end = (rng.choice(list(words)) for words in (ADJECTIVES, BUILT, ENDS))
    first, last = sorted(rng.sample(range(1800, 2000), 2))
    source = f"The {adjective} {thing} of {place}{rng.choice(ASIDES)} {built} in {first} and {end} {last}."

    def simple(which: int) -> str:
        words = [choices[which % len(choices)] for choices in (ADJECTIVES[adjective], BUILT[built], ENDS[end])]
        return f"The {words[0]} {thing} of {place} {words[1]} in {first}. It {words[2]} {last}."

    return {"source": source, "references": [simple(0), simple(1)]}


def train_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """Return a tokenizer that knows the texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<pad>", "</s>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>")


def main() -> None:
    """Train, with SARI after every epoch, keep the best model and print scores before and after."""
    parser = argparse.ArgumentParser(description="Train a tiny simplification model and watch its SARI rise.")
    parser.add_argument("--epochs", type=int, default=6, help="how long to train (default: 6)")
    parser.add_argument("--sentences", type=int, default=3000, help="how many sentences to train on (default: 3000)")
    options = parser.parse_args()

    set_seed(1)
    rng = random.Random(1)
    training, evaluation = ([sentence(rng) for _ in range(size)] for size in (options.sentences, 100))
    tokenizer = train_tokenizer([text for row in training for text in (row["source"], *row["references"])])

    def tokenize(row: dict) -> dict:
        return tokenizer(PREFIX + row["source"], text_target=row["references"][0], truncation=True, max_length=64)

    model = T5ForConditionalGeneration(
        T5Config(
            **{"vocab_size": len(tokenizer), "d_model": 128, "d_kv": 32, "d_ff": 256, "num_layers": 2, "num_heads": 4},
            **{"dropout_rate": 0.0, "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0},
        )
    )
    evaluation_set = Dataset.from_list(evaluation).map(tokenize)
    sari = evaluate.load(str(SARI))
    compute_metrics = sari.compute_metrics(tokenizer, dataset=evaluation_set, sources="source", references="references")
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
        compute_metrics.check(trainer)  # says now what would not work after the first epoch
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
