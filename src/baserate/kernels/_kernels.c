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

#include "_buffers.h"
#include "_sort.h"
#include "_gaps.h"
#include "_pack.h"
#include "_tally.h"
#include "_distinct.h"
#include "_anchored.h"

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

/* parts(scores, bounds, parts, sizes): see _pack.h; `sizes` has one entry more than the bounds, and starts at zero. */
static PyObject *parts(PyObject *self, PyObject *args) {
    PyObject *o[4];
    if (!PyArg_ParseTuple(args, "OOOO", &o[0], &o[1], &o[2], &o[3])) return NULL;
    const char *kinds[] = {"dfq", "q", "wB", "wq"};
    Buffers buffers = {.held = 0};
    int done = 0;
    if (hold(&buffers, o, kinds, 4) == 0) {
        const Py_buffer *v = buffers.views;
        Py_ssize_t n = length_of(&v[0]), count = length_of(&v[1]);
        if (count > MOST_BOUNDS || length_of(&v[2]) < n || length_of(&v[3]) <= count)
            PyErr_SetString(PyExc_ValueError, "a buffer is too short, or there are too many parts");
        else {
            char kind = kind_of(&v[0]);
            Py_BEGIN_ALLOW_THREADS
            if (kind == 'd') parts_f64(v[0].buf, n, v[1].buf, count, v[2].buf, v[3].buf);
            else if (kind == 'f') parts_f32(v[0].buf, n, v[1].buf, count, v[2].buf, v[3].buf);
            else parts_i64(v[0].buf, n, v[1].buf, count, v[2].buf, v[3].buf);
            Py_END_ALLOW_THREADS
            done = 1;
        }
    }
    release(&buffers);
    if (!done) return NULL;
    Py_RETURN_NONE;
}

/* pack_parts(scores, labels, parts, keys, places): see _pack.h */
static PyObject *pack_parts(PyObject *self, PyObject *args) {
    PyObject *o[5];
    if (!PyArg_ParseTuple(args, "OOOOO", &o[0], &o[1], &o[2], &o[3], &o[4])) return NULL;
    const char *kinds[] = {"dfq", "B", "B", "wQI", "wq"};
    Buffers buffers = {.held = 0};
    int wrong = 1;
    if (hold(&buffers, o, kinds, 5) == 0) {
        const Py_buffer *v = buffers.views;
        Py_ssize_t n = length_of(&v[0]), room = length_of(&v[3]), count = length_of(&v[4]);
        char kind = kind_of(&v[0]);
        if (v[3].itemsize == v[0].itemsize && length_of(&v[1]) >= n && length_of(&v[2]) >= n) {
            Py_BEGIN_ALLOW_THREADS
            wrong = kind == 'd' ? pack_parts_f64(v[0].buf, v[1].buf, v[2].buf, n, v[3].buf, room, v[4].buf, count)
                  : kind == 'f' ? pack_parts_f32(v[0].buf, v[1].buf, v[2].buf, n, v[3].buf, room, v[4].buf, count)
                                : pack_parts_i64(v[0].buf, v[1].buf, v[2].buf, n, v[3].buf, room, v[4].buf, count);
            Py_END_ALLOW_THREADS
        }
        if (wrong) PyErr_SetString(PyExc_ValueError, "parts do not fit the rows");
    }
    release(&buffers);
    if (wrong) return NULL;
    Py_RETURN_NONE;
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

/* Sort and scan the keys of one group, which fit in n: its cells follow the m that are there. */
static Py_ssize_t group_cells(char narrow, char integer, void *keys, const Py_ssize_t *bounds, void *scratch, char *scores, int64_t *positives,
                              int64_t *negatives, Py_ssize_t m, Py_ssize_t *ends) {
    for (int below = 0; below < 2; below++) {
        Py_ssize_t from = bounds[below], to = bounds[below + 1];
        if (narrow) sort_u32((uint32_t *)keys + from, (uint32_t *)scratch + from, to - from, 0, ends);
        else sort_u64((uint64_t *)keys + from, (uint64_t *)scratch + from, to - from, 0, ends);
        m = narrow    ? scan_f32(keys, from, to, below, scores, positives, negatives, m)
            : integer ? scan_i64(keys, from, to, below, scores, positives, negatives, m)
                      : scan_f64(keys, from, to, below, scores, positives, negatives, m);
    }
    return m;
}

/* pack_groups(scores, labels, codes, keys, fronts, backs): see _pack.h. In the end fronts say where the keys below zero begin. */
static PyObject *pack_groups(PyObject *self, PyObject *args) {
    PyObject *o[6];
    if (!PyArg_ParseTuple(args, "OOOOOO", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5])) return NULL;
    const char *kinds[] = {"dfq", "B", "I", "wQI", "wq", "wq"};
    Buffers buffers = {.held = 0};
    int wrong = 1;
    if (hold(&buffers, o, kinds, 6) == 0) {
        const Py_buffer *views = buffers.views;
        Py_ssize_t n = length_of(&views[0]), groups = length_of(&views[4]), room = length_of(&views[3]);
        char kind = kind_of(&views[0]);
        int64_t *fronts = views[4].buf, *backs = views[5].buf;
        int fits = length_of(&views[1]) >= n && length_of(&views[2]) >= n && length_of(&views[5]) == groups && views[3].itemsize == views[0].itemsize;
        for (Py_ssize_t g = 0; fits && g < groups; g++) fits = fronts[g] >= 0 && backs[g] < room;
        if (fits) {
            Py_BEGIN_ALLOW_THREADS
            wrong = kind == 'd' ? pack_groups_f64(views[0].buf, views[1].buf, views[2].buf, views[3].buf, n, fronts, backs, groups)
                  : kind == 'f' ? pack_groups_f32(views[0].buf, views[1].buf, views[2].buf, views[3].buf, n, fronts, backs, groups)
                                : pack_groups_i64(views[0].buf, views[1].buf, views[2].buf, views[3].buf, n, fronts, backs, groups);
            Py_END_ALLOW_THREADS
        }
        if (wrong) PyErr_SetString(PyExc_ValueError, "groups do not fit the rows");
    }
    release(&buffers);
    if (wrong) return NULL;
    Py_RETURN_NONE;
}

/* scan_groups(keys, starts, splits, scratch, scores, positives, negatives, offsets): the cells of every group one after the other, from
 * offsets[g] to offsets[g + 1]. Scores may lie in the memory of the keys, and the scratch in that of the positives, both as in scan. */
static PyObject *scan_groups(PyObject *self, PyObject *args) {
    PyObject *o[8];
    if (!PyArg_ParseTuple(args, "OOOOOOOO", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5], &o[6], &o[7])) return NULL;
    const char *kinds[] = {"wQI", "q", "q", "wQI", "wdq", "wq", "wq", "wq"};
    Buffers buffers = {.held = 0};
    Py_ssize_t *ends = NULL, m = -1;
    if (hold(&buffers, o, kinds, 8) == 0) {
        const Py_buffer *views = buffers.views;
        const int64_t *starts = views[1].buf, *splits = views[2].buf;
        int64_t *offsets = views[7].buf;
        char narrow = kind_of(&views[0]) == 'I', integer = kind_of(&views[4]) == 'q';
        Py_ssize_t n = length_of(&views[0]), groups = length_of(&views[2]);
        int fits = length_of(&views[1]) == groups + 1 && length_of(&views[7]) == groups + 1 && !(narrow && integer)
                   && views[3].itemsize == views[0].itemsize && length_of(&views[3]) >= n;
        for (int k = 4; k < 7; k++) fits = fits && length_of(&views[k]) >= n;
        for (Py_ssize_t g = 0; fits && g < groups; g++) fits = 0 <= starts[g] && starts[g] <= splits[g] && splits[g] <= starts[g + 1] && starts[g + 1] <= n;
        if (!fits) PyErr_SetString(PyExc_ValueError, "groups do not fit the rows");
        else if (!(ends = PyMem_Malloc(WORKSPACE * sizeof *ends))) PyErr_NoMemory();
        else {
            Py_BEGIN_ALLOW_THREADS
            m = offsets[0] = 0;
            for (Py_ssize_t g = 0; g < groups; g++) {
                Py_ssize_t bounds[] = {starts[g], splits[g], starts[g + 1]};
                offsets[g + 1] = m = group_cells(narrow, integer, views[0].buf, bounds, views[3].buf, views[4].buf, views[5].buf, views[6].buf, m, ends);
            }
            Py_END_ALLOW_THREADS
        }
    }
    release(&buffers);
    PyMem_Free(ends);
    if (m < 0) return NULL;
    Py_RETURN_NONE;
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

/* tally_weights(scores, labels, weights, values, scales, sums) -> the same for weights; `sums` starts at zero. */
static PyObject *tally_weights(PyObject *self, PyObject *args) {
    PyObject *o[6];
    if (!PyArg_ParseTuple(args, "OOOOOO", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5])) return NULL;
    const char *kinds[] = {"dfq", "B", "d", "wdq", "d", "wd"};
    Buffers buffers = {.held = 0};
    uint16_t *slots = NULL;
    Py_ssize_t found = -1;
    if (hold(&buffers, o, kinds, 6) == 0) {
        const Py_buffer *v = buffers.views;
        char kind = kind_of(&v[0]);
        Py_ssize_t n = length_of(&v[0]), most = length_of(&v[3]);
        if ((kind == 'q') != (kind_of(&v[3]) == 'q') || length_of(&v[1]) < n || length_of(&v[2]) < n || most > MOST_VALUES
            || length_of(&v[4]) != SLICES || length_of(&v[5]) < 2 * SLICES * most)
            PyErr_SetString(PyExc_ValueError, "a buffer is too short or too long, or of the wrong type");
        else if (!(slots = PyMem_Calloc(1 << SLOT_BITS, sizeof *slots)))
            PyErr_NoMemory();
        else {
            Py_BEGIN_ALLOW_THREADS
            found = kind == 'd' ? tally_weights_f64(v[0].buf, v[1].buf, v[2].buf, n, slots, most, v[3].buf, v[4].buf, v[5].buf)
                  : kind == 'f' ? tally_weights_f32(v[0].buf, v[1].buf, v[2].buf, n, slots, most, v[3].buf, v[4].buf, v[5].buf)
                                : tally_weights_i64(v[0].buf, v[1].buf, v[2].buf, n, slots, most, v[3].buf, v[4].buf, v[5].buf);
            Py_END_ALLOW_THREADS
        }
    }
    release(&buffers);
    if (!slots) return NULL;
    PyMem_Free(slots);
    return PyLong_FromSsize_t(found);
}

/* ---- the module ------------------------------------------------------------------------------------------------------------ */

static PyMethodDef methods[] = {
    {"pack", pack, METH_VARARGS, "pack(scores, labels, keys) -> how many keys are not below zero"},
    {"parts", parts, METH_VARARGS, "parts(scores, bounds, parts, sizes): between which bounds each score lies"},
    {"pack_parts", pack_parts, METH_VARARGS, "pack_parts(scores, labels, parts, keys, places): each key where its part has the next place"},
    {"sort", sort, METH_VARARGS, "sort(items, scratch): ascending, in place"},
    {"sort_pairs", sort_pairs, METH_VARARGS, "sort_pairs(items, scratch): the same for (key, payload) words that stay together"},
    {"pack_pairs", pack_pairs, METH_VARARGS, "pack_pairs(scores, labels, weights, pairs)"},
    {"unpack_pairs", unpack_pairs, METH_VARARGS, "unpack_pairs(pairs, scores, weights)"},
    {"scan", scan, METH_VARARGS, "scan(keys, split, scores, positives, negatives) -> number of cells"},
    {"pack_groups", pack_groups, METH_VARARGS, "pack_groups(scores, labels, codes, keys, fronts, backs): a stretch of keys a group"},
    {"scan_groups", scan_groups, METH_VARARGS, "scan_groups(keys, starts, splits, scratch, scores, positives, negatives, offsets)"},
    {"tally", tally, METH_VARARGS, "tally(scores, labels, values, counts) -> number of distinct values, or -1 for too many"},
    {"tally_weights", tally_weights, METH_VARARGS, "tally_weights(scores, labels, weights, values, scales, sums) -> the same with weights"},
    {"distinct", distinct, METH_VARARGS, "distinct(values, width, codes, firsts) -> number of distinct values, or -1 for too many"},
    {"index", index_of, METH_VARARGS, "index(anchors): what gaps look scores up in"},
    {"gaps", gaps, METH_VARARGS, "gaps(scores, labels, index, ties, gaps, lowest): negatives at and between the positives' scores"},
    {NULL, NULL, 0, NULL},
};

static int set_constants(PyObject *module) {
    return PyModule_AddIntConstant(module, "MOST_VALUES", MOST_VALUES) || PyModule_AddIntConstant(module, "SLICES", SLICES);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, set_constants}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "baserate.kernels._kernels", .m_doc = "The linear passes of counting.", .m_methods = methods, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__kernels(void) { return PyModuleDef_Init(&definition); }
