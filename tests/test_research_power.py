"""What tests find between runs of models, on made-up checkouts with fixed random numbers."""

import pandas as pd
import pytest
from published_trees import sentences, write

from sari.research import power
from sari.research.files import read_table

#: The row of `easse` and 24 segments, as it was computed once: the same files always give the same figures.
EXPECTED = {
    **{"variant": "easse", "segments": "24", "pairs": "60", "observed": "1"},
    **{"error_low": "0.428", "error": "0.629", "error_high": "0.863", "found": "1.762"},
    **{"randomization 1": "0.3000", "randomization 2": "0.5933", "randomization 3": "0.7167"},
    **{"bootstrap 1": "0.3900", "bootstrap 2": "0.7267", "bootstrap 3": "0.8433"},
}


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
    stored = read_table(power.FILE)
    assert stored["segments"].tolist() == [*map(str, power._SAMPLE_SIZES)] * 3
    monkeypatch.setattr(power, "_SAMPLE_SIZES", (6, 24))
    first, second = power.measure_power(checkouts).to_dict("records")
    assert second == EXPECTED
    assert (first["segments"], first["error"]) == ("6", "1.258")
