"""Finding texts by a question: words, days, candidates, scores. Pure; search/sqlite.py keeps what they need."""
