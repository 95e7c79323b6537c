"""Warnings about the data of a score, the variant, and the number of segments, from a small sample of texts.

Most warnings about texts need at least `ENOUGH` segments, and describe most of a column. The text of a warning depends
on its cause alone, so that Python's filters show it once for each line of a program; figures are its `detail`.
"""

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from heapq import nsmallest
from itertools import chain, combinations, takewhile, zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from .aggregation import exact_sums, sari_scores, score_totals, summands
from .languages import EXTERNAL_TOKENIZERS
from .ngram_statistics import count_ngrams
from .significance import ENOUGH_SEGMENTS
from .tokenization import encode_corpus, split_into_tokens
from .validation import either, shown, value_in_python
from .variants import SIGNIFICANT, VARIANTS, Text, Variant, differing_parts

#: A warning as plain data: the name of its category, and its attributes.
WarningRow = dict[str, Any]


class Advice(NamedTuple):
    """An option that would help, and the values to give it, the best first."""

    option: str
    values: tuple[str | bool, ...]


class SariWarning(UserWarning):
    """The base of all warnings about a score.

    Attributes:
        message: what to doubt, and what to do about the texts; the same for one cause.
        detail: the figures of this case; may be empty.
        advice: the option to set; None for none.

    >>> str(SariWarning("case matters", "9 of 10 segments", Advice("lowercase", (True,))))
    'case matters: set lowercase=True'
    """

    def __init__(self, message: str, detail: str = "", advice: Advice | None = None):
        super().__init__(message, detail, advice)
        self.message, self.detail, self.advice = message, detail, advice

    def __str__(self) -> str:
        return f"{self.message}: set {value_in_python(*self.advice)}" if self.advice else self.message

    def as_dict(self) -> WarningRow:
        """Return the warning as plain data.

        >>> SariWarning("case matters", advice=Advice("lowercase", (True,))).as_dict()["advice"]
        {'option': 'lowercase', 'values': [True]}
        """
        advice = self.advice and {"option": self.advice.option, "values": [*self.advice.values]}
        return {"category": type(self).__name__, "message": self.message, "detail": self.detail, "advice": advice}


def _category(name: str, meaning: str) -> type[SariWarning]:
    return type(name, (SariWarning,), {"__doc__": meaning, "__module__": __name__})


CopiedOutputsWarning = _category("CopiedOutputsWarning", "Most outputs are copies of their sources.")
EmptyOutputsWarning = _category("EmptyOutputsWarning", "Some outputs are empty.")
BelowCopyWarning = _category("BelowCopyWarning", "Copying the sources scores higher.")
BelowUnrelatedWarning = _category("BelowUnrelatedWarning", "References of other segments score higher.")
RewardsCopyingWarning = _category("RewardsCopyingWarning", "Copies of the sources can rank first.")
CaseMismatchWarning = _category("CaseMismatchWarning", "Only some columns are in lower case, and case matters.")
AlreadyTokenizedWarning = _category("AlreadyTokenizedWarning", "Tokenizing tokenized texts again changes them.")
UntokenizedWarning = _category("UntokenizedWarning", "Texts are not tokenized, and are only split at spaces.")
UnsegmentedTextWarning = _category("UnsegmentedTextWarning", "Chinese or Japanese is not split into words.")
TabsInReferencesWarning = _category("TabsInReferencesWarning", "References contain tabs, which may be between several.")
DuplicateReferencesWarning = _category("DuplicateReferencesWarning", "Two references are nearly always the same.")
SwappedColumnsWarning = _category("SwappedColumnsWarning", "Sources and outputs look swapped.")
ShiftedLinesWarning = _category("ShiftedLinesWarning", "Texts look shifted by one line against the sources.")
FewSegmentsWarning = _category("FewSegmentsWarning", "There are too few segments for intervals or tests.")
FewResamplesWarning = _category("FewResamplesWarning", "There are too few resamples for a significant difference.")
BaselineLeftOutWarning = _category("BaselineLeftOutWarning", "A baseline needs more references.")
VariantLeftOutWarning = _category("VariantLeftOutWarning", "Options or a missing package rule out a variant.")
SignatureWarning = _category("SignatureWarning", "A signature names other versions, which may score differently.")
PromptInSourcesWarning = _category("PromptInSourcesWarning", "All sources begin with the same words, as a prompt.")
TrainingWarning = _category("TrainingWarning", "The tokenizer or the prompts of a Trainer change the texts.")

#: The categories by name.
CATEGORIES: dict[str, type[SariWarning]] = {"SariWarning": SariWarning}
CATEGORIES |= {category.__name__: category for category in SariWarning.__subclasses__()}

#: Fewer segments than these give no warning about texts.
ENOUGH = 10
_MOST_TEXTS, _NEARLY_ALL, _HARDLY_ANY = 0.5, 0.9, 0.1
# Tokenizing tokenized texts of real systems and people again changes up to 23% of them, by misspellings and numbers.
_MANY = 0.3

# Below these shares of their scores a system is clearly worse: some published systems are a little below copies; of 93
# sets of outputs by 46 systems (BLESS), under six variants, none below .95 was above unrelated texts as a whole.
_CLEARLY_COPIES, _CLEARLY_UNRELATED = 0.7, 0.95
# Outputs with this SARI are not compared with baselines of the sample: on the public test sets of docs/systems.csv
# unrelated texts do not reach it, nor do copies by a variant that does not reward copying.
_ABOVE_BASELINES = 40

# The size of a sample: segments, and characters of each text.
_SAMPLED_SEGMENTS, _SAMPLED_CHARACTERS = 32, 2_000

# If lines are shifted, more than this share of texts is more like another source than like its own; of the outputs of
# public systems for ASSET, TurkCorpus and PWKP at most .03 are.
_SHIFT_SHARE = 0.2
# If columns are swapped, predictions are longer than sources and references by this factor, and share more words with
# references by this margin. Their words are longer, too; the words of a verbose system are not.
_SWAP_LENGTH, _SWAP_MARGIN = 1.05, 0.05

_WORD_TOKENIZERS = ("13a", *(name for name, row in EXTERNAL_TOKENIZERS.items() if row.separates_marks))
_LOOKS_TOKENIZED = re.compile(" [.,]|@-@|-(lrb|LRB)-")
_LOOKS_UNTOKENIZED = re.compile(r"\w[,.](?:\s|$)")
_LONG_RUN_WITHOUT_SPACES = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{8}")

# Collects warnings in place of Python's `warnings`, whose filters are those of the whole process.
_COLLECTED: ContextVar[list[Warning] | None] = ContextVar("collected", default=None)

#: A segment of a sample: its key, its source, its prediction and its references.
Sampled = tuple[int, str, str, tuple[str, ...]]


class TextSample(NamedTuple):
    """A sample of texts, and what else warnings need besides counts. Samples of parts merge to that of the whole.

    Attributes:
        texts: a few different segments, those with the smallest keys. A key is a checksum of source and prediction,
            so that the sample depends on the texts alone, whatever their order.
        empty: how many predictions are empty.
        copies: how many predictions are copies of their sources: see `is_copy`.
        nrefs: the numbers of references that segments have.
    """

    texts: tuple[Sampled, ...]
    empty: int
    copies: int
    nrefs: frozenset[int]

    def merge(self, other: "TextSample") -> "TextSample":
        """Return the sample of the texts of both."""
        return TextSample(
            _smallest({*self.texts, *other.texts}),
            self.empty + other.empty,
            self.copies + other.copies,
            self.nrefs | other.nrefs,
        )

    def columns(self) -> tuple[list[str], list[str], list[list[str]]]:
        """Return the sources, predictions and references of the segments, in the order of their keys.

        >>> take_sample(["a", "b", "b"], ["A", "B", "B"], [["1"], ["2"], ["2"]]).columns()
        (['a', 'b'], ['A', 'B'], [['1'], ['2']])
        """
        _, sources, predictions, references = zip(*self.texts, strict=True)
        return list(sources), list(predictions), list(map(list, references))


NO_TEXTS = TextSample((), 0, 0, frozenset())


def take_sample(sources: list[str], predictions: list[str], references: list[list[str]]) -> TextSample:
    """Take a sample of checked texts; long texts are cut.

    >>> take_sample(["a"], ["A"], [["1"]])
    TextSample(texts=((1021589791, 'a', 'A', ('1',)),), empty=0, copies=1, nrefs=frozenset({1}))
    """
    keys = list(map(crc32, map(str.encode, predictions), map(crc32, map(str.encode, sources))))
    wanted = set(nsmallest(_SAMPLED_SEGMENTS, set(keys)))
    found = {
        (key, _cut(sources[place]), _cut(predictions[place]), tuple(map(_cut, references[place])))
        for place, key in enumerate(keys)
        if key in wanted
    }
    empty, copies = sum(not text.strip() for text in predictions), sum(map(is_copy, sources, predictions))
    return TextSample(_smallest(found), empty, copies, frozenset(map(len, references)))


def is_copy(source: str, output: str) -> bool:
    """Return whether an output equals its source, but for whitespace, case, and ’ for '.

    >>> is_copy("It’s HERE .", "it's here."), is_copy("a b", "b a")
    (True, False)
    """
    if source == output:
        return True
    source, output = source.lower(), output.lower()
    if source.count("e") != output.count("e"):  # so for most outputs, and much faster
        return False
    one, other = ("".join(text.split()).replace("’", "'") for text in (source, output))
    return one == other


def _smallest(segments: set[Sampled]) -> tuple[Sampled, ...]:
    return tuple(sorted(segments)[:_SAMPLED_SEGMENTS])


def _cut(text: str) -> str:
    return text[:_SAMPLED_CHARACTERS]


class _Look(NamedTuple):
    """A sample by columns, as the checks need it; "references" are the first references."""

    sample: TextSample
    variant: Variant
    columns: dict[str, list[str]]

    def text(self, name: str) -> Text:
        """Return how the texts of a column become tokens."""
        return self.variant.source_text if name == "sources" else self.variant.text

    def mostly(self, test: Callable[[str], object], tokenizers: Sequence[str]) -> list[str]:
        """Return the names of the columns that have one of these tokenizers and whose texts mostly pass a test."""
        return [
            name
            for name, texts in self.columns.items()
            if self.text(name).tokenize in tokenizers and _proportion(texts, test) > _MOST_TEXTS
        ]

    def advise(
        self, category: type[SariWarning], fault: str, option: str, value: str | bool, remedy: str, detail: str = ""
    ) -> SariWarning:
        """Return a warning that advises to restore an option of the variant, or else has a remedy for the texts."""
        if getattr(VARIANTS[self.variant.name], option) == value != getattr(self.variant, option):
            return category(fault, detail, Advice(option, (value,)))
        return category(f"{fault}: {remedy}", detail)


def check_corpus(sample: TextSample, variant: Variant, *, segments: int, sari: float) -> Iterator[SariWarning]:
    """Yield the warnings about a corpus with this SARI, in percent."""
    if not segments:
        return
    sources, predictions, references = sample.columns()
    columns = {"sources": sources, "outputs": predictions, "references": [row[0] for row in references]}
    look = _Look(sample, variant, columns)
    if sample.empty:
        yield EmptyOutputsWarning("some outputs are empty", f"{sample.empty} of {segments}")
    yield from _unsegmented(look)
    if _proportion(columns["references"], lambda text: "\t" in text) > _MOST_TEXTS:
        yield TabsInReferencesWarning("most references contain tabs: are they several references each?")
    if segments < ENOUGH:
        return
    if mostly_copies(sample, segments):
        yield CopiedOutputsWarning("most outputs are the same as their sources", f"{sample.copies} of {segments}")
        yield from variant_warnings(variant, sources)
    else:
        yield from _check_baselines(sample, variant, sari)
    for check in _CHECKS:
        yield from check(look)


def mostly_copies(sample: TextSample, segments: int) -> bool:
    """Return whether most predictions of so many segments are copies of their sources."""
    return sample.copies > _MOST_TEXTS * segments


def _check_baselines(sample: TextSample, variant: Variant, sari: float) -> Iterator[SariWarning]:
    """Yield a warning if copies of the sources, or references of other segments, clearly have a higher SARI."""
    sources, _, references = sample.columns()
    if len(sources) < ENOUGH or sari >= _ABOVE_BASELINES:
        return
    first = [row[0] for row in references]
    unrelated = first[1:] + first[:1]
    baselines = [(BelowUnrelatedWarning, "references of other segments", unrelated, _CLEARLY_UNRELATED)]
    if not variant.rewards_copying:  # where it does, copies can have a higher SARI than good outputs
        baselines.insert(0, (BelowCopyWarning, "copies of the sources", sources, _CLEARLY_COPIES))
    for category, name, texts, clearly in baselines:
        score = _sari_of_sample(sources, texts, references, variant)
        if sari < clearly * score:
            figures = f"{score:.2f} in a sample of {len(sources)} segments; the outputs {sari:.2f}"
            yield category(f"{name} have a higher SARI than the outputs", figures)


def _sari_of_sample(sources: list[str], predictions: list[str], references: list[list[str]], variant: Variant) -> float:
    chunks = encode_corpus(sources, references, predictions, variant)
    totals = sum(exact_sums(summands(count_ngrams(tokens, variant), variant)) for tokens in chunks)
    return float(sari_scores(score_totals(np.asarray(totals), len(sources), variant)[1])[0])


def variant_warnings(variant: Variant, sources: Sequence[str] | None = None) -> Iterator[SariWarning]:
    """Yield a warning if the variant rewards copying: for systems, candidates or models that are compared by it.

    A variant that only treats sources otherwise than outputs does not reward copies of `sources`, if these are given
    and mostly have the same tokens both ways.
    """
    if variant.deleting_nothing_is_right:
        cause = "gives a delete score of 100 to an output that deletes nothing"
    elif variant.rewards_copying and (sources is None or _share_changed(sources, variant) > _MANY):
        steps = [name for name in ("tokenize", "lowercase") if vars(variant.source_text)[name] != vars(variant)[name]]
        cause = f"does not {' or '.join(steps)} sources as it does outputs"
    else:
        return
    others = tuple(name for name in ("easse", "xu2016") if name != variant.name)
    yield RewardsCopyingWarning(f"the variant {cause}, so that copies can rank first", advice=Advice("variant", others))


def _share_changed(sources: Sequence[str], variant: Variant) -> float:
    """Return the share of the first sources that have other tokens as outputs."""
    first = list(sources[:_SAMPLED_SEGMENTS])
    ways = (split_into_tokens(first, text) for text in (variant.source_text, variant.text))
    return _proportion(list(zip(*ways, strict=True)), lambda pair: pair[0] != pair[1])


def signature_warnings(printed: str, here: str) -> Iterator[SariWarning]:
    """Yield a warning if a printed signature names other versions or numbers of references than the one made here."""
    if differing := differing_parts(printed, here):
        yield SignatureWarning("the signature differs from the printed one: scores may, too", ", ".join(differing))


def check_resampling(
    segments: int, *, intervals: bool, tests: bool, smallest_p_value: float = 0.0
) -> Iterator[SariWarning]:
    """Yield warnings about too few segments, or too few resamples, for intervals and tests.

    `intervals` and `tests` say whether there are any; `smallest_p_value` is the smallest corrected p-value that the
    tests can give.
    """
    if not (intervals or tests):
        return
    if segments == 1:
        yield FewSegmentsWarning("a single segment has no confidence interval, and no test applies to it")
    elif segments < ENOUGH_SEGMENTS:
        unreliable = " and ".join(["intervals are too narrow"] * intervals + ["p-values are unreliable"] * tests)
        yield FewSegmentsWarning(f"with fewer than {ENOUGH_SEGMENTS} segments {unreliable}", f"{segments} segments")
    if tests and smallest_p_value >= SIGNIFICANT:
        message = "no difference can be significant with so few resamples for so many comparisons"
        yield FewResamplesWarning(message, f"the smallest possible corrected p-value is {smallest_p_value:.2f}")


# ---- Giving warnings -------------------------------------------------------------------------------------------------


@contextmanager
def collect_warnings() -> Iterator[list[Warning]]:
    """Put the warnings about scores into a list instead of giving them; see `Scorer.collect_warnings`."""
    collected: list[Warning] = []
    before = _COLLECTED.set(collected)
    try:
        yield collected
    finally:
        _COLLECTED.reset(before)


def give_warnings(found: Iterable[Warning]) -> None:
    """Give warnings that point at the caller of the scorer; before Python 3.12 not at that of the metric."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected += found
        return
    place: Any = {"skip_file_prefixes": _files_of_the_metric()} if sys.version_info >= (3, 12) else {"stacklevel": 3}
    for warning in found:
        warnings.warn(warning, **place)


@cache
def _files_of_the_metric() -> tuple[str, ...]:
    """Return the beginnings of the files of shipped modules, and the folder of `evaluate` where it is imported."""
    files = [str(path).removesuffix("py") for path in Path(__file__).parent.glob("*.py")]  # a whole name is no prefix
    evaluate = getattr(sys.modules.get("evaluate"), "__file__", None)
    return (*files, str(Path(evaluate).parent)) if evaluate else tuple(files)


def warning_rows(found: Iterable[SariWarning]) -> list[WarningRow]:
    """Return warnings as plain data, each once, in their order."""
    return [warning.as_dict() for warning in {(type(one), one.args): one for one in found}.values()]


def merge_warnings(found: Mapping[str, Iterable[SariWarning]]) -> list[SariWarning]:
    """Return each warning once. It begins with the systems or variants that have it, unless all of them have it.

    >>> x, y = SariWarning("x"), SariWarning("y", "1 of 2")
    >>> merged = merge_warnings({"a": [x, y], "b": [x], "c": [x, SariWarning("y", "2 of 2")]})
    >>> [(warning.message, warning.detail) for warning in merged]
    [('x', ''), ('a, c: y', 'a: 1 of 2; c: 2 of 2')]
    """
    details: dict[tuple[type[SariWarning], str, Advice | None], dict[str, str]] = {}
    for name, own in found.items():
        for warning in own:
            details.setdefault((type(warning), warning.message, warning.advice), {})[name] = warning.detail
    merged = []
    for (category, message, advice), of in details.items():
        prefix = "" if len(of) == len(found) else f"{', '.join(of)}: "
        texts = dict.fromkeys(of.values())
        detail = texts.popitem()[0] if len(texts) == 1 else "; ".join(f"{name}: {text}" for name, text in of.items())
        merged.append(category(prefix + message, detail, advice))
    return merged


def _case(look: _Look) -> Iterator[SariWarning]:
    if look.variant.lowercase:
        return
    shares = {name: _proportion(texts, lambda text: text != text.lower()) for name, texts in look.columns.items()}
    lower = [name for name, share in shares.items() if share < _HARDLY_ANY]
    cased = [name for name, share in shares.items() if share > _MOST_TEXTS]
    if lower and cased:
        fault = f"{either(lower, 'and')} are in lower case and {either(cased, 'and')} are not, and case matters"
        yield look.advise(CaseMismatchWarning, fault, "lowercase", True, "restore it, or lowercase all texts")


def _tokenized_twice(look: _Look) -> Iterator[SariWarning]:
    """Yield a warning if texts are tokenized, and another tokenizer changes their tokens.

    Variants that tokenize outputs but not sources were published for texts that are tokenized.
    """
    names = [] if look.variant.source_tokenize else look.mostly(_LOOKS_TOKENIZED.search, _WORD_TOKENIZERS)
    changes = {name: token for name in names if (token := _changed(look.columns[name], look.text(name)))}
    if changes:
        fault = f"{either(changes, 'and')} are tokenized, and tokenizing them again changes them"
        detail = f"such as {shown(next(iter(changes.values())))}"
        yield look.advise(AlreadyTokenizedWarning, fault, "tokenize", "none", "detokenize them", detail)


def _changed(texts: Sequence[str], how: Text) -> str:
    """Return a token that a tokenizer changes, if it changes many of the texts that look tokenized; else nothing."""
    texts = list(filter(_LOOKS_TOKENIZED.search, texts))
    ways = (replace(how, tokenize=name, splits_on_space=False) for name in ("none", how.tokenize))
    pairs = zip(*(split_into_tokens(texts, way) for way in ways), strict=True)
    changed = [pair for pair in pairs if pair[0] != pair[1]]
    if len(changed) <= _MANY * len(texts):
        return ""
    return next(one for one, other in zip_longest(*changed[0], fillvalue="") if one != other)


def _untokenized(look: _Look) -> Iterator[SariWarning]:
    if names := look.mostly(_LOOKS_UNTOKENIZED.search, ("none",)):
        fault = f"{either(names, 'and')} are not tokenized, and are only split at spaces"
        yield look.advise(UntokenizedWarning, fault, "tokenize", "13a", "tokenize them")


def _unsegmented(look: _Look) -> Iterator[SariWarning]:
    if names := look.mostly(_LONG_RUN_WITHOUT_SPACES.search, (*_WORD_TOKENIZERS, "none")):
        fault = f"{either(names, 'and')} contain Chinese or Japanese, which no published variant splits into words"
        yield UnsegmentedTextWarning(fault, advice=Advice("tokenize", ("zh", "ja-mecab", "char")))


def _duplicate_references(look: _Look) -> Iterator[SariWarning]:
    _, _, rows = look.sample.columns()
    columns = zip(*rows, strict=False)  # only the references that all segments have
    for (one, texts), (other, others) in combinations(enumerate(columns, 1), 2):
        same = sum(map(str.__eq__, texts, others))
        if same > _NEARLY_ALL * len(texts):
            figures = f"references {one} and {other} in {same} of {len(texts)} segments looked at"
            yield DuplicateReferencesWarning("two references are nearly always the same", figures)
            return


def _swapped(look: _Look) -> Iterator[SariWarning]:
    length_s, length_p, length_r = (sum(map(len, texts)) for texts in look.columns.values())
    if length_p <= _SWAP_LENGTH * max(length_s, length_r):
        return
    sources, predictions, references = look.columns.values()
    of_sources, of_predictions, of_references = (map(_words, texts) for texts in look.columns.values())
    gain = 0.0
    for words, output, source in zip(of_references, of_predictions, of_sources, strict=True):
        gain += _likeness(words, output) - _likeness(words, source)
    if gain > _SWAP_MARGIN * len(references) and _word_length(predictions) > _word_length(sources):
        message = "outputs are longer than sources, and references are more similar to outputs: are they swapped?"
        yield SwappedColumnsWarning(message)


def _prompted(look: _Look) -> Iterator[SariWarning]:
    sources, references = look.columns["sources"], look.columns["references"]
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(min(sources), max(sources), strict=False))
    prompt = "".join(character for character, _ in pairs).rpartition(" ")[0]
    is_theirs = len(set(sources)) > 1 and _proportion(references, lambda text: text.startswith(prompt)) < _HARDLY_ANY
    if prompt and is_theirs:
        message = "all sources begin with the same words, which are scored too: is this a prompt?"
        yield PromptInSourcesWarning(message, shown(prompt))


def _shifted(look: _Look) -> Iterator[SariWarning]:
    sources = list(map(_words, look.columns["sources"]))
    times = Counter(chain.from_iterable(sources))
    place_of = {word: place for place, words in enumerate(sources) for word in words if times[word] == 1}
    shares = {
        name: sum(_fits_elsewhere(text, place, place_of) for place, text in enumerate(look.columns[name]))
        / len(sources)
        for name in ("outputs", "references")
    }
    if names := [name for name, share in shares.items() if share > _SHIFT_SHARE]:
        fault = f"{either(names, 'and')} are more like other sources than like their own: are lines shifted?"
        yield ShiftedLinesWarning(fault, f"{max(shares.values()):.0%} of the segments looked at")


def _fits_elsewhere(text: str, place: int, place_of: dict[str, int]) -> bool:
    """Return whether a text shares more words with another source than with its own, of those that one source has."""
    shared = Counter(place_of[word] for word in _words(text) & place_of.keys())
    return max(shared.values(), default=0) > shared[place]


_CHECKS = (_shifted, _swapped, _prompted, _case, _tokenized_twice, _untokenized, _duplicate_references)


def _word_length(texts: list[str]) -> float:
    """Return the mean number of characters of the distinct words of each text."""
    words = [word for text in texts for word in set(text.lower().split())]
    return sum(map(len, words)) / (len(words) or 1)


def _words(text: str) -> set[str]:
    return set(text.lower().split())


def _likeness(words: set[str], others: set[str]) -> float:
    """Return the share of words in common: the coefficient of Dice."""
    return 2 * len(words & others) / (len(words) + len(others) or 1)


def _proportion(texts: Sequence[Any], test: Callable[[Any], object]) -> float:
    return sum(map(bool, map(test, texts))) / len(texts)
