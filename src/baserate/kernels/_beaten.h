/* Placements from sorted pairs: how many of the other class each case is on the right side of. Included by _kernels.c only. */
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* `pairs` ascend by key, that is descend by score; a payload is the place of a case plus one, below zero for a negative case. out[place] gets twice the
 * number of negatives below a positive (or positives above a negative), a tie counting one. Returns 0, or -1 for a place outside of `out`. */
static int beaten_pairs(const Pair *pairs, Py_ssize_t n, int64_t *out) {
    int64_t negatives = 0, hits = 0, misses = 0;
    for (Py_ssize_t i = 0; i < n; i++) negatives += (int64_t)(pairs[i].payload >> 63);
    for (Py_ssize_t i = 0; i < n;) {
        Py_ssize_t end = i;
        int64_t tied = 0;
        while (end < n && pairs[end].key == pairs[i].key) tied += (int64_t)(pairs[end++].payload >> 63);
        int64_t positives = (int64_t)(end - i) - tied;
        const int64_t of_class[2] = {2 * (negatives - misses) - tied, 2 * hits + positives};
        for (; i < end; i++) {
            uint64_t bits = pairs[i].payload & INT64_MAX;
            double place;
            memcpy(&place, &bits, sizeof place);
            if (!(place >= 1 && place <= (double)n)) return -1;
            out[(Py_ssize_t)place - 1] = of_class[pairs[i].payload >> 63];
        }
        hits += positives;
        misses += tied;
    }
    return 0;
}
