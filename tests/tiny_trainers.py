"""Trainers as small as they can be: a tokenizer, models that answer at random, and the example corpus for both."""

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
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
SCORES = ["sari", "keep", "delete", "add"]
PROMPT = "Simplify: {} Simple:"
#: Arguments of every Trainer.
COMMON = {"report_to": "none", "save_strategy": "no", "use_cpu": True, "disable_tqdm": True}


def lines(name):
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


SOURCES, OUTPUTS = lines("sources.txt"), lines("outputs.txt")
REFERENCES = [list(pair) for pair in zip(lines("references.0.txt"), lines("references.1.txt"), strict=True)]
TEXTS = {"sources": SOURCES, "references": REFERENCES}


def make_tokenizer(begins=False, vocab_size=400):
    """Return a tokenizer of the texts; with `begins` each text begins with a token of its own."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=["<pad>", "</s>", "<unk>"], show_progress=False)
    tokenizer.train_from_iterator([*SOURCES, *OUTPUTS, *(text for row in REFERENCES for text in row)], trainer)
    ends = {"single": "<unk> $A </s>" if begins else "$A </s>", "special_tokens": [("</s>", 1), ("<unk>", 2)]}
    tokenizer.post_processor = processors.TemplateProcessing(**ends)
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<unk>" if begins else None, **special)


def make_t5(tokenizer):
    """Return a model that answers at random, also with ids that the tokenizer does not have."""
    set_seed(3)
    sizes = {"vocab_size": len(tokenizer) + 7, "d_model": 32, "d_kv": 16, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    ids = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    return T5ForConditionalGeneration(T5Config(**sizes, **ids, tie_word_embeddings=False, initializer_factor=5.0))


def make_llama(tokenizer, **config):
    set_seed(5)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    ids = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None, "initializer_range": 0.5}
    return LlamaForCausalLM(LlamaConfig(**{"vocab_size": len(tokenizer), **sizes, **ids, **config}))


def make_dataset(tokenizer, labels=None):
    """Return a tokenized set for an encoder-decoder, with its texts; labels are the first references."""
    ids = tokenizer([f"simplify: {source}" for source in SOURCES], text_target=labels or [row[0] for row in REFERENCES])
    return Dataset.from_dict({**ids, "source": SOURCES, "references": REFERENCES})


def make_causal_dataset(tokenizer):
    """Return prompts and answers in one, as language models are trained, with -100 for the prompts."""
    rows = []
    for source, references in zip(SOURCES, REFERENCES, strict=True):
        asked, answer = tokenizer(PROMPT.format(source))["input_ids"][:-1], tokenizer(references[0])["input_ids"]
        ids = {"input_ids": asked + answer, "attention_mask": [1] * len(asked + answer)}
        rows.append({**ids, "labels": [PADDING] * len(asked) + answer})
    return Dataset.from_list(rows)


PADDING = -100


def make_trainer(
    folder, tokenizer, model, dataset, compute_metrics=None, kind=Seq2SeqTrainer, callbacks=None, **options
):
    """Return a Trainer; options are those of its arguments."""
    common = {"output_dir": str(folder), "per_device_eval_batch_size": 3, **COMMON}
    return kind(
        model=model,
        args=Seq2SeqTrainingArguments(**{**common, **options}),
        eval_dataset=dataset,
        train_dataset=next(iter(dataset.values())) if isinstance(dataset, dict) else dataset,
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
        compute_metrics=compute_metrics,
        callbacks=callbacks,
    )


def generated(model, tokenizer, prompts, **options):
    """Return what a model makes of prompts, one by one and without padding."""
    texts, encodes = [], model.config.is_encoder_decoder
    for prompt in prompts:
        ids = tokenizer(prompt, add_special_tokens=encodes)["input_ids"]
        ids = torch.tensor([ids])
        made = model.eval().generate(input_ids=ids, do_sample=False, pad_token_id=0, **options)
        made = made if encodes else made[:, ids.shape[1] :]
        known = [token for token in made[0].tolist() if token < len(tokenizer)]
        texts.append(tokenizer.decode(known, skip_special_tokens=True).strip())
    return texts


def expected_scores(sari, texts, rows=None, variant="easse", **options):
    """Return what the metric says of texts of some rows, by the default variant of training."""
    rows = range(len(texts)) if rows is None else rows
    columns = {name: [column[row] for row in rows] for name, column in TEXTS.items()}
    return sari.compute(predictions=[texts[row] for row in rows], variant=variant, **columns, **options)


def of_evaluation(metrics, prefix="eval"):
    return {name: metrics[f"{prefix}_{name}"] for name in SCORES}


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
        sys.modules.pop("toy_data", None)
    return capsys.readouterr().out
