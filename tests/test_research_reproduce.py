"""`python . reproduce`: the list, a table, and what is refused; on made-up checkouts."""

import subprocess
import sys
from dataclasses import replace

import pytest
from conftest import ROOT
from published_trees import checkouts, write_lines

from sari.research import catalogue
from sari.research.catalogue import TABLES
from sari.research.reproduce import main
from sari.research.system_scores import SYSTEM_SCORES

(XU,) = (table for table in SYSTEM_SCORES if table.name == "xu2016")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return checkouts(tmp_path_factory.mktemp("checkouts"))


def run(*arguments):
    return subprocess.run(
        [sys.executable, str(ROOT), "reproduce", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_the_list_names_paper_texts_and_recipe_of_every_table(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out
    for table in TABLES.values():
        assert f"{table.name}\n  {table.title}\n  paper:  {table.paper}\n  texts:  https://github.com/" in shown
        assert f"  recipe: {table.recipe}\n" in shown


@pytest.mark.parametrize("name", [name for name in TABLES if name not in ("people", "systems")])
def test_every_table_is_computed_or_says_what_it_lacks(name, folder, capsys):
    status = main([name, str(folder)])
    captured = capsys.readouterr()
    if status == 2:
        assert name == "lens"
        assert captured.err.startswith("sari reproduce: error: these figures need NLTK and its Punkt: pip install")
        return
    assert captured.err == ""
    if name in ("narayan-gardent", "xu2016-measures"):  # figures that are shown with their own texts alone
        assert status == 0
        assert captured.out.endswith(
            "\nThese are not the texts of the paper, so that there are no published figures to compare with.\n"
        )
        return
    assert status == 1  # sentences of random words do not score what was published
    assert captured.out.startswith(TABLES[name].title)
    assert " differs" in captured.out
    assert "published figures come out to the printed digits.\n" in captured.out


def test_a_checkout_itself_will_do_and_status_0_says_that_all_come_out(folder, capsys, monkeypatch):
    root = folder / "simplification"
    outcomes = list(XU.outcomes(root))
    figures = tuple(
        replace(figure, printed=outcome.shown) for figure, outcome in zip(XU.figures, outcomes, strict=True)
    )
    monkeypatch.setitem(catalogue.TABLES, "xu2016", replace(XU, figures=figures))
    assert main(["xu2016", str(root)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["Figure", "Published", "Ours"]
    assert lines[2].split() == ["SBMT+SARI", outcomes[0].shown, outcomes[0].shown]
    assert "SARI|variant:xu2016|nrefs:8|case:lc|tok:none|order:4|level:sentence" in lines[7]
    assert lines[-1] == "3 of 3 published figures come out to the printed digits."


def test_as_a_program(folder):
    process = run("muss", folder)
    assert (process.returncode, process.stderr) == (1, "")
    assert "ACCESS on ASSET" in process.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "got 'nothing', expected a name that sari reproduce lists"),
        (["xu2016"], "xu2016: got no folder, expected one with a checkout of https://github.com/cocoxu/simplification"),
        (["xu2016", "/no/such"], "/no/such: no such folder"),
    ],
)
def test_bad_use_is_refused_in_one_line(arguments, message, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", f"sari reproduce: error: {message}\n")


def test_text_files_of_unequal_length_are_refused(tmp_path, capsys):
    root = checkouts(tmp_path) / "simplification/data"
    write_lines(root / XU.figures[0].outputs, ["only this"])
    assert main(["xu2016", str(tmp_path)]) == 2
    name, first = XU.figures[0].outputs, XU.figures[0].texts.sources
    message = f"{name}: the file has 1 lines, expected 12 as in {first}"
    assert capsys.readouterr() == ("", f"sari reproduce: error: {message}\n")
