"""Builds the C extension where a compiler is found; without one the install succeeds on the NumPy path (`baserate --version` says which)."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "baserate.kernels._kernels",
            sources=["src/baserate/kernels/_kernels.c"],
            depends=[f"src/baserate/kernels/_{part}.h" for part in ("buffers", "sort", "gaps", "pack", "tally", "beaten", "urns", "draws")],
            extra_compile_args=["-O2"],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
