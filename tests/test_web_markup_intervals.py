"""The plot of scores on their intervals."""

from sari.web.markup.intervals import Dot, plot

DOTS = [Dot("<b>one", -0.25, -0.5, 0.1, "−0.25", "said"), Dot("two", 0.5, 0.4, 0.5, "0.50", "of two")]


def test_dots_stand_where_their_numbers_are():
    html = plot(DOTS, "Label", "Caption.", "two")
    assert "The scale runs from −0.6 to 0.6." in html
    assert '<i class="of-system" style="left:29.17%">' in html
    assert '<i class="range" style="left:8.33%;width:50.00%">' in html
    assert '<i class="of-baseline" style="left:91.67%">' in html
    assert html.count('<i class="against" style="left:91.67%">') == 2
    assert "&lt;b&gt;one" in html
    assert "<b>one" not in html
    assert 'class="against"' not in plot(DOTS, "Label", "Caption.")
