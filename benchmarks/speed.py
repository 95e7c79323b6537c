"""Measure how fast this metric is, next to another one, and how much memory it takes.

    python benchmarks/speed.py [GROUP ...] [--against PATH] [--rounds N]

Groups:

    startup   new processes: `--help`, the example corpus, `evaluate.load`
    scale     up to a million pairs with one reference: `score.py` and `Dataset.map`
    methods   `compute`, several systems and candidates (the default)

All texts are made up, and are the same in every run. `PATH` is an evaluate module whose methods are timed side by side
with ours: a copy of the folder metrics/sari of https://github.com/huggingface/evaluate, or `sari.py` of another
checkout of this project.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from as_package import make_importable  # noqa: E402

make_importable()
os.environ.setdefault("HF_HUB_OFFLINE", "1")

#: Corpora: title, segments, references, tokens.
CORPORA = (
    ("sentences, 9 references", 359, 9, 22),
    ("sentences, 9 references", 3_590, 9, 22),
    ("sentences, 1 reference", 359, 1, 22),
    ("sentences, 1 reference", 3_590, 1, 22),
    ("documents, 1 reference", 60, 1, 1_000),
)


def main() -> None:
    """Measure the groups that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)} (default: methods)")
    parser.add_argument("--against", metavar="PATH", help="another metric, to compare with")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is timed (default: 5)")
    options = parser.parse_args()
    groups = options.groups or ["methods"]
    if unknown := set(groups).difference(GROUPS):
        parser.error(f"got the group {', '.join(unknown)}, expected some of {', '.join(GROUPS)}")
    warnings.simplefilter("ignore")
    for group, measure in GROUPS.items():
        if group in groups:
            measure(options)


def medians(measures: Mapping[str, Callable[[], Sequence[float]]], rounds: int) -> dict[str, list[float]]:
    """Return the medians of what each function measures; machines are noisy, so functions take turns."""
    rounds_of: dict[str, list[Sequence[float]]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            rounds_of[name].append(measure())
    return {name: list(map(statistics.median, zip(*rows, strict=True))) for name, rows in rounds_of.items()}


def _print_table(title: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]], decimals: int = 1) -> None:
    print(f"\n{title}\n{tabulate(rows, columns, floatfmt=f'.{decimals}f', intfmt=',')}", flush=True)


# ---- Programs -------------------------------------------------------------------------------------------------------


def _print_costs(title: str, programs: dict[str, list[str]], rounds: int) -> None:
    """Print the median costs of programs, given as the arguments of `python`, which take turns."""
    costs = medians({name: partial(_cost, arguments) for name, arguments in programs.items()}, rounds)
    rows = [(name, *cost) for name, cost in costs.items()]
    _print_table(title, ("program", "seconds", "CPU seconds", "peak MB"), rows, decimals=2)


def _cost(arguments: list[str]) -> list[float]:
    """Return what a process takes: wall-clock time, processor time, and the most memory that it held (RSS)."""
    environment = os.environ | {"PYTHONWARNINGS": "ignore"}
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"python {' '.join(arguments)} ended with status {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux kibibytes
    return [seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6]


def _written(folder: str, segments: int, references: int, systems: int) -> list[str]:
    """Write made-up texts into a folder, and return the options of `score.py` that name them."""
    program = ["benchmarks/made_up_corpora.py", folder, *map(str, (segments, references, systems))]
    subprocess.run([sys.executable, *program], cwd=ROOT, check=True)
    files = {name: sorted(Path(folder).glob(f"{name}*")) for name in ("sources", "outputs", "references")}
    return [argument for name, paths in files.items() for argument in (f"--{name}", *map(str, paths))]


def measure_startup(options: argparse.Namespace) -> None:
    """Measure the start of each way to use the metric."""
    files = ["--sources", "examples/sources.txt", "--outputs", "examples/outputs.txt"]
    files += ["--references", "examples/references.0.txt", "examples/references.1.txt"]
    segment = "sources=['a b c'], predictions=['a b'], references=[['a b', 'a c']]"
    programs = {
        "python score.py --help": ["score.py", "--help"],
        "python score.py, example corpus": ["score.py", *files],
        "from score import sari, one call": ["-c", f"from score import sari; sari({segment})"],
        "evaluate.load, one compute": ["-c", f"import evaluate; evaluate.load('sari.py').compute({segment})"],
        "import numpy, pandas, pyarrow": ["-c", "import numpy, pandas, pyarrow"],
    }
    _print_costs("Start of a process", programs, options.rounds)


#: Scores the pairs of three files as a data set on disk.
_MAP = """
import sys, datasets, evaluate
datasets.disable_progress_bars()
files = {"sources": sys.argv[2], "predictions": sys.argv[4], "references": sys.argv[6]}
texts = {name: datasets.Dataset.from_text(file, cache_dir=sys.argv[7]) for name, file in files.items()}
columns = [lines.rename_column("text", name) for name, lines in texts.items()]
rows = datasets.concatenate_datasets(columns, axis=1)
rows.map(evaluate.load("sari.py").score_batch, batched=True)
"""


def measure_scale(_options: argparse.Namespace) -> None:
    """Measure more and more pairs: what grows with their number is the cost of a pair."""
    for pairs in (10_000, 100_000, 1_000_000):
        with tempfile.TemporaryDirectory() as folder:
            files = _written(folder, pairs, references=1, systems=1)
            programs = {"score.py": ["score.py", *files], "Dataset.map": ["-c", _MAP, *files, f"{folder}/cache"]}
            _print_costs(f"{pairs:,} pairs", programs, rounds=1)


# ---- Methods --------------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """A call that is timed: what is done, the method, its arguments, and how many units of work it does."""

    title: str
    method: str
    arguments: dict[str, Any]
    units: int

    def microseconds(self, metric: Any) -> list[float]:
        """Return the processor time of a unit of the work: other programs change it less than the time of a clock."""
        call = partial(getattr(metric, self.method), **self.arguments)
        calls, seconds = timeit.Timer(call, timer=time.process_time).autorange()
        return [seconds / calls / self.units * 1e6]


def measure_methods(options: argparse.Namespace) -> None:
    """Time the methods of the metric, next to those that the other metric has, too."""
    import evaluate

    ours = evaluate.load(str(ROOT / "sari.py"))
    other = evaluate.load(options.against) if options.against else None
    rows = []
    for case in _cases():
        contestants = {"ours": partial(case.microseconds, ours)}
        if hasattr(other, case.method):
            contestants["other"] = partial(case.microseconds, other)
        microseconds = [median for (median,) in medians(contestants, options.rounds).values()]
        rows.append((case.title, *microseconds, *(theirs / microseconds[0] for theirs in microseconds[1:])))
    _print_table("Microseconds of processor time", ("unit of work", "ours", "other", "other/ours"), rows)


def _cases() -> Iterator[Case]:
    from sari.benchmarks.made_up_corpora import made_up

    yield Case("call of compute", "compute", made_up(1, references=2, tokens=8)._asdict(), 1)
    for title, segments, references, tokens in CORPORA:
        texts = made_up(segments, references=references, tokens=tokens)._asdict()
        yield Case(f"segment, {segments:,} {title}", "compute", texts, segments)
    segments, systems, candidates = 1_000, 4, 64
    corpus = made_up(segments, references=10 + systems, tokens=22)
    of_systems = {str(place): [row[10 + place] for row in corpus.references] for place in range(systems)}
    texts = {"sources": corpus.sources, "references": [row[:10] for row in corpus.references]}
    for number in (1, systems):
        predictions = dict(list(of_systems.items())[:number])
        arguments = {**texts, "predictions": predictions, "method": None, "confidence": None}
        yield Case(f"segment, compare {number} systems", "compare", arguments, segments)
    many = made_up(50, references=candidates + 10, tokens=22)
    texts = {"sources": many.sources, "candidates": [row[:candidates] for row in many.references]}
    for number in (1, 10):
        arguments = {**texts, "references": [row[candidates : candidates + number] for row in many.references]}
        yield Case(f"candidate of {candidates}, {number} references", "score_candidates", arguments, 50 * candidates)
    few = {name: column[:5] for name, column in texts.items()}
    yield Case(f"source, minimum Bayes risk of {candidates}", "minimum_bayes_risk", few, 5)


#: Programs first: until a process has started, the memory of its parent counts as its own, which is small at first.
GROUPS: dict[str, Callable[[argparse.Namespace], None]] = {
    "startup": measure_startup,
    "scale": measure_scale,
    "methods": measure_methods,
}


if __name__ == "__main__":
    main()
