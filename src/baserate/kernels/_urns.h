/* Resamples drawn from the tables of an urn: see urns.py for the method, alias.py for the tables, words.py for the words. Included by
 * _kernels.c only. */
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { ALIAS_BITS = 24, BAND = 6, MOST_TABLE_BITS = 22, MOST_ATTEMPTS = 1000 };

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)
#define ABSORBING UINT64_C(0xD1342543DE82EF95)

typedef struct {
    const uint64_t *entries, *units;
    const int64_t *bands;
    const uint32_t *places;
    Py_ssize_t bands_count, cells;
    int unit_bits;
    /* Where the cases of a cell are added up: `models` places a cell, each below `width`. */
    const uint32_t *spots;
    Py_ssize_t models, width;
    /* Whether one table draws every cell, from the first to the last, two at a time: that of scores that never tie. */
    int in_order;
} Urn;

static uint64_t mix(uint64_t word) {
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    return word ^ word >> 31;
}

static uint64_t absorb(uint64_t state, uint64_t part) { return mix(state + (part + 1) * ABSORBING); }

/* One draw. Both outcomes are at hand before the comparison, so that it needs no jump. */
static uint64_t pick(const uint64_t *table, int bits, int alias_bits, uint64_t word) {
    uint64_t bucket = word >> (64 - bits), entry = table[bucket], low = (UINT64_C(1) << alias_bits) - 1;
    return word << alias_bits < (entry & ~low) ? bucket : entry & low;
}

static int unit_alias_bits(const Urn *urn) { return urn->unit_bits + 2 > ALIAS_BITS ? urn->unit_bits + 2 : ALIAS_BITS; }

/* The loops, for replicates of int64 and of int32, which are faster where all counts are small enough. */
#define WINS
#define ADD(cell, cases) cells[cell] += (COUNT)(cases)
#define WIDTH urn->cells
#define COUNT int64_t
#define NAMED(name) name##_i64
#include "_draws.h"
#undef COUNT
#undef NAMED
#define COUNT int32_t
#define NAMED(name) name##_i32
#include "_draws.h"
#undef COUNT
#undef NAMED
#undef ADD
#undef WIDTH
#undef WINS

/* The same, where the cases of a cell are added up once a model, and cells that a model cannot tell apart in one place. */
static void add_up(const Urn *urn, uint64_t cell, int64_t cases, int64_t *sums) {
    const uint32_t *spot = urn->spots + cell * (uint64_t)urn->models;
    for (Py_ssize_t m = 0; m < urn->models; m++) sums[spot[m]] += cases;
}

static void add_up_two(const Urn *urn, uint64_t cell, int64_t cases, int64_t *sums) {
    const uint32_t *spot = urn->spots + 2 * cell;
    sums[spot[0]] += cases;
    sums[spot[1]] += cases;
}

#define COUNT int64_t
#define WIDTH urn->width
#define ADD(cell, cases) add_up(urn, cell, cases, cells)
#define NAMED(name) name##_sums
#include "_draws.h"
#undef ADD
#undef NAMED
#define ADD(cell, cases) add_up_two(urn, cell, cases, cells)
#define NAMED(name) name##_two_sums
#include "_draws.h"
#undef COUNT
#undef WIDTH
#undef ADD
#undef NAMED

/* Power sums of the places of cases within bins of neighbouring cells, places[i] being that of cell i: cases, and cases times the first to the
 * last power. Four running sums a bin, cell by cell in turn, so that additions need not wait for each other; portable.py adds in the same order. */
enum { POWERS = 4, LANES = 4 };

/* GCC makes vectors of the four only where it is told to; others do at any level of optimization. */
#if defined(__GNUC__) && !defined(__clang__)
#define VECTORS __attribute__((optimize("O3")))
#else
#define VECTORS
#endif

typedef struct {
    const int64_t *offsets;
    const double *places;
    Py_ssize_t bins;
} Bins;

#define COUNT int64_t
#define NAMED(name) name##_i64
#include "_powers.h"
#undef COUNT
#undef NAMED
#define COUNT int32_t
#define NAMED(name) name##_i32
#include "_powers.h"
#undef COUNT
#undef NAMED

/* Bins follow one another, and hold every cell. */
static const char *check_bins(const Bins *bins, Py_ssize_t cells) {
    if (bins->bins < 1 || bins->offsets[0] || bins->offsets[bins->bins] != cells) return "bins do not hold every cell";
    for (Py_ssize_t b = 0; b < bins->bins; b++)
        if (bins->offsets[b] > bins->offsets[b + 1]) return "bins do not follow one another";
    return NULL;
}

/* Does every index lead into the memory it is for? 0, or what is wrong. */
static const char *check_bands(const Urn *urn, Py_ssize_t entries, Py_ssize_t places) {
    for (Py_ssize_t j = 0; j < urn->bands_count; j++) {
        const int64_t *band = urn->bands + BAND * j;
        if (band[1] < 1 || band[1] > MOST_TABLE_BITS || band[0] < 0 || band[0] > entries - ((int64_t)1 << band[1])) return "a table is cut short";
        if (band[2] < 0 || band[2] > (int64_t)1 << 48 || band[3] < 0 || band[3] > band[1]) return "a band is out of range";
        if (band[4] < 0 || band[4] > band[5] || band[5] > places) return "a band has too few places";
    }
    for (Py_ssize_t i = 0; i < places; i++)
        if (urn->places[i] >= urn->cells) return "a place is not a cell";
    return NULL;
}

static int is_in_order(const Urn *urn) {
    if (urn->bands_count != 1 || !urn->bands[3] || urn->bands[4] || urn->bands[5] != urn->cells) return 0;
    for (Py_ssize_t i = 0; i < urn->cells; i++)
        if (urn->places[i] != (uint64_t)i) return 0;
    return 1;
}

/* Every case of a cell is added up somewhere in a row. */
static const char *check_spots(const Urn *urn) {
    for (Py_ssize_t i = 0; i < urn->cells * urn->models; i++)
        if ((Py_ssize_t)urn->spots[i] >= urn->width) return "a place is not in a row";
    return NULL;
}

/* No draw of a case may lead beyond the last cell, by a bucket (then its threshold is 0) or by an alias. */
static const char *check_units(const Urn *urn) {
    uint64_t low = (UINT64_C(1) << unit_alias_bits(urn)) - 1;
    for (Py_ssize_t i = 0; i < (Py_ssize_t)1 << urn->unit_bits; i++)
        if ((Py_ssize_t)(urn->units[i] & low) >= urn->cells || (i >= urn->cells && urn->units[i] & ~low)) return "a case is in no cell";
    return NULL;
}
