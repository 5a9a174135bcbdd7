"""The sources reproduced, claim by claim: what each says, what comes out here, and an honest
verdict.

>>> from baserate_studies import Claim
>>> Claim("f", ("S6",), 0.62, 2 / 3, 0.005, "as printed", errata=("B13",)).verdict
'erratum'
"""

from baserate_studies.catalogue import STUDIES, study
from baserate_studies.claims import Claim
from baserate_studies.fetching import fetch_uci
from baserate_studies.uci import load_uci
from baserate_studies.values import Study

__all__ = ["STUDIES", "Claim", "Study", "fetch_uci", "load_uci", "study"]
