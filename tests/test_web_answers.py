"""What the app answers: scores are the metric's, agreement that of the functions that know, refusals of one line."""

import re

import pytest
from programs import example_corpus
from report_corpus import Page
from scipy import stats

from sari.human_ratings.correlation import agreement
from sari.reports.by_references import scores_by_references
from sari.reports.formats import Layout, format_of_ending
from sari.reports.score_tables import tabulate_scores
from sari.sari_scorer import Scorer
from sari.validation import SystemColumns
from sari.variants import SCORES, VARIANTS, resolve_variant, resolve_variants
from sari.web import answers, rendering
from sari.web.inputs import RefusedError, columns_of_lists, resolve_every_variant, systems_of_lists


@pytest.mark.filterwarnings("ignore:the variant gives a delete score of 100:UserWarning")
@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
def test_a_corpus_is_scored_as_by_the_metric(sari):
    texts = [f"a b {number}" for number in range(600)]
    scored = answers.score_each_segment(columns_of_lists(texts, texts, texts), VARIANTS["t2t"])
    wanted = sari.compute(sources=texts, predictions=texts, references=texts, variant="t2t", details=True)
    assert scored.result == wanted
    assert [row.line for row in scored.rows] == list(range(1, 601))
    assert [row.sari for row in scored.rows] == wanted["sentences"]["sari"]
    assert {row["category"] for row in scored.warnings} == {"CopiedOutputsWarning", "RewardsCopyingWarning"}


@pytest.mark.parametrize("variant", resolve_variants()[0])
@pytest.mark.parametrize("references", [["a cat sat"], ["a cat sat", "a", "the mat"]])
def test_baselines_of_a_segment_are_those_of_a_corpus_of_one(variant, references):
    found = answers.score_segment_baselines("the cat sat", references, VARIANTS[variant])
    del found["unrelated"]
    corpus = answers.score_corpus_baselines(columns_of_lists(["the cat sat"], [""], [references]), VARIANTS[variant])
    assert found.keys() == corpus.keys()
    for name, scores in found.items():
        assert scores == pytest.approx(corpus[name], abs=1e-9)


def test_the_report_shows_what_was_asked_for():
    systems = systems_of_lists(*example_corpus().values())
    told = []
    page = answers.report_systems(
        systems, VARIANTS["easse"], lambda *done: told.append(done), baseline="rewriting", method="bootstrap"
    )
    assert [fact for fact in ("against rewriting", "paired bootstrap", "10000 resamples") if fact not in page] == []
    assert told[-1][0] <= told[-1][1]
    other = answers.report_systems(systems, VARIANTS["easse"], print)
    facts = ("against deleting", "paired approximate randomization", "10000 trials")
    assert [fact for fact in facts if fact not in other] == []


def test_a_system_that_copies_is_best_nowhere():
    columns = example_corpus()
    columns["predictions"] = {
        "words": ["The"] * 10,
        "nothing": [""] * 10,
        "copying": columns["sources"],
    }
    compared = answers.compare_systems(systems_of_lists(*columns.values()), VARIANTS["hf"], details=True)
    scores = {result.name: result.scores["sari"] for result in compared.report.results}
    assert max(scores, key=scores.get) == "copying"
    assert [result.copies for result in compared.report.results] == [False, False, True]
    (table, *_) = tabulate_scores(compared.report).tables
    sari = [column.heading for column in table.columns].index("SARI")
    best = max(("words", "nothing"), key=scores.get)
    assert [row[0].text for row in table.rows if row[sari].best] == [best]
    assert [note for note in table.notes if note.endswith(": copying")]
    latex = format_of_ending(".tex").write(tabulate_scores(compared.report), Layout())
    page = Page(
        rendering.systems(
            compared.report, answers.score_corpus_baselines(systems_of_lists(*columns.values()), VARIANTS["hf"])
        )
    )
    for bold in (re.findall(r"\\textbf\{([\d.]+)\}", latex), page.bold):
        assert f"{scores[best]:.2f}" in bold
        assert f"{scores['copying']:.2f}" not in bold


@pytest.mark.filterwarnings("ignore:.* not tokenized, and are only split at spaces:UserWarning")
@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
@pytest.mark.filterwarnings("ignore:the variant gives a delete score of 100:UserWarning")
@pytest.mark.parametrize("method", ["randomization", None])
def test_whether_the_ranking_holds_is_what_each_variant_says(method):
    columns = example_corpus()
    columns["predictions"] = {**columns["predictions"], "copying": columns["sources"]}
    variants = resolve_every_variant({"lowercase": False})
    assert list(variants) == list(resolve_variants(lowercase=False)[0])
    told = []
    ranked = answers.rank_under_variants(
        systems_of_lists(*columns.values()),
        variants,
        baseline="deleting",
        method=method,
        advance=lambda *row: told.append(row),
    )
    assert [row.variant for row in ranked] == list(variants) == [step for _, _, step in told]
    for row in ranked:
        wanted = Scorer(row.variant, lowercase=False).compare(**columns, baseline="deleting", method=method)["systems"]
        assert row.scores == {name: own["sari"] for name, own in wanted.items()}
        assert row.differences["copying"] == wanted["copying"]["sari"] - wanted["deleting"]["sari"]
        if method:
            assert row.p_values == {name: wanted[name]["corrected_p_values"]["sari"] for name in row.differences}
        else:
            assert row.verdict("copying") == 0


def test_variants_that_reverse_a_verdict_are_named():
    p_values, scores = {"x": 0.001}, {"base": 40.0, "x": 41.0}
    rows = [
        answers.RankedVariant("easse", scores, {"x": 1.0}, p_values),
        answers.RankedVariant("star", scores, {"x": 0.4}, {"x": 0.5}),
        answers.RankedVariant("hf", scores, {"x": -1.7}, p_values),
    ]
    page = Page(rendering.ranking(rows, "easse", "base", [])).words
    assert re.search(r"\bx is significantly above base under easse\b.* 1 of 3\b.*\bhf reverses\b", page)
    page = Page(rendering.ranking(rows, "star", "base", [])).words
    assert re.search(r"\bx is not significantly .*\bbase under star\b.* 1 of 3\b", page)
    assert "reverse" not in page


def test_a_system_that_copies_the_source_is_not_ranked():
    p_values, scores = {"x": 0.001, "copy": 0.001}, {"base": 40.0, "x": 41.0, "copy": 60.0}
    rows = [answers.RankedVariant("hf", scores, {"x": 1.0, "copy": 20.0}, p_values)]
    page = Page(rendering.ranking(rows, "hf", "base", ["copy"])).words
    assert re.findall(r"\b(\w+) is significantly above", page) == ["x"]
    assert re.search(r"\bcopy\b.* copies the source\b.* out of competition", page)


# Ratings by people, and numbers of references

RATINGS = [3, 9, 4, 7, 1, 8, 2, 6, 5, 0]
COLUMNS = example_corpus()
TEXTS = (COLUMNS["sources"], COLUMNS["predictions"]["deleting"], COLUMNS["references"])


@pytest.mark.parametrize("variant", ["hf", "easse"])
def test_a_corpus_agrees_as_its_sentences_do(sari, variant):
    report = answers.rate_corpus(columns_of_lists(*TEXTS), RATINGS, VARIANTS[variant])
    names = ("sources", "predictions", "references")
    sentences = sari.compute(**dict(zip(names, TEXTS, strict=True)), variant=variant, details=True)["sentences"]
    scores = {name: sentences[name] for name in SCORES}
    for coefficient in ("pearson", "spearman"):
        wanted = agreement(scores, RATINGS, groups=TEXTS[0], coefficient=coefficient, baseline="sari", confidence=0.95)
        assert [row.coefficients[coefficient] for row in report.rows] == list(wanted.values())
    kendall = [row.coefficients["kendall"] for row in report.rows]
    assert [own.value for own in kendall] == [stats.kendalltau(scores[name], RATINGS).statistic for name in SCORES]
    assert [own.interval for own in kendall] == [None] * 4
    assert (report.ratings, report.sources, report.resamples) == (10, 10, 1_000)


def test_variants_are_compared_with_the_chosen_one():
    report = answers.rate_variants(columns_of_lists(*TEXTS), RATINGS, resolve_every_variant({}), "easse")
    assert {row.variant for row in report.rows} == set(resolve_variants()[0])
    assert {row.measure for row in report.rows} == {"sari"}
    assert report.rows[0].variant == "easse"
    assert [row.coefficients["pearson"].difference is None for row in report.rows] == [True] + [False] * (
        len(report.rows) - 1
    )
    _, *shown = Page(rendering.ratings_agreement(report)).rows
    found = {row.variant: row.coefficients["pearson"].value for row in report.rows}
    assert [row[0] for row in shown] == sorted(found, key=found.get, reverse=True)
    assert [row[2].split()[0] for row in shown] == [f"{found[row[0]]:.3f}".replace("-", "−") for row in shown]
    for name, *_, difference in shown:
        expected = "" if name == "easse" else f"{found[name] - found['easse']:+.3f}".replace("-", "−")
        assert difference.partition(" ")[0] == expected


@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
def test_systems_agree_as_outputs_and_as_wholes():
    outputs = {**COLUMNS["predictions"], "copying": COLUMNS["sources"]}
    systems = systems_of_lists(TEXTS[0], outputs, TEXTS[2])
    ratings = {"copying": [0] * 10, "rewriting": [9, 8] * 5, "deleting": RATINGS}
    report = answers.rate_systems(systems, ratings, VARIANTS["easse"])
    assert [row.level for row in report.rows] == ["segments"] * 4 + ["systems"] * 4
    assert (report.ratings, report.sources, report.systems) == (30, 10, ["deleting", "rewriting", "copying"])
    scores = [corpus_score(texts) for texts in outputs.values()]
    assert report.rows[4].coefficients["pearson"].value == pytest.approx(
        stats.pearsonr(scores, [4.5, 8.5, 0]).statistic
    )
    page = Page(rendering.ratings_agreement(report))
    assert [number for number in ("30 rated", "10 sources") if number not in page.words] == []
    assert [row[0] for row in page.rows] == ["Measure", "SARI", "Keep", "Delete", "Add"] * 2
    assert {number for label in page.labels for number in re.findall(r"ratings of (\d+)", label)} == {"30", "3"}


def corpus_score(outputs):
    from sari.sari_scorer import Scorer

    texts = {"sources": TEXTS[0], "predictions": outputs, "references": TEXTS[2]}
    return Scorer("easse").compute(**texts)["sari"]


def test_what_agrees_with_nothing():
    report = answers.rate_corpus(columns_of_lists(*TEXTS), [5] * 10, VARIANTS["hf"])
    page = Page(rendering.ratings_agreement(report))
    assert "nan" not in page.words
    assert "figure" not in page.tags
    _, *rows = page.rows
    assert [row[1].split()[0] for row in rows] == ["–"] * 4
    assert "–:" in page.words  # a note says what it means
    single = answers.rate_corpus(columns_of_lists(["a"] * 3, ["a", "b", "a c"], [["a"]] * 3), [1, 2, 3], VARIANTS["hf"])
    assert single.confidence is None
    _, *rows = Page(rendering.ratings_agreement(single)).rows
    assert [cell for row in rows for cell in row if "[" in cell] == []
    with pytest.raises(RefusedError, match="at least two"):
        answers.rate_corpus(columns_of_lists(["a"], ["a"], [["a"]]), [1], VARIANTS["hf"])


def test_many_ratings_are_resampled_less_often(monkeypatch):
    monkeypatch.setattr(answers, "_ROWS", 2_000)
    assert answers.rate_corpus(columns_of_lists(*TEXTS), RATINGS, VARIANTS["hf"]).resamples == 200
    monkeypatch.setattr(answers, "_ROWS", 20)
    assert answers.rate_corpus(columns_of_lists(*TEXTS), RATINGS, VARIANTS["hf"]).resamples == 100


def test_scores_by_number_of_references():
    rows = answers.count_references(columns_of_lists(*TEXTS), VARIANTS["easse"])
    columns = SystemColumns(TEXTS[0], {"": TEXTS[1]}, TEXTS[2])
    assert rows == scores_by_references(columns, resolve_variant("easse"))
    page = Page(rendering.by_references(rows))
    means = [[str(row.references), str(row.subsets), *(f"{row.mean[name]:.2f}" for name in SCORES)] for row in rows]
    assert [row[:6] for row in page.rows[1:]] == means
    spread = [f"{rows[0].mean['sari']:.2f}", f"{rows[0].lowest['sari']:.2f}", f"{rows[0].highest['sari']:.2f}"]
    assert spread in [re.findall(r"\d+\.\d+", label) for label in page.labels]
    with pytest.raises(RefusedError, match="at least two references"):
        answers.count_references(columns_of_lists(["a"], ["a"], [["a"]]), VARIANTS["hf"])
