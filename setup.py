"""Build the compiled kernel if this machine can; pyproject.toml has all other settings."""

import os
from pathlib import Path

import numpy as np
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

FOLDER = Path("redcoll/kernels/_compiled")


class BuildOptional(build_ext):
    """Build the extension modules; warn what the user loses if a build fails."""

    def finalize_options(self) -> None:
        """Compile on all cores."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extension(self, ext: Extension) -> None:
        """Build one extension module; if that fails, setuptools continues, because it is optional.

        An editable install puts the module into the source tree, which the environments of all MPI
        libraries share. So the module is built again only after its sources have changed.
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
        include_dirs=[np.get_include()],
        define_macros=[
            ("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION"),
            ("NPY_TARGET_VERSION", "NPY_1_25_API_VERSION"),  # that of NumPy 1.26
        ],
        language="c++",
        # Fused multiply-adds round differently. Without them both kernels give the same bits.
        extra_compile_args=["-O3", "-std=c++17", "-ffp-contract=off"],
        # A failed build does not fail the install. If one module is missing, redcoll uses none of
        # them.
        optional=True,
    )
    for source in sorted(FOLDER.glob("*.pyx"))
]

setup(
    ext_modules=compiled,
    cmdclass={"build_ext": BuildOptional},
)
