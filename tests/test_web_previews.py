"""What previews of links show, and a page that is compressed."""

import re
import urllib.request

import httpx
import pytest

from sari.web import previews

pytest_plugins = ("web_app",)


def test_the_page_speaks_of_itself(address):
    response = httpx.get(address, headers={"Accept-Encoding": "gzip"})
    assert response.headers["content-encoding"] == "gzip"
    assert int(response.headers.get("content-length", response.num_bytes_downloaded)) < len(response.content) / 3
    page = response.text
    found = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)"', page))
    assert found["title"] == previews.TITLE
    assert found["description"] == previews.DESCRIPTION
    assert page.count("og:title") == page.count("og:image") == 1
    assert re.findall("<title>(.*?)</title>", page) == [previews.TITLE]
    picture = httpx.get(f"{address.rstrip('/')}{found['image']}")
    assert picture.headers["content-type"] == "image/png"
    assert picture.content == previews.PICTURE.read_bytes()
    with urllib.request.urlopen(address) as plain:  # which asks for no compression
        assert plain.read().decode() == page


def test_on_the_hub_the_picture_has_a_whole_address(monkeypatch):
    monkeypatch.setenv("SPACE_HOST", "someone-sari.hf.space")
    assert 'content="https://someone-sari.hf.space/gradio_api/file=' in previews.fields()


@pytest.mark.parametrize("page", [b"", b"{}"])
def test_what_is_no_page_stays_as_it_is(page):
    assert previews._with_fields(page) == page
