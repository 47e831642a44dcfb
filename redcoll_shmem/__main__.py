"""Print the version: ``python -m redcoll_shmem --version``."""

from __future__ import annotations

import argparse
import sys

from redcoll_shmem.constants import SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION, SHMEM_VENDOR_STRING


def main(arguments: list[str] | None = None) -> int:
    """Print the version or the help, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m redcoll_shmem", description="SHMEM for Python, on redcoll."
    )
    version = f"{SHMEM_VENDOR_STRING}, OpenSHMEM {SHMEM_MAJOR_VERSION}.{SHMEM_MINOR_VERSION}"
    parser.add_argument("--version", action="version", version=version)
    parser.parse_args(arguments)
    parser.print_help()
    return 0


if __name__ == "__main__":
    sys.exit(main())
