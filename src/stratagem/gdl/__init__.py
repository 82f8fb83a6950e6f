"""Text to checked rules: readers for KIF and HRF, terms, the checker, printers. Internal."""
