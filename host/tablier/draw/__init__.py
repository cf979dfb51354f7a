"""Pictures of positions, in the terminal and as SVG.

A picture is made from a *view* (``Rules.view``), never from a state: what a view does not hold cannot be drawn, so a
picture for a seat or a spectator cannot show another's secret. Each game has a module here, of the same name, with

* ``text(rules, view, names) -> rich.text.Text``: a board for a terminal, at most 78 columns wide and 16 lines high;
* ``svg(rules, view, names) -> str``: an SVG document.

``names`` are the players' names by seat, first seat first.
"""
