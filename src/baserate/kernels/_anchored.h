/* Gaps and bins: how Python calls what is in _gaps.h, with anchors that are put in order once. Included by _kernels.c only. */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

static const char ANCHORS[] = "baserate.anchors", EDGES[] = "baserate.edges";

static void forget_anchors(PyObject *capsule) {
    Anchors *anchors = PyCapsule_GetPointer(capsule, ANCHORS);
    if (!anchors) return;
    free(anchors->sorted);
    free(anchors->table);
    free(anchors);
}

static void forget_edges(PyObject *capsule) {
    Edges *edges = PyCapsule_GetPointer(capsule, EDGES);
    if (!edges) return;
    free(edges->anchors.sorted);
    free(edges->anchors.table);
    free(edges);
}

static const char *put_in_order(void *room, int as_edges, const int64_t *given, Py_ssize_t count) {
    return as_edges ? index_edges(room, given, count) : index_anchors(room, given, count);
}

static PyObject *indexed(PyObject *args, int as_edges) {
    PyObject *object;
    if (!PyArg_ParseTuple(args, "O", &object)) return NULL;
    void *room = calloc(1, as_edges ? sizeof(Edges) : sizeof(Anchors));
    if (!room) return PyErr_NoMemory();
    PyObject *capsule = as_edges ? PyCapsule_New(room, EDGES, forget_edges) : PyCapsule_New(room, ANCHORS, forget_anchors);
    if (!capsule) {
        free(room);
        return NULL;
    }
    const char *kinds[] = {"q"}, *wrong = "";
    Buffers buffers = {.held = 0};
    if (hold(&buffers, &object, kinds, 1) == 0) {
        Py_ssize_t count = length_of(&buffers.views[0]);
        Py_BEGIN_ALLOW_THREADS
        wrong = put_in_order(room, as_edges, buffers.views[0].buf, count);
        Py_END_ALLOW_THREADS
        if (wrong) PyErr_SetString(PyExc_ValueError, wrong);
    }
    release(&buffers);
    if (!wrong) return capsule;
    Py_DECREF(capsule);
    return NULL;
}

/* index(anchors) -> what gaps look scores up in. `anchors`: ordered integers, ascending, each once, at least one. */
static PyObject *index_of(PyObject *self, PyObject *args) { return indexed(args, 0); }

/* edges(edges) -> the same for bins. */
static PyObject *edges_of(PyObject *self, PyObject *args) { return indexed(args, 1); }

/* even(edges) -> whether bins are found by arithmetic. */
static PyObject *even(PyObject *self, PyObject *args) {
    PyObject *capsule;
    if (!PyArg_ParseTuple(args, "O", &capsule)) return NULL;
    const Edges *edges = PyCapsule_GetPointer(capsule, EDGES);
    return edges ? PyBool_FromLong(edges->even) : NULL;
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

/* bins(scores, labels, edges, tallies, bins): a word and four words a bin, one bin more than there are edges. Adds to what they hold. Fewer
 * than 2^24 cases go between two calls of settle. */
static PyObject *bins(PyObject *self, PyObject *args) {
    PyObject *objects[4], *capsule;
    if (!PyArg_ParseTuple(args, "OOOOO", &objects[0], &objects[1], &capsule, &objects[2], &objects[3])) return NULL;
    const Edges *edges = PyCapsule_GetPointer(capsule, EDGES);
    if (!edges) return NULL;
    const char *kinds[] = {"dfq", "B", "wQ", "wq"};
    Buffers buffers = {.held = 0};
    int done = 0;
    if (hold(&buffers, objects, kinds, 4) == 0) {
        const Py_buffer *views = buffers.views;
        Py_ssize_t n = length_of(&views[0]), count = edges->anchors.count + 1;
        char kind = kind_of(&views[0]);
        if (length_of(&views[1]) < n || length_of(&views[2]) < count || length_of(&views[3]) < OF_BIN * count)
            PyErr_SetString(PyExc_ValueError, "a buffer is too short");
        else {
            Orders to_orders = kind == 'd' ? orders_f64 : kind == 'f' ? orders_f32 : orders_i64;
            Py_BEGIN_ALLOW_THREADS
            if (edges->even) tally_bins(views[0].buf, to_orders, views[1].buf, n, edges, views[2].buf, views[3].buf);
            else fill_bins(views[0].buf, to_orders, views[1].buf, n, edges, views[3].buf);
            Py_END_ALLOW_THREADS
            done = 1;
        }
    }
    release(&buffers);
    if (!done) return NULL;
    Py_RETURN_NONE;
}

/* settle(tallies, bins): add the cases of the tallies to the bins. */
static PyObject *settle(PyObject *self, PyObject *args) {
    PyObject *objects[2];
    if (!PyArg_ParseTuple(args, "OO", &objects[0], &objects[1])) return NULL;
    const char *kinds[] = {"wQ", "wq"};
    Buffers buffers = {.held = 0};
    int done = 0;
    if (hold(&buffers, objects, kinds, 2) == 0) {
        Py_ssize_t count = length_of(&buffers.views[0]);
        if (long_enough(&buffers, 1, OF_BIN * count)) {
            Py_BEGIN_ALLOW_THREADS
            settle_tallies(buffers.views[0].buf, buffers.views[1].buf, count);
            Py_END_ALLOW_THREADS
            done = 1;
        }
    }
    release(&buffers);
    if (!done) return NULL;
    Py_RETURN_NONE;
}
