"""The workbench: rooms in the browser in which games are played, searches watched, rules written and matches replayed.

    server.py      starts everything; `stratagem workbench` calls it
    rooms/         one module for each room: what is on the page
    table.py       a match of one visitor, without any page
    tasks/         what runs in worker processes: plain functions of plain data
    house.py       who works for whom: a process for every game in use, turns for heavy work
    desks.py       one worker process with limits on time and memory
    address.py     rooms and their state as addresses
    shell.py       what all pages have: the bar at the top, the theme, the style
    assets/        style sheet and scripts, served by ourselves

Nothing that a visitor writes is trusted: sheets are read in worker processes with limits, and all text is escaped
where it is shown. Nothing heavy is imported before a page asks for it.
"""
