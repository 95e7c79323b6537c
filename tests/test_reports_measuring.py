"""Companion measures of systems: each as its function computes it, intervals draw by draw, and what is refused."""

from importlib.metadata import version

import numpy as np
import pytest
from programs import EXAMPLE, ROOT, SYSTEMS
from report_corpus import FAST_MEASURES, OUTPUTS, REFERENCES, SIDE_DATA, SOURCES
from sacrebleu.metrics import BLEU, CHRF, TER

from sari.companion_measures.registry import MEASURES, Settings, own_measure
from sari.companion_measures.trees import make_tree
from sari.reports.measuring import Measuring
from sari.reports.score_report import ScoreReport
from sari.significance import bootstrap_draws, resolve_resampling
from sari.validation import SystemColumns
from sari.variants import VERSION

SYSTEM = "<Simple> & short"
# What EASSE (6a4352e, with tseval dea8863) computes as `easse evaluate` does: 13a tokens in lower case.
EASSE = {
    "outputs": {
        "token_f1": 78.5596054829894,
        "fkgl": 5.504713375796179,
        "compression_ratio": 0.740301779627039,
        "sentence_splits": 1.3,
        "levenshtein_similarity": 0.7803235681981693,
        "exact_copies": 10.0,
        "added": 0.13156723888501382,
        "deleted": 0.3068932323640225,
    },
    "outputs.rewriting": {
        "token_f1": 87.58973441517392,
        "fkgl": 4.310818997756172,
        "compression_ratio": 0.8276395465229944,
        "sentence_splits": 1.4,
        "levenshtein_similarity": 0.666288034519164,
        "exact_copies": 0.0,
        "added": 0.3761187136251074,
        "deleted": 0.3774824976103749,
    },
}
HOW = resolve_resampling(confidence=0.8, resamples=40, seed=7)


def measured(places=tuple(range(5)), side_data=SIDE_DATA):
    """Measure both systems on some segments, which may come more than once."""
    outputs = {name: [texts[place] for place in places] for name, texts in OUTPUTS.items()}
    columns = SystemColumns([SOURCES[place] for place in places], outputs, [REFERENCES[place] for place in places])
    return Measuring(columns, HOW, Settings(side_data=side_data)).measure(FAST_MEASURES)


def test_intervals_are_those_of_the_measures_of_what_is_drawn():
    """Each resample is measured as a corpus of its own."""
    draws = np.concatenate(list(bootstrap_draws(len(SOURCES), HOW.resamples, HOW.seed)))
    values = [measured(np.arange(len(SOURCES)).repeat(row).tolist()).figures() for row in draws]
    for system, own in measured().figures().items():
        assert list(own["confidence_intervals"]) == [measure.name for measure in FAST_MEASURES]
        for name, ends in own["confidence_intervals"].items():
            expected = np.quantile([row[system]["scores"][name] for row in values], [0.1, 0.9])
            assert ends == pytest.approx(expected.tolist(), abs=1e-9), name


@pytest.mark.usefixtures("without_punkt")
@pytest.mark.parametrize(("side_data", "names"), [(SIDE_DATA, set()), ({}, {"word_rank"})])
def test_measures_that_lack_what_they_need_are_left_out(side_data, names):
    found = {measure.name for measure in measured(side_data=side_data).rows}
    assert {measure.name for measure in FAST_MEASURES} - found == {"fkgl", "sentence_splits"} | names


EXAMPLES = {path.stem: path.read_text("utf-8").splitlines() for path in (ROOT / "examples").glob("*.txt")}
STREAMS = [EXAMPLES["references.0"], EXAMPLES["references.1"]]


def test_measures_are_what_the_tools_print(printed_json):
    """Those of sacreBLEU as its corpus metrics compute them, with its signatures; the others as EASSE prints them."""
    outputs = [f"{system}=examples/{system}.txt" for system in EASSE]
    names = ["bleu", "chrf", "ter", *EASSE["outputs"]]
    report = printed_json(*EXAMPLE, "--outputs", *outputs, "--measures", *names)
    for row in report["systems"]:
        expected = dict(EASSE[row["name"]])
        for name, label, metric in (("bleu", "BLEU", BLEU()), ("chrf", "chrF2", CHRF()), ("ter", "TER", TER())):
            expected[name] = metric.corpus_score(EXAMPLES[row["name"]], STREAMS).score
            assert f"{label}|{metric.get_signature()}" in report["measure_signatures"]
        assert {name: row["scores"][name] for name in expected} == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("tokenize", "variants"), [("char", ["hf", "xu2016"]), ("none", ["xu2016", "easse"])])
def test_a_chosen_tokenizer_is_that_of_the_measures_under_all_variants(printed_json, tokenize, variants):
    """Also where it is the variant's own."""
    given = [*EXAMPLE[:-2], *SYSTEMS[:2], "--measures", "bleu", "added", "token_f1"]
    report = printed_json(*given, "--tokenize", tokenize, "--variant", *variants)
    metric = BLEU(tokenize=tokenize)
    expected = pytest.approx(metric.corpus_score(EXAMPLES["outputs"], STREAMS).score)
    assert [system["scores"]["bleu"] for system in report["systems"]] == [expected, expected]
    assert report["measure_signatures"] == [
        f"BLEU|{metric.get_signature()}",
        f"added|case:lc|tok:{tokenize}|version:{VERSION}",
        f"token_f1|nrefs:2|case:lc|tok:{tokenize}|version:{VERSION}",
    ]


BY_NAME = {measure.name: measure for measure in MEASURES}
#: Settings, and the measures that have no tool under them, though they have one under others.
WITHOUT_TOOL = [
    (Settings(), set()),
    (Settings(lowercase=False), {"token_f1", "added", "exact_copies"}),
    (Settings("char"), {"token_f1", "added", "exact_copies"}),
    (Settings(str.split), {"token_f1", "added", "exact_copies", "bleu"}),
]


@pytest.mark.parametrize(("settings", "names"), WITHOUT_TOOL)
def test_a_measure_is_as_its_tool_prints_it_where_that_has_its_settings(settings, names):
    kept = {name for name in ("bleu", "chrf", "fkgl", "token_f1", "added", "exact_copies") if name not in names}
    under = {name: BY_NAME[name].under(settings) for name in (*kept, *names)}
    assert {name for name, measure in under.items() if measure.tool} == kept
    assert {name for name, measure in under.items() if "prints it" in measure.about} == kept


def test_measures_follow_the_case_that_is_chosen():
    columns = SystemColumns(["A b c d e"], {"s": ["a b c d e"]}, [["A b c d e"]])
    measures = [BY_NAME[name] for name in ("exact_copies", "equal_to_reference", "bleu")]
    values = []
    for lowercase in (None, True, False):
        measuring = Measuring(columns, resolve_resampling(), Settings(lowercase=lowercase))
        values.append([round(value) for value in measuring.measure(measures).figures()["s"]["scores"].values()])
    assert values == [[100, 100, 67], [100, 100, 100], [0, 0, 67]]


def test_signatures_name_the_files_and_punkt():
    ranks = [{"the": 0, "cat": 1}, {"cat": 0, "the": 1}, {"the": 0}]
    settings = [Settings(side_data={"word_ranks": row, "stop_words": frozenset({"the"})}) for row in ranks]
    assert len({BY_NAME["word_rank"].signature(one) for one in settings}) == 3
    assert f"|split:punkt-{version('nltk')}|" in BY_NAME["fkgl"].signature(settings[0])


def test_baselines_have_the_measures_and_intervals_of_systems(printed_json):
    """The row of the references is their mean."""
    given = [*SYSTEMS, "c=examples/sources.txt", "--measures", "bleu", "fkgl", "splits", "--baselines", "copy"]
    report = printed_json(*EXAMPLE, *given, "references", "each", "--confidence", "--resamples", "50")
    (copy, mean, *each), system = report["baselines"], report["systems"][2]
    assert (copy["scores"], copy["confidence_intervals"]) == (system["scores"], system["confidence_intervals"])
    for name, value in mean["scores"].items():
        assert value == pytest.approx(sum(row["scores"][name] for row in each) / 2)
    assert each[0]["scores"] != each[1]["scores"]


@pytest.mark.parametrize(
    ("source", "names", "categories"),
    [
        ("Вот кошка.", ["fkgl", "bleu"], ["EnglishMeasureWarning"]),
        ("Вот кошка.", ["bleu"], []),
        ("This is the cat.", ["fkgl", "bleu"], []),
    ],
)
def test_measures_for_english_warn_of_other_texts(source, names, categories):
    columns = SystemColumns([source] * 10, {"a": [source] * 10}, [[source]] * 10)
    measures = [measure for measure in MEASURES if measure.name in names]
    report = Measuring(columns, resolve_resampling()).add(ScoreReport([], {}, [1]), measures)
    assert [row["category"] for row in report.warnings] == categories


def test_an_own_measure_has_a_number_for_each_output():
    columns = SystemColumns(["a"], {"s": ["a"]}, [["a"]])
    measuring = Measuring(columns, HOW, own_numbers={"mine": {"s": [1.0, 2.0]}})
    with pytest.raises(ValueError, match="own_measure: mine: s: got 2"):
        measuring.measure([own_measure("mine", "mine.tsv")])


def test_trees_of_another_number_than_segments_are_refused():
    """Also where they could be those of fewer segments and more systems."""
    columns = SystemColumns(["go", "go"], {"s": ["go", "go"]}, [["go"], ["go"]])
    measuring = Measuring(columns, HOW, Settings(side_data={"trees": [make_tree(["go"], [0])]}))
    with pytest.raises(ValueError, match="trees: got 1 row, expected 2"):
        measuring.measure([BY_NAME["quality"]])


def test_measures_in_which_case_counts_warn_where_one_column_has_no_capitals():
    """And no others do."""
    texts, lower = ["The cat sat ."] * 10, ["the cat sat ."] * 10
    for outputs, references, settings, is_warned in (
        (lower, texts, Settings(), True),
        (texts, lower, Settings(), True),
        (texts, texts, Settings(), False),
        (lower, texts, Settings(lowercase=True), False),
        (lower, texts, Settings(lowercase=False), True),
        (lower[:9], texts[:9], Settings(), False),
    ):
        columns = SystemColumns(texts[: len(outputs)], {"x": outputs}, [[text] for text in references])
        measuring = Measuring(columns, HOW, settings=settings)
        bleu, lowercased = (row for row in MEASURES if row.name in ("bleu", "bleu_lowercase"))
        assert [str(row).startswith("BLEU: case") for row in measuring.measure([bleu]).warnings] == [True] * is_warned
        measured = measuring.measure([lowercased])
        assert measured.warnings == []
        assert "case:lc" in measured.signatures["bleu_lowercase"]
        assert measured.figures()["x"]["scores"]["bleu_lowercase"] == pytest.approx(100)
