"""Public outputs on made-up checkouts: every row is scored under every variant; what is stored, and its pages."""

import re
from dataclasses import replace

import pytest
from conftest import ROOT
from published_trees import SENTENCES, checkouts, files_of, sentences, texts_of, write_lines
from scipy import stats

from sari.reports.formats import TABLE_FORMATS, Layout
from sari.reports.published_systems import PublishedScore, published_systems, systems_csv
from sari.research import stored_figures, system_table
from sari.research.outcome_tables import tabulate_outcomes
from sari.research.public_systems import PUBLIC_OUTPUTS, TEST_SETS
from sari.research.reproduce import main
from sari.research.stored_figures import STORED, taus
from sari.research.system_table import SYSTEMS, outcomes_of, score_public_systems
from sari.sari_scorer import Scorer
from sari.text_files.errors import FileError
from sari.variants import VARIANTS

BY_NAME = {row.name: row for row in TEST_SETS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return checkouts(tmp_path_factory.mktemp("checkouts"))


@pytest.fixture(scope="module")
def begun():
    return []


@pytest.fixture(scope="module")
def rows(folder, begun):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(system_table, "TRIALS", 50)  # thousands of pairs swap so often
        return score_public_systems(folder, begun.append)


def test_the_progress_bar_has_a_step_for_each_system(rows, begun):
    assert len(begun) == SYSTEMS.steps
    assert len(begun) == len(TEST_SETS) + sum(row.kind == "system" for row in rows)


def test_scores_are_shown_as_figures_that_nobody_published(rows):
    report = tabulate_outcomes(SYSTEMS, outcomes_of(rows))
    assert [table.title for table in report.tables] == [test_set.name for test_set in TEST_SETS]
    shown = TABLE_FORMATS["csv"].write(report, Layout())
    assert shown.count("\n") >= len(rows) * len(VARIANTS)


def test_every_row_is_scored_under_every_variant(rows):
    expected = [
        (test_set.name, name)
        for test_set in TEST_SETS
        for outputs in PUBLIC_OUTPUTS
        if test_set.name in outputs.files
        for name in outputs.systems
    ]
    systems = [row for row in rows if row.kind == "system"]
    assert [(row.test_set, row.name) for row in systems] == expected
    assert len(set(expected)) == len(expected)
    assert all(row.scores.keys() == VARIANTS.keys() for row in rows)
    for row in systems:
        assert row.empty == 0
        assert 1 <= row.ranks[0] <= row.ranks[1]
        for score in row.scores.values():
            assert score.low <= score.high
            assert (score.least is None) == (row.runs == 1)


@pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")
def test_scores_are_means_of_runs(rows):
    (outputs,) = (row for row in PUBLIC_OUTPUTS if "gpt-3.5-turbo" in row.systems)
    sources, references = texts_of(BY_NAME["ASSET"])
    files = files_of(outputs.files["ASSET"].format(outputs.systems["gpt-3.5-turbo"]))
    (row,) = (row for row in rows if (row.name, row.test_set) == ("gpt-3.5-turbo", "ASSET"))
    for variant in ("easse", "set", "star"):
        scored = [
            Scorer(variant).compute(sources=sources, predictions=sentences(file), references=references)
            for file in files
        ]
        scores = [own["sari"] for own in scored]
        assert row.scores[variant].value == pytest.approx(sum(scores) / len(files), abs=1e-9)
        assert (row.scores[variant].least, row.scores[variant].most) == (min(scores), max(scores))


def test_baselines(rows):
    sources, references = texts_of(BY_NAME["ASSET"])
    expected = Scorer("easse").baselines(sources=sources, references=references)
    found = {row.kind: row.scores["easse"] for row in rows if row.test_set == "ASSET" and row.kind != "system"}
    names = {"copy": "copy", "unrelated": "unrelated", "people": "references"}
    assert found == {kind: PublishedScore(expected[name]["sari"]) for kind, name in names.items()}
    assert not [row for row in rows if row.test_set == "PWKP" and row.kind == "people"]  # one reference


@pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")
def test_ranks_are_those_of_a_comparison_of_all_pairs(folder, monkeypatch):
    """One run each, so that `compare` can do the same; its p-values are drawn."""
    outputs = [
        replace(row, files={"TurkCorpus": row.files["TurkCorpus"]})
        for row in PUBLIC_OUTPUTS
        if row.systems.keys() & {"PBMT-R", "Hybrid", "SBMT-SARI", "Dress"} and "TurkCorpus" in row.files
    ]
    (winner,) = (row for row in outputs if "PBMT-R" in row.systems)
    better = winner.repository.path(folder, winner.files["TurkCorpus"].format("PBMT-R"))
    monkeypatch.setattr(system_table, "PUBLIC_OUTPUTS", outputs)
    monkeypatch.setattr(system_table, "TEST_SETS", [BY_NAME["TurkCorpus"]])
    sources, references = texts_of(BY_NAME["TurkCorpus"])
    kept = better.read_text(encoding="utf-8")
    write_lines(better, [row[0] for row in references])
    try:
        ranks = {row.name: list(row.ranks) for row in score_public_systems(folder) if row.kind == "system"}
    finally:
        better.write_text(kept, encoding="utf-8")
    predictions = {
        name: sentences(row.files["TurkCorpus"].format(part)) for row in outputs for name, part in row.systems.items()
    }
    predictions["PBMT-R"] = [row[0] for row in references]
    columns = {"sources": sources, "predictions": predictions, "references": references}
    compared = Scorer("easse").compare(**columns, all_pairs=True)
    assert ranks == {name: compared["systems"][name]["rank"] for name in ranks}
    assert ranks["PBMT-R"] == [1, 1]


def test_stored_rows_are_read_again(rows, tmp_path):
    file = tmp_path / "systems.csv"
    file.write_text(systems_csv(rows), encoding="utf-8")
    stored = published_systems(file)
    for one, other in zip(rows, stored, strict=True):
        assert replace(one, scores={}, empty=0, long=0) == replace(other, scores={}, empty=0, long=0)
        for variant, score in one.scores.items():
            assert other.scores[variant].value == pytest.approx(score.value, abs=5.1e-5)
    assert systems_csv(stored) == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["one"], rf"got 1 outputs, expected {SENTENCES} as in ASSET$"),
        (["{}"] * SENTENCES, r":1: not a row of outputs: "),
        (
            ['{"source": "x", "model_output": "y", "references": []}'] * SENTENCES,
            r":1: got another source than ASSET has there$",
        ),
    ],
)
def test_other_files_are_refused(lines, message, tmp_path, monkeypatch):
    root = checkouts(tmp_path)
    repository = "ZurichNLP/BLESS" if "{" in lines[0] else "feralvam/easse"
    row = next(row for row in PUBLIC_OUTPUTS if row.repository.name == repository)
    monkeypatch.setattr(system_table, "PUBLIC_OUTPUTS", [row])
    pattern = row.files["ASSET"].format(next(iter(row.systems.values())))
    write_lines(row.repository.path(root, files_of(pattern)[0]), lines)
    with pytest.raises(FileError, match=message):
        score_public_systems(root)


# ---- What is stored -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STORED)
def test_pages_are_made_from_the_stored_figures(name):
    for page, text in STORED[name].pages().items():
        assert (ROOT / "docs" / page).read_text(encoding="utf-8") == text


def test_the_stored_systems_are_rows_of_data():
    stored = [(row.test_set, row.name) for row in published_systems() if row.kind == "system"]
    known = {(name, system) for row in PUBLIC_OUTPUTS for name in row.files for system in row.systems}
    assert len(stored) == len(set(stored)) > 200
    assert set(stored) <= known  # a row that was added may have no figures yet


def test_taus_are_those_of_the_scores():
    rows = [row for row in published_systems() if row.test_set == "ASSET"]
    scores = [[row.scores[name].value for row in rows if row.kind == "system"] for name in ("hf", "easse")]
    assert taus(rows, ["hf", "easse"]) == {("hf", "easse"): stats.kendalltau(*scores).statistic}


def test_a_variant_without_stored_figures_is_shown_as_not_computed(monkeypatch):
    """Adding a variant needs no texts; the pages say which command computes it."""
    monkeypatch.setitem(VARIANTS, "made_up", replace(VARIANTS["set"], name="made_up"))
    for name in ("people", "systems"):
        pages = " ".join(STORED[name].pages().values())
        assert re.search(
            r"Not computed: [^\n]*`made_up`\..*?`python \. reproduce \w+ FOLDER --store`", pages, re.DOTALL
        )


def test_stored_figures_are_written(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(stored_figures, "DOCS", tmp_path)
    assert main(["systems", "--store"]) == 0
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["systems.md", "systems.svg"]
    assert sorted(line.rpartition("/")[2] for line in capsys.readouterr().out.splitlines()) == written
    assert main(["xu2016", str(folder), "--store"]) == 2
    assert "--store: got xu2016, expected one of people, systems" in capsys.readouterr().err
