/* Both classes between edges, with the lowest and the highest score of each bin. Included by _kernels.c only.
 *
 * A bin is four words of 64 bits: negatives, positives, lowest and highest order. A million of them do not fit a cache, so that most cases
 * touch one word of 64 bits instead, a tally: 24 bits for either class, and the lowest and highest key, which are the leading 8 bits of where
 * in its bin a case lies. A case whose key lies strictly between those of others is neither the lowest nor the highest, and only the others go
 * to the bin itself. Tallies are added to the bins now and then, before they overflow.
 *
 * Where edges lie evenly within each of some equal parts of the range, arithmetic finds the bin, and there is no table to look into: see Part.
 */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OF_BIN = 4, PARTS_BITS = 11, PARTS = 1 << PARTS_BITS, CLASS_BITS = 24, KEY_BITS = 8, LOW_AT = 48, HIGH_AT = 56 };
#define KEY_MASK ((uint64_t)((1 << KEY_BITS) - 1))
#define CLASS_MASK (((uint64_t)1 << CLASS_BITS) - 1)

/* Of a part of the range: how many edges lie before it, how many lie in it evenly (EVEN_MASK), and how many beside these, such as thresholds that
 * somebody asked for (in the bits above). SEARCH there: none are even, and all have to be searched. */
enum { EVEN_BITS = 24, MOST_EXTRAS = 8, SEARCH = 255 };
#define EVEN_MASK (((uint32_t)1 << EVEN_BITS) - 1)

typedef struct {
    uint32_t before, inside;
} Part;

typedef struct {
    Anchors anchors; /* has a table only where the edges are not even */
    Part parts[PARTS + 1];
    int64_t extras[PARTS][MOST_EXTRAS];
    Py_ssize_t first; /* the edge at which the parts begin; the few before it are searched */
    int even, shift;  /* a part is 2^shift orders wide */
} Edges;

typedef void (*Orders)(const void *scores, Py_ssize_t first, int n, int64_t *orders);

#define ORDERS(NAME, SCORE, ORDER)                                                             \
    static void NAME(const void *scores, Py_ssize_t first, int n, int64_t *orders) {           \
        const SCORE *from = (const SCORE *)scores + first;                                     \
        for (int k = 0; k < n; k++) orders[k] = ORDER(from[k]);                                \
    }

ORDERS(orders_f64, double, order_f64)
ORDERS(orders_f32, float, order_f32)
ORDERS(orders_i64, int64_t, order_i64)

/* Of an offset within a part that has `inside` edges, one of them at its start: how many of them lie at or below it, less one, and in the bits
 * behind the point how far it is on its way to the next. Never falls as the offset rises. `shift` has at most 63 bits, of which 32 count. */
static uint64_t way_of(uint64_t offset, uint32_t inside, int shift) { return (shift > 32 ? offset >> (shift - 32) : offset) * inside; }

static int point_of(int shift) { return shift > 32 ? 32 : shift; }

static int is_expected(uint64_t offset, uint32_t j, uint32_t inside, int shift) {
    int point = point_of(shift);
    if (j == 0) return offset == 0;
    return way_of(offset, inside, shift) >> point == j && way_of(offset - 1, inside, shift) >> point == j - 1;
}

/* Whether arithmetic finds every one of `count` edges of a part but `extras`, which are put aside. As it never falls, it is then right between
 * them too. */
static int fits(const int64_t *edges, uint32_t count, uint32_t extras, int64_t origin, int shift, int64_t *aside) {
    uint32_t even = count - extras, j = 0, found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (j < even && is_expected((uint64_t)edges[i] - (uint64_t)origin, j, even, shift)) j++;
        else if (found == extras) return 0;
        else aside[found++] = edges[i];
    }
    return 1;
}

/* What is to be known of a part. */
static uint32_t look_at(const int64_t *edges, uint32_t count, int64_t origin, int shift, int64_t *aside) {
    if (count > EVEN_MASK) return (uint32_t)SEARCH << EVEN_BITS;
    for (uint32_t extras = 0; extras <= MOST_EXTRAS && extras <= count; extras++)
        if (fits(edges, count, extras, origin, shift, aside)) return (count - extras) | extras << EVEN_BITS;
    return (uint32_t)SEARCH << EVEN_BITS;
}

/* Fill the parts, which begin at this edge and have this width; whether at most a quarter of the edges have to be searched for. */
static int divide(Edges *e, Py_ssize_t first, int shift) {
    const int64_t *edges = e->anchors.sorted;
    Py_ssize_t count = e->anchors.count, to_search = 0, j = first;
    for (uint64_t p = 0; p < PARTS; p++) {
        Py_ssize_t before = j;
        while (j < count && ((uint64_t)edges[j] - (uint64_t)edges[first]) >> shift == p) j++;
        int64_t origin = (int64_t)((uint64_t)edges[first] + (p << shift));
        e->parts[p] = (Part){(uint32_t)before, look_at(edges + before, (uint32_t)(j - before), origin, shift, e->extras[p])};
        if (e->parts[p].inside >> EVEN_BITS == SEARCH) to_search += j - before;
        if (4 * to_search > count) return 0;
    }
    e->parts[PARTS] = (Part){(uint32_t)j, 0};
    e->first = first;
    e->shift = shift;
    return j == count;
}

/* 0, or the reason why not. Called without the GIL. */
static const char *index_edges(Edges *e, const int64_t *edges, Py_ssize_t count) {
    const char *wrong = copy_anchors(&e->anchors, edges, count);
    if (wrong) return wrong;
    /* Whoever spaced the edges may have put others before the first, and looked further than the last. */
    for (Py_ssize_t first = 0; !e->even && first < count && first < MOST_EXTRAS; first++) {
        int digits = bit_length((uint64_t)e->anchors.sorted[count - 1] - (uint64_t)e->anchors.sorted[first]);
        int shift = digits > PARTS_BITS ? digits - PARTS_BITS : 0;
        for (; !e->even && shift <= 64 - PARTS_BITS; shift++) e->even = divide(e, first, shift);
    }
    return e->even ? NULL : tabulate_anchors(&e->anchors);
}

/* How many of a part's edges are at or below an order. */
static uint32_t searched(const int64_t *edges, uint32_t inside, int64_t order) {
    uint32_t low = 0;
    while (low < inside) {
        uint32_t middle = low + (inside - low) / 2;
        if (edges[middle] <= order) low = middle + 1;
        else inside = middle;
    }
    return low;
}

/* The bin of an order, and its key; -1 where it has none, for what lies in another part than the even edge below it. */
static uint32_t bin_of(const Edges *e, int64_t order, int *key) {
    const int64_t *edges = e->anchors.sorted;
    *key = -1;
    if (order < edges[e->first]) return searched(edges, (uint32_t)e->first, order);
    if (order >= edges[e->anchors.count - 1]) return (uint32_t)e->anchors.count;
    uint64_t offset = (uint64_t)order - (uint64_t)edges[e->first], p = offset >> e->shift;
    Part part = e->parts[p];
    uint32_t even = part.inside & EVEN_MASK, extras = part.inside >> EVEN_BITS, bin = part.before;
    if (extras == SEARCH) return bin + searched(edges + bin, e->parts[p + 1].before - bin, order);
    if (extras) bin += searched(e->extras[p], extras, order);
    if (!even) return bin;
    uint64_t way = way_of(offset & (((uint64_t)1 << e->shift) - 1), even, e->shift);
    int point = point_of(e->shift);
    if (point >= KEY_BITS) *key = (int)(way >> (point - KEY_BITS) & KEY_MASK);
    return bin + 1 + (uint32_t)(way >> point);
}

static void widen(int64_t *bin, int64_t order) {
    if (order < bin[2]) bin[2] = order;
    if (order > bin[3]) bin[3] = order;
}

static uint64_t with_key(uint64_t tally, int key) {
    uint64_t low = tally >> LOW_AT & KEY_MASK, high = tally >> HIGH_AT, here = (uint64_t)key;
    if (here < low) tally = (tally & ~(KEY_MASK << LOW_AT)) | here << LOW_AT;
    if (here > high) tally = (tally & ~(KEY_MASK << HIGH_AT)) | here << HIGH_AT;
    return tally;
}

/* Count into tallies, of which each can hold 2^24 - 1 cases of a class: whoever calls this settles them in time. */
static void tally_bins(const void *scores, Orders to_orders, const uint8_t *labels, Py_ssize_t n, const Edges *e, uint64_t *tallies, int64_t *bins) {
    int64_t orders[BLOCK];
    uint32_t places[BLOCK];
    int keys[BLOCK];
    for (Py_ssize_t i = 0; i < n; i += BLOCK) {
        int many = n - i < BLOCK ? (int)(n - i) : BLOCK;
        to_orders(scores, i, many, orders);
        for (int k = 0; k < many; k++) {
            places[k] = bin_of(e, orders[k], &keys[k]);
            PREFETCH(&tallies[places[k]]);
        }
        for (int k = 0; k < many; k++) {
            uint64_t tally = tallies[places[k]] + ((uint64_t)1 << (labels[i + k] ? CLASS_BITS : 0));
            int low = (int)(tally >> LOW_AT & KEY_MASK), high = (int)(tally >> HIGH_AT);
            if (keys[k] <= low || keys[k] >= high) {
                widen(bins + OF_BIN * (size_t)places[k], orders[k]);
                if (keys[k] >= 0) tally = with_key(tally, keys[k]);
            }
            tallies[places[k]] = tally;
        }
    }
}

/* The same straight into the bins, for edges that lie anyhow. */
static void fill_bins(const void *scores, Orders to_orders, const uint8_t *labels, Py_ssize_t n, const Edges *e, int64_t *bins) {
    const Anchors *edges = &e->anchors;
    int64_t orders[BLOCK];
    Py_ssize_t places[BLOCK];
    for (Py_ssize_t i = 0; i < n; i += BLOCK) {
        int many = n - i < BLOCK ? (int)(n - i) : BLOCK;
        to_orders(scores, i, many, orders);
        places_among(edges, orders, places, many);
        for (int k = 0; k < many; k++) {
            places[k] += places[k] < edges->count && edges->sorted[places[k]] == orders[k];
            PREFETCH(&bins[OF_BIN * places[k]]);
        }
        for (int k = 0; k < many; k++) {
            int64_t *bin = bins + OF_BIN * places[k];
            bin[labels[i + k] != 0]++;
            widen(bin, orders[k]);
        }
    }
}

/* Add the cases in the tallies to the bins, and forget them; the keys stay. */
static void settle_tallies(uint64_t *tallies, int64_t *bins, Py_ssize_t count) {
    for (Py_ssize_t j = 0; j < count; j++) {
        bins[OF_BIN * j] += (int64_t)(tallies[j] & CLASS_MASK);
        bins[OF_BIN * j + 1] += (int64_t)(tallies[j] >> CLASS_BITS & CLASS_MASK);
        tallies[j] &= ~(CLASS_MASK | CLASS_MASK << CLASS_BITS);
    }
}
