"""Compare scores of hostile texts, by every path to them, with a slow oracle.

    python benchmarks/fuzz.py --segments 1000000

A seed determines a corpus of hostile texts, the path by which it is scored, the variant and the options; seeds are
consecutive numbers. Scores, figures and scores of segments must agree to 1e-9. Differences are printed with their seed:
`--seed THAT --segments 1` repeats one. The program ends after ten differences. The tokenizers need
requirements-test.txt.

The status is 0 without differences, 1 with differences, and 2 for wrong arguments.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from as_package import make_importable

make_importable()
from sari.benchmarks.made_up_corpora import hostile  # noqa: E402
from sari.benchmarks.scoring_paths import PATHS, ScoringPath  # noqa: E402
from sari.sari_scorer import Scorer  # noqa: E402
from sari.validation import Columns  # noqa: E402
from sari.variants import DELETIONS, LEVELS, PENALTIES, VARIANTS  # noqa: E402

_TOLERANCE = 1e-9
_MOST_SHOWN = 10


def letters_apart(text: str) -> str:
    """Tokenize as a tokenizer of a user could, and leave odd whitespace."""
    return text.replace("a", " a\t").replace(".", "")


def at_periods(text: str) -> list[str]:
    """Split into sentences as a splitter of a user could; there may be none."""
    return [sentence for sentence in text.split(".") if sentence]


_COMMON = ("13a", "13a", "13a", "13a", "none", "none", "none", letters_apart, letters_apart)
#: The values that options are drawn from: all tokenizers that need no download, common ones more often than others.
CHOICES: dict[str, tuple[Any, ...]] = {
    "level": LEVELS,
    "deletion": DELETIONS,
    "zero_division": (0, 1, 0.5),
    "tokenize": (*_COMMON, "intl", "char", "zh", "moses", "ja-mecab", "ko-mecab"),
    "lowercase": (True, False),
    "max_order": (1, 2, 3, 4, 5, 6),
    "penalties": tuple(PENALTIES),
}
_SPLITTERS = (str.splitlines, at_periods)


class FuzzResult(NamedTuple):
    """How many segments of a seed were compared, by which path, and what differs, in a few lines."""

    segments: int
    path: str
    difference: str


def draw_options(draw: random.Random, variants: list[str]) -> dict[str, Any]:
    """Return a variant with no, some or all options; only the level "sentence" takes penalties."""
    share = draw.choice((0, 0.4, 1, 1))
    options: dict[str, Any] = {"variant": draw.choice(variants)}
    options |= {name: draw.choice(values) for name, values in CHOICES.items() if draw.random() < share}
    row = VARIANTS[options["variant"]]
    if options.get("level", row.level) == "corpus":
        options["penalties"] = "none"
    if options.get("penalties", row.penalties) != "none":
        options["sentence_splitter"] = draw.choice(_SPLITTERS)
    return options


def check(seed: int, variants: list[str]) -> FuzzResult:
    """Score the corpus of a seed, and compare."""
    draw = random.Random(seed)
    options = draw_options(draw, variants)
    (name,) = draw.choices(list(PATHS), weights=[path.weight for path in PATHS.values()])
    path = PATHS[name]
    corpus = hostile(draw, path.most)
    difference = _difference(corpus, options, path)
    if difference:
        named = {option: getattr(value, "__qualname__", value) for option, value in options.items()}
        difference += f"\n  by {name}, with {named}, {len(corpus.sources)} segments"
        alone = (Columns([s], [p], [r]) for s, p, r in zip(*corpus, strict=True))
        first = next((segment for segment in alone if _difference(segment, options, path)), None)
        if first:
            difference += "".join(f"\n  {column}: {text!a}" for column, (text,) in first._asdict().items())
    return FuzzResult(len(corpus.sources), name, difference)


def _difference(corpus: Columns, options: dict[str, Any], path: ScoringPath) -> str:
    """Return what differs, in words; nothing where nothing does."""
    try:
        with Scorer().collect_warnings():
            ours = dict(flat(path.ours(corpus, **options)))
    except Exception as error:
        return f"the metric raised {type(error).__name__}: {error}"
    right = dict(flat(path.right(corpus, **options)))
    wrong = [key for key in sorted(ours) if not abs(ours[key] - right.get(key, math.nan)) <= _TOLERANCE]
    if not wrong:
        return ""
    return (
        f"{len(wrong)} of {len(ours)} numbers, first {wrong[0]}: {ours[wrong[0]]!r}, expected {right.get(wrong[0])!r}"
    )


def flat(value: Any, place: str = "") -> Iterator[tuple[str, float]]:
    """Yield place and number of everything that is nested, except the signature."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from flat(inner, f"{place}.{key}" if place else str(key))
    elif not isinstance(value, str):
        yield place, value


def main(arguments: list[str] | None = None) -> int:
    """Compare until so many segments were compared; return the exit status."""
    parser = argparse.ArgumentParser("fuzz.py", description=str(__doc__).splitlines()[0], usage=argparse.SUPPRESS)
    parser.add_argument("--segments", type=int, default=100_000, help="at least so many (default: 100,000)")
    parser.add_argument("--seed", type=int, default=1, help="of the first corpus (default: 1)")
    parser.add_argument(
        "--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS), metavar="NAME", help="only these"
    )
    options = parser.parse_args(arguments)
    begin, segments, differences = time.monotonic(), 0, 0
    with tqdm(total=options.segments, unit="segment", disable=None) as bar:
        for seed in count(options.seed):
            result = check(seed, options.variants)
            segments += result.segments
            bar.update(result.segments)
            if result.difference:
                differences += 1
                repeat = f"--seed {seed} --segments 1 --variants {' '.join(options.variants)}"
                tqdm.write(f"seed {seed}: {result.difference}\n  repeat: python benchmarks/fuzz.py {repeat}")
            if segments >= options.segments or differences == _MOST_SHOWN:
                break
    seconds = time.monotonic() - begin
    print(f"{differences or 'no'} corpora differ, of {segments:,} segments, in {seconds:,.0f} seconds")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
