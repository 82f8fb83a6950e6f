"""Executors: where long work runs. The interface alone; `stratagem.cluster` has those that there are."""
