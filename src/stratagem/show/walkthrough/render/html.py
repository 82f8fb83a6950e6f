"""A search as one self-contained HTML page.

The walkthrough is embedded as JSON and never becomes markup or code. The content security policy of the page allows
exactly its one script and its one style, and no network access.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from stratagem.show.walkthrough.model import Walkthrough
from stratagem.show.walkthrough.render.json import walkthrough_data

SCRIPTS = ("walkthrough.js", "layout.js", "camera.js", "tree.js", "panels.js", "view.js")
BODY = "html, body { height: 100%; margin: 0; }"


def page_of(walkthrough: Walkthrough) -> str:
    """The page of *walkthrough*."""
    script = _scoped(page_script(), _asset("start.js"))
    style = f"{BODY}\n{page_style()}"
    policy = (
        f"default-src 'none'; script-src {_fingerprint(script)}; style-src {_fingerprint(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    data = walkthrough_data(walkthrough)
    name = escape(" · ".join(part for part in (data["title"], walkthrough.label) if part))
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        "<main><noscript>This page shows a search step by step, and needs JavaScript to do so.</noscript></main>\n"
        f'<script type="application/json" id="walkthrough">{embedded(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def page_script() -> str:
    """The script that defines ``Stratagem.explain(element, data)``, for embedding in other pages."""
    return "\n".join(map(_asset, SCRIPTS))


def page_style() -> str:
    """Its style sheet, scoped to the elements that show a walkthrough."""
    return _asset("explain.css")


def embedded(data: Any) -> str:
    """*data* as JSON that can stand in a script element: nothing in it ends the element or begins another.

    >>> embedded("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


@cache
def _asset(name: str) -> str:
    return files("stratagem.show.walkthrough.render.page").joinpath(name).read_text(encoding="utf-8")


def _scoped(*scripts: str) -> str:
    return '(() => {\n"use strict";\n' + "\n".join(scripts) + "\n})();"


def _fingerprint(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
