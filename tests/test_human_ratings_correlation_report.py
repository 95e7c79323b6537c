"""Agreement with ratings as tables, records and JSON."""

import math

from sari.human_ratings.correlation import Agreement
from sari.human_ratings.correlation_report import AgreementReport, AgreementRow, tabulate_agreement

NONE, OTHER = Agreement(math.nan), Agreement(0.125, (0, 0.5), -0.375, (-0.5, 0), 0.01, 0.03)
ROWS = [
    AgreementRow("segments", "easse", "sari", "S", {"pearson": Agreement(0.5, (0.25, 0.75)), "kendall": NONE}),
    AgreementRow("segments", "set", "sari", "T", {"pearson": OTHER, "kendall": NONE}),
    AgreementRow("segments", "", "bleu", "B", {"pearson": NONE, "kendall": Agreement(0.25)}),
    AgreementRow("systems", "easse", "sari", "S", {"pearson": Agreement(1.0), "kendall": Agreement(1.0)}),
]
REPORT = AgreementReport(ROWS, 20, 10, ["a", "b", "c"], 0.95, 1000, 7, [])


def test_tables():
    report = tabulate_agreement(REPORT)
    segments, systems = report.tables
    assert segments.title == "Agreement with the ratings of 20 outputs"
    assert segments.headings == ["Coefficient", "Variant", "Measure", "Value", "95% CI", "Diff.", "95% CI"]
    assert [[cell.text + cell.mark for cell in row] for row in segments.rows] == [
        ["Pearson", "easse", "SARI", "0.500", "[0.250, 0.750]", "", ""],
        ["Pearson", "set", "SARI", "0.125", "[0.000, 0.500]", "-0.375†", "[-0.500, 0.000]"],
        ["Pearson", "", "BLEU", "–", "", "", ""],
        ["Kendall", "easse", "SARI", "–", "", "", ""],
        ["Kendall", "set", "SARI", "–", "", "", ""],
        ["Kendall", "", "BLEU", "0.250", "", "", ""],
    ]
    assert segments.texts == 3
    assert segments.notes[-2].endswith("over 10 sources, each with all its outputs, 1,000 resamples, seed 7")
    assert (systems.title, systems.texts) == ("Agreement with the ratings of 3 systems", 3)
    assert report.signatures == ["S", "T", "B"]


def test_records_have_the_same_keys_and_json_no_empty_fields():
    report = tabulate_agreement(REPORT)
    first, second, *_ = report.records()
    assert list(first) == list(second)
    assert (first["pearson"], first["pearson_high"], first["kendall"], first["ratings"]) == (0.5, 0.75, None, 20)
    assert (second["pearson_difference"], second["pearson_difference_low"]) == (-0.375, -0.5)
    assert report.fields()["agreement"][0]["coefficients"] == {"pearson": {"value": 0.5, "interval": [0.25, 0.75]}}
