/* Where negatives fall between the positives' scores. Included by _kernels.c only. */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define PREFETCH(ADDRESS) __builtin_prefetch(ADDRESS)
#else
#define PREFETCH(ADDRESS) ((void)(ADDRESS))
#endif

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

/* Anchors are copied first and checked in the copy, so that nobody can change them later. 0, or the reason why not. Called without the GIL. */
static const char *copy_anchors(Anchors *a, const int64_t *anchors, Py_ssize_t count) {
    if (count < 1 || count > INT32_MAX) return "there are no anchors, or too many";
    a->sorted = malloc(2 * ((size_t)count + 1) * sizeof *a->sorted);
    if (!a->sorted) return "no memory for the anchors";
    memcpy(a->sorted, anchors, (size_t)count * sizeof *anchors);
    for (Py_ssize_t j = 1; j < count; j++)
        if (a->sorted[j - 1] >= a->sorted[j]) return "anchors do not ascend";
    for (Py_ssize_t j = count; j < 2 * (count + 1); j++) a->sorted[j] = INT64_MAX;
    a->count = count;
    return NULL;
}

/* Fill the table. */
static const char *tabulate_anchors(Anchors *a) {
    int digits = bit_length((uint64_t)a->count) + 2;
    size_t buckets = (size_t)1 << digits;
    uint64_t span = (uint64_t)a->sorted[a->count - 1] - (uint64_t)a->sorted[0];
    a->shift = bit_length(span) > digits ? bit_length(span) - digits : 0;
    a->table = calloc(buckets + 1, sizeof *a->table);
    if (!a->table) return "no memory for the table of anchors";
    uint32_t fullest = 0;
    for (Py_ssize_t j = 0; j < a->count; j++) {
        uint32_t *size = &a->table[bucket_of(a, a->sorted[j]) + 1];
        if (++*size > fullest) fullest = *size;
    }
    for (size_t b = 0; b < buckets; b++) a->table[b + 1] += a->table[b];
    for (a->half = 1; 2 * a->half <= (Py_ssize_t)fullest; a->half *= 2) {}
    return NULL;
}

static const char *index_anchors(Anchors *a, const int64_t *anchors, Py_ssize_t count) {
    const char *wrong = copy_anchors(a, anchors, count);
    return wrong ? wrong : tabulate_anchors(a);
}

/* Where each order lies among the anchors: how many are below it. In blocks, so that the processor fetches what a whole block needs from
 * memory at once: with a million anchors, nearly every look into the table misses the cache. */
enum { BLOCK = 64 };

static void places_among(const Anchors *a, const int64_t *orders, Py_ssize_t *places, int n) {
    int64_t first = a->sorted[0], last = a->sorted[a->count - 1];
    uint64_t buckets[BLOCK];
    for (int k = 0; k < n; k++) {
        int64_t order = orders[k], inside = order < first ? first : order > last ? last : order;
        buckets[k] = bucket_of(a, inside);
        PREFETCH(&a->table[buckets[k]]);
    }
    for (int k = 0; k < n; k++) {
        places[k] = a->table[buckets[k]];
        PREFETCH(&a->sorted[places[k]]);
    }
    for (int k = 0; k < n; k++) {
        Py_ssize_t place = places[k];
        for (Py_ssize_t half = a->half; half; half >>= 1) place += a->sorted[place + half - 1] < orders[k] ? half : 0;
        places[k] = place;
    }
}

#define GAPS(NAME, SCORE, ORDER)                                                                                    \
    static void NAME(const SCORE *scores, const uint8_t *labels, Py_ssize_t n, const Anchors *anchors,              \
                     int64_t *ties, int64_t *gaps, int64_t *lowest) {                                               \
        int64_t orders[BLOCK];                                                                                      \
        Py_ssize_t places[BLOCK];                                                                                   \
        for (Py_ssize_t i = 0; i < n;) {                                                                            \
            int found = 0;                                                                                          \
            for (; i < n && found < BLOCK; i++) {                                                                   \
                orders[found] = ORDER(scores[i]);                                                                   \
                found += !labels[i]; /* no branch: labels are hard to guess */                                      \
            }                                                                                                       \
            places_among(anchors, orders, places, found);                                                           \
            for (int k = 0; k < found; k++) {                                                                       \
                Py_ssize_t place = places[k];                                                                       \
                if (place < anchors->count && anchors->sorted[place] == orders[k]) {                                \
                    ties[place]++;                                                                                  \
                } else {                                                                                            \
                    gaps[place]++;                                                                                  \
                    if (orders[k] < lowest[place]) lowest[place] = orders[k];                                       \
                }                                                                                                   \
            }                                                                                                       \
        }                                                                                                           \
    }

GAPS(gaps_f64, double, order_f64)
GAPS(gaps_f32, float, order_f32)
GAPS(gaps_i64, int64_t, order_i64)
