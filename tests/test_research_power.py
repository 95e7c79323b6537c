"""What tests find between runs of models, on made-up checkouts with fixed random numbers."""

import pandas as pd
import pytest
from published_trees import sentences, write

from sari.research import power

#: The row of `easse` and 100 segments, as it was computed once: the same files always give the same figures.
EXPECTED = {
    **{"variant": "easse", "segments": "100", "pairs": "60", "observed": "1"},
    **{"error_low": "0.210", "error": "0.308", "error_high": "0.423", "found": "0.863"},
    **{"randomization 1": "0.8500", "randomization 2": "0.9833", "randomization 3": "1.0000"},
    **{"bootstrap 1": "0.8500", "bootstrap 2": "0.9833", "bootstrap 3": "1.0000"},
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
    monkeypatch.setattr(power, "_SAMPLES", 1)
    first, second = power.measure_power(checkouts).to_dict("records")
    assert first == EXPECTED
    assert (second["segments"], second["error"], second["found"]) == ("359", "0.163", "0.456")
