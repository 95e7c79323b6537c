"""Every published table that can be computed again, by its name."""

from sari.published.corpora import CORPORA, CorpusScores
from sari.published.correlations import CORRELATIONS
from sari.published.narayan_gardent import NARAYAN_GARDENT
from sari.published.outcomes import Published
from sari.published.people import PEOPLE
from sari.published.xu2016 import XU2016_MEASURES
from sari.variants import VARIANTS

TABLES: dict[str, Published] = {
    table.name: table
    for table in (*CORPORA, XU2016_MEASURES, NARAYAN_GARDENT, *CORRELATIONS, PEOPLE)
    if not isinstance(table, CorpusScores) or table.variant in VARIANTS
}
