"""scripts/try: a recorded session played through an installed pack."""
