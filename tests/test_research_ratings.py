"""How scores agree with people: figures from made-up checkouts, and the stored ones in pages."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from rapidfuzz.distance import Indel
from sacrebleu.metrics import BLEU
from scipy import stats

from sari.messages import join_names
from sari.reports.tables import HIGHER, LOWER
from sari.research import definitions, paired_tests, ratings, systems, variant_tables
from sari.research.collections_of_ratings import COLLECTIONS, cochrane_pairs
from sari.research.files import DOCS, ROOT, read_table, with_tables
from sari.sari_scorer import Scorer
from sari.significance import holm
from sari.variants import VARIANTS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # texts are words at random
STORED = read_table(ratings.FILE)


@pytest.fixture(scope="module")
def rated(checkouts):
    return COLLECTIONS["Simplicity-DA"].read(checkouts)  # all are outputs of systems


@pytest.fixture(scope="module")
def rows(checkouts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "COLLECTIONS", {name: COLLECTIONS[name] for name in ("Simplicity-DA", "JADES")})
        patch.setattr(ratings, "_FEWEST_SYSTEMS", 3)
        table = ratings.compute_agreement(checkouts).set_index(["figure", "score", "number"])
    return table.astype(dict.fromkeys(table.columns.difference(["collection", "signature"]), float))


def scores_alone(texts, variant="easse", **options):
    return Scorer(variant, **options).compute(**texts._asdict(), details=True)["sentences"]["sari"]


def correlation(scores, numbers, coefficient=stats.pearsonr):
    return pytest.approx(coefficient(scores, numbers).statistic, abs=1e-6)


def test_correlations_of_outputs(rated, rows):
    scores = {name: np.array(scores_alone(rated.texts, name)) for name in ("easse", "set")}
    one, other = (rows.loc["Pearson", name, "36"] for name in scores)
    assert [one["value"], other["value"]] == [correlation(own, rated.ratings) for own in scores.values()]
    assert one["low"] < one["value"] < one["high"]
    assert other["difference"] == pytest.approx(other["value"] - one["value"], abs=2e-6)
    assert one["signature"] == Scorer("easse", level="sentence").signature(10)
    lengths = [len(output.split()) / len(source.split()) for source, output, _ in zip(*rated.texts, strict=True)]
    left = [own - np.polyval(np.polyfit(lengths, own, 1), lengths) for own in (scores["set"], rated.ratings)]
    assert other["at_equal_length"] == correlation(*left)
    _, outputs, references = rated.texts
    bleu = list(map(BLEU(effective_order=True).sentence_score, outputs, references))
    assert rows.loc["Pearson", "BLEU", "36"]["value"] == correlation([each.score for each in bleu], rated.ratings)


def test_what_a_score_adds(rated, rows):
    """R² is 1 - 1/c, where c is the ratings' cell on the diagonal of the inverse of all correlations."""
    sources, outputs, _ = rated.texts
    lengths = [len(output.split()) / len(source.split()) for source, output in zip(sources, outputs, strict=True)]
    similarity = [Indel.normalized_similarity(*pair) for pair in zip(sources, outputs, strict=True)]
    columns = [rated.ratings, lengths, similarity]  # no output is a copy
    known, more = (
        1 - 1 / np.linalg.inv(np.corrcoef(each))[0, 0] for each in (columns, [*columns, scores_alone(rated.texts)])
    )
    found = [rows.loc["added", name, "36"]["value"] for name in ("the three", "easse")]
    assert found == pytest.approx([known, more - known], abs=1e-6)


def test_figures_of_systems(rated, rows):
    of_systems = pd.DataFrame(rated.texts._asdict()).groupby(rated.systems)
    means = pd.Series(rated.ratings).groupby(rated.systems).mean()
    for variant in ("hf", "easse", "set", "paper"):
        scores = [Scorer(variant).compute(**own.to_dict("list"))["sari"] for _, own in of_systems]
        assert rows.loc["Spearman", variant, "3"]["value"] == correlation(scores, means, stats.spearmanr)
        tau = stats.kendalltau(scores, means).statistic
        assert rows.loc["systems", variant, "3"]["value"] == pytest.approx((1 + tau) / 2, abs=1e-6)


def test_accuracy_of_pairs(checkouts, rows):
    sides, is_second = cochrane_pairs(checkouts)
    scores = [scores_alone(side) for side in sides]
    lengths = [[len(text.split()) for text in side.predictions] for side in sides]
    shares = [np.mean(np.sign(np.subtract(two, one)) == np.where(is_second, 1, -1)) for one, two in (scores, lengths)]
    own, longer = (rows.loc["accuracy", name, "12"] for name in ("easse", "length"))
    assert [own["value"], longer["value"]] == pytest.approx(shares, abs=1e-6)
    assert own["low"] <= shares[0] <= own["high"]
    assert longer["difference"] == pytest.approx(shares[1] - shares[0], abs=2e-6)


def test_p_values_are_corrected_for_the_figure(rows):
    own = rows.loc["Pearson"]
    tested = own[own["p_value"].notna()]
    assert len(tested) == len(own) - 4  # in two collections the baseline, and copying, which no output does
    assert tested["corrected_p_value"].tolist() == pytest.approx(holm(tested["p_value"].to_numpy()), rel=0.02)


@pytest.mark.parametrize(("name", "options"), [("easse", {"tokenize": "ja-mecab"}), ("easse, 13a", {})])
def test_other_languages_have_their_tokenizer(checkouts, rows, name, options):
    japanese, row = COLLECTIONS["JADES"].read(checkouts), rows.loc["Pearson", name, "24"]
    assert row["value"] == correlation(scores_alone(japanese.texts, **options), japanese.ratings)
    assert row["signature"] == Scorer("easse", level="sentence", **options).signature(1)


def test_stored_signatures_are_those_that_the_module_prints():
    """But for versions, of which Scorer.from_signature warns."""
    without_versions = partial(re.sub, r"-\d[\w.]*|\|(sacrebleu|version):[^|]*", "")
    for signature in set(STORED["signature"]) - {""}:
        number = re.search(r"nrefs:(\w+)", signature)[1]
        printed = Scorer.from_signature(signature).signature(number if number == "var" else int(number))
        assert without_versions(printed) == without_versions(signature)


@pytest.mark.parametrize(
    "study", [ratings.STUDY, systems.STUDY, paired_tests.STUDY, variant_tables.STUDY, definitions.STUDY]
)
def test_pages_have_the_stored_tables(study):
    texts = [page.read_text(encoding="utf-8") for page in study.pages]
    named = study.tables(read_table(study.file))
    assert not [name for name in named if not any(f"<!-- table: {name} -->" in text for text in texts)]
    for text in texts:
        emptied = with_tables(text, {name: table[:0] for name, table in named.items()})
        assert len(emptied) < len(text)
        assert with_tables(emptied, named) == text


def in_prose(number, digits=2):
    """Return a number as prose writes it, such as −.12."""
    return re.sub("^(-?)0", r"\1", f"{number:.{digits}f}").replace("-", "−")


def cell(column, figure, collection, score, digits=3):
    """Return a stored figure of agreement as prose writes it."""
    rows = STORED.query(f"figure == '{figure}' and collection == '{collection}' and score == '{score}'")
    return in_prose(float(rows[column].iloc[0]), digits)


def scores_with(mark, figure, collection):
    """Return the scores, but for those without references, that are significantly better (*) or worse (†)."""
    rows = STORED.query(f"figure == '{figure}' and collection == '{collection}'").to_dict("records")
    return {row["score"] for row in rows if ratings.mark_of(row) == mark} - {*ratings.WITHOUT_REFERENCES}


#: What the pages say of the scores that are significantly better or worse than `easse`.
SAME_SIDE = {"hf", "xu2016", "lens", "kriz", "paper", "t2t"}
WORSE_ON_NEWER = {"hf", "kriz", "t2t", "easse_legacy", "easse_multi"}
BETTER = {
    ("Pearson", "ASSET ratings"): set(),
    ("Pearson", "Simplicity-DA"): {"paper", "set", "set, 13a", "BLEU"},
    ("Pearson", "HSplit, structure"): {"set, 13a"},
    ("Pearson", "SimpEval past, older"): SAME_SIDE | {"set", "set, 13a", "BLEU"},
    **{
        (figure, name): set()
        for figure in ("Pearson", "accuracy")
        for name in ("SimpEval past, newer", "SimpEval 2022", "simpDA 2022", "Wu and Arase", "OneStopQA", "JADES")
    },
    ("Pearson", "D-Wikipedia, words"): {"lasertagger"},
    ("Pearson", "D-Wikipedia, overall"): {"easse_legacy", "easse_multi"},
    ("accuracy", "Cochrane, pairs"): set(),
}
WORSE = {
    ("Pearson", "Simplicity-DA"): set(),
    ("Pearson", "HSplit, structure"): SAME_SIDE | {"lasertagger", "BLEU"},
    ("Pearson", "SimpEval past, older"): set(),
    ("Pearson", "SimpEval past, newer"): WORSE_ON_NEWER | {"star", "dsari", "BLEU"},
    ("accuracy", "SimpEval past, newer"): SAME_SIDE - {"paper"} | {"easse_multi", "set", "set, 13a", "BLEU"},
    ("Pearson", "SimpEval 2022"): WORSE_ON_NEWER | {"xu2016", "lens", "paper", "BLEU"},
    ("Pearson", "simpDA 2022"): WORSE_ON_NEWER | {"xu2016", "lens", "paper", "BLEU"},
    ("Pearson", "Wu and Arase"): WORSE_ON_NEWER | {"paper", "star"},
    ("Pearson", "D-Wikipedia, words"): SAME_SIDE | {"easse_legacy", "easse_multi", "BLEU"},
    ("Pearson", "JADES"): {"easse, 13a"},
}


@pytest.mark.parametrize("place", dict.fromkeys([*BETTER, *WORSE]), ids=str)
def test_scores_that_are_better_or_worse_than_easse(place):
    if place in BETTER:
        assert scores_with(HIGHER, *place) == BETTER[place]
    if place in WORSE:
        assert scores_with(LOWER, *place) == WORSE[place]


def test_there_are_too_few_systems():
    for name in {*STORED.query("figure == 'systems'")["collection"]}:
        for figure in ("Spearman", "systems"):
            assert not scores_with(HIGHER, figure, name) | scores_with(LOWER, figure, name)


SYSTEMS = read_table(systems.FILE).query("runs != ''")  # those that are scored
SCORES = SYSTEMS.set_index(["test_set", "name"]).apply(pd.to_numeric, errors="coerce")
OUTPUTS = SYSTEMS.query("kind in ['failed', 'system']").groupby("test_set")
FAILED = OUTPUTS["kind"].value_counts()
TAUS_OF_ALL = {name: in_prose(systems.taus(rows)["hf"]["easse"]) for name, rows in OUTPUTS}
TAUS = systems.systems_tables(SYSTEMS)["taus"]["hf"].str.replace("0.", ".").str.replace("-", "−")
TESTED = read_table(paired_tests.FILE).set_index(["figure", "variant", "segments"])["value"].astype(float).sort_index()
FOUND, OBSERVED = TESTED["found", "easse"], (60 * TESTED["observed"].xs("359", level="segments")).round().astype(int)
#: SARI on PWKP by `star`, and the systems that are ranked there.
STAR, RANKED = SCORES.loc["PWKP", "star"], SYSTEMS.query("test_set == 'PWKP' and kind == 'system'")["name"]
GPT = SCORES.loc["ASSET"].loc[["GPT-4o, APIO, plain prompt", "GPT-4o", "GPT-4o, APIO, few-shot prompt", "ACCESS"]]
COPIES = SCORES["easse_legacy"].xs("sources, copied", level="name")
#: Shares of variance on newer systems, and scores on ASSET.
NEWER = [name for name, row in COLLECTIONS.items() if row.group == "newer systems"]
ADDED = [float(cell("value", "added", name, "easse", 6).replace("−", "-")) for name in NEWER]
ASSET = SCORES.loc["ASSET", "easse"]
ABOVE = ASSET[SYSTEMS.query("test_set == 'ASSET' and kind == 'system'")["name"]] > ASSET["references, one by one"]

RANKS = STORED.query("figure == 'rank by people'").set_index("score")["number"]

#: Pages, and sentences in them with stored figures.
CLAIMS = [
    ("ratings", f"`easse` has {cell('value', 'Pearson', 'D-Wikipedia, meaning', 'easse')}"),
    ("which_sari", f"`hf` has a correlation of {cell('value', 'Pearson', 'SimpEval past, older', 'hf')} with"),
    ("which_sari", f"`set` with 13a {cell('value', 'Pearson', 'SimpEval past, older', 'set, 13a')}, and `easse`"),
    ("which_sari", f"and `easse` {cell('value', 'Pearson', 'SimpEval past, older', 'easse')}."),
    ("which_sari", f"put `copy` in place {RANKS['copy']}, and scrambled words last"),
    ("which_sari", "GPT-4o has {:.1f}, {:.1f} or {:.1f}, and ACCESS {:.1f}".format(*GPT["set"])),
    ("which_sari", f"unrelated texts get {SCORES.loc[('Med-EASi', 'unrelated references'), 'set']:.1f}"),
    ("which_sari", f"a correlation of {cell('value', 'Pearson', 'HSplit, structure', 'easse', 2)} on HSplit"),
    ("which_sari", f"of `easse` is {cell('at_equal_length', 'Pearson', 'HSplit, structure', 'easse', 2)}."),
    ("which_sari", f"(`easse`: {cell('value', 'Pearson', 'D-Wikipedia, meaning', 'easse', 2)})"),
    ("which_sari", f"copying is {in_prose(min(ADDED))} to {in_prose(max(ADDED))} of the variance"),
    (
        "which_sari",
        f"copies of the sources have {ASSET['sources, copied']:.1f}, and people {ASSET['references, one by one']:.1f}",
    ),
    ("which_sari", f"{ABOVE.sum()} of {len(ABOVE)} [public systems]"),
    (
        "which_sari",
        f"the longer of two in {100 * float(cell('value', 'accuracy', 'Cochrane, pairs', 'length', 6)):.0f}%",
    ),
    ("languages", f"by {cell('value', 'Pearson', 'JADES', 'easse')} with the tokens of `ja-mecab`"),
    ("languages", f"and by {cell('value', 'Pearson', 'JADES', 'easse, 13a')} with `13a`"),
    ("systems", f"On Med-EASi, {FAILED['Med-EASi', 'failed']} of {FAILED['Med-EASi'].sum()} systems failed"),
    ("systems", f"On ASSET {FAILED['ASSET', 'failed']} failed"),
    ("systems", f"of {(SCORES.loc['Med-EASi', 'repeated'] > 0.4).sum()} language models are the instruction"),
    ("systems", f"with all systems the tau of `easse` and `hf` is {TAUS_OF_ALL['ASSET']}"),
    ("systems", f"with all systems this tau is {TAUS_OF_ALL['Med-EASi']}"),
    ("variants", f"A copy has {STAR['sources, copied']:.2f}, and"),
    ("variants", f"the best of ten public systems, {STAR[RANKED].idxmax()}, {STAR[RANKED].max():.2f}."),
    ("variants", f"the reference of the next sentence scores {STAR['unrelated references']:.2f}"),
    ("variants", f"{COPIES['TurkCorpus']:.1f} by `easse_legacy` and `star`, above 32 of 34 systems"),
    ("variants", f"{COPIES['TurkCorpus (tokenized)']:.1f}, below all"),
    ("implementations", f"`set` {SCORES.loc[('PWKP', 'PBMT-R'), 'set']:.2f}"),
    ("implementations", f"by `hf` {SCORES.loc[('PWKP', 'PBMT-R'), 'hf']:.2f}"),
    ("README", f"is {TAUS.iloc[0]} on ASSET and {TAUS.iloc[1]} on TurkCorpus"),
    ("README", f"copies of the sources ({SCORES.loc[('ASSET', 'sources, copied'), 'hf']:.2f})"),
    ("README", f"a true difference of {FOUND['359']:.1f} points is found in four of five tests"),
    ("statistics", f"{OBSERVED['easse']} of the 60 differences of one point are significant by randomization"),
    ("statistics", f"under `easse`, {OBSERVED['set']} under `set` and {OBSERVED['hf']} under `hf`"),
    ("statistics", f"at least one of the three is significant in {TESTED['side by side'].iloc[0]:.0%}"),
]


@pytest.mark.parametrize(("page", "sentence"), CLAIMS, ids=str)
def test_figures_in_sentences_are_stored(page, sentence):
    path = ROOT / "README.md" if page == "README" else DOCS / f"{page}.md"
    assert sentence in " ".join(path.read_text(encoding="utf-8").split())


def test_ranks_of_copies():
    """By easse they are below all ranked systems; the variants that rank them first are those that the page names."""
    above, systems = {}, SYSTEMS.query("kind == 'system'")["test_set"].value_counts()
    for name, rows in SYSTEMS.groupby("test_set"):
        rows = rows.filter(["kind", *VARIANTS]).set_index("kind")
        copy, ranked = (rows.loc[[kind]].astype(float) for kind in ("copy", "system"))
        above[name] = (ranked > copy.iloc[0]).sum()
    table = pd.DataFrame(above)
    assert (table.loc["easse"] == systems[table.columns]).all()
    assert (table.loc[["easse_legacy", "star"], "TurkCorpus"] == systems["TurkCorpus"] - 32).all()
    first = join_names([f"`{name}`" for name in table.index[(table == 0).sum(axis=1) == 4]], "and")
    page = (DOCS / "which_sari.md").read_text(encoding="utf-8")
    assert f" By {first} copies rank first on four of these sets." in " ".join(page.split())
