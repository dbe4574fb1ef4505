"""One BLAS call on parts of matrices: C <- alpha A B + beta C in place, without copies.

`numpy.matmul` cannot add into its output and `scipy.linalg.blas.dgemm` copies parts of a larger matrix, so
the routine behind both is called by the address that SciPy publishes for compiled callers
(``scipy.linalg.cython_blas``).

Small products run on one thread. To wake a second one for less than a millisecond of work gains little, and
costs whole time slices of the scheduler, again and again, when other processes compete for the processor.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.linalg import cython_blas

Matrix: TypeAlias = NDArray[np.float64]

_ITEM = 8  # bytes in a float64
_SMALL = 1 << 23  # multiplications that one thread does in a fraction of a millisecond


def _dgemm() -> Any:
    capsule = cython_blas.__pyx_capi__["dgemm"]
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    integer, number = ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_double)
    signature = ctypes.CFUNCTYPE(
        None, ctypes.c_char_p, ctypes.c_char_p, integer, integer, integer, number,
        ctypes.c_void_p, integer, ctypes.c_void_p, integer, number, ctypes.c_void_p, integer,
    )  # fmt: skip
    return signature(pointer(capsule, name(capsule)))


_DGEMM = _dgemm()


@cache
def openblas() -> ctypes.CDLL | None:
    """Return the OpenBLAS that SciPy's wheels bring along, or None where SciPy uses another BLAS."""
    folder = Path(scipy.__file__).parents[1]
    found = [
        path
        for place in ("scipy.libs", "scipy/.dylibs")
        for path in folder.glob(f"{place}/libscipy_openblas*")
    ]
    return ctypes.CDLL(str(found[0])) if found else None


def _layout(x: Matrix) -> tuple[bytes, int]:
    """Return the BLAS flag and leading dimension of the transpose of `x`, read by columns."""
    rows, columns = x.shape
    if columns == 1 or x.strides[1] == _ITEM:
        return b"N", max(columns, x.strides[0] // _ITEM if rows > 1 else 1)
    if rows == 1 or x.strides[0] == _ITEM:
        return b"T", max(rows, x.strides[1] // _ITEM)
    raise AssertionError("a BLAS operand needs rows or columns without gaps")


def gemm(out: Matrix, left: Matrix, right: Matrix, *, alpha: float, beta: float) -> None:
    """Set ``out = alpha * left @ right + beta * out``.

    Parameters
    ----------
    out
        (m, n), a part of a matrix stored by rows; it must not overlap the factors.
    left, right
        (m, k) and (k, n), parts of matrices stored by rows or by columns.
    alpha, beta
        The two scalars; with ``beta = 0`` the old content of `out` is ignored.
    """
    (m, n), k = out.shape, left.shape[1]
    if m == 0 or n == 0 or k == 0:
        out[...] = beta * out if beta else 0.0
        return
    assert left.shape == (m, k)
    assert right.shape == (k, n)
    assert out.dtype == left.dtype == right.dtype == np.float64
    library = openblas() if m * n * k < _SMALL else None
    threads = library.scipy_openblas_get_num_threads() if library is not None else 1
    if library is None or threads == 1:
        _call(out, left, right, alpha, beta)
        return
    library.scipy_openblas_set_num_threads(1)
    try:
        _call(out, left, right, alpha, beta)
    finally:
        library.scipy_openblas_set_num_threads(threads)


def _call(out: Matrix, left: Matrix, right: Matrix, alpha: float, beta: float) -> None:
    (m, n), k = out.shape, left.shape[1]
    flag, ld_out = _layout(out)
    assert flag == b"N"
    flag_right, ld_right = _layout(right)
    flag_left, ld_left = _layout(left)
    integer, number = ctypes.c_int, ctypes.c_double
    # BLAS reads by columns: transposed, the product is right^T left^T
    _DGEMM(
        flag_right, flag_left, integer(n), integer(m), integer(k), number(alpha), right.ctypes.data,
        integer(ld_right), left.ctypes.data, integer(ld_left), number(beta), out.ctypes.data, integer(ld_out),
    )  # fmt: skip
