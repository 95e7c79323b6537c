"""Evaluations in two processes, as `torchrun` starts them: `python two_processes.py FOLDER`."""

import json
import sys
from pathlib import Path

import evaluate
import test_generation
import torch
from tiny_trainers import CASES, ROOT, hook_for, make_tokenizer, make_trainer, of_evaluation
from torch.distributed.launcher.api import LaunchConfig, elastic_launch


def evaluate_in_this_process(folder):
    """Evaluate every case of the hook, and the callback, and append what this process found."""
    sari, tokenizer = evaluate.load(str(ROOT / "sari.py")), make_tokenizer()
    callback = test_generation.make_callback(sari, tokenizer)
    trainers = {"callback": test_generation.make_trainer(folder, tokenizer, callbacks=[callback])}
    for index, (generate, raw, arguments) in enumerate(CASES):
        hook = hook_for(sari, tokenizer, raw)
        trainers[index] = make_trainer(folder, tokenizer, hook, generate=generate, **arguments)
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
