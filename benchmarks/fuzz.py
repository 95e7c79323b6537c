"""Hostile segments, under every variant and option, against the slow oracle or another evaluate module.

    python benchmarks/fuzz.py --segments 1000000
    python benchmarks/fuzz.py --against PATH

Corpora are made of hostile texts: whitespace of every kind, marks, digits, entities, tokens of all lengths, scripts,
emoji, lone combining marks, empty texts, any number of references. Each is scored by one of the ways there are, under a
variant and options, all drawn by the seed of the corpus; the seeds of corpora follow each other. Scores, figures and
scores of segments have to agree to 1e-9, and a text with a lone surrogate has to be refused by its name and place.
What differs is printed with its seed: `--seed THAT --segments 1` repeats it.

`PATH` is an evaluate module; where `compute` does not take the options of this one, only "sari" is compared, with no
options. The status is 0 where nothing differs, 1 where something does, and 2 where the arguments are wrong.
"""

import argparse
import inspect
import math
import os
import random
import shutil
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, cast

from tqdm import tqdm

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from as_package import make_importable  # noqa: E402

make_importable()

from sari.benchmarks.corpora import Corpus  # noqa: E402
from sari.benchmarks.hostile import hostile  # noqa: E402
from sari.benchmarks.ways import OF_CORPORA, WAYS  # noqa: E402
from sari.scorer import Scorer  # noqa: E402
from sari.variants import (  # noqa: E402
    DELETIONS,
    LEVELS,
    OPTIONS,
    PENALTIES,
    VARIANTS,
    resolve_variant,
)

_TOLERANCE = 1e-9
_MOST_SHOWN = 10
_CORPORA_AT_A_TIME = 64


def letters_apart(text: str) -> str:
    """Be a user's own tokenizer, one that leaves odd whitespace behind."""
    return text.replace("a", " a\t").replace(".", "")


def at_periods(text: str) -> list[str]:
    """Be a user's own splitter, one that may find no sentence."""
    return [sentence for sentence in text.split(".") if sentence]


_COMMON = ("13a", "13a", "13a", "13a", "none", "none", "none", letters_apart, letters_apart)
#: What options are drawn from: of tokenizers all that need no download, common ones more often than others.
CHOICES: dict[str, tuple[Any, ...]] = {
    "variant": tuple(VARIANTS),
    "level": LEVELS,
    "deletion": DELETIONS,
    "zero_division": (0, 1, 0.5),
    "tokenize": (*_COMMON, "intl", "char", "zh", "moses", "ja-mecab", "ko-mecab"),
    "lowercase": (True, False),
    "max_order": (1, 2, 3, 4, 5, 6),
    "penalties": tuple(PENALTIES),
}
_SPLITTERS = (str.splitlines, at_periods)


class Case(NamedTuple):
    """A corpus, and how to score it.

    Attributes:
        seed: that all of this is drawn by.
        corpus: of hostile texts.
        options: those that are not the variant's own.
        combination: what the options come to, by the names of `CHOICES`.
        way: a key of `WAYS`.
        with_surrogate: the name and place of a text of `corpus` in which a lone surrogate has to be refused; or None.
    """

    seed: int
    corpus: Corpus
    options: dict[str, Any]
    combination: tuple[Any, ...]
    way: str
    with_surrogate: tuple[str, int] | None


class Outcome(NamedTuple):
    """What came of a case: how much was compared, and what differed, in a few lines."""

    seed: int
    segments: int
    combination: tuple[Any, ...]
    way: str
    refused: int
    difference: str


class Peer(NamedTuple):
    """Another module: its `compute`, and whether that takes the options of this one."""

    compute: Callable[..., dict[str, Any]]
    takes_options: bool


# ---- Options --------------------------------------------------------------------------------------------------------


@cache
def _choices() -> dict[str, tuple[Any, ...]]:
    """Return what options are drawn from here: tokenizers may be missing."""
    return {**CHOICES, "tokenize": tuple(filter(_is_installed, CHOICES["tokenize"]))}


def _is_installed(tokenize: Any) -> bool:
    try:
        resolve_variant(tokenize=tokenize)
    except ImportError:
        return False
    return True


def _combinations(variants: list[str], peer: Peer | None) -> int:
    """Return how many combinations of variant and options there are; only the level of sentences takes penalties."""
    if _is_plain(peer):
        return len(variants)
    different = {name: len(set(values)) for name, values in _choices().items()}
    different |= {"variant": len(variants), "level": 1, "penalties": len(PENALTIES) + 1}
    return math.prod(different.values())


def _drawn_options(draw: random.Random, variants: list[str]) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Return options that differ from the variant's own, and the combination that they make: some of them, or all."""
    row = VARIANTS[draw.choice(variants)]
    own = {name: getattr(row, "name" if name == "variant" else name) for name in CHOICES}
    share = draw.choice((0, 0.4, 1, 1))
    changed = {name: draw.choice(values) for name, values in _choices().items() if draw.random() < share}
    chosen = {**own, **changed, "variant": row.name}
    if chosen["level"] == "corpus":
        chosen["penalties"] = "none"
    options = {name: value for name, value in chosen.items() if name == "variant" or value != own[name]}
    if chosen["penalties"] != "none":
        options["sentence_splitter"] = draw.choice(_SPLITTERS)
    return options, tuple(getattr(value, "__name__", value) for value in chosen.values())


# ---- Comparing ------------------------------------------------------------------------------------------------------


def _is_plain(peer: Peer | None) -> bool:
    """Tell whether there is another module, to which variants and options mean nothing."""
    return peer is not None and not peer.takes_options


@cache
def _peer(path: Path | None) -> Peer | None:
    """Return the module to compare with; None for the oracle."""
    if path is None:
        return None
    import evaluate

    compute = evaluate.load(str(path)).compute
    return Peer(compute, OPTIONS.keys() <= inspect.signature(compute).parameters.keys())


def _case(seed: int, peer: Peer | None, variants: list[str]) -> Case:
    draw = random.Random(seed)
    options, combination = _drawn_options(draw, variants)
    ways = {name: way.weight for name, way in WAYS.items() if peer is None or name in OF_CORPORA}
    (way,) = draw.choices(list(ways), weights=list(ways.values()))
    corpus = hostile(draw)
    corpus = corpus.first(WAYS[way].most or len(corpus.sources))
    with_surrogate = None
    if draw.random() < 0.06:
        with_surrogate = (draw.choice(("sources", "predictions", "references")), draw.randrange(len(corpus.sources)))
    if _is_plain(peer):
        row = VARIANTS[options["variant"]]
        options = {"variant": row.name}
        combination = tuple(row.name if name == "variant" else getattr(row, name) for name in CHOICES)
    return Case(seed, corpus, options, combination, way, with_surrogate)


def check(seeds: list[int], against: Path | None, variants: list[str]) -> list[Outcome]:
    """Score the corpora of these seeds, and compare."""
    peer = _peer(against)
    outcomes = []
    with Scorer().collect_warnings(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the other module
        for seed in seeds:
            case = _case(seed, peer, variants)
            difference = _difference(case, case.corpus, peer) or _not_refused(case)
            if difference:
                difference += f"\n{_shown(case, peer)}"
            refused = int(case.with_surrogate is not None)
            outcomes.append(Outcome(seed, len(case.corpus.sources), case.combination, case.way, refused, difference))
    return outcomes


def _difference(case: Case, corpus: Corpus, peer: Peer | None) -> str:
    """Return what differs, in words; nothing where nothing does."""
    way = WAYS[case.way]
    try:
        ours = way.ours(corpus, case.options)
    except Exception as error:
        return f"this module raised {type(error).__name__}: {error}"
    try:
        if peer is None:
            theirs = way.right(corpus, case.options, ours)
        else:
            options = {**case.options, "details": True} if peer.takes_options else {}
            theirs = peer.compute(**corpus.columns, **options)
    except Exception as error:
        return f"the other one raised {type(error).__name__}: {error}"
    ours, theirs = dict(_flat(ours)), dict(_flat(theirs))
    both = ours.keys() if peer is None else ours.keys() & theirs.keys()
    wrong = [path for path in sorted(both, key=str) if not _agree(ours.get(path), theirs.get(path))]
    if not both:
        return "there is nothing to compare"
    if not wrong:
        return ""
    path = wrong[0]
    return f"{len(wrong)} of {len(both)} numbers, first {path}: {ours.get(path)!r}, wanted {theirs.get(path)!r}"


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield path and number of all that is nested, other than the signature."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if key != "signature":
                yield from _flat(inner, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def _agree(one: Any, other: Any) -> bool:
    return one is not None and other is not None and abs(one - other) <= _TOLERANCE


def _not_refused(case: Case) -> str:
    """Put a lone surrogate into a text; return what is wrong with how that is refused."""
    if case.with_surrogate is None:
        return ""
    name, place = case.with_surrogate
    columns: dict[str, Any] = {column: list(texts) for column, texts in case.corpus.columns.items()}
    columns[name][place] = [*columns[name][place], "a \ud800"] if name == "references" else "a\udfff b"
    at = f"[{len(columns[name][place]) - 1}]" if name == "references" else ""
    try:
        Scorer().compute(**columns, **case.options)
    except Exception as error:
        right = isinstance(error, ValueError) and str(error).startswith(f"{name}[{place}]{at}: got a lone surrogate ")
        return "" if right else f"a lone surrogate in {name}[{place}]{at} raised {type(error).__name__}: {error}"
    return f"a lone surrogate in {name}[{place}]{at} was not refused"


def _shown(case: Case, peer: Peer | None) -> str:
    """Return how the case was scored, and the first segment that alone brings a difference about."""
    options = {name: getattr(value, "__qualname__", value) for name, value in case.options.items()}
    lines = [f"  by {case.way}, with {options}, {len(case.corpus.sources)} segments"]
    for row in zip(*case.corpus, strict=True):
        if _difference(case, Corpus(*cast(Any, [[text] for text in row])), peer):
            return "\n".join([*lines, *(f"  {name}: {text!a}" for name, text in zip(Corpus._fields, row, strict=True))])
    return "\n".join(lines)


# ---- The command ----------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Compare until so many segments were; return the exit status."""
    options, variants = _parse(arguments)
    begin, seen = time.monotonic(), _Seen()
    width, height = shutil.get_terminal_size()  # numbers even where a terminal claims to have no size
    peer = _peer(options.against)
    tokenizers = "" if _is_plain(peer) else f"; tokenizers {', '.join(_names('tokenize'))}"
    other = "the oracle" if options.against is None else str(options.against)
    print(f"{', '.join(variants)}{tokenizers}; against {other}", flush=True)
    try:
        with tqdm(total=options.segments, unit="segment", disable=None, ncols=width, nrows=height) as bar:
            for outcome in _outcomes(options, variants):
                seen.add(outcome)
                bar.update(outcome.segments)
                if outcome.difference and seen.differences <= _MOST_SHOWN:
                    tqdm.write(f"seed {outcome.seed}: {outcome.difference}\n  repeat: {_repeat(outcome.seed, options)}")
                if seen.segments >= options.segments:
                    break
    except KeyboardInterrupt:
        print("interrupted")
        status = 130
    else:
        status = 1 if seen.differences else 0
    found = f"{seen.differences:,} corpora differ" if seen.differences else "no difference"
    every = _combinations(variants, peer)
    print(
        f"{found}: {seen.segments:,} segments in {seen.corpora:,} corpora by {len(seen.ways)} of {len(WAYS)} ways, "
        f"{len(seen.combinations):,} of {every:,} combinations of variant and options, "
        f"{seen.refused:,} lone surrogates refused, {time.monotonic() - begin:,.0f} seconds"
    )
    return status


class _Seen:
    """Tallies of outcomes."""

    def __init__(self) -> None:
        self.segments = self.corpora = self.refused = self.differences = 0
        self.combinations: set[tuple[Any, ...]] = set()
        self.ways: set[str] = set()

    def add(self, outcome: Outcome) -> None:
        self.segments += outcome.segments
        self.corpora += 1
        self.refused += outcome.refused
        self.differences += bool(outcome.difference)
        self.combinations.add(outcome.combination)
        self.ways.add(outcome.way)


def _outcomes(options: argparse.Namespace, variants: list[str]) -> Iterator[Outcome]:
    """Yield outcomes without end, in the order of their seeds, with few of them under way."""
    size = min(_CORPORA_AT_A_TIME, options.segments // 100 + 1)
    blocks = ([*range(begin, begin + size)] for begin in count(options.seed, size))
    if options.processes == 1:
        for block in blocks:
            yield from check(block, options.against, variants)
        return
    with ProcessPoolExecutor(options.processes, get_context("spawn")) as pool:
        under_way: deque[Future[list[Outcome]]] = deque()
        try:
            for block in blocks:
                under_way.append(pool.submit(check, block, options.against, variants))
                if len(under_way) > 2 * options.processes:
                    yield from under_way.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _names(option: str) -> list[str]:
    return list(dict.fromkeys(getattr(value, "__name__", str(value)) for value in _choices()[option]))


def _repeat(seed: int, options: argparse.Namespace) -> str:
    against = [] if options.against is None else ["--against", str(options.against)]
    variants = [] if options.variants is None else ["--variants", *options.variants]
    return " ".join(["python benchmarks/fuzz.py --seed", str(seed), "--segments 1", *against, *variants])


def _parse(arguments: list[str] | None) -> tuple[argparse.Namespace, list[str]]:
    description = str(__doc__).splitlines()[0]
    parser = argparse.ArgumentParser("fuzz.py", description=description, usage=argparse.SUPPRESS)
    parser.add_argument("--segments", type=int, default=100_000, help="at least so many (default: 100,000)")
    parser.add_argument("--seed", type=int, default=1, help="of the first corpus (default: 1)")
    parser.add_argument("--processes", type=int, default=1, help="that share the work (default: 1)")
    parser.add_argument("--against", type=Path, metavar="PATH", help="another evaluate module, instead of the oracle")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, metavar="NAME", help="only these")
    options = parser.parse_args(arguments)
    for name in ("segments", "processes"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: got {getattr(options, name)}, wanted at least 1")
    if options.against is not None and not options.against.exists():
        parser.error(f"--against: {options.against}: no such file or folder")
    try:
        peer = _peer(options.against)
    except Exception as error:
        parser.error(f"--against: {options.against} could not be loaded: {' '.join(str(error).split())}")
    return options, options.variants or (["hf"] if _is_plain(peer) else list(VARIANTS))


if __name__ == "__main__":
    sys.exit(main())
