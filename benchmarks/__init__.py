"""Measurements against yardsticks in the same run: ``python -m benchmarks`` runs them all.

Each module has a ``main()`` that prints numbers and checks a signature: that the work was really done.
"""
