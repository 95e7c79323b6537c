"""Answers as HTML: that they show what was found, and escape what visitors wrote."""

import json
import re
from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from html import unescape

import pytest
from report_corpus import Page, explained

from sari.reports.published_systems import Standing, StandingRow
from sari.reports.score_report import ResamplingSummary, ScoreReport, SystemScores
from sari.variants import VARIANTS
from sari.web import answers, rendering
from sari.web.answers import ScoredCorpus, ScoredSegment
from sari.web.inputs import systems_of_lists

HOSTILE = "<img src=x onerror=alert(1)> & \"'</p>"
BASELINES = {"copy": {"sari": 44.6, "keep": 33.8, "delete": 100.0, "add": 0.0}}
SCORES = {"sari": 50.126, "keep": 100.0, "delete": 50.378, "add": 0.0}


def words(html):
    """Return the text of HTML that is sound and has nothing of visitors in its elements."""
    page = Page(html)
    assert not page.faults
    assert not {"img", "script", "i>"} & set(page.tags)
    return page.words


def test_scores_on_a_known_test_set_are_placed_among_published_systems():
    row = StandingRow("ACCESS", "system", "2020", "", 1, 40.13, None, None)
    found = Standing("easse", "ASSET", [row])
    one = words(rendering.published(found, {HOSTILE: 50.0}))
    assert re.search(r"\bASSET, 50\.0 .*\babove .*\bACCESS \(40\.1\)", one)
    assert one.count(HOSTILE) == 1  # in the table: a single system needs no name before the sentence
    both = words(rendering.published(found, {"one": 50.0, HOSTILE: 30.0}))
    assert re.search(rf"\bone\b.* 50\.0 .*\babove\b.*{re.escape(HOSTILE)}.* 30\.0 .*\bbelow\b", both)
    assert both.count(HOSTILE) == 2
    assert "why" in words(rendering.published(Standing("easse", "ASSET", [], "No published systems: why"), {"": 50.0}))


def test_texts_of_visitors_are_shown_as_they_are():
    explanation = explained(source=HOSTILE, prediction=f"{HOSTILE} x", references=[HOSTILE], tokenize="none")
    found = words(rendering.texts(explanation))
    assert all(token.text in found for token in explanation.source)
    for html in (rendering.refusal(HOSTILE), rendering.note(HOSTILE), rendering.given("", HOSTILE, [])):
        assert HOSTILE in words(html)
    assert repr(HOSTILE) in words(
        rendering.sharing(explanation, rendering.python(HOSTILE, HOSTILE, [HOSTILE], {}, 1.0))
    )


def test_text_that_is_not_split_into_words_is_doubted():
    texts = "这只很大的猫坐在旧垫子上", "这只大猫坐在垫子上", ["这只大猫坐在垫子上"]
    explanation = explained(*texts, variant="easse")
    found = words(rendering.explained_score(explanation, VARIANTS["easse"], {"copy": SCORES}))
    assert "Chinese" in found
    split = explained(
        "这只很大的猫坐在旧垫子上", "这只大猫坐在垫子上", ["这只大猫坐在垫子上"], variant="easse", tokenize="zh"
    )
    assert split.warnings == []


def test_the_page_knows_of_every_ngram_what_it_counts_and_where_it_is():
    explanation = explained(source="a b c", prediction="a b x", references=["a b", "<x> b"], tokenize="none")
    (data,) = re.findall(r'<span class="sari-data" hidden>(.*?)</span>', rendering.texts(explanation))
    orders = json.loads(unescape(data))
    assert [len(order) for order in orders] == [sum(map(len, grams.values())) for grams in explanation.grams]
    operation, mark, credit, why, counts, places = orders[1][0]
    kept = explanation.grams[1]["keep"][0]
    assert (operation, mark, credit, counts) == ("keep", "right", 50, [True, True])
    assert (kept.text, why) == ("a b", kept.why)
    assert places == [[0], [0], [0], []]
    numbers = re.findall(r'data-gram="2\.(\d+)"', rendering.grams(explanation))
    assert numbers == list(map(str, range(len(orders[1]))))


@pytest.mark.parametrize("parts", [(31.59184, 82.32634, 13.29662), (0.005, 0.005), (1 / 3, 2 / 3, 1.0), (12.345,)])
def test_a_calculator_gives_the_mean_that_is_shown(parts):
    shown = re.findall(r"[\d.]+", rendering.mean(parts))
    mean = sum(map(Decimal, shown[:-1])) / int(shown[-1])
    for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN):
        assert str(mean.quantize(Decimal("0.01"), rounding)) == f"{sum(parts) / len(parts):.2f}"


@pytest.mark.parametrize("variant", ["hf", "easse", "paper", "dsari"])
def test_arithmetic_comes_out(variant):
    explanation = explained(
        "The big cat sat .", "The cat sat .", ["A cat sat .", "The cat was here ."], variant=variant
    )
    found = words(rendering.explained_score(explanation, VARIANTS[variant], {"copy": SCORES}))
    assert f"= {explanation.scores['sari']:.2f}" in found
    for operation in ("keep", "delete", "add"):
        line = re.search(rf"{operation.title()}: (.*?) = ([\d.]+)(?: |:|$)", found)
        assert line is not None
        if "F1 of precision" not in line[1]:
            parts = [float(part) for part in re.findall(r"[\d.]+", line[1].partition(" / ")[0])]
            assert round(sum(parts) / len(parts), 2) == pytest.approx(float(line[2]), abs=0.011)


@pytest.mark.parametrize(
    ("score", "others", "said"),
    [
        (40.0, {"copy": 50.4, "empty": 20.0}, ["Not above", "50"]),
        (60.0, {"copy": 50.0, "empty": 55.0}, ["Above", "55"]),
        (60.0, {"copy": 50.0, "references": 70.0}, ["Above", "50", "below people", "70"]),
        (70.0, {"copy": 50.0, "references": 70.0}, ["Above", "50", "at or above people", "70"]),
    ],
)
def test_what_a_score_is_held_against(score, others, said):
    verdict = rendering.verdict(score, {name: {"sari": value} for name, value in others.items()})
    assert re.findall(r"\d+|(?:[Nn]ot |at or )?\b(?:[Aa]bove|[Bb]elow)\b(?: people)?", verdict) == said


def test_a_corpus_has_a_histogram():
    rows = [
        ScoredSegment(line, sari, 0.0, 0.0, 0.0, "s", "o", ["r"]) for line, sari in ((1, 0.0), (2, 3.0), (3, 100.0))
    ]
    standing = Standing("hf", "", [], "No published systems: unknown.")
    html = rendering.corpus_scores(
        ScoredCorpus({**SCORES, "orders": []}, rows, []), VARIANTS["hf"], BASELINES, standing
    )
    found, labels = words(html), Page(html).labels
    assert "3 segments under hf" in found
    assert rendering.verdict(SCORES["sari"], BASELINES) in found
    assert re.search(r"\bhf gives 100 to Delete\b.*\bcopy\b.* 44\.6\b", found)
    assert re.findall(r"\b(\d+) to (\d+): (\d+)", found)[::19] == [("0", "5", "2"), ("95", "100", "1")]
    assert len([label for label in labels if re.search(r"\d+ to \d+: [12]$", label)]) == 2  # bars to choose
    assert ["0.0", "100.0", "3.0"] in [re.findall(r"\d+\.\d", label) for label in labels]  # least, most and median


def test_where_scores_stand_among_published_systems():
    rows = [
        StandingRow(name, kind, "2020", "", 1, sari, None, None)
        for name, kind, sari in (("high", "system", 44.0), ("people", "people", 42.5), ("low", "system", 30.0))
    ]
    html = rendering.published(Standing("easse", "Made up", rows), {"ours": 41.0, "best": 50.0})
    assert [row[0] for row in Page(html).rows[1:]] == ["best", "high", "people", "ours", "low"]
    assert Standing("easse", "Made up", rows).in_words(41.0) in words(html)
    html = rendering.published(Standing("easse", "", [], "No published systems: unknown."), {"ours": 41.0})
    assert "No published systems: unknown." in words(html)
    assert Page(html).rows == []


def compared(*systems):
    how = {"confidence": 0.95, "method": "bootstrap", "resamples": 1000, "trials": 1000, "seed": 1}
    resampling = ResamplingSummary(**how, comparisons=len(systems) - 1, baseline=systems[0].name)
    return ScoreReport(list(systems), resampling=resampling)


def result(name, sari, **more):
    scores = {"sari": sari, "keep": sari, "delete": sari, "add": sari}
    named = {"name": name, "variant": "hf", "signature": "SARI|", "segments": 10}
    intervals = {"sari": [sari - 1, sari + 1]}
    return SystemScores(**named, scores=scores, orders=[], confidence_intervals=intervals, **more)


def differing(points, p_value):
    return {
        "differences": {"sari": points},
        "p_values": {"sari": p_value},
        "corrected_p_values": {"sari": 2 * p_value},
    }


def test_copies_do_not_compete():
    report = compared(
        result("base", 40.0),
        result("copy", 52.0, **differing(12.0, 0.002), copies=True),
        result("good", 42.0, **differing(2.0, 0.002)),
    )
    html = rendering.systems(report, BASELINES) + rendering.tests_of_systems(report)
    page, found = Page(html), words(html)
    assert re.search(r"\bcopy\b.*\bout of competition\b", found.partition("System")[0])
    shown = {row[0].split()[0]: row for row in page.rows}
    assert shown["copy"][0] == "copy copies the source"
    assert [shown["copy"][1], shown["good"][1]] == ["52.00", "42.00 best"]
    assert shown["copy"][2].split()[0] == "51.00"
    assert set(page.bold) == {"42.00"}
    assert ["44.60", "33.80", "100.00", "0.00"] in [row[1:] for row in page.rows]
    assert found.count("no progress") == 1


def test_people_are_explained_where_they_have_a_row():
    report = compared(result("base", 40.0))
    assert "People" not in words(rendering.systems(report, BASELINES))
    assert words(rendering.systems(report, {**BASELINES, "references": SCORES})).count("People") == 2


def test_biggest_wins_and_losses():
    columns = {"sources": ["a b c", "d e f", "g"], "references": [["a b"], ["d e"], ["g"]]}
    outputs = {"base": ["a b c", "d e", "g"], "other": ["a b", "", "g"]}
    systems = systems_of_lists(columns["sources"], outputs, columns["references"])
    compared = answers.compare_systems(systems, VARIANTS["hf"], resamples=99, details=True)
    extremes = answers.find_extremes(compared)
    assert list(extremes["other"].values()) == [[0], [1]]
    found = words(rendering.differences(extremes, "base", compared.scores, systems))
    assert re.search(r"\bline 2: d e f other\b.* No words", found)
    html = rendering.differences({"x": {"Biggest wins": []}}, "base", {"base": [1.0], "x": [1.0]}, systems)
    assert "Biggest wins" not in words(html)
    assert "button" not in Page(html).tags
