/* Scores and labels packed into keys, keys scanned into cells, and the same for pairs with weights. Included by _kernels.c only.
 *
 * A key holds a score and its label in one machine word, so that sorting values sorts cases:
 *
 *     key = (place of the score among those of its sign, 63 or 31 bits) << 1 | label
 *
 * An IEEE number read as an integer already ranks by magnitude, and an integer does so trivially. The sign decides in which part of the
 * buffer a key is written: not below zero in front, below zero behind. Each part then sorts to descending scores.
 */
#include <Python.h>
#include <stdint.h>
#include <string.h>

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

/* The same into one stretch of keys a group, from starts[g] to starts[g + 1]; each has both its ends in `fronts` and `backs`. 0, or -1 where
 * a code is no group or a group has more rows than its stretch. */
#define PACK_GROUPS(NAME, SCORE, WORD, SIGN_BIT, READ, PLACE)                                                                       \
    static int NAME(const SCORE *scores, const uint8_t *labels, const uint32_t *codes, WORD *keys, Py_ssize_t n, int64_t *fronts,   \
                    int64_t *backs, Py_ssize_t groups) {                                                                            \
        for (Py_ssize_t i = 0; i < n; i++) {                                                                                        \
            uint32_t group = codes[i];                                                                                              \
            if (group >= (size_t)groups || fronts[group] > backs[group]) return -1;                                                 \
            SCORE score = READ;                                                                                                     \
            WORD bits;                                                                                                              \
            memcpy(&bits, &score, sizeof bits);                                                                                     \
            WORD below = bits >> SIGN_BIT;                                                                                          \
            WORD key = (WORD)((PLACE) << 1) | (WORD)(labels[i] != 0);                                                               \
            keys[fronts[group]] = key;                                                                                              \
            keys[backs[group]] = key;                                                                                               \
            fronts[group] += !below;                                                                                                \
            backs[group] -= !!below;                                                                                                \
        }                                                                                                                           \
        return 0;                                                                                                                   \
    }

PACK_GROUPS(pack_groups_f64, double, uint64_t, 63, scores[i] + 0.0, bits ^ (below - 1))
PACK_GROUPS(pack_groups_f32, float, uint32_t, 31, scores[i] + 0.0f, bits ^ (below - 1))
PACK_GROUPS(pack_groups_i64, int64_t, uint64_t, 63, scores[i], ~bits)

/* A share of the rows into parts: part k holds the orders from bounds[k - 1] up to bounds[k], which ascend; at most MOST_BOUNDS of them.
 * Counts how many rows each part gets, and notes the part of every row. Bisection without a branch: scores are hard to guess. */
enum { MOST_BOUNDS = 255 };

#define PARTS(NAME, SCORE, ORDER)                                                                                                   \
    static void NAME(const SCORE *scores, Py_ssize_t n, const int64_t *bounds, Py_ssize_t count, uint8_t *parts, int64_t *sizes) {  \
        int64_t padded[MOST_BOUNDS + 1];                                                                                            \
        Py_ssize_t half = 1;                                                                                                        \
        while (2 * half <= count) half *= 2;                                                                                        \
        for (Py_ssize_t k = 0; k <= MOST_BOUNDS; k++) padded[k] = k < count ? bounds[k] : INT64_MAX;                                \
        for (Py_ssize_t i = 0; i < n; i++) {                                                                                        \
            int64_t order = ORDER(scores[i]);                                                                                       \
            Py_ssize_t part = 0;                                                                                                    \
            for (Py_ssize_t step = half; step; step >>= 1) part += step & -(Py_ssize_t)(order >= padded[part + step - 1]);          \
            part = part > count ? count : part;                                                                                     \
            parts[i] = (uint8_t)part;                                                                                               \
            sizes[part]++;                                                                                                          \
        }                                                                                                                           \
    }

PARTS(parts_f64, double, order_f64)
PARTS(parts_f32, float, order_f32)
PARTS(parts_i64, int64_t, order_i64)

/* The keys of a share of the rows, each where the next one of its part belongs. 0, or -1 where there is no such place. */
#define PACK_PARTS(NAME, SCORE, WORD, SIGN_BIT, READ, PLACE)                                                                        \
    static int NAME(const SCORE *scores, const uint8_t *labels, const uint8_t *parts, Py_ssize_t n, WORD *keys, Py_ssize_t room,    \
                    int64_t *places, Py_ssize_t count) {                                                                            \
        for (Py_ssize_t i = 0; i < n; i++) {                                                                                        \
            SCORE score = READ;                                                                                                     \
            WORD bits, below;                                                                                                       \
            memcpy(&bits, &score, sizeof bits);                                                                                     \
            below = bits >> SIGN_BIT;                                                                                               \
            if (parts[i] >= count || (uint64_t)places[parts[i]] >= (uint64_t)room) return -1;                                       \
            keys[places[parts[i]]++] = (WORD)((PLACE) << 1) | (WORD)(labels[i] != 0);                                               \
            (void)below; /* which whole numbers do not need */                                                                      \
        }                                                                                                                           \
        return 0;                                                                                                                   \
    }

PACK_PARTS(pack_parts_f64, double, uint64_t, 63, scores[i] + 0.0, bits ^ (below - 1))
PACK_PARTS(pack_parts_f32, float, uint32_t, 31, scores[i] + 0.0f, bits ^ (below - 1))
PACK_PARTS(pack_parts_i64, int64_t, uint64_t, 63, scores[i], ~bits)

/* Keys are unsigned and sort ascending where scores descend: the order of a score with every bit but the sign turned round. The payload
 * is the weight, below zero for a negative case. */
#define PACK_PAIRS(NAME, SCORE, ORDER)                                                                                  \
    static void NAME(const SCORE *scores, const uint8_t *labels, const double *weights, Pair *pairs, Py_ssize_t n) {    \
        for (Py_ssize_t i = 0; i < n; i++) {                                                                            \
            uint64_t bits;                                                                                              \
            memcpy(&bits, &weights[i], sizeof bits);                                                                    \
            pairs[i].key = (uint64_t)ORDER(scores[i]) ^ INT64_MAX;                                                      \
            pairs[i].payload = bits ^ (uint64_t)!labels[i] << 63; /* no branch: labels are hard to guess */             \
        }                                                                                                               \
    }

PACK_PAIRS(pack_pairs_f64, double, order_f64)
PACK_PAIRS(pack_pairs_f32, float, order_f32)
PACK_PAIRS(pack_pairs_i64, int64_t, order_i64)
