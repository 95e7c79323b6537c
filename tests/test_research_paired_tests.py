"""What tests find between runs of models, on made-up checkouts with fixed random numbers."""

import numpy as np
import pandas as pd
import pytest
from published_trees import REFERENCES, SENTENCES, sentences, write

from sari.research import paired_tests
from sari.research.files import read_table
from sari.sari_scorer import Scorer

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # texts are words at random


@pytest.fixture(scope="module")
def rows(checkouts):
    """Figures of runs of different models on one test set, which are ranked, and of trainings."""
    names = [f"BLESS/{model}_p{n // 15}_s{n % 15}" for model in "abc" for n in range(45)] + ["muss/m1", "muss/m2"]
    for name in names:
        write(checkouts / f"{name}.pred", sentences(name))
    systems = [("ASSET", "system", f"o/{files}", files[-2]) for files in ("BLESS/a*", "BLESS/b*", "muss/m*")]
    systems += [("ASSET", "failed", "o/BLESS/c*", "c"), ("PWKP", "system", "o/BLESS/c*", "c")]
    write(checkouts / "paired.csv", pd.DataFrame(systems, columns=["test_set", "kind", "outputs", "name"]))
    settings = {"_MEASURED": ("easse",), "_SAMPLE_SIZES": (SENTENCES, 48), "_SIZES_OF_POWER": (SENTENCES,)}
    settings |= {"SYSTEMS": checkouts / "paired.csv", "_PAIRS_OF_RUNS": 20, "_DRAWS": 199}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setattr(paired_tests, name, value)
        return paired_tests.measure_tests(checkouts)


def test_figures(rows):
    values = rows.set_index(["figure", "segments"])["value"].astype(float)
    for test in ("randomization", "bootstrap"):
        assert values[f"swapped: {test}", "48"] < 0.12
        assert values[f"1: {test}", "12"] <= values[f"3: {test}", "12"]
    assert 0.85 < values["coverage", "48"] <= 1
    assert values["found", "12"] == pytest.approx(2.8016 * values["error", "12"], rel=1e-3)
    assert 0 <= values["side by side", "12"] < 0.12
    pairs = rows[rows["figure"].str.startswith("other")].set_index("figure")["segments"].astype(int)
    # MUSS's pair; of two models, each pair of 15 seeds with 3 prompts, and each of 3 prompts with 15 seeds
    assert pairs.to_dict() == {"other training": 1, "other seed": 2 * 3 * 105, "other prompt": 2 * 15 * 3}


def test_pairs_differ_as_their_scores_do(checkouts, rows):
    """Two trainings differ significantly if compare says so."""
    texts = {"sources": read(checkouts, "asset.test.orig"), "references": REFERENCES}
    one, two = (sentences(f"muss/m{n}") for n in (1, 2))
    compared = Scorer("easse").compare(**texts, predictions={"one": one, "two": two}, resamples=199, seed=1)
    share = rows.set_index("figure")["value"]["other training"]
    assert float(share) == (compared["systems"]["two"]["p_values"]["sari"] < 0.05)


def read(checkouts, name):
    path = checkouts / "easse/easse/resources/data/test_sets/asset" / name
    return path.read_text(encoding="utf-8").splitlines()


def test_the_stored_figures_are_of_all_sizes():
    stored = read_table(paired_tests.FILE)
    swapped = stored[stored["figure"] == "swapped: bootstrap"]
    assert set(zip(swapped["variant"], swapped["segments"].map(int), strict=True)) == {
        (variant, size) for variant in paired_tests._MEASURED for size in paired_tests._SAMPLE_SIZES
    }
    assert np.isfinite(stored["value"].astype(float)).all()
