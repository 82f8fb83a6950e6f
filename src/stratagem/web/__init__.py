"""The workbench: pages in the browser to play games, watch searches, write rules and replay matches. Internal.

    app/           the server, addresses, limits, and what all pages have in common
    pages/         one module for each page
    widgets/       parts of pages
    match/         one live match of a visitor, without any page; the engine bar; the archive
    workers/       worker processes with limits on time and memory, and their scheduler
    tasks/         what runs in worker processes: plain functions of plain data
    course/        the chapters of the course
    assets/        style sheet and scripts

Input from visitors is not trusted: rule sheets are read in worker processes with limits on time and memory, and all text
is escaped where it is shown. Large modules are imported when a page first needs them.
"""
