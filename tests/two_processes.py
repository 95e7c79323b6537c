"""Evaluations in two processes, as `torchrun` starts them: `python two_processes.py FOLDER`."""

import json
import sys
from pathlib import Path

import torch
from tiny_trainers import (
    CASES,
    callback_for,
    function_for,
    make_causal_dataset,
    make_llama,
    make_tokenizer,
    make_trainer,
    of_evaluation,
)
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from as_package import make_importable

make_importable()

from sari.scorer import Scorer  # noqa: E402


def evaluate_in_this_process(folder):
    """Evaluate every case of the function, and the callback, and append what this process found."""
    sari, tokenizer = Scorer(), make_tokenizer()
    causal = {"model": make_llama(tokenizer), "eval_dataset": make_causal_dataset(tokenizer), "generate": False}
    trainers = {"callback": make_trainer(folder, tokenizer, callbacks=[callback_for(sari, tokenizer)], **causal)}
    for index, (generate, given, arguments) in enumerate(CASES):
        function = function_for(sari, tokenizer, given)
        trainers[index] = make_trainer(folder, tokenizer, function, generate=generate, **arguments)
    for case, trainer in trainers.items():
        entry = {"case": case, "processes": trainer.args.world_size, "scores": of_evaluation(trainer.evaluate())}
        with open(Path(folder, "scores.jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    torch.distributed.destroy_process_group()


def in_two_processes(function, *arguments):
    """Call a function in two processes as `torchrun` does, which fork from this one: all is imported once."""
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=2,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        start_method="fork",
    )
    elastic_launch(config, function)(*arguments)


if __name__ == "__main__":
    in_two_processes(evaluate_in_this_process, *sys.argv[1:])
