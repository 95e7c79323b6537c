"""Evaluations in two processes, as `torchrun` starts them: `python two_processes.py FOLDER`."""

import json
import sys
from pathlib import Path

import torch
from tiny_trainers import (
    NAMED,
    PROMPT,
    REFERENCES,
    SOURCES,
    TEXTS,
    make_causal_dataset,
    make_dataset,
    make_llama,
    make_tokenizer,
    make_trainer,
    of_evaluation,
)
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from as_package import make_importable

make_importable()

from sari.sari_scorer import Scorer  # noqa: E402

#: Whether the model generates, how texts are given, and training arguments.
CASES = [
    (True, "columns", {}),
    (True, "dataset", {"train_sampling_strategy": "group_by_length"}),
    (True, "labels", {"include_for_metrics": ["inputs"]}),
    (True, "columns", {"batch_eval_metrics": True, "include_for_metrics": ["inputs"]}),
    (False, "columns", {}),
    (True, "equal labels", {"include_for_metrics": ["inputs"], "train_sampling_strategy": "group_by_length"}),
]


def trainers(folder):
    """Yield a Trainer for each case of the function, and one with the callback.

    Ten rows for two processes with batches of three: the Trainer repeats two rows, which must not count. The callback
    has nine rows, which two processes with batches of two do not share evenly.
    """
    sari, tokenizer = Scorer(), make_tokenizer()
    for generate, given, arguments in CASES:
        rows = make_dataset(tokenizer, labels=["Same."] * len(SOURCES) if given == "equal labels" else None)
        texts = {"columns": TEXTS, "labels": {"dataset": rows}}.get(given, {"dataset": rows, **NAMED})
        function = sari.compute_metrics(tokenizer, **texts)
        yield make_trainer(folder, tokenizer, function, generate=generate, eval_dataset=rows, **arguments)
    callback = sari.with_options(variant="xu2016", tokenize=lambda text: text.replace(",", " ,")).generation_callback(
        tokenizer,
        sources=SOURCES[:9],
        references=REFERENCES[:9],
        prompts=PROMPT.format,
        generation_kwargs={"max_new_tokens": 10},
        batch_size=2,
    )
    causal = {"model": make_llama(tokenizer), "eval_dataset": make_causal_dataset(tokenizer), "generate": False}
    yield make_trainer(folder, tokenizer, callbacks=[callback], **causal)


def scores(folder):
    """Return the scores of every Trainer, and how many processes had a part in them."""
    return [[trainer.args.world_size, of_evaluation(trainer.evaluate())] for trainer in trainers(folder)]


def write_scores(folder):
    """Append the scores that this process found to a file, as a line of JSON."""
    found = scores(folder)
    with open(Path(folder, "scores.jsonl"), "a", encoding="utf-8") as file:
        file.write(json.dumps(found) + "\n")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=2,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        start_method="fork",  # all is imported once
    )
    elastic_launch(config, write_scores)(*sys.argv[1:])
