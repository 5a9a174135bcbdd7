"""What verbs return: plain values that pickle and compare."""
