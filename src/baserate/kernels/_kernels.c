/* The linear passes of counting: how Python calls them. The loops are in the headers beside this file.
 *
 * Only the limited API and the buffer protocol are used, so one build serves every CPython from 3.11. The loops run without the GIL.
 * baserate/kernels/portable.py does the same in NumPy, and the tests hold the two to identical results.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "_sort.h"
#include "_gaps.h"
#include "_pack.h"
#include "_tally.h"

/* ---- buffers ------------------------------------------------------------------------------------------------------------ */

enum { MOST_BUFFERS = 6 };

typedef struct {
    Py_buffer views[MOST_BUFFERS];
    int held;
} Buffers;

/* 'd' float64, 'f' float32, 'q' int64, 'Q' uint64, 'I' uint32, 'B' bytes or bools; 0 for anything else. */
static char kind_of(const Py_buffer *view) {
    const char *format = view->format ? view->format : "B";
    if (format[0] && format[1]) return 0;
    switch (format[0]) {
    case 'd': return view->itemsize == 8 ? 'd' : 0;
    case 'f': return view->itemsize == 4 ? 'f' : 0;
    case 'l': case 'q': return view->itemsize == 8 ? 'q' : 0;
    case 'I': case 'L': case 'Q': return view->itemsize == 8 ? 'Q' : view->itemsize == 4 ? 'I' : 0;
    case 'B': case '?': return view->itemsize == 1 ? 'B' : 0;
    default: return 0;
    }
}

/* Borrow the objects' memory: kinds[i] lists the item types allowed for object i, a leading 'w' asks for writable memory.
 * Returns 0, or -1 with an exception set; release() is due either way. */
static int hold(Buffers *buffers, PyObject **objects, const char **kinds, int count) {
    for (int i = 0; i < count; i++) {
        int writable = kinds[i][0] == 'w';
        Py_buffer *view = &buffers->views[i];
        if (PyObject_GetBuffer(objects[i], view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) < 0) return -1;
        buffers->held = i + 1;
        char kind = kind_of(view);
        if (!kind || !strchr(kinds[i] + writable, kind) || (uintptr_t)view->buf % (size_t)view->itemsize) {
            const char *format = view->format ? view->format : "B";
            PyErr_Format(PyExc_TypeError, "buffer %d has item type '%s', not one of '%s', or is not aligned", i, format, kinds[i] + writable);
            return -1;
        }
    }
    return 0;
}

static void release(Buffers *buffers) {
    while (buffers->held) PyBuffer_Release(&buffers->views[--buffers->held]);
}

static Py_ssize_t length_of(const Py_buffer *view) { return view->len / view->itemsize; }

/* Every buffer from `first` on must have at least `length` items. */
static int long_enough(const Buffers *buffers, int first, Py_ssize_t length) {
    for (int i = first; i < buffers->held; i++)
        if (length_of(&buffers->views[i]) < length) {
            PyErr_Format(PyExc_ValueError, "buffer %d is too short", i);
            return 0;
        }
    return 1;
}

/* ---- pack, scan, pairs: see _pack.h ---------------------------------------------------------------------------------------- */

static PyObject *pack(PyObject *self, PyObject *args) {
    PyObject *objects[3];
    if (!PyArg_ParseTuple(args, "OOO", &objects[0], &objects[1], &objects[2])) return NULL;
    const char *kinds[] = {"dfq", "B", "wQI"};
    Buffers buffers = {.held = 0};
    Py_ssize_t split = -1;
    if (hold(&buffers, objects, kinds, 3) == 0) {
        void *scores = buffers.views[0].buf, *labels = buffers.views[1].buf, *keys = buffers.views[2].buf;
        char kind = kind_of(&buffers.views[0]);
        Py_ssize_t n = length_of(&buffers.views[0]);
        if (buffers.views[2].itemsize != buffers.views[0].itemsize)
            PyErr_SetString(PyExc_TypeError, "keys must be as wide as the scores");
        else if (long_enough(&buffers, 1, n)) {
            Py_BEGIN_ALLOW_THREADS
            split = kind == 'd' ? pack_f64(scores, labels, keys, n)
                  : kind == 'f' ? pack_f32(scores, labels, keys, n)
                                : pack_i64(scores, labels, keys, n);
            Py_END_ALLOW_THREADS
        }
    }
    release(&buffers);
    return split < 0 ? NULL : PyLong_FromSsize_t(split);
}

/* ---- sort: see _sort.h ----------------------------------------------------------------------------------------------------- */

static PyObject *sorted_in_place(PyObject *args, int paired) {
    PyObject *objects[2];
    if (!PyArg_ParseTuple(args, "OO", &objects[0], &objects[1])) return NULL;
    const char *kinds[] = {paired ? "wQ" : "wQI", "wQI"};
    Buffers buffers = {.held = 0};
    Py_ssize_t *ends = NULL;
    if (hold(&buffers, objects, kinds, 2) == 0) {
        void *items = buffers.views[0].buf, *scratch = buffers.views[1].buf;
        char kind = kind_of(&buffers.views[0]);
        Py_ssize_t n = length_of(&buffers.views[0]);
        uintptr_t one = (uintptr_t)items, other = (uintptr_t)scratch;
        if (kind_of(&buffers.views[1]) != kind)
            PyErr_SetString(PyExc_TypeError, "scratch must have the type of the items");
        else if (one < other + (size_t)buffers.views[1].len && other < one + (size_t)buffers.views[0].len)
            PyErr_SetString(PyExc_ValueError, "scratch and items overlap");
        else if (long_enough(&buffers, 1, n)) {
            ends = PyMem_Malloc(WORKSPACE * sizeof *ends);
            if (!ends) PyErr_NoMemory();
        }
        if (ends) {
            Py_BEGIN_ALLOW_THREADS
            if (paired) sort_pair(items, scratch, n / 2, 0, ends);
            else if (kind == 'Q') sort_u64(items, scratch, n, 0, ends);
            else sort_u32(items, scratch, n, 0, ends);
            Py_END_ALLOW_THREADS
        }
    }
    release(&buffers);
    if (!ends) return NULL;
    PyMem_Free(ends);
    Py_RETURN_NONE;
}

static PyObject *sort(PyObject *self, PyObject *args) { return sorted_in_place(args, 0); }

static PyObject *sort_pairs(PyObject *self, PyObject *args) { return sorted_in_place(args, 1); }

/* ---- pairs: scores with their weights -------------------------------------------------------------------------------------- */

/* pack_pairs(scores, labels, weights, pairs) */
static PyObject *pack_pairs(PyObject *self, PyObject *args) {
    PyObject *objects[4];
    if (!PyArg_ParseTuple(args, "OOOO", &objects[0], &objects[1], &objects[2], &objects[3])) return NULL;
    const char *kinds[] = {"dfq", "B", "d", "wQ"};
    Buffers buffers = {.held = 0};
    int done = 0;
    if (hold(&buffers, objects, kinds, 4) == 0) {
        const Py_buffer *views = buffers.views;
        Py_ssize_t n = length_of(&views[0]);
        if (!long_enough(&buffers, 1, n) || length_of(&views[3]) < 2 * n)
            PyErr_SetString(PyExc_ValueError, "a buffer is too short");
        else {
            char kind = kind_of(&views[0]);
            Py_BEGIN_ALLOW_THREADS
            if (kind == 'd') pack_pairs_f64(views[0].buf, views[1].buf, views[2].buf, views[3].buf, n);
            else if (kind == 'f') pack_pairs_f32(views[0].buf, views[1].buf, views[2].buf, views[3].buf, n);
            else pack_pairs_i64(views[0].buf, views[1].buf, views[2].buf, views[3].buf, n);
            Py_END_ALLOW_THREADS
            done = 1;
        }
    }
    release(&buffers);
    if (!done) return NULL;
    Py_RETURN_NONE;
}

/* unpack_pairs(pairs, scores, weights): the inverse, into float64 or int64 scores */
static PyObject *unpack_pairs(PyObject *self, PyObject *args) {
    PyObject *objects[3];
    if (!PyArg_ParseTuple(args, "OOO", &objects[0], &objects[1], &objects[2])) return NULL;
    const char *kinds[] = {"Q", "wdq", "wd"};
    Buffers buffers = {.held = 0};
    int done = 0;
    if (hold(&buffers, objects, kinds, 3) == 0) {
        const Pair *pairs = buffers.views[0].buf;
        char *scores = buffers.views[1].buf;
        double *weights = buffers.views[2].buf;
        Py_ssize_t n = length_of(&buffers.views[0]) / 2;
        if (long_enough(&buffers, 1, n)) {
            int integer = kind_of(&buffers.views[1]) == 'q';
            Py_BEGIN_ALLOW_THREADS
            for (Py_ssize_t i = 0; i < n; i++) {
                int64_t order = (int64_t)(pairs[i].key ^ INT64_MAX);
                int64_t bits = !integer && order < 0 ? order ^ INT64_MAX : order;
                memcpy(scores + 8 * i, &bits, sizeof bits);
                memcpy(&weights[i], &pairs[i].payload, sizeof weights[i]);
            }
            Py_END_ALLOW_THREADS
            done = 1;
        }
    }
    release(&buffers);
    if (!done) return NULL;
    Py_RETURN_NONE;
}

/* ---- scan: sorted keys to cells ------------------------------------------------------------------------------------------ */

/* scan(keys, split, scores, positives, negatives) -> number of cells */
static PyObject *scan(PyObject *self, PyObject *args) {
    PyObject *objects[4];
    Py_ssize_t split, cells = -1;
    if (!PyArg_ParseTuple(args, "OnOOO", &objects[0], &split, &objects[1], &objects[2], &objects[3])) return NULL;
    const char *kinds[] = {"QI", "wdq", "wq", "wq"};
    Buffers buffers = {.held = 0};
    if (hold(&buffers, objects, kinds, 4) == 0) {
        void *keys = buffers.views[0].buf;
        char *scores = buffers.views[1].buf;
        int64_t *positives = buffers.views[2].buf, *negatives = buffers.views[3].buf;
        char narrow = kind_of(&buffers.views[0]) == 'I', integer = kind_of(&buffers.views[1]) == 'q';
        Py_ssize_t n = length_of(&buffers.views[0]);
        if (split < 0 || split > n || (narrow && integer))
            PyErr_SetString(PyExc_ValueError, "split or score type does not fit the keys");
        else if (long_enough(&buffers, 1, n)) {
            Py_BEGIN_ALLOW_THREADS
            cells = 0;
            for (int below = 0; below < 2; below++) {
                Py_ssize_t from = below ? split : 0, to = below ? n : split;
                cells = narrow    ? scan_f32(keys, from, to, below, scores, positives, negatives, cells)
                        : integer ? scan_i64(keys, from, to, below, scores, positives, negatives, cells)
                                  : scan_f64(keys, from, to, below, scores, positives, negatives, cells);
            }
            Py_END_ALLOW_THREADS
        }
    }
    release(&buffers);
    return cells < 0 ? NULL : PyLong_FromSsize_t(cells);
}

/* ---- tally: see _tally.h ----------------------------------------------------------------------------------------------------- */

/* tally(scores, labels, values, counts) -> number of distinct values, or -1 where `values` has no room for them. `counts` holds
 * (negatives, positives) of each value and starts at zero. */
static PyObject *tally(PyObject *self, PyObject *args) {
    PyObject *objects[4];
    if (!PyArg_ParseTuple(args, "OOOO", &objects[0], &objects[1], &objects[2], &objects[3])) return NULL;
    const char *kinds[] = {"dfq", "B", "wdq", "wq"};
    Buffers buffers = {.held = 0};
    uint16_t *slots = NULL;
    Py_ssize_t found = -1;
    if (hold(&buffers, objects, kinds, 4) == 0) {
        const Py_buffer *views = buffers.views;
        const uint8_t *labels = views[1].buf;
        char kind = kind_of(&views[0]);
        Py_ssize_t n = length_of(&views[0]), most = length_of(&views[2]);
        if ((kind == 'q') != (kind_of(&views[2]) == 'q') || length_of(&views[1]) < n || most > MOST_VALUES || length_of(&views[3]) < 2 * most)
            PyErr_SetString(PyExc_ValueError, "a buffer is too short or too long, or of the wrong type");
        else if (!(slots = PyMem_Calloc(1 << SLOT_BITS, sizeof *slots)))
            PyErr_NoMemory();
        else {
            Py_BEGIN_ALLOW_THREADS
            found = kind == 'd' ? tally_f64(views[0].buf, labels, n, slots, most, views[2].buf, views[3].buf)
                  : kind == 'f' ? tally_f32(views[0].buf, labels, n, slots, most, views[2].buf, views[3].buf)
                                : tally_i64(views[0].buf, labels, n, slots, most, views[2].buf, views[3].buf);
            Py_END_ALLOW_THREADS
        }
    }
    release(&buffers);
    if (!slots) return NULL;
    PyMem_Free(slots);
    return PyLong_FromSsize_t(found);
}

/* ---- gaps: see _gaps.h ------------------------------------------------------------------------------------------------------ */

/* gaps(scores, labels, anchors, ties, gaps, lowest). `anchors`: the positives' distinct scores as ordered integers, ascending, at least
 * one. gaps[j] counts the negatives strictly between anchors j-1 and j, lowest[j] is their least; both have one entry more than
 * the anchors. No score may be NaN. */
static PyObject *gaps(PyObject *self, PyObject *args) {
    PyObject *objects[6];
    if (!PyArg_ParseTuple(args, "OOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4], &objects[5])) return NULL;
    const char *kinds[] = {"dfq", "B", "q", "wq", "wq", "wq"};
    Buffers buffers = {.held = 0};
    Anchors anchors = {.sorted = NULL, .table = NULL};
    const char *wrong = "";
    if (hold(&buffers, objects, kinds, 6) == 0) {
        const Py_buffer *views = buffers.views;
        Py_ssize_t n = length_of(&views[0]), count = length_of(&views[2]);
        char kind = kind_of(&views[0]);
        if (count < 1 || count > INT32_MAX || length_of(&views[1]) < n || length_of(&views[3]) < count || !long_enough(&buffers, 4, count + 1))
            PyErr_SetString(PyExc_ValueError, "a buffer is too short, or there are too many anchors");
        else {
            const uint8_t *labels = views[1].buf;
            int64_t *ties = views[3].buf, *between = views[4].buf, *lowest = views[5].buf;
            Py_BEGIN_ALLOW_THREADS
            wrong = index_anchors(&anchors, views[2].buf, count);
            if (wrong) {}
            else if (kind == 'd') gaps_f64(views[0].buf, labels, n, &anchors, ties, between, lowest);
            else if (kind == 'f') gaps_f32(views[0].buf, labels, n, &anchors, ties, between, lowest);
            else gaps_i64(views[0].buf, labels, n, &anchors, ties, between, lowest);
            Py_END_ALLOW_THREADS
            if (wrong) PyErr_SetString(PyExc_ValueError, wrong);
        }
    }
    release(&buffers);
    free(anchors.sorted);
    free(anchors.table);
    if (wrong) return NULL;
    Py_RETURN_NONE;
}

/* ---- the module ------------------------------------------------------------------------------------------------------------ */

static PyMethodDef methods[] = {
    {"pack", pack, METH_VARARGS, "pack(scores, labels, keys) -> how many keys are not below zero"},
    {"sort", sort, METH_VARARGS, "sort(items, scratch): ascending, in place"},
    {"sort_pairs", sort_pairs, METH_VARARGS, "sort_pairs(items, scratch): the same for (key, payload) words that stay together"},
    {"pack_pairs", pack_pairs, METH_VARARGS, "pack_pairs(scores, labels, weights, pairs)"},
    {"unpack_pairs", unpack_pairs, METH_VARARGS, "unpack_pairs(pairs, scores, weights)"},
    {"scan", scan, METH_VARARGS, "scan(keys, split, scores, positives, negatives) -> number of cells"},
    {"tally", tally, METH_VARARGS, "tally(scores, labels, values, counts) -> number of distinct values, or -1 for too many"},
    {"gaps", gaps, METH_VARARGS, "gaps(scores, labels, anchors, ties, gaps, lowest): negatives at and between the positives' scores"},
    {NULL, NULL, 0, NULL},
};

static int set_constants(PyObject *module) { return PyModule_AddIntConstant(module, "MOST_VALUES", MOST_VALUES); }

static PyModuleDef_Slot slots[] = {{Py_mod_exec, set_constants}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "baserate.kernels._kernels", .m_doc = "The linear passes of counting.", .m_methods = methods, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModuleDef_Init(&definition); }
