"""Arguments in, checked values out, or an error of one line: argument, row, what was given, what was expected."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from decimal import Decimal
from functools import wraps
from inspect import signature
from itertools import chain, islice
from numbers import Integral, Real
from typing import Any, NamedTuple, ParamSpec, TypeVar

from .messages import RefusedTypeError, RefusedValueError, count_of, fault, short_repr, truncate, unknown_name

_P = ParamSpec("_P")
_R = TypeVar("_R")

COLUMNS = ("sources", "predictions", "references")
_TEXTS = "a list with one str per segment"
_LISTS_OF_TEXTS = "a list with, per segment, a list of str or one str"
# Where a list of texts or missing values begins, as JSON, Python or numpy writes it; "[1]" may be a text.
_LIST_BEGINS = re.compile(r"""\s*+(?:(?:array|np\.str_)?[\[(]\s*+)++(?:["'\]]|null|None|[nN]a[nN])""")
# A text in quotes, and what else a written list holds. Nothing is read twice, however hostile the text is.
_QUOTED = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\""""
_WORDS = r"array|np\.str_|dtype=\w*+|None|nan|NaN|null|[tT]rue|[fF]alse|\.\.\.|-?\d[\d.eE+-]*+"
_WRITTEN_LIST = re.compile(rf"(?:{_QUOTED}|{_WORDS}|[\[\](){{}}:,\s])*+", re.DOTALL)
# So many texts are checked at once, which takes a tenth of the time.
_AT_ONCE = 1_000
_MOST_DIGITS = 15  # after the point of a printed score


# ---- Columns of texts ------------------------------------------------------------------------------------------------


class Columns(NamedTuple):
    """Checked texts, as `validate_columns` returns them: lists of the caller are not copied.

    Attributes:
        sources, predictions: one text per segment.
        references: per segment at least one text.
    """

    sources: list[str]
    predictions: list[str]
    references: list[list[str]]

    def as_one_system(self) -> "SystemColumns":
        """Return the columns as those of a system without a name."""
        return SystemColumns(self.sources, {"": self.predictions}, self.references)


class SystemColumns(NamedTuple):
    """Checked texts of several systems, predictions by the name of the system, as `validate_systems` returns them."""

    sources: list[str]
    predictions: dict[str, list[str]]
    references: list[list[str]]

    def of(self, system: str) -> Columns:
        """Return the columns of one system."""
        return Columns(self.sources, self.predictions[system], self.references)


def common_number(nrefs: Iterable[int | str]) -> int | str:
    """Return the number of references that all segments have: "var" if it differs, "?" if there is none.

    >>> common_number([2, 2]), common_number([1, 2]), common_number([])
    (2, 'var', '?')
    """
    numbers = set(nrefs)
    return numbers.pop() if len(numbers) == 1 else "var" if numbers else "?"


def validate_columns(sources: Any, predictions: Any, references: Any, *, ids: Any = None) -> Columns:
    """Check the three columns and return them as lists.

    Args:
        sources, predictions: one text per segment: a list, tuple, numpy array, pandas Series, datasets column.
        references: per segment, a list of at least one text, or a single text. A text that is a list of texts in JSON,
            as tables and programs without lists hold it, stands for the texts in it.
        ids: what errors call the rows, one per segment; None for their numbers from 0.

    Returns:
        Lists of str, of str, and of non-empty lists of str, of one length.

    Raises:
        ValueError: for anything that is not a text where a text belongs, or not a list where a list belongs, for
            references that are a list of texts as Python or numpy prints it, columns of unequal lengths, a segment
            without references, and texts with lone surrogates.

    >>> validate_columns(["a b"], ["a"], ["a c"])
    Columns(sources=['a b'], predictions=['a'], references=[['a c']])
    >>> validate_columns(["a b", None], ["a", "b"], [["a"], ["b"]])
    Traceback (most recent call last):
    ...
    sari.RefusedValueError: sources[1]: got a missing value (None), expected str
    """
    names = None if ids is None else _as_list("ids", ids, "a list with one id per segment")
    sources, (predictions,), references = _check_corpus(sources, [("predictions", predictions)], references, names)
    if names is not None:
        _check_length("ids", names, sources)
    return Columns(sources, predictions, references)


def columns_of_batch(batch: Any) -> list[Any]:
    """Return the three columns of a batch, or the three texts of a row, as they are."""
    names: Any = getattr(batch, "column_names", batch)  # of an Arrow table
    if hasattr(batch, "schema"):
        names = batch.schema.names  # a record batch has them only there
    if (isinstance(names, list) and names is batch) or not (is_column(names) or isinstance(names, Mapping)):
        raise RefusedValueError(fault("batch", short_repr(batch), f"columns {', '.join(COLUMNS)}"))
    if missing := [name for name in COLUMNS if name not in names]:
        columns_there = f"columns {truncate(', '.join(map(str, names)))}"
        raise RefusedValueError(fault("batch", columns_there, f"also {', '.join(missing)}"))
    return [batch[name] for name in COLUMNS]


def validate_systems(sources: Any, predictions: Any, references: Any) -> SystemColumns:
    """Check the columns of several systems, as `validate_columns` does; `predictions` is a dict of columns by name.

    >>> validate_systems(["a b"], {"copy": ["a b"], "short": ["a"]}, ["a c"]).predictions
    {'copy': ['a b'], 'short': ['a']}
    """
    if not isinstance(predictions, Mapping):
        raise RefusedValueError(fault("predictions", type(predictions).__name__, "a dict of names and lists of str"))
    if not predictions:
        raise RefusedValueError(fault("predictions", "no system", "at least one"))
    for name in predictions:
        if not isinstance(name, str):
            raise RefusedValueError(fault("predictions", f"the name {short_repr(name)}", "a str"))
    named = [(f"predictions[{short_repr(name)}]", column) for name, column in predictions.items()]
    sources, columns, references = _check_corpus(sources, named, references)
    return SystemColumns(sources, dict(zip(predictions, columns, strict=True)), references)


def validate_shared(sources: Any, references: Any) -> tuple[list[str], list[list[str]]]:
    """Check sources and references, as `validate_columns` does, and return copies of them.

    >>> validate_shared(["a b"], ["a"])
    (['a b'], [['a']])
    """
    sources, _, references = _check_corpus(sources, [], references)
    return list(sources), list(map(list, references))


def validate_candidates(sources: Any, candidates: Any, *, least: int = 0) -> tuple[list[str], list[list[str]]]:
    """Check sources and, for each, a list of candidates, and return them as lists.

    Raises:
        ValueError: as `validate_columns` does, and where there are fewer than `least` candidates.

    >>> validate_candidates(["a b"], [["a", "b"]])
    (['a b'], [['a', 'b']])
    """
    sources = validate_texts("sources", sources)
    wanted = "a list with, per segment, a list of str"
    rows = _as_list("candidates", candidates, wanted)
    _check_length("candidates", rows, sources)
    checked = [_as_list(f"candidates[{number}]", row, "a list of str") for number, row in enumerate(rows)]
    for number, row in enumerate(checked):
        validate_texts(f"candidates[{number}]", row)
        if len(row) < least:
            raise RefusedValueError(fault(f"candidates[{number}]", len(row), f"at least {least}"))
    return sources, checked


def _check_corpus(
    sources: Any, predictions: Sequence[tuple[str, Any]], references: Any, ids: list[Any] | None = None
) -> tuple[list[str], list[list[str]], list[list[str]]]:
    """Return the checked columns of a corpus; `predictions` has pairs: the name in errors, and the column."""
    sources = validate_texts("sources", sources, ids)
    outputs = [(name, validate_texts(name, column, ids)) for name, column in predictions]
    references = validate_references(references, ids)
    for name, column in outputs:
        _check_length(name, column, sources)
    if len(references) != len(sources) and len(sources) > 1 and set(map(len, references)) == {len(sources)}:
        wanted = f"{len(sources):,} (one list per segment, not one per annotator: list(zip(*references)))"
        raise RefusedValueError(fault("references", count_of(len(references), "row"), wanted))
    _check_length("references", references, sources)
    return sources, [column for _, column in outputs], references


def _check_length(name: str, rows: list[Any], sources: list[str]) -> None:
    """Refuse a column that has more or fewer rows than the sources."""
    if len(rows) != len(sources):
        raise RefusedValueError(fault(name, count_of(len(rows), "row"), f"{len(sources):,} (as in sources)"))


def validate_texts(name: str, column: Any, ids: list[Any] | None = None) -> list[str]:
    """Check a column with one text per segment and return it as a list; `name` and `ids` name it and its rows."""
    wanted = f"{_TEXTS}; sentence_score takes a single one" if isinstance(column, str) else _TEXTS
    texts = _as_list(name, column, wanted)
    _check_texts(texts, lambda row: _row_name(name, row, ids))
    return texts


def validate_references(column: Any, ids: list[Any] | None = None) -> list[list[str]]:
    """Check a column with one text or several per segment and return it as a list of lists; `ids` name its rows."""

    def name(row: int) -> str:
        return _row_name("references", row, ids)

    rows = _as_list("references", column, _LISTS_OF_TEXTS)
    if set(map(type, rows)) != {list}:
        wanted = "a list of str or one str"
        rows = [
            [row] if isinstance(row, str) else _as_list(name(number), row, wanted) for number, row in enumerate(rows)
        ]
    texts = list(chain.from_iterable(rows))
    _check_texts(texts, lambda place: _reference_name(rows, place, name))
    if any(map(_LIST_BEGINS.match, texts)):
        rows = [_without_lists_as_text(name(number), row) for number, row in enumerate(rows)]
    if not all(rows):
        empty = next(number for number, row in enumerate(rows) if not row)
        raise RefusedValueError(fault(name(empty), "no reference", "at least one"))
    return rows


def _without_lists_as_text(name: str, texts: list[str]) -> list[str]:
    """Return the references of a segment; where a text is a list of texts in JSON, the texts in it.

    Raises:
        ValueError: for any other list or tuple that is written as text, and for what is no text in a list in JSON.
    """
    several: list[str] = []
    for text in texts:
        marks = _marks_of_list(text)
        written = _read_json(text) if marks.count("[") + marks.count("{") == 1 else None
        if written is not None:
            several += written
        elif "[" in marks or "," in marks:  # a lone text in parentheses is a text
            raise RefusedValueError(
                fault(name, f"a list written as text, {short_repr(text)}", "a list of str, or one in JSON")
            )
        else:
            several.append(text)
    _check_texts(several, lambda place: f"{name}[{place}]")
    return several


def _marks_of_list(text: str) -> str:
    """Return what a list that is written as text has around its texts; nothing where the text is no such list."""
    is_list = _LIST_BEGINS.match(text) and _WRITTEN_LIST.fullmatch(text)
    return re.sub(_QUOTED, "", text, flags=re.DOTALL) if is_list else ""


def _read_json(text: str) -> list[Any] | None:
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        return value if isinstance(value, list) else None
    return None


def _as_list(name: str, column: Any, wanted: str) -> list[Any]:
    """Return the rows of a column of any library as a list; `name` and `wanted` are for errors."""
    if type(column) is list:
        return column
    if isinstance(column, Sequence) and type(column).__module__.startswith("datasets."):
        column = column[:]  # all at once: to read it row by row takes longer than to score it
    if getattr(column, "ndim", 1) == 2 and hasattr(column, "to_numpy"):
        column = column.to_numpy()  # the rows of a table, not the names of its columns
    if hasattr(column, "tolist"):
        column = column.tolist()
    elif hasattr(column, "__arrow_c_stream__"):
        column = _rows_of_arrow(column)
    if not is_column(column):
        raise RefusedValueError(fault(name, "nothing" if column is None else _kind(column), wanted))
    return list(column)


def _rows_of_arrow(column: Any) -> list[Any]:
    """Return the values of an Arrow column, or the rows of a table as lists, whatever library holds them."""
    import pyarrow as pa  # slow to import

    array = pa.chunked_array(column)
    if not pa.types.is_struct(array.type):
        return array.to_pylist()
    return list(map(list, zip(*(field.to_pylist() for field in array.flatten()), strict=True)))


def is_column(column: Any) -> bool:
    """Return whether something can be a column: an ordered iterable that is neither a text, a dict nor a set."""
    return isinstance(column, Iterable) and not isinstance(column, str | bytes | bytearray | Mapping | AbstractSet)


def _check_texts(texts: list[Any], name: Callable[[int], str]) -> None:
    """Refuse what is no text, or cannot be encoded; `name` is a function from a row to what errors call it."""
    with suppress(TypeError, UnicodeEncodeError):  # which text it is, is looked for where there is one
        for start in range(0, len(texts), _AT_ONCE):
            "".join(texts[start : start + _AT_ONCE]).encode()
        return
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise RefusedValueError(fault(name(row), _kind(text), "str"))
        try:
            text.encode()
        except UnicodeEncodeError as error:
            surrogate = f"a lone surrogate {text[error.start]!a} at character {error.start}"
            raise RefusedValueError(fault(name(row), surrogate, "valid Unicode")) from None


def _kind(value: object) -> str:
    """Return what a message says of a value that is no text: its type, or that it is missing."""
    is_missing = value is None or type(value).__name__ == "NAType" or (isinstance(value, Real) and value != value)
    return f"a missing value ({value})" if is_missing else type(value).__name__


def _row_name(name: str, row: int, ids: list[Any] | None) -> str:
    """Return what errors call a row of a column: its id where there is one, else its number."""
    return f"{name}[{short_repr(ids[row]) if ids and row < len(ids) else row}]"


def _reference_name(rows: list[list[str]], place: int, name: Callable[[int], str]) -> str:
    """Return what errors call a reference, by its place among all of them; `name` is that of a row."""
    names = (f"{name(number)}[{column}]" for number, row in enumerate(rows) for column in range(len(row)))
    return next(islice(names, place, None))


# ---- Options --------------------------------------------------------------------------------------------------------


def check_choice(name: str, value: Any, choices: Collection[str], *others: str) -> str:
    """Refuse a value that is not one of the choices (ValueError; TypeError: no str); `others` are choices in words."""
    if not isinstance(value, str):
        raise RefusedTypeError(fault(name, short_repr(value), f"one of {', '.join([*choices, *others])}"))
    if value not in choices:
        raise RefusedValueError(unknown_name(name, short_repr(value), value, choices, *others))
    return value


def check_flags(**flags: Any) -> None:
    """Refuse flags that are neither True nor False (TypeError)."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise RefusedTypeError(fault(name, short_repr(value), "True or False"))


def check_whole_number(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """Refuse what is not a whole number (TypeError), or is below `least` or above `most` (ValueError)."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise RefusedTypeError(fault(name, short_repr(value), f"a whole number of at least {least}"))
    number = int(value)
    if number < least or (most is not None and number > most):
        bound = f"at least {least}" if number < least else f"at most {most}"
        raise RefusedValueError(fault(name, short_repr(value), f"a whole number of {bound}"))
    return number


def check_share(name: str, value: Any, *, ends: bool = True) -> float:
    """Refuse what is not a number (TypeError), or not from 0 to 1 (ValueError); `ends` says if 0 and 1 are allowed.

    >>> [check_share("zero_division", value) for value in (0, 0.5, 1)]
    [0.0, 0.5, 1.0]
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and (0 <= value <= 1 if ends else 0 < value < 1):
        return float(value)
    message = fault(name, short_repr(value), f"a number {'from 0 to' if ends else 'between 0 and'} 1")
    raise RefusedValueError(message) if is_number else RefusedTypeError(message)


def check_figure(figure: Any) -> Decimal:
    """Return a printed score as a decimal number, which keeps the number of its digits.

    >>> check_figure("41.40"), check_figure(41.4)
    (Decimal('41.40'), Decimal('41.4'))
    """
    with suppress(ArithmeticError):
        number = Decimal(str(figure))
        if 0 <= number <= 100 and -_MOST_DIGITS <= int(number.as_tuple().exponent) <= 0:
            return number
    raise RefusedValueError(
        fault("figure", short_repr(figure), "a score as it is printed, from 0 to 100, such as 41.38")
    )


def refuse_positions(method: str, given: tuple[Any, ...], names: Sequence[str]) -> None:
    """Refuse arguments without names (TypeError), since other modules and programs have them in another order."""
    if given:
        by_name = ", ".join(f"{name}=..." for name in names)
        raise RefusedTypeError(
            fault(method, f"{count_of(len(given), 'argument')} without names", f"{method}({by_name})")
        )


def refuse_unknown(unknown: Collection[str], known: Collection[str]) -> None:
    """Refuse arguments that are not known, with a TypeError that says what they are called here."""
    for name in unknown:
        where, got = short_repr(name)[1:-1], "an unknown argument"
        if name in _ELSEWHERE:
            raise RefusedTypeError(fault(where, got, _ELSEWHERE[name]))
        raise RefusedTypeError(unknown_name(where, got, name, known))


def known_arguments_alone(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a method refuse unknown arguments as `refuse_unknown` does, while type checkers know its own ones alone."""
    known = list(signature(method).parameters)[1:]

    @wraps(method)
    def checked(*args: _P.args, **arguments: _P.kwargs) -> _R:
        refuse_unknown([name for name in arguments if name not in known], known)
        return method(*args, **arguments)

    return checked


# Arguments of other implementations, and of another function of `evaluate`, and what they are here.
_ELSEWHERE = {
    "legacy": "variant='easse_legacy'",
    "use_paper_version": "variant='paper'",
    "use_f1_for_deletion": "deletion='f1' or 'precision'",
    "sys_sents": "predictions",
    "outputs": "predictions",
    "hypotheses": "predictions",
    "orig_sents": "sources",
    **dict.fromkeys(["refs", "refs_sents"], "references, a list for each source"),
    **{name: f"evaluate.load(path, {name}=...)" for name in ("num_process", "process_id", "experiment_id")},
}
