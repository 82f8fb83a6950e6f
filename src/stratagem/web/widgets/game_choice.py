"""A card to choose a game, its sizes, or an own rule sheet."""

from __future__ import annotations

from nicegui import events, ui

from stratagem import sheets as games
from stratagem.errors import StratagemError
from stratagem.gdl.header import Header, header_of
from stratagem.gdl.text.files import guess_syntax
from stratagem.gdl.text.syntax import Source
from stratagem.web.app import shell
from stratagem.web.app.address import Sheet, address, checked
from stratagem.web.app.limits import SHEET_CHARACTERS
from stratagem.web.workers.scheduler import Scheduler


def game_chooser(scheduler: Scheduler, sheet: Sheet, path: str) -> None:
    """The card; a choice opens *path* with it."""
    with ui.element("section").classes("card no-print"), ui.element("div").classes("flow"):
        titles = {name: games.header(name).title or name for name in games.names()}
        choice = ui.select(
            titles,
            value=sheet.name or None,
            label="Game",
            with_input=True,
            on_change=lambda event: chosen(event.value),
        )
        choice.props("outlined dense options-dense").classes("field wide")
        sizes = header(sheet).sizes
        chosen_sizes = dict(sheet.sizes)
        fields = {
            name: ui.number(
                name, value=chosen_sizes.get(name, size.default), min=size.least, max=size.most, step=1
            )
            .props("outlined dense debounce=600")
            .classes("field")
            for name, size in sizes.items()
        }

        def resize() -> None:
            wanted = []
            for name, field in fields.items():
                size = sizes[name]
                if field.value is None or not size.least <= field.value <= size.most:
                    shell.say(f"{name} goes from {size.least} to {size.most}", "warning")
                    return
                if int(field.value) != size.default:
                    wanted.append((name, int(field.value)))
            ui.navigate.to(address(path, Sheet(sheet.name, sheet.text, tuple(sorted(wanted))).query()))

        for field in fields.values():
            field.on_value_change(resize)
        sheet_upload(path)
        ui.link("All games with pictures", "/").classes("small")

    def chosen(name: object) -> None:
        if isinstance(name, str) and name in titles and name != sheet.name:
            ui.navigate.to(address(path, {"game": name}))


def header(sheet: Sheet) -> Header:
    """The header of a sheet; empty if it cannot be read."""
    if sheet.name:
        return games.header(sheet.name)
    try:
        return header_of(Source(sheet.text, syntax=guess_syntax(sheet.text)))
    except StratagemError:
        return Header()


def sheet_upload(path: str) -> None:
    """A drop zone for a rule sheet."""

    async def received(event: events.UploadEventArguments) -> None:
        if event.file.size() > 4 * SHEET_CHARACTERS:
            shell.say(
                f"This file has {event.file.size():,} bytes; a sheet may have {4 * SHEET_CHARACTERS:,}.",
                "warning",
            )
            upload.reset()
            return
        try:
            text = checked((await event.file.read()).decode("utf-8"))
        except UnicodeDecodeError:
            shell.say("This file is not text in UTF-8.", "warning")
            upload.reset()
            return
        except StratagemError as refused:
            shell.refuse(refused)
            upload.reset()
            return
        ui.navigate.to(address(path, Sheet(text=text).query()))

    upload = ui.upload(
        label="Drop a rule sheet (.kif, .hrf)",
        auto_upload=True,
        max_files=1,
        max_file_size=4 * SHEET_CHARACTERS,
        on_upload=received,
        on_rejected=lambda: shell.say(
            f"A sheet may have {4 * SHEET_CHARACTERS:,} bytes and must be text.", "warning"
        ),
    )
    upload.props('accept=".kif,.hrf,.gdl,.txt" flat bordered').classes("sheet-drop")
