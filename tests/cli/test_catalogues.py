"""The catalogues of every language have what they must have, and nothing else."""

from __future__ import annotations

import re

import pytest
from tests.catalogue import forms_of, names_of_catalogues, po_file, read, template_of

from tablier import languages

TAGS = sorted(languages._included())


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("name", names_of_catalogues())
def test_a_catalogue_lacks_nothing_and_has_nothing_else(tag: str, name: str) -> None:
    """``make catalogues`` writes what is missing."""
    found = {(each.context, each.id): each for each in read(po_file(name, tag), tag) if each.id}
    wanted = {(each.context, each.id) for each in template_of(name) if each.id}
    left = [key for key, each in found.items() if each.fuzzy or not all(forms_of(each))]
    assert (sorted(wanted - set(found), key=str), sorted(set(found) - wanted, key=str), left) == ([], [], [])
    for each in found.values():
        for form in forms_of(each):
            assert fields(form) <= fields(*each.id if isinstance(each.id, tuple) else (each.id,)), each.id
        assert fields(*forms_of(each)) >= fields(*(each.id if isinstance(each.id, tuple) else (each.id,))), each.id


def fields(*forms: str) -> set[str]:
    """Return the arguments of some forms, those of argparse as well; the number may be left out."""
    return {field for form in forms for field in re.findall(r"\{\w+\}|%\(\w+\)\w", form.replace("{{", ""))} - {
        "{count}"
    }
