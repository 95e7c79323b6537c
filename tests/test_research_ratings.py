"""How scores agree with people: figures from made-up checkouts, and the stored ones in pages."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sacrebleu.metrics import BLEU
from scipy import stats

from sari.messages import join_names
from sari.research import power, ratings, systems, variant_tables
from sari.research.collections_of_ratings import COLLECTIONS, cochrane_pairs
from sari.research.files import DOCS, ROOT, read_table, with_tables
from sari.sari_scorer import Scorer
from sari.variants import VARIANTS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # texts are words at random
STORED = read_table(ratings.FILE)


@pytest.fixture(scope="module")
def rated(checkouts):
    return COLLECTIONS["Simplicity-DA"].read(checkouts)


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


def test_correlations_of_systems(rated, rows):
    of_systems = pd.DataFrame(rated.texts._asdict()).groupby(rated.systems)
    means = pd.Series(rated.ratings).groupby(rated.systems).mean()
    for variant in ("hf", "easse", "set", "paper"):
        scores = [Scorer(variant).compute(**own.to_dict("list"))["sari"] for _, own in of_systems]
        assert rows.loc["Spearman", variant, "3"]["value"] == correlation(scores, means, stats.spearmanr)


def test_scores_of_pairs(checkouts, rows):
    sides, is_second = cochrane_pairs(checkouts)
    scores = [scores_alone(side) for side in sides]
    lengths = [[-len(text.split()) for text in side.predictions] for side in sides]
    share, shorter = (100 * np.mean((np.subtract(two, one) > 0) == is_second) for one, two in (scores, lengths))
    own, rule = (rows.loc["pairs", name, "12"] for name in ("easse", "the shorter one"))
    assert [own["value"], rule["value"]] == pytest.approx([share, shorter], abs=1e-6)
    assert own["low"] <= share <= own["high"]
    assert rule["difference"] == pytest.approx(shorter - share, abs=1e-6)


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


@pytest.mark.parametrize("study", [ratings.STUDY, systems.STUDY, power.STUDY, variant_tables.STUDY])
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


def difference(*place):
    """Return a difference from `easse` with its interval."""
    value, *ends = (cell(column, *place) for column in ("difference", "difference_low", "difference_high"))
    return f"{value} [{', '.join(ends)}]"


def correlations(collection, column="value"):
    """Return the correlations of the variants with the ratings of outputs."""
    rows = STORED.query(f"figure == 'Pearson' and collection == '{collection}' and score not in ['BLEU', 'length']")
    return rows.set_index("score")[column].astype(float)


#: The scores that are significantly better than `easse`, by figure and collection, where pages name them.
BETTER = {
    ("Pearson", "Simplicity-DA"): {"hf", "xu2016", "lens", "kriz", "paper", "t2t", "set", "set, 13a", "BLEU"},
    ("Pearson", "SimpEval past"): {"hf", "xu2016", "lens", "kriz", "paper", "t2t", "set", "set, 13a", "BLEU"},
    ("Pearson", "SimpEval 2022"): {"star"},
    ("Pearson", "simpDA 2022"): {"star"},
    ("Pearson", "Wu and Arase"): set(),
    ("Pearson", "D-Wikipedia, overall"): {"easse_legacy", "easse_multi"},
    ("Pearson", "MultiCochrane"): {"lasertagger", "set", "set, 13a"},
    ("Pearson", "JADES"): set(),
    ("Spearman", "SimpEval past"): {"set, 13a", "easse_legacy", "easse_multi", "star"},
    ("pairs", "Cochrane, pairs"): {"the shorter one"},
}


@pytest.mark.parametrize("place", BETTER, ids=str)
def test_scores_that_are_better_than_easse(place):
    rows = STORED[(STORED["figure"] == place[0]) & (STORED["collection"] == place[1])]
    better = rows[pd.to_numeric(rows["difference_low"]) > 0]
    assert set(better["score"]) == BETTER[place]


SYSTEMS = read_table(systems.FILE).query("runs != ''")  # those that are scored
SCORES = SYSTEMS.set_index(["test_set", "name"]).apply(pd.to_numeric, errors="coerce")
OUTPUTS = SYSTEMS.query("kind in ['failed', 'system']").groupby("test_set")
FAILED = OUTPUTS["kind"].value_counts()
TAUS_OF_ALL = {name: in_prose(systems.taus(rows)["hf"]["easse"]) for name, rows in OUTPUTS}
TAUS = systems.systems_tables(SYSTEMS)["taus"]["hf"].astype(float).map(in_prose)
POWER = read_table(power.FILE).set_index(["segments", "variant"])
FOUND, OBSERVED = POWER["found"].astype(float).xs("easse", level="variant"), POWER["observed"]["359"]
#: SARI on PWKP by `star`, and the systems that are ranked there.
STAR, RANKED = SCORES.loc["PWKP", "star"], SYSTEMS.query("test_set == 'PWKP' and kind == 'system'")["name"]
GPT = SCORES.loc["ASSET"].loc[["GPT-4o, APIO, plain prompt", "GPT-4o", "GPT-4o, APIO, few-shot prompt", "ACCESS"]]
COPIES = SCORES["easse_legacy"].xs("sources, copied", level="name")
#: Correlations with ratings of documents, and the variants that are near those of words and sentences.
NEAR, WORDS = ["easse", "star", "lasertagger", "set", "dsari", "set, 13a"], correlations("D-Wikipedia, words")
LEAST_OF_NEAR, MOST_OF_OTHERS = WORDS[NEAR].min(), WORDS.drop(NEAR).max()
OF_MEANING, OF_ANSWERS = correlations("D-Wikipedia, meaning"), correlations("OneStopQA", "at_equal_length")

#: Pages, and sentences in them with stored figures.
CLAIMS = [
    ("ratings", f"on ASSET's ratings by {difference('Pearson', 'ASSET ratings', 'set, 13a')}"),
    ("ratings", f"on Simplicity-DA by {difference('Pearson', 'Simplicity-DA', 'set, 13a')}"),
    ("ratings", f"on SimpEval past by {difference('Pearson', 'SimpEval past', 'set, 13a')}"),
    ("ratings", "Only `{}` is significantly better than `easse`, on".format(*BETTER["Pearson", "SimpEval 2022"])),
    ("ratings", f"the highest correlation of a variant is {in_prose(correlations('Wu and Arase').max())}."),
    ("ratings", f"`easse` has {cell('at_equal_length', 'Pearson', 'D-Wikipedia, words', 'easse')}"),
    ("ratings", f"of at least {in_prose(LEAST_OF_NEAR, 3)}, and all others of at most {in_prose(MOST_OF_OTHERS, 3)}"),
    ("ratings", f"have correlations of at most {in_prose(OF_MEANING[NEAR].max(), 3)}"),
    ("ratings", f"between {in_prose(OF_ANSWERS.min())} and {in_prose(OF_ANSWERS.max())}: none is supported"),
    ("ratings", f"the difference of the correlations is {difference('Spearman', 'Simplicity-DA', 'set')}"),
    ("ratings", f"On SimpEval past `set` with 13a is better by {difference('Spearman', 'SimpEval past', 'set, 13a')}"),
    ("which_sari", "GPT-4o has {:.1f}, {:.1f} or {:.1f}, and ACCESS {:.1f}".format(*GPT["set"])),
    ("which_sari", f"a correlation of {cell('value', 'Pearson', 'HSplit, structure', 'easse', 2)} on HSplit"),
    ("which_sari", f"two in {cell('value', 'pairs', 'Cochrane, pairs', 'the shorter one', 0)}% of the pairs"),
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
    ("README", f"[is {TAUS.iloc[0]} on ASSET and {TAUS.iloc[1]} on TurkCorpus]"),
    ("README", f"copies of the sources ({SCORES.loc[('ASSET', 'sources, copied'), 'hf']:.2f})"),
    ("README", f"359 segments, a true difference of {FOUND['359']:.1f} points is found in four of five tests"),
    ("README", f"with 100 segments it has to be {FOUND['100']:.1f} points"),
    ("statistics", f"{OBSERVED['easse']} of the 60 differences of one point are significant by randomization"),
    ("statistics", f"under `easse`, {OBSERVED['set']} under `set` and {OBSERVED['hf']} under `hf`"),
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
