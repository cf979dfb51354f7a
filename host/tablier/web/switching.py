"""The switch of languages on every page: which one a browser reads is kept in a cookie of its own."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tablier.html.elements import Markup, tag
from tablier.keeper.client import KeeperError
from tablier.languages import find_language, languages, name_of
from tablier.texts import Text, language, render
from tablier.web.browsers import Browsers
from tablier.web.doors import SWITCH, Refused, read_body

_KEPT_S = 365 * 86400
NO_LANGUAGE = Text("There is no such language.")


def switch(request: Request) -> Markup | None:
    """Return the buttons of the other languages; ``None`` where there are none."""
    others = [(tag_, each) for tag_, each in languages().items() if each is not language()]
    if not others:
        return None
    query = f"?{request.url.query}" if request.url.query else ""
    back = request.url.path + query if request.method == "GET" else "/"
    return tag(
        "form",
        tag("input", type="hidden", name="back", value=back),
        *(tag("button", name_of(each), name="to", value=tag_, lang=tag_) for tag_, each in others),
        method="post",
        action="/language",
        class_="languages",
        aria_label=render(Text("Language")),
    )


class SwitchPage:
    """Answers when a browser switches to another language."""

    def __init__(self, browsers: Browsers) -> None:
        self._browsers = browsers

    def routes(self) -> list[Route]:
        return [Route("/language", self.change, methods=["POST"])]

    async def change(self, request: Request) -> Response:
        """Keep the language that is chosen, and lead back to the page."""
        form = parse_qs((await read_body(request)).decode("utf-8", "replace"))
        to, back = form.get("to", [""])[0], form.get("back", ["/"])[0]
        chosen = find_language(to) if to else None
        if chosen is None or not back.startswith("/") or back.startswith(("//", "/\\")):
            raise Refused(400, NO_LANGUAGE)
        browser = self._browsers.of(request)
        for evening, person in browser.people:
            with suppress(KeeperError, Refused):  # of an evening that is over
                visit = await self._browsers.visit(browser)
                asked = {"evening": evening, "person": person, "language": chosen.tag}
                if visit is not None:
                    await visit.call("speak", asked)
        response = RedirectResponse(back, 303)
        keep(request, response, chosen.tag)
        return response


def keep(request: Request, response: Response, tag: str) -> None:
    """Have a browser keep a language."""
    secure = request.url.scheme == "https"
    response.set_cookie(SWITCH, tag, max_age=_KEPT_S, httponly=True, samesite="strict", secure=secure, path="/")


def keep_of_person(request: Request, response: Response, tag: object) -> None:
    """Have a browser that was not switched to any language keep the one in which its person reads."""
    if isinstance(tag, str) and SWITCH not in request.cookies and (known := find_language(tag)) is not None:
        keep(request, response, known.tag)


__all__ = ["NO_LANGUAGE", "SwitchPage", "keep_of_person", "switch"]
