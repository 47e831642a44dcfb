"""Build the compiled kernel where that is possible; all else stands in pyproject.toml."""

import os
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

FOLDER = Path("redcoll/kernels/_compiled")


class BuildOptional(build_ext):
    """Build extensions, and say what it means for a user when one could not be built."""

    def finalize_options(self) -> None:
        """Compile on all cores."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extension(self, ext: Extension) -> None:
        """Build one extension; where that fails, setuptools goes on, as it is optional.

        An editable install leaves it among the sources, where the environments of all MPI
        libraries share it: it is built again only after a change.
        """
        made_of = [*ext.sources, *ext.depends]
        if self.editable_mode and not newer_group(made_of, self.get_ext_filename(ext.name)):
            return
        try:
            super().build_extension(ext)
        except Exception:
            self.warn(
                f"{ext.name} could not be built (are there a C++ compiler and Python.h?); "
                "redcoll works without it, on its NumPy kernel, only slower"
            )
            raise


headers = [str(path) for kind in ("hpp", "pxd") for path in sorted(FOLDER.glob(f"*.{kind}"))]
compiled = [
    Extension(
        ".".join(source.with_suffix("").parts),
        [str(source)],
        depends=[*headers, "setup.py"],
        language="c++",
        # No fused multiply-add: the compiled kernel gives the same bits as the NumPy one.
        extra_compile_args=["-O3", "-std=c++17", "-ffp-contract=off"],
        # Without one of them the others are not used either.
        optional=True,
    )
    for source in sorted(FOLDER.glob("*.pyx"))
]

setup(
    ext_modules=compiled,
    cmdclass={"build_ext": BuildOptional},
)
