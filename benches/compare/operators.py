"""The operators from which `generate.py` makes programs: what TVM's operator library has, and some of our own."""

from tvm import te, tirx, topi


def tensor(name, *shape, dtype="float32"):
    """An input."""
    return te.placeholder(shape, dtype, name)


def pointwise(args, body):
    """A computation over the shape of the first argument."""
    return [*args, te.compute(args[0].shape, body, name="out")]


# Operators: dimensions to the tensors of a computation, inputs first. Every dimension may be symbolic.


def matmul(n, m, k):
    return with_result(topi.matmul, tensor("A", n, k), tensor("B", k, m))


def batch_matmul(b, n, m, k):
    return with_result(topi.nn.batch_matmul, tensor("A", b, n, k), tensor("B", b, m, k))


def conv2d(h, w, c, f):
    return with_result(lambda a, b: topi.nn.conv2d_nchw(a, b, 1, 1, 1), tensor("A", 1, c, h, w), tensor("W", f, c, 3, 3))


def conv2d_strided(h, w, c, f):
    return with_result(lambda a, b: topi.nn.conv2d_nhwc(a, b, 2, 1, 1), tensor("A", 1, h, w, c), tensor("W", 3, 3, c, f))


def depthwise(h, w, c):
    return with_result(lambda a, b: topi.nn.depthwise_conv2d_nchw(a, b, 1, 1, 1), tensor("A", 1, c, h, w), tensor("W", c, 1, 3, 3))


def max_pool(h, w, c):
    return with_result(lambda a: topi.nn.pool2d(a, [3, 3], [2, 2], [1, 1], [1, 1, 1, 1], "max"), tensor("A", 1, c, h, w))


def avg_pool(h, w, c):
    return with_result(lambda a: topi.nn.pool2d(a, [2, 2], [2, 2], [1, 1], [0, 0, 1, 1], "avg"), tensor("A", 1, c, h, w))


def softmax(n, m):
    return with_result(topi.nn.softmax, tensor("A", n, m))


def layer_norm(n, m):
    return with_result(lambda a, g, b: topi.nn.layer_norm(a, g, b, [1], 1e-5), tensor("A", n, m), tensor("G", m), tensor("B", m))


def reduce_sum(n, m, k):
    return with_result(lambda a: topi.sum(a, axis=1), tensor("A", n, m, k))


def transpose(n, m, k):
    return with_result(lambda a: topi.transpose(a, [2, 0, 1]), tensor("A", n, m, k))


def reshape(n, m, k):
    return with_result(lambda a: topi.reshape(a, [k, n * m]), tensor("A", n, m, k))


def concatenate(n, m, k):
    return with_result(lambda a, b: topi.concatenate([a, b], 1), tensor("A", n, m), tensor("B", n, k))


def pad(n, m, k):
    return with_result(lambda a: topi.nn.pad(a, [1, 2, 0], [2, 0, 3]), tensor("A", n, m, k))


def mirror_pad(n, m):
    return with_result(lambda a: topi.nn.mirror_pad(a, [1, 2], [2, 1], "REFLECT"), tensor("A", n, m))


def strided_slice(n, m):
    return with_result(lambda a: topi.strided_slice(a, [1, 2], [15, 18], [2, 3]), tensor("A", n, m))


def flip(n, m):
    return with_result(lambda a: topi.flip(a, 1), tensor("A", n, m))


def tile(n, m):
    return with_result(lambda a: topi.tile(a, [2, 3]), tensor("A", n, m))


def repeat(n, m):
    return with_result(lambda a: topi.repeat(a, 3, 1), tensor("A", n, m))


def depth_to_space(h, w, c):
    return with_result(lambda a: topi.nn.depth_to_space(a, 2), tensor("A", 1, 4 * c, h, w))


def space_to_depth(h, w, c):
    return with_result(lambda a: topi.nn.space_to_depth(a, 2), tensor("A", 1, c, 2 * h, 2 * w))


def upsample(h, w, c):
    return with_result(lambda a: topi.nn.upsampling(a, 2, 2, "NCHW", "bilinear"), tensor("A", 1, c, h, w))


def take(n, m, k):
    return with_result(lambda a, i: topi.take(a, i, 0, mode="clip"), tensor("A", n, m), tensor("I", k, dtype="int32"))


def batch_norm(h, w, c):
    a, s, b = tensor("A", 1, c, h, w), tensor("S", c), tensor("B", c)
    return pointwise([a, s, b], lambda n, i, y, x: te.max(a[n, i, y, x] * s[i] + b[i], tirx.const(0.0, "float32")))


def blocked_layout(n, c, h, w):
    a = tensor("A", n, c, h, w)
    blocks = (c + 7) // 8
    zero = tirx.const(0.0, "float32")
    shape = (n, blocks, h, w, 8)
    out = te.compute(
        shape,
        lambda b, o, y, x, i: tirx.if_then_else(o * 8 + i < c, a[b, o * 8 + i, y, x], zero),
        name="out",
    )
    return [a, out]


def im2col(h, w, c):
    a = tensor("A", c, h, w)
    out = te.compute(
        ((h - 2) * (w - 2), c * 9),
        lambda p, q: a[q // 9, p // (w - 2) + q % 9 // 3, p % (w - 2) + q % 3],
        name="out",
    )
    return [a, out]


def window_partition(h, w, c):
    a = tensor("A", 4 * h, 4 * w, c)
    out = te.compute(
        (h * w, 16, c),
        lambda p, q, i: a[p // w * 4 + q // 4, p % w * 4 + q % 4, i],
        name="out",
    )
    return [a, out]


def stencil(n, m):
    a = tensor("A", n, m)
    edge = lambda i, n: te.max(te.min(i, n - 1), 0)  # noqa: E731
    return pointwise(
        [a],
        lambda i, j: a[edge(i - 1, n), j] + a[edge(i + 1, n), j] + a[i, edge(j - 1, m)] + a[i, edge(j + 1, m)] - 4.0 * a[i, j],
    )


def conv1d(w, c, f):
    return with_result(lambda a, b: topi.nn.conv1d_ncw(a, b, 1, 1, 1), tensor("A", 1, c, w), tensor("W", f, c, 3))


def conv3d(d, h, w, c):
    return with_result(lambda a, b: topi.nn.conv3d_ncdhw(a, b, 1, 1, 1, 1), tensor("A", 1, c, d, h, w), tensor("W", 3, c, 3, 3, 3))


def conv2d_dilated(h, w, c, f):
    return with_result(lambda a, b: topi.nn.conv2d_nchw(a, b, 1, 2, 2), tensor("A", 1, c, h, w), tensor("W", f, c, 3, 3))


def conv2d_transpose(h, w, c, f):
    return with_result(
        lambda a, b: topi.nn.conv2d_transpose_nchw(a, b, (2, 2), (1, 1), "float32", (0, 0)),
        tensor("A", 1, c, h, w), tensor("W", c, f, 3, 3),
    )


def group_conv2d(h, w):
    return with_result(lambda a, b: topi.nn.group_conv2d_nchw(a, b, 1, 1, 1, 2, "float32"), tensor("A", 1, 6, h, w), tensor("W", 8, 3, 3, 3))


def dense_bias_relu(n, m, k):
    a, w, b = tensor("A", n, k), tensor("W", m, k), tensor("B", m)
    product = topi.nn.dense(a, w)
    out = te.compute((n, m), lambda i, j: te.max(product[i, j] + b[j], tirx.const(0.0, "float32")), name="out")
    return [a, w, b, out]


def matmul_transposed(n, m, k):
    return with_result(lambda a, b: topi.matmul(a, b, True, True), tensor("A", k, n), tensor("B", m, k))


def tensordot(n, m, k):
    return with_result(lambda a, b: topi.tensordot(a, b, ([2], [0])), tensor("A", n, 3, k), tensor("B", k, m))


def adaptive_pool(h, w, c):
    return with_result(lambda a: topi.nn.adaptive_pool(a, (3, 4), "avg"), tensor("A", 1, c, h, w))


def global_pool(h, w, c):
    return with_result(lambda a: topi.nn.global_pool(a, "avg"), tensor("A", 1, c, h, w))


def max_pool1d(w, c):
    return with_result(lambda a: topi.nn.pool1d(a, [3], [2], [1], [1, 1], "max"), tensor("A", 1, c, w))


def avg_pool3d(d, h, w):
    return with_result(lambda a: topi.nn.pool3d(a, [2] * 3, [2] * 3, [1] * 3, [1] * 6, "avg"), tensor("A", 1, 3, d, h, w))


def log_softmax(n, m):
    return with_result(topi.nn.log_softmax, tensor("A", n, m))


def rms_norm(n, m):
    return with_result(lambda a, g: topi.nn.rms_norm(a, g, [1]), tensor("A", n, m), tensor("G", m))


def group_norm(h, w):
    return with_result(lambda a, g, b: topi.nn.group_norm(a, g, b, 3, 1, [2, 3]), tensor("A", 2, 6, h, w), tensor("G", 6), tensor("B", 6))


def instance_norm(h, w, c):
    return with_result(lambda a, g, b: topi.nn.instance_norm(a, g, b, 1, [2, 3]), tensor("A", 2, c, h, w), tensor("G", c), tensor("B", c))


def local_response_norm(h, w, c):
    return with_result(lambda a: topi.nn.lrn(a, 5), tensor("A", 1, c, h, w))


def argmax(n, m, k):
    return with_result(lambda a: topi.argmax(a, 1), tensor("A", n, m, k))


def one_hot(n, k):
    on, off = tirx.const(1.0, "float32"), tirx.const(0.0, "float32")
    return with_result(lambda i: topi.one_hot(i, on, off, k, -1, "float32"), tensor("I", n, dtype="int32"))


def gather(n, m, k):
    return with_result(lambda a, i: topi.gather(a, 0, i), tensor("A", n, m), tensor("I", k, m, dtype="int32"))


def split_in_three(n, m):
    return with_result(lambda a: topi.split(a, [5, 11], 1), tensor("A", n, m))


def stack(n, m):
    return with_result(lambda a, b: topi.stack([a, b], 1), tensor("A", n, m), tensor("B", n, m))


def broadcast_add(n, m, k):
    return with_result(topi.add, tensor("A", n, 1, k), tensor("B", m, 1))


def where(n, m):
    return with_result(topi.where, tensor("C", n, m, dtype="bool"), tensor("A", n, m), tensor("B", 1, m))


def triangle(n, m):
    a = tensor("A", n, m)
    return pointwise([a], lambda i, j: tirx.if_then_else(i < j + 3, a[i, j], tirx.const(0.0, "float32")))


def reverse_sequence(n, m):
    return with_result(lambda a, i: topi.reverse_sequence(a, i, 1, 0), tensor("A", n, m), tensor("I", n, dtype="int32"))


def sequence_mask(n, m, k):
    return with_result(lambda a, i: topi.sequence_mask(a, i, 0.0, 1), tensor("A", n, m, k), tensor("I", n, dtype="int32"))


def space_to_batch(h, w, c):
    return with_result(lambda a: topi.nn.space_to_batch_nd(a, [2, 2], [1, 1], [1, 1]), tensor("A", 2, h, w, c))


def layout_transform(c, h, w):
    return with_result(lambda a: topi.layout_transform(a, "NCHW", "NCHW4c"), tensor("A", 1, 4 * c, h, w))


def pixel_blocks_sum(n, m):
    a = tensor("A", n, m)
    i, j = te.reduce_axis((0, 3), "i"), te.reduce_axis((0, 5), "j")
    out = te.compute((n // 3, m // 5), lambda y, x: te.sum(a[y * 3 + i, x * 5 + j], axis=[i, j]), name="out")
    return [a, out]


def roll(n, m):
    a = tensor("A", n, m)
    return pointwise([a], lambda i, j: a[(i + 3) % n, (j + m - 2) % m])


def strided_scatter(n, m):
    a = tensor("A", n, m)
    zero = tirx.const(0.0, "float32")
    out = te.compute(
        (3 * n, m), lambda i, j: tirx.if_then_else(i % 3 == 1, a[i // 3, j], zero), name="out"
    )
    return [a, out]


def with_result(operator, *inputs):
    """The inputs and what the operator makes of them."""
    result = operator(*inputs)
    return [*inputs, *([result] if isinstance(result, te.Tensor) else result)]


# Per operator its dimensions, small enough for callgrind.
OPERATORS = {
    matmul: [37, 29, 23],
    batch_matmul: [3, 11, 13, 17],
    conv2d: [11, 9, 5, 6],
    conv2d_strided: [13, 10, 4, 7],
    depthwise: [15, 12, 6],
    max_pool: [17, 14, 5],
    avg_pool: [15, 13, 6],
    softmax: [19, 35],
    layer_norm: [17, 30],
    reduce_sum: [13, 17, 11],
    transpose: [13, 18, 21],
    reshape: [9, 14, 22],
    concatenate: [19, 13, 24],
    pad: [11, 13, 15],
    mirror_pad: [23, 26],
    strided_slice: [21, 25],
    flip: [37, 29],
    tile: [15, 17],
    repeat: [23, 19],
    depth_to_space: [9, 10, 5],
    space_to_depth: [8, 9, 5],
    upsample: [9, 7, 5],
    take: [19, 23, 27],
    batch_norm: [13, 11, 7],
    blocked_layout: [2, 19, 7, 9],
    im2col: [14, 13, 4],
    window_partition: [5, 6, 7],
    stencil: [31, 27],
    conv1d: [29, 6, 5],
    conv3d: [5, 7, 6, 3],
    conv2d_dilated: [12, 11, 4, 5],
    conv2d_transpose: [6, 7, 4, 3],
    group_conv2d: [9, 11],
    dense_bias_relu: [17, 23, 19],
    matmul_transposed: [21, 26, 18],
    tensordot: [9, 14, 11],
    adaptive_pool: [11, 14, 6],
    global_pool: [13, 9, 8],
    max_pool1d: [61, 9],
    avg_pool3d: [9, 7, 11],
    log_softmax: [17, 38],
    rms_norm: [19, 33],
    group_norm: [7, 9],
    instance_norm: [9, 7, 5],
    local_response_norm: [8, 9, 11],
    argmax: [11, 14, 13],
    one_hot: [31, 26],
    gather: [19, 23, 14],
    split_in_three: [23, 29],
    stack: [19, 26],
    broadcast_add: [13, 11, 17],
    where: [23, 31],
    triangle: [29, 27],
    reverse_sequence: [21, 18],
    sequence_mask: [13, 11, 9],
    space_to_batch: [8, 10, 5],
    layout_transform: [4, 9, 11],
    pixel_blocks_sum: [27, 40],
    roll: [29, 31],
    strided_scatter: [19, 23],
}

# Sizes that TVM names itself: the batch of the result, where those of the operands could differ.
NAMED_BY_TVM = {batch_matmul: {"batch": 3}}

# Operators whose definition in TVM needs constants.
STATIC_ONLY = {
    upsample, strided_slice, mirror_pad, adaptive_pool, conv2d_transpose, split_in_three, one_hot, space_to_batch,
    layout_transform,
}


# What the elements of the input `I` may be: from the first number to below the second.
INDICES = {take: (0, 19), gather: (0, 19), one_hot: (0, 26), reverse_sequence: (1, 19), sequence_mask: (0, 12)}


def constraints(operator):
    """What input buffers may hold."""
    if operator not in INDICES:
        return {}
    low, high = INDICES[operator]
    return {"I": {"kind": "randint", "lo": low, "hi": high}}
