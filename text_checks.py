"""What to doubt about texts: checks of a small sample of a corpus, each of which yields warnings.

Most checks need at least `ENOUGH` segments, and are about most texts of a column. Good texts, in the form that a
variant was published for, cause none.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, groupby, product, takewhile, zip_longest
from operator import methodcaller, ne
from string import punctuation
from typing import Any, NamedTuple
from unicodedata import combining, decimal, normalize

import numpy as np

from .aggregation import exact_sums, sari_scores, score_totals, summands
from .data_warnings import (
    AddedTextWarning,
    Advice,
    AlreadyTokenizedWarning,
    BelowCopyWarning,
    BelowUnrelatedWarning,
    BlankSegmentsWarning,
    CopiedOutputsWarning,
    EmptyInputsWarning,
    EmptyOutputsWarning,
    EnglishMeasureWarning,
    LineBreaksWarning,
    NoWordsWarning,
    RepeatedOutputsWarning,
    SameColumnsWarning,
    SariWarning,
    SeparatorsWarning,
    ShiftedLinesWarning,
    SwappedColumnsWarning,
    TextMismatchWarning,
    TransposedReferencesWarning,
    UnsegmentedTextWarning,
    UntokenizedWarning,
    variant_warnings,
)
from .languages import EXTERNAL_TOKENIZERS, SCRIPTS, TOKENIZERS, count_letters
from .ngram_statistics import count_ngrams
from .text_sample import TextSample, is_transposed, likeness, mostly_copies, repeated_outputs, words_of
from .tokenization import encode_corpus, split_into_tokens
from .validation import either, shown
from .variants import VARIANTS, Text, Variant

#: Fewer segments than these give no warning about texts.
ENOUGH = 10
# What was done to a column by mistake is in most of its texts; what people and systems do at times is in hardly any.
_MOST_TEXTS, _NEARLY_ALL, _HARDLY_ANY = 0.5, 0.9, 0.1
# Tokenizing tokenized texts of public systems and people again changes up to 25% of them, by misspellings and numbers;
# in a sample more.
_MANY = 0.45

# Below these shares of their scores a system is clearly worse: some published systems are a little below copies; of 93
# sets of outputs by 46 systems (BLESS), under six variants, none below .95 was above unrelated texts as a whole.
_CLEARLY_COPIES, _CLEARLY_UNRELATED = 0.7, 0.95
# Outputs with this SARI are not compared with baselines of the sample: on the public test sets of docs/systems.csv
# unrelated texts do not reach it, nor do copies by a variant that does not reward copying.
_ABOVE_BASELINES = 40

# If lines are shifted, more than this share of texts shares more words, by this margin, with one of so many other
# sources than with its own. If half of the lines are, .19 to .50 of public outputs do; otherwise at most .06, unless a
# model writes something else, and .19 of references (MultiCochrane, partly of another language than the sources).
_SHIFT_SHARE, _SHIFT_MARGIN, _OTHER_SOURCES = 0.2, 0.05, 8
# Outputs and references are made from sources, and are less similar to each other than to these. No public outputs (of
# 550 files) that are longer than their sources exceed this margin; more than half of them do if swapped with sources.
# Texts of two languages share fewer words than this.
_SWAP_MARGIN, _ONE_LANGUAGE = 0.02, 0.3
# Columns are compared in what all texts should share if each has so many texts that could have it.
_SOME = 5
# How much of a common beginning or end is looked at, and how many texts are tokenized to see whether it matters.
_LONGEST_COMMON, _TRIED = 200, 8

# Scripts without spaces between words, and what splits them besides what fits best.
_UNSPACED = [name for name, script in SCRIPTS.items() if not script.spaces]
_ALSO_SPLIT = {"Han": ("moses",)}
_SPLIT_EVERY_SCRIPT = ("spm", "flores101", "flores200", "spBLEU-1K")
# Texts in them have fewer spaces by letter, unless their words are set apart; Thai has one between clauses.
_FEW_SPACES = 0.1
# Texts with more kana than this share of their letters are Japanese, others with Han are Chinese.
_SOME_KANA = 0.05

_MARKS = {mark: script.spaces for script in SCRIPTS.values() for mark in script.marks}
_SENTENCE_MARKS = "".join({**_MARKS, "…": True})
# The marks that 13a leaves at their words; where words have no spaces, the script is what is warned of.
_LEFT_BY_13A = "".join(mark for mark, spaces in _MARKS.items() if spaces and not mark.isascii())
_CLOSING = "\"'”’»)\\]】」』"
_UNSPACED_LETTER = re.compile("[{}]".format("".join(SCRIPTS[name].letters for name in _UNSPACED)))
_LETTER = re.compile(r"[^\W\d_]")
_INVISIBLE = "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff"
# What is added to texts has a mark, other than one that ends sentences, or two words: many sentences begin with "The".
_ADDITION = re.compile(f"[^\\w\\s{_INVISIBLE}{_SENTENCE_MARKS}]|\\w\\s+\\w")
_LOOKS_TOKENIZED = re.compile(" [.,]|@-@|-(lrb|LRB)-")
_MARK_THAT_13A_LEAVES = re.compile(f"[^\\s{_LEFT_BY_13A}][{_LEFT_BY_13A}](?:\\s|$)")
_MARK_AT_WORD = re.compile(f"\\w[.,](?:\\s|$)|{_MARK_THAT_13A_LEAVES.pattern}")
# 82 to 97% of the sources of public English test sets have one of these words, and 1 to 2% of French and Spanish ones.
_ENGLISH, _FEW_ENGLISH = re.compile(r"\b(the|of|and)\b", re.IGNORECASE), 0.3
_LINE_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_SEPARATES_MARKS = ("13a", *(name for name, row in EXTERNAL_TOKENIZERS.items() if row.separates_marks))

# The columns as messages name them.
_COLUMNS = ("sources", "outputs", "references")
_OUTPUTS_AND_REFERENCES = _COLUMNS[1:]


class _Look(NamedTuple):
    """A sample by columns, as the checks need it; "references" are the first references."""

    sample: TextSample
    variant: Variant
    columns: dict[str, list[str]]

    def text(self, name: str) -> Text:
        """Return how the texts of a column become tokens."""
        return self.variant.source_text if name == "sources" else self.variant.text

    def mostly(self, test: Callable[[str], object], tokenizers: Sequence[Any] = ()) -> list[str]:
        """Return the names of the columns, or of those with one of some tokenizers, whose texts mostly pass a test."""
        return [
            name
            for name, texts in self.columns.items()
            if not tokenizers or self.text(name).tokenize in tokenizers
            if _proportion(texts, test) > _MOST_TEXTS
        ]

    def advise(
        self, category: type[SariWarning], fault: str, option: str, value: str | bool, remedy: str, detail: str = ""
    ) -> SariWarning:
        """Return a warning that advises to restore an option of the variant, or else has a remedy for the texts."""
        if getattr(VARIANTS[self.variant.name], option) == value != getattr(self.variant, option):
            return category(fault, detail, Advice(option, (value,)))
        return category(f"{fault}: {remedy}", detail)


def check_layout(sources: Sequence[str], references: Sequence[Sequence[str]]) -> Iterator[SariWarning]:
    """Yield a warning if the references of a whole corpus look like one list per annotator."""
    if set(map(len, references)) == {len(sources)} and is_transposed(sources, references):
        fault = "references fit the sources better as one list per annotator: give one list per segment"
        yield TransposedReferencesWarning(fault)


def check_corpus(sample: TextSample, variant: Variant, *, segments: int, sari: float) -> Iterator[SariWarning]:
    """Yield the warnings about a corpus with this SARI, in percent."""
    if not segments:
        return
    sources, outputs, references = sample.columns()
    texts = sources, outputs, [row[0] for row in references]
    look = _Look(sample, variant, dict(zip(_COLUMNS, texts, strict=True)))
    yield from _empty_texts(sample, segments)
    for check in _CHECKS_OF_ANY_NUMBER:
        yield from check(look)
    if segments < ENOUGH:
        return
    if mostly_copies(sample, segments):
        yield CopiedOutputsWarning("most outputs are the same as their sources", f"{sample.copies} of {segments}")
        yield from variant_warnings(variant, sources)
    else:
        yield from _check_baselines(sample, variant, sari)
    for check in _CHECKS:
        yield from check(look)


def _empty_texts(sample: TextSample, segments: int) -> Iterator[SariWarning]:
    if sample.blank:
        fault = "some segments have no text at all: if they stand between documents, put a document into each row"
        yield BlankSegmentsWarning(fault, f"{sample.blank} of {segments}")
    empty = sample.empty_sources, sample.empty_outputs, sample.empty_references
    counts = {name: count for name, count in zip(_COLUMNS, empty, strict=True) if count}
    if "outputs" in counts:
        yield EmptyOutputsWarning("some outputs are empty", f"{counts.pop('outputs')} of {segments}")
    if counts:
        figures = ", ".join(f"{count} {name}" for name, count in counts.items())
        yield EmptyInputsWarning(f"some {either(counts, 'and')} are empty", figures)


def _check_baselines(sample: TextSample, variant: Variant, sari: float) -> Iterator[SariWarning]:
    """Yield a warning if copies of the sources, or references of other segments, clearly have a higher SARI."""
    sources, _, references = sample.columns()
    if len(sources) < ENOUGH or sari >= _ABOVE_BASELINES:
        return
    first = [row[0] for row in references]
    unrelated = first[1:] + first[:1]
    baselines: list[tuple[type[SariWarning], str, list[str], float]] = [
        (BelowUnrelatedWarning, "references of other segments", unrelated, _CLEARLY_UNRELATED)
    ]
    if not variant.rewards_copying:  # where it does, copies can have a higher SARI than good outputs
        baselines.insert(0, (BelowCopyWarning, "copies of the sources", sources, _CLEARLY_COPIES))
    for category, name, texts, clearly in baselines:
        score = _sari_of_sample(sources, texts, references, variant)
        if sari < clearly * score:
            figures = f"{score:.2f} in a sample of {len(sources)} segments; the outputs {sari:.2f}"
            yield category(f"{name} have a higher SARI than the outputs", figures)


def _sari_of_sample(sources: list[str], predictions: list[str], references: list[list[str]], variant: Variant) -> float:
    chunks = encode_corpus(sources, references, [predictions], variant)
    totals = sum(exact_sums(summands(count_ngrams(tokens, variant), variant)) for tokens in chunks)
    return float(sari_scores(score_totals(np.asarray(totals), len(sources), variant)[1])[0])


# ---- Tokens ----------------------------------------------------------------------------------------------------------


def _tokenized_twice(look: _Look) -> Iterator[SariWarning]:
    """Yield a warning if texts are tokenized, and another tokenizer changes their tokens.

    Variants that tokenize outputs but not sources were published for texts that are tokenized.
    """
    names = [] if look.variant.source_tokenize else look.mostly(_LOOKS_TOKENIZED.search, _SEPARATES_MARKS)
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
    """Yield a warning if marks stay at their words, since texts are only split at spaces, or 13a lacks these marks."""
    if names := look.mostly(_MARK_AT_WORD.search, ("none",)):
        fault = f"{either(names, 'and')} are not tokenized, and are only split at spaces"
        if look.variant.tokenize == "none":
            yield look.advise(UntokenizedWarning, fault, "tokenize", "13a", "tokenize them")
        else:  # `tokenize` does not reach the sources of this variant
            yield UntokenizedWarning(f"{fault}: tokenize them")
    if names := look.mostly(_MARK_THAT_13A_LEAVES.search, ("13a",)):
        fault = f"the tokenizer leaves the marks of sentences at their words in {either(names, 'and')}"
        yield UntokenizedWarning(fault, advice=Advice("tokenize", ("intl",)))


def _unsegmented(look: _Look) -> Iterator[SariWarning]:
    texts = {name: " ".join(column) for name, column in look.columns.items()}
    names = [name for name, text in texts.items() if _UNSPACED_LETTER.search(text) and _is_unspaced(text)]
    if not names:
        return
    letters = count_letters(texts[name] for name in names)
    is_japanese = letters["Kana"] > _SOME_KANA * (letters["Kana"] + letters["Han"])
    script = "Kana" if is_japanese else max(_UNSPACED, key=letters.__getitem__)
    fitting = [name for name in SCRIPTS[script].tokenizers if name in TOKENIZERS]
    unfit = set(TOKENIZERS) - {*fitting, *_ALSO_SPLIT.get(script, ()), *_SPLIT_EVERY_SCRIPT}
    if wrong := [name for name in names if look.text(name).tokenize in unfit]:
        language = SCRIPTS[script].languages.partition(";")[0]
        if look.variant.tokenize in unfit:
            fault = f"the tokenizer does not split {language} into words, as {either(wrong, 'and')} need"
            yield UnsegmentedTextWarning(fault, advice=Advice("tokenize", (*fitting,)))
        else:  # `tokenize` does not reach the sources of this variant
            fault = f"the variant does not split the {language} of sources into words"
            yield UnsegmentedTextWarning(fault, advice=Advice("variant", ("easse",)))


def _is_unspaced(text: str) -> bool:
    """Return whether most letters of a text are of scripts without spaces between words, and it has hardly any."""
    unspaced = len(_UNSPACED_LETTER.findall(text))
    return unspaced > _MOST_TEXTS * len("".join(words_of(text))) and text.count(" ") < _FEW_SPACES * unspaced


def _line_breaks(look: _Look) -> Iterator[SariWarning]:
    names = [name for name in _COLUMNS if look.variant.splits_on_space and look.text(name).tokenize == "none"]
    glued = [name for name in names if _proportion(look.columns[name], _LINE_BREAK.search) > _HARDLY_ANY]
    if glued:
        fault = f"{either(glued, 'and')} have line breaks, which join words where texts are only split at spaces"
        yield LineBreaksWarning(f"{fault}: replace them by spaces")


def language_warnings(measures: Sequence[str], sources: Sequence[str]) -> Iterator[SariWarning]:
    """Yield a warning if there are measures for English alone, and the texts do not look English.

    >>> [str(one) for one in language_warnings(["FKGL"], ["Вот кошка."] * 10)]
    ['the texts do not look English, and FKGL has a meaning for English alone']
    """
    if measures and len(sources) >= ENOUGH and _proportion(sources, _ENGLISH.search) < _FEW_ENGLISH:
        verb = "has" if len(measures) == 1 else "have"
        fault = f"the texts do not look English, and {either(measures, 'and')} {verb} a meaning for English alone"
        yield EnglishMeasureWarning(fault)


# ---- One column ------------------------------------------------------------------------------------------------------


def _separators(look: _Look) -> Iterator[SariWarning]:
    """Yield a warning if most texts of a column contain tabs or |||, or line breaks, which sources do not contain."""
    has_paragraphs = _proportion(look.columns["sources"], _LINE_BREAK.search) >= _HARDLY_ANY
    for name, separator in (("tabs", "\t"), ("|||", "|||"), ("line breaks", "\n")):
        columns = look.mostly(methodcaller("__contains__", separator))
        if columns and not (separator == "\n" and has_paragraphs):
            yield SeparatorsWarning(f"most {either(columns, 'and')} contain {name}: are they several texts each?")


def _no_words(look: _Look) -> Iterator[SariWarning]:
    texts = {name: "".join(column) for name, column in _all_columns(look).items()}
    if names := [name for name, text in texts.items() if text.strip() and not _LETTER.search(text)]:
        yield NoWordsWarning("a column has no letters: is it text?", either(names, "and"))


def _repeated(look: _Look) -> Iterator[SariWarning]:
    outputs = look.columns["outputs"]
    if (count := sum(repeated_outputs(look.columns["sources"], outputs))) > _HARDLY_ANY * len(outputs):
        fault = "one text is the output of many different sources: is it a refusal, or a part of the prompt?"
        text = shown(max(outputs, key=outputs.count))
        yield RepeatedOutputsWarning(fault, f"{text}; {count} of {len(outputs)} outputs looked at")


def _common_ends(look: _Look) -> Iterator[SariWarning]:
    """Yield a warning if most texts of a column begin or end alike, and hardly any reference does, or the reverse."""
    for where, step in (("begin", 1), ("end", -1)):
        columns = {name: [text.strip().lower()[::step] for text in texts] for name, texts in look.columns.items()}
        for name, other in (("sources", "references"), ("outputs", "references"), ("references", "outputs")):
            common = _common_beginning(columns[name])
            if _ADDITION.search(common) and _share_beginning(columns[other], common) < _HARDLY_ANY:
                fault = f"most {name} {where} with the same characters, and hardly any {other} do"
                yield AddedTextWarning(f"{fault}: do they belong to the texts?", shown(common[::step].strip()))


def _common_beginning(texts: Sequence[str]) -> str:
    """Return the longest text with which most texts begin, without a part of a word; nothing where all are the same.

    >>> _common_beginning(["in short: an", "in short: as", "but"])
    'in short: '
    """
    texts = sorted(texts)
    if texts[0] == texts[-1]:
        return ""
    text = texts[len(texts) // 2][:_LONGEST_COMMON]  # what most texts begin with, the middle one does
    starts = (text[:length] for length in range(1, len(text) + 1))
    common = list(takewhile(lambda start: _share_beginning(texts, start) > _MOST_TEXTS, starts))
    return re.sub(r"\w+$", "", common[-1]) if common else ""


def _share_beginning(texts: Sequence[str], beginning: str) -> float:
    return _proportion(texts, methodcaller("startswith", beginning))


# ---- Several columns -------------------------------------------------------------------------------------------------


class Property(NamedTuple):
    """Something that either all texts of a corpus should have, or none.

    Attributes:
        name: what the texts have.
        without: a function that returns a text without it, and leaves other texts as they are.
        remedy: what to do about texts that differ in it.
        where: a pattern of texts that could have it.
        columns: the columns that should share it.
        option: the option to set, if the variant has it as published.
    """

    name: str
    without: Callable[[str], str]
    remedy: str = "write them alike"
    where: str = ""
    columns: tuple[str, ...] = _COLUMNS
    option: str = ""


def _lowered(text: str) -> str:
    is_turkish = not text.isascii() and _TURKISH.search(text)
    return (text.replace("İ", "i").replace("I", "ı") if is_turkish else text).lower()


def _without_repetitions(text: str) -> str:
    runs = [list(run) for _, run in groupby(map(str.strip, _SENTENCE.findall(text)))]
    return " ".join(run[0] for run in runs) if max(map(len, runs), default=0) > 2 else text


def _replacing(pattern: str, replacement: str | Callable[[re.Match[str]], str] = "") -> Callable[[str], str]:
    return partial(re.compile(pattern, re.MULTILINE).sub, replacement)


def _translating(characters: Mapping[str, str]) -> Callable[[str], str]:
    return _replacing(f"[{''.join(characters)}]", lambda found: characters[found[0]])


_TURKISH = re.compile("[ğışİĞŞ]")
_SENTENCE = re.compile(f"[^{_SENTENCE_MARKS};,\n]+[{_SENTENCE_MARKS};,\n]*")
_FULL_WIDTH = {chr(0xFEE0 + ord(mark)): mark for mark in punctuation}
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}
_VOWEL_MARKS = "\u0640" + "".join(filter(combining, map(chr, [*range(0x591, 0x5C8), *range(0x64B, 0x653), 0x670])))

#: What either all texts of a corpus should have, or none.
PROPERTIES = (
    Property("capitals", _lowered, "restore them, or lowercase all texts", option="lowercase"),
    Property("’ for '", _translating(dict.fromkeys("’‘ʼ", "'")), where="['’‘ʼ]"),
    Property('“ for "', _translating(dict.fromkeys("“”„", '"')), where='["“”„]'),
    Property("letters of several characters", partial(normalize, "NFC"), "normalize all to NFC", "[^\x00-\x7f]"),
    Property("invisible characters", _replacing(f"[{_INVISIBLE}]"), "remove or restore them"),
    Property("full-width marks", _translating(_FULL_WIDTH), where="[!-/:-@！-／：-＠]"),
    Property(
        "vowel marks",
        _replacing(f"[{_VOWEL_MARKS}]"),
        "remove or restore them",
        "[\u05d0-\u05ea\u0620-\u064a]",
    ),
    Property("digits of another script", _replacing("[^\\D0-9]", lambda digit: str(decimal(digit[0]))), where="\\d"),
    Property(
        "-LRB- for (",
        _replacing("-[LRlr][RSrs][Bb]-", lambda bracket: _BRACKETS.get(bracket[0].upper(), "")),
        where="[()\\[\\]]|-[LRlr][RSrs][Bb]-",
    ),
    Property(
        "Markdown", _replacing("\\*\\*|^[\\x23>]+ |^[*+-] |```\\w*"), "remove it", columns=_OUTPUTS_AND_REFERENCES
    ),
    Property(
        "a mark at the end",
        _replacing(f"[{_SENTENCE_MARKS}](?:\\s*[{_CLOSING}])*\\s*\\Z"),
        "are the others cut off?",
        columns=_OUTPUTS_AND_REFERENCES,
    ),
    Property(
        "a sentence three times in a row",
        _without_repetitions,
        "does a model not stop?",
        columns=_OUTPUTS_AND_REFERENCES,
    ),
)


def _mismatches(look: _Look) -> Iterator[SariWarning]:
    for row in PROPERTIES:
        differing = {
            name: list(map(ne, look.columns[name], map(row.without, look.columns[name]))) for name in row.columns
        }
        if not any(map(any, differing.values())):
            continue
        could = re.compile(row.where).search
        shares = {
            name: sum(differing[name]) / number
            for name in row.columns
            if (number := sum(map(bool, map(could, look.columns[name])))) >= _SOME
        }
        having = [name for name, share in shares.items() if share > _MOST_TEXTS]
        lacking = [name for name, share in shares.items() if share < _HARDLY_ANY]
        if any(_matters(row, look, *pair) for pair in product(having, lacking)):
            fault = f"most {either(having, 'and')} have {row.name}, and hardly any {either(lacking, 'and')} do"
            figures = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
            if row.option:
                yield look.advise(TextMismatchWarning, fault, row.option, True, row.remedy, figures)
            else:
                yield TextMismatchWarning(f"{fault}: {row.remedy}", figures)


def _matters(row: Property, look: _Look, having: str, lacking: str) -> bool:
    """Return whether a property changes the tokens of texts, in the column that has it and in the one that lacks it."""
    texts = [text for text in look.columns[having] if row.without(text) != text][:_TRIED]
    others = list(map(row.without, texts))
    ways = {look.text(having), look.text(lacking)}
    return all(split_into_tokens(texts, how) != split_into_tokens(others, how) for how in ways)


def _same_columns(look: _Look) -> Iterator[SariWarning]:
    for (one, texts), (other, others) in combinations(_all_columns(look).items(), 2):
        if (one, other) == ("sources", "outputs"):
            continue  # these are copies, which `check_corpus` counts
        same = sum(map(str.__eq__, texts, others))
        if same > _NEARLY_ALL * len(texts):
            fault = "two columns are nearly always the same: does one stand in the place of the other?"
            yield SameColumnsWarning(fault, f"{one} and {other} in {same} of {len(texts)} segments looked at")
            return


def _all_columns(look: _Look) -> dict[str, Sequence[str]]:
    """Return sources, outputs, and each column of references that all segments have."""
    sources, outputs, rows = look.sample.columns()
    columns = {f"references {number}": texts for number, texts in enumerate(zip(*rows, strict=False), 1)}
    return {"sources": sources, "outputs": outputs, **columns}


def _swapped(look: _Look) -> Iterator[SariWarning]:
    sources, outputs, references = look.columns.values()
    longest = max(_number_of_words(sources), _number_of_words(references))
    if _number_of_words(outputs) <= longest or _word_length(outputs) <= _word_length(sources):
        return  # a good system may be longer and near the references, but not in longer words
    _, _, rows = look.sample.columns()
    gains = [
        np.mean([likeness(output, text) - likeness(source, text) for text in row])
        for source, output, row in zip(sources, outputs, rows, strict=True)
    ]
    if np.mean(gains) > _SWAP_MARGIN and np.mean(list(map(likeness, sources, outputs))) > _ONE_LANGUAGE:
        fault = "outputs are longer than sources, and references are more similar to outputs: are they swapped?"
        yield SwappedColumnsWarning(fault)


def _shifted(look: _Look) -> Iterator[SariWarning]:
    sources = look.columns["sources"]
    if len(sources) < ENOUGH:
        return
    shares = {
        name: sum(_fits_elsewhere(text, place, sources) for place, text in enumerate(texts) if texts.count(text) == 1)
        / len(sources)
        for name, texts in look.columns.items()
        if name != "sources"
    }
    if names := [name for name, share in shares.items() if share > _SHIFT_SHARE]:
        fault = f"{either(names, 'and')} are more like other sources than like their own: are lines shifted?"
        yield ShiftedLinesWarning(fault, f"{max(shares.values()):.0%} of the segments looked at")


def _fits_elsewhere(text: str, place: int, sources: Sequence[str]) -> bool:
    """Return whether a text is more like one of the next sources than like its own."""
    others = [sources[(place + step) % len(sources)] for step in range(1, 1 + _OTHER_SOURCES)]
    return max(likeness(text, other) for other in others) > likeness(text, sources[place]) + _SHIFT_MARGIN


_CHECKS_OF_ANY_NUMBER = (_unsegmented, _line_breaks, _separators)
_CHECKS = (
    *(_no_words, _repeated, _shifted, _swapped, _same_columns, _common_ends, _mismatches),
    *(_tokenized_twice, _untokenized),
)


def _number_of_words(texts: Sequence[str]) -> int:
    return sum(len(words_of(text)) for text in texts)


def _word_length(texts: Sequence[str]) -> float:
    """Return the mean number of characters of the distinct words of each text."""
    words = [word for text in texts for word in set(words_of(text))]
    return sum(map(len, words)) / (len(words) or 1)


def _proportion(texts: Sequence[Any], test: Callable[[Any], object]) -> float:
    return sum(map(bool, map(test, texts))) / (len(texts) or 1)
