"""Finding texts by a question: words, days, candidates, scores. Pure; store/index.py keeps what they need."""
