/* Calls `kernel` of a shared library on the buffers a and out and the sizes n, m, k, for valgrind to count, and writes
 * what `out` holds afterwards.
 *
 *     driver LIBRARY plain|halide OUTPUT N M K EXTENT
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef NO_HALIDE
#include <HalideRuntime.h>
#endif

enum { SIZE = 4096 };

static float a[SIZE] __attribute__((aligned(64))), out[SIZE] __attribute__((aligned(64)));

#ifndef NO_HALIDE
static halide_buffer_t describe(float *data, halide_dimension_t *dim, int extent) {
    *dim = (halide_dimension_t){0, extent, 1, 0};
    halide_buffer_t buffer = {0};
    buffer.host = (uint8_t *)data;
    buffer.type = (struct halide_type_t){halide_type_float, 32, 1};
    buffer.dimensions = 1;
    buffer.dim = dim;
    return buffer;
}
#endif

int main(int argc, char **argv) {
    if (argc != 8) return 2;
    void *library = dlopen(argv[1], RTLD_NOW);
    void *kernel = library ? dlsym(library, "kernel") : NULL;
    if (!kernel) {
        fprintf(stderr, "driver: %s\n", dlerror());
        return 2;
    }
    int n = atoi(argv[4]), m = atoi(argv[5]), k = atoi(argv[6]), extent = atoi(argv[7]);
    for (int i = 0; i < SIZE; i++) a[i] = i * 0.5f;
    if (strcmp(argv[2], "halide") == 0) {
#ifdef NO_HALIDE
        (void)extent;
        return 2;
#else
        halide_dimension_t from, to;
        halide_buffer_t source = describe(a, &from, SIZE), target = describe(out, &to, extent);
        if (((int (*)(halide_buffer_t *, int, int, int, halide_buffer_t *))kernel)(&source, n, m, k, &target)) return 3;
#endif
    } else {
        ((void (*)(const float *, float *, int, int, int))kernel)(a, out, n, m, k);
    }
    FILE *file = fopen(argv[3], "wb");
    return !file || fwrite(out, sizeof(float), SIZE, file) != SIZE || fclose(file);
}
