"""Trees and search graphs as SVG."""
