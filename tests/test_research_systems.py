"""Public outputs on made-up checkouts: scores, baselines and ranks; and what is stored."""

import re
from itertools import chain, combinations
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from published_trees import COLUMNS, REFERENCES, sentences, write
from scipy import stats

from sari.corpus_statistics import score_systems
from sari.research import published, systems, variant_tables
from sari.research.__main__ import STUDIES, main
from sari.research.files import DOCS, REPOSITORIES, TEST_SETS, find_files, read_table
from sari.sari_scorer import Scorer
from sari.significance import bootstrap_draws
from sari.validation import SystemColumns
from sari.variants import VARIANTS

# Texts are words at random, and one system is a reference.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

OUTPUTS = {"winner": "o/best/yes", "two": "o/muss/two.pred", "runs": "o/muss/t*.pred", "stock answers": "o/best/no"}


@pytest.fixture(scope="module")
def rows(checkouts):
    write(checkouts / "best/yes", [row[0] for row in REFERENCES])
    write(checkouts / "best/no", ["", *["Sorry!"] * 11])
    described = read_table(systems.FILE)[:0].reindex(range(len(OUTPUTS))).assign(test_set="ASSET", kind="system")
    write(checkouts / "systems.csv", described.assign(name=OUTPUTS.keys(), outputs=OUTPUTS.values()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(systems, "FILE", checkouts / "systems.csv")
        patch.setattr(systems, "TEST_SETS", {"ASSET": TEST_SETS["ASSET"]})
        return systems.score_public_systems(checkouts).set_index("name").T


def test_scores_are_means_of_runs(rows):
    cells = rows["runs"]
    for variant in VARIANTS.keys() - {"dsari"}:
        runs = [Scorer(variant).compute(predictions=sentences(name), **COLUMNS)["sari"] for name in ("two", "three")]
        assert float(cells[variant]) == pytest.approx(sum(runs) / 2, abs=5.1e-5)
        assert cells[f"{variant} least"] == f"{min(runs):.2f}"
        assert float(cells[f"{variant} low"]) < sum(runs) / 2 < float(cells[f"{variant} high"])
    assert (cells["runs"], rows["two"]["runs"], rows["two"]["easse least"]) == ("2", "1", "")


def test_baselines(rows):
    expected = Scorer("easse").baselines(**COLUMNS)
    found = {row["kind"]: row["easse"] for _, row in rows.items() if row["kind"] not in ("system", "failed")}
    names = {"copy": "copy", "unrelated": "unrelated", "people": "references"}
    assert found == {kind: f"{expected[name]['sari']:.4f}" for kind, name in names.items()}


def test_ranks_are_those_of_a_comparison_of_all_pairs(rows):
    assert [rows[name]["ranks"] for name in ("winner", "two", "runs")] == ["1-1", "2-3", "2-3"]
    best, two = ([row[0] for row in REFERENCES], sentences("two"))
    predictions = {str(number): (best[:number] + two[number:]) * 6 for number in range(6)}
    columns = {name: column * 6 for name, column in COLUMNS.items()}
    compared = Scorer("easse").compare(predictions=predictions, **columns, all_pairs=True)["systems"]
    texts = SystemColumns(columns["sources"], predictions, columns["references"])
    corpora = score_systems(texts, VARIANTS["easse"], rows=True)
    found = systems.possible_ranks([[corpus] for corpus in corpora.values()])
    assert found == ["{}-{}".format(*compared[name]["rank"]) for name in predictions]


def test_the_picture_is_that_of_the_stored_rows(tmp_path):
    """Other versions of Matplotlib may place things otherwise."""
    systems.draw_ranks(read_table(systems.FILE), tmp_path / "systems.svg")
    pictures = [(path / "systems.svg").read_text("utf-8") for path in (tmp_path, DOCS)]
    drawn, stored = (re.findall(r">([^<>]+)</text>", picture) for picture in pictures)
    assert drawn == stored
    assert {*systems.NAMED, *systems.DRAWN} < {*drawn}
    versions = {re.search("Matplotlib v[^,]+", picture)[0] for picture in pictures}
    assert len({*pictures}) == len(versions)


def test_a_system_of_faulty_outputs_is_not_ranked(rows):
    assert rows["winner"]["kind"] == "system"
    cells = rows["stock answers"]
    assert (cells["kind"], cells["ranks"]) == ("failed", "")
    shares = [cells[name] for name in ("empty", "repeated", "unrelated", "long", "faulty")]
    assert shares == ["0.0833", "0.9167", "0.9167", "0.0000", "1.0000"]
    assert float(cells["easse"]) > 0


def test_stored_rows_say_how_systems_were_made_and_where_their_files_are():
    stored = read_table(systems.FILE)
    assert stored["name"][stored["runs"] == ""].tolist() == [], "run python research systems FOLDER --store"
    told = ["year", "publication", "how", "licence", "outputs"]
    assert (stored.query("kind not in ['copy', 'unrelated', 'people']")[["kind", *told]] != "").all(axis=None)
    figures = read_table(published.FILE)[["sources", "references", "outputs"]].to_numpy().ravel()
    patterns = " ".join([*stored["outputs"], *figures, *chain(*TEST_SETS.values())]).split()
    repositories = {"/".join(pattern.split("/")[:2]) for pattern in patterns}
    assert repositories <= set(read_table(REPOSITORIES)["repository"])


def test_intervals_of_taus_draw_publications():
    """On the systems of drawn publications, of which none is compared with itself."""
    rng = np.random.default_rng(5)
    easse, numbers = rng.permutation(14).astype(float), np.arange(14) % 6
    rows = pd.DataFrame({"hf": easse + rng.normal(0, 5, 14), "easse": easse})
    found = systems.tau_intervals(rows, pd.Series(numbers).map("publication {}".format))
    assert found["tau"]["hf"] == pytest.approx(stats.kendalltau(rows["hf"], easse).statistic)
    drawn = []
    signs = np.sign(easse[:, None] - easse) * np.sign(rows["hf"].to_numpy()[:, None] - rows["hf"].to_numpy())
    for times in np.concatenate([*bootstrap_draws(6, *systems._TAU_DRAWS)]):
        places = np.repeat(np.arange(14), times[numbers])
        drawn.append(np.mean([signs[pair] for pair in combinations(places, 2) if pair[0] != pair[1]]))
    assert found.loc["hf", ["low", "high"]].tolist() == pytest.approx(np.quantile(drawn, [0.025, 0.975]))


def test_variant_tables_are_scored_from_a_folder(tmp_path):
    """The checkout of one repository is enough."""
    sets, outputs = "easse/easse/resources/data/test_sets/pwkp", "easse/easse/resources/data/system_outputs"
    for name, seed in (("pwkp.test.orig", "a"), ("pwkp.test.simp", "b")):
        write(tmp_path / sets / name, sentences(seed))
    (pattern,) = read_table(systems.FILE).query(variant_tables._SHOWN)["outputs"]
    assert outputs in pattern
    write(tmp_path / pattern.split("/", 1)[1], sentences("c"))
    row = variant_tables.STUDY.compute(tmp_path).iloc[0]
    texts = {"sources": sentences("a"), "predictions": sentences("c"), "references": sentences("b")}
    for variant in ("hf", "easse", "set"):
        assert float(row[variant]) == pytest.approx(Scorer(variant).compute(**texts)["sari"], abs=1e-4)
    assert variant_tables.STUDY.is_of_another  # systems.csv is not overwritten with one row


def test_another_commit_is_said_once(tmp_path, capsys):
    for name in ("easse", "muss"):
        write(tmp_path / name / "x.txt", ["a"])
    write(tmp_path / "easse/.git/HEAD", ["1" * 40])
    for folder in ("objects", "refs"):
        (tmp_path / "easse/.git" / folder).mkdir()
    for pattern in ("feralvam/easse/x.txt", "feralvam/easse/x.txt", "facebookresearch/muss/x.txt"):
        find_files(tmp_path, pattern)
    stored = read_table(REPOSITORIES).set_index("repository")["commit"]["feralvam/easse"]
    said = f"{tmp_path / 'easse'}: commit 1111111, the stored figures are from {stored}\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["sistems"], "sistems"), (["systems", "xu2017"], "xu2017"), (["systems", "."], "github.com/feralvam/easse")],
)
def test_bad_names_and_folders_are_refused(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert message in capsys.readouterr().err.split("\n")[-2]


def test_what_is_not_installed_is_said_in_a_line(monkeypatch, capsys):
    assert main(["paired_tests"]) == 0
    monkeypatch.setitem(STUDIES, "systems", Mock(**{"STUDY.run.side_effect": ImportError("needs NLTK")}))
    with pytest.raises(SystemExit, match="2"):
        main(["systems"])
    assert capsys.readouterr().err.endswith("error: needs NLTK\n")
