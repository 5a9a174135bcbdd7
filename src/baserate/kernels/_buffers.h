/* Memory borrowed from Python objects by the buffer protocol. Included by _kernels.c only. */
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { MOST_BUFFERS = 11 };

typedef struct {
    Py_buffer views[MOST_BUFFERS];
    int held;
} Buffers;

/* 'd' float64, 'f' float32, 'q' int64, 'Q' uint64, 'I' uint32, 'B' bytes or bools, 'O' objects; 0 for anything else. */
static char kind_of(const Py_buffer *view) {
    const char *format = view->format ? view->format : "B";
    if (format[0] && format[1]) return 0;
    switch (format[0]) {
    case 'd': return view->itemsize == 8 ? 'd' : 0;
    case 'f': return view->itemsize == 4 ? 'f' : 0;
    case 'l': case 'q': return view->itemsize == 8 ? 'q' : 0;
    case 'I': case 'L': case 'Q': return view->itemsize == 8 ? 'Q' : view->itemsize == 4 ? 'I' : 0;
    case 'O': return view->itemsize == sizeof(PyObject *) ? 'O' : 0;
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
