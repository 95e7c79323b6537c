"""Checks of texts: each fault causes its warning, and good texts in any language cause none."""

import random
import re
import unicodedata
from dataclasses import replace
from itertools import pairwise

import pytest
from clean_texts import CLEAN, changed, tokenized, warned
from sentences_of_languages import TOKENIZERS, columns_of

from sari import text_checks
from sari.sari_scorer import Scorer
from sari.text_checks import NO_TEXTS, corpus_warnings, take_sample
from sari.variants import VARIANTS

# ---- Good data ------------------------------------------------------------------------------------------------------

#: The variants that were published for tokenized texts.
FOR_TOKENIZED = [name for name, row in VARIANTS.items() if row.source_text.tokenize == "none"]


def written():
    """Return the example corpus three times, with what a quarter of real texts have: brackets, quotes, titles."""
    ends = (", said Dr. Moor.", ' ("The Times", 8:10).', ", for 1,200 U.S. dollars.", *["."] * 9)

    def end(text, place):
        adjective = ("", "new ", "small ")[place // 10]
        return text.replace(" ", f" {adjective}", 1).removesuffix(".") + ends[place % len(ends)]

    return {
        "sources": list(map(end, CLEAN["sources"] * 3, range(30))),
        "predictions": list(map(end, CLEAN["predictions"] * 3, range(30))),
        "references": [[end(text, place) for text in row] for place, row in enumerate(CLEAN["references"] * 3)],
    }


def treebank(text):
    """Tokenize as the Penn Treebank, with its brackets and quotes, and abbreviations in one piece."""
    for mark in ",.:()":
        text = text.replace(mark, f" {mark} ")
    for pieces, whole in (("Dr .", "Dr."), ("U . S .", "U.S."), ("8 : 10", "8:10"), ("1 , 200", "1,200")):
        text = text.replace(pieces, whole)
    text = text.replace("(", "-LRB-").replace(")", "-RRB-").replace('"The', "`` The").replace('Times"', "Times ''")
    return " ".join(text.split())


#: What systems do to the outputs of a good one, from a source and its output.
SYSTEMS = {
    "rewrites": lambda _source, output, _place: output,
    "replaces a word": lambda source, _output, _place: source.replace(" was ", " is ", 1).replace("the ", "a ", 1),
    "shortens": lambda source, _output, _place: " ".join(source.split()[:-4]) + ".",
    "splits": lambda source, _output, _place: source.replace(", ", ". It ", 1),
    "repeats itself": lambda _source, output, _place: output.replace(" the ", " the the "),
    "knows no names": lambda _source, output, _place: re.sub(r"(?<= )[A-Z]\w+", "somebody", output),
    "explains": lambda source, output, place: output if place % 2 else f"{source} This was long ago.",
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_good_data_give_no_warning(variant):
    """Texts like those of ASSET, TurkCorpus, PWKP and WikiSmall, in the form that the variant was published for."""
    scorer, columns = Scorer(variant), written()
    pairs = list(zip(columns["sources"], columns["predictions"], strict=True))
    for system in SYSTEMS.values():
        columns["predictions"] = [system(*pair, place) for place, pair in enumerate(pairs)]
        one_reference = {**columns, "references": [row[:1] for row in columns["references"]]}
        for given in (columns, one_reference):
            tokens = changed(given, treebank)
            lower = {**tokens, "predictions": [text.lower() for text in tokens["predictions"]]}
            for texts in [tokens, *[given] * (variant not in FOR_TOKENIZED), *[lower] * VARIANTS[variant].lowercase]:
                assert warned(scorer, texts) == []


@pytest.mark.parametrize("language", TOKENIZERS)
def test_good_texts_of_any_language_give_no_warning(language):
    """By all variants that treat sources as outputs, with the tokenizers that fit."""
    tokenizers = TOKENIZERS[language]
    sample = take_sample(*columns_of(language).values())
    for variant in VARIANTS.values():
        for tokenizer in tokenizers if not variant.source_tokenize else ():
            found = corpus_warnings(sample, replace(variant, tokenize=tokenizer))
            assert [(str(one), one.detail) for one in found] == []


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (lambda c: {"predictions": [text.lower() for text in c["predictions"]]}, {}),
        (lambda c: {"predictions": [f"{text} {text}" for text in c["predictions"]]}, {}),
        (lambda c: {"predictions": [text.replace(" ", " characteristically ", 1) for text in c["sources"]]}, {}),
        (lambda c: {"predictions": [a for a, _ in c["references"]], "references": [b for _, b in c["references"]]}, {}),
        (lambda c: {"references": [row[: 1 + n % 2] for n, row in enumerate(c["references"])]}, {}),
        (lambda c: {"predictions": [c["predictions"][place] for place in (0, 0, 2, 2, *range(4, 10))]}, {}),
        (lambda c: {name: c[name][:2] for name in c}, {}),
        (lambda c: changed(c, str.lower), {"lowercase": False}),
        (lambda c: changed(c, lambda text: tokenized(text) + " "), {}),
        (lambda c: changed(c, lambda text: " ".join(text)), {"tokenize": str.title}),
        (lambda c: changed(c, lambda text: f"In 1999 {text}"), {}),
        (lambda c: changed(c, lambda text: text.replace(" ", "\n", 3)), {}),
    ],
)
def test_what_is_not_a_fault(change, options):
    assert warned(Scorer("easse", **options), {**CLEAN, **change(CLEAN)}) == []


# ---- Faults ---------------------------------------------------------------------------------------------------------

#: In how many texts of 30 a fault is quiet; the column, a change of a text or row, given its source, too; the variant;
#: and a pattern of the warning of one text more: category, message and detail.
FAULTS_OF_TEXTS = [
    (17, "predictions", lambda _, source: source, "easse", "CopiedOutputs.*18 of 30 outputs"),
    (0, "predictions", lambda *_: " \n", "easse", "EmptyTexts.*some outputs are empty 1 output$"),
    (0, "references", lambda row, _: [*row, ""], "easse", "EmptyTexts.*some references are empty 1 reference$"),
    (3, "predictions", lambda *_: "I cannot help.", "easse", "RepeatedOutputs.*'i cannot help.': 4 of 30 sources"),
    (15, "predictions", lambda text, _: f"Simplified: {text}", "easse", "TextMismatch.*outputs begin.*'simplified'"),
    (
        27,
        "predictions",
        lambda text, _: text.removesuffix("."),
        "easse",
        "TextMismatch.*cut off.*outputs 7%, ref.* 100%",
    ),
    (15, "references", lambda row, _: ["\t".join(row), row[1]], "easse", "TextMismatch.*most ref.* tabs.*ref.* 53%"),
    (
        27,
        "references",
        lambda row, _: [row[0]] * 2,
        "easse",
        "MisplacedTexts.*references 1 and references 2 in 28 of 30",
    ),
    (
        15,
        "predictions",
        lambda text, _: tokenized(text).replace(" ", " @-@ ", 1),
        "easse",
        "Tokenization.*outputs.*again",
    ),
    # Four of the others have "U.S." or "Dr.".
    (11, "predictions", lambda text, _: text.replace(" .", "."), "xu2016", "Tokenization.*outputs are not tokenized"),
    (3, "predictions", lambda text, _: text.replace(" ", "\n", 1), "xu2016", "Tokenization.*outputs have line breaks"),
]


def in_words(warnings):
    return [f"{type(one).__name__}: {one} {one.detail}" for one in warnings]


@pytest.mark.parametrize("row", FAULTS_OF_TEXTS, ids=lambda row: row[-1])
def test_a_fault_of_many_texts_is_a_warning(row):
    most, column, change, variant, pattern = row
    for number in (most, most + 1):
        columns = changed(written(), treebank if variant in FOR_TOKENIZED else str)
        columns[column][:number] = map(change, columns[column][:number], columns["sources"])
        found = in_words(warned(Scorer(variant), columns))
        assert [bool(re.match(pattern, one)) for one in found] == [True] * (number - most)


# As people write it, without spaces.
CHINESE = "这座灯塔建于一八七四年，一直使用到一九六九年。"

#: A change of the corpus, options, and a pattern of the warning.
FAULTS_OF_CORPORA = [
    (
        lambda c: {name: [*c[name], ["", ""] if name == "references" else ""] for name in c},
        *({}, "EmptyTexts.*blank.* 1 source, 1 output, 2 references"),
    ),
    (lambda c: {"sources": [f"simplify: {text}" for text in c["sources"]]}, {}, "TextMismatch.*sources.*'simplify'"),
    (lambda _: {}, {"tokenize": "none"}, "Tokenization.*sources, outputs and references are not tokenized"),
    (
        lambda _: {"sources": [CHINESE], "predictions": [CHINESE[3:]], "references": [CHINESE[7:]]},
        *({}, "Tokenization.*sources, outputs and references are Chinese"),
    ),
    (
        lambda c: {"references": [[row[0], str(number)] for number, row in enumerate(c["references"])]},
        *({}, "MisplacedTexts.*no letters.* references 2"),
    ),
    (
        lambda c: {name: c[name][:2] for name in c} | {"references": list(zip(*c["references"][:2], strict=True))},
        *({}, "MisplacedTexts.*one list per annotator"),
    ),
    (
        lambda c: {
            "sources": [" ".join(text.split()[:9]) + "." for text in c["predictions"]],
            "predictions": c["sources"],
            "references": [[" ".join(text.split()[:-3]) + "."] for text in c["sources"]],
        },
        *({}, "MisplacedTexts.*swapped"),
    ),
    (lambda c: {"predictions": [*c["predictions"][1:], "The end."]}, {}, "MisplacedTexts.*outputs.*shifted.*%"),
]


@pytest.mark.parametrize("row", FAULTS_OF_CORPORA, ids=lambda row: row[-1])
def test_a_fault_of_a_corpus_is_a_warning(row):
    """With a text that has no figures."""
    change, options, pattern = row
    found = warned(Scorer(**options), {**CLEAN, **change(CLEAN)})
    assert [bool(re.match(pattern, one)) for one in in_words(found)] == [True]
    assert not any(figure.isdigit() for figure in found[0].message)


def test_a_line_lost_in_the_middle_of_a_long_file(scorer):
    draw, words = random.Random(1), [f"word{number}" for number in range(2_000)]
    rows = [draw.choices(words, [1 / (1 + place) for place in range(2_000)], k=20) for _ in range(500)]
    sources, predictions, references = ([" ".join([*row[:end], "."]) for row in rows] for end in (20, 15, 14))
    columns = {"sources": sources, "predictions": predictions, "references": references}
    assert warned(scorer, columns) == []
    for lost in (10, 200):
        shifted = predictions[:lost] + predictions[lost + 1 :] + ["The end."]
        (found,) = warned(scorer, {**columns, "predictions": shifted})
        assert str(found).startswith("outputs are more like other sources")
    (found,) = warned(scorer, {**columns, "sources": ["The beginning.", *sources[:-1]]})
    assert str(found).startswith("outputs and references are more like other sources")


def test_transposed_references_are_told_without_predictions():
    shared = {"sources": CLEAN["sources"][:2], "references": list(zip(*CLEAN["references"][:2], strict=True))}
    with Scorer().collect_warnings() as found:
        Scorer().baselines(**shared)
        Scorer().score_candidates(**shared, candidates=[[], []])
    assert [type(one).__name__ for one in found] == ["MisplacedTextsWarning"] * 2


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("change", [str, str.lower, str.upper, tokenized, lambda text: text.replace("'", "’")])
def test_a_copy_is_one_whatever_the_variant(variant, change):
    columns = changed(CLEAN, lambda text: f"It's so: {text}")
    systems = {"copies": list(map(change, columns["sources"])), "good": columns["predictions"]}
    with Scorer.collect_warnings(Scorer()) as found:
        Scorer(variant).compare(**{**columns, "predictions": systems}, confidence=None, method=None)
    messages = [str(one) for one in found if type(one).__name__ == "CopiedOutputsWarning"]
    assert messages == ["copies: most outputs are the same as their sources"]


#: Variants that reward copying, and a part of what is said of them: which steps sources do not take.
REWARD_COPYING = {
    "hf": "that deletes nothing",
    "t2t": "that deletes nothing",
    "easse_multi": "not tokenize or lowercase sources",
    "easse_legacy": "not tokenize sources",
    "star": "not tokenize sources",
}


def rewarded(variant, use):
    """Return the warnings about rewarded copies where a scorer is used."""
    with Scorer.collect_warnings(Scorer()) as found:
        use(Scorer(variant))
    return [one for one in found if type(one).__name__ == "RewardsCopyingWarning"]


@pytest.mark.parametrize("variant", REWARD_COPYING)
def test_rewarded_copies_are_a_warning_where_they_can_mislead(variant):
    """Variants that treat sources otherwise reward no copies of texts that are tokenized and lowercased."""
    columns = changed(CLEAN, tokenized) if variant in ("hf", "t2t") else CLEAN
    texts = columns["predictions"]
    shared = {"sources": columns["sources"], "references": columns["references"]}
    assert rewarded(variant, lambda scorer: scorer.compute(**columns)) == []
    assert rewarded(variant, lambda scorer: scorer.compare(**shared, predictions={"a": texts})) == []
    for use in (
        lambda scorer: scorer.compute(**columns, baselines=True),
        lambda scorer: scorer.compute(**{**columns, "predictions": columns["sources"]}, baselines=True),
        lambda scorer: scorer.compare(**shared, predictions={"a": texts, "b": texts}, confidence=None),
        lambda scorer: scorer.baselines(**shared),
        lambda scorer: scorer.score_candidates(**shared, candidates=[[text] for text in texts]),
        lambda scorer: scorer.reward(),
    ):
        (found,) = rewarded(variant, use)
        assert REWARD_COPYING[variant] in found.message
        assert found.advice == ("variant", ("easse", "xu2016"))
        assert rewarded("easse", use) == []
    if variant not in ("hf", "t2t"):
        lower = changed(columns, lambda text: tokenized(text).lower())
        shared = {"sources": lower["sources"], "references": lower["references"]}
        systems = dict.fromkeys("ab", lower["predictions"])
        assert rewarded(variant, lambda scorer: scorer.baselines(**shared)) == []
        assert rewarded(variant, lambda scorer: scorer.compare(**shared, predictions=systems, confidence=None)) == []


def test_no_other_variant_is_advised_where_options_reward_copies():
    scorer = Scorer("easse", level="sentence", deletion="precision", zero_division=1)
    (found,) = text_checks.variant_warnings(scorer.variant)
    assert (type(found).__name__, found.advice) == ("RewardsCopyingWarning", None)


# ---- What columns should share --------------------------------------------------------------------------------------

#: For each property words that all texts have, and a change of the outputs that takes it from them or gives it to them.
PROPERTIES = {
    "letters of both cases": ("Page", str.upper),
    "Turkish capitals": ("Iğaz", lambda text: text.replace("I", "ı")),
    "accents": ("Zoë", lambda text: text.replace("ë", "e")),
    "letters of several characters": ("Zoë", lambda text: unicodedata.normalize("NFD", text)),
    "’ for '": ("isn't", lambda text: text.replace("'", "’")),
    '“ for "': ('"page"', lambda text: text.replace('"', "“")),
    "-LRB- for (": ("(it seems)", lambda text: text.replace("(", "-LRB-").replace(")", "-RRB-")),
    "full-width marks": ("", lambda text: text.replace(",", "，").replace("!", "！")),
    "digits of another script": ("1", lambda text: text.replace("1", "١")),
    "vowel marks": ("كم", lambda text: text.replace("م", "م\u064f")),
    "invisible characters": ("none", lambda text: text.replace("none", "n\u200bone")),
    "tabs or |": ("", lambda text: f"{text}\t{text}"),
    "line breaks": ("", lambda text: f"{text}\n{text}"),
    "marks of Markdown": ("page", lambda text: text.replace("page", "**page**")),
    "a mark at the end": ("", lambda text: text.removesuffix("!")),
    "an end that repeats itself": ("", lambda text: f"{text} {' Yes it is the end of it.' * 3}"),
}


@pytest.mark.parametrize("row", text_checks.PROPERTIES, ids=lambda row: row.name)
def test_outputs_that_differ_in_a_property_of_the_references(row):
    words, change = PROPERTIES[row.name]
    sources = [f"{number} says: {words} so it was there, but less so in part {number}!" for number in range(12)]
    references = [text.replace(", but", ", yet") for text in sources]
    outputs = [text.replace(", but", ", though") for text in sources]
    columns, scorer = {"sources": sources, "references": references}, Scorer("easse", lowercase=row.lowercase)
    assert warned(scorer, {**columns, "predictions": outputs}) == []
    found = warned(scorer, {**columns, "predictions": list(map(change, outputs))})
    assert [one.message for one in found if f"have {row.name}, and hardly any" in str(one) and row.remedy in str(one)]


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (lambda text: f"Simplified: {text}", "simplified"),
        (lambda text: f"<pad> {text}</s>", "<"),
        (lambda text: f"<think> It is long. </think>\n{text}", "<"),
        (lambda text: f'"{text}"', '"'),
        (lambda text: f'{{"simplification": "{text}"}}', '{"'),
        (lambda text: f"{text} Let me know if I can help!", "help"),
    ],
)
def test_what_models_add(scorer, change, shown):
    """A common beginning, or else a common end, is quoted, and outputs are not taken for cut ones."""
    found = warned(scorer, {**CLEAN, "predictions": list(map(change, CLEAN["predictions"]))})
    assert found[0].detail == repr(shown)
    assert not [one for one in found if "cut off" in str(one)]


# ---- Tokenizers and scripts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "tokenizer", "advice"),
    [
        ("Japanese", "zh", ("ja-mecab", "char")),
        ("Japanese", "13a", ("ja-mecab", "char")),
        ("Chinese", "ja-mecab", ("zh", "char")),
        ("Chinese", "none", ("zh", "char")),
        ("Thai", "intl", ("char",)),
        ("Thai", "zh", ("char",)),
        ("Thai", "moses", ("char",)),
        ("Thai", "spm", ()),
        ("Chinese", "moses", ()),
    ],
)
def test_scripts_without_spaces_need_a_tokenizer_that_splits_them(language, tokenizer, advice):
    columns = [column[:1] for column in columns_of(language).values()]
    found = corpus_warnings(take_sample(*columns), replace(VARIANTS["easse"], tokenize=tokenizer))
    expected = [("TokenizationWarning", ("tokenize", advice))] if advice else []
    assert [(type(one).__name__, one.advice) for one in found] == expected


def test_words_that_are_set_apart_need_no_tokenizer():
    for texts in (("这座 桥 建于 很 久 以前 。", "桥 很 旧 。"), ("橋 を 作り ま し た 。", "橋 が あり ま す 。")):
        sample = take_sample(texts[:1], texts[1:], [texts[1:]])
        assert list(corpus_warnings(sample, VARIANTS["xu2016"])) == []


@pytest.mark.parametrize("language", ["Hindi", "Bengali", "Urdu"])
def test_marks_of_other_scripts_that_stay_at_words(language):
    sample = take_sample(*columns_of(language).values())
    for variant, advice in (("easse", ("tokenize", ("intl",))), ("xu2016", None)):
        (found,) = corpus_warnings(sample, VARIANTS[variant])
        assert (type(found).__name__, found.advice) == ("TokenizationWarning", advice)


@pytest.mark.parametrize("variant", ["easse_legacy", "easse_multi", "star"])
def test_no_tokenizer_is_advised_that_does_not_reach_the_sources(variant):
    chinese = [f"他来了，走了，又回来第{number}次。" for number in "一二三四五六七八九十"]
    english = [f"He came, left, and came back {number} times." for number in range(10)]
    for texts, tokenize in ((chinese, "zh"), (english, "intl")):
        columns = {"sources": texts, "predictions": texts, "references": texts}
        found = warned(Scorer(variant, tokenize=tokenize), columns)
        advice = [one.advice for one in found if type(one).__name__ == "TokenizationWarning"]
        assert advice
        assert not [row for row in advice if row is not None and row.option == "tokenize"]


# ---- Samples of texts -----------------------------------------------------------------------------------------------


def test_the_middle_of_long_texts_is_left_out():
    source, output = "a" * 200 + "b" * 200, "c" * 200 + "!" + "d" * 200
    ((_, *texts),) = take_sample([source], [output], [["r"]]).texts
    assert texts == [source, "c" * 200 + " " + "d" * 200, ("r",)]


def test_samples_merge_in_any_order():
    """Samples of parts, whatever their sizes and order, merge to that of the whole, without what is repeated."""
    sources = ["", "", *(str(n // 2) for n in range(2, 200))]
    whole = (sources, ["", " \t"] * 100, [["r"] * (1 + n % 3) if n % 5 else [" "] for n in range(200)])
    order = random.Random(1).sample(range(200), 200)
    columns = [[column[place] for place in order] for column in whole]
    sample = NO_TEXTS
    for begin, end in pairwise([0, 1, 3, 50, 51, 170, 200]):
        sample = take_sample(*(column[begin:end] for column in columns)).merge(sample)
    assert sample == take_sample(*whole)
    assert (len(sample.texts), sample.empty, sample.nrefs) == (32, (2, 200, 40), frozenset({1, 2, 3}))
    assert take_sample(*(column * 2 for column in whole)).texts == sample.texts
