"""By which names a server may be asked for: the operator's, the certificate's, a reverse proxy's, and no stranger's."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from served import Served, served

from installed import needs
from kept import kept
from tablier.cli.main import main
from tablier.web.hosts import Hosts, Proxy, Unsuitable, names_of, own_addresses
from tablier.web.serving import Door

PROXY = Proxy.parse("https://games.example.org/")
BY_PROXY = {"host": "games.example.org", "origin": PROXY.origin, "x-forwarded-for": "10.9.9.9, 10.1.2.3"}


@pytest.fixture(scope="module")
def pages(log: Path) -> Iterator[Served]:
    """Pages for other machines, under a name, also behind a proxy."""
    with kept(log), served(log, door=Door(0, lan=True, names=("vm.home",), proxy=PROXY)) as pages:
        yield pages


def status(pages: Served, host: str, path: str = "/log", at: str = "127.0.0.1", **headers: str) -> int:
    address = f"http://{f'[{at}]' if ':' in at else at}:{pages.port}{path}"
    return httpx.get(address, headers={"host": host, **headers}, timeout=20, trust_env=False).status_code


def test_a_name_that_the_operator_gave_is_answered_and_no_other(pages: Served) -> None:
    assert status(pages, f"vm.home:{pages.port}") == 200
    for name in ("vm.fritz.box", "evil.example", "a.vm.home", "vm.home.evil.example", "games.example.org"):
        assert status(pages, f"{name}:{pages.port}") == 421, name
    assert status(pages, "vm.home") == 421  # another port


@pytest.mark.skipif(not socket.has_ipv6, reason="there is no IPv6 on this computer")
def test_an_address_of_ipv6_is_the_one_at_which_a_request_arrives(pages: Served) -> None:
    try:
        socket.create_connection(("::1", pages.port), 5).close()
    except OSError:
        pytest.skip("there is no IPv6 on this computer")
    assert status(pages, f"[::1]:{pages.port}", at="::1") == status(pages, f"[0:0::1]:{pages.port}", at="::1") == 200
    assert status(pages, f"127.0.0.1:{pages.port}") == 200
    for host in ("[::2]", "[fe80::1]", "127.0.0.1", "[::1", "::1"):
        assert status(pages, f"{host}:{pages.port}", at="::1") == 421, host
    with httpx.Client(base_url=f"http://[::1]:{pages.port}", timeout=20, trust_env=False) as browser:
        key = {"operator": pages.site.browsers.operator}
        assert browser.post("/enter", json=key, headers={"origin": str(browser.base_url)}).status_code == 200


def test_addresses_that_others_are_told_begin_with_the_one_that_reaches_farthest(pages: Served) -> None:
    here, proxied, named, *others = Door(0, lan=True, names=("vm.home",), proxy=PROXY).addresses(pages.listener)
    assert (here, proxied) == (f"http://127.0.0.1:{pages.port}/", "https://games.example.org/")
    assert named == f"http://vm.home:{pages.port}/"
    assert not any("127.0.0.1" in each or "[::1]" in each for each in others)
    assert Door(0).addresses(pages.listener) == [here]


def test_a_proxy_that_says_so_is_asked_under_its_own_name(pages: Served) -> None:
    with httpx.Client(base_url=pages.address, timeout=20, headers=BY_PROXY, trust_env=False) as browser:
        assert browser.get("/log").status_code == 200
        entered = browser.post("/enter", json={"operator": pages.site.browsers.operator})
        assert entered.status_code == 200
        assert entered.headers["set-cookie"].startswith("__Host-tablier-") and "Secure" in entered.headers["set-cookie"]
        for host in ("evil.example", f"127.0.0.1:{pages.port}", "games.example.org:8443"):
            assert browser.get("/log", headers={"host": host}).status_code == 421, host
        for origin in (pages.address, "http://games.example.org", "https://evil.example"):
            key = {"operator": pages.site.browsers.operator}
            assert browser.post("/enter", json=key, headers={"origin": origin}).status_code == 403, origin
    assert status(pages, "games.example.org") == 421  # nobody has passed it on


def test_a_neighbour_cannot_pass_for_the_proxy(pages: Served) -> None:
    addresses = [each for each in own_addresses() if ":" not in each]
    if not addresses:
        pytest.skip("this computer has no address but its own")
    forged = {key: value for key, value in BY_PROXY.items() if key != "host"}
    assert status(pages, BY_PROXY["host"], at=addresses[0], **forged) == 421


def test_requests_by_a_proxy_are_counted_by_who_makes_them(pages: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablier.web.doors.BURST", 5)
    monkeypatch.setattr("tablier.web.doors.RATE", 0.01)
    forged = [{**BY_PROXY, "x-forwarded-for": f"10.0.0.{n}, 10.7.7.7"} for n in range(20)]
    with httpx.Client(base_url=pages.address, timeout=20, trust_env=False) as browser:
        statuses = [browser.get("/pages/icon.svg", headers=each).status_code for each in forged]
        assert set(statuses[:5]) == {200} and set(statuses[5:]) == {429}
        assert browser.get("/pages/icon.svg", headers={**BY_PROXY, "x-forwarded-for": "10.8.8.8"}).status_code == 200


@needs("openssl")
@pytest.mark.parametrize("days", [1, -1], ids=("valid", "expired"))
def test_a_certificate_says_by_which_names_it_may_be_asked_for(tmp_path: Path, days: int) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    make = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    until = ("-days", "1") if days > 0 else ("-not_before", "20200101000000Z", "-not_after", "20200102000000Z")
    names = "subjectAltName=critical,DNS:VM.home,DNS:vm.fritz.box,IP:192.168.1.5,DNS:*.games.example,DNS:localhost"
    made = subprocess.run(
        ["openssl", *make, *until, "-subj", "/CN=ignored.example", "-addext", names, "-keyout", key, "-out", cert],
        capture_output=True,
    )
    if made.returncode:
        pytest.skip("this openssl makes no certificate that has expired")
    assert names_of(cert) == ["vm.home", "vm.fritz.box", "*.games.example", "localhost"]
    door = Door(0, lan=True, certificate=cert, key=key)
    hosts = door.hosts()
    assert all(hosts.has(f"{name}:8731", "https", ("192.168.1.5", 8731)) for name in ("vm.home", "a.games.example"))
    assert not hosts.has("ignored.example:8731", "https", ("192.168.1.5", 8731))
    assert names_of(key) == []


@pytest.mark.parametrize(
    "text",
    [
        "games.example.org",
        "ftp://a",
        "https://",
        "https://a/b",
        "https://a?b",
        "https://u@a",
        "http://a:b",
        "https://a b",
    ],
)
def test_what_is_no_proxy_is_refused_in_one_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Unsuitable):
        Proxy.parse(text)
    assert main(["web", "--proxy", text]) == 2
    said = capsys.readouterr().err
    assert "a proxy's address has http or https, a host" in said and said.count("\n") == 1


@pytest.mark.parametrize("text", ["vm.home:80", "http://vm.home", "a b", "", "-a", "*.home", "a/b"])
def test_what_is_no_name_of_a_host_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["web", f"--name={text}"]) == 2
    assert "is not the name of a host" in capsys.readouterr().err


def test_a_host_is_compared_whole() -> None:
    hosts = Hosts(("localhost", "*.a.example"))
    own = ("127.0.0.1", 80)
    assert hosts.has("LOCALHOST", "http", own) and hosts.has("b.a.example", "http", own)
    for host in ("", "b.a.example.", "b.a.example@c", "a.example", ".a.example.evil", "127.0.0.1:443", "[::1%25a]"):
        assert not hosts.has(host, "http", own), host
