"""Checks of texts: each fault causes its warning, and good texts in any language cause none."""

import csv
import random
import re
import unicodedata
from dataclasses import replace
from itertools import pairwise

import pytest
from conftest import ROOT
from programs import example_corpus, with_system

from sari import text_checks
from sari.sari_scorer import Scorer
from sari.text_checks import NO_TEXTS, corpus_warnings, take_sample
from sari.variants import VARIANTS

#: The example corpus with the output of its better system.
CLEAN = with_system(example_corpus(), "rewriting")
EASSE = Scorer("easse")


def changed(columns, change):
    """Apply a function to every text."""
    return {
        "sources": list(map(change, columns["sources"])),
        "predictions": list(map(change, columns["predictions"])),
        "references": [list(map(change, row)) for row in columns["references"]],
    }


def tokenized(text):
    return text.replace(",", " ,").replace(".", " .")


def warnings_of(call, *arguments, **columns):
    """Return the warnings that a call causes."""
    with EASSE.collect_warnings() as found:
        call(*arguments, **columns)
    return found


def warned(scorer, columns):
    return warnings_of(scorer.compute, **columns)


def in_words(warnings):
    return [f"{type(one).__name__}: {one} {one.detail}" for one in warnings]


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
    "repeats itself": lambda _source, output, _place: f"{output} {output}",
    "knows no names": lambda _source, output, _place: re.sub(r"(?<= )[A-Z]\w+", "somebody", output),
    "explains": lambda source, output, place: output if place % 2 else f"{source} This was long ago.",
    "uses long words": lambda source, _output, _place: source.replace(" ", " characteristically ", 1),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_good_data_give_no_warning(variant):
    """Texts like those of ASSET, TurkCorpus, PWKP and WikiSmall, in the form that the variant was published for."""
    scorer, columns = Scorer(variant), written()
    pairs = list(zip(columns["sources"], columns["predictions"], strict=True))
    for system in SYSTEMS.values():
        columns["predictions"] = [system(*pair, place) for place, pair in enumerate(pairs)]
        ragged = {**columns, "references": [row[: 1 + n % 2] for n, row in enumerate(columns["references"])]}
        for given in (columns, ragged):
            tokens = changed(given, treebank)
            lower = {**tokens, "predictions": [text.lower() for text in tokens["predictions"]]}
            fitting = [(tokens, True), (given, variant not in FOR_TOKENIZED), (lower, VARIANTS[variant].lowercase)]
            for texts in [texts for texts, fits in fitting if fits]:
                assert warned(scorer, texts) == []


with (ROOT / "tests" / "data" / "languages.csv").open(encoding="utf-8", newline="") as file:
    #: Two sentences in each of many languages, as people write them, with an output and a reference.
    SENTENCES = list(csv.DictReader(file))

#: The tokenizers that fit each language, the best first.
TOKENIZERS = {row["language"]: row["tokenizers"].split() for row in SENTENCES}


def columns_of(language):
    """Return eighteen segments: the sentences of a language, alone and together, with numbers before them."""
    one, other = ((row["source"], row["output"], row["reference"]) for row in SENTENCES if row["language"] == language)
    pairs = [tuple(map(" ".join, zip(*pair, strict=True))) for pair in ((one, other), (other, one))]
    numbered = [tuple(f"{number} {text}" for text in row) for number in range(2, 6) for row in (one, other, *pairs)]
    sources, outputs, references = zip(*[one, other, *numbered], strict=True)
    return list(sources), list(outputs), [[text] for text in references]


def test_languages_of_the_page_have_sentences():
    page = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8").partition("## By language")[2]
    named = re.findall(r"^\| ([A-Z][\w, ]+) \| (?!a function)", page, re.MULTILINE)
    assert set(", ".join(named).split(", ")) == TOKENIZERS.keys() - {"English", "Thai"}


@pytest.mark.parametrize("language", TOKENIZERS)
def test_good_texts_of_any_language_give_no_warning(language):
    """By all variants that treat sources as outputs, with the tokenizers that fit."""
    sample = take_sample(*columns_of(language))
    for variant in [variant for variant in VARIANTS.values() if not variant.source_tokenize]:
        for tokenizer in TOKENIZERS[language]:
            assert in_words(corpus_warnings(sample, replace(variant, tokenize=tokenizer))) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda c: {"predictions": [a for a, _ in c["references"]], "references": [b for _, b in c["references"]]},
        lambda c: {"predictions": [c["predictions"][place] for place in (0, 0, 2, 2, *range(4, 10))]},
        lambda c: {name: c[name][:2] for name in c},
        lambda c: changed(c, lambda text: f"In 1999 {text}"),
        lambda c: changed(c, lambda text: f"{tokenized(text)} "),
        lambda c: changed(c, lambda text: text.replace(" ", "\n", 3)),
        # Texts that differ after a long common beginning.
        lambda c: changed(c, lambda text: f"{'It was discovered there. ' * 4}{text}"),
    ],
)
def test_what_is_not_a_fault(change):
    assert warned(EASSE, {**CLEAN, **change(CLEAN)}) == []


# ---- Faults ---------------------------------------------------------------------------------------------------------

#: In how many texts of 30 a fault is quiet; the column, a change of a text or row, given its source, too; the variant;
#: and a pattern of the warning of one text more: category, message and detail.
FAULTS_OF_TEXTS = [
    (17, "predictions", lambda _, source: source, "easse", "CopiedOutputs.*same as their sources, .* outputs 60%"),
    (0, "predictions", lambda *_: " \n", "easse", "EmptyTexts.*some outputs are empty 1 output$"),
    (0, "references", lambda row, _: [*row, ""], "easse", "EmptyTexts.*some references are empty 1 reference$"),
    (
        0,
        "references",
        lambda row, _: [*row, " NaN"],
        "easse",
        r"EmptyTexts.*references are markers.*1 reference \['nan",
    ),
    (0, "predictions", lambda *_: "[NO OUTPUT]", "easse", "EmptyTexts.*outputs are markers"),
    (2, "predictions", lambda *_: "I cannot help.", "easse", "RepeatedOutputs.*outputs.*'i cannot help.': 3 of 30 so"),
    (
        2,
        "references",
        lambda row, _: ["See below.", row[0]],
        "easse",
        "RepeatedOutputs.*references.*'see below.': 3 of",
    ),
    (3, "references", lambda row, source: [source] * len(row), "easse", "LowCeiling.*same as their sources.* 13%"),
    (15, "predictions", lambda text, _: f"Simplified: {text}", "easse", "TextMismatch.*at the beginning.*'simplified'"),
    (27, "predictions", lambda text, _: text.removesuffix("."), "easse", "TextMismatch.*cut off.*7%, references 100%"),
    (15, "references", lambda row, _: ["\t".join(row), row[1]], "easse", "TextMismatch.*most references.* tabs.* 53%"),
    (27, "references", lambda row, _: [row[0]] * 2, "easse", "MisplacedTexts.*references 1 and references 2 93%"),
    (13, "predictions", lambda text, _: tokenized(text).replace(" ", " @-@ ", 1), "easse", "Tokenization.* again"),
    (13, "predictions", lambda text, _: re.sub(" ([,.])", r"\1", text), "xu2016", "Tokenization.*are not tokenized"),
    (6, "predictions", lambda text, _: text.replace(" ", "\u00a0", 1), "xu2016", "Tokenization.*outputs have white sp"),
    (6, "predictions", lambda text, _: text.replace(" ", "\t", 1), "lens", "Tokenization.*outputs have white space"),
    (6, "predictions", lambda text, _: text + "\n", "xu2016", "Tokenization.*outputs have white space"),
]


@pytest.mark.parametrize("row", FAULTS_OF_TEXTS, ids=lambda row: row[-1])
def test_a_fault_of_many_texts_is_a_warning(row):
    most, column, change, variant, pattern = row
    for number in (most, most + 1):
        columns = changed(written(), treebank if variant in FOR_TOKENIZED else str)
        columns[column][:number] = map(change, columns[column][:number], columns["sources"])
        found = in_words(warned(Scorer(variant), columns))
        assert [bool(re.match(pattern, one)) for one in found] == [True] * (number - most)


INSTRUCTIONS = ("Rewrite this", "Simplify", "Make it easy")


def in_another_language(text):
    """Return a text with other words, the long ones with accents."""
    return re.sub(r"\w+", lambda word: word[0][::-1] + ("é" if len(word[0]) > 6 else "e"), text)


#: A change of the corpus, and a pattern of the warning.
FAULTS_OF_CORPORA = [
    (lambda c: changed(c, lambda _: ""), "EmptyTexts.*blank.* 10 sources, 10 outputs, 20 references"),
    (lambda c: {"sources": [f"simplify: {text}" for text in c["sources"]]}, "TextMismatch.*sources.*'simplify'"),
    (lambda c: {"references": [f"{row[0]} The end." for row in c["references"]]}, "TextMismatch.* at the end.*'end'"),
    (
        lambda c: {"sources": [f"{INSTRUCTIONS[n % 3]}: {text}" for n, text in enumerate(c["sources"])]},
        "TextMismatch.*most sources have one of a few beginnings up to a colon.*'make it easy'",
    ),
    (lambda c: {"sources": list(map(in_another_language, c["sources"]))}, "MisplacedTexts.*: sources share hardly a"),
    (lambda c: {"predictions": list(map(in_another_language, c["sources"]))}, "MisplacedTexts.*: outputs share hardly"),
    (
        lambda c: {"references": [list(map(in_another_language, row)) for row in c["references"]]},
        "MisplacedTexts.*: references share hardly a word",
    ),
    (
        lambda c: changed(c, lambda text: " ".join(text.split()[:2]) + text[-9:-4].replace(" ", "")),
        "LowCeiling.*fewer tokens than the longest n-gram.*references 100%",
    ),
    (lambda c: {"references": [[row[0], "5"] for row in c["references"]]}, "MisplacedTexts.*no letters.* references 2"),
    (
        lambda c: {name: c[name][:2] for name in c} | {"references": list(zip(*c["references"][:2], strict=True))},
        "MisplacedTexts.*one list per annotator",
    ),
    (
        lambda c: {
            "sources": [" ".join(text.split()[:9]) + "." for text in c["predictions"]],
            "predictions": c["sources"],
            "references": [[" ".join(text.split()[:-3]) + "."] for text in c["sources"]],
        },
        "MisplacedTexts.*swapped",
    ),
    (
        lambda c: {"predictions": [c["predictions"][place] for place in (0, 1, 2, 3, 4, 7, 8, 9, 5, 6)]},
        "MisplacedTexts.*: outputs are more like other sources.* 50%",
    ),
    (lambda c: {"sources": ["The beginning.", *c["sources"][:-1]]}, "MisplacedTexts.* outputs and references are more"),
]


@pytest.mark.parametrize("row", FAULTS_OF_CORPORA, ids=lambda row: row[-1])
def test_a_fault_of_a_corpus_is_a_warning(row):
    """With a text that has no figures."""
    change, pattern = row
    found = warned(EASSE, {**CLEAN, **change(CLEAN)})
    assert [bool(re.match(pattern, one)) for one in in_words(found)] == [True]
    assert not any(figure.isdigit() for figure in found[0].message)


def test_marks_that_models_add_are_quoted():
    """And are not taken for the end of a text that is cut off."""
    outputs = [f'{{"simplification": "{text}"}}</s>' for text in CLEAN["predictions"]]
    found = warned(EASSE, {**CLEAN, "predictions": outputs})
    assert [one.detail for one in found if "most outputs" in str(one)] == [
        "'{\"', outputs 100%, references 0%",
        "'>', outputs 100%, references 0%",
    ]
    assert not [one for one in found if "cut off" in str(one)]


def test_transposed_references_are_told_without_predictions_and_in_states():
    shared = {"sources": CLEAN["sources"][:2], "references": list(zip(*CLEAN["references"][:2], strict=True))}
    found = [warnings_of(EASSE.baselines, **shared), warnings_of(EASSE.score_candidates, **shared, candidates=[[], []])]
    columns = {**shared, "predictions": CLEAN["predictions"][:2]}
    found += [warnings_of(EASSE.state().update, **columns), warnings_of(EASSE.state().score_batch, batch=columns)]
    assert [[type(one).__name__ for one in some] for some in found] == [["MisplacedTextsWarning"]] * 4


def test_a_copy_is_right_where_a_reference_is():
    """Perfect outputs of texts that mostly need no edit are no copies, and those that edit nothing are."""
    columns = written()
    columns["references"][10:] = [[source, source] for source in columns["sources"][10:]]
    right = columns["predictions"][:10] + columns["sources"][10:]
    cases = ((right, ["LowCeilingWarning"]), (columns["sources"], ["CopiedOutputsWarning", "LowCeilingWarning"]))
    for outputs, categories in cases:
        found = warned(EASSE, {**columns, "predictions": outputs})
        assert [type(one).__name__ for one in found] == categories


def test_remedies_for_texts_of_one_language_are_not_given_for_several():
    """English sources, and outputs and references with accents that the outputs lack."""
    foreign = changed(CLEAN, in_another_language)
    outputs = [text.replace("é", "e") for text in foreign["predictions"]]
    columns = {**foreign, "predictions": outputs}
    assert [one.message for one in warned(EASSE, columns) if "accents" in one.message]
    (found,) = warned(EASSE, {**columns, "sources": CLEAN["sources"]})
    assert "hardly a word" in found.message


def test_shares_of_tokens_do_not_grow_with_texts():
    """Tokenized documents, in each of which tokenization changes a token, are as good as their sentences."""
    sentences, places = changed(written(), treebank), range(12)
    columns = {
        name: [" ".join(sentences[name][place:] + sentences[name][:place]) for place in places]
        for name in ("sources", "predictions")
    }
    people = [row[0] for row in sentences["references"]]
    columns["references"] = [[" ".join(people[place:] + people[:place])] for place in places]
    for variant in ("easse", "xu2016"):
        assert warned(Scorer(variant), columns) == []


# ---- Variants that reward copying -----------------------------------------------------------------------------------


def uses_that_compare(columns):
    """Return the uses of a scorer that compare the texts of a system."""
    texts, shared = columns["predictions"], {name: columns[name] for name in ("sources", "references")}
    return [
        lambda scorer: scorer.compute(**columns, baselines=True),
        lambda scorer: scorer.compare(**shared, predictions={"a": texts, "b": texts}, confidence=None, method=None),
        lambda scorer: scorer.baselines(**shared),
        lambda scorer: scorer.score_candidates(**shared, candidates=[[text] for text in texts]),
    ]


def rewarded(use, variant, **columns):
    """Return what is said of rewarded copies, with the advice."""
    found = warnings_of(use, Scorer(variant), **columns)
    return [(one.message, one.advice) for one in found if type(one).__name__ == "RewardsCopyingWarning"]


@pytest.mark.parametrize(("variant", "names"), [("hf", "Delete"), ("easse_multi", "Delete and Add")])
def test_rewarded_copies_are_a_warning_where_they_can_mislead(variant, names):
    """Variants that treat sources otherwise reward no copies of texts that are tokenized and lowercased."""
    message = f"the variant gives copies of the sources a high {names}, so that copies can rank first"
    told = [(message, ("variant", ("easse", "xu2016")))]
    for use in [*uses_that_compare(CLEAN), Scorer.reward]:
        assert (rewarded(use, variant), rewarded(use, "easse")) == (told, [])
    for use in uses_that_compare(changed(CLEAN, lambda text: tokenized(text).lower())):
        assert rewarded(use, variant) == (told if variant == "hf" else [])
    assert rewarded(Scorer.compute, variant, **CLEAN) == []
    assert rewarded(Scorer.compute, variant, **{**CLEAN, "predictions": CLEAN["sources"]}) == told
    assert rewarded(Scorer.compare, variant, **{**CLEAN, "predictions": {"a": CLEAN["predictions"]}}) == []


@pytest.mark.parametrize(
    ("options", "figures"),
    [
        ({"variant": "hf"}, "Delete 100.00, Add 0.00"),
        ({"variant": "hf", "level": "corpus"}, "Delete 100.00, Add 0.00"),
        ({"variant": "hf", "zero_division": 0.5}, "Delete 50.00, Add 0.00"),
        ({"variant": "hf", "zero_division": 0.25}, None),
        ({"variant": "set", "zero_division": 1}, r"Delete \d+\.\d\d, Add 100.00"),
        ({"variant": "lasertagger"}, None),
        ({"variant": "easse_legacy", "tokenize": "none"}, None),
    ],
)
def test_what_a_copy_has_is_computed(options, figures):
    """At every level, and for Delete and Add: they are those of the baseline."""
    scorer = Scorer(**options)
    found = warnings_of(scorer.baselines, sources=CLEAN["sources"], references=CLEAN["references"])
    assert [bool(re.fullmatch(f"a copy has {figures}", one.detail)) for one in found] == [True] * bool(figures)
    copy = scorer.sentence_score(CLEAN["sources"][0], CLEAN["sources"][0], CLEAN["references"][0])
    scores = text_checks.copy_scores(scorer.variant, CLEAN["sources"][:1], CLEAN["references"][:1])
    assert scores == pytest.approx({"Delete": copy["delete"], "Add": copy["add"]})


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
    "tabs": ("", lambda text: f"{text}\t{text}"),
    "|": ("", lambda text: f"{text} ||| {text}"),
    "line breaks": ("", lambda text: f"{text}\n{text}"),
    "marks of Markdown": ("page", lambda text: text.replace("page", "**page**")),
    "a mark at the end": ("", lambda text: text.removesuffix("!")),
    "an end that repeats itself": ("", lambda text: f"{text} {' Yes it is the end of it.' * 3}"),
}


@pytest.mark.parametrize("row", text_checks.PROPERTIES, ids=lambda row: row.name)
def test_outputs_that_differ_in_a_property_of_the_references(row):
    assert row.name in PROPERTIES
    words, change = PROPERTIES[row.name]
    sources = [f"{number} says: {words} so it was there, but less so in part {number}!" for number in range(12)]
    references = [text.replace(", but", ", yet") for text in sources]
    outputs = [text.replace(", but", ", though") for text in sources]
    columns, scorer = {"sources": sources, "references": references}, Scorer("easse", lowercase=row.lowercase)
    assert warned(scorer, {**columns, "predictions": outputs}) == []
    found = warned(scorer, {**columns, "predictions": list(map(change, outputs))})
    assert [one.message for one in found if f"have {row.name}, and hardly any" in str(one) and row.remedy in str(one)]


# ---- Tokenizers and scripts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "tokenizer", "advice"),
    [
        ("Japanese", "zh", ("ja-mecab", "char")),
        ("Chinese", "none", ("zh", "char")),
        ("Chinese", "moses", ()),
        ("Chinese", "jieba:lcut", ()),
        ("Thai", "moses", ("char",)),
        ("Thai", "spm", ()),
    ],
)
def test_scripts_without_spaces_need_a_tokenizer_that_splits_them(language, tokenizer, advice):
    sample = take_sample(*(column[:1] for column in columns_of(language)))
    found = corpus_warnings(sample, replace(VARIANTS["easse"], tokenize=tokenizer))
    message = f"sources, outputs and references are {language}, which the tokenizer does not split into words"
    expected = [(message, ("tokenize", advice))] if advice else []
    assert [(one.message, one.advice) for one in found] == expected


def test_words_that_are_set_apart_need_no_tokenizer():
    for texts in (("这座 桥 建于 很 久 以前 。", "桥 很 旧 。"), ("橋 を 作り ま し た 。", "橋 が あり ま す 。")):
        sample = take_sample(texts[:1], texts[1:], [texts[1:]])
        assert list(corpus_warnings(sample, VARIANTS["xu2016"])) == []


@pytest.mark.parametrize("language", ["Hindi", "Urdu"])
def test_marks_of_other_scripts_that_stay_at_words(language):
    sample = take_sample(*columns_of(language))
    for variant, advice in (("easse", ("tokenize", ("intl",))), ("xu2016", None)):
        (found,) = corpus_warnings(sample, VARIANTS[variant])
        assert (type(found).__name__, found.advice) == ("TokenizationWarning", advice)


def test_no_tokenizer_is_advised_that_does_not_reach_the_sources():
    chinese = [f"他来了，走了，又回来第{number}次。" for number in "一二三四五六七八九十"]
    english = [f"He came, left, and came back {number} times." for number in range(10)]
    for texts, tokenize, advice in ((chinese, "zh", ("variant", ("easse",))), (english, "intl", None)):
        sample = take_sample(texts, texts, [[text] for text in texts])
        found = corpus_warnings(sample, replace(VARIANTS["easse_legacy"], tokenize=tokenize))
        assert [one.advice for one in found if type(one).__name__ == "TokenizationWarning"] == [advice]


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
    missing = (("outputs", "", 200), ("references", "", 40), ("sources", "", 2))
    assert (len(sample.texts), sample.missing, sample.nrefs) == (32, missing, frozenset({1, 2, 3}))
    assert take_sample(*(column * 2 for column in whole)).texts == sample.texts
    assert list(corpus_warnings(NO_TEXTS, VARIANTS["easse"])) == []
