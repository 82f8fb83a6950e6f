"""The two notations, KIF and HRF: syntax trees, readers and printers."""
