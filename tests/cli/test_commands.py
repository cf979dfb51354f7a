"""``tablier simulate``, ``show`` and ``layout``: what they print and write, and one line for every bad wish. And names
that no command takes."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from cli.term import Term
from sample import sample, thorough
from tablier.cli.common import CommandError
from tablier.cli.files import whole_file
from tablier.cli.main import main
from tablier.games import GAMES, game_class, rules_of, words_of
from tablier.games.daemonen.layout import layout_names, parse_layout
from tablier.record import read_records, replay, result_of

ROOT = Path(__file__).parents[2]


class Run:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def good(self, *argv: object) -> str:
        status = main([str(word) for word in argv])
        out, err = self.capsys.readouterr()
        assert (status, err) == (0, "")
        return out

    def bad(self, *argv: object) -> str:
        status = main([str(word) for word in argv])
        out, err = self.capsys.readouterr()
        assert (status, out) == (2, "")
        assert err.startswith("tablier: ") and err.count("\n") == 1
        return err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return Run(capsys)


# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "replay @",
        "show @",
        "show x --svg @",
        "log list --log @",
        "layout @",
        "layout --random 1 --out @",
        "layout --random 1 --svg @",
        "play --port @",
        "table info --port @",
    ],
)
def test_an_empty_name_is_not_taken_for_the_default(run: Run, words: str) -> None:
    """It is what a variable of the shell becomes that is not set."""
    assert "the name is empty" in run.bad(*(word.replace("@", "") for word in words.split()))


# -- simulate --------------------------------------------------------------------------------------------------------


@thorough
def test_a_seed_repeats_a_campaign_whatever_the_number_of_jobs(run: Run, tmp_path: Path) -> None:
    words = ["simulate", "struggle", "--games", 7, "--seats", "greedy", "Zoe=random", "--option", "board=YRYBYRYYBRYY"]
    one = run.good(*words, "--seed", 5, "--jobs", 1, "--out", "one.jsonl")
    two = run.good(*words, "--seed", 5, "--jobs", 2, "--out", "two.jsonl")
    other = run.good(*words, "--seed", 6, "--jobs", 1, "--out", "other.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert (tmp_path / "one.jsonl").read_bytes() != (tmp_path / "other.jsonl").read_bytes()
    assert re.sub(" in .*", "", one) == re.sub(" in .*", "", two) != re.sub(" in .*", "", other)
    # The first games of a longer campaign are those of a shorter one.
    run.good(*words[:3], 3, *words[4:], "--seed", 5, "--out", "short.jsonl")
    assert (tmp_path / "one.jsonl").read_text().startswith((tmp_path / "short.jsonl").read_text())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.jsonl", "other.jsonl", "short.jsonl", "two.jsonl"]
    records = list(read_records("one.jsonl"))
    assert len(records) == 7
    assert {record.players for record in records} == {("greedy 1", "Zoe")}
    assert all(record.options == {"board": "YRYBYRYYBRYY"} for record in records)
    assert len({record.moves for record in records}) == 7


@pytest.mark.parametrize("game", sample(["dilemma", "dicke-daemonen"], list(GAMES)))
def test_the_figures_are_those_of_the_records(run: Run, game: str) -> None:
    more = ["--option", "max_plies=8"] if game == "d21" else []
    out = run.good("simulate", game, "--games", 6, "--seed", 1, "--jobs", 1, "--out", "games.jsonl", *more)
    positions = [replay(record) for record in read_records("games.jsonl")]
    lengths = sorted(position.ply for position in positions)
    results = [result_of(position) for position in positions]
    assert f"{game_class(game).title}: 6 games with seed 1 in " in out
    median = (lengths[2] + lengths[3]) / 2
    assert f"  moves    {lengths[0]} to {lengths[-1]}; mean {sum(lengths) / 6:.1f}, median {median:g}\n" in out
    endings = [str(position.rules.ending(position.state)) for position in positions]
    ended = re.search("  ended +(.*)\n", out)
    labels = words_of(game).endings
    assert ended and sorted(ended[1].split(", ")) == sorted(f"{labels[e]}: {endings.count(e)}" for e in set(endings))
    counts = [len(result["winners"]) for result in results]
    several, nobody = sum(count > 1 for count in counts), counts.count(0)
    assert f"  winners  one {counts.count(1)}, several {several}, nobody {nobody}\n" in out
    for seat in range(1, positions[0].rules.seats + 1):
        name = f"p{seat}"
        alone = sum(result["winners"] == [name] for result in results)
        shared = sum(name in result["winners"] for result in results) - alone
        score = f"{sum(result['scores'][name] for result in results) / 6:.2f}".replace("-", "−")
        row = rf"  {name} greedy {seat} +greedy +{alone} +{shared} +{(alone + shared) / 6:.1%} +{score}\n"
        assert re.search(row, out), f"{row}\n{out}"


def test_a_campaign_without_a_seed_tells_one_that_repeats_it(run: Run, tmp_path: Path) -> None:
    out = run.good("simulate", "roudalon", "--games", 3, "--out", "a.jsonl", "--jobs", 1)
    seed = re.search(r"with seed (\d+)", out)
    assert seed
    run.good("simulate", "roudalon", "--games", 3, "--out", "b.jsonl", "--jobs", 1, "--seed", seed[1])
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_a_bar_shows_the_progress_on_a_terminal() -> None:
    with Term("simulate", "struggle", "--games", 6, "--jobs", 1, "--seed", 1, COLUMNS="80") as term:
        term.until(lambda: re.search(r"Struggle .*\d+/6", term.text), "a bar")
        status, printed = term.ends()
        assert status == 0 and "Struggle: 6 games with seed 1" in printed


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["chess"], "there is no game 'chess'"),
        (["struggle", "--games", "0"], "'0'; allowed: a whole number from 1"),
        (["struggle", "--jobs", "-1"], "--jobs"),
        (["struggle", "--seed", "x"], "--seed"),
        (["struggle", "--seats", "keyboard", "random"], "--seats 'keyboard': the form is SOURCE or NAME=SOURCE"),
        (["struggle", "--seats", "random"], "Struggle is played by 2, 3 or 4 players, not 1"),
        (["struggle", "--out", "nowhere/x"], "nowhere/x: No such folder"),
        (["struggle", "--out", ""], "the name is empty"),
    ],
)
def test_bad_campaigns(run: Run, tmp_path: Path, argv: list[str], message: str) -> None:
    assert message in run.bad("simulate", *argv)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("number", "jobs"), [(signal.SIGINT, 1), (signal.SIGTERM, 2)])
def test_records_that_are_there_stay_when_a_campaign_comes_to_nothing(
    run: Run, tmp_path: Path, number: int, jobs: int
) -> None:
    (tmp_path / "kept.jsonl").write_text("kept")
    assert run.bad("simulate", "roudalon", "--seats", "random", "--out", "kept.jsonl")
    words = ["simulate", "roudalon", "--games", 100000, "--jobs", jobs, "--out", tmp_path / "kept.jsonl", "--force"]
    with Term(*words) as term:
        term.until(lambda: re.search(r"[1-9]\d*/100000", term.text), "a bar")
        term.process.send_signal(number)
        status, printed = term.ends()
        assert status == 128 + number and "Warning" not in printed
    assert [path.name for path in tmp_path.iterdir()] == ["kept.jsonl"]
    assert (tmp_path / "kept.jsonl").read_text() == "kept"


def test_a_device_stays_one(run: Run) -> None:
    run.good("simulate", "roudalon", "--games", 2, "--out", "/dev/null", "--jobs", 1)
    run.good("layout", "--random", 1, "--svg", "/dev/null")
    assert not Path("/dev/null").is_file()


def test_nobody_goes_on_playing_for_a_campaign_that_was_killed(tmp_path: Path) -> None:
    with Term("simulate", "roudalon", "--games", 100000, "--jobs", 2, "--out", tmp_path / "x.jsonl") as term:
        term.until(lambda: re.search(r"[1-9]\d*/100000", term.text), "a bar")
        term.process.kill()
        # The terminal closes when the last of them is gone.
        term.ends()


@pytest.mark.parametrize(
    "words",
    [
        "show record.json --svg @",
        "layout --random 1 --out @",
        "layout --random 1 --svg @",
        "layout --random 1 --out new --svg @",
        "simulate roudalon --games 1 --jobs 1 --out @",
    ][:: sample(4, 1)],
)
def test_a_file_is_overwritten_only_when_that_is_asked_for(run: Run, tmp_path: Path, words: str) -> None:
    (tmp_path / "record.json").write_bytes((ROOT / "tests" / "records" / "d21.json").read_bytes())
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "link").symlink_to("taken")
    for name in ("taken", "link"):
        argv = words.replace("@", name).split()
        assert run.bad(*argv) == f"tablier: {name} is there already; --force overwrites it\n"
    assert (tmp_path / "taken").read_text() == "mine"
    run.good(*argv, "--force")
    assert (tmp_path / "taken").read_text() != "mine" and (tmp_path / "link").is_symlink()
    assert {path.name for path in tmp_path.iterdir()} <= {"record.json", "taken", "link", "new"}


def test_a_file_that_appears_meanwhile_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--force overwrites it"), whole_file("out", force=False) as file:
        file.write("ours")
        (tmp_path / "out").write_text("mine")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "mine")]


# -- show --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def games(run: Run) -> dict[str, Path]:
    """A finished game of each kind, as the records lie in the repository."""
    return {game: ROOT / "tests" / "records" / f"{game}.json" for game in GAMES}


@pytest.mark.parametrize("game", GAMES)
def test_a_position_is_shown_as_a_board_and_a_picture(run: Run, games: dict[str, Path], game: str) -> None:
    out = run.good("show", games[game], "--svg", "board.svg")
    assert "\x1b" not in out and max(map(len, out.splitlines())) <= 80
    (record,) = read_records(str(games[game]))
    assert out.startswith(f"{game_class(game).title}, after {len(record.moves)} of {len(record.moves)} moves, as ")
    assert all(name in out for name in record.players)
    svg = ET.fromstring(Path("board.svg").read_text(encoding="utf-8"))
    assert svg.tag.endswith("svg")
    # At the beginning, and somewhere between.
    assert f"after 0 of {len(record.moves)} moves" in run.good("show", games[game], "--move", 0)
    assert run.good("show", games[game], "--move", 9) != out


def test_secrets_are_shown_to_their_seat_alone(run: Run, games: dict[str, Path]) -> None:
    (record,) = read_records(str(games["struggle"]))
    cards = [move.split()[-1] for move in record.moves if move.startswith("table deal")]
    ply = len(cards)

    def shown(*argv: object) -> set[str]:
        out = run.good("show", games["struggle"], *argv, "--svg", "x.svg", "--force")
        words = [element.text for element in ET.fromstring(Path("x.svg").read_text()).iter() if element.text]
        # In the picture an objective is five pawns: an unknown one is five question marks.
        assert ("?" in words) == (len({card for card in cards if card in out}) < len(cards))
        return {card for card in cards if card in out}

    assert shown("--move", ply) == set()
    for seat, card in enumerate(cards, 1):
        assert shown("--move", ply, "--seat", f"p{seat}") == {card}
        assert shown("--move", seat) == set()  # nor is what was dealt just now
    assert shown() == set(cards)


def test_colours_are_for_terminals(games: dict[str, Path]) -> None:
    with Term("show", games["struggle"], "--move", 30) as term:
        status, printed = term.ends()
        assert status == 0 and "\x1b[" in printed
        assert "secret objective" in term.text


def test_one_record_of_many(run: Run, games: dict[str, Path], tmp_path: Path) -> None:
    both = tmp_path / "both.jsonl"
    both.write_text("".join(games[game].read_text(encoding="utf-8") for game in ("d21", "roudalon")))
    assert run.good("show", both, "--record", 2).startswith("Le Roudalon")
    assert "2 records; say which: --record 1 to 2" in run.bad("show", both)
    for number in (0, 3, -1):
        assert f"--record {number}: allowed: 1 to 2" in run.bad("show", both, "--record", number)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--move", "-1"], "--move -1: the record has"),
        (["--move", "9999"], "allowed: 0 to"),
        (["--seat", "p3"], "--seat 'p3': allowed: p1, p2"),
        (["--seat", "table"], "--seat 'table'"),
        (["--svg", "nowhere/x.svg"], "nowhere/x.svg: No such folder"),
    ],
)
def test_bad_wishes_to_see(run: Run, games: dict[str, Path], tmp_path: Path, argv: list[str], message: str) -> None:
    assert message in run.bad("show", games["d21"], *argv)
    assert not list(tmp_path.iterdir())


def test_records_that_cannot_be_shown(run: Run, tmp_path: Path) -> None:
    assert "none.json: No such file" in run.bad("show", "none.json")
    bad = tmp_path / "bad.json"
    bad.write_text('{"tablier": 1, "game": "d21", "players": ["a", "b"], "moves": ["p1 a1-a2"]}')
    assert "bad.json: record 1: move 1" in run.bad("show", bad, "--svg", "x.svg")
    assert not (tmp_path / "x.svg").exists()


# -- layout ------------------------------------------------------------------------------------------------------------

CIRCLES: dict[str, dict[str, float]] = {
    "red": {"x": 0, "y": 0, "r": 3, "knot_deg": 180},
    "blue": {"x": 4, "y": 0, "r": 3, "knot_deg": 0},
    "green": {"x": 2, "y": 3, "r": 3, "knot_deg": 90},
    "yellow": {"x": 2, "y": -2.5, "r": 3, "knot_deg": 270},
}


def drawing(circles: dict[str, dict[str, float]]) -> str:
    marks = "".join(
        f'<circle cx="{c["x"] * 10}" cy="{c["y"] * 10}" r="{c["r"] * 10}" fill="none" stroke="{line}"/>'
        f'<circle class="knot {line}" cx="{c["x"] * 10 + c["r"] * 10}" cy="{c["y"] * 10}" r="1"/>'
        for line, c in circles.items()
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-50 -70 150 150">{marks}</svg>'


@thorough
def test_drawings_and_circles_and_chance_make_layouts(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.svg").write_text(drawing(CIRCLES))
    (tmp_path / "mine.json").write_text(json.dumps(CIRCLES))
    for words in (["mine.svg"], ["--circles", "mine.json"], ["--random", "3"]):
        out = run.good("layout", *words)
        layout = json.loads(out)
        assert parse_layout(layout).name == ("random-3" if "3" in words else "mine")
        files = ("--out", "out.json", "--svg", "out.svg")
        assert run.good("layout", *words, *files, "--name", "other", "--force") == ""
        written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
        assert written == {**layout, "name": "other"}
        assert rules_of("dicke-daemonen", 2, {"layout": written}).initial()
        ET.fromstring((tmp_path / "out.svg").read_text(encoding="utf-8"))
    assert run.good("layout", "--random", 4) == run.good("layout", "--random", 4) != run.good("layout", "--random", 5)


def test_the_gallery(run: Run) -> None:
    lines = run.good("layout", "--list").splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(layout_names())
    assert next(line.split() for line in lines if line.startswith("ring")) == ["ring", "8", "10", "4", *"6655552222"]


def test_all_faults_of_a_drawing_are_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.svg").write_text(
        drawing({line: CIRCLES[line] for line in ("red", "blue")}).replace('<circle class="knot red"', "<desc")
    )
    err = run.bad("layout", "bad.svg", "--out", "out.json")
    for fault in ("no green loop", "no yellow loop", "red loop around", "has no knot"):
        assert fault in err
    circles = {"red": {"x": 1, "y": True, "r": 0, "knot_deg": "up"}, "blue": 3, "green": CIRCLES["green"], "pink": {}}
    (tmp_path / "bad.json").write_text(json.dumps(circles))
    err = run.bad("layout", "--circles", "bad.json", "--out", "out.json")
    for fault in (
        "there is no yellow circle",
        "unknown colour 'pink'; allowed: red, blue, green, yellow",
        "the blue circle is 3",
        "y of the red circle is True",
        "r of the red circle is 0; it is a number greater than 0",
        "knot_deg of the red circle is 'up'",
    ):
        assert fault in err
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "one of the arguments FILE.svg --circles --random --list is required"),
        (["none.svg"], "none.svg: No such file"),
        (["."], ".: Is a directory"),
        (["text"], "text: not an SVG document"),
        (["latin"], "latin: "),
        (["--circles", "utf16.json"], "utf16.json: begins with the byte order mark of UTF-16"),
        (["--circles", "twice.json"], "twice.json: the key 'red' stands twice in one object"),
        (["--circles", "list"], "list: circles are an object of the four colours"),
        (["--circles", "nan"], "nan: not JSON: NaN is no value of JSON"),
        (["--circles", "endless"], "x of the red circle is inf"),
        (["--random", "x"], "--random"),
        (["--random", "1", "--list"], "not allowed with"),
        (["--random", "1", "--out", "x", "--svg", "nowhere/x"], "nowhere/x: No such folder"),
    ],
)
def test_bad_layouts(run: Run, tmp_path: Path, argv: list[str], message: str) -> None:
    (tmp_path / "text").write_text("Dear diary")
    (tmp_path / "latin").write_bytes(b"\xff\xfe<svg/>")
    (tmp_path / "list").write_text("[]")
    (tmp_path / "nan").write_text(json.dumps({**CIRCLES, "red": {**CIRCLES["red"], "x": float("nan")}}))
    (tmp_path / "endless").write_text((tmp_path / "nan").read_text().replace("NaN", "1e999"))
    (tmp_path / "utf16.json").write_text(json.dumps(CIRCLES), encoding="utf-16")
    (tmp_path / "twice.json").write_text('{"red": {}, "red": {}}')
    before = sorted(tmp_path.iterdir())
    assert message in run.bad("layout", *argv)
    assert sorted(tmp_path.iterdir()) == before
