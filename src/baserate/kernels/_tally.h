/* A small hash table, for scores that take few values. Included by _kernels.c only. */
#include <Python.h>
#include <stdint.h>
#include <string.h>

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

/* The same with weights, which are not negative. A sum must be exact before it is rounded once: each weight is cut at the scales into
 * slices of so few bits that whole sums of them do not round (numbers.segment_sums). Of each value and class SLICES sums. Gives up where a
 * weight has more bits than the slices hold, too. */
enum { SLICES = 3 };

#define TALLY_WEIGHTS(NAME, SCORE, WIDE, ZERO)                                                                              \
    static Py_ssize_t NAME(const SCORE *scores, const uint8_t *labels, const double *weights, Py_ssize_t n, uint16_t *slots, \
                           Py_ssize_t most, WIDE *values, const double *scales, double *sums) {                             \
        Py_ssize_t found = 0, patience = 8 * n;                                                                             \
        double left = 0.0;                                                                                                  \
        for (Py_ssize_t i = 0; i < n; i++) {                                                                                \
            WIDE value = (WIDE)scores[i] + ZERO;                                                                            \
            uint64_t bits;                                                                                                  \
            memcpy(&bits, &value, sizeof bits);                                                                             \
            uint64_t slot = bits * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SLOT_BITS);                                        \
            while (slots[slot] && memcmp(&values[slots[slot] - 1], &bits, sizeof bits) != 0) {                              \
                if (--patience < 0) return -1;                                                                              \
                slot = (slot + 1) & ((1 << SLOT_BITS) - 1);                                                                 \
            }                                                                                                               \
            if (!slots[slot]) {                                                                                             \
                if (found == most) return -1;                                                                               \
                values[found++] = value;                                                                                    \
                slots[slot] = (uint16_t)found;                                                                              \
            }                                                                                                               \
            double *own = sums + SLICES * (2 * (slots[slot] - 1) + (labels[i] != 0)), rest = weights[i];                    \
            for (int k = 0; k < SLICES - 1; k++) {                                                                          \
                double high = (rest + scales[k]) - scales[k];                                                               \
                own[k] += high;                                                                                             \
                rest -= high;                                                                                               \
            }                                                                                                               \
            if (rest != 0.0) { /* rarely: all but the last slice hold most weights */                                       \
                double high = (rest + scales[SLICES - 1]) - scales[SLICES - 1];                                             \
                own[SLICES - 1] += high;                                                                                    \
                rest -= high;                                                                                               \
                left += rest < 0 ? -rest : rest;                                                                            \
            }                                                                                                               \
        }                                                                                                                   \
        return left == 0.0 ? found : -1;                                                                                    \
    }

TALLY_WEIGHTS(tally_weights_f64, double, double, 0.0)
TALLY_WEIGHTS(tally_weights_f32, float, double, 0.0)
TALLY_WEIGHTS(tally_weights_i64, int64_t, int64_t, 0)
