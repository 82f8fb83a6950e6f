"""A sheet for the reasoner alone: two moves in every position, and more than five thousand million ground moves."""

from __future__ import annotations

WIDE = """
(role me) (role you) (legal you yes) (legal you no) (init (a 1)) (init (b 1)) (init (c 1)) (init (d 1)) (init (e 1))
(<= (legal me (go ?a ?b ?c ?d ?e)) (true (a ?a)) (true (b ?b)) (true (c ?c)) (true (d ?d)) (true (e ?e)))
(<= (legal me stay) (true (a ?a)))
(<= (next (a ?m)) (does me (go ?a ?b ?c ?d ?e)) (after ?b ?m))
(<= (next (b ?m)) (does me (go ?a ?b ?c ?d ?e)) (after ?c ?m))
(<= (next (c ?m)) (does me (go ?a ?b ?c ?d ?e)) (after ?d ?m))
(<= (next (d ?m)) (does me (go ?a ?b ?c ?d ?e)) (after ?e ?m))
(<= (next (e ?m)) (does me (go ?a ?b ?c ?d ?e)) (after ?a ?m))
(<= (next (a ?n)) (does me stay) (true (a ?n))) (<= (next (b ?n)) (does me stay) (true (b ?n)))
(<= (next (c ?n)) (does me stay) (true (c ?n))) (<= (next (d ?n)) (does me stay) (true (d ?n)))
(<= (next (e ?n)) (does me stay) (true (e ?n)))
(<= terminal (true (a 90))) (goal me 50) (goal you 50)
""" + " ".join(f"(after {number} {number + 1})" for number in range(1, 90))
