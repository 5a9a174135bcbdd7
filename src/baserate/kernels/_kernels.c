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

/* ---- buffers ------------------------------------------------------------------------------------------------------------ */

enum { MOST_BUFFERS = 6 };

typedef struct {
    Py_buffer views[MOST_BUFFERS];
    int held;
} Buffers;

/* 'd' float64, 'f' float32, 'q' int64, 'Q' uint64, 'I' uint32, 'B' bytes or bools; 0 for anything else. */
static char kind_of(const Py_buffer *view) {
    char format = view->format ? view->format[0] : 'B';
    switch (format) {
    case 'd': case 'f': case 'I': case 'B': return format;
    case '?': return 'B';
    case 'l': case 'q': return view->itemsize == 8 ? 'q' : 0;
    case 'L': case 'Q': return view->itemsize == 8 ? 'Q' : view->itemsize == 4 ? 'I' : 0;
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
        if (!kind || !strchr(kinds[i] + writable, kind)) {
            PyErr_Format(PyExc_TypeError, "buffer %d has item type '%s', not one of '%s'", i, view->format, kinds[i] + writable);
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

/* ---- sort: radix from the top, insertion at the bottom ------------------------------------------------------------------- */

/* Why not np.sort: its AVX-512 code is six times slower than its AVX2 code on some processors (docs/decisions/0003); this one
 * costs the same everywhere. LEAF and MOST_DIGIT were tuned on 1e4, 1e6 and 1e7 keys. */
enum { LEAF = 16, MOST_DIGIT = 12, WORKSPACE = 1 << 15 };

static int bit_length(uint64_t x) {
    int length = 0;
    for (int step = 32; step; step >>= 1)
        if (x >> step) x >>= step, length += step;
    return length + (x != 0);
}

typedef struct {
    uint64_t key, payload;
} Pair;

/* Sort items[0..n), leaving the result in `items` or, if `into_other`, in `other`. Each level splits the range of its keys evenly into
 * buckets; buckets of more than LEAF items are sorted in turn, the others settle by insertion, many at a time. `ends` is room for the
 * bucket counts of this level and those below: a level that uses b bits needs 2^b + 1 slots, leaves ranges of b bits less to the next,
 * and b <= 12, so that WORKSPACE slots are enough for 64 bits. */
#define SORT(NAME, ITEM, WORD, KEY)                                                                                             \
    /* Insertion from one place into another (or the same): linear where every item is near its own place. */                   \
    static void NAME##_settle(const ITEM *from, ITEM *into, Py_ssize_t n) {                                                     \
        for (Py_ssize_t i = 0; i < n; i++) {                                                                                    \
            ITEM moving = from[i];                                                                                              \
            Py_ssize_t j = i;                                                                                                   \
            for (; j > 0 && into[j - 1] KEY > moving KEY; j--) into[j] = into[j - 1];                                           \
            into[j] = moving;                                                                                                   \
        }                                                                                                                       \
    }                                                                                                                           \
    static void NAME(ITEM *items, ITEM *other, Py_ssize_t n, int into_other, Py_ssize_t *ends) {                                \
        ITEM *result = into_other ? other : items;                                                                              \
        if (n <= LEAF) {                                                                                                        \
            NAME##_settle(items, result, n);                                                                                    \
            return;                                                                                                             \
        }                                                                                                                       \
        WORD low = items[0] KEY, high = low;                                                                                    \
        for (Py_ssize_t i = 1; i < n; i++) {                                                                                    \
            WORD key = items[i] KEY;                                                                                            \
            low = key < low ? key : low;                                                                                        \
            high = key > high ? key : high;                                                                                     \
        }                                                                                                                       \
        int bits = bit_length(high - low), digit = bit_length((uint64_t)n);                                                     \
        if (digit > MOST_DIGIT) digit = MOST_DIGIT;                                                                             \
        if (digit > bits) digit = bits;                                                                                         \
        int shift = bits - digit;                                                                                               \
        Py_ssize_t buckets = (Py_ssize_t)1 << digit;                                                                            \
        memset(ends, 0, (size_t)(buckets + 1) * sizeof *ends);                                                                  \
        for (Py_ssize_t i = 0; i < n; i++) ends[((WORD)(items[i] KEY - low) >> shift) + 1]++;                                   \
        for (Py_ssize_t b = 0; b < buckets; b++) ends[b + 1] += ends[b];                                                        \
        for (Py_ssize_t i = 0; i < n; i++) other[ends[(WORD)(items[i] KEY - low) >> shift]++] = items[i];                       \
        Py_ssize_t settled = 0;                                                                                                 \
        for (Py_ssize_t b = 0, from = 0; b < buckets && shift; from = ends[b++]) {                                              \
            Py_ssize_t size = ends[b] - from;                                                                                   \
            if (size <= LEAF) continue;                                                                                         \
            NAME##_settle(other + settled, result + settled, from - settled);                                                   \
            NAME(other + from, items + from, size, !into_other, ends + buckets + 1);                                            \
            settled = ends[b];                                                                                                  \
        }                                                                                                                       \
        NAME##_settle(other + settled, result + settled, n - settled);                                                          \
    }

SORT(sort_u64, uint64_t, uint64_t, )
SORT(sort_u32, uint32_t, uint32_t, )
SORT(sort_pair, Pair, uint64_t, .key)

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
        if (kind_of(&buffers.views[1]) != kind)
            PyErr_SetString(PyExc_TypeError, "scratch must have the type of the items");
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

/* ---- gaps: where negatives fall between the positives' scores -------------------------------------------------------------- */

/* A score as a signed integer of the same order. */
static int64_t order_f64(double score) {
    int64_t bits;
    score += 0.0;
    memcpy(&bits, &score, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static int64_t order_f32(float score) { return order_f64((double)score); }

static int64_t order_i64(int64_t score) { return score; }

/* A table over the leading bits of (order - first anchor) leads to the few anchors that can matter; the search among those takes the
 * same number of steps for every row, so that nothing is mispredicted. `sorted` is the anchors with INT64_MAX behind them, far enough
 * for that search; `table[b]` is the number of anchors before bucket b. */
typedef struct {
    int64_t *sorted;
    uint32_t *table;
    Py_ssize_t count, half;
    int shift;
} Anchors;

static uint64_t bucket_of(const Anchors *a, int64_t order) { return ((uint64_t)order - (uint64_t)a->sorted[0]) >> a->shift; }

/* Fill the table for ascending anchors; 0, or -1 without memory. Called without the GIL. */
static int index_anchors(Anchors *a, const int64_t *anchors, Py_ssize_t count) {
    int digits = bit_length((uint64_t)count) + 2;
    size_t buckets = (size_t)1 << digits;
    uint64_t span = (uint64_t)anchors[count - 1] - (uint64_t)anchors[0];
    a->shift = bit_length(span) > digits ? bit_length(span) - digits : 0;
    a->count = count;
    a->sorted = malloc(2 * (size_t)count * sizeof *a->sorted + 2 * sizeof *a->sorted);
    a->table = calloc(buckets + 1, sizeof *a->table);
    if (!a->sorted || !a->table) return -1;
    memcpy(a->sorted, anchors, (size_t)count * sizeof *anchors);
    uint32_t fullest = 0;
    for (Py_ssize_t j = 0; j < count; j++) {
        uint32_t *size = &a->table[bucket_of(a, anchors[j]) + 1];
        if (++*size > fullest) fullest = *size;
    }
    for (size_t b = 0; b < buckets; b++) a->table[b + 1] += a->table[b];
    for (a->half = 1; 2 * a->half <= (Py_ssize_t)fullest; a->half *= 2) {}
    for (Py_ssize_t j = count; j < 2 * count + 2; j++) a->sorted[j] = INT64_MAX;
    return 0;
}

/* The number of anchors below `order`. */
static Py_ssize_t anchors_below(const Anchors *a, int64_t order) {
    int64_t first = a->sorted[0], last = a->sorted[a->count - 1];
    int64_t inside = order < first ? first : order > last ? last : order;
    Py_ssize_t place = a->table[bucket_of(a, inside)];
    for (Py_ssize_t half = a->half; half; half >>= 1) place += a->sorted[place + half - 1] < order ? half : 0;
    return place;
}

#define GAPS(NAME, SCORE, ORDER)                                                                                    \
    static void NAME(const SCORE *scores, const uint8_t *labels, Py_ssize_t n, const Anchors *anchors,              \
                     int64_t *ties, int64_t *gaps, int64_t *lowest) {                                               \
        for (Py_ssize_t i = 0; i < n; i++) {                                                                        \
            if (labels[i]) continue;                                                                                \
            int64_t order = ORDER(scores[i]);                                                                       \
            Py_ssize_t place = anchors_below(anchors, order);                                                       \
            if (place < anchors->count && anchors->sorted[place] == order) {                                         \
                ties[place]++;                                                                                      \
            } else {                                                                                                \
                gaps[place]++;                                                                                      \
                if (order < lowest[place]) lowest[place] = order;                                                   \
            }                                                                                                       \
        }                                                                                                           \
    }

GAPS(gaps_f64, double, order_f64)
GAPS(gaps_f32, float, order_f32)
GAPS(gaps_i64, int64_t, order_i64)

/* gaps(scores, labels, anchors, ties, gaps, lowest). `anchors`: the positives' distinct scores as ordered integers, ascending, at least
 * one. gaps[j] counts the negatives strictly between anchors j-1 and j, lowest[j] is their least; both have one entry more than
 * the anchors. No score may be NaN. */
static PyObject *gaps(PyObject *self, PyObject *args) {
    PyObject *objects[6];
    if (!PyArg_ParseTuple(args, "OOOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4], &objects[5])) return NULL;
    const char *kinds[] = {"dfq", "B", "q", "wq", "wq", "wq"};
    Buffers buffers = {.held = 0};
    Anchors anchors = {.sorted = NULL, .table = NULL};
    int done = 0;
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
            done = index_anchors(&anchors, views[2].buf, count) == 0;
            if (!done) {}
            else if (kind == 'd') gaps_f64(views[0].buf, labels, n, &anchors, ties, between, lowest);
            else if (kind == 'f') gaps_f32(views[0].buf, labels, n, &anchors, ties, between, lowest);
            else gaps_i64(views[0].buf, labels, n, &anchors, ties, between, lowest);
            Py_END_ALLOW_THREADS
            if (!done) PyErr_NoMemory();
        }
    }
    release(&buffers);
    free(anchors.sorted);
    free(anchors.table);
    if (!done) return NULL;
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
