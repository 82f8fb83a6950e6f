"""What runs in worker processes: plain functions of plain data, each with *tell* for what happens on the way.

Nothing here knows of pages. Games are kept from one question to the next, because a worker serves one game.
"""
