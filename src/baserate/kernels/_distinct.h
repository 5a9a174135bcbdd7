/* The distinct values of a column, and for each row the number of its own. Included by _kernels.c only.
 *
 * Values are rows of 4-byte words (whole numbers, floats, times, fixed-width text), equal where every bit is, or Python objects: the same
 * object, or text that reads the same. Numbers are given in the order of first appearance. All give up (-1) with more than `most` values;
 * of rows, whoever chooses them could choose them to collide, so probing too long gives up too.
 */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Text is compared with this many words before it is looked up in a dict: most labels have two. */
enum { NEAR_WORDS = 4 };

/* Twice as many slots as values, and their logarithm; a slot holds 1 + the number of its value. */
static int slot_bits(Py_ssize_t most) { return bit_length((uint64_t)most) + 1; }

static uint64_t mixed_hash(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static int same_row(const uint32_t *one, const uint32_t *other, Py_ssize_t width) {
    Py_ssize_t k = 0;
    while (k < width && one[k] == other[k]) k++;
    return k == width;
}

/* Most rows have the value of the row before. */
static Py_ssize_t distinct_rows(const uint32_t *rows, Py_ssize_t width, Py_ssize_t n, uint32_t *codes, int64_t *firsts, Py_ssize_t most) {
    int bits = slot_bits(most);
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint32_t *slots = calloc((size_t)mask + 1, sizeof *slots), last = 0;
    Py_ssize_t found = slots ? 0 : -1, patience = 8 * n;
    for (Py_ssize_t i = 0; i < n && found >= 0; i++) {
        const uint32_t *row = rows + i * width;
        if (found && same_row(row, rows + firsts[last] * width, width)) {
            codes[i] = last;
            continue;
        }
        uint64_t hash = 0;
        for (Py_ssize_t k = 0; k < width; k++) hash = mixed_hash(hash, row[k]);
        uint64_t slot = hash * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits);
        for (; slots[slot]; slot = (slot + 1) & mask) {
            if (same_row(row, rows + firsts[slots[slot] - 1] * width, width) || --patience < 0) break;
        }
        if (patience < 0 || (!slots[slot] && found == most)) {
            found = -1;
            break;
        }
        if (!slots[slot]) {
            firsts[found++] = i;
            slots[slot] = (uint32_t)found;
        }
        codes[i] = last = slots[slot] - 1;
    }
    free(slots);
    return found;
}

/* The number of a text among those known, or -1 where it is new (-2: with an exception set). The first few are compared, others looked up. */
static Py_ssize_t known_text(PyObject *text, PyObject **objects, const Py_ssize_t *near, int count, const int64_t *firsts, PyObject *words) {
    for (int k = 0; k < count; k++) {
        PyObject *same = PyUnicode_RichCompare(text, objects[firsts[near[k]]], Py_EQ);
        if (!same) return -2;
        Py_DECREF(same);
        if (same == Py_True) return near[k];
    }
    PyObject *number = PyDict_GetItemWithError(words, text);
    return number ? PyLong_AsSsize_t(number) : PyErr_Occurred() ? -2 : -1;
}

/* Needs the GIL, and runs no code but that of Python's own str. -2 with an exception set. */
static Py_ssize_t distinct_objects(PyObject **objects, Py_ssize_t n, uint32_t *codes, int64_t *firsts, Py_ssize_t most) {
    int bits = slot_bits(most), count = 0;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    struct { PyObject *object; Py_ssize_t code; } *slots = calloc((size_t)mask + 1, sizeof *slots);
    PyObject *words = PyDict_New();
    Py_ssize_t found = 0, held = 0, near[NEAR_WORDS];
    if (!slots || !words) {
        PyErr_NoMemory();
        found = -2;
    }
    for (Py_ssize_t i = 0; i < n && found >= 0; i++) {
        PyObject *object = objects[i] ? objects[i] : Py_None; /* NumPy takes nothing at all for None */
        uint64_t slot = mixed_hash(0, (uint64_t)(uintptr_t)object >> 4) >> (64 - bits);
        while (slots[slot].object && slots[slot].object != object) slot = (slot + 1) & mask;
        if (slots[slot].object) {
            codes[i] = (uint32_t)slots[slot].code;
            continue;
        }
        int text = PyUnicode_CheckExact(object);
        Py_ssize_t code = text ? known_text(object, objects, near, count, firsts, words) : -1;
        if (code == -1 && found < most) {
            firsts[code = found++] = i;
            if (text) {
                if (count < NEAR_WORDS) near[count++] = code;
                PyObject *number = PyLong_FromSsize_t(code);
                if (!number || PyDict_SetItem(words, object, number) < 0) code = -2;
                Py_XDECREF(number);
            }
        }
        if (code < 0) found = code;
        else codes[i] = (uint32_t)code;
        if (code >= 0 && held < most) { /* the same text may be many objects: beyond so many they are compared each time */
            held++;
            slots[slot].object = object;
            slots[slot].code = code;
        }
    }
    Py_XDECREF(words);
    free(slots);
    return found;
}

/* distinct(values, width, codes, firsts) -> how many values there are, or -1 for more than `firsts` has room for. `width`: words a row, of
 * rows; 0 of objects. */
static PyObject *distinct(PyObject *self, PyObject *args) {
    PyObject *objects[3];
    Py_ssize_t width, found = -2;
    if (!PyArg_ParseTuple(args, "OnOO", &objects[0], &width, &objects[1], &objects[2])) return NULL;
    const char *kinds[] = {width ? "I" : "O", "wI", "wq"};
    Buffers buffers = {.held = 0};
    if (hold(&buffers, objects, kinds, 3) == 0) {
        const Py_buffer *views = buffers.views;
        Py_ssize_t n = length_of(&views[1]), most = length_of(&views[2]);
        if (width < 0 || n > PY_SSIZE_T_MAX / (width + 8) || length_of(&views[0]) < n * (width ? width : 1) || most > INT32_MAX)
            PyErr_SetString(PyExc_ValueError, "a buffer is too short or too long");
        else if (!width)
            found = distinct_objects(views[0].buf, n, views[1].buf, views[2].buf, most);
        else {
            Py_BEGIN_ALLOW_THREADS
            found = distinct_rows(views[0].buf, width, n, views[1].buf, views[2].buf, most);
            Py_END_ALLOW_THREADS
        }
    }
    release(&buffers);
    return found == -2 ? NULL : PyLong_FromSsize_t(found);
}
