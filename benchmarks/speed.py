"""How fast the metric is, next to another: `python benchmarks/speed.py [--against PATH]`.

Every round times each contestant once, side by side, since machines are noisy; medians and their ratios are printed.
Without `--against`, the peer is the slow oracle of the tests, on fewer segments. `PATH` is any evaluate module with the
same interface, such as a local copy of the folder metrics/sari of https://github.com/huggingface/evaluate.
"""

import argparse
import functools
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from as_package import make_importable  # noqa: E402

make_importable()

from sari.benchmarks.corpora import Corpus, made_up  # noqa: E402
from sari.variants import resolve_variants  # noqa: E402

#: Title, segments, references, tokens, tokens of a sentence, variant. `dsari` needs NLTK's Punkt.
CASES = (
    ("sentences, 9 references", 359, 9, 22, None, "hf"),
    ("sentences, 9 references", 3_590, 9, 22, None, "hf"),
    ("sentences, 1 reference", 359, 1, 22, None, "hf"),
    ("sentences, 1 reference", 3_590, 1, 22, None, "hf"),
    ("documents, 1 reference", 60, 1, 1_000, 22, "hf"),
    ("documents, dsari", 60, 1, 1_000, 22, "dsari"),
)
#: Segments whose cost and memory are to be the same.
SIZES = (359, 3_590, 35_900, 100_000)


def main() -> None:
    """Run the benchmarks that the arguments ask for."""
    options = _parse()
    if options.memory_of:
        print(*_cost_and_memory(options.memory_of, options.references_each))
        return
    metric = _load(ROOT / "sari.py")
    peer = _load(options.against).compute if options.against else _oracle
    print(f"{'corpus':<26}{'segments':>9}{'us/segment':>12}{'no evaluate':>13}{'peer':>10}{'ratios':>16}")
    left_out = resolve_variants()[1]
    for title, corpus, variant in _corpora(options):
        if options.only not in title:
            continue
        if variant in left_out:
            print(f"{title:<26}left out: {left_out[variant]}")
        else:
            _print_case(title, corpus, functools.partial(_scored_by, metric, variant), peer, options)
    if not options.sources and not options.only:
        _print_flatness()


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, metavar="PATH", help="another evaluate module, to compare with")
    parser.add_argument("--rounds", type=int, default=7, help="how often each is timed (default: 7)")
    parser.add_argument("--peer-segments", type=int, default=359, help="at most so many for the peer (default: 359)")
    parser.add_argument("--only", default="", metavar="TITLE", help="only the cases with this in their titles")
    parser.add_argument("--sources", type=Path, help="real texts instead, one per line")
    parser.add_argument("--outputs", type=Path)
    parser.add_argument("--references", type=Path, nargs="+")
    parser.add_argument("--memory-of", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--references-each", type=int, default=9, help=argparse.SUPPRESS)
    return parser.parse_args()


def _load(path: Path):
    import evaluate

    return evaluate.load(str(path))


def _oracle(**columns) -> None:
    from sari.tests.oracle import score

    score(columns["sources"], columns["predictions"], columns["references"])


def _corpora(options: argparse.Namespace):
    if not options.sources:
        for title, segments, references, tokens, sentence_tokens, variant in CASES:
            corpus = made_up(segments, references=references, tokens=tokens, sentence_tokens=sentence_tokens)
            yield title, corpus, variant
        return
    sources, outputs = _lines(options.sources), _lines(options.outputs)
    rows = zip(*map(_lines, options.references), strict=True)
    yield "files", Corpus(sources, outputs, [list(row) for row in rows]), "hf"


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _print_case(title: str, corpus: Corpus, score: Callable, peer: Callable, options: argparse.Namespace) -> None:
    segments = len(corpus.sources)
    few = corpus.first(options.peer_segments)
    contestants: dict[str, tuple[Callable[[], object], int]] = {
        "compute": (lambda: score(corpus), segments),
        "state": (lambda: score(corpus, with_state=True), segments),
        "peer": (lambda: peer(**few._asdict()), len(few.sources)),
    }
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(options.rounds):
        for name, (run, size) in contestants.items():
            times[name].append(_seconds(run) / size * 1e6)
    median = {name: statistics.median(values) for name, values in times.items()}
    ratios = ", ".join(f"{median['peer'] / median[name]:.1f}" for name in ("compute", "state"))
    print(
        f"{title:<26}{segments:>9}{median['compute']:>12.1f}{median['state']:>13.1f}{median['peer']:>10.1f}{ratios:>16}",
        flush=True,
    )


def _scored_by(metric, variant: str, corpus: Corpus, *, with_state: bool = False) -> None:
    if with_state:
        _with_state(metric, corpus, variant)
    else:
        metric.compute(**corpus._asdict(), variant=variant)


def _with_state(metric, corpus: Corpus, variant: str = "hf") -> None:
    state = metric.state(variant=variant)
    state.update(**corpus._asdict())
    state.compute()


def _seconds(run: Callable[[], object], at_least: float = 0.2) -> float:
    """Return the mean time of a run, of as many as take a while, so that the first, on cold caches, is one of many."""
    begin, runs = time.perf_counter(), 0
    while (passed := time.perf_counter() - begin) < at_least:
        run()
        runs += 1
    return passed / runs


def _print_flatness() -> None:
    """Print the cost per segment and the memory that scoring adds, each size in a process of its own."""
    print(f"\n{'segments':>9}{'references':>12}{'us/segment':>12}{'extra memory, MB':>18}")
    for references in (1, 9):
        for segments in SIZES:
            command = [sys.executable, __file__, "--memory-of", str(segments), "--references-each", str(references)]
            cost, memory = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            print(f"{segments:>9}{references:>12}{float(cost):>12.1f}{float(memory):>18.1f}", flush=True)


def _cost_and_memory(segments: int, references: int) -> tuple[float, float]:
    """Return microseconds per segment, and by how many MB the memory in use grew at most while scoring."""
    metric = _load(ROOT / "sari.py")
    corpus = made_up(segments, references=references, tokens=22)
    _with_state(metric, corpus.first(2_000))  # what is allocated once does not count
    cost = _seconds(lambda: _with_state(metric, corpus)) / segments * 1e6
    with _PeakMemory() as memory:
        _with_state(metric, corpus)
    return cost, memory.growth


class _PeakMemory:
    """Samples the memory in use while it is open, and keeps by how much it grew, in MB."""

    def __enter__(self):
        self._before, self.growth, self._open = psutil.Process().memory_info().rss, 0.0, True
        self._sampler = threading.Thread(target=self._sample)
        self._sampler.start()
        return self

    def _sample(self) -> None:
        while self._open:
            self.growth = max(self.growth, (psutil.Process().memory_info().rss - self._before) / 1e6)
            time.sleep(0.002)

    def __exit__(self, *_):
        self._open = False
        self._sampler.join()


if __name__ == "__main__":
    main()
