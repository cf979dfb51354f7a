"""The games for other people's programs: PettingZoo environments and OpenSpiel games.

Extras: ``pip install 'tablier[adapters]'``. Nothing else of the package imports them. What they add to the rules, and
where they must simplify, is told in ``README.md`` beside this file.

Behind both stands a game's encoding (:func:`tablier.games.encoding_of`), which knows neither library: the game in turn
order, with numbered actions.
"""
