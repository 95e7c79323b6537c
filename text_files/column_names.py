"""Which columns hold the sources, the predictions, the references and the names of systems.

Columns have their usual names, or those that a user gives: each with its role, such as `source=complex`, or without
roles in the order of `ROLES`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sari.messages import RefusedValueError, escape_unprintable, fault, join_names, truncate
from sari.text_files.errors import ColumnError, FileError

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
    "references": r"refs?([ _.]?\w)?|targets?|simple\w*|simplifications?([ _.]?\d+)?|gold\w*|human\w*",
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
    """
    given: dict[str, list[str]] = {}
    without_role = []
    for word in words:
        key, _, names = word.partition("=")
        role = _usual_role(key.strip())
        if not names or role is None:
            without_role.append(word)
            continue
        listed = names.split(",")
        if role == "system" and len(listed) > 1:
            role = "prediction"
        if role in given or not all(listed) or (role in ("source", "system") and len(listed) > 1):
            raise RefusedValueError(fault("columns", word, f"{role} once, {role}=NAME"))
        given[role] = listed
    unused = [role for role in given if role not in (*roles, *(["system"] if "prediction" in roles else []))]
    if unused:
        raise RefusedValueError(fault("columns", unused[0], f"{join_names(roles, 'and')} alone"))
    open_roles = [role for role in roles if role not in given]
    if without_role:
        is_short = len(without_role) < len(open_roles)
        if is_short or (len(without_role) > len(open_roles) and "references" not in open_roles):
            wanted = f"those of {join_names(open_roles, 'and')}" if open_roles else "none: each role has its column"
            raise RefusedValueError(fault("columns", len(without_role), wanted))
        given |= {role: [name] for role, name in zip(open_roles, without_role, strict=False) if role != "references"}
        if "references" in open_roles:
            given["references"] = without_role[len(open_roles) - 1 :]
            _check_references(given)
    if len(set(given.get("references", ()))) < len(given.get("references", ())):
        raise RefusedValueError(fault("columns", "a column of references twice", "each once"))
    (source,), (system,) = (given.get(role, [""]) for role in ("source", "system"))
    return ColumnNames(source, tuple(given.get("prediction", ())), tuple(given.get("references", ())), system)


def find_columns(columns: Sequence[str], names: ColumnNames, place: str, texts: Iterable[str] = ()) -> ColumnNames:
    """Return the columns of a table, with those of usual names; without a column of systems its name is empty.

    Args:
        columns: of the table.
        names: that a user gave.
        place: the name of the table, for messages.
        texts: the columns with words, which messages propose for predictions.

    Raises:
        FileError: for columns that stand there twice, or are missing (ColumnError).
    """
    chosen = {name for part in names for name in ([part] if isinstance(part, str) else part)}
    usual = {
        role: [name for name in columns if name not in chosen and _usual_role(name) == role]
        for role in (*ROLES, "system")
    }
    listed = [name for name in usual["references"] if name.lower() == "references"] or usual["references"]
    found = {"source": [names.source] if names.source else usual["source"]}
    found["prediction"] = list(names.predictions) or usual["prediction"]
    found["references"] = list(names.references) or listed
    for role in ROLES[:2]:
        if len(usual[role]) > 1 and found[role] is usual[role]:
            raise FileError(fault(place, f"columns {join_names(map(repr, usual[role]), 'and')}", "one of them"))
    missing = [name for part in found.values() for name in part if name not in columns]
    if names.system and names.system not in columns:
        missing.append(names.system)
    if missing or not all(found.values()):
        raise _missing(columns, found, names, missing, place, texts)
    is_named = len(names.predictions) > 1
    system = names.system or ("" if is_named else next(iter(usual["system"]), ""))
    return ColumnNames(found["source"][0], tuple(found["prediction"]), tuple(found["references"]), system)


def _usual_role(name: str) -> str | None:
    """Return the role of a usual name."""
    return next((role for role, names in _USUAL.items() if re.fullmatch(names, name, re.IGNORECASE)), None)


def _check_references(given: dict[str, list[str]]) -> None:
    """Refuse references without a role whose names differ by more than a number: some may be outputs of systems."""
    names = given["references"]
    stems = {_NUMBER.sub("", name) for name in names}
    outputs = {_NUMBER.sub("", name) for name in given.get("prediction", ())}
    if len(names) > 1 and (len(stems) > 1 or stems & outputs):
        several = ",".join([*given.get("prediction", ()), names[0]])
        wanted = f"references={','.join(names)} or, for several systems, system={several}"
        raise RefusedValueError(fault("columns", f"{len(names)} names after those of the first roles", wanted))


def _missing(
    columns: Sequence[str],
    found: dict[str, list[str]],
    given: ColumnNames,
    missing: Sequence[str],
    place: str,
    texts: Iterable[str],
) -> FileError:
    """Return the error of a table that lacks columns."""
    taken = {name for names in found.values() for name in names}
    proposed = []
    for role, names in found.items():
        if not names:
            likely = [name for name in columns if re.fullmatch(_LIKELY[role], name, re.IGNORECASE)]
            proposed.append((role, [name for name in likely if name not in taken]))
    taken |= {name for _, names in proposed for name in names}
    named = {"source": [given.source], "prediction": given.predictions, "references": given.references}
    named["system"] = [given.system]
    words = [f"{role}={','.join(names)}" for role, names in named.items() if any(names)] if proposed else []
    for role, names in proposed:
        names = names or [name for name in texts if role == "prediction" and name not in taken]
        words.append(f"{role}={','.join(names) or 'NAME'}")
    lacking = [repr(truncate(escape_unprintable(name))) for name in missing] or [f"for {role}" for role, _ in proposed]
    start, wanted = f"{place}: no column {join_names(lacking)} among ", " ".join(words)
    room = _LONGEST - len(start) - len(wanted)
    message = start + truncate(escape_unprintable(", ".join(columns)) or "none", max(room, 1))
    return ColumnError(message, wanted) if words else FileError(message)
