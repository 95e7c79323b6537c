"""Tables in every format: one registry for all that prints tables, hard texts, and widths."""

import json
import re
import shutil
import subprocess

import pytest
from conftest import ROOT
from programs import EXAMPLE, SYSTEMS
from wcwidth import wcswidth

from sari.reports import formats
from sari.reports.formats import TABLE_FORMATS, TableFormat
from sari.reports.tables import HIGHER, LOWER, Cell, Layout, Table, TableColumn, TableReport, cells

HOSTILE = r'*b|<>"~^\{}#%$_&--'


def written(*tables, name, **layout):
    report = TableReport(tables=list(tables), records=lambda: [{"a": 1.5, "b": None}], fields=lambda: {"a": [1.5]})
    return TABLE_FORMATS[name].write(report, Layout(**layout))


FIGURE = Cell("33.33", interval="[-10.00, 20.00]")


def wide_table(columns, rows=3, figure=FIGURE, **more):
    """Return a table with a column of names, and so many of numbers with intervals."""
    header = [TableColumn("System", is_text=True), *[TableColumn("SARI")] * columns]
    figures = [figure] * columns
    return Table("Scores", header, cells([f"system {number}", *figures] for number in range(rows)), **more)


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


def test_text_aligns_wide_characters_marks_and_intervals():
    header = [TableColumn("System", is_text=True), TableColumn("SARI"), TableColumn("p")]
    rows = [
        [Cell("简化"), Cell("56.40", interval="[-1, 60]"), Cell("")],
        [Cell("e\u0301"), Cell("7.01", best=True, mark=HIGHER, interval="[5, 9]"), Cell("0", mark=LOWER)],
    ]
    table = Table(
        "Title", header, [*rows, [Cell("copy"), Cell("1"), Cell("")]], apart=[2], notes=["p: of it"], best="best"
    )
    assert written(table, name="text").splitlines() == [
        "Title",
        "System   SARI             p",
        "简化    56.40   [-1, 60]",
        "e\u0301        7.01*^   [5, 9]  0†",
        "",
        "copy        1",
        "^ best",
        "",
        "p: of it",
    ]


@pytest.mark.parametrize("width", [40, 60, 100])
def test_words_are_broken_into_lines_where_a_table_is_too_wide_for_the_terminal(width):
    header = [TableColumn("Choice", is_text=True), TableColumn("Note", is_text=True), TableColumn("SARI")]
    table = Table("", header, cells([["text", "简化 of words " * 6, "1.00"], ["copy", "", "2.00"]]), apart=[1])
    *lines, gap, copy = written(table, name="text", width=width).splitlines()
    assert max(map(wcswidth, lines)) <= width
    assert "".join(lines).count("简化") == 6
    assert (gap, copy.split()) == ("", ["copy", "2.00"])


def test_markdown_escapes_and_marks():
    header = [TableColumn("System", is_text=True), TableColumn("SARI")]
    table = Table("", header, [[Cell("a|b_<c>"), Cell("1.0", best=True, mark=HIGHER)]], best="the best")
    assert written(table, name="markdown").splitlines() == [
        "| System      |      SARI |",
        "|:------------|----------:|",
        "| a\\|b\\_\\<c\\> | **1.0**\\* |",
        "",
        "- bold: the best",
    ]


@pytest.mark.parametrize("name", ["text", "markdown", "latex"])
def test_names_cannot_steer_what_shows_them(name):
    table = Table("t\x1b", [TableColumn("a\x07", is_text=True)], cells([["b\x1b[2J\u202e"]]), notes=["c\x9b"])
    assert all(character.isprintable() or character == "\n" for character in written(table, name=name))


# ---- LaTeX ----------------------------------------------------------------------------------------------------------


def test_latex_has_bold_marks_rules_and_groups():
    header = [TableColumn("System", is_text=True), TableColumn("Variant", is_text=True, is_group=True)]
    header += [TableColumn("SARI", better="↑"), TableColumn("Ranks"), TableColumn("p")]
    sari = [Cell("1.0", mark=HIGHER, interval="[-2.5, 2.5]"), Cell("2", best=True), Cell("-3.0")]
    rows = [["[x]", "hf", sari[0], "1-3", ""], ["copy", "hf", sari[1], "", ""]]
    rows.append(["[x]", "t_t", sari[2], "", Cell("0", mark=LOWER)])
    table = Table("A & B", header, cells(rows), apart=[1], notes=["CI: interval < 1"], methods=["how"], best="best")
    lines = written(table, name="latex", booktabs=True, label="tab:x").splitlines()
    rows = lines[lines.index(r"\toprule") + 1 : lines.index(r"\bottomrule")]
    assert rows == [
        r"System & \multicolumn{2}{c}{SARI $\uparrow$} & Ranks & p \\",
        r"\midrule",
        r"\multicolumn{5}{@{}l@{}}{\textit{hf}} \\",
        r"{}[x] & 1.0\rlap{$^{*}$} & [$-$2.5, 2.5] & 1--3 &  \\",
        r"\midrule",
        r"copy & \textbf{2} &  &  &  \\",
        r"\midrule",
        r"\multicolumn{5}{@{}l@{}}{\textit{t\_t}} \\",
        r"{}[x] & $-$3.0 &  &  & 0\rlap{$^{\dagger}$} \\",
    ]
    assert {r"\caption{A \& B}", r"\label{tab:x}"} <= set(lines)
    assert "CI: interval $<$ 1. Bold: best." in lines[-4]


@pytest.mark.parametrize(
    ("columns", "rows", "floats"), [(1, 3, ["table"]), (3, 3, ["table*"]), (9, 3, ["table*"]), (1, 60, ["table"] * 3)]
)
def test_latex_tables_fit_a_column_or_the_page(columns, rows, floats):
    text = written(wide_table(columns, rows), name="latex")
    assert re.findall(r"\\begin\{(table\*?)\}", text) == floats


needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed")
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


@needs_latex
@pytest.mark.parametrize(
    "options",
    [
        ["--confidence", "--baselines", "--paired-ar", "--booktabs", "--caption", "[x] _", "--label", "t"],
        ["--all-pairs", "--measures", "all", "--confidence"],
        ["--measures", "bleu", "fkgl", "--confidence", "--paired-bs"],
        ["--why", "t2t", "--by-order", "--by-references"],
        ["--all-variants", "--paired-bs", "--baselines"],
    ],
)
def test_latex_compiles_and_fits_the_columns_of_a_paper(printed, tmp_path, options):
    outputs = ["--outputs", *(f"{HOSTILE}{name}=examples/outputs.txt" for name in "ab")]
    outputs.append("system=examples/outputs.rewriting.txt")
    text = printed(*EXAMPLE[:-2], *outputs, *options, "--format", "latex")
    for style in STYLES:
        assert_compiles(tmp_path, text, style)


@needs_latex
@pytest.mark.parametrize("style", STYLES)
def test_latex_of_ratings_compiles_and_fits(printed, tmp_path, style):
    (tmp_path / "ratings").write_text("3\n9\n4\n7\n1\n8\n2\n6\n5\n0\n")
    options = ["--ratings", tmp_path / "ratings", "--confidence", "--resamples", 20, "--measures", "compression_ratio"]
    options += ["--format", "latex"]
    assert_compiles(tmp_path, printed(*EXAMPLE, *SYSTEMS[:2], *options), style)


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
    for name, before in {"text": None, **shown}.items():
        text = printed(*asked, "--format", name)
        assert f"{message} (10 of 10)" in printed.warnings
        assert (f"{before}{message}" in text) == (name != "text")
        assert "SARI|variant:easse|nrefs:2|" in re.sub(r"\$|\\allowbreak\{\}", "", text)
        assert message not in printed(*asked, "--format", name, "--quiet")
        assert printed.warnings == []
