"""The games for other people's programs: PettingZoo environments and OpenSpiel games.

Extras: ``pip install 'tablier[adapters]'``. Nothing else of the package imports them. What they add to the rules, and
where they must simplify, is told in ``README.md`` beside this file.

* :mod:`tablier.adapters.forms`: the games in turn order, with numbered actions; knows neither library.
* :mod:`tablier.adapters.pettingzoo`, :mod:`tablier.adapters.openspiel`: that form behind the two interfaces.
"""
