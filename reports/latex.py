"""Write tables and the paragraph for a paper as LaTeX."""

import re
from collections.abc import Sequence
from dataclasses import replace

from sari.messages import RefusedValueError, escape_unprintable, fault, in_one_line
from sari.reports.paragraph import parts_of
from sari.reports.tables import LOWER, Cell, Table, TableReport, warning_in_words

# A table with more characters in a row stands across the page.
_COLUMN = 60
# What works with packages and without them: graphicx makes large tables smaller, booktabs has rules, and natbib has two
# ways to cite.
_WITHOUT_PACKAGES = r"""% Packages: graphicx, booktabs; natbib for citations in parentheses.
\providecommand{\resizebox}[3]{#3}\providecommand{\citep}{\cite}
\providecommand{\toprule}{\hline}\providecommand{\midrule}{\hline}\providecommand{\bottomrule}{\hline}"""
# Tables are at most as wide as the column. With their notes they are at most as high as most of the page.
_NARROW = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_LOW = r"\resizebox{!}{\ifdim\height>.85\textheight.85\textheight\else\height\fi}{%"
_ESCAPES = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": "$<$", ">": "$>$", "|": "$|$", '"': r"\char34{}"},
    **{
        "−": "$-$",
        "×": r"$\times$",
        "÷": r"$\div$",
        "√": r"$\surd$",
        "²": "$^2$",
        "†": r"$\dagger$",
        "–": r"\textendash{}",
        "…": r"\ldots{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "→": r"$\rightarrow$",
    },
}


def as_latex(report: TableReport) -> str:
    """Return tables as LaTeX, with the best scores in bold, then how the scores were computed, as a paragraph.

    Tables are floats: in a column, or across the page if their rows are long. What is still too large becomes smaller
    by the package graphicx. Warnings are comments, and so are the signatures that no footnote has.
    """
    captioned, wanted = len(report.captions), len(report.tables)
    if captioned > wanted:
        raise RefusedValueError(fault("caption", captioned, f"at most {wanted}, one for each table"))
    tables = [replace(table, title=caption) for table, caption in zip(report.tables, report.captions, strict=False)]
    tables += report.tables[captioned:]
    labels = [report.label, *(f"{report.label}-{number}" for number in range(2, len(tables) + 1))]
    blocks = [_WITHOUT_PACKAGES, *map(_float, tables, labels), _paragraph(report.paragraph)]
    comments = [f"Warning: {warning_in_words(row)}" for row in report.warnings]
    footnotes = " ".join(text for kind, text in parts_of(report.paragraph) if kind == "footnote")
    signatures = [line for line in report.signatures if line not in footnotes]
    if signatures:
        comments.append("For the appendix:")
    comments += [rf"{{\raggedright\footnotesize {_breakable(line)}\par}}" for line in signatures]
    blocks.append("\n".join(f"% {in_one_line(line)}" for line in comments))
    return "\n\n".join(filter(None, blocks))


_FORMS = {
    "words": "{}",
    "name": r"\textit{{{}}}",
    "citation": r"\citep{{{}}}",
    "footnote": r"\footnote{{\raggedright {}.}}",
}


def _paragraph(paragraph: str) -> str:
    parts = [
        _FORMS[kind].format(text if kind == "citation" else _breakable(text)) for kind, text in parts_of(paragraph)
    ]
    return "".join(parts).replace(r" \citep", r"~\citep")


def _float(table: Table, label: str) -> str:
    columns = zip(table.headings, zip(*table.rows, strict=True), strict=True)
    characters = sum(max(len(heading), *(len(cell.text) for cell in cells)) + 2 for heading, cells in columns)
    environment = "table" if characters <= _COLUMN else "table*"
    lines = [rf"\begin{{{environment}}}[t]", r"\centering\small\setlength{\tabcolsep}{4pt}", _LOW]
    lines += [r"\begin{minipage}[b]{\linewidth}\centering", _NARROW, *_tabular(table)]
    lines[-1] += "}"
    if notes := table.notes_with("Bold:"):
        text = " ".join(f"{_breakable(note).removesuffix('.')}." for note in notes)
        lines.append(rf"\par\smallskip{{\footnotesize\raggedright {text}\par}}")
    lines.append(r"\end{minipage}}")
    if table.title:
        lines.append(rf"\caption{{{_breakable(table.title)}}}")
    return "\n".join([*lines, rf"\label{{{label}}}", rf"\end{{{environment}}}"])


def _tabular(table: Table) -> list[str]:
    """Return a table with a rule before and after rows that are set apart."""
    alignment = "l" * table.texts + "r" * (len(table.headings) - table.texts)
    headings = " & ".join(map(_escaped, table.headings))
    lines = [rf"\begin{{tabular}}[b]{{@{{}}{alignment}@{{}}}}", r"\toprule", rf"{headings} \\", r"\midrule"]
    for number, row in enumerate(table.rows):
        if number and (number in table.apart) != (number - 1 in table.apart):
            lines.append(r"\midrule")
        lines.append(_row(row, table.texts))
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _row(row: Sequence[Cell], texts: int) -> str:
    written = []
    for number, cell in enumerate(row):
        text = _escaped(cell.text) if number < texts else _figures(cell.text)
        text = rf"\textbf{{{text}}}" if cell.best else text
        mark = cell.mark.replace(LOWER, r"\dagger")
        written.append(text + (rf"\rlap{{$^{{{mark}}}$}}" if mark else ""))
    # LaTeX would read a bracket or a star as an argument of the end of the row before.
    begin = "{}" if written[0].startswith(("[", "*")) else ""
    return rf"{begin}{' & '.join(written)} \\"


def _escaped(text: str) -> str:
    text = escape_unprintable(re.sub(r"\s+", " ", text))
    return "".join(_ESCAPES.get(character, character) for character in text).replace("--", "-{}-")


def _breakable(text: str) -> str:
    """Return a text in which LaTeX may break what is longer than a line: signatures, addresses and names of files."""
    return re.sub(r"(\$\|\$|/|\\_)", r"\1\\allowbreak{}", _escaped(text))


def _figures(text: str) -> str:
    """Return figures with true minus signs, and dashes between ranks.

    >>> _figures("[-1.5, 2]"), _figures("1-3")
    ('[$-$1.5, 2]', '1--3')
    """
    return re.sub(r"(?<![\d-])-(?=\d)", "$-$", re.sub(r"(?<=\d)-(?=\d)", "--", _escaped(text)))
