"""The notes of several models and base rates together: each once, with the models it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from baserate.errors import Note, name_models
from baserate.measures.confusion import note_label_shift

# What changes the answer most is said first.
FIRST = ("BR116",)


def notes_by_model(notes_of: Mapping[str, Sequence[Note]]) -> list[Note]:
    """Return every note once; one that not all models share names its models, and base rates that
    differ are listed together.
    """
    models_of: dict[Note, dict[str, None]] = {}
    for name, notes in notes_of.items():
        for note in notes:
            models_of.setdefault(note, {})[name] = None
    everyone = len(notes_of)
    return merge_notes(
        [
            note if len(names) == everyone else name_models(note, tuple(names))
            for note, names in models_of.items()
        ]
    )


def merge_notes(notes: Sequence[Note]) -> list[Note]:
    """Return the assumption of label shift once, for all base rates that were read; what changes
    the answer most comes first.
    """
    notes = sorted(dict.fromkeys(notes), key=lambda note: note.code not in FIRST)
    shifted = [note for note in notes if "priors" in note.values]
    if len(shifted) < 2:
        return list(notes)
    joined = note_label_shift(
        [prior for note in shifted for prior in note.values["priors"]],
        [sample for note in shifted for sample in note.values["samples"]],
    )
    models = {note.values.get("models", ()) for note in shifted}
    if len(models) == 1 and () not in models:
        joined = name_models(joined, *models)
    rest = [note for note in notes if note not in shifted]
    return [*rest[: notes.index(shifted[0])], joined, *rest[notes.index(shifted[0]) :]]
