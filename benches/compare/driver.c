/* Calls functions that TVM compiled, for valgrind to count.
 *
 *     driver SPEC INPUTS OUTPUTS-PREFIX LIBRARY...
 *
 * SPEC has one line per parameter: `T code bits lanes ndim dim...` for a buffer, `I value` or `F value` for a scalar.
 * INPUTS holds the contents of the buffers one after the other. Every library is called once on fresh copies of them,
 * and what its buffers hold afterwards is written to OUTPUTS-PREFIX.k. The runtime functions that a kernel may call
 * are here, small and without threads, so that instructions are counted of the kernel and not of a runtime. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

enum { MAX_PARAMS = 64, MAX_DIMS = 16 };

typedef struct {
    DLTensor tensor;
    int64_t shape[MAX_DIMS];
    size_t bytes;
    char *original;
} Buffer;

typedef struct {
    void *sync;
    int32_t num_task;
} ParallelEnv;

typedef int (*ParallelBody)(int task, ParallelEnv *env, void *data);
typedef int (*Kernel)(void *self, const TVMFFIAny *args, int32_t count, TVMFFIAny *result);

/* Workspaces come from an arena as a stack: TVM frees them in reverse order. */
static char *arena, *arena_top;
static const size_t ARENA_BYTES = (size_t)256 << 20;

static void *alloc_workspace(int type, int id, uint64_t bytes, int code, int bits) {
    (void)type, (void)id, (void)code, (void)bits;
    char *start = arena_top;
    arena_top += (bytes + 127) / 64 * 64;
    if (arena_top > arena + ARENA_BYTES) {
        fprintf(stderr, "driver: workspaces of more than %zu bytes\n", ARENA_BYTES);
        exit(3);
    }
    return start;
}

static int free_workspace(int type, int id, void *memory) {
    (void)type, (void)id;
    arena_top = memory;
    return 0;
}

static int parallel_launch(ParallelBody body, void *data, int tasks) {
    (void)tasks;
    ParallelEnv env = {NULL, 1};
    return body(0, &env, data);
}

void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **parts, int32_t count) {
    fprintf(stderr, "driver: %s: ", kind);
    for (int32_t k = 0; k < count; k++)
        if (parts[k]) fputs(parts[k], stderr);
    fputc('\n', stderr);
}

static void die(const char *what, const char *which) {
    fprintf(stderr, "driver: %s %s\n", what, which);
    exit(2);
}

static void set(void *library, const char *name, void *value) {
    void **slot = dlsym(library, name);
    if (slot) *slot = value;
}

static void *aligned(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 64 + 63) / 64 * 64);
    if (!memory) die("no memory for", "a buffer");
    return memory;
}

int main(int argc, char **argv) {
    if (argc < 5) die("usage:", "driver SPEC INPUTS OUTPUTS-PREFIX LIBRARY...");
    static Buffer buffers[MAX_PARAMS];
    static TVMFFIAny args[MAX_PARAMS];
    int count = 0, buffer_count = 0;

    FILE *spec = fopen(argv[1], "r"), *inputs = fopen(argv[2], "rb");
    if (!spec || !inputs) die("cannot open", "the inputs");
    char kind;
    while (fscanf(spec, " %c", &kind) == 1) {
        if (count == MAX_PARAMS) die("too many", "parameters");
        TVMFFIAny *arg = &args[count++];
        long long value;
        if (kind == 'I') {
            if (fscanf(spec, "%lld", &value) != 1) die("bad", argv[1]);
            arg->type_index = kTVMFFIInt;
            arg->v_int64 = value;
        } else if (kind == 'F') {
            if (fscanf(spec, "%lf", &arg->v_float64) != 1) die("bad", argv[1]);
            arg->type_index = kTVMFFIFloat;
        } else {
            Buffer *buffer = &buffers[buffer_count++];
            int code, bits, lanes, ndim;
            if (fscanf(spec, "%d %d %d %d", &code, &bits, &lanes, &ndim) != 4 || ndim > MAX_DIMS) die("bad", argv[1]);
            size_t elements = 1;
            for (int d = 0; d < ndim; d++) {
                if (fscanf(spec, "%lld", &value) != 1) die("bad", argv[1]);
                buffer->shape[d] = value;
                elements *= value;
            }
            buffer->bytes = elements * lanes * ((bits + 7) / 8);
            buffer->original = aligned(buffer->bytes);
            if (fread(buffer->original, 1, buffer->bytes, inputs) != buffer->bytes) die("short", argv[2]);
            buffer->tensor.data = aligned(buffer->bytes);
            buffer->tensor.device.device_type = kDLCPU;
            buffer->tensor.ndim = ndim;
            buffer->tensor.dtype = (DLDataType){code, bits, lanes};
            buffer->tensor.shape = buffer->shape;
            arg->type_index = kTVMFFIDLTensorPtr;
            arg->v_ptr = &buffer->tensor;
        }
    }
    arena = arena_top = aligned(ARENA_BYTES);

    for (int k = 4; k < argc; k++) {
        void *library = dlopen(argv[k], RTLD_NOW | RTLD_LOCAL);
        if (!library) die("cannot load", dlerror());
        set(library, "__TVMBackendAllocWorkspace", (void *)alloc_workspace);
        set(library, "__TVMBackendFreeWorkspace", (void *)free_workspace);
        set(library, "__TVMBackendParallelLaunch", (void *)parallel_launch);
        Kernel kernel = (Kernel)dlsym(library, "__tvm_ffi_main");
        if (!kernel) die("no function in", argv[k]);
        for (int b = 0; b < buffer_count; b++) memcpy(buffers[b].tensor.data, buffers[b].original, buffers[b].bytes);
        TVMFFIAny result = {0};
        if (kernel(NULL, args, count, &result) != 0) die("failed:", argv[k]);
        char path[4096];
        snprintf(path, sizeof path, "%s.%d", argv[3], k - 4);
        FILE *outputs = fopen(path, "wb");
        if (!outputs) die("cannot write", path);
        for (int b = 0; b < buffer_count; b++) fwrite(buffers[b].tensor.data, 1, buffers[b].bytes, outputs);
        fclose(outputs);
    }
    return 0;
}
