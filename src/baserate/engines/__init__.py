"""Where data enter: each engine turns one kind of source into counts."""
