/* The linear passes of counting.
 *
 * A key holds a score and its label in one machine word, so that sorting values sorts cases:
 *
 *     key = (place of the score among those of its sign, 63 or 31 bits) << 1 | label
 *
 * An IEEE number read as an integer already ranks by magnitude, and an integer does so trivially. The sign decides in which part
 * of the buffer a key is written: not below zero in front, below zero behind. Each part then sorts to descending scores.
 *
 * Only the limited API and the buffer protocol are used, so one build serves every CPython from 3.11. The loops run without the
 * GIL. baserate/kernels/portable.py does the same in NumPy, and the tests hold the two to identical results.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "_sort.h"

#include "_gaps.h"

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

/* ---- pack: scores and labels to keys ------------------------------------------------------------------------------------ */

/* Every key is written at both ends and one end advances: no branch to mispredict where signs are mixed. The slots between the
 * ends are free, so the copy that does not count is overwritten later. Adding zero turns -0.0 into 0.0. */
#define PACK(NAME, SCORE, WORD, SIGN_BIT, READ, PLACE)                                              \
    static Py_ssize_t NAME(const SCORE *scores, const uint8_t *labels, WORD *keys, Py_ssize_t n) {  \
        Py_ssize_t front = 0, back = n - 1;                                                         \
        for (Py_ssize_t i = 0; i < n; i++) {                                                        \
            SCORE score = READ;                                                                     \
            WORD bits;                                                                              \
            memcpy(&bits, &score, sizeof bits);                                                     \
            WORD below = bits >> SIGN_BIT;                                                          \
            WORD key = (WORD)((PLACE) << 1) | (WORD)(labels[i] != 0);                               \
            keys[front] = key;                                                                      \
            keys[back] = key;                                                                       \
            front += !below;                                                                        \
            back -= !!below;                                                                        \
        }                                                                                           \
        return front;                                                                               \
    }

PACK(pack_f64, double, uint64_t, 63, scores[i] + 0.0, bits ^ (below - 1))
PACK(pack_f32, float, uint32_t, 31, scores[i] + 0.0f, bits ^ (below - 1))
PACK(pack_i64, int64_t, uint64_t, 63, scores[i], ~bits)

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

/* ---- scan: sorted keys to cells ------------------------------------------------------------------------------------------ */

static double score_f64(uint64_t place, int below) {
    uint64_t bits = below ? place | UINT64_C(1) << 63 : ~place & INT64_MAX;
    double score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

static double score_f32(uint32_t place, int below) {
    uint32_t bits = below ? place | UINT32_C(1) << 31 : ~place & INT32_MAX;
    float score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

static int64_t score_i64(uint64_t place, int below) { return (int64_t)(below ? ~place : ~place & INT64_MAX); }

/* `scores` may lie in the memory of `keys` (for float32 keys: keys in its second half). Cell m is written after the key that closes
 * it was read, and never reaches beyond that key, so nothing unread is lost: this keeps counting at 24 bytes a row. Scores are
 * stored through memcpy because the compiler may not assume that the two do not overlap. */
#define SCAN(NAME, SCORE, WORD, DECODE)                                                                             \
    static Py_ssize_t NAME(const WORD *keys, Py_ssize_t from, Py_ssize_t to, int below, char *scores,               \
                           int64_t *positives, int64_t *negatives, Py_ssize_t m) {                                  \
        if (from == to) return m;                                                                                   \
        WORD key = keys[from], place = key >> 1;                                                                    \
        int64_t size = 1, hits = key & 1;                                                                           \
        for (Py_ssize_t i = from + 1; i <= to; i++) {                                                               \
            if (i < to) key = keys[i];                                                                              \
            if (i == to || key >> 1 != place) {                                                                     \
                SCORE score = DECODE(place, below);                                                                 \
                memcpy(scores + m * (Py_ssize_t)sizeof score, &score, sizeof score);                                \
                positives[m] = hits;                                                                                \
                negatives[m++] = size - hits;                                                                       \
                place = key >> 1;                                                                                   \
                size = hits = 0;                                                                                    \
            }                                                                                                       \
            size++;                                                                                                 \
            hits += key & 1;                                                                                        \
        }                                                                                                           \
        return m;                                                                                                   \
    }

SCAN(scan_f64, double, uint64_t, score_f64)
SCAN(scan_f32, double, uint32_t, score_f32)
SCAN(scan_i64, int64_t, uint64_t, score_i64)

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

/* ---- tally: a small hash table, for scores that take few values ----------------------------------------------------------- */

/* Twice as many slots as values, so that a probe stays short; a slot holds 1 + the index of its value. */
enum { SLOT_BITS = 15, MOST_VALUES = 1 << (SLOT_BITS - 1) };

/* Gives up (-1) with more than `most` values, and when probing costs more than a sort would: whoever chooses the scores could choose
 * them to collide. */
#define TALLY(NAME, SCORE, WIDE, ZERO)                                                                                 \
    static Py_ssize_t NAME(const SCORE *scores, const uint8_t *labels, Py_ssize_t n, uint16_t *slots, Py_ssize_t most, \
                           WIDE *values, int64_t *counts) {                                                            \
        Py_ssize_t found = 0, patience = 8 * n;                                                                        \
        for (Py_ssize_t i = 0; i < n; i++) {                                                                           \
            WIDE value = (WIDE)scores[i] + ZERO;                                                                       \
            uint64_t bits;                                                                                             \
            memcpy(&bits, &value, sizeof bits);                                                                        \
            uint64_t slot = bits * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SLOT_BITS);                                   \
            while (slots[slot] && memcmp(&values[slots[slot] - 1], &bits, sizeof bits) != 0) {                         \
                if (--patience < 0) return -1;                                                                         \
                slot = (slot + 1) & ((1 << SLOT_BITS) - 1);                                                            \
            }                                                                                                          \
            if (!slots[slot]) {                                                                                        \
                if (found == most) return -1;                                                                          \
                values[found++] = value;                                                                               \
                slots[slot] = (uint16_t)found;                                                                         \
            }                                                                                                          \
            counts[2 * (slots[slot] - 1) + (labels[i] != 0)]++;                                                        \
        }                                                                                                              \
        return found;                                                                                                  \
    }

TALLY(tally_f64, double, double, 0.0)
TALLY(tally_f32, float, double, 0.0)
TALLY(tally_i64, int64_t, int64_t, 0)

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
