"""The doors of `Scorer`, without `evaluate` and as methods of the metric: options, details, batches and tokens."""

import json

import datasets
import numpy as np
import oracle
import pyarrow as pa
import pytest
from four_segments import NAMES, SCORES, TEXTS, load, own_tokenizer, rows
from refusals import BAD_OPTIONS, refuses

from sari.scoring import Scorer
from sari.variants import VARIANTS

# ---- Scores ---------------------------------------------------------------------------------------------------------


def test_variants_say_what_they_are(scorer):
    assert list(scorer.variants) == list(VARIANTS) == list(oracle.VARIANTS)
    assert all("\n" not in line and len(line) > 20 for line in scorer.variants.values())
    assert len(set(scorer.variants.values())) == len(scorer.variants)


@pytest.mark.parametrize("variant", oracle.VARIANTS)
def test_scores(scorer, variant):
    scores = scorer.compute(**TEXTS, variant=variant)
    assert list(scores) == list(NAMES)
    assert set(map(type, scores.values())) == {float}
    assert scores == pytest.approx(oracle.score(**TEXTS, variant=variant))


def test_the_default_is_hugging_faces(scorer):
    # What its documentation says of an example whose n-grams repeat as these do, to the digits that it gives.
    scores = scorer.compute(
        sources=["Nearly 40 bridges were still standing ."],
        predictions=["Nearly 40 we later ran off ."],
        references=[
            [
                "Nearly 40 bridges were still counted .",
                "Nearly 40 bridges were later standing .",
                "40 bridges were later standing .",
            ]
        ],
    )
    assert scores["sari"] == pytest.approx(26.953601953601954, abs=1e-9)
    assert scorer.compute(**TEXTS) == scorer.compute(**TEXTS, variant="hf")


def test_arguments_have_names(scorer):
    with pytest.raises(TypeError):
        scorer.compute(TEXTS["sources"], TEXTS["predictions"], TEXTS["references"])
    with pytest.raises(TypeError):
        scorer.state("easse")


# ---- Options --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "value", "kind", "wanted"), BAD_OPTIONS)
def test_bad_options(scorer, name, value, kind, wanted):
    message = f"{name}: got {value!r}, {wanted}"
    with refuses(kind, message):
        scorer.compute(**TEXTS, **{name: value})
    with refuses(kind, message):
        scorer.state(**{name: value})
    with refuses(kind, message):
        scorer.score_batch(TEXTS, **{name: value})
    if name != "threads":
        with refuses(kind, message):
            scorer.signature(**{name: value})
    with refuses(kind, message):
        scorer.tokens(**TEXTS, **{name: value})


@pytest.mark.parametrize("value", [1, None, "yes"])
def test_bad_flags(scorer, value):
    for flag in ("details", "baselines"):
        with refuses(TypeError, f"{flag}: got {value!r}, wanted True or False"):
            scorer.compute(**TEXTS, **{flag: value})
    for flag in ("sentences", "resampling"):
        with refuses(TypeError, f"{flag}: got {value!r}, wanted True or False"):
            scorer.state(**{flag: value})


DOORS = {
    "compute": lambda scorer, **options: scorer.compute(**TEXTS, **options),
    "state": lambda scorer, **options: scorer.state(**options),
    "signature": lambda scorer, **options: scorer.signature(**options),
    "score_batch": lambda scorer, **options: scorer.score_batch(TEXTS, **options),
    "tokens": lambda scorer, **options: scorer.tokens(**TEXTS, **options),
}


@pytest.mark.parametrize(
    ("door", "name"),
    [
        *((door, name) for door in DOORS for name in ("lower_case", "source")),
        *(("compute", "sentences"), ("signature", "details"), ("state", "details")),
        *(("score_batch", "details"), ("score_batch", "sentences")),
    ],
)
def test_unknown_options(scorer, door, name):
    """The name that came and those that are valid, and nothing of how the metric is built inside."""
    with pytest.raises(TypeError) as error:
        DOORS[door](scorer, **{name: True})
    message = str(error.value)
    assert "\n" not in message
    assert name in message
    assert "customized" not in message
    assert "evaluate_modules" not in message
    assert all(option in message for option in ("variant", "max_order"))


def test_misspelt_columns(scorer):
    with pytest.raises(TypeError) as error:
        scorer.compute(source=TEXTS["sources"], predictions=TEXTS["predictions"], references=TEXTS["references"])
    assert "source" in str(error.value)
    assert "customized" not in str(error.value)


def test_options_left_at_none_are_the_variants_own(scorer):
    nothing = dict.fromkeys(("level", "deletion", "zero_division", "tokenize", "lowercase", "threads"))
    for variant in VARIANTS:
        assert scorer.compute(**TEXTS, variant=variant, **nothing) == scorer.compute(**TEXTS, variant=variant)


@pytest.mark.parametrize(
    "options",
    [
        {"level": "corpus"},
        {"deletion": "f1"},
        {"zero_division": 0},
        {"tokenize": "none"},
        {"tokenize": "char"},
        {"lowercase": False},
        {"max_order": 2},
    ],
    ids=str,
)
def test_options_are_heard(scorer, options):
    scores = scorer.compute(**TEXTS, **options)
    assert scores == pytest.approx(oracle.score(**TEXTS, **options))
    assert scores != pytest.approx(SCORES)


def test_numbers_of_numpy_are_numbers(scorer):
    assert scorer.compute(**TEXTS, zero_division=np.float64(0.5)) == scorer.compute(**TEXTS, zero_division=0.5)
    assert scorer.compute(**TEXTS, max_order=np.int64(2)) == scorer.compute(**TEXTS, max_order=2)
    assert scorer.compute(**TEXTS, threads=np.int64(2)) == scorer.compute(**TEXTS)
    assert scorer.compute(**TEXTS, zero_division=np.float32(0.5)) == scorer.compute(**TEXTS, zero_division=0.5)


# ---- Details --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_order", [1, 4])
@pytest.mark.parametrize("variant", oracle.VARIANTS)
def test_details(scorer, variant, max_order):
    options = {"variant": variant, "max_order": max_order}
    result = scorer.compute(**TEXTS, **options, details=True)
    assert list(result) == [*NAMES, "signature", "orders", "sentences"]
    assert {name: result[name] for name in NAMES} == scorer.compute(**TEXTS, **options)
    assert result["signature"] == scorer.signature(nrefs=2, **options)

    assert [row["order"] for row in result["orders"]] == list(range(1, max_order + 1))
    for row, expected in zip(result["orders"], oracle.orders(**TEXTS, **options), strict=True):
        assert list(row) == ["order", "keep", "delete", "add"]
        for operation in NAMES[1:]:
            assert list(row[operation]) == ["precision", "recall", "f1", "score"]
            assert set(map(type, row[operation].values())) == {float}
            assert row[operation] == pytest.approx(expected[operation])

    assert list(result["sentences"]) == list(NAMES)
    assert all(len(column) == 4 and set(map(type, column)) == {float} for column in result["sentences"].values())
    for name, column in oracle.sentences(**TEXTS, **options).items():
        assert result["sentences"][name] == pytest.approx(column)
    assert json.loads(json.dumps(result)) == result


# ---- Batches of a data set ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", oracle.VARIANTS)
def test_score_batch(scorer, variant):
    scores = scorer.score_batch(TEXTS, variant=variant)
    assert list(scores) == list(NAMES)
    assert scores == scorer.compute(**TEXTS, variant=variant, details=True)["sentences"]
    for number in range(4):
        alone = scorer.compute(**rows(number), variant=variant)
        assert {name: scores[name][number] for name in NAMES} == pytest.approx(alone)


def test_score_batch_passes_over_other_columns(scorer):
    assert scorer.score_batch({"id": [1, 2, 3, 4], **TEXTS}) == scorer.score_batch(TEXTS)


def test_score_batch_of_an_arrow_table(scorer):
    assert scorer.score_batch(pa.table(TEXTS)) == scorer.score_batch(TEXTS)


@pytest.mark.parametrize("kind", [None, "numpy", "pandas", "arrow"])
def test_map_over_a_data_set(scorer, kind):
    data = datasets.Dataset.from_dict({"id": list("abcd"), **TEXTS}).with_format(kind)
    options = {"batched": True, "batch_size": 3, "remove_columns": data.column_names}
    mapped = data.map(scorer.score_batch, **options, fn_kwargs={"variant": "easse"})
    assert mapped.with_format(None).to_dict() == scorer.score_batch(TEXTS, variant="easse")


def another(scorer):
    """Return what scores as this one does and is not the same object."""
    return Scorer() if type(scorer) is Scorer else load()


def test_map_keeps_the_columns_and_is_cached(scorer, tmp_path):
    datasets.Dataset.from_dict({"id": list("abcd"), **TEXTS}).save_to_disk(tmp_path / "data")
    data = datasets.load_from_disk(tmp_path / "data")
    mapped = data.map(scorer.score_batch, batched=True)
    assert mapped.to_dict() == {"id": list("abcd"), **TEXTS, **scorer.score_batch(TEXTS)}
    # The same function has the same fingerprint: a second run finds the result of the first.
    assert data.map(another(scorer).score_batch, batched=True).cache_files == mapped.cache_files


def test_map_in_several_processes(scorer):
    data = datasets.Dataset.from_dict(TEXTS)
    mapped = data.map(scorer.score_batch, batched=True, num_proc=2)
    assert {name: list(mapped[name]) for name in NAMES} == scorer.score_batch(TEXTS)


# ---- Sources and references that are shared -------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_prepared_texts_score_as_compute_does(scorer, variant):
    prepared = scorer.prepare(sources=TEXTS["sources"], references=TEXTS["references"], variant=variant)
    for predictions in (TEXTS["predictions"], TEXTS["sources"]):
        expected = scorer.compute(**TEXTS | {"predictions": predictions}, variant=variant, details=True)
        assert prepared.compute(predictions, details=True) == expected


def test_prepared_texts_are_nobody_elses(scorer):
    texts = {"sources": list(TEXTS["sources"]), "references": [list(row) for row in TEXTS["references"]]}
    prepared = scorer.prepare(**texts)
    texts["references"][0].append("another")
    for column in texts.values():
        column.pop()
    assert prepared.compute(TEXTS["predictions"], details=True) == scorer.compute(**TEXTS, details=True)


def test_texts_without_predictions_are_read_once(scorer):
    sources, references = TEXTS["sources"], TEXTS["references"]
    read = {"sources": iter(sources), "references": iter(references)}
    assert scorer.baselines(**read) == scorer.baselines(sources=sources, references=references)
    read = {"sources": iter(sources), "references": iter(references), "candidates": ([text] for text in sources)}
    assert scorer.score_candidates(**read) == [
        [scorer.compute(sources=[source], predictions=[source], references=[row])["sari"]]
        for source, row in zip(sources, references, strict=True)
    ]


# ---- Tokens ---------------------------------------------------------------------------------------------------------


def test_tokens(scorer):
    tokens = scorer.tokens(**rows(2, 3), variant="easse")
    assert tokens.sources == [["he", "came", ",", "saw", ",", "and", "won", "."], ["no", "."]]
    assert tokens.predictions == [["he", "came", ".", "he", "saw", ".", "he", "won", "."], []]
    he_won = ["he", "won", "."]
    assert tokens.references == [[["he", "came", "and", "saw", ".", *he_won], he_won], [["no", "!"], ["nope", "."]]]


def test_tokens_where_texts_are_split_on_spaces(scorer):
    tokens = scorer.tokens(sources=["a  b"], predictions=[""], references=["c "], variant="xu2016")
    assert tokens == ([["a", "", "b"]], [[""]], [[["c", ""]]])


def test_tokens_of_a_variant_that_leaves_sources_as_they_are(scorer):
    tokens = scorer.tokens(sources=["A b."], predictions=["A b."], references=["A b."], variant="easse_legacy")
    assert tokens == ([["A", "b."]], [["A", "b", "."]], [[["A", "b", "."]]])


def test_tokens_by_options(scorer):
    texts = {"sources": ["A-b."], "predictions": ["A-b."], "references": [["A-b.", "A"]]}
    tokens = scorer.tokens(**texts, variant="easse", tokenize=own_tokenizer, lowercase=False)
    assert tokens == ([["A", "-", "b."]], [["A", "-", "b."]], [[["A", "-", "b."], ["A"]]])
    assert scorer.tokens(**texts, variant="easse", tokenize="char").references == [[["a", "-", "b", "."], ["a"]]]


def test_tokens_of_no_segments(scorer):
    assert scorer.tokens(sources=[], predictions=[], references=[]) == ([], [], [])


def test_tokens_scored_as_they_are_give_the_same_scores(scorer):
    tokens = scorer.tokens(**TEXTS)
    spaced = {
        "sources": list(map(" ".join, tokens.sources)),
        "predictions": list(map(" ".join, tokens.predictions)),
        "references": [list(map(" ".join, row)) for row in tokens.references],
    }
    assert scorer.compute(**spaced, tokenize="none") == scorer.compute(**TEXTS)
