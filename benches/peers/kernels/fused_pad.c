void kernel(const float *restrict a, float *restrict out, int n, int m, int k) {
    for (int o = 0; o < 77; o++)
        for (int t = 0; t < 10; t++)
            if (o * 10 + t < 768)
                out[o * 10 + t] = 1 <= (o * 10 + t) / 32 && (o * 10 + t) / 32 < 23 && 1 <= (o * 10 + t) % 32 && (o * 10 + t) % 32 < 31
                                      ? a[(o * 10 + t) / 32 * 30 + (o * 10 + t) % 32 - 31]
                                      : 0.0f;
}
