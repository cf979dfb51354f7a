import pytest
from desk import Desk


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
