"""How scores agree with people: figures from made-up checkouts, and the stored ones in pages."""

import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from published_trees import checkouts
from scipy import stats

from sari.research import power, ratings, systems
from sari.research.collections_of_ratings import COLLECTIONS, read_collection
from sari.research.files import DOCS, read_table, with_tables
from sari.sari_scorer import Scorer

pytestmark = pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return checkouts(tmp_path_factory.mktemp("checkouts"))


@pytest.fixture(scope="module")
def figures(folder):
    name = "Simplicity-DA"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "COLLECTIONS", {name: COLLECTIONS[name]})
        patch.setattr(ratings, "_ACCESS", "o/muss/one.pred")
        return ratings.compute_agreement(folder).set_index(["figure", "score", "number"]).T


def test_correlations_of_outputs(folder, figures):
    rated = read_collection("Simplicity-DA", folder)
    columns = rated.texts._asdict()
    scores = {name: Scorer(name).compute(**columns, details=True)["sentences"]["sari"] for name in ("easse", "set")}
    values = {name: stats.pearsonr(own, rated.ratings).statistic for name, own in scores.items()}
    row = figures["Pearson", "easse", "36"]
    assert float(row["value"]) == pytest.approx(values["easse"], abs=1e-6)
    assert float(row["low"]) < values["easse"] < float(row["high"])
    assert float(row["difference"]) == pytest.approx(values["easse"] - values["set"], abs=1e-6)
    assert row["signature"].startswith("SARI|variant:easse")
    assert "|level:sentence|" in row["signature"]
    lengths = [len(one.split()) / len(two.split()) for one, two in zip(*rated.texts[1::-1], strict=True)]
    left = [own - np.polyval(np.polyfit(lengths, own, 1), lengths) for own in (np.array(scores["set"]), rated.ratings)]
    partial = float(figures["Pearson", "set", "36"]["at_equal_length"])
    assert partial == pytest.approx(stats.pearsonr(*left).statistic, abs=1e-6)


def test_correlations_of_systems(folder, figures):
    rated = read_collection("Simplicity-DA", folder)
    rows = pd.DataFrame({**rated.texts._asdict(), "rating": rated.ratings})
    of_systems, means = [], []
    for _, own in rows.groupby(rated.systems):
        columns = {name: own[name].tolist() for name in rated.texts._fields}
        of_systems.append(Scorer("easse").compute(**columns)["sari"])
        means.append(own["rating"].mean())
    value = float(figures["Spearman", "easse", "3"]["value"])
    assert value == pytest.approx(stats.spearmanr(of_systems, means).statistic, abs=1e-6)


def test_scores_with_all_references(folder, figures):
    columns = {name: column[:12] for name, column in read_collection("Simplicity-DA", folder).texts._asdict().items()}
    score = Scorer("hf").compute(**columns)["sari"]
    assert float(figures["SARI", "hf", "10"]["value"]) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize(
    ("page", "script"), [("which_sari.md", ratings), ("systems.md", systems), ("statistics.md", power)]
)
def test_pages_have_the_stored_tables(page, script):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert with_tables(text, script.page_tables(read_table(script.FILE))) == text


def test_figures_in_the_page_are_stored():
    prose = re.sub(r"^\|.*", "", (DOCS / "which_sari.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    numbers = {abs(round(float(cell), 3)) for cell in read_table(ratings.FILE).iloc[:, 5:].to_numpy().ravel() if cell}
    quoted = [abs(float(number.replace("−", "-"))) for number in re.findall(r"−?\.\d{3}\b", prose)]
    assert len(quoted) > 10
    assert set(quoted) <= numbers


@pytest.mark.parametrize("name", ["README.md"])
def test_the_readme_shows_the_stored_figures(name):
    stored = read_table(ratings.FILE).query("figure == 'Pearson'").set_index(["collection", "score"]).T
    text = (ROOT / name).read_text(encoding="utf-8").partition("## Which SARI should I use?")[2]
    table = re.search(r"^\| \|.*\n(?:\|.*\n)+", text.partition("\n## ")[0], re.MULTILINE)[0]
    (_, *names), _, *body = ([cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines())
    for score, *cells in body:
        for collection, cell in zip(names, cells, strict=True):
            own = stored[collection, score.replace("`", "")]
            value, *ends = map(float, re.findall(r"-?\.\d+", cell))
            assert value == pytest.approx(float(own["value"]), abs=0.00051)
            assert ends == pytest.approx([float(own["low"]), float(own["high"])], abs=0.0056)  # rounded twice
