"""How scores agree with people: figures from made-up checkouts, and the stored ones in pages."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sari.research import power, ratings, systems
from sari.research.collections_of_ratings import COLLECTIONS
from sari.research.files import DOCS, read_table, with_tables
from sari.sari_scorer import Scorer


@pytest.fixture(scope="module")
def rated(checkouts):
    return COLLECTIONS["Simplicity-DA"][1](checkouts)


@pytest.fixture(scope="module")
def figures(checkouts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "COLLECTIONS", {"Simplicity-DA": COLLECTIONS["Simplicity-DA"]})
        patch.setattr(ratings, "_ACCESS", "o/muss/one.pred")
        return ratings.compute_agreement(checkouts).set_index(["figure", "score", "number"]).T


def test_correlations_of_outputs(rated, figures):
    found = {name: Scorer(name).compute(**rated.texts._asdict(), details=True) for name in ("easse", "set")}
    scores = {name: own["sentences"]["sari"] for name, own in found.items()}
    values = {name: stats.pearsonr(own, rated.ratings).statistic for name, own in scores.items()}
    row = figures["Pearson", "easse", "36"]
    assert float(row["value"]) == pytest.approx(values["easse"], abs=1e-6)
    assert float(row["low"]) < values["easse"] < float(row["high"])
    assert float(row["difference"]) == pytest.approx(values["easse"] - values["set"], abs=1e-6)
    assert row["signature"].startswith("SARI|variant:easse")
    assert "|level:sentence|" in row["signature"]
    lengths = [len(one.split()) / len(two.split()) for one, two in zip(*rated.texts[1::-1], strict=True)]
    left = [own - np.polyval(np.polyfit(lengths, own, 1), lengths) for own in (np.array(scores["set"]), rated.ratings)]
    expected = pytest.approx(stats.pearsonr(*left).statistic, abs=1e-6)
    assert float(figures["Pearson", "set", "36"]["at_equal_length"]) == expected


def test_correlations_of_systems(rated, figures):
    rows = pd.DataFrame(rated.texts._asdict()).groupby(rated.systems)
    means = pd.Series(rated.ratings).groupby(rated.systems).mean()
    for variant in ("hf", "easse", "set", "paper"):
        of_systems = [Scorer(variant).compute(**own.to_dict("list"))["sari"] for _, own in rows]
        expected = stats.spearmanr(of_systems, means).statistic
        assert float(figures["Spearman", variant, "3"]["value"]) == pytest.approx(expected, abs=1e-6)


def test_scores_with_all_references(rated, figures):
    score = Scorer("hf").compute(**{name: column[:12] for name, column in rated.texts._asdict().items()})["sari"]
    assert float(figures["SARI", "hf", "10"]["value"]) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize(
    ("page", "file", "tables"),
    [
        ("which_sari.md", ratings.FILE, ratings.ratings_tables),
        ("systems.md", systems.FILE, systems.systems_tables),
        ("statistics.md", power.FILE, power.power_tables),
    ],
)
def test_pages_have_the_stored_tables(page, file, tables):
    text, shown = (DOCS / page).read_text(encoding="utf-8"), tables(read_table(file))
    emptied = with_tables(text, {name: table[:0] for name, table in shown.items()})
    assert all(f"<!-- table: {name} -->" in emptied for name in shown)
    assert len(emptied) < len(text)
    assert with_tables(emptied, shown) == text


def test_figures_in_the_page_are_stored():
    prose = re.sub(r"^\|.*", "", (DOCS / "which_sari.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    numbers = {abs(round(float(cell), 3)) for cell in read_table(ratings.FILE).iloc[:, 5:].to_numpy().ravel() if cell}
    quoted = [abs(float(number.replace("−", "-"))) for number in re.findall(r"−?\.\d{3}\b", prose)]
    assert len(quoted) > 10
    assert set(quoted) <= numbers
