"""Measure how fast this metric is, next to another one, and how much memory it takes.

    python benchmarks/speed.py [GROUP ...] [--against PATH] [--rounds N]

Groups:

    startup   new processes: `--help`, the example corpus, `evaluate.load`
    scale     up to a million pairs with one reference: `score.py` and `Dataset.map`
    segments  `compute`, next to another metric (the default)
    sharing   several systems and candidates with the same references

All texts are made up, and are the same in every run. `PATH` is an evaluate module with the same interface, for example
a copy of the folder metrics/sari of https://github.com/huggingface/evaluate, or `sari.py` of another checkout of this
project. Without it, the slow oracle of the tests is timed next to `compute`.
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
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from tabulate import tabulate

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from as_package import make_importable  # noqa: E402

make_importable()
os.environ.setdefault("HF_HUB_OFFLINE", "1")
Name = TypeVar("Name", bound=Hashable)

#: Title, segments, references, tokens, tokens of a sentence, variant. `dsari` needs NLTK's Punkt.
CORPORA = (
    ("sentences, 9 references", 359, 9, 22, None, "hf"),
    ("sentences, 9 references", 3_590, 9, 22, None, "hf"),
    ("sentences, 1 reference", 359, 1, 22, None, "hf"),
    ("sentences, 1 reference", 3_590, 1, 22, None, "hf"),
    ("sentences, 1 reference", 35_900, 1, 22, None, "hf"),
    ("documents, 1 reference", 60, 1, 1_000, 22, "hf"),
    ("documents, dsari", 60, 1, 1_000, 22, "dsari"),
)
#: The other metric is slow: it gets at most so many segments of each corpus.
PEER_SEGMENTS = 359


def main() -> None:
    """Measure the groups that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)} (default: segments)")
    parser.add_argument("--against", metavar="PATH", help="another metric, to compare with")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is timed (default: 5)")
    options = parser.parse_args()
    groups = options.groups or ["segments"]
    if unknown := set(groups).difference(GROUPS):
        parser.error(f"got the group {', '.join(unknown)}, expected some of {', '.join(GROUPS)}")
    warnings.simplefilter("ignore")
    for group, measure in GROUPS.items():
        if group in groups:
            measure(options)


def medians(measures: Mapping[Name, Callable[[], Sequence[float]]], rounds: int) -> dict[Name, list[float]]:
    """Return the medians of what each function measures; machines are noisy, so functions take turns."""
    found: dict[Name, list[Sequence[float]]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            found[name].append(measure())
    return {name: list(map(statistics.median, zip(*rows, strict=True))) for name, rows in found.items()}


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


# ---- Functions ------------------------------------------------------------------------------------------------------


def _microseconds(function: Callable[[], object], units: int) -> list[float]:
    """Return the processor time of a unit of the work that a call does."""
    calls, seconds = timeit.Timer(function, timer=time.process_time).autorange()
    return [seconds / calls / units * 1e6]


def _metric(path: str | None = None) -> Any:
    import evaluate

    return evaluate.load(path or str(ROOT / "sari.py"))


def measure_segments(options: argparse.Namespace) -> None:
    """Time `compute` and the other metric."""
    from sari.benchmarks.made_up_corpora import made_up
    from sari.tests import oracle
    from sari.variants import resolve_variants

    metric, peer = _metric(), _metric(options.against).compute if options.against else oracle.score
    left_out, rows = resolve_variants()[1], []
    for title, segments, references, tokens, sentence_tokens, variant in CORPORA:
        if variant in left_out:
            print(f"{title}: left out: {left_out[variant]}")
            continue
        make = partial(made_up, references=references, tokens=tokens, sentence_tokens=sentence_tokens)
        corpus, few = make(segments), make(min(segments, PEER_SEGMENTS))
        contestants: dict[str, Callable[[], list[float]]] = {
            "compute": partial(_microseconds, partial(metric.compute, **corpus._asdict(), variant=variant), segments),
            "peer": partial(_microseconds, partial(peer, **few._asdict()), len(few.sources)),
        }
        (compute,), (theirs,) = medians(contestants, options.rounds).values()
        rows.append((title, segments, compute, theirs, theirs / compute))
    _print_table("Microseconds per segment", ("corpus", "segments", "compute", "peer", "peer/compute"), rows)


def measure_sharing(options: argparse.Namespace) -> None:
    """Time work that shares sources and references."""
    metrics = {"ours": _metric()} | ({"theirs": _metric(options.against)} if options.against else {})
    work = {whose: list(_shared_work(metric)) for whose, metric in metrics.items()}
    contestants = {
        (whose, name): partial(_microseconds, run, units) for whose, cases in work.items() for name, run, units in cases
    }
    found = medians(contestants, options.rounds)
    rows = [(name, *(found[whose, name][0] for whose in metrics)) for name, *_ in work["ours"]]
    _print_table("Microseconds", ("unit of work", *metrics), rows)


def _shared_work(metric: Any) -> Iterator[tuple[str, Callable[[], object], int]]:
    """Yield names of work, functions that do it, and how many units each function does."""
    from sari.benchmarks.made_up_corpora import made_up

    segments, systems, candidates = 1_000, 4, 64
    single = made_up(1, references=2, tokens=8)
    yield "call of compute", partial(metric.compute, **single._asdict()), 1
    corpus = made_up(segments, references=10 + systems, tokens=22)
    texts: dict[str, Any] = {"sources": corpus.sources, "references": [row[:10] for row in corpus.references]}
    outputs = {str(place): [row[10 + place] for row in corpus.references] for place in range(systems)}
    for number in (1, systems):
        predictions = dict(list(outputs.items())[:number])
        compare = partial(metric.compare, **texts, predictions=predictions, method=None, confidence=None)
        yield f"segment, compare {number} systems", compare, segments
    many = made_up(50, references=candidates + 10, tokens=22)
    given: dict[str, Any] = {"sources": many.sources, "candidates": [row[:candidates] for row in many.references]}
    for number in (1, 10):
        references = [row[candidates : candidates + number] for row in many.references]
        score = partial(metric.score_candidates, **given, references=references)
        yield f"candidate of {candidates}, {number} references", score, 50 * candidates
    few = {name: column[:5] for name, column in given.items()}
    yield f"source, minimum Bayes risk of {candidates}", partial(metric.minimum_bayes_risk, **few), 5


#: Programs first: until a process has started, the memory of its parent counts as its own, which is small at first.
GROUPS: dict[str, Callable[[argparse.Namespace], None]] = {
    "startup": measure_startup,
    "scale": measure_scale,
    "segments": measure_segments,
    "sharing": measure_sharing,
}


if __name__ == "__main__":
    main()
