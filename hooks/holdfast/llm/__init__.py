"""Adapters to tokenizers and language models; everything here may be absent at run time."""
