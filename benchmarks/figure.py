"""Draw docs/variants.svg: the example corpus under every variant. `python benchmarks/figure.py`."""

from pathlib import Path
from xml.sax.saxutils import escape

import evaluate

ROOT = Path(__file__).resolve().parent.parent
FIGURE = ROOT / "docs" / "variants.svg"

# Colours that most colour-blind people can tell apart (Okabe and Ito 2008), and a shape each.
SYSTEMS = {
    "a system that rewrites": ("outputs.rewriting", "#0072b2", "circle"),
    "a system that deletes": ("outputs", "#d55e00", "square"),
    "the sources, copied": ("sources", "#666666", "cross"),
}

_LEFT, _WIDTH, _TOP, _ROW = 110, 560, 62, 28


def scores() -> dict[str, dict[str, float]]:
    """Return SARI by variant and system."""
    sari = evaluate.load(str(ROOT / "sari.py"))
    names = {"sources", "references.0", "references.1", *(name for name, *_ in SYSTEMS.values())}
    texts = {name: (ROOT / "examples" / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in names}
    references = list(map(list, zip(texts["references.0"], texts["references.1"], strict=True)))
    predictions = {label: texts[name] for label, (name, *_) in SYSTEMS.items()}
    columns = {"sources": texts["sources"], "predictions": predictions, "references": references}
    return {
        variant: {
            label: found["sari"]
            for label, found in sari.compare(**columns, variant=variant, method=None, confidence=None)[
                "systems"
            ].items()
        }
        for variant in sari.variants
    }


def drawn(by_variant: dict[str, dict[str, float]]) -> str:
    """Return the figure: a row for each variant, a mark for each system, SARI from left to right."""
    bottom = _TOP + _ROW * len(by_variant)
    marks = [_text(_LEFT, 20, "SARI of the example corpus, by variant", "start", 'font-weight="bold" font-size="14"')]
    for number, (label, (_, colour, shape)) in enumerate(SYSTEMS.items()):
        marks += [
            _mark(_LEFT + 6 + 190 * number, 41, colour, shape),
            _text(_LEFT + 18 + 190 * number, 45, label, "start"),
        ]
    for tick in range(0, 81, 10):
        x = _x(tick)
        marks += [
            f'<path d="M{x:.1f} {_TOP}V{bottom}" stroke="#dddddd"/>',
            _text(x, bottom + 17, str(tick), "middle"),
        ]
    for number, (variant, found) in enumerate(by_variant.items()):
        y = _TOP + _ROW * (number + 0.5)
        ends = sorted(map(_x, found.values()))
        marks.append(_text(_LEFT - 12, y + 4, variant, "end"))
        marks.append(f'<path d="M{ends[0]:.1f} {y}H{ends[-1]:.1f}" stroke="#bbbbbb"/>')
        for label, score in found.items():
            _, colour, shape = SYSTEMS[label]
            marks += [_mark(_x(score), y, colour, shape), _text(_x(score) + 9, y + 4, f"{score:.1f}", "start", _SMALL)]
    width, height = _LEFT + _WIDTH + 30, bottom + 28
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#222222">\n'
        "<title>SARI of two systems and of the copied sources under every variant</title>\n"
        f'<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(marks) + "\n</svg>\n"
    )


_SMALL = 'font-size="10" fill="#555555" stroke="white" stroke-width="3" paint-order="stroke"'


def _x(score: float) -> float:
    return _LEFT + _WIDTH * score / 80


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {style}>{escape(text)}</text>'


def _mark(x: float, y: float, colour: str, shape: str) -> str:
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
    if shape == "square":
        return f'<rect x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9" fill="{colour}"/>'
    return f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8" stroke="{colour}" stroke-width="2"/>'


if __name__ == "__main__":
    FIGURE.parent.mkdir(exist_ok=True)
    FIGURE.write_text(drawn(scores()), encoding="utf-8")
