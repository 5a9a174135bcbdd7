/* Drawing a replicate into memory of type COUNT, by functions NAMED for it; ADD puts cases of a cell where they belong, among WIDTH numbers.
 * Included by _urns.h only, once a type. */

/* Add a Poisson number to each cell; their total. */
static int64_t NAMED(add_poisson)(const Urn *urn, uint64_t *state, COUNT *cells) {
    int64_t total = 0;
    uint64_t at = *state;
    for (Py_ssize_t j = 0; j < urn->bands_count; j++) {
        const int64_t *band = urn->bands + BAND * j;
        const uint64_t *table = urn->entries + band[0];
        const uint32_t *place = urn->places + band[4], *end = urn->places + band[5];
        int bits = (int)band[1], half = (int)band[3];
        int64_t low = band[2];
        if (half) {
            uint64_t mask = (UINT64_C(1) << half) - 1;
            for (; end - place > 1; place += 2) {
                uint64_t both = pick(table, bits, ALIAS_BITS, mix(at += GOLDEN));
                int64_t one = (int64_t)(both & mask), other = (int64_t)(both >> half);
                ADD(place[0], one);
                ADD(place[1], other);
                total += one + other;
            }
            if (place < end) {
                int64_t one = (int64_t)(pick(table, bits, ALIAS_BITS, mix(at += GOLDEN)) & mask);
                ADD(*place, one);
                total += one;
            }
        } else
            for (; place < end; place++) {
                int64_t one = low + (int64_t)pick(table, bits, ALIAS_BITS, mix(at += GOLDEN));
                ADD(*place, one);
                total += one;
            }
    }
    *state = at;
    return total;
}

#ifdef WINS
/* The same into cells that hold nothing yet, where one table draws all of them in order, two at a time. */
static int64_t NAMED(set_poisson)(const Urn *urn, uint64_t *state, COUNT *cells) {
    const uint64_t *table = urn->entries + urn->bands[0];
    int bits = (int)urn->bands[1], half = (int)urn->bands[3];
    uint64_t at = *state, mask = (UINT64_C(1) << half) - 1;
    int64_t total = 0;
    Py_ssize_t i = 0;
    for (; urn->cells - i > 1; i += 2) {
        uint64_t both = pick(table, bits, ALIAS_BITS, mix(at += GOLDEN));
        cells[i] = (COUNT)(both & mask);
        cells[i + 1] = (COUNT)(both >> half);
        total += (int64_t)(both & mask) + (int64_t)(both >> half);
    }
    if (i < urn->cells) total += cells[i] = (COUNT)(pick(table, bits, ALIAS_BITS, mix(at += GOLDEN)) & mask);
    *state = at;
    return total;
}
#endif

/* The counts of one replicate, or 0 where every attempt had more cases than asked for. */
static int NAMED(draw_replicate)(const Urn *urn, uint64_t lane, uint64_t replicate, int64_t size, COUNT *cells) {
    uint64_t key = absorb(lane, replicate);
    int alias_bits = unit_alias_bits(urn);
    for (uint64_t attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        uint64_t state = absorb(key, attempt);
        int64_t missing = size;
#ifdef WINS
        if (urn->in_order) missing -= NAMED(set_poisson)(urn, &state, cells);
        else
#endif
        {
            memset(cells, 0, (size_t)WIDTH * sizeof *cells);
            missing -= NAMED(add_poisson)(urn, &state, cells);
        }
        if (missing < 0) continue;
        while (missing-- > 0) ADD(pick(urn->units, urn->unit_bits, alias_bits, mix(state += GOLDEN)), 1);
        return 1;
    }
    return 0;
}

#ifdef WINS
/* Twice the pairs won, of cells in descending order of the score: a positive wins over a negative below, and half over one beside. */
static int64_t NAMED(twice_wins)(const COUNT *positives, const COUNT *negatives, Py_ssize_t cells, int64_t below) {
    int64_t wins = 0;
    for (Py_ssize_t i = 0; i < cells; i++) {
        below -= negatives[i];
        wins += positives[i] * (2 * below + negatives[i]);
    }
    return wins;
}
#endif
