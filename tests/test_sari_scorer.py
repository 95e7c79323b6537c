"""The methods of `Scorer`, without `evaluate` and as those of the metric: options, details, intervals and batches."""

import json
import pickle
import sys
from functools import partial

import datasets
import numpy as np
import oracle
import pyarrow as pa
import pytest
from datasets.fingerprint import Hasher
from four_segments import NAMES, NO_SEGMENTS, TEXTS, load
from hostile_texts import numbers
from programs import example_corpus, with_system
from refusals import refuses

from sari.languages import TOKENIZERS
from sari.messages import short_line, short_repr
from sari.sari_scorer import Scorer, compute
from sari.variants import OPTIONS, VARIANTS, VERSION

# ---- Options --------------------------------------------------------------------------------------------------------

TOKENIZER = f", expected one of {', '.join(TOKENIZERS)}, spacy-LANGUAGE, module:function or a callable"
WHOLE = ", expected a whole number of at least 1"
SHARE = ", expected a number from 0 to 1"
VARIANT = f", expected one of {', '.join(VARIANTS)}"
SPLITTER = ", expected one of punkt, module:function or a callable"

#: Name, value, kind of error, and what the message says after the value.
BAD_OPTIONS = [
    ("variant", "HF", ValueError, "; did you mean 'hf'?"),
    ("variant", "x" * 100, ValueError, VARIANT),
    ("variant", ["hf"], TypeError, VARIANT),
    ("level", "document", ValueError, ", expected one of sentence, corpus"),
    ("deletion", True, TypeError, ", expected one of precision, f1"),
    ("penalties", "d-sari", ValueError, "; did you mean 'dsari'?"),
    ("sentence_splitter", "nltk", ValueError, SPLITTER),
    ("sentence_splitter", 1, TypeError, SPLITTER),
    ("zero_division", -0.5, ValueError, SHARE),
    ("zero_division", 1.5, ValueError, SHARE),
    ("zero_division", float("nan"), ValueError, SHARE),
    ("zero_division", "1", TypeError, SHARE),
    ("zero_division", True, TypeError, SHARE),
    ("tokenize", "flores2000", ValueError, "; did you mean 'flores200'?"),
    ("tokenize", b"13a", TypeError, TOKENIZER),
    ("lowercase", 1, TypeError, ", expected True or False"),
    ("max_order", 101, ValueError, ", expected a whole number of at most 100"),
    ("max_order", 0, ValueError, WHOLE),
    ("max_order", 4.0, TypeError, WHOLE),
    ("max_order", True, TypeError, WHOLE),
]


def calls_with_options(scorer):
    """Return what takes options."""
    calls = [type(scorer), scorer.with_options, partial(compute, **TEXTS)]
    return calls if type(scorer) is Scorer else [*calls, partial(scorer.compute, **TEXTS)]


def test_bad_options(scorer):
    assert {row[0] for row in BAD_OPTIONS} == OPTIONS.keys()
    for name, value, kind, end in BAD_OPTIONS:
        for call in calls_with_options(scorer):
            with refuses(kind, short_line(f"{name}: got {short_repr(value)}{end}")):
                call(**{name: value})
    for flag in ("details", "baselines"):
        with refuses(TypeError, f"{flag}: got 'yes', expected True or False"):
            scorer.compute(**TEXTS, **{flag: "yes"})
    for flag in ("sentences", "resampling"):
        with refuses(TypeError, f"{flag}: got None, expected True or False"):
            scorer.state(**{flag: None})


def test_unknown_arguments_are_refused_with_their_names_here(scorer):
    remedies = {"lower_case": "; did you mean 'lowercase'?", "tokenizer": "; did you mean 'tokenize'?"}
    remedies |= {"legacy": ", expected variant='easse_legacy'", "use_paper_version": ", expected variant='paper'"}
    remedies |= {"use_f1_for_deletion": ", expected deletion='f1' or 'precision'", "orig_sents": ", expected sources"}
    remedies |= dict.fromkeys(["sys_sents", "outputs", "hypotheses"], ", expected predictions")
    remedies |= dict.fromkeys(["refs", "refs_sents"], ", expected references, a list for each source")
    for name, remedy in remedies.items():
        for call in (*calls_with_options(scorer), partial(scorer.compute, **TEXTS)):
            with refuses(TypeError, f"{name}: got an unknown argument{remedy}"):
                call(**{name: True})


def test_compute_takes_columns_by_name_and_no_options(scorer):
    named = "compute(sources=..., predictions=..., references=...)"
    for method in (scorer.compute, compute):
        with refuses(TypeError, f"compute: got 3 arguments without names, expected {named}"):
            method(*TEXTS.values())
    with refuses(TypeError, "source: got an unknown argument; did you mean 'sources'?"):
        compute(source=TEXTS["sources"])
    with refuses(TypeError, "variant: got an option, expected scorer.with_options(variant=...).compute(...)"):
        Scorer().compute(**TEXTS, variant="easse", level="corpus", lowercase=True, deletion="f1")


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("lowercase", ", expected another scorer: scorer.with_options(...)"),
        ("options", ", expected another scorer: scorer.with_options(...)"),
        ("lowercaze", "; did you mean scorer.with_options(lowercase=...)?"),
    ],
)
def test_options_cannot_be_assigned(scorer, name, remedy):
    with refuses(AttributeError, f"{name}: got an assignment{remedy}"):
        setattr(scorer, name, False)


def test_a_single_segment_and_a_row_have_the_scores_of_a_batch(scorer):
    columns = scorer.score_batch(TEXTS)
    for place, row in enumerate(zip(*TEXTS.values(), strict=True)):
        expected = {name: scores[place] for name, scores in columns.items()}
        named = dict(zip(TEXTS, row, strict=True))
        alone = scorer.sentence_score(named["sources"], named["predictions"], named["references"])
        assert alone == scorer.score_batch(named) == expected
    for name in ("sources", "predictions"):
        with refuses(ValueError, f"{name}[0]: got a missing value (None), expected str"):
            scorer.score_batch({**named, name: None})


def test_scorers_of_equal_options_are_equal(sari):
    equal, other = Scorer("easse", tokenize=str.title), Scorer("easse")
    assert equal == Scorer("easse", tokenize=str.title) != other
    assert {equal: 1}[Scorer("easse", tokenize=str.title)] == 1
    assert sari == sari != load()


# ---- Results --------------------------------------------------------------------------------------------------------


def test_details_are_plain_data(scorer):
    scorer = scorer.with_options(variant="dsari", max_order=2)
    result = scorer.compute(**TEXTS, details=True)
    assert {name: result[name] for name in NAMES} == scorer.compute(**TEXTS)
    assert result["signature"] == scorer.signature(nrefs=2)
    assert numbers(result) == pytest.approx(numbers(oracle.details(**TEXTS, variant="dsari", max_order=2)))
    assert json.loads(json.dumps(result)) == result


def test_columns_are_checked_by_every_method(scorer):
    columns = {**TEXTS, "sources": [None]}
    for call in (
        scorer.compute,
        scorer.state().update,
        lambda **columns: scorer.score_batch(columns),
        partial(scorer.explain_difference, "easse"),
        partial(scorer.find_variant, 41.38),
    ):
        with refuses(ValueError, "sources[0]: got a missing value (None), expected str"):
            call(**columns)


def test_no_segments(scorer):
    nothing = dict.fromkeys(TEXTS, ())
    for call in (scorer.compute, partial(scorer.explain_difference, "easse")):
        with refuses(ValueError, NO_SEGMENTS):
            call(**nothing)
    state = scorer.state()
    state.update(**nothing)
    with refuses(ValueError, NO_SEGMENTS):
        state.compute()
    assert scorer.score_batch(nothing) == {"sari": [], "keep": [], "delete": [], "add": []}


@pytest.fixture(scope="module")
def examples():
    return example_corpus()


@pytest.mark.parametrize("variant", ["hf", "easse"])
def test_intervals_resample_segments(scorer, examples, variant):
    """Each resample scored from its texts, as slowly as can be."""
    columns = with_system(examples, "deleting")
    draws = np.random.Generator(np.random.PCG64(5)).integers(0, 10, size=(20, 10))
    drawn = [{name: [column[place] for place in chosen] for name, column in columns.items()} for chosen in draws]
    scorer = scorer.with_options(variant=variant)
    resamples = [scorer.compute(**texts) for texts in drawn]
    intervals = scorer.compute(**columns, confidence=0.8, resamples=20, seed=5)["confidence_intervals"]
    for name in NAMES:
        expected = np.quantile([scores[name] for scores in resamples], [0.1, 0.9])
        assert intervals[name] == pytest.approx(expected, rel=1e-9)


def test_one_segment_has_no_interval_and_no_significance(scorer):
    columns, systems = {"sources": ["a b c"], "references": ["a b"]}, {"x": ["a"], "y": ["a b"]}
    for method in ("randomization", "bootstrap"):
        easse = scorer.with_options(variant="easse")
        results = easse.compare(**columns, predictions=systems, method=method, resamples=99)["systems"]
        assert set(results["y"]["p_values"].values()) == {1.0}
        assert "confidence_intervals" not in results["x"] | results["y"]
    assert "confidence_intervals" not in scorer.compute(**columns, predictions=["a"], confidence=0.9)


# ---- Batches of a data set ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["hf", "easse"])
def test_score_batch(scorer, variant):
    """Each row is scored alone, whatever the level; other columns are passed over."""
    scorer = scorer.with_options(variant=variant)
    scores = scorer.score_batch({"id": [1, 2, 3, 4], **TEXTS})
    assert scores == scorer.compute(**TEXTS, details=True)["sentences"] == scorer.score_batch(pa.table(TEXTS))
    for wrong in (None, ["sources", "predictions", "references"]):
        with refuses(ValueError, f"batch: got {wrong}, expected columns sources, predictions, references"):
            scorer.score_batch(wrong)
    with refuses(ValueError, "batch: got columns sources, expected also predictions, references"):
        scorer.score_batch({"sources": TEXTS["sources"]})


@pytest.mark.parametrize("kind", [None, "numpy", "pandas", "arrow"])
def test_map_over_a_data_set(scorer, kind):
    data = datasets.Dataset.from_dict({"id": list("abcd"), **TEXTS}).with_format(kind)
    options = {"batched": True, "batch_size": 3, "remove_columns": data.column_names}
    mapped = data.map(scorer.with_options(variant="easse").score_batch, **options)
    assert mapped.with_format(None).to_dict() == scorer.with_options(variant="easse").score_batch(TEXTS)


def test_map_in_processes_keeps_the_columns_and_is_cached(scorer, tmp_path):
    datasets.Dataset.from_dict({"id": list("abcd"), **TEXTS}).save_to_disk(tmp_path / "data")
    data = datasets.load_from_disk(tmp_path / "data")
    mapped = data.map(scorer.score_batch, batched=True, num_proc=2)
    assert mapped.to_dict() == {"id": list("abcd"), **TEXTS, **scorer.score_batch(TEXTS)}
    # The same function has the same fingerprint: a second run finds the result of the first.
    another = Scorer("hf") if type(scorer) is Scorer else load()
    assert data.map(another.score_batch, batched=True, num_proc=2).cache_files == mapped.cache_files


def test_a_cache_sees_another_version(scorer):
    """What is pickled has all of the signature; it is read by the version that is here, with a warning."""
    before = Hasher.hash(scorer.score_batch)
    assert before == Hasher.hash(scorer.with_options().score_batch)
    written = pickle.dumps(scorer, protocol=0)
    assert f"version:{VERSION}".encode() in written
    with scorer.collect_warnings() as collected:
        assert pickle.loads(written) is not scorer
        assert not collected
        assert pickle.loads(written.replace(f"version:{VERSION}".encode(), b"version:0.9.1")).options == scorer.options
    assert [(type(one).__name__, one.detail) for one in collected] == [
        ("SignatureWarning", f"version:0.9.1 (here {VERSION})")
    ]
    scorer = pickle.loads(written)
    object.__setattr__(scorer, "signature", lambda: "SARI|variant:hf|version:9.9.9")
    assert Hasher.hash(scorer.score_batch) != before


def test_a_loaded_metric_explains_where_the_package_is(sari, monkeypatch):
    """It has the explanation of the package under its own default, and one line where there is no package."""
    segment = {"source": "a large cat", "prediction": "a cat", "references": ["a big cat", "a cat"]}
    explanation = sari.explain(**segment)
    scores = sari.compute(**{f"{name.rstrip('s')}s": [text] for name, text in segment.items()})
    assert explanation["scores"] == pytest.approx(scores)
    monkeypatch.setitem(sys.modules, "sari.reports.explanation", None)
    with refuses(ImportError, "explain: got the metric alone, expected the package of this project: see its README"):
        sari.explain(**segment)
