"""Pictures for programs that read no SVG: one function around an optional converter (resvg, from its wheel)."""

from __future__ import annotations

from stratagem.errors import MissingExtra

WIDEST = 12_000


def png_of(svg: str, *, zoom: float = 2.0) -> bytes:
    """The picture in *svg* as PNG, *zoom* times as large, but no wider than 12,000 dots.

    Text is set in the fonts of this machine.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError as missing:
        raise MissingExtra("png", needs="resvg-py") from missing
    width = float(svg.partition(' width="')[2].partition('"')[0])
    return bytes(svg_to_bytes(svg_string=svg, zoom=min(zoom, WIDEST / width)))
