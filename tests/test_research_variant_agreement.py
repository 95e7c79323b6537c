"""Every variant on every collection of ratings, on made-up checkouts, and the page that shows the figures."""

import io
import re
from contextlib import redirect_stdout

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from published_trees import HAS_OPENPYXL, checkouts
from scipy import stats

from sari.research import stored_figures
from sari.research.collections_of_ratings import COLLECTIONS
from sari.research.reproduce import main
from sari.sari_scorer import Scorer
from sari.variants import VARIANTS

_LESS = "Pearson less that of set"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not HAS_OPENPYXL:
        pytest.skip("needs openpyxl")
    return checkouts(tmp_path_factory.mktemp("checkouts"))


@pytest.fixture(scope="module")
def figures(folder, tmp_path_factory):
    """Return the figures that the command writes."""
    with redirect_stdout(io.StringIO()) as written:
        assert main(["people", str(folder), "--format", "csv"]) == 0
    file = tmp_path_factory.mktemp("figures") / "figures.csv"
    file.write_text(written.getvalue(), encoding="utf-8")
    return stored_figures.by_place(stored_figures.read_figures(file))


@pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")
def test_figures(folder, figures):
    rated = COLLECTIONS[1].read(folder)
    columns, name = rated.texts._asdict(), "Simplicity-DA"
    scores = {
        variant: Scorer(variant).compute(**columns, details=True)["sentences"]["sari"] for variant in ("easse", "set")
    }
    values = {variant: stats.pearsonr(own, rated.ratings).statistic for variant, own in scores.items()}
    for variant, value in values.items():
        outcome = figures["Pearson", name, variant]
        assert (outcome.heading, outcome.column) == ("Pearson: older systems", "Simplicity-DA (36)")
        assert outcome.ours == pytest.approx(value, abs=1e-6)
        assert outcome.interval[0] < value < outcome.interval[1]
        assert outcome.recipe.startswith(f"SARI|variant:{variant}|nrefs:10|")
        assert "|level:sentence|" in outcome.recipe
    difference = figures["Pearson less that of set", name, "easse"].ours
    assert difference == pytest.approx(values["easse"] - values["set"], abs=1e-6)
    own = Scorer("set", tokenize="13a").compute(**columns, details=True)
    outcome = figures["Pearson", name, "set, 13a"]
    assert outcome.ours == pytest.approx(stats.pearsonr(own["sentences"]["sari"], rated.ratings).statistic, abs=1e-6)
    assert outcome.recipe == own["signature"]
    lengths = [len(one.split()) / len(two.split()) for one, two in zip(*rated.texts[1::-1], strict=True)]
    left = [own - np.polyval(np.polyfit(lengths, own, 1), lengths) for own in (np.array(scores["set"]), rated.ratings)]
    assert figures["Pearson at equal length", name, "set"].ours == pytest.approx(
        stats.pearsonr(*left).statistic, abs=1e-6
    )


@pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")
def test_figures_of_systems(folder, figures):
    rated = COLLECTIONS[1].read(folder)
    rows = pd.DataFrame({**rated.texts._asdict(), "rating": rated.ratings})
    of_systems, means = [], []
    for _, own in rows.groupby(rated.systems):
        columns = {name: own[name].tolist() for name in rated.texts._fields}
        of_systems.append(Scorer("easse").compute(**columns)["sari"])
        means.append(own["rating"].mean())
    outcome = figures["Spearman of systems", "Simplicity-DA", "easse"]
    assert outcome.column == "Simplicity-DA (3)"
    assert "|level:corpus|" in outcome.recipe
    assert outcome.ours == pytest.approx(stats.spearmanr(of_systems, means).statistic, abs=1e-6)


def test_the_readme_shows_the_stored_figures():
    places = stored_figures.by_place(stored_figures.read_figures())
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Which SARI should I use?")[2]
    table = re.search(r"^\| \|.*\n(?:\|.*\n)+", text.partition("\n## ")[0], re.MULTILINE)[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    (_, *collections), _, *body = rows
    assert len(body) >= 3
    for name, *cells in body:
        for collection, cell in zip(collections, cells, strict=True):
            own = places["Pearson", collection, name.replace("`", "")]
            value, *ends = map(float, re.findall(r"-?\.\d+", cell))
            assert value == pytest.approx(own.ours, abs=0.00051)
            assert ends == pytest.approx(own.interval, abs=0.0056)  # rounded twice


def test_the_advice_follows_from_the_stored_figures():
    places = stored_figures.by_place(stored_figures.read_figures())

    stored = {name for *_, name in places if name in VARIANTS}  # a variant may have no figures yet

    def variants(heading, column):
        return {name: own for (*place, name), own in places.items() if place == [heading, column] and name in stored}

    def behind(column):
        found = variants(_LESS, column)
        return {name for name, own in found.items() if own.interval[1] < 0}

    def highest(column, number=1):
        found = variants("Pearson", column)
        return sorted(found, key=lambda name: -found[name].ours)[:number]

    assert behind("Simplicity-DA") == stored - {"set"}
    assert behind("SimpEval past") == stored - {"set", "hf"}
    for column in ("SimpEval 2022", "simpDA 2022"):
        assert not {"easse", "lasertagger", "star"} & behind(column)
    tokenized = {place[1]: own.interval for place, own in places.items() if place[::2] == (_LESS, "set, 13a")}
    assert tokenized.keys() == {collection.name for collection in COLLECTIONS}
    assert all(high >= 0 for _, high in tokenized.values())
    assert {name for name, (low, _) in tokenized.items() if low > 0} >= {"SimpEval past", "D-Wikipedia, overall"}
    assert highest("Wu and Arase") == ["dsari"]
    assert behind("D-Wikipedia, words") >= {"hf", "xu2016", "lens", "paper", "t2t"}
    assert not {"easse", "lasertagger"} & behind("D-Wikipedia, words")
    assert not {"hf", "easse"} & behind("D-Wikipedia, overall")
    assert highest("D-Wikipedia, overall") == ["easse_legacy"]
    assert highest("MultiCochrane", 3) == ["lasertagger", "star", "set"]
    of_systems = {place: own for place, own in places.items() if place[0] == "Spearman of systems less that of set"}
    assert not [place for place, own in of_systems.items() if own.interval[0] > 0 and place[-1] in stored]
    assert of_systems[("Spearman of systems less that of set", "SimpEval 2022", "hf")].interval[1] < 0
    for column in ("SimpEval past", "SimpEval 2022"):
        assert of_systems[("Spearman of systems less that of set", column, "BLEU")].interval[1] < 0
    for column in ("Wu and Arase", "simpDA 2022"):
        strongest = max(own.ours for own in variants("Pearson", column).values())
        assert abs(places["Pearson", column, "length"].ours) > strongest


def test_the_stored_figures_are_all_that_the_command_computes(figures):
    """Of every variant that was there when they were computed, BLEU and length on every collection."""
    places = stored_figures.by_place(stored_figures.read_figures())
    missing = stored_figures.not_computed(name for *_, name in places)
    assert {place for place in figures if place[-1] not in missing} == places.keys()
    assert {(column, name) for heading, column, name in figures if heading == "Pearson"} == {
        (collection.name, name) for collection in COLLECTIONS for name in (*VARIANTS, "set, 13a", "BLEU", "length")
    }
