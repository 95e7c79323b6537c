"""What `score.py` prints of scores: the rows and notes of tables, the layout of one system, CSV records and JSON."""

import csv
import io
import re
from itertools import pairwise

import pytest
from programs import EXAMPLE, ROOT, SYSTEMS, VERSIONS, example_corpus, with_system, write_example_of_the_paper

from sari.command_line.program import main
from sari.sari_scorer import Scorer
from sari.variants import OPERATIONS, SCORES, VARIANTS

SIGNATURE = f"SARI|variant:easse|nrefs:2|case:lc|tok:13a|order:4|level:corpus|del:f1|zero:0|{VERSIONS}"
ONE = [*EXAMPLE, *SYSTEMS[:2]]
TWO = [*EXAMPLE, *SYSTEMS]
COPIES = "c=examples/sources.txt"
THREE = [*TWO, COPIES]
ALL_VARIANTS = [*EXAMPLE[:-2], *SYSTEMS, COPIES, "--all-variants"]


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


def test_one_system(printed):
    """Programs read this layout; the README has it without intervals."""
    rule = "=" * 50
    layout = [rule, "SARI Score Results", rule, "Number of samples: 10", ""]
    layout += ["  SARI:        56.4  [48.6, 63.7]", "    - Keep:    62.8  [54.3, 72.2]"]
    layout += ["    - Delete:  77.1  [67.6, 84.8]", "    - Add:     29.3  [21.1, 37.2]", rule, "", SIGNATURE]
    layout += ["", "90% CI: percentile bootstrap over segments, 1,000 resamples, seed 3", ""]
    given = ["--confidence", "0.9", "--resamples", "1000", "--seed", "3", "--width", "1"]
    assert printed(*ONE, *given).split("\n") == layout


_SARI, _DIFFERENCES, _MEASURES = "SARI of 10 segments", "Differences between systems", "Companion measures"
_STEPS = "SARI from easse to paper, one choice at a time"


@pytest.mark.parametrize(
    ("given", "headings"),
    [
        (
            f"{COPIES} --paired-ar --confidence",
            {_SARI: "System|SARI|95% CI|Keep|Delete|Add", _DIFFERENCES: "System|Against|Score|Diff.|95% CI|p|corr. p"},
        ),
        (
            "--all-pairs --variant easse hf",
            {
                _SARI: "System|Variant|SARI|Keep|Delete|Add|Group|Ranks",
                _DIFFERENCES: "System|Against|Variant|Score|Diff.|p",
            },
        ),
        (
            "--measures bleu --confidence --show sari intervals bleu",
            {_SARI: "System|SARI|95% CI", _MEASURES: "Measure|deleting|95% CI|rewriting|95% CI"},
        ),
        (
            "--measures bleu chrf added deleted splits --show bleu chrf added deleted splits --baselines",
            {
                f"{_MEASURES} (1 of 2)": "System|BLEU ↑|chrF2 ↑|Words added|Words deleted",
                f"{_MEASURES} (2 of 2)": "System|Inputs split",
            },
        ),
        ("--all-pairs --confidence --show keep group", {_SARI: "System|Keep|Group"}),
        ("--paired-ar --show p --measures bleu", {_DIFFERENCES: "System|Against|Score|p"}),
        (
            f"{COPIES} a=examples/outputs.txt b=examples/outputs.txt --why paper --show delete",
            {
                _SARI: "System|Delete",
                f"{_STEPS} (1 of 2)": "Choice|deleting|Change|rewriting|Change|c|Change|a|Change",
                f"{_STEPS} (2 of 2)": "Choice|b|Change",
            },
        ),
    ],
)
def test_tables_have_what_is_asked_for(printed, given, headings):
    found = tables(printed(*TWO, *given.split(), "--format", "markdown"))
    assert {title: "|".join(rows[0]) for title, rows in found.items()} == headings


def test_rows_of_a_comparison(printed):
    """Text has ^ at the best of the systems that compete; baselines and what is worse follow."""
    given = [*THREE, "--paired-bs", "--confidence", "--baselines", "--measures", "bleu", "ter", "--resamples", "999"]
    text = printed(*given)
    rows = [re.split(r" {2,}", line) for line in text.splitlines()]
    scores, differences, measures = (rows[rows.index([title]) + 2 :] for title in (_SARI, _DIFFERENCES, _MEASURES))
    assert scores[:3] == [
        ["deleting", "56.40", "[47.74, 64.66]", "62.78", "77.07", "29.35"],
        ["rewriting", "73.01*^", "[69.25, 76.71]", "76.41*^", "88.94*^", "53.68*^"],
        ["c", "15.38†", "[12.55, 17.71]", "46.14†", "0.00†", "0.00†"],
    ]
    assert scores[4] == ["baseline: copy", "15.38", "[12.55, 17.71]", "46.14", "0.00", "0.00"]
    assert differences[0] == ["rewriting", "deleting", "SARI", "+16.61*", "[7.36, 27.32]", "0.0040", "0.0040"]
    pairs = [(row[0], row[2]) for row in differences[1:4]]
    assert pairs == [("c", "SARI"), ("rewriting", "BLEU"), ("c", "BLEU")]
    assert [row[:2] for row in measures[:3]] == [["deleting", "63.92"], ["rewriting", "77.12"], ["c", "40.59†"]]
    assert (measures[0][2][0], measures[3]) == ("[", [""])
    assert measures[8] == ["baseline: references", "20.80", "65.60"]  # a mean has no interval
    assert any("10 segments" in warning for warning in printed.warnings)
    assert "Out of" not in printed(*EXAMPLE, "--outputs", COPIES, "--baselines", "empty")  # nothing competes with it


@pytest.mark.parametrize(
    ("given", "present", "absent"),
    [
        (
            f"{COPIES} --paired-bs --confidence --resamples 999",
            ["lower than deleting: corrected p < 0.05", "copy their sources: c", "999 resamples, seed 12345; those of"],
            ["Baselines:", "higher under"],
        ),
        ("--paired-ar --baselines copy references --confidence", ["deleting: p < 0.05", "copy, the"], ["corrected"]),
        (f"{COPIES} --paired-ar --measures bleu", ["2 comparisons within each score,", "BLEU|"], ["95%"]),
        (f"{COPIES} --paired-ar --variant easse hf --measures bleu", ["2 comparisons within each variant and"], []),
        ("--paired-ar --variant easse hf", ["not corrected across variants"], ["Corrected p", "Out of"]),
        (f"{COPIES} --all-pairs", ["Group: ", "Ranks: ", "each system against each", "10,000 trials"], []),
        # What is not shown is not spoken of.
        (f"{COPIES} --all-pairs --confidence --show sari p", ["against each;"], ["Group: ", "Ranks: ", "95% CI"]),
        ("--all-pairs --show keep", [], ["Tests: ", "Null hypothesis"]),
        ("--all-pairs --show keep group", ["Tests: "], []),
        ("--measures bleu chrf --show keep bleu", ["BLEU: ", "BLEU|", "SARI|"], ["chrF2"]),
        ("--measures bleu chrf --show bleu", ["BLEU|"], ["SARI", "chrF2"]),
        ("--measures bleu --show bleu --by-order", ["BLEU|", "SARI|"], []),
        ("--paired-ar --measures bleu --show bleu difference", ["deleting BLEU +13.20", "BLEU|"], ["SARI"]),
        ("--paired-ar --measures bleu --show sari difference", ["Tests: ", "SARI|"], ["BLEU"]),
        ("--paired-ar --measures bleu --show keep p", ["deleting Keep 0.0"], ["BLEU", "deleting SARI"]),
        ("--paired-ar --measures bleu --show difference", ["BLEU: ", "BLEU|", "SARI +16.61", "SARI|"], ["Keep"]),
    ],
)
def test_notes_and_signatures_are_about_what_is_shown(printed, given, present, absent):
    text = re.sub(" +", " ", printed(*TWO, *given.split()))
    assert [fact for fact in present if fact not in text] == []
    assert [fact for fact in absent if fact in text] == []


def test_csv_has_the_figures_of_json_whatever_was_asked_for(printed, printed_json):
    baselines = ["copy", "empty", "unrelated", "perfect", "references", "each"]
    given = [*TWO, "--paired-bs", "--confidence", "--baselines", *baselines]
    report, rows = printed_json(*given), records(printed(*given, "--format", "csv"))
    for row, known in zip(rows, [*report["systems"], *report["baselines"]], strict=True):
        for score in SCORES:
            low, high = known.get("confidence_intervals", {}).get(score, ("", ""))
            least, most = known.get("difference_intervals", {}).get(score, ("", ""))
            figures = {"": known["scores"][score], "_low": low, "_high": high}
            figures |= {"_difference_low": least, "_difference_high": most}
            figures["_p_value"] = known.get("p_values", {}).get(score, "")
            assert {name: row[score + name] for name in figures} == {name: str(one) for name, one in figures.items()}
    assert [row["system"] for row in rows[2:6]] == [f"baseline: {name}" for name in baselines[:4]]
    kinds = [("system", ""), ("system", "deleting"), ("baseline", "")]
    assert [(row["kind"], row["compared_with"]) for row in rows[:3]] == kinds
    stated = [rows[0][name] for name in ("signature", "method", "resamples", "trials", "seed", "comparisons")]
    assert stated == [SIGNATURE, "bootstrap", "10000", "10000", "12345", "1"]
    (alone,) = records(printed(*ONE, "--format", "csv"))
    assert list(alone) == list(rows[0])
    assert alone["sari_low"] == alone["sari_p_value"] == ""
    single = printed_json(*ONE)
    assert list(single) == ["systems"]
    assert single["systems"][0] == {
        name: value for name, value in report["systems"][0].items() if name != "confidence_intervals"
    }


@pytest.mark.parametrize("pairing", ["--paired-bs", "--all-pairs"])
def test_differences_of_measures_are_shown_with_units_and_intervals(printed, printed_json, pairing):
    """Once, whatever the number of variants."""
    options = [pairing, "--confidence", "--resamples", "99", "--measures", "all", "--variant", "easse", "hf"]
    text, report = printed(*TWO, *options, "--format", "markdown"), printed_json(*TWO, *options)
    tests = report["pairs"][0] if pairing == "--all-pairs" else report["systems"][1]
    shown = [[cell.rstrip("*†") for cell in row[2:]] for row in tables(text)[_DIFFERENCES][3:]]
    expected = []
    for measure in report["measures"]:
        name, form = measure["name"], f".{measure['digits']}f"
        low, high = (f"{end:{form}}" for end in tests["difference_intervals"][name])
        figures = [f"{tests['differences'][name]:+{form}}{measure['unit']}", f"[{low}, {high}]"]
        expected.append(["", measure["label"], *figures, f"{tests['p_values'][name]:.4f}"])
    assert shown == expected


@pytest.mark.parametrize("tests", ["--paired-ar", "--all-pairs"])
def test_a_single_segment_has_neither_intervals_nor_tests(tests, tmp_path, monkeypatch, capsys):
    """No caption promises an interval, and no p-value is 1 for a test that was not done."""
    arguments = write_example_of_the_paper(tmp_path)
    (tmp_path / "other.txt").write_text("about 95 species .\n")
    monkeypatch.chdir(tmp_path)
    given = [*arguments, "--outputs", "other.txt", "--confidence", tests, "--measures", "bleu", "--baselines"]
    assert (main(given), main([*given, "--format", "json"])) == (0, 0)
    text, _, data = capsys.readouterr().out.partition("\n{")
    assert not any(absent in text for absent in ("CI", "95%", "[", "p <", "1.0000", "two-sided", "Ranks"))
    absent = ("p_values", "confidence_intervals", "resampling", "pairs")
    assert [name for name in absent if f'"{name}"' in data] == []


def test_orders_and_steps_have_the_figures_of_the_metric(printed, printed_json):
    given = ["--by-order", "--why", "paper", "--format", "markdown"]
    found, report = tables(printed(*TWO, *given)), printed_json(*TWO, "--why", "paper")
    details = Scorer("easse").compute(**with_system(example_corpus(), "rewriting"), details=True)
    orders = [
        [str(row["order"]), name, *(f"{row[name][figure]:.2f}" for figure in ("precision", "recall", "f1", "score"))]
        for row in details["orders"]
        for name in OPERATIONS
    ]
    assert found["SARI by n-gram order: easse, rewriting"][1:] == orders
    assert report["systems"][1]["orders"] == details["orders"]
    assert [row["name"] for row in report["explanations"]] == ["deleting", "rewriting"]
    assert report["explanations"][0]["steps"][0]["sari"] == report["systems"][0]["scores"]["sari"]
    assert found[_STEPS][1:] == [
        ["easse", "56.40", "", "73.01", ""],
        ["deletion: f1 → precision", "60.61", "+4.22", "74.09", "+1.08"],
        ["averaging: F1 of each order, then the mean → mean over orders, then F1", "60.93", "+0.31", "74.27", "+0.18"],
        ["paper", "60.93", "+4.53", "74.27", "+1.27"],
    ]
    of_one = tables(printed(*ONE, *given))
    assert ("SARI by n-gram order: easse" in of_one, of_one[_STEPS][0][1]) == (True, "deleting")


def test_a_system_and_a_baseline_may_have_one_name(printed, tmp_path):
    """The baseline has no numbers of the system."""
    (tmp_path / "own.tsv").write_text("copy\n" + "1\n" * 10)
    given = ["--outputs", "copy=examples/outputs.txt", "--own-measure", f"mine={tmp_path / 'own.tsv'}"]
    given += ["--baselines", "copy", "empty", "references", "--measures", "added"]
    found = tables(printed(*EXAMPLE, *given, "--format", "markdown"))
    assert [row[:2] for row in found[_SARI][1:3]] == [["copy", "56.40"], ["baseline: copy", "15.38"]]
    assert found[_MEASURES] == [
        ["Measure", "copy", "baseline: copy", "baseline: empty", "baseline: references"],
        ["Words added", "0.132", "0.000", "0.000", "0.323"],
        ["mine", "1.000", "", "", ""],
    ]


def test_every_variant_has_its_own_best_and_its_differences_and_a_system_its_verdict(printed, printed_json):
    given = [*ALL_VARIANTS, "--paired-ar", "--resamples", "99"]
    text, report = printed(*given, "--format", "markdown"), printed_json(*given)
    scores, differences = tables(text)[_SARI][1:], tables(text)[_DIFFERENCES][1:]
    assert [row[1] for row in scores] == [name for name in VARIANTS for _ in range(3)]
    assert [row[2] for row in differences] == [name for name in VARIANTS for _ in range(2)]
    for pair in zip(scores[::3], scores[1::3], strict=True):
        best = max(pair, key=lambda row: float(re.sub("[*†]", "", row[2])))
        assert [row for row in pair if row[2].startswith("**")] == [best]
    for name in ("rewriting", "c"):
        rows = [row for row in report["systems"] if row["name"] == name]
        counts = []
        for sign in (1, -1):
            differing = [row for row in rows if sign * row["differences"]["sari"] > 0]
            counts += [len(differing), sum(row["corrected_p_values"]["sari"] < 0.05 for row in differing)]
        higher = f"higher under {counts[0]} of {len(rows)} variants, significantly under {counts[1]}"
        assert f"{name} against deleting: {higher}; lower under {counts[2]}, significantly under {counts[3]}" in text


def test_each_system_with_each(printed):
    arguments = [*THREE, "twin=examples/outputs.txt", "--all-pairs", "--format"]
    found = tables(printed(*arguments, "markdown"))
    ranks = [("rewriting", "1", "1"), ("deleting", "2", "2-3"), ("twin", "2", "2-3"), ("c", "3", "4")]
    assert [(row[0], *row[-2:]) for row in found[_SARI][1:]] == ranks
    assert [found[_DIFFERENCES][place][:4] for place in (1, 4)] == [
        ["rewriting", "deleting", "SARI", "+16.61*"],
        ["deleting", "twin", "SARI", "+0.00"],
    ]
    rows = records(printed(*arguments, "csv"))
    assert len(rows) == 4 + 6
    assert [rows[1][name] for name in ("group", "first_rank", "last_rank")] == ["2", "2", "3"]
    pair = [rows[4][name] for name in ("kind", "system", "compared_with", "sari")]
    assert pair == ["pair", "rewriting", "deleting", ""]


def test_width_and_scores_alone(printed):
    lines = printed(*ALL_VARIANTS, "--score-only").splitlines()
    assert lines[0] == "59.36\tdeleting\thf"
    assert [line.split("\t")[1:] for line in lines[::3]] == [["deleting", variant] for variant in VARIANTS]
    for width, figures in ((0, {"64", "10%"}), (2, {"63.92", "10.0%"}), (4, {"63.9249", "10.000%"})):
        assert figures <= set(printed(*ONE, "--measures", "bleu", "exact_copies", "--width", width).split())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("intervals", "got intervals, expected a score, measure or difference that there is"),
        ("sair", "got 'sair'; did you mean 'sari'?"),
    ],
)
def test_names_of_nothing_to_show_are_refused(monkeypatch, capsys, name, message):
    monkeypatch.chdir(ROOT)
    assert main([*ONE, "--confidence", "--show", name]) == 2
    assert f"--show: {message}" in capsys.readouterr().err
