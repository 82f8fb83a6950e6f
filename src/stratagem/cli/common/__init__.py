"""Options, output, progress and tables that commands share."""
