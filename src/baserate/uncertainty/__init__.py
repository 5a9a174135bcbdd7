"""How well is a number known, and is one model really better? Every interval says by which method it was made."""
