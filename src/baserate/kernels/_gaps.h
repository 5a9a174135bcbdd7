/* Where negatives fall between the positives' scores. Included by _kernels.c only. */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* Fill the table; 0, or the reason why not. Anchors are copied first and checked in the copy, so that nobody can change them later.
 * Called without the GIL. */
static const char *index_anchors(Anchors *a, const int64_t *anchors, Py_ssize_t count) {
    a->sorted = malloc(2 * ((size_t)count + 1) * sizeof *a->sorted);
    if (!a->sorted) return "no memory for the anchors";
    memcpy(a->sorted, anchors, (size_t)count * sizeof *anchors);
    anchors = a->sorted;
    for (Py_ssize_t j = 1; j < count; j++)
        if (anchors[j - 1] >= anchors[j]) return "anchors do not ascend";
    int digits = bit_length((uint64_t)count) + 2;
    size_t buckets = (size_t)1 << digits;
    uint64_t span = (uint64_t)anchors[count - 1] - (uint64_t)anchors[0];
    a->shift = bit_length(span) > digits ? bit_length(span) - digits : 0;
    a->count = count;
    a->table = calloc(buckets + 1, sizeof *a->table);
    if (!a->table) return "no memory for the table of anchors";
    uint32_t fullest = 0;
    for (Py_ssize_t j = 0; j < count; j++) {
        uint32_t *size = &a->table[bucket_of(a, anchors[j]) + 1];
        if (++*size > fullest) fullest = *size;
    }
    for (size_t b = 0; b < buckets; b++) a->table[b + 1] += a->table[b];
    for (a->half = 1; 2 * a->half <= (Py_ssize_t)fullest; a->half *= 2) {}
    for (Py_ssize_t j = count; j < 2 * (count + 1); j++) a->sorted[j] = INT64_MAX;
    return NULL;
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
