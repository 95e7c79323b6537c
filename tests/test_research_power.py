"""What tests find between runs of models, on made-up checkouts with fixed random numbers."""

import pandas as pd
import pytest
from published_trees import sentences, write

from sari.research import power
from sari.research.files import read_table


@pytest.mark.filterwarnings("ignore::UserWarning")  # texts are words at random
def test_power_of_tests(checkouts, monkeypatch):
    """Of runs of different models on one test set, which are ranked."""
    for name in [f"{model}{number}" for model in "abc" for number in range(90)]:
        write(checkouts / f"BLESS/{name}.pred", sentences(name))
    rows = [("ASSET", "system", f"o/{files}") for files in ("BLESS/a*", "BLESS/b*", "muss/one.pred")]
    rows += [("ASSET", "failed", "o/BLESS/c*"), ("PWKP", "system", "o/BLESS/c*")]
    write(checkouts / "power.csv", pd.DataFrame(rows, columns=["test_set", "kind", "outputs"]))
    monkeypatch.setattr(power, "SYSTEMS", checkouts / "power.csv")
    monkeypatch.setattr(power, "_MEASURED", ("easse",))
    assert read_table(power.FILE)["segments"].tolist() == [*map(str, power._SAMPLE_SIZES)] * 3
    monkeypatch.setattr(power, "_SAMPLE_SIZES", (6, 24))
    first, second = power.measure_power(checkouts).to_dict("records")
    assert (first["segments"], first["error"]) == ("6", "1.258")
    row = "easse,24,60,1,0.428,0.629,0.863,1.762,0.3000,0.3900,0.5933,0.7267,0.7167,0.8433"
    assert ",".join(second.values()) == row  # as it was computed once: the same files always give the same figures
