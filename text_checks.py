"""What to doubt about texts: a sample of a corpus, which merges, and a table of checks of it.

A check is a row: the share of what, in which columns, and from which share on it is a warning. Good texts, in the form
that a variant was published for, cause none. "Public texts" in reasons of thresholds are the 1,143 pairs of a test set
with outputs, people or ratings that `python research` reads, and the sentences of 22 languages of the tests.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, combinations, permutations
from operator import eq
from typing import Any, NamedTuple
from unicodedata import is_normalized
from zlib import crc32

import numpy as np

from .aggregation import sari_scores, score_counts, segment_scores
from .data_warnings import (
    Advice,
    CopiedOutputsWarning,
    EmptyTextsWarning,
    LowCeilingWarning,
    MisplacedTextsWarning,
    RepeatedOutputsWarning,
    RewardsCopyingWarning,
    SariWarning,
    TextMismatchWarning,
    TokenizationWarning,
)
from .languages import EXTERNAL_TOKENIZERS, SCRIPTS, TOKENIZERS, main_scripts, would_fetch
from .messages import count_of, join_names, short_repr
from .ngram_statistics import count_ngrams
from .tokenization import encode_chunk, split_into_tokens
from .variants import Text, Variant

#: Fewer different segments than these give no warning about most texts.
ENOUGH = 10
# What was done to a column by mistake is in most of its texts; what people and systems do at times is in hardly any.
_MOST, _NEARLY_ALL, _HARDLY_ANY = 0.5, 0.9, 0.1
#: The columns as messages name them, and those that people and systems write.
TEXT_COLUMNS = ("sources", "outputs", "references")
_WRITTEN = ("outputs", "references")

# ---- A sample of texts -----------------------------------------------------------------------------------------------

# The size of a sample: segments, and characters of each text. Thresholds were measured with it.
_SAMPLED_SEGMENTS = 32
_SAMPLED_CHARACTERS = 200  # at the beginning, and as many at the end
_LARGEST_KEY = (1 << 32) - 1
# So many segments are searched for texts that repeat.
_SEARCHED_SEGMENTS = 1_000
#: An empty text, and what programs write in place of a text that is missing, in lower case. "\x23" is the sign of
#: numbers: `evaluate` looks for changes of a file in what stands before the first one of a line, also in a string.
MARKERS = frozenset(
    ["", "na", "n/a", "nan", "none", "null", "<na>", "<nan>", "<none>", "<null>", "[none]", "[null]"]
    + ["[no output]", "[no_output]", "<no output>", "[empty]", "<empty>", "undefined"]
    + [f"\x23{error}" for error in ("n/a", "na", "name?", "value!", "ref!", "div/0!", "null!")]
)
_LONGEST_MARKER = max(map(len, MARKERS))


class TextSample(NamedTuple):
    """A sample of the texts of a corpus, and numbers about all of them. Samples of parts merge to that of the whole.

    Attributes:
        texts: a few different segments, those with the smallest keys: key, source, prediction and references of each.
            A key is a checksum of the source, so that a sample depends on the texts alone, whatever their order.
        ends: of many such segments the key, and both ends of prediction and first reference, 80 characters in all.
        missing: how many of all texts are empty or a marker: column, the marker in lower case, and the number.
        nrefs: the numbers of references that segments have.
    """

    texts: tuple[tuple[int, str, str, tuple[str, ...]], ...] = ()
    ends: tuple[tuple[int, str, str], ...] = ()
    missing: tuple[tuple[str, str, int], ...] = ()
    nrefs: frozenset[int] = frozenset()

    def merge(self, other: "TextSample") -> "TextSample":
        """Return the sample of the texts of both."""
        numbers = Counter({row[:2]: row[2] for row in self.missing})
        numbers.update({row[:2]: row[2] for row in other.missing})
        return TextSample(
            _smallest(self.texts, other.texts, _SAMPLED_SEGMENTS),
            _smallest(self.ends, other.ends, _SEARCHED_SEGMENTS),
            _as_rows(numbers),
            self.nrefs | other.nrefs,
        )

    def columns(self) -> tuple[list[str], list[str], list[list[str]]]:
        """Return the sources, outputs and references of the sample."""
        return (
            [source for _, source, _, _ in self.texts],
            [output for _, _, output, _ in self.texts],
            [list(row) for *_, row in self.texts],
        )

    def is_possible(self) -> bool:
        """Return whether `take_sample` and `merge` can have made it."""
        rows_are_possible = all(
            len(references) in self.nrefs
            and key == (crc32(source.encode()) if len(source) <= 2 * _SAMPLED_CHARACTERS else key & _LARGEST_KEY)
            and all(_cut(text) == text for text in (source, output, *references))
            for key, source, output, references in self.texts
        )
        are_short = all(_ends(text) == text for _, *texts in self.ends for text in texts)
        return rows_are_possible and are_short and NO_TEXTS.merge(self) == self


NO_TEXTS = TextSample()


def _smallest(one: tuple[Any, ...], other: tuple[Any, ...], size: int) -> tuple[Any, ...]:
    """Return so many of the smallest different rows of two sorted samples."""
    if len(one) == size:
        other = tuple(row for row in other if row < one[-1])
    return tuple(sorted({*one, *other})[:size]) if other else one


def _as_rows(numbers: Mapping[tuple[str, str], int]) -> tuple[tuple[str, str, int], ...]:
    return tuple(sorted((*key, number) for key, number in numbers.items() if number))


def take_sample(sources: list[str], predictions: list[str], references: list[list[str]]) -> TextSample:
    """Take a sample of checked texts; of long texts the middle is left out.

    >>> sample = take_sample(["a", "b", "b"], ["A", "", ""], [["1"], ["2"], ["nan"]])
    >>> sample.texts
    ((1908338681, 'b', '', ('2',)), (1908338681, 'b', '', ('nan',)), (3904355907, 'a', 'A', ('1',)))
    >>> sample.missing
    (('outputs', '', 2), ('references', 'nan', 1))
    """
    if not sources:
        return NO_TEXTS
    keys = np.fromiter(map(crc32, map(str.encode, sources)), np.uint32, len(sources))
    searched = np.unique(keys)[:_SEARCHED_SEGMENTS].tolist()
    places = np.flatnonzero(keys <= searched[-1])
    numbered = zip(keys[places].tolist(), places.tolist(), strict=True)
    rows = [(key, sources[place], predictions[place], references[place]) for key, place in numbered]
    last = searched[:_SAMPLED_SEGMENTS][-1]
    ends = {(key, _ends(output), _ends(row[0])) for key, _, output, row in rows}
    texts = {
        (key, _cut(source), _cut(output), tuple(map(_cut, row))) for key, source, output, row in rows if key <= last
    }
    missing: Counter[tuple[str, str]] = Counter()
    for name, column in zip(TEXT_COLUMNS, (sources, predictions, chain.from_iterable(references)), strict=True):
        doubtful = [text for text in column if len(text) <= _LONGEST_MARKER or text.isspace()]
        missing.update((name, text) for text in map(normalize_output, doubtful) if text in MARKERS)
    return TextSample(
        tuple(sorted(texts)[:_SAMPLED_SEGMENTS]),
        tuple(sorted(ends)[:_SEARCHED_SEGMENTS]),
        _as_rows(missing),
        frozenset(map(len, references)),
    )


def _ends(text: str) -> str:
    return text if len(text) <= 80 else text[:40] + text[-40:]


def _cut(text: str) -> str:
    size = _SAMPLED_CHARACTERS
    return text if len(text) <= 2 * size else f"{text[:size]} {text[-size:]}"


# ---- Copies and repeated texts ---------------------------------------------------------------------------------------

# The share of copies that is most outputs.
_MOST_COPIES = 0.6


def is_copy(source: str, output: str) -> bool:
    """Return whether an output equals its source, but for whitespace, case, and ’ for '.

    >>> is_copy("It’s HERE .", "it's here."), is_copy("a b", "b a")
    (True, False)
    """
    return _letters(source) == _letters(output)


def _letters(text: str) -> str:
    return "".join(text.lower().split()).replace("’", "'")


def wrong_copies(sources: Sequence[str], outputs: Sequence[str], references: Sequence[Sequence[str]]) -> list[bool]:
    """Return whether outputs are copies of their sources, of the segments in which no reference is.

    >>> wrong_copies(["a", "b", "c"], ["A", "b", "x"], [["a"], ["y"], ["y"]])
    [True, False]
    """
    copies = []
    for source, output, row in zip(map(_letters, sources), outputs, references, strict=True):
        if source not in map(_letters, row):
            copies.append(source == _letters(output))
    return copies


def are_mostly_copies(sources: Sequence[str], outputs: Sequence[str], references: Sequence[Sequence[str]]) -> bool:
    """Return whether 60% or more of the outputs are copies of their sources where no reference is.

    >>> are_mostly_copies("abcde", "abcxy", ["r"] * 5), are_mostly_copies("abcde", "abcxy", ["a", *"rrrr"])
    (True, False)
    """
    copies = wrong_copies(sources, outputs, references)
    return sum(copies) >= _MOST_COPIES * len(copies) > 0


def sources_by_output(sources: Sequence[object], outputs: Sequence[str]) -> Counter[str]:
    """Return for each text that is not empty, as `normalize_output` writes it, of how many sources it is the output.

    The texts are in the order of their first sources, so that of equal numbers the same one is named by any program.

    >>> sources_by_output(["a", "b", "c", "c", "d"], ["Sorry.", "sorry. ", "x", "x", ""])
    Counter({'sorry.': 2, 'x': 1})
    >>> "".join(sources_by_output("0123456789", "abcdefghij"))
    'abcdefghij'
    """
    pairs = dict.fromkeys(zip(sources, map(normalize_output, outputs), strict=True))
    return Counter(text for _, text in pairs if text)


def normalize_output(text: str) -> str:
    """Return a text in lower case, with single spaces."""
    return " ".join(text.lower().split())


# ---- Variants that reward copying ------------------------------------------------------------------------------------

# A segment of which a variant scores the copy where no texts are known.
_SOURCE = "The Committee, which met in May (for 1,200 days), endorsed Dr. Moor's large plan; it failed."
_REFERENCE = "The committee met in May. It backed the plan of Dr. Moor."
# Delete and Add of copies, in sum, above which copies can rank first. Up to 38 they are below most systems of ASSET and
# TurkCorpus; with 48 (`set`) and 50 (other variants whose 0/0 is less than 1) they are above most on TurkCorpus.
_REWARDED = 40


def copy_scores(
    variant: Variant, sources: Sequence[str] = (), references: Sequence[Sequence[str]] = ()
) -> dict[str, float]:
    """Return the scores of copies for Delete and Add, in percent, by their names.

    They are of the first segments given, or else of an English sentence.
    """
    variant = replace(variant, penalties="none")
    copies = list(sources[:_SAMPLED_SEGMENTS]) or [_SOURCE]
    counted = count_ngrams(encode_chunk(copies, references[: len(copies)] or [[_REFERENCE]], copies, variant), variant)
    if variant.level == "corpus":
        scores = sari_scores(score_counts(counted.counts.sum(axis=0), variant)[1])
    else:
        scores = segment_scores(counted, variant).mean(axis=0)
    return dict(zip(("Delete", "Add"), np.asarray(scores)[..., 2:].tolist(), strict=True))


def rewards_copying(variant: Variant, sources: Sequence[str] = (), references: Sequence[Sequence[str]] = ()) -> bool:
    """Return whether copies of sources, which delete and add nothing, have a high Delete and Add."""
    return sum(copy_scores(variant, sources, references).values()) > _REWARDED


def variant_warnings(
    variant: Variant, sources: Sequence[str] = (), references: Sequence[Sequence[str]] = ()
) -> Iterator[SariWarning]:
    """Yield a warning if the variant rewards copying: for systems, candidates or models that are compared by it."""
    scores = copy_scores(variant, sources, references)
    if sum(scores.values()) <= _REWARDED:
        return
    names = [name for name, score in scores.items() if score > _REWARDED / 4]
    figures = ", ".join(f"{name} {score:.2f}" for name, score in scores.items())
    # These two do so only by other options, which another variant would have, too.
    others = ("easse", "xu2016")
    yield RewardsCopyingWarning(
        f"the variant gives copies of the sources a high {join_names(names, 'and')}, so that copies can rank first",
        f"a copy has {figures}",
        None if variant.name in others else Advice("variant", others),
    )


# ---- What checks count -----------------------------------------------------------------------------------------------

# Texts without spaces between words have fewer by character, unless words are set apart; Thai has one between clauses.
_FEW_SPACES = 0.1
# Columns are compared if each has so many texts that could have the property.
_LEAST_COMPARABLE = 5

#: The shares that a check looks at, by the column, or the columns, that they are of.
Shares = Mapping[str, float]


class SampledTexts:
    """The texts of a sample, and what several checks need of them.

    Attributes:
        variant: by which they are scored.
        columns: the sources, outputs and first references, by name.
        references: all references of each segment.
    """

    def __init__(self, sample: TextSample, variant: Variant):
        sources, outputs, references = sample.columns()
        self.variant = variant
        self.references: list[list[str]] = references
        self.columns: dict[str, list[str]] = dict(
            zip(TEXT_COLUMNS, (sources, outputs, [row[0] for row in references]), strict=True)
        )

    @property
    def numbered_columns(self) -> dict[str, Sequence[str]]:
        """Return the columns by name; of the references those that all segments have."""
        numbered = enumerate(zip(*self.references, strict=False), 1)
        written: dict[str, Sequence[str]] = {name: self.columns[name] for name in ("sources", "outputs")}
        return written | {f"references {number}": column for number, column in numbered}

    def steps(self, name: str) -> Text:
        """Return how the texts of a column become tokens."""
        return self.variant.source_text if name == "sources" else self.variant.text

    @cached_property
    def words(self) -> dict[str, list[set[str]]]:
        """The different words of each text, by column."""
        return {name: list(map(words_of, texts)) for name, texts in self.columns.items()}

    def likeness(self, one: str, other: str, step: int = 0) -> list[float]:
        """Return the share of words that each text of a column has in common with one of another column.

        It is that of the same segment, or of the one so many steps before.
        """
        others = self.words[other]
        return list(map(likeness, self.words[one], others[-step:] + others[:-step]))

    @cached_property
    def scripts_without_spaces(self) -> dict[str, str]:
        """The script of each column that hardly has spaces."""
        joined = {name: "".join(texts) for name, texts in self.columns.items()}
        return {
            name: main_scripts([text])[0] for name, text in joined.items() if text.count(" ") < _FEW_SPACES * len(text)
        }


def words_of(text: str) -> set[str]:
    """Return the different words of a text in lower case; where hardly any spaces part them, its characters."""
    words = text.lower().split()
    return set(words) if len(words) > len(text) / 20 else set(text)


def likeness(words: set[str], others: set[str]) -> float:
    """Return the share of words in common: the coefficient of Dice."""
    return 2 * len(words & others) / (len(words) + len(others) or 1)


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _share_passing(texts: Sequence[str], test: Callable[[str], object]) -> float:
    """Return the share of texts, of which there is at least one, that pass a test."""
    return sum(map(bool, map(test, texts))) / len(texts)


def _in_each_column(share: Callable[[list[str], Text, Variant], float]) -> Callable[[SampledTexts], Shares]:
    """Return the function of shares that are those of each column by itself, given how it becomes tokens."""
    return lambda texts: {
        name: share(column, texts.steps(name), texts.variant) for name, column in texts.columns.items()
    }


def _search(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).search


def _beyond_ascii(pattern: str) -> Callable[[str], object]:
    """Return a test whether a text has a pattern that is not ASCII, for which most texts take no time."""
    search = re.compile(pattern).search
    return lambda text: not text.isascii() and search(text)


# ---- Shares of tokens ------------------------------------------------------------------------------------------------

# The marks that end sentences in scripts with spaces, but for those that 13a separates from words.
_LEFT_BY_13A = re.sub("[ -~]", "", "".join(script.marks for script in SCRIPTS.values() if script.spaces))
_SEPARATES_MARKS = ("13a", *(name for name, row in EXTERNAL_TOKENIZERS.items() if row.separates_marks))
_OTHER_SPACE = re.compile(r"[^\S ]")


def _marks(marks: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of marks at the end of a word, and set apart: they begin with the mark, which is faster."""
    return re.compile(f"[{marks}](?<=[^\\s{marks}].)(?:\\s|\\Z)"), re.compile(f"[{marks}](?<!\\S.)(?:\\s|\\Z)")


_ALL_MARKS, _MARKS_13A_LEAVES, _COMMON_MARKS = _marks(".," + _LEFT_BY_13A), _marks(_LEFT_BY_13A), _marks(".,")


def _tokens(texts: list[str], steps: Text) -> list[list[str]]:
    """Return the tokens of each text; none if a check, maybe of somebody else's state, would start a download."""
    return [] if would_fetch(steps.tokenize) else split_into_tokens(texts, steps)


def _share_at_words(texts: list[str], marks: tuple[re.Pattern[str], re.Pattern[str]], apart: bool = False) -> float:
    """Return the share of marks that stand at their words, or that are set apart; texts without marks count as one."""
    joined = "\n".join(texts)
    numbers = [len(pattern.findall(joined)) for pattern in marks]
    return numbers[apart] / max(sum(numbers), len(texts))


def _not_tokenized(texts: list[str], steps: Text, _: Variant) -> float:
    return _share_at_words(texts, _ALL_MARKS) if steps.tokenize == "none" else 0.0


def _marks_left(texts: list[str], steps: Text, _: Variant) -> float:
    is_ascii = all(map(str.isascii, texts))
    return 0.0 if is_ascii or steps.tokenize != "13a" else _share_at_words(texts, _MARKS_13A_LEAVES)


def _joined_by_space(texts: list[str], steps: Text, _: Variant) -> float:
    """Return the share of tokens that have white space within or around them."""
    if not steps.splits_on_space or steps.tokenize == "13a" or not any(map(_OTHER_SPACE.search, texts)):
        return 0.0
    tokens = list(filter(None, chain.from_iterable(_tokens(texts, steps))))
    return _share_passing(tokens, lambda token: token.split() != [token]) if tokens else 0.0


def _changed_again(texts: list[str], steps: Text, variant: Variant) -> float:
    """Return the share of tokens that tokenization changes; 0 for texts that are not tokenized.

    Variants that tokenize outputs but not sources were published for texts that are tokenized.
    """
    if variant.source_tokenize or steps.tokenize not in _SEPARATES_MARKS:
        return 0.0
    if not any(" ." in text or " ," in text for text in texts):
        return 0.0  # which takes less time
    if _share_at_words(texts, _COMMON_MARKS, apart=True) <= _MOST:
        return 0.0
    written = [(text.lower() if steps.lowercase else text).split() for text in texts]
    pairs = zip(written, split_into_tokens(texts, steps), strict=True)
    changed = sum((Counter(one) - Counter(other)).total() for one, other in pairs if one != other)
    return changed / sum(map(len, written))


def _shorter_than_ngrams(texts: SampledTexts) -> Shares:
    """Return the share of references with fewer tokens than the longest n-gram, where 0/0 does not count as 1."""
    if texts.variant.zero_division == 1:
        return {}
    longest, references = texts.variant.max_order, texts.columns["references"]
    short = [text for text in references if len(text.split()) < longest]  # whose tokens may be as few
    tokens = _tokens(short, texts.variant.text) if len(short) > _MOST * len(references) else []
    return {"references": sum(len(row) < longest for row in tokens) / len(references)}


def _unsplit(script: str, sources_alone: bool, texts: SampledTexts) -> Shares:
    """Return the columns of a script that the tokenizer does not split.

    They are those that the option `tokenize` reaches, or else sources that the variant tokenizes otherwise.
    """
    splitting = {*SCRIPTS[script].tokenizers}
    splitting |= {tokenizer for tokenizer, row in EXTERNAL_TOKENIZERS.items() if script in row.splits}
    shares = {}
    for name, found in texts.scripts_without_spaces.items():
        tokenizer = texts.steps(name).tokenize
        is_unsplit = found == script and tokenizer in TOKENIZERS and tokenizer not in splitting
        shares[name] = float(is_unsplit and (tokenizer != texts.variant.tokenize) == sources_alone)
    return shares


# ---- Shares of segments ----------------------------------------------------------------------------------------------

# Texts that share fewer of their words are not made from each other.
_UNRELATED = 0.3
# Lines are shifted if texts are unrelated to their own source, and share more words, by this margin, with one of so
# many others. If half of the lines are, so it is in 93% of 1,165 public outputs; otherwise in none, unless a model
# writes something else.
_SHIFT_MARGIN, _OTHER_SOURCES = 0.05, 8
# Outputs and references are made from sources, and are less similar to each other than to these. None of 1,165 public
# outputs is longer than its sources, in longer words, and exceeds this margin; 47% do if swapped with sources.
_SWAP_MARGIN = 0.02
# References that fit sources better as one list per annotator share so much more of their words with them.
_TRANSPOSED_MARGIN = 0.2


def _unlike(texts: SampledTexts) -> Shares:
    """Return the share of its words that each column with letters has in common with no other column."""
    names = [name for name, column in texts.columns.items() if _has_letters(column)]
    pairs = {pair: _mean(texts.likeness(*pair)) for pair in combinations(names, 2)}
    return {name: 1 - max(share for pair, share in pairs.items() if name in pair) for name in names if pairs}


def _has_letters(texts: Sequence[str]) -> bool:
    return any(map(str.isalpha, chain.from_iterable(texts)))


def _without_letters(texts: SampledTexts) -> Shares:
    return {name: float(not _has_letters(column)) for name, column in texts.numbered_columns.items()}


def _copied(texts: SampledTexts) -> Shares:
    """Return the share of copies among outputs for which no reference is a copy; few of them must all be copies."""
    columns = texts.columns["sources"], texts.columns["outputs"], texts.references
    if sum(map(is_copy, *columns[:2])) < _LEAST_COMPARABLE:
        return {}
    copies = wrong_copies(*columns)
    is_sure = len(copies) >= ENOUGH or (len(copies) >= _LEAST_COMPARABLE and all(copies))
    return {"outputs": sum(copies) / len(copies)} if is_sure else {}


def _unedited(texts: SampledTexts) -> Shares:
    """Return the share of segments whose references all are the source."""
    sources = texts.columns["sources"]
    return {"references": _mean([{*row} == {source} for source, row in zip(sources, texts.references, strict=True)])}


def _same(texts: SampledTexts) -> Shares:
    """Return the share of equal texts of the two columns that are most alike, if neither is a copy of sources by right.

    Outputs that are sources are copies, and a single reference that is its source is unedited: other checks count both.
    """
    columns = texts.numbered_columns
    others = [("sources", "outputs"), *([("sources", "references 1")] if len(columns) == 3 else [])]
    pairs = [pair for pair in combinations(columns, 2) if pair not in others]
    shares = {" and ".join(pair): _mean(list(map(eq, *(columns[name] for name in pair)))) for pair in pairs}
    return dict([max(shares.items(), key=lambda row: row[1])]) if shares else {}


def _swapped(texts: SampledTexts) -> Shares:
    """Return whether outputs are longer than the others, in longer words than sources, and more like references."""
    sources, outputs, references = texts.words.values()
    longest = max(sum(map(len, sources)), sum(map(len, references)))
    if sum(map(len, outputs)) <= longest or _word_length(outputs) <= _word_length(sources):
        return {}  # a good system may be longer and near the references, but not in longer words
    gain = _mean(texts.likeness("outputs", "references")) - _mean(texts.likeness("sources", "references"))
    return {"outputs": float(gain > _SWAP_MARGIN and _mean(texts.likeness("sources", "outputs")) > _UNRELATED)}


def _word_length(column: list[set[str]]) -> float:
    """Return the mean length of the words of a column, those of each text counted once."""
    words = list(chain.from_iterable(column))
    return sum(map(len, words)) / (len(words) or 1)


def _shifted(texts: SampledTexts) -> Shares:
    """Return the shares of outputs and references that are more like the sources of other segments than their own."""
    shares = {}
    for name in _WRITTEN:
        words, own = texts.words[name], texts.likeness(name, "sources")
        # A refusal fits no source.
        unrelated = [place for place, share in enumerate(own) if share < _UNRELATED and words.count(words[place]) == 1]
        steps = range(1, 1 + _OTHER_SOURCES) if unrelated else ()
        others = [texts.likeness(name, "sources", step) for step in steps]
        elsewhere = sum(max(row[place] for row in others) > own[place] + _SHIFT_MARGIN for place in unrelated)
        shares[name] = elsewhere / len(own)
    return shares


def layout_warnings(sources: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[SariWarning]:
    """Yield a warning if as many references as segments fit the sources better as one list per annotator."""
    if len(sources) < 2 or set(map(len, references)) != {len(sources)}:
        return
    words = list(map(words_of, sources[:_SAMPLED_SEGMENTS]))
    table = [list(map(words_of, row[:_SAMPLED_SEGMENTS])) for row in references[:_SAMPLED_SEGMENTS]]
    pairs = list(permutations(range(len(words)), 2))
    by_segment = _mean([likeness(words[i], table[i][j]) for i, j in pairs])
    by_annotator = _mean([likeness(words[i], table[j][i]) for i, j in pairs])
    if by_annotator > by_segment + _TRANSPOSED_MARGIN:
        message = "references fit the sources better as one list per annotator: give one list per segment"
        yield MisplacedTextsWarning(message)


# ---- Properties ------------------------------------------------------------------------------------------------------


class Property(NamedTuple):
    """Something that either all texts of a corpus should have, or none.

    Attributes:
        name: what the texts have.
        has: tests whether a text has it.
        could: tests whether a text could have it.
        remedy: what to do about texts that differ in it.
        columns: the columns that should share it.
        lowercase: the value of `Variant.lowercase` under which it matters; None for both.
        figures: what is told besides the shares.
    """

    name: str
    has: Callable[[str], object]
    could: Callable[[str], object] = bool
    remedy: str = "write them alike"
    columns: tuple[str, ...] = TEXT_COLUMNS
    lowercase: bool | None = None
    figures: str = ""


_SENTENCE_MARKS = "".join(dict.fromkeys(mark for script in SCRIPTS.values() for mark in script.marks)) + "…"
# What may be added to a text: its first marks, other than those that end sentences, or else its first word. In
# reversed texts these are the last ones.
_ADDITION = re.compile(f"[\\s{_SENTENCE_MARKS}]*([^\\w\\s{_SENTENCE_MARKS}]+|\\w*)")
# What an instruction may be: the text up to the first colon.
_UP_TO_COLON = re.compile(r"\s*([^:\n]{3,200}):\s")
_INVISIBLE = "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060\ufeff]"
_VOWEL_MARKS = "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]"
_TAG, _NO_WORDS = re.compile("</?\\w++>"), re.compile("\\W*+")


def _ends_with_mark(text: str) -> bool:
    """Return whether a mark that ends sentences, and no word but tags, is at the end; from there, to read it once."""
    backwards = _TAG.sub(" ", text)[::-1]
    end = _NO_WORDS.match(backwards)
    return end is not None and not {*_SENTENCE_MARKS}.isdisjoint(end[0])


#: What either all texts of a corpus should have, or none.
PROPERTIES = (
    Property(
        "letters of both cases",
        lambda text: text not in (text.lower(), text.upper()),
        remedy="restore case, or lowercase all texts",
        lowercase=False,
    ),
    Property(
        "Turkish capitals", _search("[Iİ]"), _beyond_ascii("[ğışİĞŞ]"), "lowercase them by one rule", lowercase=True
    ),
    Property("accents", _beyond_ascii("[À-ÖØ-öø-ſƠơƯưẠ-ỹ\u0300-\u036f]"), remedy="restore them", columns=_WRITTEN),
    Property(
        "letters of several characters",
        lambda text: not is_normalized("NFC", text),
        lambda text: not text.isascii(),
        "normalize all to NFC",
    ),
    Property("’ for '", _beyond_ascii("[’‘ʼ]"), _search("['’‘ʼ]")),
    Property('“ for "', _beyond_ascii("[“”„]"), _search('["“”„]')),
    Property("-LRB- for (", _search("-[LRlr][RSrs][Bb]-"), _search("[()\\[\\]]|-[LRlr][RSrs][Bb]-")),
    Property("full-width marks", _beyond_ascii("[！-／：-＠]"), _search("[!-/:-@！-／：-＠]")),
    Property("digits of another script", _beyond_ascii("[^\\D0-9]"), _search("\\d")),
    Property("vowel marks", _beyond_ascii(_VOWEL_MARKS), _beyond_ascii("[א-תؠ-ي]"), "remove or restore them"),
    Property("invisible characters", _beyond_ascii(_INVISIBLE), remedy="remove or restore them"),
    Property("tabs", _search("\t"), remedy="are they several texts each? Then split('\\t') parts them"),
    Property("|", _search("[|]"), remedy="are they several texts each? Then split('|||') parts them"),
    Property("line breaks", _search("\n"), remedy="are they several texts each?", columns=_WRITTEN),
    Property("marks of Markdown", _search("[*`\x23]"), remedy="remove them", columns=_WRITTEN),
    Property("a mark at the end", _ends_with_mark, remedy="are the others cut off?", columns=_WRITTEN),
    Property(
        "an end that repeats itself",
        lambda text: text.count(text.rstrip()[-20:]) > 2,
        remedy="does a model not stop?",
        columns=_WRITTEN,
    ),
)


def _common_ends(texts: SampledTexts) -> Iterator[Property]:
    """Yield what most texts of a column have at their beginning or end, and those of another should have, too.

    Sources may begin with one of several instructions.
    """
    for name, other in (("sources", "references"), ("outputs", "references")):
        for where, addition in (("beginning", _first_addition), ("end", _last_addition)):
            for column in (name, other) if name == "outputs" else (name,):
                different = {*texts.columns[column]}
                ((text, number),) = Counter(map(addition, different)).most_common(1)
                if text and number > max(_LEAST_COMPARABLE, _MOST * len(different)):
                    yield Property(
                        f"the same words or marks at the {where}",
                        _gives(addition, {text}),
                        remedy="do they belong to the texts?",
                        columns=(name, other),
                        figures=short_repr(text),
                    )
    instructions = Counter(map(_up_to_colon, texts.columns["sources"]))
    several = {text for text, number in instructions.items() if text and number > 1}
    if len(several) > 1:
        yield Property(
            "one of a few beginnings up to a colon",
            _gives(_up_to_colon, several),
            remedy="are they instructions, which do not belong to the texts?",
            columns=("sources", "references"),
            figures=short_repr(min(several)),
        )


def _gives(part: Callable[[str], str], values: set[str]) -> Callable[[str], bool]:
    """Return a test whether a part of a text is one of some values."""
    return lambda text: part(text) in values


def _first_addition(text: str) -> str:
    match = _ADDITION.match(text)
    return match[1].lower() if match else ""


def _last_addition(text: str) -> str:
    return _first_addition(text[::-1])[::-1]


def _up_to_colon(text: str) -> str:
    match = _UP_TO_COLON.match(text)
    return match[1].lower() if match else ""


def _mismatch(row: Property, texts: SampledTexts) -> Iterator[SariWarning]:
    """Yield a warning if most texts of a column have a property, and hardly any of another."""
    columns = {name: texts.columns[name] for name in row.columns}
    if row.lowercase not in (None, texts.variant.lowercase) or not any(
        map(row.has, chain.from_iterable(columns.values()))
    ):
        return
    comparable = {name: list(filter(row.could, column)) for name, column in columns.items()}
    shares = {
        name: _share_passing(column, row.has) for name, column in comparable.items() if len(column) >= _LEAST_COMPARABLE
    }
    most = [name for name, share in shares.items() if share > _MOST]
    hardly_any = [name for name, share in shares.items() if share < _HARDLY_ANY]
    if most and hardly_any:
        message = f"most {join_names(most, 'and')} have {row.name}, and hardly any {join_names(hardly_any, 'and')} do"
        figures = ", ".join(filter(None, [row.figures, _in_percent(shares)]))
        yield TextMismatchWarning(f"{message}: {row.remedy}", figures)


def _in_percent(shares: Shares) -> str:
    return ", ".join(f"{name} {share:.0%}" for name, share in shares.items())


# ---- The checks ------------------------------------------------------------------------------------------------------


class Check(NamedTuple):
    """A warning about a corpus, given where a share is too high.

    Attributes:
        category: of the warning.
        message: of the warning; {columns} stands for the columns whose share is too high.
        shares: from the texts to the shares, by column.
        above: shares above this cause the warning.
        least: the number of different segments that it needs.
        advice: the option to set.
        of_related: whether the remedy is wrong for columns that share no words.
    """

    category: type[SariWarning]
    message: str
    shares: Callable[[SampledTexts], Shares]
    above: float
    least: int = ENOUGH
    advice: Advice | None = None
    of_related: bool = False


#: Columns that share hardly a word. By words in common, outputs and references of public texts have at least 16% (an
#: output that fails 10%), and texts of MultiCochrane in different languages at most 10%.
UNRELATED = Check(
    MisplacedTextsWarning,
    "{columns} share hardly a word with the others: are they in another language, or of other texts?",
    _unlike,
    0.9,
)
CHECKS = (
    UNRELATED,
    *(
        Check(
            TokenizationWarning,
            f"{{columns}} are {row.languages.partition(';')[0]}, which the tokenizer does not split into words",
            partial(_unsplit, script, sources_alone),
            above=0,  # all texts of a column, or none
            least=1,
            advice=Advice("variant", ("easse",))
            if sources_alone
            else Advice("tokenize", tuple(tokenizer for tokenizer in row.tokenizers if tokenizer in TOKENIZERS)),
            of_related=True,
        )
        for script, row in SCRIPTS.items()
        if not row.spaces
        for sources_alone in (False, True)
    ),
    # Public texts have up to 0.6%. A line break in a sentence of 25 words gives 4%.
    Check(
        TokenizationWarning,
        "{columns} have white space other than a space, which joins words here: replace it by spaces",
        _in_each_column(_joined_by_space),
        above=0.01,
        least=1,
    ),
    # Of tokenized public texts up to 2%, in abbreviations; of others at least 97%.
    Check(
        TokenizationWarning,
        "{columns} are not tokenized, and are only split at spaces: tokenize them",
        _in_each_column(_not_tokenized),
        above=_MOST,
    ),
    # The sentences of Hindi and Urdu have 100%, those of languages with other marks none.
    Check(
        TokenizationWarning,
        "{columns} have marks that the tokenizer leaves at their words",
        _in_each_column(_marks_left),
        above=_MOST,
        advice=Advice("tokenize", ("intl",)),
    ),
    # Of tokenized public texts up to 1.2%, by misspellings and numbers; of others at least 10%.
    Check(
        TokenizationWarning,
        "{columns} are tokenized, and tokenizing them again changes them: detokenize them",
        _in_each_column(_changed_again),
        above=0.025,
    ),
    # Of public outputs up to 57%. If a sample has it, more than 40% of all are, with a probability of 99%.
    Check(
        CopiedOutputsWarning,
        "most outputs are the same as their sources, but for case and spaces, where no reference is",
        _copied,
        above=_MOST_COPIES - 0.001,
    ),
    # Of public simplifications up to 3%, where people split sentences; of texts with errors often most.
    Check(
        LowCeilingWarning,
        "many references are the same as their sources: a copy is right there, and by some variants has a low score",
        _unedited,
        above=_HARDLY_ANY,
    ),
    # Of public texts up to 6%.
    Check(
        LowCeilingWarning,
        "most references have fewer tokens than the longest n-gram: a perfect output has a low score",
        _shorter_than_ngrams,
        above=_MOST,
    ),
    Check(MisplacedTextsWarning, "a column has no letters: is it text?", _without_letters, above=_MOST),
    Check(
        MisplacedTextsWarning,
        "two columns are nearly always the same: does one stand in the place of the other?",
        _same,
        above=_NEARLY_ALL,
    ),
    Check(
        MisplacedTextsWarning,
        "outputs are longer than sources, and references are more similar to outputs: are they swapped?",
        _swapped,
        above=_MOST,
        of_related=True,
    ),
    Check(
        MisplacedTextsWarning,
        "{columns} are more like other sources than like their own: are lines shifted?",
        _shifted,
        above=0.2,
        of_related=True,
    ),
)


def corpus_warnings(sample: TextSample, variant: Variant) -> Iterator[SariWarning]:
    """Yield the warnings about the texts of a corpus."""
    if not sample.texts:
        return
    yield from _missing_texts(sample)
    yield from _repeated_texts(sample)
    texts, number, are_related = SampledTexts(sample, variant), len(sample.texts), True
    for check in CHECKS:
        if number < check.least or (check.of_related and not are_related):
            continue
        above = {name: share for name, share in check.shares(texts).items() if share > check.above}
        if above:
            message = check.message.format(columns=join_names(above, "and"))
            yield check.category(message, _in_percent(above), check.advice)
        if above and check.category is CopiedOutputsWarning:
            if would_fetch(variant.tokenize):
                yield from variant_warnings(replace(variant, tokenize="13a"))
            else:
                yield from variant_warnings(variant, texts.columns["sources"], texts.references)
        are_related = are_related and not (above and check is UNRELATED)
    if number >= ENOUGH and are_related:
        for row in (*_common_ends(texts), *PROPERTIES):
            yield from _mismatch(row, texts)


def _missing_texts(sample: TextSample) -> Iterator[SariWarning]:
    """Yield warnings if any texts are empty, or markers of missing values."""
    numbers: dict[bool, dict[str, Counter[str]]] = {}
    for name, marker, number in sample.missing:
        numbers.setdefault(marker == "", {}).setdefault(name, Counter())[marker] = number
    for is_empty, columns in sorted(numbers.items(), reverse=True):
        names = [name for name in TEXT_COLUMNS if name in columns]
        state = "empty" if is_empty else "markers of missing values"
        remedy = "" if is_empty else ": are they texts?"
        if is_empty and len(names) == len(TEXT_COLUMNS):
            remedy = ": if lines are blank between documents, put a document into each row"
        figures = ", ".join(
            count_of(columns[name].total(), name.removesuffix("s")) + ("" if is_empty else f" {[*columns[name]]}")
            for name in names
        )
        yield EmptyTextsWarning(f"some {join_names(names, 'and')} are {state}{remedy}", figures)


# A text that stands for as many sources, and for more of them than this share, is no simplification of each. Of public
# outputs 3% repeat the prompt; otherwise 2% have a full stop alone, in one system, and no other text has more than 1%.
_MANY_SOURCES, _MANY_OF_ALL = 3, 0.01


def _repeated_texts(sample: TextSample) -> Iterator[SariWarning]:
    """Yield a warning if one text stands for many different sources."""
    keys, *columns = zip(*sample.ends, strict=True)
    different = len({*keys})
    for name, texts in zip(_WRITTEN, columns, strict=True):
        if len({*texts}) == len(texts):
            continue
        for text, number in sources_by_output(keys, texts).most_common(1):
            if number >= _MANY_SOURCES and number > _MANY_OF_ALL * different:
                message = f"one text stands among {name} for many sources: is it a refusal, or a part of the prompt?"
                yield RepeatedOutputsWarning(message, f"{short_repr(text)}: {number} of {different} sources looked at")
