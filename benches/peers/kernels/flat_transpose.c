void kernel(const float *restrict a, float *restrict out, int n, int m, int k) {
    for (int o = 0; o < (k * n * m + 63) / 64; o++)
        for (int t = 0; t < 64; t++)
            if (o * 64 + t < k * n * m) out[o * 64 + t] = a[(o * 64 + t) % (n * m) * k + (o * 64 + t) / (n * m)];
}
