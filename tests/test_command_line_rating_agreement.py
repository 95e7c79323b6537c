"""`score.py --ratings`: what is printed is what the functions say of the same texts."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from programs import EXAMPLE, ROOT, SYSTEMS, example_corpus, refusal_of, with_system
from scipy import stats

from sari.companion_measures import translation
from sari.human_ratings.rated_outputs import FAULTS
from sari.sari_scorer import Scorer
from sari.significance import holm
from sari.variants import SCORES, VARIANTS

FILES = EXAMPLE[:-2]
ONE = [*FILES, *SYSTEMS[:2]]
RATINGS = [[3, 9, 4, 7, 1, 8, 2, 6, 5, 0], [7, 2, 9, 1, 8, 3, 6, 4, 0, 5]]
EVERY = [*RATINGS[0], *RATINGS[1]]
CORPUS = example_corpus()
SOURCES, OUTPUTS, REFERENCES = CORPUS.values()


@pytest.fixture
def ratings(tmp_path):
    """Write files of ratings, and return the options that name them."""
    paths = [tmp_path / "ratings.0", tmp_path / "ratings.1"]
    for path, ratings in zip(paths, RATINGS, strict=True):
        path.write_text("".join(f"{rating}\n" for rating in ratings))
    return ["--ratings", *map(str, paths)]


def coefficients(report, **row):
    """Return the coefficients of the one row of a report that has these values."""
    (found,) = (found for found in report["agreement"] if row.items() <= found.items())
    return found["coefficients"]


@pytest.mark.filterwarnings("ignore:.* not tokenized, and are only split at spaces:UserWarning")
def test_every_variant_and_operation(printed_json, ratings):
    report = printed_json(*FILES, *SYSTEMS, *ratings, "--all-variants")
    assert (report["ratings"], report["sources"], report["systems"]) == (20, 10, ["deleting", "rewriting"])
    assert len(report["agreement"]) == len(VARIANTS) * len(SCORES)
    for variant in ("hf", "set"):
        scorer = Scorer(variant)
        details = [scorer.compute(**with_system(CORPUS, name), details=True)["sentences"] for name in OUTPUTS]
        for score in SCORES:
            column = [value for sentences in details for value in sentences[score]]
            found = coefficients(report, variant=variant, measure=score)["pearson"]["value"]
            assert found == pytest.approx(stats.pearsonr(column, EVERY).statistic)


@pytest.mark.parametrize("agreement", [False, True])
def test_a_measure_has_its_warnings_wherever_it_is_computed(printed_json, tmp_path, agreement):
    for name in ("s", "o", "r", "ratings"):
        texts = [f"{number}" if name == "ratings" else f"Вот кошка {number} {name}" for number in range(10)]
        (tmp_path / name).write_text("\n".join(texts), encoding="utf-8")
    files = ["--sources", tmp_path / "s", "--outputs", tmp_path / "o", "--references", tmp_path / "r"]
    given = ["--ratings", tmp_path / "ratings"] if agreement else []
    report = printed_json(*files, *given, "--measures", "fkgl", "--resamples", "100", "--confidence")
    assert "EnglishMeasureWarning" in {row["category"] for row in report["warnings"]}


@pytest.mark.filterwarnings("ignore:.*most outputs are the same as their sources:UserWarning")
def test_a_column_of_a_table_with_systems(printed_json, tmp_path):
    """The score of a system is that of all its outputs, also of BLEU, not the mean of single ones."""
    outputs = {**OUTPUTS, "copié": SOURCES}
    columns = dict(zip(outputs, [RATINGS[0], [rating + 3 for rating in RATINGS[1]], RATINGS[1]], strict=True))
    texts = {"source": SOURCES, "references": REFERENCES}
    rows = pd.concat(
        pd.DataFrame({**texts, "output": outputs[name], "system": name, "simplicity": columns[name]})
        for name in outputs
    )
    path = tmp_path / "rated.jsonl"
    path.write_text(rows.to_json(orient="records", lines=True, force_ascii=False), encoding="latin-1")
    given = ["--ratings", "simplicity", "--encoding", "latin-1", "--measures", "bleu"]
    report = printed_json("--table", path, *given)
    assert (report["ratings"], report["sources"], report["systems"]) == (30, 10, list(outputs))
    scores = {
        "sari": [Scorer("easse").compute(**{**CORPUS, "predictions": texts})["sari"] for texts in outputs.values()],
        "bleu": [translation.bleu(texts, REFERENCES, tokenize="13a") for texts in outputs.values()],
    }
    assert {row["signature"].split("|")[0] for row in report["agreement"]} == {"SARI", "BLEU"}
    for name, column in scores.items():
        found = coefficients(report, level="systems", measure=name)["pearson"]["value"]
        assert found == pytest.approx(stats.pearsonr(column, list(map(sum, columns.values()))).statistic)


def test_a_column_of_a_table_without_systems(printed_json, ratings, tmp_path):
    texts = {"source": SOURCES, "output": OUTPUTS["deleting"], "references": REFERENCES, "rating": RATINGS[0]}
    pd.DataFrame(texts).to_json(tmp_path / "rated.json", orient="records")
    report = printed_json("--table", tmp_path / "rated.json", "--ratings", "rating")
    assert report["agreement"] == printed_json(*ONE, *ratings[:2])["agreement"]


def test_a_measure_of_the_user(printed_json, ratings, tmp_path):
    numbers = {"rewriting": [*RATINGS[1][:-1], 9], "deleting": RATINGS[0]}
    pd.DataFrame(numbers).to_csv(tmp_path / "own.csv", index=False)
    report = printed_json(*FILES, *SYSTEMS, *ratings, "--own-measure", f"mine={tmp_path / 'own.csv'}")
    wanted = stats.pearsonr([*numbers["deleting"], *numbers["rewriting"]], EVERY).statistic
    assert coefficients(report, measure="mine")["pearson"]["value"] == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n" * 9, "{path}: number of lines: got 9, expected 10 as in examples/sources.txt"),
        ("1\ngood\n" + "1\n" * 8, "{path}:2: got 'good', expected a number"),
        ("1\n" * 10, "--ratings: got 1 in every row, expected different ones: no score can correlate with one number"),
    ],
)
def test_bad_ratings_are_refused_in_one_line(run_here, text, message, tmp_path):
    path = tmp_path / "ratings"
    path.write_text(text)
    refused = refusal_of(run_here(*ONE, "--ratings", str(path), folder=ROOT))
    assert refused.startswith(message.format(path=path))


def test_unrated_outputs_are_left_out_and_counted(printed_json, tmp_path, ratings):
    """An empty line of a file, or an empty cell of a table, is no rating."""
    texts = {"source": SOURCES, "references": REFERENCES}
    rows = [pd.DataFrame({**texts, "output": OUTPUTS[name], "system": name}) for name in OUTPUTS]
    table = pd.concat(rows).assign(rating=EVERY)
    table.iloc[[2, 13], -1] = None
    table.to_json(tmp_path / "rated.jsonl", orient="records", lines=True)
    for path, own in zip(ratings[1:], (table["rating"][:10], table["rating"][10:]), strict=True):
        Path(path).write_text("".join("\n" if np.isnan(one) else f"{one}\n" for one in own))
    of_files = printed_json(*FILES, *SYSTEMS, *ratings)
    of_table = printed_json("--table", tmp_path / "rated.jsonl", "--ratings", "rating")
    assert of_files["agreement"] == of_table["agreement"]
    assert of_files["ratings"] == 18
    (warning,) = of_files["warnings"]
    assert warning["message"] == "some outputs have no rating, and are left out"
    assert warning["detail"] == "2 of 20 outputs"
    kept = table.dropna()
    scores = Scorer("easse").compute(
        sources=kept["source"], predictions=kept["output"], references=[*kept["references"]], details=True
    )
    wanted = stats.pearsonr(scores["sentences"]["sari"], kept["rating"]).statistic
    assert coefficients(of_files, measure="sari")["pearson"]["value"] == pytest.approx(wanted)


def test_what_is_no_system_is_warned_of(printed_json, tmp_path):
    """A copy, a person whose texts are references, a system under two names, and a row that stands there twice."""
    people = [row[0] for row in REFERENCES]
    outputs = {"a": OUTPUTS["deleting"], "b": OUTPUTS["deleting"], "copy": SOURCES, "person": people}
    texts = {"source": SOURCES, "references": REFERENCES, "rating": RATINGS[0]}
    table = pd.concat([pd.DataFrame({**texts, "output": own, "system": name}) for name, own in outputs.items()])
    table = pd.concat([table, table[:1]])
    table.to_json(tmp_path / "rated.jsonl", orient="records", lines=True)
    report = printed_json("--table", tmp_path / "rated.jsonl", "--ratings", "rating")
    found = {row["message"]: row["detail"] for row in report["warnings"]}
    numbers = {"repeated": 1, "references": 10, "copies": 10, "duplicates": 10}
    for name, number in numbers.items():
        assert found[FAULTS[name]] == f"{number} of 41 outputs"


def test_p_values_are_corrected_for_a_table(printed_json, printed, ratings):
    asked = [*FILES, *SYSTEMS, *ratings, "--confidence", "--resamples", "50"]
    rows = printed_json(*asked)["agreement"]
    tested = [one for row in rows for one in row["coefficients"].values() if "p_value" in one]
    assert len(tested) == 5 * 3  # five coefficients of three operations
    wanted = holm(np.array([one["p_value"] for one in tested]))
    assert [one["corrected_p_value"] for one in tested] == pytest.approx(wanted)
    assert printed(*asked).count("Pairwise accuracy") == 4


def test_a_variant_that_options_rule_out_is_named(printed_json, ratings):
    report = printed_json(*ONE, *ratings[:2], "--all-variants", "--penalties", "dsari")
    assert {row["variant"] for row in report["agreement"]}.isdisjoint({"easse", "star"})
    assert any(row["message"].startswith("easse is left out: --penalties: got ") for row in report["warnings"])


def test_warnings_but_where_none_are_wanted(printed, printed_json, ratings):
    asked = [*ONE, *ratings[:2], "--confidence", "--resamples", "20", "--tokenize", "none"]
    assert "Warning" not in printed(*asked)
    assert len(printed.warnings) == 2
    assert "warnings" not in printed_json(*asked, "--quiet")
    assert printed.warnings == []
