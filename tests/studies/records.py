"""What was recorded of the studies, claim by claim."""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "evidence" / "studies"
CELL = re.compile(r"table2-[a-z]+-[a-z]+-0\.\d+")  # of Landgrebe's Table 2


def recorded(name):
    return {
        claim["id"]: claim for claim in json.loads((FOLDER / f"{name}.json").read_text())["claims"]
    }
