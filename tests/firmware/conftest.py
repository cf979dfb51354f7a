import pytest
from tests.firmware.desk import LOG, Desk
from tests.firmware.raw import RawHost


@pytest.fixture
def desk():
    """A table that a host has greeted, in virtual time; the same in every run."""
    it = Desk()
    yield it
    it.close()


@pytest.fixture
def make_desk():
    """Make tables, with other seeds or not greeted yet."""
    made = []

    def make(*args, **kwargs):
        made.append(Desk(*args, **kwargs))
        return made[-1]

    yield make
    for it in made:
        it.close()


@pytest.fixture
def stranger(make_desk):
    """A host of its own at a table that nobody has greeted."""
    desk = make_desk(open=False)
    for tester in desk._joined:
        tester.close()
    it = RawHost(desk.table)
    it.desk = desk
    yield it
    it.close()


@pytest.fixture
def raw(stranger):
    """A host of its own that a table has adopted."""
    stranger.hello(log=LOG)
    stranger.listen()
    return stranger
