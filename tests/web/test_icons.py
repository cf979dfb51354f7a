"""What puts the pages on a phone's home screen."""

from __future__ import annotations

import struct
import zlib

from served import Served

from tablier.web.icons import SIZES, png


def pixels(data: bytes) -> list[bytes]:
    """Return the rows of a PNG of colours that no filter has changed."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(name + body)
        chunks[name], at = body, at + 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    raw = zlib.decompress(chunks[b"IDAT"])
    rows = [raw[start : start + 1 + 3 * width] for start in range(0, len(raw), 1 + 3 * width)]
    assert len(rows) == height and all(row[0] == 0 for row in rows)
    return [row[1:] for row in rows]


def test_an_icon_is_the_same_from_all_sides_at_every_size() -> None:
    for size in (*SIZES, 33):
        rows = pixels(png(size))
        assert rows == rows[::-1] and len(rows) == size
        columns = [[row[3 * x : 3 * x + 3] for row in rows] for x in range(size)]
        assert columns == columns[::-1] == [[row[3 * x : 3 * x + 3] for x in range(size)] for row in rows]
        assert rows[0][:3].hex() == "7c5a3c" and rows[size // 2][3 * (size // 2) :][:3].hex() == "f4c95d"


def test_a_browser_gets_the_manifest_and_the_icons_that_it_names(pages: Served) -> None:
    with pages.browser() as browser:
        page = browser.get("/seat").text
        assert 'rel="manifest"' in page and 'rel="apple-touch-icon"' in page
        answer = browser.get("/pages/manifest.json")
        manifest = answer.json()
        assert answer.headers["content-type"].startswith("application/manifest+json")
        assert browser.get(manifest["start_url"]).status_code == 200
        for icon in manifest["icons"]:
            found = browser.get(f"/pages/{icon['src']}")
            assert found.headers["content-type"] == icon["type"]
            if icon["type"] == "image/png":
                assert f"{len(pixels(found.content))}x{len(pixels(found.content))}" == icon["sizes"]
