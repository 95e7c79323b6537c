"""Tables in every format: alignment, marks, hard texts, and widths."""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT
from programs import EXAMPLE, SYSTEMS

from sari.reports.formats import TABLE_FORMATS
from sari.reports.tables import HIGHER, LOWER, Cell, TableReport, make_table

HOSTILE = r'*b|<>"~^\{}#%$_&--'


def written(table, name, **more):
    return TABLE_FORMATS[name].write(TableReport(tables=[table], records=list, fields=dict, **more))


def test_text_aligns_wide_characters_and_marks():
    rows = [
        ["简化", "56.40", "[-1, 60]", ""],
        ["copy", "1", "", ""],
        ["empty", "0", "", ""],
        ["e\u0301", Cell("7.01", best=True, mark=HIGHER), "[5, 9]", Cell("0", mark=LOWER)],
        ["x", "2", "", ""],
    ]
    table = make_table("Title", ["System", "SARI", "CI", "p"], rows, apart=[1, 2], notes=["p: of it"], best="best")
    assert written(table, "text").splitlines() == [
        "Title",
        "System   SARI          CI  p",
        "简化    56.40    [-1, 60]",
        "",
        "copy        1",
        "empty       0",
        "",
        "e\u0301        7.01*^    [5, 9]  0†",
        "x           2",
        "",
        "p: of it",
        "^ best",
    ]


def test_long_words_are_broken_into_lines():
    table = make_table("", ["Choice", "SARI"], [["简化 of words " * 9, "1.00"], ["copy", "2.00"]], apart=[0])
    first, *lines, empty, last = written(table, "text").splitlines()[1:]
    assert first.endswith("  1.00")
    assert len(lines) > 1
    assert (empty, last.split()) == ("", ["copy", "2.00"])


def test_markdown_escapes_and_marks():
    rows = [["a|b_<c>", Cell("1.0", best=True, mark=HIGHER), "[0, 2]"]]
    table = make_table("", ["System", "SARI", "CI"], rows, best="the best")
    assert written(table, "markdown").splitlines() == [
        "| System      |      SARI |     CI |",
        "|:------------|----------:|-------:|",
        "| a\\|b\\_\\<c\\> | **1.0**\\* | [0, 2] |",
        "",
        "- bold: the best",
    ]


@pytest.mark.parametrize("name", ["text", "markdown", "latex"])
def test_names_cannot_steer_what_shows_them(name):
    table = make_table("t\x1b", ["a\x07"], [["b\x1b[2J\u202e"]], notes=["c\x9b"])
    assert all(character.isprintable() or character == "\n" for character in written(table, name))


def test_latex_has_bold_marks_and_rules():
    rows = [
        ["[x]", Cell("1.0", mark=HIGHER), "[-2.5, 2.5]", "1-3"],
        ["t_t", Cell("2", best=True), "", ""],
        ["copy", "-3.0", "", Cell("0", mark=LOWER)],
        ["empty", "0", "", ""],
    ]
    headings = ["System", "SARI", "95% CI", "Ranks"]
    table = make_table("A & B", headings, rows, apart=[2, 3], notes=["CI: interval < 1"], best="best")
    lines = written(table, "latex", label="tab:x").splitlines()
    assert lines[lines.index(r"\toprule") + 1 : lines.index(r"\bottomrule")] == [
        r"System & SARI & 95\% CI & Ranks \\",
        r"\midrule",
        r"{}[x] & 1.0\rlap{$^{*}$} & [$-$2.5, 2.5] & 1--3 \\",
        r"t\_t & \textbf{2} &  &  \\",
        r"\midrule",
        r"copy & $-$3.0 &  & 0\rlap{$^{\dagger}$} \\",
        r"empty & 0 &  &  \\",
    ]
    assert {r"\caption{A \& B}", r"\label{tab:x}", r"\begin{tabular}[b]{@{}lrrr@{}}"} <= set(lines)
    assert "CI: interval $<$ 1. Bold: best." in lines[-5]


@pytest.mark.parametrize(("width", "environment"), [(49, "table"), (50, "table*")])  # two columns, and the space
def test_latex_tables_fit_a_column_or_the_page(width, environment):
    assert rf"\begin{{{environment}}}[t]" in written(make_table("", ["x" * width, "SARI"], [["", "1234567"]]), "latex")


#: The columns of ACL's style, and articles in two columns and in one.
STYLES = (
    r"\documentclass[11pt,twocolumn]{article}\usepackage[a4paper,margin=2.5cm,columnsep=0.6cm]{geometry}",
    r"\documentclass[10pt,twocolumn]{article}",
    r"\documentclass[11pt]{article}",
)


@pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="needs pdflatex, as the package texlive-latex-recommended has it"
)
@pytest.mark.parametrize(
    "options",
    [
        ["--ratings", *["{}/ratings"] * 3, "--confidence", "--resamples", "20", "--measures", "compression_ratio"],
        ["--confidence", "--baselines", "--paired-ar", "--caption", "[x] _", "y", "--label", "t"],
        ["--all-pairs", "--measures", "all", "--confidence", "--why", "t2t", "--by-order", "--by-references"],
        ["--all-variants", "--paired-bs", "--baselines"],
    ],
)
def test_latex_compiles_and_fits_the_columns_of_a_paper(printed, tmp_path, options):
    (tmp_path / "ratings").write_text("".join(f"{7 * line % 10}\n" for line in range(10)))
    outputs = [f"{HOSTILE}a=examples/outputs.txt", f"{HOSTILE}b=examples/outputs.txt", SYSTEMS[2]]
    given = [option.format(tmp_path) for option in options]
    text = printed(*EXAMPLE[:-2], "--outputs", *outputs, *given, "--format", "latex")
    long_table = written(make_table("Scores", ["SARI"], [["33.33"]] * 120), "latex")
    for style in STYLES:
        document = f"{style}\\usepackage{{booktabs,graphicx}}\\begin{{document}}{text}\n{long_table}\\end{{document}}"
        (tmp_path / "x.tex").write_text(document, encoding="utf-8")
        command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "x.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
        assert not re.search(b"Overfull|Float too large", done.stdout)


def test_warnings_and_signatures_come_with_every_format(printed, tmp_path):
    """Warnings also come on standard error, and text leaves them to it."""
    (tmp_path / "x.txt").write_text((ROOT / "examples" / "sources.txt").read_text())
    asked = [*EXAMPLE, "--outputs", tmp_path / "x.txt"]
    message = "most outputs are the same as their sources"
    shown = {"markdown": "\n> Warning: ", "latex": "\n% Warning: ", "csv": ',"', "json": '"message": "'}
    table = make_table("Title", ["System"], [["a"]], notes=["of it"])
    for name in TABLE_FORMATS:
        assert name in ("csv", "json") or re.search("(?s)Title.*of it|of it.*Title", written(table, name))
        assert name in ("csv", "json", "latex") or "of all" in written(table, name, methods=["of all"])
        text = printed(*asked, "--format", name)
        assert [one.startswith(message) and one.endswith(" (outputs 100%)") for one in printed.warnings] == [True]
        assert (f"{shown.get(name, '')}{message}" in text) == (name != "text")
        assert re.sub(r"\$|\\allowbreak\{\}", "", text).count("SARI|variant:easse|nrefs:2|") == 1
        assert message not in printed(*asked, "--format", name, "--quiet")
        assert printed.warnings == []
