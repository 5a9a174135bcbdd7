/* Sorting keys: radix from the top, insertion at the bottom. Included by _kernels.c only.
 *
 * Why not np.sort: its AVX-512 code is six times slower than its AVX2 code on some processors (docs/decisions/0003); this one costs the
 * same everywhere. LEAF and MOST_DIGIT were tuned on 1e4, 1e6 and 1e7 keys.
 */
#include <Python.h>
#include <stdint.h>
#include <string.h>

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
