"""Published tables on made-up checkouts: each figure is that of the texts that its row names, under its recipe."""

from dataclasses import replace

import pytest
from published_trees import checkouts, read_rows, sentences
from scipy import stats

from sari.companion_measures import simplification, translation, xu2016_measures
from sari.research.measure_tables import NARAYAN_GARDENT, XU2016_MEASURES, digest
from sari.research.outcomes import Outcome
from sari.research.rating_correlations import RATING_CORRELATIONS, joined_marks
from sari.research.repositories import REFERENCE_SETS, TURKCORPUS, Repository, mean_of
from sari.research.system_scores import SYSTEM_SCORES
from sari.sari_scorer import Scorer, compute
from sari.text_files.errors import FileError

CORRELATIONS = {table.name: table for table in RATING_CORRELATIONS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return checkouts(tmp_path_factory.mktemp("checkouts"))


def corpus(texts, outputs):
    sources, predictions, *references = map(sentences, (texts.sources, outputs, *texts.references))
    return {"sources": sources, "predictions": predictions, "references": list(zip(*references, strict=True))}


@pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")
@pytest.mark.parametrize("table", SYSTEM_SCORES, ids=lambda table: table.name)
def test_scores_of_systems(table, folder):
    for figure, outcome in zip(table.figures, table.outcomes(folder), strict=True):
        own = {"variant": table.variant, **figure.options}
        scores = Scorer(**own).compute(**corpus(figure.texts, figure.outputs), details=True)
        assert outcome == Outcome(figure.system, figure.printed, scores["sari"], scores["signature"])


def test_companion_measures(folder):
    found = {outcome.name: outcome.ours for outcome in NARAYAN_GARDENT.outcomes(folder)}
    systems = NARAYAN_GARDENT.systems
    texts = {system: [line.lower() for line in sentences(row.outputs)] for system, row in systems.items()}
    distances = simplification.edit_distances(texts["Zhu"], texts["reference"])
    assert found["Zhu: edits to reference"] == distances.mean()
    assert found["reference: no edit to reference"] == len(texts["reference"])
    assert found["Hybrid: BLEU"] == translation.bleu(texts["Hybrid"], texts["reference"])
    assert len(found) == 35
    found = {outcome.name: outcome.ours for outcome in XU2016_MEASURES.outcomes(folder)}
    own = corpus(TURKCORPUS, XU2016_MEASURES.systems["PBMT-R"].outputs)
    assert (found["PBMT-R: FKBLEU"], len(found)) == (xu2016_measures.fkbleu_scores(**own).mean(), 24)


@pytest.mark.parametrize("table", [NARAYAN_GARDENT, XU2016_MEASURES], ids=lambda table: table.name)
def test_figures_are_shown_only_with_the_texts_that_they_belong_to(table, folder):
    assert {outcome.published for outcome in table.outcomes(folder)} == {""}
    name, row = next(iter(table.systems.items()))
    cased = str.lower if table.lowercase else str
    files = (table.texts.sources, row.outputs, *table.texts.references)
    columns = [list(map(cased, sentences(file))) for file in files]
    bound = replace(table, systems={**table.systems, name: row._replace(digest=digest(columns))})
    shown = {outcome.name: outcome.published for outcome in bound.outcomes(folder) if outcome.published}
    assert shown == {f"{name}: {column}": cell for column, cell in zip(table.columns, row.printed, strict=True)}


@pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")
@pytest.mark.parametrize(
    ("name", "sets"), [("TurkCorpus", ["TurkCorpus"]), ("ASSET, TurkCorpus, HSplit", [*REFERENCE_SETS])]
)
def test_correlations_with_sets_of_references(name, sets, folder):
    rows = read_rows(folder / "metaeval-simplification/data/simplicity_DA.csv")
    places = [int(row["sent_id"]) - 1 for row in rows]
    references = [sentences(file) for each in sets for file in REFERENCE_SETS[each][1]]
    scores = compute(
        sources=[sentences(REFERENCE_SETS[sets[0]][0])[place] for place in places],
        predictions=[row["simp_sent"] for row in rows],
        references=[[column[place] for column in references] for place in places],
        **{"variant": "easse", "tokenize": "moses", "lowercase": False, "deletion": "precision", "level": "sentence"},
        details=True,
    )
    wanted = stats.pearsonr(scores["sentences"]["sari"], [float(row["simplicity_zscore"]) for row in rows]).statistic
    found = {outcome.name: outcome for outcome in CORRELATIONS["simplicity-da"].outcomes(folder)}[name]
    assert found.ours == pytest.approx(wanted, abs=1e-12)
    assert found.recipe == scores["signature"]


def test_the_absolute_value_is_shown_with_the_value(folder):
    bare, signed = CORRELATIONS["structural-simplicity"].outcomes(folder)
    assert bare.ours == abs(signed.ours)
    assert (bare.published, signed.published) == ("0.313", "")


@pytest.mark.parametrize(
    ("output", "source", "wanted"),
    [
        ("he saw it , then left", "He saw it, then left", "he saw it, then left"),
        ("well - known || men", "well-known men", "well-known men"),
        ("left as , it is", "other words", "left as , it is"),
    ],
)
def test_marks_that_stand_alone_are_joined_as_in_the_source(output, source, wanted):
    assert joined_marks(output, source.lower()) == wanted


def test_figures_are_compared_in_the_printed_digits():
    differing = [printed for printed in ("37.92", "37.91", "") if Outcome("a", printed, 37.9193, "").differs]
    assert differing == ["37.91"]
    shown = [Outcome("a", printed, ours, "").shown for printed, ours in (("0", -0.2), ("", 1.23456))]
    assert shown == ["0", "1.235"]


def test_faults_of_files_name_them(tmp_path):
    repository = Repository("owner/name", "data")
    with pytest.raises(FileError, match=r"no data/x.csv in it, expected a checkout of https://github.com/owner/name$"):
        repository.table(tmp_path, "x.csv", ["a"])
    file = tmp_path / "name-main/data/x.csv"
    file.parent.mkdir(parents=True)
    file.write_text("a,b\n1,2\n")
    assert repository.table(tmp_path, "x.csv", ["a"]).to_dict("records") == [{"a": "1"}]
    with pytest.raises(FileError, match=r"x.csv: no column 'c' with values, expected a, c$"):
        repository.table(tmp_path, "x.csv", ["a", "c"])
    file.write_bytes(b"a\n\xff\n")
    with pytest.raises(FileError, match="cannot be read"):
        repository.table(tmp_path, "x.csv", ["a"])
    assert repository.path(tmp_path / "name-main", "x.csv") == file
    file.write_text("a\nmany\n")
    with pytest.raises(FileError, match=r"^x.csv: a: got 'many', expected a number$"):
        mean_of(repository.table(tmp_path, "x.csv", ["a"]), ["a"], "x.csv")
