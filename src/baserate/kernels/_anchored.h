/* Gaps: how Python calls what is in _gaps.h, with anchors that are put in order once. Included by _kernels.c only. */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

static const char ANCHORS[] = "baserate.anchors";

static void forget_anchors(PyObject *capsule) {
    Anchors *anchors = PyCapsule_GetPointer(capsule, ANCHORS);
    if (!anchors) return;
    free(anchors->sorted);
    free(anchors->table);
    free(anchors);
}

/* index(anchors) -> what gaps look scores up in. `anchors`: ordered integers, ascending, each once, at least one. */
static PyObject *index_of(PyObject *self, PyObject *args) {
    PyObject *object;
    if (!PyArg_ParseTuple(args, "O", &object)) return NULL;
    Anchors *anchors = calloc(1, sizeof(Anchors));
    if (!anchors) return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(anchors, ANCHORS, forget_anchors);
    if (!capsule) {
        free(anchors);
        return NULL;
    }
    const char *kinds[] = {"q"}, *wrong = "";
    Buffers buffers = {.held = 0};
    if (hold(&buffers, &object, kinds, 1) == 0) {
        Py_ssize_t count = length_of(&buffers.views[0]);
        Py_BEGIN_ALLOW_THREADS
        wrong = index_anchors(anchors, buffers.views[0].buf, count);
        Py_END_ALLOW_THREADS
        if (wrong) PyErr_SetString(PyExc_ValueError, wrong);
    }
    release(&buffers);
    if (!wrong) return capsule;
    Py_DECREF(capsule);
    return NULL;
}

/* gaps(scores, labels, index, ties, gaps, lowest). gaps[j] counts the negatives strictly between anchors j-1 and j, lowest[j] is their
 * least; both have one entry more than the anchors. No score may be NaN. Adds to what the arrays hold. */
static PyObject *gaps(PyObject *self, PyObject *args) {
    PyObject *objects[5], *capsule;
    if (!PyArg_ParseTuple(args, "OOOOOO", &objects[0], &objects[1], &capsule, &objects[2], &objects[3], &objects[4])) return NULL;
    const Anchors *anchors = PyCapsule_GetPointer(capsule, ANCHORS);
    if (!anchors) return NULL;
    const char *kinds[] = {"dfq", "B", "wq", "wq", "wq"};
    Buffers buffers = {.held = 0};
    int done = 0;
    if (hold(&buffers, objects, kinds, 5) == 0) {
        const Py_buffer *views = buffers.views;
        Py_ssize_t n = length_of(&views[0]);
        char kind = kind_of(&views[0]);
        if (length_of(&views[1]) < n || length_of(&views[2]) < anchors->count || !long_enough(&buffers, 3, anchors->count + 1))
            PyErr_SetString(PyExc_ValueError, "a buffer is too short");
        else {
            const uint8_t *labels = views[1].buf;
            int64_t *ties = views[2].buf, *between = views[3].buf, *lowest = views[4].buf;
            Py_BEGIN_ALLOW_THREADS
            if (kind == 'd') gaps_f64(views[0].buf, labels, n, anchors, ties, between, lowest);
            else if (kind == 'f') gaps_f32(views[0].buf, labels, n, anchors, ties, between, lowest);
            else gaps_i64(views[0].buf, labels, n, anchors, ties, between, lowest);
            Py_END_ALLOW_THREADS
            done = 1;
        }
    }
    release(&buffers);
    if (!done) return NULL;
    Py_RETURN_NONE;
}
