"""Large tool results, replaced by what matters of them."""
