"""What `score.py` prints of scores: the rows and notes of tables, the layout of one system, CSV records and JSON."""

import csv
import io
import json
import re
from itertools import pairwise

import pytest
from programs import EXAMPLE, ROOT, SYSTEMS, VERSIONS, example_corpus, write_example_of_the_paper

from sari.command_line.program import main
from sari.variants import SCORES, VARIANTS

SIGNATURE = f"SARI|variant:easse|nrefs:2|case:lc|tok:13a|order:4|level:corpus|del:f1|zero:0|{VERSIONS}"
ONE = [*EXAMPLE, *SYSTEMS[:2]]
TWO = [*EXAMPLE, *SYSTEMS]
COPIES = "c=examples/sources.txt"
THREE = [*TWO, COPIES]
ALL_VARIANTS = [*EXAMPLE[:-2], *SYSTEMS, COPIES, "--all-variants"]


def summary(samples, *scores):
    """Return the layout of the scores of one system."""
    rule = "=" * 50
    names = ["  SARI:        ", "    - Keep:    ", "    - Delete:  ", "    - Add:     "]
    lines = [name + score for name, score in zip(names, scores, strict=True)]
    return "\n".join([rule, "SARI Score Results", rule, f"Number of samples: {samples}", "", *lines, rule])


def tables(markdown):
    """Return the tables of a text in Markdown by their titles, each as rows of cells, the header first."""
    blocks = [re.sub(r"\\(.)", r"\1", block) for block in markdown.split("\n\n")]
    return {
        title: [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines() if line[:2] != "|:"]
        for title, block in pairwise(blocks)
        if block.startswith("|")
    }


def records(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("options", "scores", "note"),
    [
        ([], ("56.40", "62.78", "77.07", "29.35"), ""),
        (["--width", 1], ("56.4", "62.8", "77.1", "29.3"), ""),
        (
            ["--confidence", "0.9", "--resamples", "1000", "--seed", "3"],
            ("56.40  [48.62, 63.73]", "62.78  [54.25, 72.23]", "77.07  [67.56, 84.81]", "29.35  [21.14, 37.18]"),
            "\n90% CI: percentile bootstrap over segments, 1,000 resamples, seed 3\n",
        ),
    ],
)
def test_one_system(printed, options, scores, note):
    assert printed(*ONE, *options) == f"{summary(10, *scores)}\n\n{SIGNATURE}\n{note}"


_SARI, _DIFFERENCES, _MEASURES = "SARI of 10 segments", "Differences between systems", "Companion measures"
_SCORES = ["SARI", "Keep", "Delete", "Add"]


@pytest.mark.parametrize(
    ("given", "headings"),
    [
        (f"{COPIES}", {_SARI: ["System", *_SCORES]}),
        ("--paired-ar", {_SARI: ["System", *_SCORES], _DIFFERENCES: ["System", "Against", "Score", "Diff.", "p"]}),
        (
            f"{COPIES} --paired-ar --confidence",
            {
                _SARI: ["System", "SARI", "95% CI", "Keep", "Delete", "Add"],
                _DIFFERENCES: ["System", "Against", "Score", "Diff.", "95% CI", "p", "corr. p"],
            },
        ),
        (
            "--all-pairs --variant easse hf",
            {
                _SARI: ["System", "Variant", *_SCORES, "Group", "Ranks"],
                _DIFFERENCES: ["System", "Against", "Variant", "Score", "Diff.", "p"],
            },
        ),
        (
            "--measures bleu --confidence --show sari intervals bleu",
            {
                _SARI: ["System", "SARI", "95% CI"],
                _MEASURES: ["Measure", "deleting", "95% CI", "rewriting", "95% CI"],
            },
        ),
        ("--all-pairs --confidence --show keep group", {_SARI: ["System", "Keep", "Group"]}),
        ("--all-pairs --show ranks", {_SARI: ["System", "Ranks"]}),
        ("--paired-ar --show p --measures bleu", {_DIFFERENCES: ["System", "Against", "Score", "p"]}),
        ("--measures bleu --show bleu", {_MEASURES: ["Measure", "deleting", "rewriting"]}),
        (
            "--why paper --show delete",
            {
                _SARI: ["System", "Delete"],
                "SARI from easse to paper, one choice at a time": [
                    *["Choice", "deleting", "Change", "rewriting", "Change"]
                ],
            },
        ),
    ],
)
def test_tables_have_what_is_asked_for(printed, given, headings):
    found = tables(printed(*TWO, *given.split(), "--format", "markdown"))
    assert {title: rows[0] for title, rows in found.items()} == headings


def test_rows_of_a_comparison(printed):
    """Text has ^ at the best of the systems that compete; baselines and what is worse follow."""
    given = [*THREE, "--paired-bs", "--confidence", "--baselines", "--measures", "bleu", "ter", "--resamples", "999"]
    text = printed(*given)
    rows = [re.split(r" {2,}", line) for line in text.splitlines()]
    below = {title: rows[rows.index([title]) + 2 :] for title in (_DIFFERENCES, _MEASURES)}
    assert rows[2:5] == [
        ["deleting", "56.40", "[47.74, 64.66]", "62.78", "77.07", "29.35"],
        ["rewriting", "73.01*^", "[69.25, 76.71]", "76.41*^", "88.94*^", "53.68*^"],
        ["c", "15.38†", "[12.55, 17.71]", "46.14†", "0.00†", "0.00†"],
    ]
    assert rows[6] == ["baseline: copy", "15.38", "[12.55, 17.71]", "46.14", "0.00", "0.00"]
    assert rows[9] == ["baseline: references", "50.79", "[45.31, 56.62]", "50.64", "80.50", "21.24"]
    assert below[_DIFFERENCES][0] == ["rewriting", "deleting", "SARI", "+16.61*", "[7.36, 27.32]", "0.0040", "0.0040"]
    assert [row[:3] for row in below[_DIFFERENCES][1:4]] == [
        [system, "deleting", score] for score, system in (("SARI", "c"), ("BLEU", "rewriting"), ("BLEU", "c"))
    ]
    assert [row[0] for row in below[_MEASURES][:2]] == ["BLEU ↑", "TER ↓"]
    assert len(below[_MEASURES][0]) == 1 + 6 * 2 + 1  # the mean of the references has no interval
    assert [cell for cell in below[_MEASURES][0] if cell.endswith("†")] == ["40.59†"]
    _, warning = printed.warnings
    assert "10 segments" in warning


_HOLM = "for 2 comparisons within each {}, not across them (Holm 1979)"


@pytest.mark.parametrize(
    ("given", "present", "absent"),
    [
        (
            f"{COPIES} --paired-bs --confidence --resamples 999",
            [
                "* significantly higher, † significantly lower than deleting: corrected p < 0.05",
                "Out of competition, since most outputs copy their sources: c",
                "^ the best of the column among the systems that compete",
                "95% CI: percentile bootstrap over segments, 999 resamples, seed 12345; those of differences are not",
                "two-sided, paired bootstrap, 999 resamples",
                "Corrected p: for 2 comparisons (Holm 1979)",
            ],
            [],
        ),
        (
            "--paired-ar --baselines copy references --confidence",
            ["than deleting: p < 0.05", "Baselines: copy, the sources as outputs; references, mean of", "95% CI"],
            ["not corrected", "Corrected p", "Out of competition"],
        ),
        (f"{COPIES} --paired-ar --measures bleu", [_HOLM.format("score"), "BLEU: as sacreBLEU", "BLEU|"], ["95%"]),
        (f"{COPIES} --paired-ar --variant easse hf --measures bleu", [_HOLM.format("variant and score")], []),
        ("--paired-ar --variant easse hf", ["p-values are not corrected across variants"], ["Corrected p"]),
        (f"{COPIES} --all-pairs", ["Group: ", "Ranks: ", "each system against each", "10,000 trials"], []),
        # What is not shown is not spoken of.
        (
            f"{COPIES} --all-pairs --confidence --show sari p",
            ["against each; two-sided"],
            ["Group: ", "Ranks: ", "95% CI"],
        ),
        ("--measures bleu chrf --show keep bleu", ["BLEU: ", "BLEU|"], ["chrF2"]),
        ("--paired-ar --measures bleu --show sari difference", ["Tests: "], ["BLEU"]),
        ("--paired-ar --measures bleu --show keep p", ["deleting Keep 0.0"], ["BLEU", "deleting SARI"]),
        ("--paired-ar --measures bleu --show difference", ["BLEU: ", "BLEU|", "SARI +16.61"], ["Keep"]),
    ],
)
def test_notes_and_signatures_are_about_what_is_shown(printed, given, present, absent):
    text = re.sub(" +", " ", printed(*TWO, *given.split()))
    assert [fact for fact in present if fact not in text] == []
    assert [fact for fact in absent if fact in text] == []


def test_the_paragraph_is_about_what_is_shown(printed):
    """In LaTeX it has, once, how figures were computed."""
    given = [*TWO, "--paired-ar", "--confidence", "--measures", "bleu", "--resamples", "20", "--format", "latex"]
    whole, part = (" ".join(printed(*given, *show).split()) for show in ([], ["--show", "sari", "p"]))
    facts = ("20 trials", "20 bootstrap resamples", "sacreBLEU")
    assert [[text.count(fact) for fact in facts] for text in (whole, part)] == [[1, 1, 1], [1, 0, 0]]


def test_json_and_csv_of_a_comparison_are_those_of_the_metric(printed, printed_json, sari):
    """One system has the same keys as several, and CSV the same columns, whatever was asked for."""
    baselines = ["copy", "empty", "unrelated", "references", "each"]
    given = [*TWO, "--paired-bs", "--confidence", "--baselines", *baselines, "--why", "hf"]
    report = printed_json(*given)
    scorer = sari.with_options(variant="easse")
    expected = scorer.compare(**example_corpus(), method="bootstrap", details=True)
    assert list(report) == ["systems", "baselines", "explanations", "warnings", "resampling"]
    rows = records(printed(*given[:-2], "--format", "csv"))
    for row, system, (name, scores) in zip(rows, report["systems"], expected["systems"].items(), strict=False):
        assert (row["system"], system["name"], system["variant"], system["segments"]) == (name, name, "easse", 10)
        assert system["scores"] == {score: scores[score] for score in SCORES}
        for key in ("orders", "confidence_intervals", "differences", "difference_intervals", "corrected_p_values"):
            assert system.get(key) == scores.get(key)
        for score in SCORES:
            low, high = system.get("difference_intervals", {}).get(score, ("", ""))
            figures = {"": system["scores"][score], "_difference_low": low, "_difference_high": high}
            figures["_high"] = system["confidence_intervals"][score][1]
            figures["_p_value"] = system.get("p_values", {}).get(score, "")
            assert {name: row[f"{score}{name}"] for name in figures} == {
                name: str(one) for name, one in figures.items()
            }
    columns = {name: column for name, column in example_corpus().items() if name != "predictions"}
    assert {row["name"]: row["scores"] for row in report["baselines"]} == scorer.baselines(**columns)
    assert report["resampling"] == {key: expected[key] for key in report["resampling"]}
    assert [row["name"] for row in report["explanations"]] == ["deleting", "rewriting"]
    assert report["explanations"][0]["steps"][0]["sari"] == report["systems"][0]["scores"]["sari"]
    (one,) = printed_json(*ONE)["systems"]
    assert one == {name: value for name, value in report["systems"][0].items() if name != "confidence_intervals"}
    (alone,) = records(printed(*ONE, "--format", "csv"))
    assert list(alone) == list(rows[0])
    assert alone["sari_low"] == alone["sari_p_value"] == rows[0]["sari_p_value"] == rows[2]["sari_p_value"] == ""
    assert [row["system"] for row in rows[2:6]] == [f"baseline: {name}" for name in baselines[:4]]
    assert [row["compared_with"] for row in rows[:3]] == ["", "deleting", ""]
    stated = [rows[0][name] for name in ("signature", "method", "resamples", "trials", "seed", "comparisons")]
    assert stated == [SIGNATURE, "bootstrap", "10000", "10000", "12345", "1"]


@pytest.mark.parametrize("pairing", ["--paired-bs", "--all-pairs"])
def test_differences_of_measures_are_shown_with_units_and_intervals(printed, pairing):
    """Once, whatever the number of variants."""
    options = [pairing, "--confidence", "--resamples", "99", "--measures", "all", "--variant", "easse", "hf"]
    text, data, table = (printed(*TWO, *options, "--format", name) for name in ("markdown", "json", "csv"))
    report = json.loads(data)
    tests = report["pairs"][0] if pairing == "--all-pairs" else report["systems"][1]
    row = next(row for row in records(table) if row["sari_difference"])
    shown = [[cell.rstrip("*†") for cell in row[2:]] for row in tables(text)[_DIFFERENCES][3:]]
    assert len(shown) == len(report["measures"])
    for measure, cells in zip(report["measures"], shown, strict=True):
        name, form = measure["name"], f".{measure['digits']}f"
        difference = tests["differences"][name]
        assert float(row[f"{name}_difference"]) == difference
        low, high = (f"{end:{form}}" for end in tests["difference_intervals"][name])
        figures = [f"{difference:+{form}}{measure['unit']}", f"[{low}, {high}]", f"{tests['p_values'][name]:.4f}"]
        assert cells == ["", measure["label"], *figures]


@pytest.mark.parametrize("tests", ["--paired-ar", "--all-pairs"])
def test_a_single_segment_has_neither_intervals_nor_tests(tests, tmp_path, monkeypatch, capsys):
    """No caption promises an interval, and no p-value is 1 for a test that was not done."""
    arguments = write_example_of_the_paper(tmp_path)
    (tmp_path / "other.txt").write_text("about 95 species .\n")
    monkeypatch.chdir(tmp_path)
    given = [*arguments, "--outputs", "other.txt", "--confidence", tests, "--measures", "bleu"]
    assert (main(given), main([*given, "--format", "json"])) == (0, 0)
    text, _, data = capsys.readouterr().out.partition("\n{")
    report = json.loads("{" + data)
    assert not any(absent in text for absent in ("CI", "95%", "[", "p <", "1.0000", "two-sided", "Ranks"))
    assert {"p_values", "corrected_p_values", "confidence_intervals"}.isdisjoint(report["systems"][1])
    assert {"resampling", "pairs"}.isdisjoint(report)


def test_orders_and_steps_have_the_figures_of_the_metric(printed, sari):
    corpus = example_corpus()
    found = tables(printed(*TWO, "--by-order", "--why", "paper", "--format", "markdown"))
    details = sari.compute(
        **corpus | {"predictions": corpus["predictions"]["rewriting"]}, variant="easse", details=True
    )
    orders = [
        [str(row["order"]), name, *(f"{row[name][figure]:.2f}" for figure in ("precision", "recall", "f1", "score"))]
        for row in details["orders"]
        for name in ("keep", "delete", "add")
    ]
    assert found["SARI by n-gram order: easse, rewriting"][1:] == orders
    assert found["SARI from easse to paper, one choice at a time"][1:] == [
        ["easse", "56.40", "", "73.01", ""],
        ["deletion: f1 → precision", "60.61", "+4.22", "74.09", "+1.08"],
        ["averaging: F1 of each order, then the mean → mean over orders, then F1", "60.93", "+0.31", "74.27", "+0.18"],
        ["paper", "60.93", "+4.53", "74.27", "+1.27"],
    ]


def test_a_system_and_a_baseline_may_have_one_name(printed):
    given = [*EXAMPLE, "--outputs", "copy=examples/outputs.txt", "--baselines", "copy", "--measures", "added"]
    found = tables(printed(*given, "--format", "markdown"))
    assert [row[:2] for row in found[_SARI][1:]] == [["copy", "56.40"], ["baseline: copy", "15.38"]]
    assert found[_MEASURES] == [["Measure", "copy", "baseline: copy"], ["Words added", "0.132", "0.000"]]
    assert [row["system"] for row in records(printed(*given, "--format", "csv"))] == ["copy", "baseline: copy"]


def test_every_variant_has_its_own_best_and_its_differences_and_a_system_its_verdict(printed):
    given = [*ALL_VARIANTS, "--paired-ar", "--resamples", "99", "--format"]
    text, data = (printed(*given, name) for name in ("markdown", "json"))
    scores, differences = tables(text)[_SARI][1:], tables(text)[_DIFFERENCES][1:]
    assert [row[1] for row in scores] == [name for name in VARIANTS for _ in range(3)]
    assert [row[2] for row in differences] == [name for name in VARIANTS for _ in range(2)]
    for pair in zip(scores[::3], scores[1::3], strict=True):
        best = max(pair, key=lambda row: float(re.sub("[*†]", "", row[2])))
        assert [row for row in pair if row[2].startswith("**")] == [best]
    for name in ("rewriting", "c"):
        rows = [row for row in json.loads(data)["systems"] if row["name"] == name]
        counts = []
        for sign in (1, -1):
            differing = [row for row in rows if sign * row["differences"]["sari"] > 0]
            counts += [len(differing), sum(row["corrected_p_values"]["sari"] < 0.05 for row in differing)]
        higher = f"higher under {counts[0]} of {len(rows)} variants, significantly under {counts[1]}"
        assert f"{name} against deleting: {higher}; lower under {counts[2]}, significantly under {counts[3]}" in text


@pytest.mark.parametrize("pairing", ["--paired-ar", "--all-pairs"])
def test_p_values_are_corrected_over_the_systems_of_one_variant(printed_json, pairing):
    alone, among_others = (printed_json(*given, pairing, "--resamples", 999) for given in (THREE, ALL_VARIANTS))
    for key in ("systems", "pairs"):
        assert alone.get(key, []) == [row for row in among_others.get(key, []) if row["variant"] == "easse"]
    assert alone["resampling"] == among_others["resampling"]


def test_each_system_with_each(printed):
    arguments = [*THREE, "twin=examples/outputs.txt", "--all-pairs", "--format"]
    found = tables(printed(*arguments, "markdown"))
    assert [(row[0], *row[-2:]) for row in found[_SARI][1:]] == [
        ("rewriting", "1", "1"),
        ("deleting", "2", "2-3"),
        ("twin", "2", "2-3"),
        ("c", "3", "4"),
    ]
    assert [found[_DIFFERENCES][place][:4] for place in (1, 4)] == [
        ["rewriting", "deleting", "SARI", "+16.61*"],
        ["deleting", "twin", "SARI", "+0.00"],
    ]
    rows = records(printed(*arguments, "csv"))
    assert [(row["group"], row["first_rank"], row["last_rank"]) for row in rows[:2]] == [
        ("1", "1", "1"),
        ("2", "2", "3"),
    ]
    assert len(rows) == 4 + 6
    assert (rows[4]["system"], rows[4]["compared_with"], rows[4]["sari"]) == ("rewriting", "deleting", "")


def test_width_and_scores_alone(printed):
    assert printed(*TWO, "--score-only", "--width", 4) == "56.3966\n73.0084\n"
    lines = printed(*ALL_VARIANTS, "--score-only").splitlines()
    assert lines[0] == "59.36\tdeleting\thf"
    assert [line.split("\t")[1:] for line in lines[::3]] == [["deleting", variant] for variant in VARIANTS]
    for width, decimals in ((2, "92"), (4, "9249")):
        assert f"63.{decimals}" in printed(*ONE, "--measures", "bleu", "--width", width).split()


def test_nothing_to_show_is_refused(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert main([*ONE, "--confidence", "--show", "intervals"]) == 2
    message = "--show: got intervals, expected a score, measure or difference that there is"
    assert message in capsys.readouterr().err
