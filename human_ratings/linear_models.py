"""Linear models of ratings, as in section 4 of Bangalore et al. 2000 (https://aclanthology.org/W00-1401)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import linalg, stats

from sari.companion_measures.columns import Numbers, check_numbers


@dataclass(frozen=True)
class Term:
    """A term of a linear model: its coefficient with standard error, t and two-sided p-value."""

    name: str
    coefficient: float
    standard_error: float
    t: float
    p_value: float


@dataclass(frozen=True)
class LinearModel:
    """Ratings as a linear function of measures.

    Attributes:
        terms: the intercept and then the measures.
        r_squared: the share of the variance of the ratings that the model explains.
        adjusted_r_squared: the same, corrected for the number of measures.
        f, p_value: of the whole model against the mean alone.
        rows: the number of ratings.
    """

    terms: tuple[Term, ...]
    r_squared: float
    adjusted_r_squared: float
    f: float
    p_value: float
    rows: int


def linear_model(measures: Mapping[str, Numbers], ratings: Numbers) -> LinearModel:
    """Fit a linear model of ratings by measures with ordinary least squares, as Bangalore et al. 2000, section 4.

    The p-values treat all rows as independent: if several rows share a source, they are too small.

    Args:
        measures: by name, a number for each row.
        ratings: a number for each row.

    Raises:
        ValueError: if columns are not numbers or differ in length, if there are too few rows, or if a measure is
            constant or a linear function of the others.

    >>> model = linear_model({"length": [1, 2, 3, 4]}, [2, 4, 6, 9])
    >>> [round(term.coefficient, 2) for term in model.terms], round(model.r_squared, 3)
    ([-0.5, 2.3], 0.989)
    """
    columns, target = check_numbers(measures, ratings)
    rows, free = len(target), len(target) - len(columns) - 1
    if free < 1:
        raise ValueError(f"ratings: got {rows}, expected at least {len(columns) + 2} for {len(columns)} measures")
    for name, column in {**columns, "ratings": target}.items():
        if np.ptp(column) == 0:
            raise ValueError(f"{name}: got the same value in every row, expected values that vary")
    matrix = np.column_stack(list(columns.values()))
    centres, scales = matrix.mean(axis=0), matrix.std(axis=0)
    scaled = (matrix - centres) / scales  # rounding makes columns of very different sizes look dependent
    weights, _, rank, _ = linalg.lstsq(scaled, target - target.mean())
    if rank < len(columns):
        raise ValueError(f"measures: got {', '.join(columns)}, expected none that the others determine")
    slopes = weights / scales
    left = float(((target - target.mean() - scaled @ weights) ** 2).sum())
    total = float(((target - target.mean()) ** 2).sum())
    inverse = linalg.inv(scaled.T @ scaled) / np.outer(scales, scales)
    variances = np.array([1 / rows + centres @ inverse @ centres, *np.diag(inverse)])
    errors = np.sqrt(variances * left / free)
    coefficients = np.array([target.mean() - centres @ slopes, *slopes])
    with np.errstate(divide="ignore"):
        t = coefficients / errors
        f = float(np.float64((total - left) / len(columns)) / np.float64(left / free))
    p_values = 2 * stats.t.sf(np.abs(t), free)
    figures = zip(("intercept", *columns), coefficients, errors, t, p_values, strict=True)
    return LinearModel(
        terms=tuple(Term(name, *map(float, row)) for name, *row in figures),
        r_squared=1 - left / total,
        adjusted_r_squared=1 - (left / free) / (total / (rows - 1)),
        f=f,
        p_value=float(stats.f.sf(f, len(columns), free)),
        rows=rows,
    )
