"""Worker processes of the workbench and their scheduler."""
