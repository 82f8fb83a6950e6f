"""The strength laboratory: players in processes of their own, at equal processor time, and what their matches show."""
