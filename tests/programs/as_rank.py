"""
Run ``python ARGUMENTS`` as one rank of a job.

The command is ``python as_rank.py LOGS ARGUMENTS``. The rank's output goes to ``LOGS/rank-N.log``.
The rank's number replaces ``{rank}`` in the arguments, and in the values of variables whose names
start with ``REDCOLL_``.
"""

import os
import sys
from pathlib import Path

RANK_VARIABLES = ("PMIX_RANK", "PMI_RANK")

if __name__ == "__main__":
    logs, *arguments = sys.argv[1:]
    rank = next((os.environ[name] for name in RANK_VARIABLES if name in os.environ), "0")
    with Path(logs, f"rank-{rank}.log").open("w", encoding="utf-8") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.execv(sys.executable, [sys.executable, *(a.replace("{rank}", rank) for a in arguments)])
