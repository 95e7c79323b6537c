"""What to doubt about texts: a sample of a corpus, which merges, and checks of it, each of which yields warnings.

Most checks need at least `ENOUGH` segments, and are about most texts of a column. Good texts, in the form that a
variant was published for, cause none.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import chain, combinations, filterfalse, permutations
from operator import add, eq
from statistics import fmean
from typing import NamedTuple
from unicodedata import is_normalized
from zlib import crc32

from .data_warnings import (
    Advice,
    CopiedOutputsWarning,
    EmptyTextsWarning,
    MisplacedTextsWarning,
    RepeatedOutputsWarning,
    RewardsCopyingWarning,
    SariWarning,
    TextMismatchWarning,
    TokenizationWarning,
)
from .languages import EXTERNAL_TOKENIZERS, SCRIPTS, TOKENIZERS, main_scripts, would_fetch
from .messages import count_of, join_names, short_repr
from .tokenization import split_into_tokens
from .variants import Text, Variant

#: Fewer different segments than these give no warning about most texts.
ENOUGH = 10
# What was done to a column by mistake is in most of its texts; what people and systems do at times is in hardly any.
_MOST, _NEARLY_ALL, _HARDLY_ANY = 0.5, 0.9, 0.1
# The columns as messages name them, and those that people and systems write.
_COLUMNS = ("sources", "outputs", "references")
_WRITTEN = ("outputs", "references")

# ---- A sample of texts -----------------------------------------------------------------------------------------------

# The size of a sample: segments, and characters of each text. Thresholds were measured with it.
_SAMPLED_SEGMENTS = 32
_SAMPLED_CHARACTERS = 200  # at the beginning, and as many at the end
_LARGEST_KEY = (1 << 32) - 1
# The share of copies that is most outputs. If a sample has it, more than 40% of all are, with a probability of 99%.
_MOST_COPIES = 0.6


class TextSample(NamedTuple):
    """A sample of the texts of a corpus, and numbers about all of them. Samples of parts merge to that of the whole.

    Attributes:
        texts: a few different segments, those with the smallest keys: key, source, prediction and references of each.
            A key is a checksum of the source, so that a sample depends on the texts alone, whatever their order.
        empty: how many of all sources, outputs and references are empty.
        nrefs: the numbers of references that segments have.
    """

    texts: tuple[tuple[int, str, str, tuple[str, ...]], ...] = ()
    empty: tuple[int, ...] = (0, 0, 0)
    nrefs: frozenset[int] = frozenset()

    def merge(self, other: "TextSample") -> "TextSample":
        """Return the sample of the texts of both."""
        texts = sorted({*self.texts, *other.texts})[:_SAMPLED_SEGMENTS]
        return TextSample(tuple(texts), tuple(map(add, self.empty, other.empty)), self.nrefs | other.nrefs)

    def sources(self) -> list[str]:
        """Return the sources of the sample."""
        return [source for _, source, _, _ in self.texts]

    def is_possible(self) -> bool:
        """Return whether `take_sample` and `merge` can have made it."""
        rows_are_possible = all(
            len(references) in self.nrefs
            and key == (crc32(source.encode()) if len(source) <= 2 * _SAMPLED_CHARACTERS else key & _LARGEST_KEY)
            and all(_cut(text) == text for text in (source, output, *references))
            for key, source, output, references in self.texts
        )
        return rows_are_possible and self.merge(NO_TEXTS) == self


NO_TEXTS = TextSample()


def take_sample(sources: list[str], predictions: list[str], references: list[list[str]]) -> TextSample:
    """Take a sample of checked texts; of long texts the middle is left out.

    >>> take_sample(["a", "b", "b"], ["A", "", ""], [["1"], ["2"], ["2"]])[:2]
    (((1908338681, 'b', '', ('2',)), (3904355907, 'a', 'A', ('1',))), (0, 2, 0))
    """
    keys = list(map(crc32, map(str.encode, sources)))
    smallest = {*nsmallest(_SAMPLED_SEGMENTS, {*keys})}
    texts = {
        (key, _cut(source), _cut(prediction), tuple(map(_cut, row)))
        for key, source, prediction, row in zip(keys, sources, predictions, references, strict=True)
        if key in smallest
    }
    columns = (sources, predictions, chain.from_iterable(references))
    empty = tuple(len(list(filterfalse(str.strip, column))) for column in columns)
    return TextSample(tuple(sorted(texts)[:_SAMPLED_SEGMENTS]), empty, frozenset(map(len, references)))


def _cut(text: str) -> str:
    size = _SAMPLED_CHARACTERS
    return text if len(text) <= 2 * size else f"{text[:size]} {text[-size:]}"


def is_copy(source: str, output: str) -> bool:
    """Return whether an output equals its source, but for whitespace, case, and ’ for '.

    >>> is_copy("It’s HERE .", "it's here."), is_copy("a b", "b a")
    (True, False)
    """
    one, other = ("".join(text.lower().split()).replace("’", "'") for text in (source, output))
    return one == other


def number_of_copies(sources: Sequence[str], outputs: Sequence[str]) -> int:
    """Return how many outputs are copies of their sources."""
    return sum(map(is_copy, sources, outputs))


def are_mostly_copies(sources: Sequence[str], outputs: Sequence[str]) -> bool:
    """Return whether most outputs, 60% or more, are copies of their sources.

    >>> are_mostly_copies("abcde", "abcxy"), are_mostly_copies("abcde", "abxyz"), are_mostly_copies([], [])
    (True, False, False)
    """
    return number_of_copies(sources, outputs) >= _MOST_COPIES * len(sources) > 0


def sources_by_output(sources: Sequence[str], outputs: Sequence[str]) -> Counter[str]:
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


# ---- Checks ----------------------------------------------------------------------------------------------------------


def corpus_warnings(sample: TextSample, variant: Variant) -> Iterator[SariWarning]:
    """Yield the warnings about the texts of a corpus."""
    if not sample.texts:
        return
    _, sources, outputs, references = map(list, zip(*sample.texts, strict=True))
    columns = dict(zip(_COLUMNS, (sources, outputs, [row[0] for row in references]), strict=True))
    yield from _empty_texts(sample.empty)
    yield from _tokenization(columns, variant)
    if len(sources) < ENOUGH:
        return
    if are_mostly_copies(sources, outputs):
        figures = f"{number_of_copies(sources, outputs)} of {len(sources)} outputs looked at"
        yield CopiedOutputsWarning("most outputs are the same as their sources", figures)
        # To load a tokenizer for a check downloads nothing: a state may come from somebody else.
        yield from variant_warnings(variant, None if would_fetch(variant.tokenize) else sources)
    yield from _repeated_outputs(sources, outputs)
    yield from _same_columns(sources, outputs, references)
    words = {name: list(map(words_of, texts)) for name, texts in columns.items()}
    yield from _swapped(**words)
    yield from _shifted(words)
    yield from _common_ends(columns)
    yield from _mismatches(columns, variant)


def _share_passing(texts: Sequence[str], test: Callable[[str], object]) -> float:
    """Return the share of texts, of which there is at least one, that pass a test."""
    return sum(map(bool, map(test, texts))) / len(texts)


def _search(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).search


def _beyond_ascii(pattern: str) -> Callable[[str], object]:
    """Return a test whether a text has a pattern that is not ASCII, for which most texts take no time."""
    search = re.compile(pattern).search
    return lambda text: not text.isascii() and search(text)


def _empty_texts(empty: tuple[int, ...]) -> Iterator[SariWarning]:
    """Yield a warning if texts are empty, given how many of each column are."""
    numbers = {name: number for name, number in zip(_COLUMNS, empty, strict=True) if number}
    if numbers:
        remedy = ": if lines are blank between documents, put a document into each row" if all(empty) else ""
        figures = ", ".join(count_of(number, name.removesuffix("s")) for name, number in numbers.items())
        yield EmptyTextsWarning(f"some {join_names(numbers, 'and')} are empty{remedy}", figures)


def _repeated_outputs(sources: list[str], outputs: list[str]) -> Iterator[SariWarning]:
    """Yield a warning if one text is the output of many different sources."""
    for text, number in sources_by_output(sources, outputs).most_common(1):
        different = len({*sources})
        if number > max(2, _HARDLY_ANY * different):
            message = "one text is the output of many different sources: is it a refusal, or a part of the prompt?"
            yield RepeatedOutputsWarning(message, f"{short_repr(text)}: {number} of {different} sources looked at")


# A variant that treats sources otherwise than outputs rewards copies if that changes so many of the first sources.
_MANY_CHANGED = 0.3


def variant_warnings(variant: Variant, sources: Sequence[str] | None = None) -> Iterator[SariWarning]:
    """Yield a warning if the variant rewards copying: for systems, candidates or models that are compared by it.

    A variant that only treats sources otherwise than outputs does not reward copies of `sources`, if these are given
    and mostly have the same tokens both ways.
    """
    source, output = variant.source_text, variant.text
    if variant.deleting_nothing_is_right:
        cause = "gives a delete score of 100 to an output that deletes nothing"
    elif variant.rewards_copying and (
        sources is None or _share_changed(sources[:_SAMPLED_SEGMENTS], source, output) > _MANY_CHANGED
    ):
        steps = [step for step in ("tokenize", "lowercase") if getattr(source, step) != getattr(output, step)]
        cause = f"does not {join_names(steps)} sources as it does outputs"
    else:
        return
    # These two do so only by other options, which another variant would have, too.
    others = ("easse", "xu2016")
    advice = None if variant.name in others else Advice("variant", others)
    yield RewardsCopyingWarning(f"the variant {cause}, so that copies can rank first", advice=advice)


def _share_changed(texts: Sequence[str], one: Text, other: Text) -> float:
    """Return the share of texts that become other tokens by other steps."""
    tokens = (split_into_tokens(texts, steps) for steps in (one, other))
    return sum(map(list.__ne__, *tokens)) / (len(texts) or 1)


# ---- Tokens ----------------------------------------------------------------------------------------------------------

# Texts without spaces between words have fewer by character, unless words are set apart; Thai has one between clauses.
_FEW_SPACES = 0.1

_LINE_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# The marks that end sentences in scripts with spaces, but for those that 13a separates from words.
_LEFT_BY_13A = re.sub("[ -~]", "", "".join(script.marks for script in SCRIPTS.values() if script.spaces))


def _at_word(marks: str) -> str:
    """Return a pattern of marks at the end of a word. It begins with the mark, since `re` is slow at what precedes."""
    return f"[{marks}](?<=[^\\s{marks}].)(?:\\s|$)"


_MARK_AT_WORD = _search(_at_word(".," + _LEFT_BY_13A))
_MARK_THAT_13A_LEAVES = _beyond_ascii(_at_word(_LEFT_BY_13A))
_MARK_SET_APART = _search(" [.,]")
_SEPARATES_MARKS = ("13a", *(name for name, row in EXTERNAL_TOKENIZERS.items() if row.separates_marks))
# Tokenizing tokenized texts of public systems and people again changes up to 25% of them, by misspellings and numbers;
# in a sample more.
_MANY_CHANGED_AGAIN = 0.45


def _tokenization(columns: Mapping[str, list[str]], variant: Variant) -> Iterator[SariWarning]:
    """Yield a warning for each way in which the tokenizer does not fit, about all columns that have it."""
    columns_by_fault: dict[tuple[str, Advice | None], list[str]] = {}
    for name, steps in zip(columns, (variant.source_text, variant.text, variant.text), strict=True):
        for fault in _tokenization_faults(columns[name], steps, variant):
            columns_by_fault.setdefault(fault, []).append(name)
    for (message, advice), names in columns_by_fault.items():
        yield TokenizationWarning(f"{join_names(names, 'and')} {message}", advice=advice)


def _tokenization_faults(texts: list[str], steps: Text, variant: Variant) -> Iterator[tuple[str, Advice | None]]:
    """Yield what to doubt about a column that becomes tokens by these steps, and the option to set."""
    joined = "".join(texts)
    if joined.count(" ") < _FEW_SPACES * len(joined):
        yield from _script_faults(main_scripts(texts)[0], steps, variant)
    if steps.tokenize == "none" and steps.splits_on_space and _share_passing(texts, _LINE_BREAK.search) > _HARDLY_ANY:
        yield "have line breaks, which join words where texts are only split at spaces: replace them by spaces", None
    if len(texts) < ENOUGH:
        return
    if steps.tokenize == "none" and _share_passing(texts, _MARK_AT_WORD) > _MOST:
        yield "are not tokenized, and are only split at spaces: tokenize them", None
    if steps.tokenize == "13a" and _share_passing(texts, _MARK_THAT_13A_LEAVES) > _MOST:
        yield "have marks that the tokenizer leaves at their words", Advice("tokenize", ("intl",))
    # Variants that tokenize outputs but not sources were published for texts that are tokenized.
    if steps.tokenize in _SEPARATES_MARKS and not variant.source_tokenize:
        tokenized = list(filter(_MARK_SET_APART, texts))
        as_written = replace(steps, tokenize="none", splits_on_space=False)
        if len(tokenized) > _MOST * len(texts) and _share_changed(tokenized, as_written, steps) > _MANY_CHANGED_AGAIN:
            yield "are tokenized, and tokenizing them again changes them: detokenize them", None


def _script_faults(name: str, steps: Text, variant: Variant) -> Iterator[tuple[str, Advice]]:
    """Yield what to doubt about texts with few spaces, given the name of their script, and the option to set."""
    script = SCRIPTS[name]
    fitting = tuple(tokenizer for tokenizer in script.tokenizers if tokenizer in TOKENIZERS)
    splitting = {*fitting, *(tokenizer for tokenizer, row in EXTERNAL_TOKENIZERS.items() if name in row.splits)}
    if not script.spaces and steps.tokenize in TOKENIZERS and steps.tokenize not in splitting:
        sets_these_texts = steps.tokenize == variant.tokenize  # not by sources that are tokenized otherwise
        advice = Advice("tokenize", fitting) if sets_these_texts else Advice("variant", ("easse",))
        yield f"are {script.languages.partition(';')[0]}, which the tokenizer does not split into words", advice


# ---- Places ----------------------------------------------------------------------------------------------------------

# References that fit sources better as one list per annotator share so much more of their words with them.
_TRANSPOSED_MARGIN = 0.2
# Texts that share fewer of their words are unrelated, or of two languages.
_UNRELATED = 0.3
# If lines are shifted, more than this share of texts is unrelated to its own source, and shares more words, by this
# margin, with one of so many others. If half of the lines are, so it is in 93% of 1,165 public outputs; otherwise in
# none, unless a model writes something else.
_SHIFT_SHARE, _SHIFT_MARGIN, _OTHER_SOURCES = 0.2, 0.05, 8
# Outputs and references are made from sources, and are less similar to each other than to these. None of 1,165 public
# outputs is longer than its sources, in longer words, and exceeds this margin; 47% do if swapped with sources.
_SWAP_MARGIN = 0.02


def words_of(text: str) -> set[str]:
    """Return the different words of a text in lower case; where hardly any spaces part them, its characters."""
    words = text.lower().split()
    return set(words) if len(words) > len(text) / 20 else set(text)


def likeness(words: set[str], others: set[str]) -> float:
    """Return the share of words in common: the coefficient of Dice."""
    return 2 * len(words & others) / (len(words) + len(others) or 1)


def layout_warnings(sources: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[SariWarning]:
    """Yield a warning if as many references as segments fit the sources better as one list per annotator."""
    if len(sources) < 2 or set(map(len, references)) != {len(sources)}:
        return
    words = list(map(words_of, sources[:_SAMPLED_SEGMENTS]))
    table = [list(map(words_of, row[:_SAMPLED_SEGMENTS])) for row in references[:_SAMPLED_SEGMENTS]]
    pairs = list(permutations(range(len(words)), 2))
    by_segment = fmean(likeness(words[i], table[i][j]) for i, j in pairs)
    by_annotator = fmean(likeness(words[i], table[j][i]) for i, j in pairs)
    if by_annotator > by_segment + _TRANSPOSED_MARGIN:
        message = "references fit the sources better as one list per annotator: give one list per segment"
        yield MisplacedTextsWarning(message)


def _same_columns(sources: list[str], outputs: list[str], references: list[tuple[str, ...]]) -> Iterator[SariWarning]:
    """Yield warnings about columns without words, and about the first two that are nearly the same."""
    numbered = enumerate(zip(*references, strict=False), 1)  # only the references that all segments have
    columns = {"sources": sources, "outputs": outputs, **{f"references {number}": texts for number, texts in numbered}}
    if names := [name for name, texts in columns.items() if not any(map(str.isalpha, "".join(texts)))]:
        yield MisplacedTextsWarning("a column has no letters: is it text?", join_names(names, "and"))
    for one, other in combinations(columns, 2):
        same = sum(map(eq, columns[one], columns[other]))
        if same > _NEARLY_ALL * len(sources) and other != "outputs":  # outputs that are sources are copies
            message = "two columns are nearly always the same: does one stand in the place of the other?"
            yield MisplacedTextsWarning(message, f"{one} and {other} in {same} of {len(sources)} segments looked at")
            return


def _swapped(sources: list[set[str]], outputs: list[set[str]], references: list[set[str]]) -> Iterator[SariWarning]:
    """Yield a warning if sources and outputs look swapped."""
    longest = max(sum(map(len, sources)), sum(map(len, references)))
    if sum(map(len, outputs)) <= longest or _word_length(outputs) <= _word_length(sources):
        return  # a good system may be longer and near the references, but not in longer words
    gain = fmean(map(likeness, outputs, references)) - fmean(map(likeness, sources, references))
    if gain > _SWAP_MARGIN and fmean(map(likeness, sources, outputs)) > _UNRELATED:
        message = "outputs are longer than sources, and references are more similar to outputs: are they swapped?"
        yield MisplacedTextsWarning(message)


def _word_length(column: list[set[str]]) -> float:
    """Return the mean length of the words of a column, those of each text counted once."""
    words = list(chain.from_iterable(column))
    return sum(map(len, words)) / (len(words) or 1)


def _shifted(words: Mapping[str, list[set[str]]]) -> Iterator[SariWarning]:
    """Yield a warning if outputs or references are more like the sources of other segments than like their own."""
    sources, shares = words["sources"], {}
    for name in _WRITTEN:
        elsewhere = 0
        for place, text in enumerate(words[name]):
            to_source, *to_others = [likeness(text, sources[place - step]) for step in range(1 + _OTHER_SOURCES)]
            is_unrelated = to_source < _UNRELATED and words[name].count(text) == 1  # a refusal fits no source
            elsewhere += is_unrelated and max(to_others) > to_source + _SHIFT_MARGIN
        shares[name] = elsewhere / len(sources)
    if names := [name for name, share in shares.items() if share > _SHIFT_SHARE]:
        message = f"{join_names(names, 'and')} are more like other sources than like their own: are lines shifted?"
        yield MisplacedTextsWarning(message, f"{max(shares.values()):.0%} of the segments looked at")


# ---- Properties ------------------------------------------------------------------------------------------------------

_SENTENCE_MARKS = "".join(dict.fromkeys(mark for script in SCRIPTS.values() for mark in script.marks)) + "…"
# Columns are compared if each has so many texts that could have the property.
_LEAST_COMPARABLE = 5
# What may be added to a text: its first marks, other than those that end sentences, or else its first word. In
# reversed texts these are the last ones.
_ADDITION = re.compile(f"[\\s{_SENTENCE_MARKS}]*([^\\w\\s{_SENTENCE_MARKS}]+|\\w*)")


def _common_ends(columns: Mapping[str, list[str]]) -> Iterator[SariWarning]:
    """Yield a warning if most texts of a column begin or end alike, and hardly any reference does, or the reverse."""
    for where, step in (("begin", 1), ("end", -1)):
        ends = {name: [_addition(text[::step]) for text in {*texts}] for name, texts in columns.items()}
        for name, other in (("sources", "references"), ("outputs", "references"), ("references", "outputs")):
            ((text, number),) = Counter(ends[name]).most_common(1)
            is_common = text != "" and number > max(_LEAST_COMPARABLE, _MOST * len(ends[name]))
            if is_common and _share_passing(ends[other], text.__eq__) < _HARDLY_ANY:
                message = f"most {name} {where} with the same words or marks, and hardly any {other} do"
                yield TextMismatchWarning(f"{message}: do they belong to the texts?", short_repr(text[::step]))


def _addition(text: str) -> str:
    match = _ADDITION.match(text)
    return match[1].lower() if match else ""


class Property(NamedTuple):
    """Something that either all texts of a corpus should have, or none.

    Attributes:
        name: what the texts have.
        has: tests whether a text has it.
        could: tests whether a text could have it.
        remedy: what to do about texts that differ in it.
        columns: the columns that should share it.
        lowercase: the value of `Variant.lowercase` under which it matters; None for both.
    """

    name: str
    has: Callable[[str], object]
    could: Callable[[str], object] = bool
    remedy: str = "write them alike"
    columns: tuple[str, ...] = _COLUMNS
    lowercase: bool | None = None


_INVISIBLE = "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060\ufeff]"
_VOWEL_MARKS = "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]"
_TAG, _NO_WORDS = re.compile("</?\\w++>"), re.compile("\\W*+")


def _ends_with_mark(text: str) -> bool:
    """Return whether a mark that ends sentences, and no word but tags, is at the end; from there, to read it once."""
    backwards = _TAG.sub(" ", text)[::-1]
    end = _NO_WORDS.match(backwards)
    return end is not None and not {*_SENTENCE_MARKS}.isdisjoint(end[0])


#: What either all texts of a corpus should have, or none. "\x23" is #: `evaluate` looks for changes of a file in what
#: stands before the first # of a line, also in a string.
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
    Property("tabs or |", lambda text: "\t" in text or "|" in text, remedy="are they several texts each?"),
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


def _mismatches(columns: Mapping[str, list[str]], variant: Variant) -> Iterator[SariWarning]:
    """Yield a warning for each property that most texts of a column have, and hardly any of another."""
    for row in PROPERTIES:
        texts = chain.from_iterable(columns[name] for name in row.columns)
        if row.lowercase not in (None, variant.lowercase) or not any(map(row.has, texts)):
            continue
        comparable = {name: list(filter(row.could, columns[name])) for name in row.columns}
        shares = {
            name: _share_passing(texts, row.has)
            for name, texts in comparable.items()
            if len(texts) >= _LEAST_COMPARABLE
        }
        most = [name for name, share in shares.items() if share > _MOST]
        hardly_any = [name for name, share in shares.items() if share < _HARDLY_ANY]
        if most and hardly_any:
            message = (
                f"most {join_names(most, 'and')} have {row.name}, and hardly any {join_names(hardly_any, 'and')} do"
            )
            figures = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
            yield TextMismatchWarning(f"{message}: {row.remedy}", figures)
