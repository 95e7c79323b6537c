"""What one takes along from a segment: a link, the signature, and the same number in Python."""

from collections.abc import Mapping, Sequence
from typing import Any

from sari.web.markup.elements import escaped


def sharing(signature: str, snippet: str) -> str:
    """Return buttons that copy, and what they copy; the link is the address of the page."""
    return (
        '<section class="sari-share" aria-label="Link, signature and Python"><div class="sari-buttons">'
        '<button type="button" data-copy="link">Copy link</button>'
        '<button type="button" data-copy="signature">Copy signature</button>'
        '<button type="button" data-copy="snippet">Copy Python</button></div>'
        '<p class="sari-hint">The link is the address of this page: it carries texts and choices, and no server '
        f'keeps them.</p><p><code class="sari-signature">{escaped(signature)}</code></p>'
        f'<pre class="sari-snippet" tabindex="0" aria-label="Python">{escaped(snippet)}</pre></section>'
    )


def python(source: str, output: str, references: Sequence[str], options: Mapping[str, Any], score: float) -> str:
    """Return a program that computes the score.

    >>> print(python("a b", "a", ["a"], {"variant": "easse", "lowercase": None}, 50.0))
    import evaluate
    <BLANKLINE>
    sari = evaluate.load("sari.py")  # the path of this project's sari.py
    scores = sari.compute(
        sources=['a b'],
        predictions=['a'],
        references=[['a']],
        variant='easse',
    )
    print(scores["sari"])  # 50.00
    """
    values = {"sources": [source], "predictions": [output], "references": [list(references)], **options}
    arguments = "".join(f"    {name}={value!r},\n" for name, value in values.items() if value is not None)
    return (
        'import evaluate\n\nsari = evaluate.load("sari.py")  # the path of this project\'s sari.py\n'
        f'scores = sari.compute(\n{arguments})\nprint(scores["sari"])  # {score:.2f}'
    )
