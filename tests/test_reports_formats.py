"""Tables in every format: one registry for all that prints tables, hard texts, and widths."""

import json
import re
import shutil
import subprocess

import pytest
from conftest import ROOT
from programs import EXAMPLE, SYSTEMS

from sari.reports import formats
from sari.reports.formats import TABLE_FORMATS, TableFormat
from sari.reports.tables import HIGHER, LOWER, Cell, Layout, TableReport, make_table, table_of_columns

HOSTILE = r'*b|<>"~^\{}#%$_&--'


def written(*tables, name, **layout):
    report = TableReport(tables=list(tables), records=lambda: [{"a": 1.5, "b": None}], fields=lambda: {"a": [1.5]})
    return TABLE_FORMATS[name].write(report, Layout(**layout))


def wide_table(columns, rows=3):
    """Return a table with a column of names, and so many of numbers with their intervals."""
    figures = ["33.33", "[-10.00, 20.00]"] * columns
    headings = ["System", *["SARI", "95% CI"] * columns]
    return make_table("Scores", headings, [[f"system {number}", *figures] for number in range(rows)])


def test_columns_without_texts_are_left_out():
    table = table_of_columns("", [("System", ["a", "b"]), ("p", ["", Cell("")]), ("SARI", ["", Cell("1")])])
    assert (table.headings, table.rows) == (["System", "SARI"], [[Cell("a"), Cell("")], [Cell("b"), Cell("1")]])


# ---- The registry ---------------------------------------------------------------------------------------------------


def test_a_new_format_serves_scores_and_ratings(printed, tmp_path, monkeypatch):
    def write(report, _layout):
        return f"{len(report.tables)} tables, {len(report.records())} records"

    monkeypatch.setitem(formats.TABLE_FORMATS, "made-up", TableFormat(".made", write))
    asked = [*EXAMPLE, *SYSTEMS[:2], "--format", "made-up"]
    assert printed(*asked, "--by-order") == "2 tables, 1 records\n"
    (tmp_path / "ratings").write_text("".join(f"{7 * line % 10}\n" for line in range(10)))
    assert printed(*asked, "--ratings", tmp_path / "ratings") == "1 tables, 4 records\n"


# ---- Text and Markdown ----------------------------------------------------------------------------------------------


def test_text_aligns_wide_characters_and_marks():
    rows = [
        ["简化", "56.40", "[-1, 60]", ""],
        ["e\u0301", Cell("7.01", best=True, mark=HIGHER), "[5, 9]", Cell("0", mark=LOWER)],
        ["copy", "1", "", ""],
        ["empty", "0", "", ""],
        ["x", "2", "", ""],
    ]
    table = make_table("Title", ["System", "SARI", "CI", "p"], rows, apart=[2, 3], notes=["p: of it"], best="best")
    assert written(table, name="text").splitlines() == [
        "Title",
        "System   SARI          CI  p",
        "简化    56.40    [-1, 60]",
        "e\u0301        7.01*^    [5, 9]  0†",
        "",
        "copy        1",
        "empty       0",
        "",
        "x           2",
        "",
        "p: of it",
        "^ best",
    ]


def test_long_words_are_broken_into_lines():
    table = make_table("", ["Choice", "SARI"], [["简化 of words " * 9, "1.00"], ["copy", "2.00"]], apart=[1])
    first, *lines, empty, last = written(table, name="text").splitlines()[1:]
    assert first.endswith("  1.00")
    assert len(lines) > 1
    assert (empty, last.split()) == ("", ["copy", "2.00"])


def test_markdown_escapes_and_marks():
    rows = [["a|b_<c>", Cell("1.0", best=True, mark=HIGHER), "[0, 2]"]]
    table = make_table("", ["System", "SARI", "CI"], rows, best="the best")
    assert written(table, name="markdown").splitlines() == [
        "| System      |      SARI |     CI |",
        "|:------------|----------:|-------:|",
        "| a\\|b\\_\\<c\\> | **1.0**\\* | [0, 2] |",
        "",
        "- bold: the best",
    ]


@pytest.mark.parametrize("name", TABLE_FORMATS)
def test_names_cannot_steer_what_shows_them(name):
    table = make_table("t\x1b", ["a\x07"], [["b\x1b[2J\u202e"]], notes=["c\x9b"])
    assert all(character.isprintable() or character == "\n" for character in written(table, name=name))


# ---- LaTeX ----------------------------------------------------------------------------------------------------------


def test_latex_has_bold_marks_and_rules():
    rows = [
        ["[x]", Cell("1.0", mark=HIGHER), "[-2.5, 2.5]", "1-3"],
        ["t_t", Cell("2", best=True), "", ""],
        ["copy", "-3.0", "", Cell("0", mark=LOWER)],
    ]
    headings = ["System", "SARI", "95% CI", "Ranks"]
    table = make_table("A & B", headings, rows, apart=[2], notes=["CI: interval < 1"], best="best")
    lines = written(table, name="latex", label="tab:x").splitlines()
    rows = lines[lines.index(r"\toprule") + 1 : lines.index(r"\bottomrule")]
    assert rows == [
        r"System & SARI & 95\% CI & Ranks \\",
        r"\midrule",
        r"{}[x] & 1.0\rlap{$^{*}$} & [$-$2.5, 2.5] & 1--3 \\",
        r"t\_t & \textbf{2} &  &  \\",
        r"\midrule",
        r"copy & $-$3.0 &  & 0\rlap{$^{\dagger}$} \\",
    ]
    assert {r"\caption{A \& B}", r"\label{tab:x}"} <= set(lines)
    assert "CI: interval $<$ 1. Bold: best." in lines[-5]


@pytest.mark.parametrize(("columns", "environment"), [(1, "table"), (3, "table*"), (9, "table*")])
def test_latex_tables_fit_a_column_or_the_page(columns, environment):
    text = written(wide_table(columns), name="latex")
    assert re.findall(r"\\begin\{(table\*?)\}", text) == [environment]


needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="needs pdflatex, as the package texlive-latex-recommended has it"
)
#: The columns of ACL's style, and articles in two columns and in one.
STYLES = (
    r"\documentclass[11pt,twocolumn]{article}\usepackage[a4paper,margin=2.5cm,columnsep=0.6cm]{geometry}",
    r"\documentclass[10pt,twocolumn]{article}",
    r"\documentclass[11pt]{article}",
)


def assert_compiles(folder, text, style=STYLES[0]):
    """Check that LaTeX takes a text, and that everything in it fits the columns and the pages."""
    document = f"{style}\\usepackage{{booktabs,graphicx}}\\begin{{document}}\n{text}\n\\end{{document}}\n"
    (folder / "x.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "x.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert b"Overfull" not in done.stdout
    assert b"Float too large" not in done.stdout


RATINGS = ["--ratings", "{folder}/ratings", "--confidence", "--resamples", 20, "--measures", "compression_ratio"]


@needs_latex
@pytest.mark.parametrize(
    "options",
    [
        RATINGS,
        ["--confidence", "--baselines", "--paired-ar", "--caption", "[x] _", "--label", "t"],
        ["--all-pairs", "--measures", "all", "--confidence"],
        ["--measures", "bleu", "fkgl", "--confidence", "--paired-bs"],
        ["--why", "t2t", "--by-order", "--by-references"],
        ["--all-variants", "--paired-bs", "--baselines"],
    ],
)
def test_latex_compiles_and_fits_the_columns_of_a_paper(printed, tmp_path, options):
    (tmp_path / "ratings").write_text("".join(f"{7 * line % 10}\n" for line in range(10)))
    outputs = [f"{HOSTILE}a=examples/outputs.txt", f"{HOSTILE}b=examples/outputs.txt", SYSTEMS[2]]
    outputs = outputs[:1] if options is RATINGS else outputs
    given = [str(option).format(folder=tmp_path) for option in options]
    text = printed(*EXAMPLE[:-2], "--outputs", *outputs, *given, "--format", "latex")
    for style in STYLES:
        assert_compiles(tmp_path, text, style)
    assert_compiles(tmp_path, written(wide_table(1, rows=120), name="latex"))


# ---- Data -----------------------------------------------------------------------------------------------------------


def test_records_and_fields():
    assert written(wide_table(1), name="csv") == "a,b\n1.5,"
    assert json.loads(written(wide_table(1), name="json")) == {"a": [1.5]}


def test_warnings_and_signatures_come_with_every_format(printed, tmp_path):
    """Warnings also come on standard error, and text leaves them to it."""
    (tmp_path / "x.txt").write_text((ROOT / "examples" / "sources.txt").read_text())
    asked = [*EXAMPLE, "--outputs", tmp_path / "x.txt"]
    message = "most outputs are the same as their sources"
    shown = {"markdown": "\n> Warning: ", "latex": "\n% Warning: ", "csv": ",", "json": '"message": "'}
    for name in TABLE_FORMATS:
        text = printed(*asked, "--format", name)
        assert f"{message} (10 of 10 outputs looked at)" in printed.warnings
        assert (f"{shown.get(name, '')}{message}" in text) == (name != "text")
        assert "SARI|variant:easse|nrefs:2|" in re.sub(r"\$|\\allowbreak\{\}", "", text)
        assert message not in printed(*asked, "--format", name, "--quiet")
        assert printed.warnings == []
