"""How much a summary and the restored text keep."""
