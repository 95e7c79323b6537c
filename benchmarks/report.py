"""How long a report takes, and how much memory.

    python benchmarks/report.py [--segments 2000] [--references 10] [--systems 5] [--ending .html] [--runs 3]

`score.py` runs in fresh processes over a made-up corpus, without and with `--report`; the medians are printed. Seconds
are what one waits, CPU seconds what the process computed, which a busy machine changes less; memory is the most that a
process held at once (RSS).
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()
from sari.benchmarks.corpora import made_up  # noqa: E402
from sari.benchmarks.startup import run  # noqa: E402


def main() -> None:
    """Write the texts, and print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--segments", type=int, default=2000, help="how many (default: 2000)")
    parser.add_argument("--references", type=int, default=10, help="of each segment (default: 10)")
    parser.add_argument("--systems", type=int, default=5, help="how many (default: 5)")
    parser.add_argument("--ending", default=".html", help="of the report's file (default: .html)")
    parser.add_argument("--runs", type=int, default=3, help="how often each way is run (default: 3)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = _written(Path(folder), options.segments, options.references, options.systems)
        report = ["--report", str(Path(folder, f"report{options.ending}"))]
        print(f"{'way':<20}{'seconds':>9}{'CPU s':>9}{'peak MB':>9}")
        for way, arguments in (("scores alone", files), ("with a report", [*files, *report])):
            runs = [run(["score.py", *arguments]) for _ in range(options.runs)]
            seconds, cpu_seconds, megabytes = map(statistics.median, zip(*runs, strict=True))
            print(f"{way:<20}{seconds:>9.2f}{cpu_seconds:>9.2f}{megabytes:>9.0f}")


def _written(folder: Path, segments: int, references: int, systems: int) -> list[str]:
    """Write a corpus, with systems made like references, and return the options that name its files."""
    corpus = made_up(segments, references=references + systems, tokens=22)
    columns = list(zip(*corpus.references, strict=True))

    def write(name: str, texts: Sequence[str]) -> str:
        path = folder / name
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
        return str(path)

    outputs = [write(f"system{place}.txt", column) for place, column in enumerate(columns[references:])]
    by_people = [write(f"references.{place}.txt", column) for place, column in enumerate(columns[:references])]
    sources = write("sources.txt", corpus.sources)
    return ["--sources", sources, "--outputs", *outputs, "--references", *by_people]


if __name__ == "__main__":
    main()
