"""The games for other people's programs: PettingZoo environments and OpenSpiel games.

They need the extra ``adapters``. Nothing else of the package imports them. ``README.md`` beside this file
tells what they add to the rules and what they simplify.

Both use a game's encoding (:func:`tablier.games.encoding_of`), which knows neither library: the game in turn order,
with numbered actions.
"""
