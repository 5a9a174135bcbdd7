/* JSON lines as a program writes them: every line an object of the same fields in the same order, scanned once.
 *
 * It gives what Python's json would give, or nothing: whatever is not as expected, or a number of which a double may not keep every digit,
 * is left to another reader. Only the limited API and the buffer protocol are used, so one build serves every CPython from 3.11.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { MOST_FIELDS = 256, MOST_TEXTS = 255, SLOTS = 1024, SHORT = 15, LONGEST = 64, MOST_DIGITS = 17, MOST_DECIMALS = 22, MOST_SCALE = 70, MOST_POWER = 10000 };

/* ---- numbers --------------------------------------------------------------------------------------------------------------- */

/* A number as it is written: its digits as a whole number (as far as there are no more than 17 that count), how many stand behind the
 * point, its power of ten, and what else there is to say of it. */
typedef struct {
    const char *start, *end;
    uint64_t digits;
    int counted, decimals, power, below, fraction, exponent;
} Written;

static int is_digit(const char *p, const char *stop) { return p < stop && *p >= '0' && *p <= '9'; }

static const char *digits_at(const char *p, const char *stop, Written *out, int behind_point) {
    for (; is_digit(p, stop); p++) {
        out->counted += out->counted || *p != '0';
        if (out->counted <= MOST_DIGITS) out->digits = 10 * out->digits + (uint64_t)(*p - '0');
        out->decimals += behind_point;
    }
    return p;
}

/* What stands at p by the grammar of JSON: 1, or 0 where that is no number, or one too long to be looked at. */
static int written_at(const char *p, const char *stop, Written *out) {
    *out = (Written){.start = p};
    if (stop - p > LONGEST) stop = p + LONGEST;
    if (p < stop && *p == '-') out->below = 1, p++;
    if (!is_digit(p, stop)) return 0;
    if (*p == '0' && is_digit(p + 1, stop)) return 0;
    p = digits_at(p, stop, out, 0);
    if (p < stop && *p == '.') {
        out->fraction = 1;
        if (!is_digit(++p, stop)) return 0;
        p = digits_at(p, stop, out, 1);
    }
    if (p < stop && (*p == 'e' || *p == 'E')) {
        out->fraction = out->exponent = 1;
        int below = ++p < stop && *p == '-', power = 0;
        if (p < stop && (*p == '-' || *p == '+')) p++;
        if (!is_digit(p, stop)) return 0;
        for (; is_digit(p, stop); p++) power = power < MOST_POWER ? 10 * power + (*p - '0') : power;
        out->power = below ? -power : power;
    }
    out->power -= out->decimals;
    out->end = p;
    return p < stop; /* something always stands behind it */
}

static const double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Without zeros at the end, which say nothing. */
static void strip(Written *text) {
    while (text->digits && text->digits % 10 == 0) text->digits /= 10, text->power++;
}

/* Python's own reading: 1 where what it writes for that double is the same number, digit by digit. */
static int is_repr(const Written *text, double *value) {
    char copy[LONGEST + 1];
    size_t length = (size_t)(text->end - text->start);
    memcpy(copy, text->start, length);
    copy[length] = 0;
    *value = PyOS_string_to_double(copy, NULL, NULL);
    char *again = *value == -1.0 && PyErr_Occurred() ? NULL : PyOS_double_to_string(*value, 'r', 0, 0, NULL);
    if (!again) {
        PyErr_Clear();
        return 0;
    }
    Written ours = *text, theirs;
    size_t written = strlen(again);
    memcpy(copy, again, written < LONGEST ? written + 1 : 0); /* a repr has at most 24 characters, and its end behind it */
    PyMem_Free(again);
    if (written >= LONGEST || ours.counted > MOST_DIGITS || !written_at(copy, copy + written + 1, &theirs)) return 0;
    strip(&ours);
    strip(&theirs);
    return ours.digits == theirs.digits && (ours.power == theirs.power || !ours.digits) && theirs.end == copy + written;
}

#ifdef __SIZEOF_INT128__
/* The same without Python, of fractions that are not very small, nor beyond 2**52; 0 where this cannot tell. A double is m / 2**k, the text w / 10**q, and
 * their distance times 10**q 2**k is the whole number w 2**k - m 10**q, known exactly. The double is the nearest where that is less than
 * half of 10**q; its shortest text is this one where no number of one digit less is as near as that, and no other of as many digits is
 * nearer. What lies on a border, or at a power of two, is left to Python. */
static int is_nearest_and_shortest(const Written *text, double *value) {
    if (text->counted > MOST_DIGITS || text->decimals > MOST_DECIMALS || text->digits % 10 == 0) return 0;
    double near = (double)text->digits / TENS[text->decimals];
    if (!(near > 0 && near < 0x1p52)) return 0;
    uint64_t bits;
    memcpy(&bits, &near, sizeof bits);
    int k = 1075 - (int)(bits >> 52);
    uint64_t m = (bits & (UINT64_MAX >> 12)) | UINT64_C(1) << 52;
    if (k < 1 || k > MOST_SCALE) return 0;
    __int128 power = 1;
    for (int i = 0; i < text->decimals; i++) power *= 10;
    __int128 half = power / 2, unit = (__int128)1 << k;
    __int128 apart = (__int128)text->digits * unit - (__int128)m * power;
    if (apart > half || apart < -half) { /* two roundings, of the digits and of the quotient, may be one double off */
        m += apart > 0 ? 1 : UINT64_MAX;
        apart -= apart > 0 ? power : -power;
    }
    if (m <= UINT64_C(1) << 52 || m >= UINT64_C(1) << 53 || apart >= half || apart <= -half) return 0;
    __int128 down = apart - (__int128)(text->digits % 10) * unit, up = down + 10 * unit;
    if (down >= -half || up <= half || 2 * apart >= unit || 2 * apart <= -unit) return 0;
    bits = (bits & ~(UINT64_MAX >> 12)) | (m & (UINT64_MAX >> 12));
    memcpy(value, &bits, sizeof bits);
    if (text->below) *value = -*value;
    return 1;
}
#else
static int is_nearest_and_shortest(const Written *text, double *value) { return (void)text, (void)value, 0; }
#endif

/* The double of a number in which no digit is lost: 1, or 0 in doubt. Up to fifteen digits no two numbers become one double; a longer
 * fraction has to be the number that Python writes for its double. So of all numbers that pass, no two become one. */
static int value_of(const Written *text, double *value) {
    if (text->end - text->start <= SHORT && !text->exponent) {
        *value = (double)text->digits / TENS[text->decimals]; /* both exact, so that this rounds once */
        if (text->below && (text->fraction || text->digits)) *value = -*value;
        return 1;
    }
    if (!text->fraction) return 0;
    return (!text->exponent && is_nearest_and_shortest(text, value)) || is_repr(text, value);
}

/* ---- texts ----------------------------------------------------------------------------------------------------------------- */

/* Behind the string that begins at p, of plain ASCII; NULL where it is not. */
static const char *behind_string(const char *p, const char *stop, int escapes) {
    for (p++; p < stop && *p != '"'; p++) {
        if (*p == '\\') {
            if (!escapes) return NULL;
            p++;
        }
        if (p >= stop || *p < 0x20 || *p >= 0x7f) return NULL;
    }
    return p < stop ? p + 1 : NULL;
}

static const char *behind_word(const char *p, const char *stop, const char *word) {
    size_t length = strlen(word);
    return (size_t)(stop - p) > length && !memcmp(p, word, length) ? p + length : NULL;
}

/* Behind the plain value at p; NULL where there is none. */
static const char *behind_value(const char *p, const char *stop, int escapes) {
    Written number;
    if (p >= stop) return NULL;
    switch (*p) {
    case '"': return behind_string(p, stop, escapes);
    case 't': return behind_word(p, stop, "true");
    case 'f': return behind_word(p, stop, "false");
    case 'n': return behind_word(p, stop, "null");
    default: return written_at(p, stop, &number) ? number.end : NULL;
    }
}

/* The texts of one field, each with its number; a slot holds 1 + the number of its text. */
typedef struct {
    const char *starts[MOST_TEXTS];
    Py_ssize_t lengths[MOST_TEXTS];
    uint8_t slots[SLOTS];
    int found, last;
} Texts;

static int is_text(const Texts *texts, int code, const char *p, Py_ssize_t length) {
    return texts->lengths[code] == length && !memcmp(texts->starts[code], p, (size_t)length);
}

/* The number of a text, a new one where it is not known; -1 where there are too many. Most rows have the text of the row before. */
static int code_of(Texts *texts, const char *p, Py_ssize_t length) {
    if (texts->found && is_text(texts, texts->last, p, length)) return texts->last;
    uint32_t hash = 2166136261u;
    for (Py_ssize_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)p[i]) * 16777619u;
    uint32_t slot = (hash ^ hash >> 15) % SLOTS;
    while (texts->slots[slot] && !is_text(texts, texts->slots[slot] - 1, p, length)) slot = (slot + 1) % SLOTS;
    if (!texts->slots[slot]) {
        if (texts->found == MOST_TEXTS) return -1;
        texts->starts[texts->found] = p;
        texts->lengths[texts->found++] = length;
        texts->slots[slot] = (uint8_t)texts->found;
    }
    return texts->last = texts->slots[slot] - 1;
}

/* ---- lines ----------------------------------------------------------------------------------------------------------------- */

/* A field: what stands ahead of its value, what is wanted of it ('n' a number, 't' a text, 's' nothing but that it is plain), and where
 * that goes. */
typedef struct {
    const char *ahead;
    Py_ssize_t length;
    char kind;
    int fraction;
    Texts *texts;
    Py_buffer out;
} Field;

static const char *behind_field(Field *field, const char *p, const char *stop, Py_ssize_t row) {
    if (stop - p <= field->length || memcmp(p, field->ahead, (size_t)field->length)) return NULL;
    p += field->length;
    if (field->kind == 'n') {
        Written number;
        double value;
        if (!written_at(p, stop, &number) || !value_of(&number, &value)) return NULL;
        field->fraction |= number.fraction;
        memcpy((char *)field->out.buf + 8 * row, &value, sizeof value);
        return number.end;
    }
    const char *end = behind_value(p, stop, field->kind == 't');
    if (field->kind == 't' && end) {
        int code = code_of(field->texts, p, end - p);
        if (code < 0) return NULL;
        ((uint8_t *)field->out.buf)[row] = (uint8_t)code;
    }
    return end;
}

/* How many lines there are, or -1 where one is not as expected. */
static Py_ssize_t scan_lines(Field *fields, Py_ssize_t count, const char *p, const char *stop, const char *behind, Py_ssize_t length, Py_ssize_t most) {
    Py_ssize_t row = 0;
    for (; p < stop; row++) {
        if (row == most) return -1;
        for (Py_ssize_t i = 0; i < count && p; i++) p = behind_field(&fields[i], p, stop, row);
        if (!p || stop - p <= length || memcmp(p, behind, (size_t)length) || p[length] != '\n') return -1;
        p += length + 1;
    }
    return row;
}

/* The texts that are known from lines before. */
static int recall(Texts *texts, PyObject *known) {
    for (Py_ssize_t i = 0, count = PyList_Size(known); i < count; i++) {
        char *start;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyList_GetItem(known, i), &start, &length) < 0) return -1;
        if (code_of(texts, start, length) != i) {
            PyErr_SetString(PyExc_ValueError, "a text is known twice, or there are too many");
            return -1;
        }
    }
    return 0;
}

static int remember(const Texts *texts, PyObject *known) {
    for (int i = (int)PyList_Size(known); i < texts->found; i++) {
        PyObject *text = PyBytes_FromStringAndSize(texts->starts[i], texts->lengths[i]);
        int failed = !text || PyList_Append(known, text) < 0;
        Py_XDECREF(text);
        if (failed) return -1;
    }
    return 0;
}

/* A field from its four parts; -1 with an exception set. `out` and `texts` are to be given back either way. */
static int open_field(Field *field, PyObject *given, Py_ssize_t *rows) {
    char *ahead;
    int kind;
    PyObject *bytes, *out, *known;
    if (!PyTuple_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "a field is a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(given, "SCOO", &bytes, &kind, &out, &known)) return -1;
    if (PyBytes_AsStringAndSize(bytes, &ahead, &field->length) < 0) return -1;
    field->ahead = ahead;
    field->kind = (char)kind;
    if (kind == 's') return 0;
    if ((kind != 'n' && kind != 't') || !PyList_Check(known)) {
        PyErr_SetString(PyExc_ValueError, "a field is a number, a text or skipped, and has a list of its texts");
        return -1;
    }
    if (PyObject_GetBuffer(out, &field->out, PyBUF_WRITABLE) < 0) return -1;
    Py_ssize_t room = field->out.len / (kind == 'n' ? 8 : 1);
    if (room < *rows) *rows = room;
    if (kind == 'n') return 0;
    field->texts = PyMem_Calloc(1, sizeof *field->texts);
    if (!field->texts) {
        PyErr_NoMemory();
        return -1;
    }
    return recall(field->texts, known);
}

/* scan(lines, fields, behind) -> (lines, bits of the fields that have fractions), or None in doubt. A field is what stands ahead of it, its
 * kind, room for its values, and its texts, to which new ones are added. */
static PyObject *scan(PyObject *self, PyObject *args) {
    PyObject *lines, *given;
    const char *behind;
    Py_ssize_t length, rows = -1, most = PY_SSIZE_T_MAX, count;
    Py_buffer data;
    if (!PyArg_ParseTuple(args, "OO!y#", &lines, &PyTuple_Type, &given, &behind, &length)) return NULL;
    if (PyObject_GetBuffer(lines, &data, PyBUF_SIMPLE) < 0) return NULL;
    count = PyTuple_Size(given);
    Field *fields = NULL;
    if (count < 1 || count > MOST_FIELDS) PyErr_SetString(PyExc_ValueError, "no fields, or too many");
    else if (!(fields = PyMem_Calloc((size_t)count, sizeof *fields))) PyErr_NoMemory();
    int wrong = !fields;
    for (Py_ssize_t i = 0; i < count && !wrong; i++) wrong = open_field(&fields[i], PyTuple_GetItem(given, i), &most) < 0;
    if (!wrong) rows = scan_lines(fields, count, data.buf, (const char *)data.buf + data.len, behind, length, most);
    PyObject *fractions = wrong ? NULL : PyList_New(0);
    wrong = wrong || !fractions;
    for (Py_ssize_t i = 0; i < count && rows >= 0 && !wrong; i++) {
        if (fields[i].texts) wrong = remember(fields[i].texts, PyTuple_GetItem(PyTuple_GetItem(given, i), 3)) < 0;
        wrong = wrong || PyList_Append(fractions, fields[i].fraction ? Py_True : Py_False) < 0;
    }
    for (Py_ssize_t i = 0; fields && i < count; i++) {
        PyMem_Free(fields[i].texts);
        if (fields[i].out.obj) PyBuffer_Release(&fields[i].out);
    }
    PyMem_Free(fields);
    PyBuffer_Release(&data);
    PyObject *found = wrong ? NULL : rows < 0 ? Py_NewRef(Py_None) : Py_BuildValue("nO", rows, fractions);
    Py_XDECREF(fractions);
    return found;
}

/* whole(doubles): each becomes an int64 where it lies; they are whole, and none is large. */
static PyObject *whole(PyObject *self, PyObject *doubles) {
    Py_buffer out;
    if (PyObject_GetBuffer(doubles, &out, PyBUF_WRITABLE) < 0) return NULL;
    int wrong = 0;
    for (Py_ssize_t i = 0; i < out.len / 8 && !wrong; i++) {
        double value;
        memcpy(&value, (char *)out.buf + 8 * i, sizeof value);
        wrong = !(value > -0x1p53 && value < 0x1p53);
        int64_t number = wrong ? 0 : (int64_t)value;
        memcpy((char *)out.buf + 8 * i, &number, sizeof number);
    }
    PyBuffer_Release(&out);
    if (wrong) {
        PyErr_SetString(PyExc_ValueError, "a number is too large");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"scan", scan, METH_VARARGS, "scan(lines, fields, behind) -> (lines, which fields have fractions), or None in doubt"},
    {"whole", whole, METH_O, "whole(doubles): each becomes an int64 where it lies"},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "baserate.read._lines", .m_doc = "JSON lines as a program writes them.", .m_methods = methods, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__lines(void) { return PyModuleDef_Init(&definition); }
