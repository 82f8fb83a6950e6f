"""Without its library an adapter says in one sentence what to install, and nothing heavy is imported before."""

from __future__ import annotations

import subprocess
import sys

import pytest

LIBRARIES = {
    "gymnasium": ("gymnasium", "rl"),
    "pettingzoo": ("pettingzoo", "rl"),
    "open_spiel": ("open_spiel", "open-spiel"),
    "jax": ("jax", "jax"),
    "register": ("gymnasium", "rl"),
}
MODULES = ("gymnasium", "pettingzoo", "pyspiel", "jax")
PROGRAM = """
import sys
for name in {modules!r}:
    sys.modules[name] = None
import stratagem as st
try:
    st.adapters.{function}({argument})
except st.errors.MissingExtra as missing:
    print(missing)
"""


@pytest.mark.parametrize("function", LIBRARIES)
def test_a_missing_extra_is_one_sentence(function: str):
    argument = "" if function == "register" else "st.load('tictactoe')"
    program = PROGRAM.format(modules=MODULES, function=function, argument=argument)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    package, extra = LIBRARIES[function]
    assert done.stdout.strip() == (
        f"this needs the package {package}, which is not installed; install it with: pip install 'stratagem[{extra}]'"
    )


def test_nothing_is_imported_before_it_is_used():
    program = (
        "import sys, stratagem as st; st.adapters.gymnasium; st.load('tictactoe').batch(1).observations();"
        f"print([name for name in {MODULES!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
