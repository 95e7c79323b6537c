"""Find what takes more time than its texts grow: processor time for hostile texts, and for texts four times as long.

    python benchmarks/growth.py [--only SUBJECT] [--words N]

Prints the highest ratio of each subject, or all that are above 5, which are marked; then the exit status is 1. Ratios
count where the longer texts take at least a quarter of a second. One that is too high is measured again with other
texts, and the lowest of three counts.
"""

import argparse
import io
import json
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from timeit import timeit
from typing import Any
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()

from sari.benchmarks.made_up_corpora import colliding_words  # noqa: E402
from sari.command_line.program import main as run_command  # noqa: E402
from sari.companion_measures.registry import MEASURES  # noqa: E402
from sari.corpus_statistics import score_columns  # noqa: E402
from sari.reports.alignment import align  # noqa: E402
from sari.reports.explanation import explain  # noqa: E402
from sari.reports.plots import histogram  # noqa: E402
from sari.reports.reasons import Token  # noqa: E402
from sari.reports.sentence_edits import score_sentences  # noqa: E402
from sari.reports.word_edits import score_edits  # noqa: E402
from sari.sari_scorer import Scorer  # noqa: E402
from sari.validation import Columns, validate_references  # noqa: E402
from sari.variants import VARIANTS, resolve_variant, resolve_variants  # noqa: E402
from sari.web import rendering  # noqa: E402

_LONGER, _MOST, _SECONDS, _ATTEMPTS = 4, 5.0, 0.25, 3

#: Measures of sentences, which take the square or the cube of a segment's words: they get no longer segments, but more.
_OF_SENTENCES = {"--measures ter", "--measures generation_string_accuracy"}

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


def _parts(text: str) -> list[str]:
    return [text[place : place + 40] for place in range(0, len(text), 40)]


#: Corpora of two texts.
CORPORA: dict[str, Callable[[str, str], Columns]] = {
    "one segment": lambda one, other: Columns([one], [other], [[other, one]]),
    "many segments": lambda one, _: Columns(_parts(one), _parts(one[20:] + one[:20]), [[text] for text in _parts(one)]),
    "many references": lambda one, other: Columns([one[:40]], [other[:40]], [_parts(other)]),
}
#: Files of about so many words, lines, columns, rows or brackets.
FILES: dict[str, Callable[[int], str]] = {
    "words.txt": lambda size: "word " * size,
    "lines.txt": lambda size: "word\n" * size,
    "words.csv": lambda size: "source,prediction,reference\n" + "word " * size + ",a,b",
    "columns.csv": lambda size: "source,prediction,reference" + ",c" * size + "\na,b,c" + ",1" * size,
    "quotes.csv": lambda size: "source,prediction,reference\n" + '"' * size,
    "systems.csv": lambda size: "system,source,prediction,reference" + "".join(f"\n{n},a,b,c" for n in range(size)),
    "spaces.tsv": lambda size: "source\tprediction\treference\na" + " " * size + "\ta\tb",
    "quotes.tsv": lambda size: "source\tprediction\treference" + '\n"a""\tb\tc' * size,
    "references.tsv": lambda size: "\n".join(
        "\t".join(["source", "prediction", *(f"reference_{number}" for number in range(size))]) for _ in range(2)
    ),
    "keys.jsonl": lambda size: "\n".join(
        json.dumps({"source": "a", "output": "b", "reference": "c", f"key {row}": 1}) for row in range(size)
    ),
    "references.jsonl": lambda size: "\n".join(
        json.dumps({"source": "a", "output": "b", f"reference_{row}": "c"}) for row in range(size)
    ),
    "words.json": lambda size: json.dumps([{"source": "word " * size, "output": "a", "reference": "b"}]),
    "brackets.json": lambda size: "[" * size,
    "objects.json": lambda size: '{"source":' * size,
}


def _run(files: dict[str, str], arguments: str) -> None:
    """Write files into a folder, which is {} in the arguments, and run `score.py`, which refuses some of them."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        for name, content in files.items():
            Path(folder, name).write_text(content, encoding="utf-8")
        run_command(arguments.format(*[folder] * arguments.count("{}")).split())


def _score(options: str, texts: Columns) -> None:
    """Run `score.py` with options on a table of texts."""
    rows = [dict(zip(("source", "output", "references"), row, strict=True)) for row in zip(*texts, strict=True)]
    _run({"t.jsonl": "\n".join(map(json.dumps, rows))}, f"--table {{}}/t.jsonl --quiet {options}")


def _first(texts: Columns) -> Columns:
    return Columns(texts.sources[:1], texts.predictions[:1], texts.references[:1])


def _show(texts: Columns) -> None:
    """Explain the first segment, and show it as the app does."""
    (source,), (output,), (references,) = _first(texts)
    explanation = explain(source=source, prediction=output, references=references, variant=resolve_variant())
    rendering.texts(explanation)
    rendering.answer(explanation, resolve_variant(), {"copy": explanation.scores})


def _edit_words(texts: Columns) -> None:
    segment = _first(texts)
    written = [*segment.sources, *segment.predictions, *segment.references[0]]
    source, output, *references = ([Token(word, "kept", "", 0.5) for word in text.split()] for text in written)
    score_edits(segment, 50.0, source, output, references, resolve_variant())


_OPTIONS = [
    *(f"--measures {measure.name}" for measure in MEASURES if not (measure.missing or measure.side_files)),
    *("--measures word_rank --word-ranks {}/t.jsonl --stop-words {}/t.jsonl", "--max-order 100", "--explain 1"),
    *(f"--variant {name}" for name in resolve_variants()[0]),
    *(f"--tokenize {name}" for name in ("intl", "char", "zh")),
    *("--by-order --published", "--baselines --confidence", "--report {}/report.html", "--report {}/report.tex"),
]


def _score_all(texts: Columns) -> None:
    score_columns(texts, VARIANTS["xu2016"])  # splits at spaces alone


def _validate(text: str) -> None:
    with suppress(ValueError):
        validate_references([[text]])


def _read_state(data: bytes) -> None:
    with suppress(ValueError), Scorer().collect_warnings():
        Scorer().read_state(data).compute(details=True)


def _state(text: str, number: int) -> bytes:
    """Return the bytes of a state with so many sampled segments, which `State.to_bytes` may not have written."""
    state = Scorer().state()
    sources = [f"{place} {text}" for place in range(40)]
    state.update(sources=sources, predictions=sources, references=sources)
    line, _, numbers = state.to_bytes()[:-32].partition(b"\n")
    texts = [[crc32(source.encode()), source, source, [source]] for source in sources[:number]]
    content = json.dumps({**json.loads(line), "texts": sorted(texts)}).encode() + b"\n" + numbers
    return content + sha256(content).digest()


def _colliding(size: int) -> Columns:
    text = " ".join(colliding_words(size))
    return Columns([text], [text], [[text]])


def _lists(item: str) -> tuple[Callable[[int], Any], Callable[[Any], object]]:
    return lambda size: "['a'," + item * (100 * size), _validate


#: What is made to take long: by name, a function from a size to data, and what is done with these.
CRAFTED: dict[str, tuple[Callable[[int], Any], Callable[[Any], object]]] = {
    "words of one place in a hash table": (lambda size: _colliding(4 * size), _score_all),
    **{f"references as text, {item}": _lists(item) for item in ("f'{1}{1}'", "1,", "[],", "[", "\\'", '"', "'b' ")},
    "references as text, JSON": (lambda size: json.dumps(["a"] * 100 * size), _validate),
    "state of full stops": (lambda size: _state("." * 4 * size, 12), _read_state),
    "state of many texts": (lambda size: _state("a", min(size, 40)), _read_state),
}
#: What is done with texts.
SUBJECTS: dict[str, Callable[[Columns], object]] = {
    **{options: partial(_score, options) for options in _OPTIONS},
    "explanation in the app": _show,
    "word edits": _edit_words,
    "sentence edits": lambda texts: score_sentences(_first(texts), 50, resolve_variant()),
    "alignment": lambda texts: align(texts.sources[0].split(), texts.predictions[0].split()),
    "picture": lambda texts: histogram({"one": list(map(len, texts.sources))}, "characters"),
}


def _corpus(text: Callable[[int, int], str], make: Callable[[str, str], Columns], size: int) -> Columns:
    return make(text(size, 1), text(size, -1))


def _score_file(name: str, content: str) -> None:
    texts = "--sources {0} --outputs {0} --references {0}" if name.endswith(".txt") else "--table {0}"
    _run({name: content}, f"{texts.format('{}/' + name)} --quiet --score-only")


def _works(subject: str) -> dict[str, tuple[Callable[[int], Any], Callable[[Any], object]]]:
    """Return what is done about a subject: by name, a function from a size to texts, and one of texts that is timed."""
    if subject == "crafted":
        return CRAFTED
    if subject == "files":
        return {name: (content, partial(_score_file, name)) for name, content in FILES.items()}
    kinds = [kind for kind in CORPORA if kind != "one segment" or subject not in _OF_SENTENCES]
    return {
        f"{name}, {kind}": (partial(_corpus, text, CORPORA[kind]), SUBJECTS[subject])
        for (name, text), kind in product(TEXTS.items(), kinds)
    }


def _seconds(do: Callable[[Any], object], texts: object) -> float:
    """Return the processor time that it takes, without garbage collection, which comes by steps."""
    return timeit(partial(do, texts), timer=time.process_time, number=1)


def _lowest_ratio(texts_of: Callable[[int], Any], do: Callable[[Any], object], words: int) -> tuple[float, float]:
    """Return the lowest ratio of a few attempts, or the first that is not too high, with its longer time.

    Each attempt has texts of its own, so that nothing is known of them.
    """
    ratios = []
    for size in range(words, words + _ATTEMPTS):
        short, long = (_seconds(do, texts_of(length)) for length in (size, _LONGER * size))
        ratios.append((long / short if long > _SECONDS else 0.0, long))
        if ratios[-1][0] <= _MOST:
            break
    return min(ratios)


def main() -> int:
    """Print the highest ratio of each subject and those that are too high; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="SUBJECT", choices=["files", "crafted", *SUBJECTS], help="one subject alone")
    parser.add_argument("--words", type=int, default=1_000, help="of the shorter texts, about (default: 1,000)")
    options = parser.parse_args()
    highest = 0.0
    for subject in [options.only] if options.only else ["files", "crafted", *SUBJECTS]:
        works = _works(subject)
        _lowest_ratio(*next(iter(works.values())), 20)  # the first call imports
        rows = sorted(((*_lowest_ratio(*work, options.words), name) for name, work in works.items()), reverse=True)
        for ratio, seconds, name in [row for row in rows if row[0] > _MOST] or rows[:1]:
            print(f"{subject:44} {seconds:8.3f} s {ratio:6.1f}{'!' if ratio > _MOST else ' '} {name}", flush=True)
        highest = max(highest, rows[0][0])
    return int(highest > _MOST)


if __name__ == "__main__":
    sys.exit(main())
