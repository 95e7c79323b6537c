"""Evaluations in two processes, as `torchrun` starts them: `python two_processes.py FOLDER`."""

import json
import sys
from pathlib import Path

import tiny_trainers as tiny
import torch
from torch.distributed.launcher.api import LaunchConfig, elastic_launch
from transformers import Trainer, __version__

from as_package import make_importable

make_importable()

from sari.sari_scorer import Scorer  # noqa: E402

IS_NEW = __version__ >= "5"
GROUPED = {"train_sampling_strategy": "group_by_length"} if IS_NEW else {"group_by_length": True}


def trainers(folder):
    """Yield Trainers with the function, and one with texts attached.

    Ten rows for two processes with batches of three: the Trainer repeats two rows, which must not count. Nine texts are
    attached, which two processes do not share evenly.
    """
    tokenizer = tiny.make_tokenizer()
    for labels, arguments in [(tiny.LABELS, {}), ([""] * 10, {"include_for_metrics": ["inputs"]})]:
        rows = tiny.make_dataset(tokenizer, labels)
        function, model = Scorer().compute_metrics(tokenizer, rows), tiny.make_t5()
        arguments = {**arguments, **GROUPED, "predict_with_generate": True}
        yield tiny.make_trainer(folder, tokenizer, model, rows, function, generation_max_length=40, **arguments)
    trainer = tiny.make_trainer(folder, tokenizer, tiny.make_llama(), tiny.make_causal_dataset(tokenizer), kind=Trainer)
    texts = {"sources": tiny.SOURCES[:9], "references": tiny.REFERENCES[:9], "prompts": tiny.PROMPT.format}
    Scorer(max_order=2).attach(trainer, **texts, generation_kwargs={"max_new_tokens": 40}, batch_size=2)
    yield trainer


def scores(folder):
    """Return the scores of every Trainer, and how many processes had a part in them."""
    return [[trainer.args.world_size, tiny.of_evaluation(trainer.evaluate())] for trainer in trainers(folder)]


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
