"""What a word for a player stands for: a player of ours, or the address of one on the network.

stratagem, uct, random ...     a player of ours
localhost:9147, [::1]:9147     an address
http://localhost               an address with the usual port; a host alone must be written like this, since
                               a player whose name is misspelt would be one too
"""

from __future__ import annotations

import difflib

from stratagem.errors import UsageError
from stratagem.ggp.manager.client import DEFAULT_PORT, Address
from stratagem.play.players import PLAYERS, is_player


def player_or_address(text: str) -> Address | None:
    """The address in *text*, None for the name of a player of ours; whatever is neither is refused.

    >>> player_or_address("uct"), player_or_address("localhost:9147")
    (None, Address(host='localhost', port=9147, path='/'))
    """
    if is_player(text):
        return None
    if ":" in text:
        return Address.of(text)
    close = difflib.get_close_matches(text.lower(), PLAYERS, n=1)
    meant = f"did you mean {close[0]}? " if close else f"there are {', '.join(PLAYERS)}; "
    raise UsageError(
        f"no player called {text!r}",
        hint=f"{meant}a player on the network is written host:port, as in {text or 'localhost'}:{DEFAULT_PORT}",
    )
