"""What to do where an extra is missing: the command that adds it to this very installation.

No index has a package of this name, so none is asked for it: its registrant could run code on the
computer of each reader who followed the advice. A checkout, a wheel and an address are named as they were installed;
where nothing says where this program came from, the packages are named that the extra consists of.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from importlib.metadata import Distribution

PACKAGE = "tablier"


def command_to_add(extra: str) -> str:
    """Return the command that adds an extra to this installation."""
    found = _installed()
    folder = _checkout(found)
    if folder is not None and _made_by_make(folder, extra):
        return f"make -C {shlex.quote(str(folder))} .venv/.with-{extra}"
    return _pip(*_sources(found, folder, extra))


def command_to_install_again() -> str:
    """Return the command that installs this program as it is, with its metadata."""
    found = _installed()
    return _pip(*_sources(found, _checkout(found), ""))


def _installed() -> Distribution | None:
    from importlib.metadata import PackageNotFoundError, distribution  # every start imports this module

    try:
        return distribution(PACKAGE)
    except PackageNotFoundError:
        return None


def _checkout(found: Distribution | None) -> Path | None:
    """Return the folder of sources of which this program is an editable installation, or in which it runs."""
    said = _origin(found)
    if said.get("dir_info", {}).get("editable"):
        return _path(said["url"])
    above = Path(__file__).resolve().parents[2]
    return above if (above / "pyproject.toml").exists() else None


def _made_by_make(folder: Path, extra: str) -> bool:
    """Return whether this Python is a checkout's own environment, and its Makefile knows what an extra needs."""
    own = os.path.realpath(sys.prefix) == os.path.realpath(folder / ".venv")
    return own and (folder / "host" / "locks" / f"{extra}.txt").exists()


def _sources(found: Distribution | None, folder: Path | None, extra: str) -> list[str]:
    """Return what pip is to install."""
    wanted = f"[{extra}]" if extra else ""
    if folder is not None:
        return ["--editable", f"{folder}{wanted}"]
    said = _origin(found)
    url, path = said.get("url", ""), _path(said.get("url", ""))
    if path is not None and "dir_info" in said and path.exists():
        return [f"{path}{wanted}"]
    if "vcs_info" in said:
        url = f"{said['vcs_info']['vcs']}+{url}@{said['vcs_info']['commit_id']}"
    if url and (path is None or path.exists()) and "dir_info" not in said:
        return [f"{PACKAGE}{wanted} @ {url}"]
    return _packages(found, extra)


def _packages(found: Distribution | None, extra: str) -> list[str]:
    """Return the packages that an extra consists of, or without one those that this program needs."""
    needs = []
    for line in (found.requires if found is not None else None) or ():
        package, _, marker = (part.strip() for part in line.partition(";"))
        own = re.fullmatch(r"""(?:(?P<rest>.*) and )?extra == ['"](?P<extra>[^'"]*)['"]""", marker)
        if (own["extra"] if own else "") != extra or package.startswith(f"{PACKAGE}["):
            continue
        rest = own["rest"] if own else marker
        needs.append(f"{package}; {rest}" if rest else package)
    return needs


def _origin(found: Distribution | None) -> dict[str, Any]:
    """Return where a distribution was installed from, as installers note it (PEP 610)."""
    try:
        said = json.loads((found.read_text("direct_url.json") if found is not None else None) or "{}")
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _path(url: str) -> Path | None:
    """Return the path of a file's address; ``None`` for any other."""
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _pip(*what: str) -> str:
    """Return a command that installs something into this Python."""
    python = sys.executable
    program = [python, "-m", "pip", "install"] if find_spec("pip") else ["uv", "pip", "install", "--python", python]
    return shlex.join([*program, *what])


__all__ = ["command_to_add", "command_to_install_again"]
