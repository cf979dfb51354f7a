"""The commands as people type them: mistyped, in any order, completed by a shell; their help and their manual page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.catalogue import catalogue

from cli.term import Term
from tablier.archive.database import Archive
from tablier.cli.contents import SECTIONS
from tablier.cli.main import build_parser, main
from tablier.cli.manual import manual
from tablier.cli.parsing import commands_of
from tablier.course.seats import Seat
from tablier.games import GAMES, game_called, game_class
from tablier.games.core import OptionError
from tablier.log.store import Log
from tablier.play.beginning import begin

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TABLIER_LOG", str(tmp_path / "log.db"))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path / "log.db"


def run(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    """Run a command; return what it printed, or its one line of complaint."""
    assert main(list(words)) == status
    out, err = capsys.readouterr()
    if status:
        assert out == "" and err.count("\n") == 1
    return str(err if status else out)


# -- mistyped ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "meant", "where"),
    [
        ("plya", "play", "tablier"),
        ("log shwo", "show", "tablier log"),
        ("standings", "'tablier log standings'", "tablier"),
        ("rename x", "'tablier people rename' or 'tablier archive rename'", "tablier"),
        ("log list --lgo", "--log", "tablier log list"),
        ("show x --sgv y", "--svg", "tablier show"),
        ("play dilema", "dilemma", ""),
        ("play dilemma --seat Anne=stong", "strong", ""),
        ("simulate d21 --seats gredy greedy", "greedy", ""),
        ("play struggle --option frist=p1", "first", ""),
    ],
)
def test_a_mistyped_word_is_guessed(
    log: Path, capsys: pytest.CaptureFixture[str], words: str, meant: str, where: str
) -> None:
    complaint = run(capsys, *words.split(), status=2)
    assert f"did you mean {meant}?" in complaint
    assert not where or f"(try '{where} --help')" in complaint
    assert not log.exists()


def test_a_mistyped_name_is_guessed(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Log.open(log) as opened:
        opened.person("Bernard")
    assert "did you mean Bernard?" in run(capsys, "people", "forget", "bernhard", status=2)


def test_what_resembles_nothing_is_answered_by_all_there_is(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    complaint = run(capsys, "xyzzy", status=2)
    assert "did you mean" not in complaint and "there are: play, resume, evening" in complaint


@pytest.mark.parametrize(
    ("words", "possible"),
    [
        ("completion", "SHELL is one of bash, zsh, fish (try"),
        ("log", "ACTION is one of list, standings, show,"),
        ("rules", "GAME is one of d21, dicke-daemonen,"),
    ],
)
def test_a_missing_word_is_answered_by_what_is_possible(
    log: Path, capsys: pytest.CaptureFixture[str], words: str, possible: str
) -> None:
    assert possible in run(capsys, *words.split(), status=2)


def test_an_error_is_one_line_however_wide_the_terminal() -> None:
    with Term("help", "nonsense") as term:
        status, printed = term.ends()
    assert status == 2 and printed.count("\n") == 1
    assert printed.endswith("completion, man (try 'tablier --help')\n")


@pytest.mark.parametrize(
    ("typed", "game"),
    [
        ("daemonen", "dicke-daemonen"),
        ("Dämonen", "dicke-daemonen"),
        ("d.21", "d21"),
        ("dil", "dilemma"),
        ("Le Roudalon", "roudalon"),
        *((name, name) for name in GAMES),
        *((game_class(name).title, name) for name in GAMES),
    ],
)
def test_a_game_has_short_names(typed: str, game: str) -> None:
    assert game_called(typed) == game


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("d", "'d' can be d21, dicke-daemonen or dilemma"),
        ("", "name a game: d21, dicke-daemonen, dilemma, roudalon, struggle"),
        ("-", "no game '-'"),
        ("chess", "no game"),
    ],
)
def test_a_short_name_of_several_games_is_refused(typed: str, message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        game_called(typed)


# -- in any order ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "--seed 1 --jobs 1 simulate roudalon --games 2",
        "simulate --games 2 roudalon --seed 1 --jobs 1",
        "--seats greedy greedy greedy greedy --seed=1 simulate roud --jobs 1 --games 2",
    ],
)
def test_options_may_stand_before_their_command(log: Path, capsys: pytest.CaptureFixture[str], words: str) -> None:
    expected = run(capsys, *["simulate", "roudalon", "--games", "2", "--seed", "1", "--jobs", "1"])
    assert re.sub(" in .*", "", run(capsys, *words.split())) == re.sub(" in .*", "", expected)


@pytest.mark.parametrize("words", ["--log show log list", "log --log show list", "log list --log show"])
def test_a_value_that_is_called_like_a_command_is_a_value(
    log: Path, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    Log.open(Path("show")).close()
    assert run(capsys, *words.split()) == "No game was played yet.\n"


# -- help --------------------------------------------------------------------------------------------------------------


def test_help_is_what_commands_say_themselves(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys) == run(capsys, "help") == run(capsys, "--help")
    assert (
        run(capsys, "help", "log", "show")
        == run(capsys, "log", "show", "--help")
        == run(capsys, "--help", "log", "show")
    )
    assert "no commands of its own" in run(capsys, "help", "play", "dilemma", status=2)


def test_every_command_stands_in_one_section_each_with_an_example(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = commands_of(build_parser())
    assert inner is not None
    assert sorted(name for section in SECTIONS for name in section.commands) == sorted(inner.choices)
    page = run(capsys, "--help")
    assert max(map(cell_len, page.splitlines())) <= 80
    for section in SECTIONS:
        assert f"\n{section.title}:\n" in page and f"$ {section.example}\n" in page
        build_parser().parse_args(str(section.example).split()[1:])


def test_the_help_of_a_game_lists_its_options(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("play", "simulate"):
        page = " ".join(run(capsys, "help", command).split())
        assert "d21: max_plies moves, passes included" in page and "roudalon: first the seat that plays first" in page
    assert "max_plies" not in run(capsys, "help", "rules")


def test_the_manual_is_read_page_by_page(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = [line.split(maxsplit=1) for line in run(capsys, "manual").splitlines()]
    assert ["evening", "An evening"] in listed and ["bots", "Write a bot"] in listed
    for name, title in listed:
        page = run(capsys, "manual", name)
        assert title in " ".join(page.split()) and "\x1b" not in page
        assert max(map(cell_len, page.splitlines())) <= 80
    club = " ".join(run(capsys, "manual", "club").split())
    assert "(tablier manual evening)" in club and "evening.md" not in club
    assert "did you mean evening?" in run(capsys, "manual", "evenin", status=2)


def test_a_page_that_is_there_in_the_language_of_its_reader_is_shown_in_it(
    log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "en")  # which --lang sets
    assert run(capsys, "manual", "club", "--lang", "fr") != run(capsys, "manual", "club", "--lang", "en")


def test_the_manual_page_lists_what_the_environment_can_say() -> None:
    page = manual(build_parser()).replace(r"\-", "-")
    sources = [path.read_text() for path in (ROOT / "host" / "tablier").rglob("*.py")]
    used = set(re.findall(r'"(TABLIER_[A-Z0-9_]+)"', "".join(sources)))
    assert used and all(rf"\fB{name}\fR" in page for name in used)
    for heading in ("EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"):
        assert f".SH {heading}\n" in page


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_of_a_game_fit_80_columns(log: Path, capsys: pytest.CaptureFixture[str], game: str) -> None:
    page = run(capsys, "rules", game)
    assert game_class(game).title in page and "\x1b" not in page
    assert max(map(cell_len, page.splitlines())) <= 80 and len(page.splitlines()) > 30


NO_LOG_KNOWN = {
    "archive/questions.py",
    "bots/fingerprint.py",
    "report/games.py",
    "service/selftest.py",
    "cli/show.py",
    "cli/table.py",
}
"""They know no log. A copy ('log backup') is made of another one than that which is read."""
TO_BROWSERS = {"web/archive.py", "web/history_pages.py", "web/table.py", "web/words.py"}
"""Whose reader may sit at another computer, and is told no path of this one."""


def test_a_command_that_a_message_names_finds_the_same_log() -> None:
    named = re.compile("'tablier (?:attach|evening|invite|keeper|log (?!backup)|people|play|resume|web)[^']*'")
    for message, files in catalogue().messages.items():
        for command in () if message.context == "help" else named.findall(message.template + message.one):
            told = any(word in command for word in ("{log}", "{option}", "--log "))
            assert told or set(files) <= NO_LOG_KNOWN | TO_BROWSERS, f"{files}: {command}"


def test_the_manual_page_tells_every_command_and_option() -> None:
    parser = build_parser()
    page = manual(parser)
    plain = page.replace(r"\-", "-").replace(r"\(aq", "'")

    def look(parser: object, prog: str) -> None:
        inner = commands_of(parser)  # type: ignore[arg-type]
        for word, each in inner.choices.items() if inner else ():
            look(each, f"{prog} {word}")
            section = plain.partition(f'.SS "{prog} {word}')[2].partition(".SS ")[0]
            options = [option for action in each._actions for option in action.option_strings]
            assert commands_of(each) or all(
                rf"\fB{option}\fR" in section for option in options if option[1:] not in ("h", "-help")
            )

    look(parser, "tablier")
    assert "dicke-daemonen" in plain and "%" not in plain
    if man := shutil.which("groff"):
        done = subprocess.run([man, "-man", "-Tutf8", "-ww", "-Kutf8"], input=page, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "") and "TABLIER(1)" in done.stdout


# -- completion --------------------------------------------------------------------------------------------------------


def completions(log: Path, line: str) -> set[str]:
    """Return what is offered at the end of a line, as a shell asks for it."""
    answer = log.parent / "answer"
    more = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n"}
    more |= {"_ARGCOMPLETE_STDOUT_FILENAME": str(answer), "_ARGCOMPLETE_SUPPRESS_SPACE": "1"}
    words = [sys.executable, "-m", "tablier.cli.main"]
    done = subprocess.run(words, env={**os.environ, **more}, capture_output=True, text=True, cwd=log.parent)
    assert (done.stdout, done.stderr) == ("", "")
    return set(answer.read_text().splitlines())


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tablier pl", {"play"}),
        ("tablier play d", {"d21", "dicke-daemonen", "dilemma"}),
        ("tablier help log li", {"list"}),
        ("tablier log export --out rec", {"record.json"}),
        ("tablier people forget B", {"Bernard"}),
        ("tablier people take old.db B", {"Bert"}),
        ("tablier stats --archive clubs.sqlite --club B", {"Beaune"}),
        ("tablier archive rename --archive clubs.sqlite B", {"Beaune"}),
        ("tablier stats --archive none.sqlite --club B", set()),
        ("tablier completion ", {"bash", "zsh", "fish"}),
        ("tablier manual ev", {"evening"}),
        ("tablier play d21 --seat Anne=s", {"Anne=screen", "Anne=strong"}),
        ("tablier evening --bot Zoe@2=gr", {"Zoe@2=greedy"}),
        ("tablier simulate d21 --seats gr", {"greedy"}),
        ("tablier resume ", {"2", "1"}),
        ("tablier log show ", {"2", "1"}),
        ("tablier log abandon ", {"2", "1"}),
        ("tablier log analyse ", {"2", "1"}),
        ("tablier log show --evening ", {"2", "1"}),
    ],
)
def test_a_shell_is_told_what_can_be_typed(log: Path, line: str, offered: set[str]) -> None:
    (log.parent / "record.json").touch()
    with Log.open(log) as opened:
        opened.person("Bernard")
        for _ in range(2):
            begin(opened, "d21", {}, [Seat("Bernard", 0, "screen"), Seat("Zoe", 0, "greedy")])
    with Log.open(log.parent / "old.db") as other:
        other.person("Bert")
    if "sqlite" in line:
        with Archive.open(log.parent / "clubs.sqlite", create=True) as archive, archive.writing("Beaune"):
            pass
    assert {word.strip() for word in completions(log, line)} == offered


SHELLS = {
    "bash": "source completions; COMP_WORDS=(tablier pl); COMP_CWORD=1; COMP_LINE='tablier pl'; COMP_POINT=10;"
    " _python_argcomplete tablier; echo ${COMPREPLY[@]}",
    "fish": "source completions; complete --do-complete 'tablier pl'",
}


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_the_shells_understand_what_is_printed(log: Path, capsys: pytest.CaptureFixture[str], shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    Path("completions").write_text(run(capsys, "completion", shell))
    code = SHELLS.get(shell, "autoload -U compinit; compinit -u -d dump; source completions; echo $_comps[tablier]")
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(log.parent)}
    done = subprocess.run([program, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.split()[:1] == [{"zsh": "_python_argcomplete"}.get(shell, "play")], done.stderr


@pytest.mark.parametrize(
    ("line", "offered"),
    [("tablier manual so", ["soirée"]), ("tablier log sh", ["show"]), ("tablier play dil", ["dilemma"])],
)
def test_bash_completes_in_the_language_of_its_reader(
    log: Path, capsys: pytest.CaptureFixture[str], line: str, offered: list[str]
) -> None:
    Path("completions").write_text(run(capsys, "completion", "bash"))
    words = f"COMP_WORDS=({line}); COMP_CWORD={line.count(' ')}; COMP_LINE='{line}'; COMP_POINT={len(line)};"
    code = f"source completions; {words} _python_argcomplete tablier; echo ${{COMPREPLY[@]}}"
    environment = {**os.environ, "LANGUAGE": "fr", "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(log.parent)}
    done = subprocess.run(["bash", "-c", code], capture_output=True, encoding="utf-8", env=environment)
    assert (done.stdout.split(), done.stderr) == (offered, "")


@pytest.mark.parametrize("words", [("rules", "d21"), ("rules", "d12")])
def test_a_terminal_of_ascii_alone_gets_signs_that_it_shows(words: tuple[str, ...]) -> None:
    with Term(*words, LC_ALL="C", PAGER="cat") as term:
        status, printed = term.ends()
    assert printed.isascii() and "\\" not in printed
    assert (status, "10 x 10" in printed) == (2 if "d12" in words else 0, words == ("rules", "d21"))
