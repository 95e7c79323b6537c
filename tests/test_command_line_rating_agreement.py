"""`score.py --ratings`: what is printed is what the functions say of the same texts, in every format."""

import json
import re

import pytest
from programs import EXAMPLE, ROOT, SYSTEMS, example_corpus, refusal_of, with_system
from scipy import stats

from sari.companion_measures import translation
from sari.sari_scorer import Scorer
from sari.variants import SCORES, VARIANTS

FILES = EXAMPLE[:-2]
DELETING = SYSTEMS[1]
RATINGS = [[3, 9, 4, 7, 1, 8, 2, 6, 5, 0], [7, 2, 9, 1, 8, 3, 6, 4, 0, 5]]
CORPUS = example_corpus()


def write_ratings(folder, *columns):
    """Write files of ratings, and return the options that name them."""
    paths = [folder / f"ratings.{number}" for number in range(len(columns))]
    for path, ratings in zip(paths, columns, strict=True):
        path.write_text("".join(f"{rating}\n" for rating in ratings))
    return ["--ratings", *map(str, paths)]


@pytest.fixture
def ratings(tmp_path):
    return write_ratings(tmp_path, *RATINGS)


def coefficients(report, **row):
    """Return the coefficients of the one row of a report that has these values."""
    (found,) = (found for found in report["agreement"] if row.items() <= found.items())
    return found["coefficients"]


@pytest.mark.filterwarnings("ignore:.* not tokenized, and are only split at spaces:UserWarning")
def test_every_variant_and_operation(printed_json, ratings):
    report = printed_json(*FILES, *SYSTEMS, *ratings, "--all-variants")
    assert (report["ratings"], report["sources"], report["systems"]) == (20, 10, ["deleting", "rewriting"])
    assert len(report["agreement"]) == len(VARIANTS) * len(SCORES)
    every = [rating for column in RATINGS for rating in column]
    for variant in ("hf", "set"):
        details = [
            Scorer(variant).compute(**with_system(CORPUS, name), details=True)["sentences"]
            for name in CORPUS["predictions"]
        ]
        for score in SCORES:
            column = [value for sentences in details for value in sentences[score]]
            own = coefficients(report, variant=variant, measure=score)
            assert own["pearson"]["value"] == pytest.approx(stats.pearsonr(column, every).statistic)
            assert own["kendall"]["value"] == stats.kendalltau(column, every).statistic
    first, second = (coefficients(report, variant=name, measure="sari") for name in ("hf", "set"))
    assert "difference" not in first["pearson"]
    assert second["spearman"]["difference"] == second["spearman"]["value"] - first["spearman"]["value"]


@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
def test_a_key_of_jsonl_and_systems_named_there(printed_json, tmp_path):
    outputs = {**CORPUS["predictions"], "copy": CORPUS["sources"]}
    columns = dict(zip(outputs, [RATINGS[0], [rating + 3 for rating in RATINGS[1]], RATINGS[1]], strict=True))
    rows = [
        {"source": source, "output": output, "references": references, "system": name, "simplicity": rating}
        for name in outputs
        for source, output, references, rating in zip(
            CORPUS["sources"], outputs[name], CORPUS["references"], columns[name], strict=True
        )
    ]
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="latin-1")
    report = printed_json("--jsonl", path, "--ratings", "simplicity", "--variant", "easse", "--encoding", "latin-1")
    assert (report["ratings"], report["sources"], report["systems"]) == (30, 10, list(outputs))
    scores = [Scorer("easse").compute(**{**CORPUS, "predictions": texts})["sari"] for texts in outputs.values()]
    means = [sum(column) / 10 for column in columns.values()]
    own = coefficients(report, level="systems", measure="sari")
    assert own["pearson"]["value"] == pytest.approx(stats.pearsonr(scores, means).statistic)


def test_ratings_of_a_table_without_systems(printed_json, ratings, tmp_path):
    texts = zip(CORPUS["sources"], CORPUS["predictions"]["deleting"], CORPUS["references"], RATINGS[0], strict=True)
    rows = [dict(zip(("source", "output", "references", "rating"), row, strict=True)) for row in texts]
    (tmp_path / "rated.json").write_text(json.dumps(rows))
    report = printed_json("--table", tmp_path / "rated.json", "--ratings", "rating")
    assert report["agreement"] == printed_json(*FILES, "--outputs", DELETING, *ratings[:2])["agreement"]


def test_corpus_measures_of_whole_systems_are_ranked(printed_json, tmp_path):
    """BLEU of a system is that of all its outputs, not the mean of single ones."""
    rated = write_ratings(tmp_path, *([value + shift for value in range(10)] for shift in (0, 1, 4)))
    given = ["--tokenize", "none", "--no-lowercase", "--measures", "bleu"]
    report = printed_json(*FILES, *SYSTEMS, "examples/references.1.txt", *rated, *given)
    outputs = [*CORPUS["predictions"].values(), [row[1] for row in CORPUS["references"]]]
    values = [translation.bleu(texts, CORPUS["references"]) for texts in outputs]
    signature = next(row["signature"] for row in report["agreement"] if row["measure"] == "bleu")
    assert re.match(r"BLEU\|nrefs:2\|case:mixed\|eff:no\|tok:none\|", signature)
    own = coefficients(report, level="systems", measure="bleu")
    assert own["pearson"]["value"] == pytest.approx(stats.pearsonr(values, [0, 1, 4]).statistic)


def test_a_measure_of_the_user(printed_json, ratings, tmp_path):
    columns = [[*RATINGS[1][:-1], 9], RATINGS[0]]
    rows = ["rewriting\tdeleting", *(f"{one}\t{other}" for one, other in zip(*columns, strict=True))]
    (tmp_path / "own.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    report = printed_json(*FILES, *SYSTEMS, *ratings, "--own-measure", f"mine={tmp_path / 'own.tsv'}")
    wanted = stats.pearsonr([*columns[1], *columns[0]], [*RATINGS[0], *RATINGS[1]]).statistic
    assert coefficients(report, measure="mine")["pearson"]["value"] == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n" * 9, "{path}: number of lines: got 9, expected 10 as in examples/sources.txt"),
        ("1\ngood\n" + "1\n" * 8, "{path}:2: got 'good', expected a number"),
        ("1\ninf\n" + "1\n" * 8, "{path}:2: got 'inf', expected a number"),
        ("1\n" * 10, "--ratings: got 1 in every row, expected different ones: no score can correlate with one number"),
    ],
)
def test_bad_ratings_are_refused_in_one_line(run_here, text, message, tmp_path):
    path = tmp_path / "ratings"
    path.write_text(text)
    refused = refusal_of(run_here(*FILES, "--outputs", DELETING, "--ratings", str(path), folder=ROOT))
    assert refused.startswith(message.format(path=path))


@pytest.mark.usefixtures("without_punkt")
def test_a_variant_that_lacks_a_package_is_left_out_without_a_warning(printed_json):
    report = printed_json(*FILES, "--outputs", DELETING, "--all-variants")
    assert {row["variant"] for row in report["systems"]} == set(VARIANTS) - {"dsari"}
    assert "LeftOutWarning" not in {row["category"] for row in report["warnings"]}


def test_a_variant_that_options_rule_out_is_named(printed_json, ratings):
    report = printed_json(*FILES, "--outputs", DELETING, *ratings[:2], "--all-variants", "--penalties", "dsari")
    assert {row["variant"] for row in report["agreement"]}.isdisjoint({"easse", "star"})
    assert any(row["message"].startswith("easse is left out: --penalties: got ") for row in report["warnings"])


def test_warnings_but_where_none_are_wanted(printed, ratings):
    asked = [*FILES, "--outputs", DELETING, *ratings[:2], "--confidence", "--resamples", "20", "--tokenize", "none"]
    printed(*asked)
    assert [text.split()[-1] for text in printed.warnings] == ["them", "segments)"]
    printed(*asked, "--quiet")
    assert printed.warnings == []
