/* Power sums of replicates of type COUNT, by functions NAMED for it. Included by _urns.h only, once a type. */

VECTORS static void NAMED(powers)(const Bins *bins, const COUNT *cells, double *out) {
    for (Py_ssize_t b = 0; b < bins->bins; b++) {
        double sums[POWERS + 1][LANES] = {{0}}, term[LANES];
        Py_ssize_t i = bins->offsets[b], end = bins->offsets[b + 1];
        for (; end - i >= LANES; i += LANES) {
            const COUNT *cases = cells + i;
            const double *places = bins->places + i;
            for (int l = 0; l < LANES; l++) term[l] = (double)cases[l];
            for (int l = 0; l < LANES; l++) sums[0][l] += term[l];
            for (int k = 1; k <= POWERS; k++)
                for (int l = 0; l < LANES; l++) sums[k][l] += term[l] *= places[l];
        }
        for (int l = 0; i + l < end; l++) {
            double one = (double)cells[i + l];
            sums[0][l] += one;
            for (int k = 1; k <= POWERS; k++) sums[k][l] += one *= bins->places[i + l];
        }
        for (int k = 0; k <= POWERS; k++) out[k * bins->bins + b] = (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]);
    }
}
