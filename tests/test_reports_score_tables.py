"""What `score.py` prints of scores: the rows and notes of tables, the layout of one system, CSV records and JSON."""

import csv
import io
import json
import re

import oracle
import pytest
from programs import (
    EXAMPLE,
    OUTPUT,
    REFERENCES,
    ROOT,
    SOURCE,
    SYSTEMS,
    VERSIONS,
    example_corpus,
    write_example_of_the_paper,
)

from sari.command_line.program import main
from sari.variants import SCORES, VARIANTS

SIGNATURE = f"SARI|variant:easse|nrefs:2|case:lc|tok:13a|order:4|level:corpus|del:f1|zero:0|{VERSIONS}"
COPIES = "c=examples/sources.txt"
SYSTEM_NAMES = ("deleting", "rewriting")


@pytest.fixture
def paper(tmp_path, monkeypatch, capsys):
    """Return what prints the scores of the example of the paper."""
    arguments = write_example_of_the_paper(tmp_path)
    monkeypatch.chdir(tmp_path)

    def printed(*options):
        assert main([*arguments, *options]) == 0
        return capsys.readouterr().out

    return printed


def summary(samples, *scores):
    """Return the layout of the scores of one system."""
    rule = "=" * 50
    names = ["  SARI:        ", "    - Keep:    ", "    - Delete:  ", "    - Add:     "]
    lines = [name + score for name, score in zip(names, scores, strict=True)]
    return "\n".join([rule, "SARI Score Results", rule, f"Number of samples: {samples}", "", *lines, rule])


def cells(text):
    """Return the cells of the lines of tables: intervals in brackets, and words."""
    return [re.findall(r"\[.*?\]|\S+", line) for line in text.splitlines() if line.strip() and line[:2] != "^ "]


def rows_below(text, *headings):
    """Return the cells of the lines that follow a header."""
    rows = cells(text)
    return rows[rows.index(list(headings)) + 1 :]


def markdown_tables(text):
    """Return the tables of a text in Markdown, each as rows of cells, the header first."""
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    return [
        [[cell.strip() for cell in line.split("|")[1:-1]] for line in (header, *lines)] for header, _, *lines in tables
    ]


def has_all(text, *facts):
    """Return whether facts are in a text, wherever its lines are broken."""
    text = " ".join(text.split())
    return [fact for fact in facts if fact not in text] == []


def test_one_system(paper, printed):
    signature = f"SARI|variant:easse|nrefs:3|case:lc|tok:13a|order:4|level:corpus|del:f1|zero:0|{VERSIONS}"
    assert paper() == f"{summary(1, '31.35', '22.53', '63.19', '8.33')}\n\n{signature}\n"
    example = printed(*EXAMPLE[:-2], "--outputs", "examples/outputs.txt")
    assert example.startswith(summary(10, "56.40", "62.78", "77.07", "29.35") + "\n\nSARI|")
    assert printed.warnings == []


def test_orders(paper):
    text = paper("--by-order", "--max-order", "2")
    assert rows_below(text, "Order", "Operation", "Precision", "Recall", "F1", "Score")[:6] == [
        ["1", "keep", "88.89", "47.06", "61.54", "61.54"],
        ["1", "delete", "25.00", "75.00", "37.50", "37.50"],
        ["1", "add", "25.00", "50.00", "33.33", "33.33"],
        ["2", "keep", "66.67", "18.18", "28.57", "28.57"],
        ["2", "delete", "40.00", "85.71", "54.55", "54.55"],
        ["2", "add", "0.00", "0.00", "0.00", "0.00"],
    ]


def test_all_variants(paper):
    table, signatures, *_ = paper("--all-variants").split("\n\n")
    _, header, *lines = table.splitlines()
    assert header.split() == ["Variant", "SARI", "Keep", "Delete", "Add"]
    scores = {name: oracle.score([SOURCE], [OUTPUT], [REFERENCES], variant=name) for name in VARIANTS}
    assert [line.split() for line in lines] == [
        [name, *(f"{own[score]:.2f}" for score in SCORES)] for name, own in scores.items()
    ]
    assert [line.split("|")[1] for line in signatures.splitlines()] == [f"variant:{name}" for name in VARIANTS]


def test_json_has_one_schema_at_full_precision(paper, sari):
    one = json.loads(paper("--format", "json"))
    several = json.loads(paper("--format", "json", "--all-variants", "--by-order"))
    details = sari.compute(
        sources=[SOURCE], predictions=[OUTPUT], references=[REFERENCES], variant="easse", details=True
    )
    assert one == {
        "systems": [
            {
                "name": "o",
                "variant": "easse",
                "segments": 1,
                "signature": details["signature"],
                "scores": {name: details[name] for name in SCORES},
                "orders": details["orders"],
                "copies": False,
            }
        ]
    }
    assert [system for system in several["systems"] if system["variant"] == "easse"] == one["systems"]
    assert [system["variant"] for system in several["systems"]] == list(sari.variants)


def test_a_comparison(printed):
    options = ["--paired-bs", "--confidence", "--baselines", "copy,references", "--resamples", "999"]
    text = printed(*EXAMPLE, *SYSTEMS, *options)
    assert rows_below(text, "System", "SARI", "95%", "CI", "Keep", "Delete", "Add")[:4] == [
        ["deleting", "56.40", "[47.74, 64.66]", "62.78", "77.07", "29.35"],
        ["rewriting", "73.01*^", "[69.25, 76.71]", "76.41*^", "88.94*^", "53.68*^"],
        ["baseline:", "copy", "15.38", "[12.55, 17.71]", "46.14", "0.00", "0.00"],
        ["baseline:", "references", "50.79", "[45.31, 56.62]", "50.64", "80.50", "21.24"],
    ]
    assert rows_below(text, "System", "Against", "Score", "Diff.", "95%", "CI", "p")[:2] == [
        ["rewriting", "deleting", "SARI", "+16.61*", "[7.36, 27.32]", "0.0040"],
        [SIGNATURE],
    ]
    notes = text.partition(f"\n{SIGNATURE}\n")[2]
    assert re.findall(r"^([*^†])", notes, re.MULTILINE) == ["*", "^"]
    facts = ("95% CI: ", "paired bootstrap", "999 resamples", "seed 12345", "two-sided", "than deleting", "p < 0.05")
    assert has_all(notes, *facts, "copy, ", "references, ")
    assert "not corrected" not in notes
    (warning,) = printed.warnings
    assert has_all(warning, "intervals", "p-values", "10 segments")


def test_what_is_worse_has_a_mark_of_its_own(printed):
    text = printed(*EXAMPLE, *SYSTEMS, COPIES, "--paired-ar", "--confidence", "--measures", "bleu")
    rows = {row[0]: row for row in rows_below(text, "System", "SARI", "95%", "CI", "Keep", "Delete", "Add")[:3]}
    assert rows["rewriting"][1] == "73.01*^"
    assert "15.38†" in rows["c"]
    (note,) = [line for line in text.splitlines() if line.startswith("* ")]
    assert has_all(note, "higher", "† significantly lower", "deleting", "corrected p < 0.05")
    assert has_all(text, "those of differences are not corrected")


def test_measures_are_rows_and_their_differences_stand_next_to_those_of_sari(printed):
    asked = [*EXAMPLE, *SYSTEMS, COPIES, "--confidence", "--paired-ar", "--baselines", "--measures", "bleu", "ter"]
    text = printed(*asked)
    scores, differences, measures = (
        rows_below(text, "System", "SARI", "95%", "CI", "Keep", "Delete", "Add"),
        rows_below(text, "System", "Against", "Score", "Diff.", "95%", "CI", "p", "corr.", "p"),
        cells(text.partition("Companion measures")[2])[1:],
    )
    assert [row[0] for row in scores[:3]] == ["deleting", "rewriting", "c"]
    assert [row[:3] for row in differences[:4]] == [
        [system, "deleting", score] for score in ("SARI", "BLEU") for system in ("rewriting", "c")
    ]
    assert [row[:2] for row in measures[:2]] == [["BLEU", "↑"], ["TER", "↓"]]
    assert len(measures[0]) == 2 + 6 * 2 + 1  # the mean of the references has no interval
    assert [cell for cell in measures[0] if cell.endswith("†")] == ["40.59†"]


def test_intervals_of_one_system(printed):
    text = printed(*EXAMPLE, *SYSTEMS[:2], "--confidence", "0.9", "--resamples", "1000", "--seed", "3")
    scores = ("56.40  [48.62, 63.73]", "62.78  [54.25, 72.23]", "77.07  [67.56, 84.81]", "29.35  [21.14, 37.18]")
    begin = f"{summary(10, *scores)}\n\n{SIGNATURE}\n\n"
    assert text.startswith(begin)
    assert has_all(text.removeprefix(begin), "90% CI: ", "bootstrap", "1,000 resamples", "seed 3")


def test_an_explanation_of_variants_is_one_table_of_all_systems(printed):
    text = printed(*EXAMPLE, *SYSTEMS, "--why", "paper")
    first, deletion, averaging, _, last, *_ = rows_below(text, "Choice", "deleting", "Change", "rewriting", "Change")
    assert first == ["easse", "56.40", "73.01"]
    assert deletion == ["deletion:", "f1", "→", "precision", "60.61", "+4.22", "74.09", "+1.08"]
    assert [averaging[0], averaging[-4:-2]] == ["averaging:", ["60.93", "+0.31"]]
    assert [last[0], last[1:3]] == ["paper", ["60.93", "+4.53"]]


def test_csv_has_the_same_columns_whatever_was_asked_for(printed, sari):
    options = ["--paired-ar", "--confidence", "--baselines", "--format", "csv"]
    (alone,) = csv.DictReader(io.StringIO(printed(*EXAMPLE, *SYSTEMS[:2], "--format", "csv")))
    rows = list(csv.DictReader(io.StringIO(printed(*EXAMPLE, *SYSTEMS, *options))))
    assert list(alone) == list(rows[0])
    assert alone["sari_low"] == alone["sari_p_value"] == rows[0]["sari_p_value"] == rows[2]["sari_p_value"] == ""
    assert [row["system"] for row in rows] == [
        *SYSTEM_NAMES,
        *(f"baseline: {name}" for name in ("copy", "empty", "unrelated", "references")),
    ]
    assert [row["compared_with"] for row in rows[:3]] == ["", "deleting", ""]
    expected = sari.with_options(variant="easse").compare(**example_corpus(), method="randomization")
    own, row = expected["systems"]["rewriting"], rows[1]
    figures = {"sari": own["sari"], "keep_p_value": own["p_values"]["keep"]}
    figures["keep_corrected_p_value"] = own["corrected_p_values"]["keep"]
    figures["keep_difference_high"] = own["difference_intervals"]["keep"][1]
    figures["add_low"] = own["confidence_intervals"]["add"][0]
    assert {name: float(row[name]) for name in figures} == figures
    stated = [row[name] for name in ("signature", "method", "resamples", "trials", "seed", "comparisons")]
    assert stated == [expected["signature"], "randomization", "10000", "10000", "12345", "1"]


def test_json_of_a_comparison(printed_json, sari):
    baselines = ["--baselines", "copy", "empty", "unrelated", "references", "each"]
    options = ["--paired-bs", "--confidence", *baselines, "--why", "hf"]
    report = printed_json(*EXAMPLE, *SYSTEMS, *options)
    expected = sari.with_options(variant="easse").compare(**example_corpus(), method="bootstrap", details=True)
    assert list(report) == ["systems", "baselines", "explanations", "warnings", "resampling"]
    for system, (name, scores) in zip(report["systems"], expected["systems"].items(), strict=True):
        assert system["name"] == name
        assert system["scores"] == {score: scores[score] for score in SCORES}
        for key in ("orders", "confidence_intervals", "differences", "difference_intervals", "corrected_p_values"):
            assert system.get(key) == scores.get(key)
    columns = {name: column for name, column in example_corpus().items() if name != "predictions"}
    assert {row["name"]: row["scores"] for row in report["baselines"]} == sari.with_options(variant="easse").baselines(
        **columns
    )
    assert report["resampling"] == {key: expected[key] for key in report["resampling"]}
    assert [row["name"] for row in report["explanations"]] == ["deleting", "rewriting"]
    assert report["explanations"][0]["steps"][0]["sari"] == report["systems"][0]["scores"]["sari"]


@pytest.mark.parametrize("pairing", ["--paired-bs", "--all-pairs"])
def test_differences_of_measures_are_shown_with_units_and_intervals(printed, pairing):
    options = [pairing, "--confidence", "--resamples", "99", "--measures", "all"]
    text, *data = (printed(*EXAMPLE, *SYSTEMS, *options, "--format", name) for name in ("text", "json", "csv"))
    report = json.loads(data[0])
    tests = report["pairs"][0] if pairing == "--all-pairs" else report["systems"][1]
    *_, row = csv.DictReader(io.StringIO(data[1]))
    lines = [line.replace("*", " ").replace("†", " ").split() for line in text.splitlines()]
    for measure in report["measures"]:
        name, form = measure["name"], f".{measure['digits']}f"
        difference = tests["differences"][name]
        assert float(row[f"{name}_difference"]) == difference
        low, high = (f"{end:{form}}" for end in tests["difference_intervals"][name])
        figures = f"{difference:+{form}}{measure['unit']} [{low}, {high}] {tests['p_values'][name]:.4f}"
        assert figures.split() in [line[-4:] for line in lines], figures


@pytest.mark.parametrize("tests", [["--paired-ar"], ["--all-pairs"]])
def test_a_single_segment_has_neither_intervals_nor_tests(paper, tests, tmp_path):
    """No caption promises an interval, and no p-value is 1 for a test that was not done."""
    (tmp_path / "other.txt").write_text("about 95 species .\n")
    outputs = ["--outputs", "other.txt"]
    text = paper(*outputs, "--confidence", *tests, "--measures", "bleu")
    report = json.loads(paper(*outputs, "--confidence", *tests, "--format", "json"))
    assert not any(absent in text for absent in ("CI", "95%", "[", "p <", "1.0000", "two-sided"))
    assert {"p_values", "corrected_p_values", "confidence_intervals"}.isdisjoint(report["systems"][1])
    assert {"resampling", "pairs"}.isdisjoint(report)


def test_a_choice_of_columns(printed):
    """The names choose columns of scores, and rows and columns of differences."""
    options = ["--paired-ar", "--confidence", "--measures", "all", "--resamples", "50", "--format", "markdown"]

    def shown(*names):
        text = re.sub(r"[*\\]", "", printed(*EXAMPLE, *SYSTEMS, *options, "--show", *names))
        return [*markdown_tables(text), "\n".join(re.findall("^- .*", text, re.MULTILINE))]

    scores, differences, measures, notes = shown("p,sari,bleu")
    assert [scores[0], differences[0]] == [["System", "SARI"], ["System", "Against", "Score", "p"]]
    assert [row[2] for row in differences[1:]] == ["SARI", "BLEU"]
    assert [row[0] for row in measures] == ["Measure", "BLEU ↑"]
    assert has_all(notes, "randomization", "- BLEU: ", "- bold: ")
    assert not any(absent in notes for absent in ("95%", "Diff.", "grade", "Corrected p"))
    scores, notes = shown("sari", "intervals")
    assert [scores[0], len(scores)] == [["System", "SARI", "95% CI"], 3]
    assert "[" in scores[1][2]
    assert has_all(notes, "95%", "randomization")  # whether anything was found or not


def test_each_note_stands_once(printed):
    """In LaTeX, how figures were computed is in the paragraph alone."""
    options = ["--paired-ar", "--confidence", "--measures", "all", "--resamples", "20"]
    for name in ("markdown", "latex"):
        text = " ".join(printed(*EXAMPLE, *SYSTEMS, *options, "--format", name).split())
        assert [text.count(fact) for fact in ("20 trials", "sacreBLEU")] == [1, 1]


def test_a_system_and_a_baseline_may_have_one_name(printed):
    given = [*EXAMPLE, "--outputs", "copy=examples/outputs.txt", "--baselines", "copy", "--measures", "added"]
    text = printed(*given)
    assert [row[:2] for row in rows_below(text, "System", "SARI", "Keep", "Delete", "Add")[:2]] == [
        ["copy", "56.40"],
        ["baseline:", "copy"],
    ]
    assert rows_below(text, "Measure", "copy", "baseline:", "copy")[0] == ["Words", "added", "0.132", "0.000"]
    rows = csv.DictReader(io.StringIO(printed(*given, "--format", "csv")))
    assert [row["system"] for row in rows] == ["copy", "baseline: copy"]


def test_every_variant_of_several_systems_has_its_own_best_and_its_differences(printed):
    text = printed(*EXAMPLE[:-2], *SYSTEMS, "--all-variants", "--paired-ar", "--resamples", "99")
    scores, differences, *_ = text.split("\n\n")
    rows = rows_below(scores, "System", "Variant", "SARI", "Keep", "Delete", "Add")
    assert [row[1] for row in rows] == [name for name in VARIANTS for _ in SYSTEM_NAMES]
    assert [row[2] for row in rows_below(differences, "System", "Against", "Variant", "Score", "Diff.", "p")] == [
        *VARIANTS
    ]
    for pair in zip(rows[::2], rows[1::2], strict=True):
        best = max(pair, key=lambda row: float(row[2].strip("*^")))
        assert [row for row in pair if row[2].endswith("^")] == [best]


@pytest.mark.parametrize("pairing", ["--paired-ar", "--all-pairs"])
def test_p_values_are_corrected_over_the_systems_of_one_variant(printed_json, pairing):
    arguments = [*EXAMPLE[:-2], *SYSTEMS, COPIES, pairing, "--resamples", 999]
    alone = printed_json(*arguments, "--variant", "easse")
    among_others = printed_json(*arguments, "--all-variants")
    for key in ("systems", "pairs"):
        assert alone.get(key, []) == [row for row in among_others.get(key, []) if row["variant"] == "easse"]
    assert alone["resampling"] == among_others["resampling"]


def test_each_system_with_each(printed):
    arguments = [*EXAMPLE, *SYSTEMS, COPIES, "twin=examples/outputs.txt", "--all-pairs"]
    scores, pairs, _, notes = (block.splitlines() for block in printed(*arguments).strip().split("\n\n"))
    ranks = [(line.split()[0], *line.split()[-2:]) for line in scores[2:]]
    assert ranks == [("rewriting", "1", "1"), ("deleting", "2", "2-3"), ("twin", "2", "2-3"), ("c", "3", "4")]
    assert has_all(
        " ".join(notes),
        "^ the best of the column among the systems that compete",
        "two-sided",
        "paired approximate randomization",
        "10,000 trials",
    )
    assert pairs[1].split() == ["System", "Against", "Score", "Diff.", "p", "corr.", "p"]
    assert [line.split()[:4] for line in (pairs[2], pairs[5])] == [
        ["rewriting", "deleting", "SARI", "+16.61*"],
        ["deleting", "twin", "SARI", "+0.00"],
    ]
    rows = list(csv.DictReader(io.StringIO(printed(*arguments, "--format", "csv"))))
    assert [(row["group"], row["first_rank"], row["last_rank"]) for row in rows[:2]] == [
        ("1", "1", "1"),
        ("2", "2", "3"),
    ]
    assert len(rows) == 4 + 6
    assert (rows[4]["system"], rows[4]["compared_with"], rows[4]["sari"]) == ("rewriting", "deleting", "")


def test_width_and_scores_alone(printed):
    assert printed(*EXAMPLE, *SYSTEMS, "--score-only", "--width", 4) == "56.3966\n73.0084\n"
    sari, interval, keep, *_ = rows_below(
        printed(*EXAMPLE, *SYSTEMS, "--width", 1, "--confidence"),
        *["System", "SARI", "95%", "CI", "Keep", "Delete", "Add"],
    )[0][1:]
    assert [sari, keep] == ["56.4", "62.8"]
    assert re.fullmatch(r"\[47\.\d, 64\.\d\]", interval)
    lines = printed(*EXAMPLE[:-2], *SYSTEMS, "--score-only", "--all-variants").splitlines()
    assert lines[0] == "59.36\tdeleting\thf"
    assert [line.split("\t")[1:] for line in lines] == [
        [system, variant] for variant in VARIANTS for system in SYSTEM_NAMES
    ]
    score, measure = (printed(*EXAMPLE, *SYSTEMS[:2], "--measures", "bleu", "--width", width) for width in (2, 4))
    assert [re.findall(r"BLEU ↑ +(\S+)", text)[0].partition(".")[2] for text in (score, measure)] == ["92", "9249"]


@pytest.mark.parametrize("name", ["text", "markdown", "latex"])
@pytest.mark.parametrize("systems", [SYSTEMS[:2], SYSTEMS])
def test_a_table_has_only_what_is_asked_for(printed, name, systems):
    """A table without a score is left out, and the only score of a table has its own name."""
    text = printed(*EXAMPLE, *systems, "--measures", "bleu", "--show", "bleu", "--format", name)
    assert "BLEU" in text
    assert not re.search(r"SARI of|SARI Score|\bKeep\b", text)
    if systems == SYSTEMS[:2] and name == "text":
        assert "    - Keep:    62.78\n" in printed(*EXAMPLE, *systems, "--show", "keep")


def test_nothing_to_show_is_refused(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert main([*EXAMPLE, *SYSTEMS[:2], "--confidence", "--show", "intervals"]) == 2
    message = "--show: got intervals, expected a score, measure or difference that there is"
    assert message in capsys.readouterr().err


def test_several_variants_have_a_verdict_for_each_system(printed):
    given = [*EXAMPLE[:-2], *SYSTEMS, COPIES, "--all-variants", "--paired-ar", "--resamples", "99"]
    text, data = (" ".join(printed(*given, "--format", name).split()) for name in ("text", "json"))
    assert "for 2 comparisons within each variant, not across them (Holm 1979)" in text
    for name in ("rewriting", "c"):
        rows = [row for row in json.loads(data)["systems"] if row["name"] == name]
        counts = []
        for sign in (1, -1):
            differing = [row for row in rows if sign * row["differences"]["sari"] > 0]
            counts += [len(differing), sum(row["corrected_p_values"]["sari"] < 0.05 for row in differing)]
        higher = f"higher under {counts[0]} of {len(rows)} variants, significantly under {counts[1]}"
        assert f"{name} against deleting: {higher}; lower under {counts[2]}, significantly under {counts[3]}" in text
