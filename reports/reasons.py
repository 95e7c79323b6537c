"""What explanations say of tokens and n-grams: what the output did, what the references did, and what that earns."""

from dataclasses import dataclass, replace

from sari.messages import count_of
from sari.reports.segment_ngrams import Ngram

#: The marks of tokens, and what they mean. A token of the source is kept or deleted "rightly" if that earns at least
#: half of its credit, which usually means that at least half of the references agree.
MARKS = {
    "kept-rightly": "kept, as references do",
    "kept-wrongly": "kept, though references drop it",
    "deleted-rightly": "deleted, as references do",
    "deleted-wrongly": "deleted, though references keep it",
    "kept": "kept from the source",
    "added-rightly": "added, as references do",
    "added-wrongly": "added, though no reference has it",
    "missed": "added by references, missed by the output",
}

#: The sign for an empty token.
EMPTY = "␣"

# Shares of credit that differ less are the same.
_SAME = 1e-9


@dataclass(frozen=True)
class Token:
    """A token, what became of it, and why.

    Attributes:
        text: the token.
        mark: a key of `MARKS`.
        why: the reason, as a sentence.
        credit: the share of precision that it earns, from 0 to 1; None for missed tokens, which precision ignores.
    """

    text: str
    mark: str
    why: str
    credit: float | None


def token_done_to(ngram: Ngram, operation: str) -> Token:
    """Return a token to which the output did an operation."""
    done, credit = {"keep": "kept", "delete": "deleted", "add": "added"}[operation], ngram.credit(operation)
    mark = f"{done}-{'rightly' if credit >= 0.5 else 'wrongly'}"
    return Token(ngram.tokens[0], mark, say_why(ngram, operation), credit)


def token_of_output(ngram: Ngram) -> Token:
    """Return a token of the output."""
    if not ngram.source:
        return token_done_to(ngram, "add")
    why = say_why(ngram, "keep")
    if ngram.output > ngram.source:
        surplus = f"It stands here {count_of(ngram.output, 'time')}, in the source {count_of(ngram.source, 'time')}"
        why += f" {surplus}: the surplus is ignored."
    return Token(ngram.tokens[0], "kept", why, ngram.credit("keep"))


def token_of_reference(ngram: Ngram) -> Token:
    """Return a token of a reference, with what the output did to it."""
    if ngram.output:
        token = token_of_output(ngram)
        return token if token.mark != "added-wrongly" else replace(token, mark="kept")
    if ngram.source:
        return token_done_to(ngram, "delete")
    return Token(ngram.tokens[0], "missed", say_why(ngram, "add"), None)


def say_why(ngram: Ngram, operation: str) -> str:
    """Say what the output did to an n-gram, what the references did, and the credit if it is not obvious."""
    agreeing = ngram.agreeing(operation)
    agree = _who(agreeing, ngram.nrefs, f"{operation}s", operation)
    if not ngram.counts[operation][1]:
        missed = {"keep": "Not kept, though", "delete": "Not deleted, though", "add": "Missed:"}
        return f"{missed[operation]} {agree} it."
    have, credit = _who(ngram.holders, ngram.nrefs, "has", "have"), ngram.credit(operation)
    if operation == "add":
        if ngram.counts["add"][0]:
            return f"Added: {have} it too."
        but = f" {ngram.rule}, so it does not count." if ngram.holders else ""
        return f"Added{'; ' if ngram.holders else ', but '}{have} it.{but}"
    if ngram.source > 1 or ngram.scale != ngram.nrefs:
        return _why_repeated(ngram, operation)
    done, opposite = ("Kept", "delete") if operation == "keep" else ("Deleted", "keep")
    if 2 * agreeing >= ngram.nrefs:
        too = " too" if operation == "delete" else ""
        why = f"{done}: {agree} it{too}."
    else:
        why = f"{done}, but {_who(ngram.nrefs - agreeing, ngram.nrefs, f'{opposite}s', opposite)} it."
    if abs(agreeing / ngram.nrefs - credit) < _SAME:
        return why
    if ngram.references > ngram.holders:
        return f"{why} Together they have it {count_of(ngram.references, 'time')}: {_credit_in_words(credit)}."
    return f"{why} {ngram.rule}: {_credit_in_words(credit)}."


def _why_repeated(ngram: Ngram, operation: str) -> str:
    """Say the same of an n-gram that the source holds more than once, where each copy counts."""
    kept, credit = min(ngram.source, ngram.output), ngram.credit(operation)
    done, number = ("Kept", kept) if operation == "keep" else ("Deleted", ngram.source - kept)
    have = "the reference has" if ngram.nrefs == 1 else f"the {ngram.nrefs} references together have"
    why = f"{done} {number} of {count_of(ngram.source, 'time')}; {have} it {count_of(ngram.references, 'time')}"
    if ngram.scale != ngram.nrefs:
        why += f", and each copy of source and output counts {count_of(ngram.scale, 'time')}"
    gone, may_go = number * ngram.scale, max(ngram.source * ngram.scale - ngram.references, 0)
    if operation == "delete" and abs(min(gone, may_go) / gone - credit) > _SAME:
        why += ". This variant credits deletions only as far as they outnumber the copies of the references"
    return f"{why}: {_credit_in_words(credit)}."


def _credit_in_words(credit: float) -> str:
    """Return a share of credit in words: as full or none where it rounds to that."""
    if credit > 0.995:
        return "full credit"
    return f"{100 * credit:.0f}% of the credit" if credit >= 0.005 else "no credit"


def _who(number: int, of: int, singular: str, plural: str) -> str:
    """Return how many of the references do something, in words.

    >>> [_who(number, 4, "has", "have") for number in (0, 1, 3, 4)]
    ['none of the 4 references has', '1 of 4 references has', '3 of 4 references have', 'all 4 references have']
    >>> [_who(number, 1, "has", "have") for number in (0, 1)]
    ['no reference has', 'the reference has']
    """
    if of == 1:
        return f"the reference {singular}" if number else f"no reference {singular}"
    if number == of:
        return f"{'both' if of == 2 else f'all {of}'} references {plural}"
    if not number:
        return f"none of the {of} references {singular}"
    return f"{number} of {of} references {singular if number == 1 else plural}"
