"""Builds the C extensions where a compiler is found; without one the install succeeds on the NumPy path (`baserate --version` says which)."""  # noqa: E501

from setuptools import Extension, setup

HEADERS = (
    "anchored",
    "buffers",
    "distinct",
    "gaps",
    "pack",
    "sort",
    "tally",
)

setup(
    ext_modules=[
        Extension(
            "baserate.kernels._kernels",
            sources=["src/baserate/kernels/_kernels.c"],
            depends=[f"src/baserate/kernels/_{part}.h" for part in HEADERS],
            # Debug information would name the folder of the build: the same wheel from any.
            # No product is added to a sum in one rounding: NumPy, which does the same elsewhere,
            # rounds both.
            extra_compile_args=["-O2", "-g0", "-ffp-contract=off"],
            py_limited_api=True,
            optional=True,
        ),
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
