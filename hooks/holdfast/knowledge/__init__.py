"""The hierarchy of knowledge: documents of four levels, built from the memory's records and the repository."""
