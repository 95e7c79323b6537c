"""What is shared is done once: `python benchmarks/sharing.py [--against PATH]`.

Times what repeats itself on the same sources and references: evaluations, systems, candidates. Every
figure is processor time, the best of several rounds. `PATH` is another checkout of this project, to compare with.
"""

import argparse
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent
ROUNDS, SEGMENTS, SYSTEMS, CANDIDATES, SOURCES = 7, 1_000, 4, 64, 50


def main() -> None:
    """Print the figures, each checkout's in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, metavar="PATH", help="another checkout, to compare with")
    parser.add_argument("--of", type=Path, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.of:
        _print_figures(options.of)
        return
    for folder in [FOLDER] + [options.against] * (options.against is not None):
        print(folder.name, flush=True)
        subprocess.run([sys.executable, __file__, "--of", str(folder)], check=True)


def _print_figures(folder: Path) -> None:
    sys.path.insert(0, str(folder))
    from as_package import make_importable

    make_importable()
    from sari.benchmarks.corpora import made_up
    from sari.scorer import Scorer

    warnings.simplefilter("ignore")
    metric = Scorer()
    row = made_up(1, references=2, tokens=8)
    floor = _best(lambda: [metric.compute(**row._asdict()) for _ in range(100)]) / 100
    print(f"  one call                                        {floor * 1e3:8.2f} ms")
    corpus = made_up(SEGMENTS, references=10 + SYSTEMS, tokens=22)
    references = [texts[:10] for texts in corpus.references]
    systems = {str(place): [texts[10 + place] for texts in corpus.references] for place in range(SYSTEMS)}

    def compared(number: int) -> Callable[[], object]:
        first = dict(list(systems.items())[:number])
        options: dict[str, Any] = {
            "sources": corpus.sources,
            "predictions": first,
            "references": references,
        }
        return lambda: metric.compare(**options, method=None, confidence=None)

    one, all_systems = (_best(compared(number)) / SEGMENTS * 1e6 for number in (1, SYSTEMS))
    print(f"  compare, 10 references: the first system        {one:8.1f} us/segment")
    print(f"  compare, 10 references: each further one        {(all_systems - one) / (SYSTEMS - 1):8.1f} us/segment")
    columns: dict[str, Any] = {"sources": corpus.sources, "references": references}
    prepared = metric.prepare(**columns)
    first = _best(lambda: metric.prepare(**columns).compute(systems["0"])) / SEGMENTS * 1e6
    again = _best(lambda: prepared.compute(systems["0"])) / SEGMENTS * 1e6
    print(f"  prepared, 10 references: the first evaluation   {first:8.1f} us/segment")
    print(f"  prepared, 10 references: each further one       {again:8.1f} us/segment")
    many = made_up(SOURCES, references=CANDIDATES + 10, tokens=22)
    candidates = [texts[:CANDIDATES] for texts in many.references]
    for number in (1, 10):
        texts = [row[CANDIDATES : CANDIDATES + number] for row in many.references]
        given: dict[str, Any] = {"sources": many.sources, "candidates": candidates, "references": texts}
        cost = _best(partial(metric.score_candidates, **given)) / SOURCES / CANDIDATES * 1e6
        print(f"  {CANDIDATES} candidates, references: {number:<20}{cost:8.1f} us/candidate")
    few: dict[str, Any] = {"sources": many.sources[:5], "candidates": candidates[:5]}
    risk = _best(lambda: metric.minimum_bayes_risk(**few)) / 5
    print(f"  minimum Bayes risk, {CANDIDATES} candidates               {risk * 1e3:8.2f} ms/source")


def _best(run: Callable[[], object]) -> float:
    """Return the processor time of the fastest of some runs, after one that does not count."""
    run()
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return min(times)


if __name__ == "__main__":
    main()
