"""Printed signatures read back: the options that they name, and what differs from a signature that was made here."""

from collections.abc import Iterator
from typing import Any

from .data_warnings import SignatureWarning
from .languages import CUSTOM
from .messages import RefusedTypeError, RefusedValueError, fault, short_line, short_repr
from .variants import OPTIONS, VARIANTS, Option

# The parts of a signature that are no options.
_NO_OPTIONS = ("nrefs", "sacrebleu", "version")


def read_signature(signature: Any, **code: Any) -> dict[str, Any]:
    """Return the options that a signature names, without those that its variant has anyway. Nothing is imported.

    Signatures of older versions have "variant:easse" where those of today have "variant:easse+level": both are read.
    White space does not count, since a signature that is copied from a paper has line breaks.

    Args:
        signature: the line that a score is printed with.
        code: the tokenizer or the sentence splitter, where the signature names one that is no name of `OPTIONS`:
            a callable, or "module:function".

    Raises:
        ValueError: for what is not a signature, for code that is missing, and for code that it does not name.
        TypeError: for what is not text.

    >>> read_signature("SARI|variant:easse|nrefs:10|case:mixed|tok:13a|order:4")
    {'variant': 'easse', 'lowercase': False}
    """
    pairs = _parts_of(signature)
    pairs["variant"] = pairs["variant"].partition("+")[0]
    by_key = {option.key: (name, option) for name, option in OPTIONS.items()}
    options = {}
    for key, text in pairs.items():
        if key in _NO_OPTIONS:
            continue
        if key not in by_key:
            raise RefusedValueError(
                fault("signature", short_repr(key), f"some of {', '.join([*by_key, *_NO_OPTIONS])}")
            )
        name, option = by_key[key]
        options[name] = _option_value(name, option, text, code.get(name))
    for name, value in code.items():
        if value is not None and options.get(name) != value:
            raise RefusedValueError(
                fault(name, short_repr(value), f"nothing, or what the signature says: {short_repr(signature)}")
            )
    published = VARIANTS[options["variant"]].options
    changes = {name: value for name, value in options.items() if value != published[name]}
    return {"variant": options["variant"], **changes}


def signature_warnings(printed: str | None, here: str) -> Iterator[SignatureWarning]:
    """Yield a warning if a printed signature names other versions, code or numbers of references than one made here.

    A printed name of a variant without "+" may stand for a changed variant: other parts say how it was changed. What is
    not a signature is refused as `read_signature` does.

    >>> printed, here = "SARI|variant:easse|nrefs:8|version:1.0.0", "SARI|variant:easse+level|nrefs:?|version:2.0.0"
    >>> [warning.detail for warning in signature_warnings(printed, here)]
    ['version:1.0.0 (here 2.0.0)']
    """
    if printed is None:
        return
    printed_parts, parts_here = _parts_of(printed), _parts_of(here)
    if "+" not in printed_parts["variant"]:
        parts_here["variant"] = parts_here["variant"].partition("+")[0]
    differing = [
        f"{key}:{value} (here {parts_here.get(key, 'none')})"
        for key, value in printed_parts.items()
        if parts_here.get(key) not in (value, "?")
    ]
    if differing:
        yield SignatureWarning("the signature differs from the printed one, so scores may differ", ", ".join(differing))


def _parts_of(signature: Any) -> dict[str, str]:
    """Return the parts of a signature by their keys, without white space; refuse what is not a signature."""
    wanted = "the line that a score is printed with: SARI|variant:...|nrefs:...|..."
    if not isinstance(signature, str):
        raise RefusedTypeError(fault("signature", short_repr(signature), wanted))
    title, *parts = "".join(signature.split()).split("|")
    pairs = dict(part.split(":", 1) for part in parts if ":" in part)
    if title != "SARI" or len(pairs) != len(parts) or "variant" not in pairs:
        raise RefusedValueError(fault("signature", short_repr(signature), wanted))
    return pairs


def _option_value(name: str, option: Option, text: str, code: Any) -> Any:
    """Return the value of an option that a part of a signature names; `code` is what the caller gives for it."""
    if option.kind == "function" and (text.startswith(CUSTOM) or ":" in text):
        if code is None:
            got = f"{option.key}:{text}, which is code"
            raise RefusedValueError(short_line(f"signature: got {got}: give it, too, as {name}=..."))
        return option.check(name, code)
    try:
        return option.check(name, option.read(text))
    except (KeyError, ValueError):
        wanted = ", ".join(option.choices) or f"a value of {name}, {option.help}"
        raise RefusedValueError(fault("signature", short_repr(f"{option.key}:{text}"), wanted)) from None
