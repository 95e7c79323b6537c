"""Every published table that can be computed again, by its name."""

from sari.research.measure_tables import NARAYAN_GARDENT, XU2016_MEASURES
from sari.research.outcomes import Published
from sari.research.popular_papers import PAPERS
from sari.research.printed_runs import PRINTED_RUNS
from sari.research.rating_correlations import RATING_CORRELATIONS
from sari.research.system_scores import SYSTEM_SCORES
from sari.research.system_table import SYSTEMS
from sari.research.variant_agreement import PEOPLE

TABLES: dict[str, Published] = {
    table.name: table
    for table in (
        *SYSTEM_SCORES,
        *PRINTED_RUNS,
        PAPERS,
        XU2016_MEASURES,
        NARAYAN_GARDENT,
        *RATING_CORRELATIONS,
        PEOPLE,
        SYSTEMS,
    )
}
