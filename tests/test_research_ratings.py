"""How scores agree with people: figures from made-up checkouts, and the stored ones in pages."""

import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sari.research import power, ratings, systems, variant_tables
from sari.research.collections_of_ratings import COLLECTIONS, cochrane_pairs
from sari.research.files import DOCS, ROOT, read_table, with_tables
from sari.sari_scorer import Scorer

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # texts are words at random
STORED = read_table(ratings.FILE)


@pytest.fixture(scope="module")
def rated(checkouts):
    return COLLECTIONS["Simplicity-DA"].read(checkouts)


@pytest.fixture(scope="module")
def figures(checkouts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "COLLECTIONS", {name: COLLECTIONS[name] for name in ("Simplicity-DA", "JADES")})
        patch.setattr(ratings, "_FEWEST_SYSTEMS", 3)
        patch.setattr(ratings, "_ACCESS", "o/muss/one.pred")
        rows = ratings.compute_agreement(checkouts)
    return {tuple(row[name] for name in ("figure", "score", "number")): row for row in rows.to_dict("records")}


def test_correlations_of_outputs(rated, figures):
    found = {name: Scorer(name).compute(**rated.texts._asdict(), details=True) for name in ("easse", "set")}
    scores = {name: own["sentences"]["sari"] for name, own in found.items()}
    values = {name: stats.pearsonr(own, rated.ratings).statistic for name, own in scores.items()}
    row = figures["Pearson", "easse", "36"]
    assert float(row["value"]) == pytest.approx(values["easse"], abs=1e-6)
    assert float(row["low"]) < values["easse"] < float(row["high"])
    assert float(figures["Pearson", "set", "36"]["difference"]) == pytest.approx(
        values["set"] - values["easse"], abs=1e-6
    )
    assert row["signature"] == Scorer("easse", level="sentence").signature(10)
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


def test_scores_of_pairs(checkouts, figures):
    (first, second), is_second = cochrane_pairs(checkouts)
    scores = [Scorer("easse").compute(**side._asdict(), details=True)["sentences"]["sari"] for side in (first, second)]
    share = np.mean((np.subtract(*scores[::-1]) > 0) == is_second)
    row = figures["pairs", "easse", str(len(is_second))]
    assert float(row["value"]) == pytest.approx(100 * share, abs=1e-6)
    assert float(row["low"]) <= 100 * share <= float(row["high"])
    shorter = [
        len(one.split()) > len(two.split()) for one, two in zip(first.predictions, second.predictions, strict=True)
    ]
    row = figures["pairs", "the shorter one", str(len(is_second))]
    assert float(row["value"]) == pytest.approx(100 * np.mean(shorter == is_second), abs=1e-6)
    assert float(row["difference"]) == pytest.approx(100 * (np.mean(shorter == is_second) - share), abs=1e-6)


def test_other_languages_have_their_tokenizer(checkouts, figures):
    rated = COLLECTIONS["JADES"].read(checkouts)
    for name, options in (("easse", {"tokenize": "ja-mecab"}), ("easse, 13a", {})):
        scores = Scorer("easse", **options).compute(**rated.texts._asdict(), details=True)["sentences"]["sari"]
        row = figures["Pearson", name, str(len(scores))]
        assert float(row["value"]) == pytest.approx(stats.pearsonr(scores, rated.ratings).statistic, abs=1e-6)
        assert row["signature"] == Scorer("easse", level="sentence", **options).signature(1)


@pytest.mark.parametrize("signature", sorted(set(STORED["signature"]) - {""}))
def test_stored_signatures_are_those_that_the_module_prints(signature):
    """But for versions: Scorer.from_signature warns of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scorer = Scorer.from_signature(signature)
    printed = scorer.signature(int(re.findall(r"nrefs:(\d+)", signature)[0]) if "nrefs:var" not in signature else "var")
    without_versions = partial(re.sub, r"-\d[\w.]*|\|(sacrebleu|version):[^|]*", "")
    assert without_versions(printed) == without_versions(signature)


@pytest.mark.parametrize("study", [ratings.STUDY, systems.STUDY, power.STUDY, variant_tables.STUDY])
def test_pages_have_the_stored_tables(study):
    texts = [page.read_text(encoding="utf-8") for page in study.pages]
    named = study.tables(read_table(study.file))
    assert not [name for name in named if not any(f"<!-- table: {name} -->" in text for text in texts)]
    for text in texts:
        emptied = with_tables(text, {name: table[:0] for name, table in named.items()})
        assert len(emptied) < len(text)
        assert with_tables(emptied, named) == text


def cell(column, figure, collection, score, digits=3):
    """Return a stored figure as prose writes it."""
    rows = STORED.query(f"figure == '{figure}' and collection == '{collection}' and score == '{score}'")
    return re.sub("^(-?)0", r"\1", f"{float(rows[column].iloc[0]):.{digits}f}").replace("-", "−")


def test_figures_in_the_prose_are_stored():
    """In the order of the page: coefficients, and differences with both ends of their intervals."""
    prose = re.sub(r"^\|.*", "", (DOCS / "ratings.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    expected = []
    for place in (
        ("Pearson", "ASSET ratings", "set, 13a"),
        ("Pearson", "Simplicity-DA", "set, 13a"),
        ("Pearson", "SimpEval past", "set, 13a"),
        ("Pearson", "D-Wikipedia, words", "easse"),
        ("Spearman", "Simplicity-DA", "set"),
        ("Spearman", "SimpEval past", "set, 13a"),
    ):
        columns = ["at_equal_length"] if place[-1] == "easse" else ["difference", "difference_low", "difference_high"]
        expected += [cell(column, *place) for column in columns]
    assert re.findall(r"−?\.\d{3}\b", prose) == expected


def text_of(path):
    return " ".join(path.read_text(encoding="utf-8").split())


def test_claims_about_ratings_and_systems_are_stored():
    rows, prose = read_table(systems.FILE), text_of(DOCS / "which_sari.md")
    names = ["GPT-4o, APIO, plain prompt", "GPT-4o", "GPT-4o, APIO, few-shot prompt", "ACCESS"]
    scores = rows.query("test_set == 'ASSET'").set_index("name")["set"].astype(float)[names]
    assert "GPT-4o has {:.1f}, {:.1f} or {:.1f}, and ACCESS {:.1f}".format(*scores) in prose
    assert f"a correlation of {cell('value', 'Pearson', 'HSplit, structure', 'easse', 2)} on HSplit" in prose
    shorter = float(cell("value", "pairs", "Cochrane, pairs", "the shorter one"))
    assert f"the shorter of two in {shorter:.0f}% of the pairs" in prose
    tokenized, other = (cell("value", "Pearson", "JADES", score) for score in ("easse", "easse, 13a"))
    assert f"by {tokenized} with the tokens of `ja-mecab`, and by {other} with `13a`" in text_of(DOCS / "languages.md")
    failed, ranked = (rows.query(f"kind == '{kind}'")["test_set"].value_counts() for kind in ("failed", "system"))
    prose = text_of(DOCS / "systems.md")
    assert f"On Med-EASi, {failed['Med-EASi']} of {(failed + ranked)['Med-EASi']:.0f} systems failed" in prose
    assert f"On ASSET {failed['ASSET']} failed" in prose


def test_claims_of_readme_and_about_tests_are_stored():
    taus = systems.systems_tables(read_table(systems.FILE))["taus"].iloc[:2]["hf"].astype(float)
    readme = " ".join(text_of(ROOT / "README.md").split())
    assert "[is {:.2f} on ASSET and {:.2f} on TurkCorpus]".format(*taus).replace("0.", ".").replace("-", "−") in readme
    found = read_table(power.FILE).query("variant == 'easse'").set_index("segments")["found"].astype(float)
    assert f"359 segments, a true difference of {found['359']:.1f} points is significant in 80% of samples" in readme
    observed = read_table(power.FILE).set_index(["segments", "variant"])["observed"]["359"][["easse", "set", "hf"]]
    sentence = (
        "{} of the 60 differences of one point are significant by randomization under `easse`, {} under `set` and {}"
    )
    assert sentence.format(*observed) in text_of(DOCS / "statistics.md")
    assert f"with 100 segments it has to be {found['100']:.1f} points" in readme
    copies = read_table(systems.FILE).query("test_set == 'ASSET' and kind == 'copy'")["hf"].astype(float)
    assert f"copies of the sources ({copies.iloc[0]:.2f})" in readme
