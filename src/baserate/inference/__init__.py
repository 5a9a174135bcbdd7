"""How well is a number known, and is one model really better? Every interval names its method."""
