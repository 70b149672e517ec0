void kernel(const float *restrict a, float *restrict out, int n, int m, int k) {
    for (int f = 0; f < 114; f++)
        for (int i = 0; i < 7; i++)
            if (f * 7 + i < 792)
                out[f * 7 + i] = a[(f * 7 + i) / 396 * 1040 + (f * 7 + i) % 396 / 33 * 65 + (f * 7 + i) % 33 * 2];
}
