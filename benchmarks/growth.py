"""Find what takes more time than its texts grow: processor time for hostile texts, and for texts four times as long.

    python benchmarks/growth.py [--only SUBJECT] [--words N]

Prints the highest ratio of each subject, and all that are too high, which are marked; then the exit status is 1. A
ratio is too high above 5; above 20 for measures that align each word of one text with each word of another. Ratios
count where the longer texts take at least a quarter of a second.
"""

import argparse
import io
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.command_line.program import main as run_command  # noqa: E402
from sari.companion_measures.registry import MEASURES, Measure  # noqa: E402
from sari.reports.alignment import align  # noqa: E402
from sari.sari_scorer import Scorer  # noqa: E402
from sari.text_files.errors import FileError  # noqa: E402
from sari.text_files.table_files import read_output_table  # noqa: E402
from sari.variants import resolve_variants  # noqa: E402

_LONGER, _MOST, _SECONDS = 4, 5.0, 0.25
#: Subjects whose definition takes the square of the words of a segment.
_ALIGNING = {"ter", "generation_string_accuracy"}
_HEAD = ["source", "prediction", "references"]

#: Texts of about so many words; outputs and references have the sign -1.
TEXTS: dict[str, Callable[[int, int], str]] = {
    "one word": lambda size, sign: "word " * (size + sign),
    "different words": lambda size, sign: " ".join([f"w{number}" for number in range(size)][::sign]),
    "alternating words": lambda size, sign: " ".join(f"a w{size + sign * number}" for number in range(size // 2)),
    "sentences": lambda size, sign: " ".join(f"A w{size + sign * number}." for number in range(size // 2)),
    "full stops": lambda size, sign: "." * (4 * size + sign),
    "lone full stops": lambda size, sign: ". " * (2 * size + sign) + "a",
    "spaces": lambda size, sign: "a" + " " * (4 * size + sign) + "b",
    "long word": lambda size, sign: "a" * (4 * size + sign),
}
#: How a row of a table is written, by the ending of the file.
ROWS: dict[str, Callable[[list[str]], str]] = {
    ".csv": ",".join,
    ".tsv": "\t".join,
    ".jsonl": lambda cells: json.dumps(dict(zip(_HEAD, cells, strict=True))),
    ".json": lambda cells: f"[{json.dumps(dict(zip(_HEAD, cells, strict=True)))}]",
}
#: Tables of about so many columns, rows or brackets, each by its ending and what it has.
TABLES: dict[tuple[str, str], Callable[[int], str]] = {
    (".csv", "columns"): lambda size: "\n".join([",".join(_HEAD) + ",c" * size, "a,b,c" + ",1" * size]),
    (".tsv", "references"): lambda size: "\n".join(
        "\t".join([*_HEAD[:2], *(f"reference_{number}" for number in range(size))]) for _ in range(2)
    ),
    (".csv", "quotes"): lambda size: ",".join(_HEAD) + "\n" + '"' * size,
    (".tsv", "quotes"): lambda size: "\t".join(_HEAD) + '\n"a""\tb\tc' * size,
    (".csv", "systems"): lambda size: ",".join(["system", *_HEAD]) + "".join(f"\n{row},a,b,c" for row in range(size)),
    (".jsonl", "new keys"): lambda size: "\n".join(
        json.dumps({**dict.fromkeys(_HEAD, "a"), f"key {row}": 1}) for row in range(size)
    ),
    (".jsonl", "new references"): lambda size: "\n".join(
        json.dumps({"source": "a", "output": "b", f"reference_{row}": "c"}) for row in range(size)
    ),
    (".json", "brackets"): lambda size: "[" * size,
    (".json", "objects"): lambda size: '{"source":' * size,
}


def _read_table(ending: str, content: str) -> None:
    with tempfile.TemporaryDirectory() as folder, suppress(FileError):
        Path(folder, f"table{ending}").write_text(content, encoding="utf-8")
        read_output_table(str(Path(folder, f"table{ending}"))).by_system("one")


def _report(sources: list[str], outputs: list[str]) -> None:
    """Read text files, and write a report of them, with pictures and companion measures."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        for name, texts in {"sources": sources, "outputs": outputs, "references": outputs}.items():
            Path(folder, name).write_text("\n".join(texts), encoding="utf-8")
        files = [word for name in ("sources", "outputs", "references") for word in (f"--{name}", f"{folder}/{name}")]
        if run_command([*files, "--report", f"{folder}/report.html"]):
            raise SystemExit("the report was refused")


def _measure(measure: Measure, sources: list[str], outputs: list[str]) -> None:
    columns = {"sources": sources, "outputs": outputs, "references": [[other] for other in sources]}
    named = {f"{kind}{name}": column for kind, (name, column) in product(("", "cased_", "raw_"), columns.items())}
    measure.numbers({**named, "word_ranks": {"word": 1}, "stop_words": {"a"}})


def _compute(options: dict[str, Any], sources: list[str], outputs: list[str]) -> None:
    references = [[output, source] for source, output in zip(sources, outputs, strict=True)]
    Scorer(**options).compute(sources=sources, predictions=outputs, references=references)


#: What is measured: functions of sources and outputs.
SUBJECTS: dict[str, Callable[[list[str], list[str]], object]] = {
    **{own.name: partial(_measure, own) for own in MEASURES if not own.missing},
    **{name: partial(_compute, {"variant": name}) for name in resolve_variants()[0]},
    "100 orders": partial(_compute, {"max_order": 100}),
    **{f"tokenizer {name}": partial(_compute, {"tokenize": name}) for name in ("13a", "intl", "char", "zh")},
    "explain": lambda one, other: Scorer("easse").explain(source=one[0], prediction=other[0], references=other[:50]),
    "alignment": lambda one, other: align(one[0].split(), other[0].split()),
    "report": _report,
}


def _works(subject: str, size: int) -> dict[str, Callable[[], object]]:
    """Return what is done about a subject, by the name of the texts."""
    if subject == "tables":
        rows = {
            (ending, name): "\n".join([row(_HEAD)] * (ending < ".j") + [row([text(size, 1), text(size, -1), "c"])])
            for (ending, row), (name, text) in product(ROWS.items(), TEXTS.items())
        }
        tables = rows | {name: content(size) for name, content in TABLES.items()}
        return {" ".join(name): partial(_read_table, name[0], content) for name, content in tables.items()}
    works: dict[str, Callable[[], object]] = {}
    for name, text in TEXTS.items():
        one, other = text(size, 1), text(size, -1)
        places = range(0, len(other), 40)
        parts = [[side[place : place + 40] for place in places] for side in (one, other)]
        works[name] = partial(SUBJECTS[subject], [one], [other])
        works[f"{name}, many segments"] = partial(SUBJECTS[subject], *parts)
    return works


def _seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> int:
    """Print the highest ratio of each subject and those that are too high; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="SUBJECT", choices=["tables", *SUBJECTS], help="one subject alone")
    parser.add_argument("--words", type=int, default=1_000, help="of the shorter texts, about (default: 1,000)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    high = 0
    for subject in [options.only] if options.only else ["tables", *SUBJECTS]:
        rows = []
        shorter, longer = (_works(subject, size) for size in (options.words, _LONGER * options.words))
        next(iter(_works(subject, 20).values()))()  # the first call imports
        for name, work in longer.items():
            short, long = _seconds(shorter[name]), _seconds(work)
            rows.append((long / short if long > _SECONDS else 0.0, short, long, name))
        rows.sort(reverse=True)
        above = [row for row in rows if row[0] > _MOST * (_LONGER if subject in _ALIGNING else 1)]
        high += len(above)
        for ratio, short, long, name in above or rows[:1]:
            print(f"{subject:26} {short:8.3f} s {long:8.3f} s {ratio:6.1f}{'!' if above else ' '} {name}", flush=True)
    return int(high > 0)


if __name__ == "__main__":
    sys.exit(main())
