"""The one script that stands within pages: it has them come to life where others do not come."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from importlib.resources import files

from tablier.html.elements import Markup, tag
from tablier.texts import Text, render

_SCRIPT = (files(__package__) / "pages" / "waking.js").read_text(encoding="utf-8")
SOURCE = f"'sha256-{b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()}'"
"""How a policy of a page's content names the script."""


def script() -> Markup:
    return tag("script", Markup(_SCRIPT))


def notice() -> Markup:
    """Return what the script shows while its page is not complete."""
    said = Text("This page is not complete yet. What is missing is asked for again.")
    return tag(
        "p", render(said), " ", tag("button", render(Text("Load it again"))), id="waking", role="alert", hidden=True
    )


__all__ = ["SOURCE", "notice", "script"]
