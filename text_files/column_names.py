"""Which columns hold the sources, the predictions, the references and the names of systems.

Columns have their usual names, or those that a user gives: each with its role, such as `source=complex`, or without
roles in the order of `ROLES`.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from shlex import quote
from typing import NamedTuple

from sari.messages import RefusedValueError, escape_unprintable, fault, join_names, truncate
from sari.text_files.errors import FileError, OptionError

#: The roles of columns of texts, in the order in which their names may be given.
ROLES = ("source", "prediction", "references")
#: The usual names of columns by their roles, in any case; the first is what messages call the role.
_USUAL = {
    "source": r"sources?",
    "prediction": r"predictions?|outputs?",
    "references": r"references?([ _.]?\d+)?",
    "system": r"systems?",
}
#: Names that columns of these roles often have, which messages propose.
_LIKELY = {
    "source": r"complex\w*|inputs?|orig(inal)?\w*|src|normal\w*",
    "prediction": r"hyp\w*|generat\w+|candidates?|sys_?sents?|(system|model)_?outputs?",
    "references": r"(refs?|targets?|simple\w*|simplifications?|gold\w*|human\w*)([ _.-]?\d+|[ _.-]\w)?",
}
#: What makes names of columns of several references differ.
_NUMBER = re.compile(r"[ _.-]*\d+$|[ _.-]\w$|(?<=[a-z])[A-Z]$")
#: The characters of a message at most, before the option and the names of columns.
_LONGEST = 170


class ColumnNames(NamedTuple):
    """The names of columns; those that are empty are the usual ones.

    Attributes:
        source: the texts to simplify.
        predictions: one column, or one for each system.
        references: one or several.
        system: the names of systems.
    """

    source: str = ""
    predictions: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    system: str = ""


USUAL_COLUMNS = ColumnNames()


def named_columns(words: Sequence[str], *, roles: Sequence[str] = ROLES) -> ColumnNames:
    """Return the columns that words name: `ROLE=NAME`, `ROLE=NAME,NAME`, or names in the order of the other roles.

    `system=NAME` is the column with the names of systems, and `system=NAME,NAME` has columns of predictions, one for
    each system.

    Raises:
        ValueError: for roles that are missing, unknown here or given twice, and for references that may be systems.

    >>> named_columns(["source", "reference", "system=model_a,model_b"])
    ColumnNames(source='source', predictions=('model_a', 'model_b'), references=('reference',), system='')
    >>> named_columns(["system=model"])
    ColumnNames(source='', predictions=(), references=(), system='model')
    >>> named_columns(["source", "turk", "asset"], roles=["source", "references"]).references
    ('turk', 'asset')
    """
    given: dict[str, list[str]] = {}
    others = []
    for word in words:
        role, names = _role_in(word)
        if role is None:
            others.append(word)
        elif role in given or (len(names) > 1 and role in ("source", "system")):
            raise RefusedValueError(fault("columns", word, f"{role} once, {role}=NAME"))
        elif role not in (*roles, "system") or (role == "system" and "prediction" not in roles):
            raise RefusedValueError(fault("columns", role, f"{join_names(roles, 'and')} alone"))
        else:
            given[role] = names
    if others:
        given |= _in_order(others, [role for role in roles if role not in given])
        if "prediction" in roles:
            _check_references(given)
    references = given.get("references", [])
    if len(set(references)) < len(references):
        raise RefusedValueError(fault("columns", "a column of references twice", "each once"))
    (source,), (system,) = (given.get(role, [""]) for role in ("source", "system"))
    return ColumnNames(source, tuple(given.get("prediction", ())), tuple(references), system)


def _role_in(word: str) -> tuple[str | None, list[str]]:
    """Return the role and the names in a word such as `references=a,b`; None for one that is a name."""
    key, _, listed = word.partition("=")
    names = listed.split(",")
    role = _usual_role(key.strip()) if all(names) else None
    return "prediction" if role == "system" and len(names) > 1 else role, names


def _in_order(names: Sequence[str], roles: Sequence[str]) -> dict[str, list[str]]:
    """Return names by roles, one for each, and for references all that are left."""
    if len(names) < len(roles) or (len(names) > len(roles) and "references" not in roles):
        wanted = f"those of {join_names(roles, 'and')}" if roles else "none: each role has its column"
        raise RefusedValueError(fault("columns", len(names), wanted))
    return {role: [name] for role, name in zip(roles, names, strict=False)} | (
        {"references": [*names[len(roles) - 1 :]]} if "references" in roles else {}
    )


def find_columns(columns: Sequence[str], names: ColumnNames, place: str, texts: Iterable[str] = ()) -> ColumnNames:
    """Return the columns of a table, with those of usual names; without a column of systems its name is empty.

    Args:
        columns: of the table.
        names: that a user gave.
        place: the name of the table, for messages.
        texts: the columns with words, which messages propose for predictions.

    Raises:
        FileError: for columns that stand there twice, or are missing (OptionError).
    """
    chosen = {names.source, *names.predictions, *names.references, names.system}
    usual: dict[str, list[str]] = {role: [] for role in _USUAL}
    for column in columns:
        role = _usual_role(column)
        if role is not None and column not in chosen:
            usual[role].append(column)
    if "references" in map(str.lower, usual["references"]):
        usual["references"] = [column for column in usual["references"] if column.lower() == "references"]
    given = {
        "source": [names.source] if names.source else [],
        "prediction": [*names.predictions],
        "references": [*names.references],
        "system": [names.system] if names.system else [],
    }
    found = {role: given[role] or usual[role] for role in _USUAL}
    for role in ("source", "prediction"):
        if not given[role] and len(found[role]) > 1:
            raise FileError(fault(place, f"columns {join_names(map(repr, found[role]), 'and')}", "one of them"))
    absent = [repr(truncate(escape_unprintable(name))) for name in chain(*found.values()) if name not in columns]
    proposed = _proposed_columns(columns, found, texts)
    if absent or proposed:
        words = [f"{role}={','.join(of_role)}" for role, of_role in (given | proposed).items() if of_role]
        lacking = join_names(absent or [f"for {role}" for role in proposed])
        raise _missing(f"{place}: no column {lacking} among ", columns, " ".join(map(quote, words if proposed else ())))
    has_column_each = len(names.predictions) > 1
    system = "" if has_column_each or not found["system"] else found["system"][0]
    return ColumnNames(found["source"][0], tuple(found["prediction"]), tuple(found["references"]), system)


def _proposed_columns(
    columns: Sequence[str], found: dict[str, list[str]], texts: Iterable[str]
) -> dict[str, list[str]]:
    """Return for each role without a column those whose names are likely, or NAME.

    Columns with words that are left are the predictions of systems.
    """
    taken = {*chain(*found.values())}
    proposed = {}
    for role in ROLES:
        if not found[role]:
            likely = [name for name in columns if re.fullmatch(_LIKELY[role], name, re.IGNORECASE)]
            proposed[role] = [name for name in likely if name not in taken]
    taken.update(*proposed.values())
    if proposed.get("prediction") == []:
        proposed["prediction"] = [name for name in texts if name not in taken]
    if proposed.get("source"):
        del proposed["source"][1:]
    is_short = sum(map(len, chain(*proposed.values()))) < _LONGEST // 2
    return {role: names if names and is_short else ["NAME"] for role, names in proposed.items()}


def _usual_role(name: str) -> str | None:
    """Return the role of a usual name."""
    return next((role for role, names in _USUAL.items() if re.fullmatch(names, name, re.IGNORECASE)), None)


def is_heading(text: str, role: str) -> bool:
    """Return whether a text is a usual or likely name of a column.

    >>> is_heading("Complex", "source"), is_heading("source", "prediction")
    (True, False)
    """
    name = text.strip()
    return _usual_role(name) == role or bool(re.fullmatch(_LIKELY[role], name, re.IGNORECASE))


def _check_references(given: dict[str, list[str]]) -> None:
    """Refuse references without a role whose names differ by more than a number: some may be outputs of systems."""
    names = given.get("references", [])
    stems = {_NUMBER.sub("", name) for name in names}
    outputs = {_NUMBER.sub("", name) for name in given.get("prediction", ())}
    if len(names) > 1 and (len(stems) > 1 or stems & outputs):
        several = [*given.get("prediction", ()), names[0]]
        is_short = sum(map(len, names + several)) < _LONGEST // 2
        people, systems = (",".join(part if is_short else ["NAME", "NAME"]) for part in (names, several))
        wanted = f"{quote(f'references={people}')} or, for several systems, {quote(f'system={systems}')}"
        raise RefusedValueError(fault("columns", f"{len(names)} names after those of the first roles", wanted))


def _missing(start: str, columns: Sequence[str], names: str) -> FileError:
    """Return the error of a table that lacks columns; `names` are those to give, of which nothing is cut off."""
    room = max(_LONGEST - len(start) - len(names), 1)
    message = start + truncate(escape_unprintable(", ".join(columns)) or "none", room)
    return OptionError(message, "columns", names) if names else FileError(message)
