"""What to doubt about texts: a sample of a corpus, which merges, and checks of it, each of which yields warnings.

Most checks need at least `ENOUGH` segments, and are about most texts of a column. Good texts, in the form that a
variant was published for, cause none.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import chain, combinations, filterfalse, permutations
from operator import eq
from statistics import fmean
from typing import NamedTuple
from unicodedata import is_normalized
from zlib import crc32

from .data_warnings import (
    Advice,
    CopiedOutputsWarning,
    EmptyTextsWarning,
    EnglishMeasureWarning,
    MisplacedTextsWarning,
    RepeatedOutputsWarning,
    SariWarning,
    TextMismatchWarning,
    TokenizationWarning,
    variant_warnings,
)
from .languages import EXTERNAL_TOKENIZERS, SCRIPTS, TOKENIZERS, count_letters
from .messages import join_names, short_repr
from .tokenization import split_into_tokens
from .variants import Text, Variant

#: Fewer different segments than these give no warning about most texts.
ENOUGH = 10
# What was done to a column by mistake is in most of its texts; what people and systems do at times is in hardly any.
_MOST, _NEARLY_ALL, _HARDLY_ANY = 0.5, 0.9, 0.1
# The columns as messages name them.
_COLUMNS = ("sources", "outputs", "references")
_WRITTEN = _COLUMNS[1:]

# ---- A sample of texts -----------------------------------------------------------------------------------------------

# The size of a sample: segments, and characters of each text.
_SAMPLED_SEGMENTS, _SAMPLED_CHARACTERS = 32, 400
# If so many outputs of a sample are copies, more than 40% of all are, with a probability of 99%.
_MOST_COPIES = 0.6


class TextSample(NamedTuple):
    """A sample of the texts of a corpus, and numbers about all of them. Samples of parts merge to that of the whole.

    Attributes:
        texts: a few different segments, those with the smallest keys: key, source, prediction and references of each.
            A key is a checksum of the source, so that a sample depends on the texts alone, whatever their order.
        empty_sources, empty_outputs, empty_references: how many of all are empty.
        nrefs: the numbers of references that segments have.
    """

    texts: tuple[tuple[int, str, str, tuple[str, ...]], ...] = ()
    empty_sources: int = 0
    empty_outputs: int = 0
    empty_references: int = 0
    nrefs: frozenset[int] = frozenset()

    def merge(self, other: "TextSample") -> "TextSample":
        """Return the sample of the texts of both."""
        return TextSample(
            texts=tuple(sorted({*self.texts, *other.texts})[:_SAMPLED_SEGMENTS]),
            empty_sources=self.empty_sources + other.empty_sources,
            empty_outputs=self.empty_outputs + other.empty_outputs,
            empty_references=self.empty_references + other.empty_references,
            nrefs=self.nrefs | other.nrefs,
        )

    def sources(self) -> list[str]:
        """Return the sources of the sample."""
        return [source for _, source, _, _ in self.texts]

    def copies(self) -> int:
        """Return how many predictions of the sample are copies of their sources."""
        return sum(is_copy(source, output) for _, source, output, _ in self.texts)

    def mostly_copies(self) -> bool:
        """Return whether most predictions are copies of their sources."""
        return self.copies() >= _MOST_COPIES * len(self.texts) > 0


NO_TEXTS = TextSample()


def take_sample(sources: list[str], predictions: list[str], references: list[list[str]]) -> TextSample:
    """Take a sample of checked texts; of long texts the middle is left out.

    >>> take_sample(["a", "b", "b"], ["A", "", ""], [["1"], ["2"], ["2"]]).texts
    ((1908338681, 'b', '', ('2',)), (3904355907, 'a', 'A', ('1',)))
    """
    keys = list(map(crc32, map(str.encode, sources)))
    smallest = {*nsmallest(_SAMPLED_SEGMENTS, {*keys})}
    texts = {
        (key, _cut(source), _cut(prediction), tuple(map(_cut, row)))
        for key, source, prediction, row in zip(keys, sources, predictions, references, strict=True)
        if key in smallest
    }
    return TextSample(
        texts=tuple(sorted(texts)[:_SAMPLED_SEGMENTS]),
        empty_sources=_count_empty(sources),
        empty_outputs=_count_empty(predictions),
        empty_references=_count_empty(chain.from_iterable(references)),
        nrefs=frozenset(map(len, references)),
    )


def _cut(text: str) -> str:
    half = _SAMPLED_CHARACTERS // 2
    return text if len(text) <= 2 * half else f"{text[:half]} {text[-half:]}"


def _count_empty(texts: Iterable[str]) -> int:
    return len(list(filterfalse(str.strip, texts)))


def is_copy(source: str, output: str) -> bool:
    """Return whether an output equals its source, but for whitespace, case, and ’ for '.

    >>> is_copy("It’s HERE .", "it's here."), is_copy("a b", "b a")
    (True, False)
    """
    one, other = ("".join(text.lower().split()).replace("’", "'") for text in (source, output))
    return one == other


def repeated_outputs(sources: Sequence[str], outputs: Sequence[str]) -> list[bool]:
    """Return which outputs have a text that, but for whitespace and case, is also the output of another source.

    >>> repeated_outputs(["a", "b", "c", "c"], ["Sorry.", "sorry. ", "x", "x"])
    [True, True, False, False]
    """
    texts = [" ".join(output.lower().split()) for output in outputs]
    times = Counter(text for _, text in set(zip(sources, texts, strict=True)))
    return [text != "" and times[text] > 1 for text in texts]


# ---- Checks ----------------------------------------------------------------------------------------------------------


def check_corpus(sample: TextSample, variant: Variant) -> Iterator[SariWarning]:
    """Yield the warnings about the texts of a corpus."""
    if not sample.texts:
        return
    _, sources, outputs, references = map(list, zip(*sample.texts, strict=True))
    columns = dict(zip(_COLUMNS, (sources, outputs, [row[0] for row in references]), strict=True))
    yield from _empty_texts(sample)
    yield from _tokenization(columns, variant)
    if len(sources) < ENOUGH:
        return
    if sample.mostly_copies():
        figures = f"{sample.copies()} of {len(sources)} outputs looked at"
        yield CopiedOutputsWarning("most outputs are the same as their sources", figures)
        yield from variant_warnings(variant, sources)
    words = {name: list(map(words_of, texts)) for name, texts in columns.items()}
    yield from _repeated(sources, outputs)
    yield from _same_columns(sources, outputs, references)
    yield from _swapped(**words)
    yield from _common_ends(columns)
    yield from [*_mismatches(columns, variant)] or _shifted(words)  # without accents, texts are less like their sources


def _share(texts: Sequence[str], test: Callable[[str], object]) -> float:
    return sum(map(bool, map(test, texts))) / (len(texts) or 1)


def _search(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).search


def _beyond_ascii(pattern: str) -> Callable[[str], object]:
    """Return a test whether a text has a pattern that is not ASCII, for which most texts take no time."""
    search = re.compile(pattern).search
    return lambda text: not text.isascii() and search(text)


def _empty_texts(sample: TextSample) -> Iterator[SariWarning]:
    numbers = (sample.empty_sources, sample.empty_outputs, sample.empty_references)
    counts = {name: number for name, number in zip(_COLUMNS, numbers, strict=True) if number}
    if counts:
        remedy = ": if lines are blank between documents, put a document into each row" if len(counts) == 3 else ""
        figures = ", ".join(f"{number} {name}" for name, number in counts.items())
        yield EmptyTextsWarning(f"some {join_names(counts, 'and')} are empty{remedy}", figures)


def _repeated(sources: list[str], outputs: list[str]) -> Iterator[SariWarning]:
    if (number := sum(repeated_outputs(sources, outputs))) > _HARDLY_ANY * len(outputs):
        fault = "one text is the output of many different sources: is it a refusal, or a part of the prompt?"
        text = short_repr(max(outputs, key=outputs.count))
        yield RepeatedOutputsWarning(fault, f"{text}; {number} of {len(outputs)} outputs looked at")


# 82 to 97% of the sources of public English test sets have one of these words, and 1 to 2% of French and Spanish ones.
_ENGLISH, _FEW_ENGLISH = re.compile(r"\b(the|of|and)\b", re.IGNORECASE), 0.3


def language_warnings(measures: Sequence[str], sources: Sequence[str]) -> Iterator[SariWarning]:
    """Yield a warning if there are measures for English alone, and the texts do not look English.

    >>> [str(one) for one in language_warnings(["FKGL"], ["Вот кошка."] * 10)]
    ['the texts do not look English, as they have to for FKGL']
    """
    if measures and len(sources) >= ENOUGH and _share(sources, _ENGLISH.search) < _FEW_ENGLISH:
        yield EnglishMeasureWarning(f"the texts do not look English, as they have to for {join_names(measures, 'and')}")


# ---- Tokens ----------------------------------------------------------------------------------------------------------

# Scripts without spaces between words have fewer by letter, unless words are set apart; Thai has one between clauses.
_UNSPACED, _FEW_SPACES = [name for name, script in SCRIPTS.items() if not script.spaces], 0.1
_UNSPACED_LETTER = re.compile("[{}]".format("".join(SCRIPTS[name].letters for name in _UNSPACED)))
# Texts with more kana than this share of their letters are Japanese, others with Han are Chinese.
_SOME_KANA = 0.05
# What splits scripts without spaces besides what fits best.
_SPLIT_EVERY_SCRIPT, _ALSO_SPLIT = {"spm", "flores101", "flores200", "spBLEU-1K"}, {"Han": {"moses"}}

# The marks that end sentences, and those of them that 13a leaves at their words, in scripts with spaces.
_SENTENCE_MARKS = "".join({mark: 0 for script in SCRIPTS.values() for mark in script.marks}) + "…"
_LEFT_BY_13A = re.sub("[ -~…]", "", "".join(script.marks for script in SCRIPTS.values() if script.spaces))
_LEFT_AT_WORD = f"[{_LEFT_BY_13A}](?<=[^\\s{_LEFT_BY_13A}].)(?:\\s|$)"
_MARK_AT_WORD = _search(f"[.,](?<=\\w.)(?:\\s|$)|{_LEFT_AT_WORD}")
_MARK_THAT_13A_LEAVES = _beyond_ascii(_LEFT_AT_WORD)
_LINE_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_LOOKS_TOKENIZED = re.compile(" [.,]")
_SEPARATES_MARKS = ("13a", *(name for name, row in EXTERNAL_TOKENIZERS.items() if row.separates_marks))
# Tokenizing tokenized texts of public systems and people again changes up to 25% of them, by misspellings and numbers;
# in a sample more. Of long texts a part is looked at.
_MANY, _AS_LONG_AS_SENTENCES = 0.45, 250


def _tokenization(columns: Mapping[str, list[str]], variant: Variant) -> Iterator[SariWarning]:
    """Yield a warning for each way in which the tokenizer does not fit, about all columns that have it."""
    names: dict[tuple[str, Advice | None], list[str]] = {}
    for name, steps in zip(columns, (variant.source_text, variant.text, variant.text), strict=True):
        for fault in _tokenization_faults(columns[name], steps, variant):
            names.setdefault(fault, []).append(name)
    for (message, advice), having in names.items():
        yield TokenizationWarning(f"{join_names(having, 'and')} {message}", advice=advice)


def _tokenization_faults(texts: list[str], steps: Text, variant: Variant) -> Iterator[tuple[str, Advice | None]]:
    """Yield what to doubt about a column that becomes tokens by these steps, and the option to set."""
    joined = "".join(texts)
    enough = joined.count(" ") / _FEW_SPACES
    if len(joined) > enough and len(_UNSPACED_LETTER.findall(joined)) > enough:
        letters = count_letters(texts)
        is_japanese = letters["Kana"] > _SOME_KANA * (letters["Kana"] + letters["Han"])
        script = "Kana" if is_japanese else max(_UNSPACED, key=letters.__getitem__)
        fitting = tuple(name for name in SCRIPTS[script].tokenizers if name in TOKENIZERS)
        if steps.tokenize in {*TOKENIZERS} - {*fitting} - _SPLIT_EVERY_SCRIPT - _ALSO_SPLIT.get(script, set()):
            is_reached = steps.tokenize == variant.tokenize  # not by sources that are tokenized otherwise
            language = SCRIPTS[script].languages.partition(";")[0]
            advice = Advice("tokenize", fitting) if is_reached else Advice("variant", ("easse",))
            yield f"are {language}, which the tokenizer does not split into words", advice
    if steps.tokenize == "none" and steps.splits_on_space and _share(texts, _LINE_BREAK.search) > _HARDLY_ANY:
        yield "have line breaks, which join words where texts are only split at spaces: replace them by spaces", None
    if len(texts) < ENOUGH:
        return
    if steps.tokenize == "none" and _share(texts, _MARK_AT_WORD) > _MOST:
        yield "are not tokenized, and are only split at spaces: tokenize them", None
    if steps.tokenize == "13a" and _share(texts, _MARK_THAT_13A_LEAVES) > _MOST:
        yield "have marks that the tokenizer leaves at their words", Advice("tokenize", ("intl",))
    # Variants that tokenize outputs but not sources were published for texts that are tokenized.
    if steps.tokenize in _SEPARATES_MARKS and not variant.source_tokenize and _is_tokenized_twice(texts, steps):
        yield "are tokenized, and tokenizing them again changes them: detokenize them", None


def _is_tokenized_twice(texts: list[str], steps: Text) -> bool:
    """Return whether most texts look tokenized, and the tokenizer changes many of these."""
    tokenized = [text[:_AS_LONG_AS_SENTENCES] for text in texts if _LOOKS_TOKENIZED.search(text)]
    if len(tokenized) <= _MOST * len(texts):
        return False
    ways = (replace(steps, tokenize=name, splits_on_space=False) for name in ("none", steps.tokenize))
    once, twice = (split_into_tokens(tokenized, way) for way in ways)
    return sum(map(list.__ne__, once, twice)) > _MANY * len(tokenized)


# ---- Places ----------------------------------------------------------------------------------------------------------

# References that fit sources better as one list per annotator share so much more of their words with them.
_TRANSPOSED_MARGIN = 0.2
# Texts that share fewer of their words are unrelated, or of two languages.
_UNRELATED = 0.3
# If lines are shifted, more than this share of texts is unrelated to its own source, and shares more words, by this
# margin, with one of so many others. If half of the lines are, so it is in 98% of 324 public outputs; otherwise in
# none, unless a model writes something else.
_SHIFT_SHARE, _SHIFT_MARGIN, _OTHER_SOURCES = 0.2, 0.05, 8
# Outputs and references are made from sources, and are less similar to each other than to these. None of 324 public
# outputs is longer than its sources, in longer words, and exceeds this margin; 63% do if swapped with sources.
_SWAP_MARGIN = 0.02


def words_of(text: str) -> set[str]:
    """Return the different words of a text in lower case; where hardly any spaces part them, its characters."""
    words = text.lower().split()
    return set(words) if len(words) > len(text) / 20 else set(text)


def likeness(words: set[str], others: set[str]) -> float:
    """Return the share of words in common: the coefficient of Dice."""
    return 2 * len(words & others) / (len(words) + len(others) or 1)


def check_layout(sources: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[SariWarning]:
    """Yield a warning if as many references as segments fit the sources better as one list per annotator."""
    if len(sources) < 2 or set(map(len, references)) != {len(sources)}:
        return
    words = list(map(words_of, sources[:_SAMPLED_SEGMENTS]))
    table = [list(map(words_of, row[:_SAMPLED_SEGMENTS])) for row in references[:_SAMPLED_SEGMENTS]]
    pairs = permutations(range(len(words)), 2)
    if fmean(likeness(words[i], table[j][i]) - likeness(words[i], table[i][j]) for i, j in pairs) > _TRANSPOSED_MARGIN:
        fault = "references fit the sources better as one list per annotator: give one list per segment"
        yield MisplacedTextsWarning(fault)


def _same_columns(sources: list[str], outputs: list[str], references: list[tuple[str, ...]]) -> Iterator[SariWarning]:
    """Yield warnings about columns without words, and about the first two that are nearly the same."""
    numbered = enumerate(zip(*references, strict=False), 1)  # only the references that all segments have
    columns = {"sources": sources, "outputs": outputs, **{f"references {number}": texts for number, texts in numbered}}
    if names := [name for name, texts in columns.items() if not any(map(str.isalpha, "".join(texts)))]:
        yield MisplacedTextsWarning("a column has no letters: is it text?", join_names(names, "and"))
    for one, other in combinations(columns, 2):
        same = sum(map(eq, columns[one], columns[other]))
        if same > _NEARLY_ALL * len(sources) and other != "outputs":  # outputs that are sources are copies
            fault = "two columns are nearly always the same: does one stand in the place of the other?"
            yield MisplacedTextsWarning(fault, f"{one} and {other} in {same} of {len(sources)} segments looked at")
            return


def _swapped(sources: list[set[str]], outputs: list[set[str]], references: list[set[str]]) -> Iterator[SariWarning]:
    longest = max(sum(map(len, sources)), sum(map(len, references)))
    if sum(map(len, outputs)) <= longest or _word_length(outputs) <= _word_length(sources):
        return  # a good system may be longer and near the references, but not in longer words
    gain = fmean(map(likeness, outputs, references)) - fmean(map(likeness, sources, references))
    if gain > _SWAP_MARGIN and fmean(map(likeness, sources, outputs)) > _UNRELATED:
        fault = "outputs are longer than sources, and references are more similar to outputs: are they swapped?"
        yield MisplacedTextsWarning(fault)


def _word_length(column: list[set[str]]) -> float:
    words = list(chain.from_iterable(column))
    return sum(map(len, words)) / (len(words) or 1)


def _shifted(words: Mapping[str, list[set[str]]]) -> Iterator[SariWarning]:
    sources = words["sources"]
    shares = {}
    for name in _WRITTEN:
        elsewhere = 0
        for place, text in enumerate(words[name]):
            similarity = likeness(text, sources[place])
            if similarity < _UNRELATED and words[name].count(text) == 1:
                others = (likeness(text, sources[place - step]) for step in range(1, 1 + _OTHER_SOURCES))
                elsewhere += max(others) > similarity + _SHIFT_MARGIN
        shares[name] = elsewhere / len(sources)
    if names := [name for name, share in shares.items() if share > _SHIFT_SHARE]:
        fault = f"{join_names(names, 'and')} are more like other sources than like their own: are lines shifted?"
        yield MisplacedTextsWarning(fault, f"{max(shares.values()):.0%} of the segments looked at")


# ---- Properties ------------------------------------------------------------------------------------------------------

# Columns are compared if each has so many texts that could have the property.
_SOME = 5
# What is added at the beginning of a text has a mark, other than one that ends sentences, or two words: many sentences
# begin with "The". In reversed texts it is what is added at the end.
_ADDITION = re.compile(f"[\\s{_SENTENCE_MARKS}]*([^\\w\\s{_SENTENCE_MARKS}]+|\\w+(?:[^\\w\\s]|\\s+\\w+)|)")


def _common_ends(columns: Mapping[str, list[str]]) -> Iterator[SariWarning]:
    """Yield a warning if most texts of a column begin or end alike, and hardly any reference does, or the reverse."""
    for where, step in (("begin", 1), ("end", -1)):
        ends = {name: [_addition(text[::step]) for text in {*texts}] for name, texts in columns.items()}
        for name, other in (("sources", "references"), ("outputs", "references"), ("references", "outputs")):
            ((text, number),) = Counter(ends[name]).most_common(1)
            is_common = text != "" and number > max(_SOME, _MOST * len(ends[name]))
            if is_common and _share(ends[other], text.__eq__) < _HARDLY_ANY:
                fault = f"most {name} {where} with the same words or marks, and hardly any {other} do"
                yield TextMismatchWarning(f"{fault}: do they belong to the texts?", short_repr(text[::step]))


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


def _has_both_cases(text: str) -> bool:
    return text not in (text.lower(), text.upper())


def _is_decomposed(text: str) -> bool:
    return not is_normalized("NFC", text)


def _is_stuck(text: str) -> bool:
    """Return whether the end of a text stands in it three times."""
    return text.count(text.rstrip()[-20:]) > 2


_INVISIBLE = "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060\ufeff]"
_VOWEL_MARKS = "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]"
_FINAL_MARK = f"[{_SENTENCE_MARKS}](?:\\W|</?\\w+>)*\\Z"

#: What either all texts of a corpus should have, or none.
PROPERTIES = (
    Property("letters of both cases", _has_both_cases, remedy="restore case, or lowercase all texts", lowercase=False),
    Property(
        "Turkish capitals", _search("[Iİ]"), _beyond_ascii("[ğışİĞŞ]"), "lowercase them by one rule", lowercase=True
    ),
    Property("accents", _beyond_ascii("[À-ÖØ-öø-ſƠơƯưẠ-ỹ\u0300-\u036f]"), remedy="restore them", columns=_WRITTEN),
    Property("letters of several characters", _is_decomposed, _search("[^\x00-\x7f]"), "normalize all to NFC"),
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
    Property("a mark at the end", _search(_FINAL_MARK), remedy="are the others cut off?", columns=_WRITTEN),
    Property("an end that repeats itself", _is_stuck, remedy="does a model not stop?", columns=_WRITTEN),
)


def _mismatches(columns: Mapping[str, list[str]], variant: Variant) -> Iterator[SariWarning]:
    for row in PROPERTIES:
        texts = chain.from_iterable(columns[name] for name in row.columns)
        if row.lowercase not in (None, variant.lowercase) or not any(map(row.has, texts)):
            continue
        could = {name: list(filter(row.could, columns[name])) for name in row.columns}
        shares = {name: _share(texts, row.has) for name, texts in could.items() if len(texts) >= _SOME}
        having = [name for name, share in shares.items() if share > _MOST]
        lacking = [name for name, share in shares.items() if share < _HARDLY_ANY]
        if having and lacking:
            fault = f"most {join_names(having, 'and')} have {row.name}, and hardly any {join_names(lacking, 'and')} do"
            figures = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
            yield TextMismatchWarning(f"{fault}: {row.remedy}", figures)
