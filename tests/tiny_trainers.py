"""Trainers as small as they can be: a tokenizer, a model that answers at random, and the example corpus for both."""

import os
import random
import runpy
import sys
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainingArguments,
    set_seed,
)

ROOT = Path(__file__).resolve().parent.parent


EXAMPLES = ROOT / "examples"


SCORES = ["sari", "keep", "delete", "add"]


def lines(name):
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


SOURCES = lines("sources.txt")


REFERENCES = [list(pair) for pair in zip(lines("references.0.txt"), lines("references.1.txt"), strict=True)]


OUTPUTS = lines("outputs.txt")


SEGMENTS = len(SOURCES)


def make_tokenizer(vocab_size=400, normalizer=None):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=["<pad>", "</s>", "<unk>"], show_progress=False)
    tokenizer.train_from_iterator([*SOURCES, *OUTPUTS, *(text for row in REFERENCES for text in row)], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def make_model(tokenizer, extra_outputs=7):
    """Return a tiny model that answers at random, also with ids that the tokenizer does not have."""
    set_seed(3)
    return T5ForConditionalGeneration(
        T5Config(
            vocab_size=len(tokenizer) + extra_outputs,
            d_model=32,
            d_kv=16,
            d_ff=32,
            num_layers=1,
            num_heads=2,
            pad_token_id=0,
            eos_token_id=1,
            decoder_start_token_id=0,
            tie_word_embeddings=False,
            initializer_factor=5.0,
        )
    )


def make_dataset(tokenizer, sources=SOURCES, references=REFERENCES, max_length=None):
    rows = [{"source": source, "target": row[0]} for source, row in zip(sources, references, strict=True)]
    return Dataset.from_list(rows).map(
        lambda row: tokenizer(
            "simplify: " + row["source"],
            text_target=row["target"],
            truncation=max_length is not None,
            max_length=max_length,
        ),
        remove_columns=["source", "target"],
    )


def make_trainer(folder, tokenizer, compute_metrics, *, generate=True, eval_dataset=None, **arguments):
    model = make_model(tokenizer)
    common = {
        "output_dir": str(folder),
        "per_device_eval_batch_size": 3,
        "report_to": "none",
        "use_cpu": True,
        "disable_tqdm": True,
    }
    chosen = {
        "model": model,
        "eval_dataset": make_dataset(tokenizer) if eval_dataset is None else eval_dataset,
        "train_dataset": make_dataset(tokenizer),
        "processing_class": tokenizer,
        "data_collator": DataCollatorForSeq2Seq(tokenizer, model=model),
        "compute_metrics": compute_metrics,
    }
    if generate:
        args = Seq2SeqTrainingArguments(predict_with_generate=True, generation_max_length=20, **(common | arguments))
        return Seq2SeqTrainer(args=args, **chosen)
    return Trainer(
        args=TrainingArguments(**(common | arguments)),
        preprocess_logits_for_metrics=compute_metrics.preprocess_logits_for_metrics,
        **chosen,
    )


def decode(tokenizer, ids):
    """Return the texts of ids, one by one: what the hook should see."""
    return [
        tokenizer.decode([token for token in row if 0 <= token < len(tokenizer)], skip_special_tokens=True)
        for row in ids.tolist()
    ]


def of_evaluation(metrics, prefix="eval"):
    return {name: metrics[f"{prefix}_{name}"] for name in SCORES}


def predictions_of(trainer, tokenizer):
    """Return the texts that the Trainer's model generates, without the hook."""
    hook, trainer.compute_metrics = trainer.compute_metrics, None
    try:
        return decode(tokenizer, trainer.predict(trainer.eval_dataset).predictions)
    finally:
        trainer.compute_metrics = hook


@contextmanager
def random_numbers_kept():
    """Let others draw random numbers as if nothing had been drawn, or seeded, meanwhile."""
    python, numpy = random.getstate(), np.random.get_state()
    with torch.random.fork_rng(devices=[]):
        yield
    random.setstate(python)
    np.random.set_state(numpy)


def output_of_example(capsys, monkeypatch, folder, name, *arguments):
    """Return what an example prints, run as a program but in this process, which has imported torch already."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", [str(EXAMPLES / name), *arguments])
    elsewhere = [path for path in sys.path if Path(path).resolve() not in (ROOT, ROOT / "tests")]
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *elsewhere])
    try:
        with random_numbers_kept(), mock.patch.dict(os.environ):
            runpy.run_path(sys.argv[0], run_name="__main__")
    finally:
        sys.modules.pop("train", None)  # which the others import
    return capsys.readouterr().out


CASES = [
    (True, True, {}),
    (True, False, {"include_for_metrics": ["inputs"]}),
    (True, True, {"batch_eval_metrics": True}),
    (False, True, {}),
]


def hook_for(sari, tokenizer, raw):
    return sari.compute_metrics(tokenizer, **({"sources": SOURCES, "references": REFERENCES} if raw else {}))
