"""Four segments with their scores by the oracle, the metric loaded anew, copies, and processes that score."""

import copy
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import cloudpickle
import oracle

ROOT = Path(__file__).resolve().parent.parent
#: The environment of processes that load `evaluate` and do not need transformers, which it would import.
WITHOUT_TRANSFORMERS = {"PYTHONPATH": str(ROOT / "tests" / "without_transformers")}
NAMES = ("sari", "keep", "delete", "add")

TEXTS = {
    "sources": ["Nearly 40 bridges were still standing.", "The old cat sat down.", "He came, saw, and won.", "No."],
    "predictions": ["Nearly 40 bridges were counted.", "the cat sat.", "He came. He saw. He won.", ""],
    "references": [
        ["Nearly 40 bridges were counted.", "40 bridges were standing later."],
        ["A cat sat down.", "The cat sat."],
        ["He came and saw. He won.", "He won."],
        ["No!", "Nope."],
    ],
}
SCORES = oracle.score(**TEXTS)
NO_SEGMENTS = "sources, predictions, references: got no segments, expected at least one"

#: Every way to copy an object.
COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda copied: pickle.loads(pickle.dumps(copied)),
    "cloudpickle": lambda copied: pickle.loads(cloudpickle.dumps(copied)),
}


def rows(*numbers):
    """Return some of the segments as columns."""
    return {name: [column[number] for number in numbers] for name, column in TEXTS.items()}


def repeated(times):
    """Return the segments over and over."""
    return {name: column * times for name, column in TEXTS.items()}


def load(**options):
    """Return another metric than that of all tests."""
    import evaluate

    return evaluate.load(str(ROOT / "sari.py"), **options)


def state_of(scorer, texts, **options):
    """Return a state that has seen the texts."""
    kept = {name: options.pop(name) for name in ("sentences", "resampling", "shard") if name in options}
    state = scorer.with_options(**options).state(**kept)
    state.update(**texts)
    return state


def run(program, *arguments, **environment):
    """Run a program in a fresh process and return what it printed, as JSON."""
    process = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=os.environ | WITHOUT_TRANSFORMERS | environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1])


def own_tokenizer(text):
    return text.replace("-", " - ")


class Breaks:
    """A tokenizer that fails at its nth text."""

    def __init__(self, at, failure):
        self.at, self.failure = at, failure

    def __call__(self, text):
        self.at -= 1
        if self.at:
            return text
        raise self.failure
