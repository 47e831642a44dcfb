"""Build the compiled kernel where that is possible; all else stands in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = Path("redcoll/kernels")
SOURCE = KERNELS / "_compiled.pyx"


class BuildOptional(build_ext):
    """Build extensions, and say what it means for a user when one could not be built."""

    def build_extension(self, ext: Extension) -> None:
        """Build one extension; where that fails, setuptools goes on, as it is optional."""
        try:
            super().build_extension(ext)
        except Exception:
            self.warn(
                f"{ext.name} could not be built (is there a C++ compiler?); "
                "redcoll works without it, on its NumPy kernel, only slower"
            )
            raise


compiled = Extension(
    "redcoll.kernels._compiled",
    [str(SOURCE)],
    depends=[str(header) for header in sorted(KERNELS.glob("*.hpp"))],
    language="c++",
    # No fused multiply-add: the compiled kernel gives the same bits as the NumPy one.
    extra_compile_args=["-O3", "-std=c++17", "-ffp-contract=off"],
    optional=True,
)

setup(
    ext_modules=[compiled] if SOURCE.exists() else [],
    cmdclass={"build_ext": BuildOptional},
)
