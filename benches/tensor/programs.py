"""Makes joint programs, forward and backward in one function of blocks, with the real TVM.

    python benches/tensor/programs.py FOLDER [--small] [--pairs | --fused]

Each model's loss is differentiated by Relax's `Gradient`, its operators become blocks by `LegalizeOps`, and `FuseTIR` makes
one function of the adjoint. Writes FOLDER/NAME.py. `--small` makes them with small sizes, as `tests/tensor` has them. With
`--pairs` a module has two functions, NAME_forward, which gives the loss, and NAME_backward,
which computes the gradients from the inputs; FOLDER/NAME.json says which parameters are the same, and how many elements of
forward tensors Relax's own backward function reads. With `--fused` a module has the functions that Relax's own fusion makes of
the adjoint (`FuseOps` and `FuseTIR`), each as it is and with all its blocks inlined that TVM inlines, and FOLDER/NAME.json says how often each is called.
"""

import argparse
import json
import pathlib

import tvm
from tvm import relax, s_tir
from tvm.relax import op
from tvm.relax.op import add, matmul, multiply, nn, sigmoid, split, tanh


def differentiated(inputs, body):
    """A module of the sum of body(inputs) * weight, or of body(inputs) where no weight is among the inputs, and its adjoint.

    `body` gets a function that emits a call, and the inputs.
    """
    builder = relax.BlockBuilder()
    params = [relax.Var(n, relax.TensorType(shape, "float32")) for n, shape in inputs.items()]
    with builder.function("main", params):
        with builder.dataflow():
            weighted = params[-1].name == "weights"
            out = body(builder.emit, *(params[:-1] if weighted else params))
            out = builder.emit(multiply(out, params[-1])) if weighted else out
            loss = builder.emit_output(op.sum(out))
        builder.emit_func_output(loss)
    return relax.transform.Gradient("main")(builder.get())


def fused(module, functions):
    """The functions of a module, by the names that they get, each as one function of blocks.

    Constants become parameters: FuseTIR takes none as arguments.
    """
    module = relax.transform.LegalizeOps()(module)
    kernels = {v: f for v, f in module.functions.items() if isinstance(f, tvm.tirx.PrimFunc)}
    made = {}
    for name, (of, keep) in functions.items():
        builder = relax.BlockBuilder(tvm.IRModule(kernels))
        joint = builder.add_func(primitive(module[of], keep), name)
        params = [relax.Var(p.name, p.ty) for p in builder.get()[joint].params]
        with builder.function("entry", params):
            with builder.dataflow():
                value = builder.emit_output(relax.Call(joint, params))
            builder.emit_func_output(value)
        result = relax.transform.FuseTIR()(builder.get())
        [function] = [f for f in result.functions.values() if isinstance(f, tvm.tirx.PrimFunc)]
        made[name] = function.with_attr("global_symbol", name)
    return tvm.IRModule(made)


def blocks(name, inputs, body):
    """The adjoint as one function: loss and gradients."""
    return fused(differentiated(inputs, body), {name: ("main_adjoint", lambda leaf: True)})


def pair(name, inputs, body):
    """The loss and the gradients as two functions, and what a caller has to know of them."""
    module = differentiated(inputs, body)
    forward, backward = f"{name}_forward", f"{name}_backward"
    functions = {forward: ("main", lambda leaf: True), backward: ("main_adjoint", lambda leaf: leaf > 0)}
    made = fused(module, functions)
    sides = [[p.name for p in made[f].params] for f in functions]
    shared = [p for p in sides[0] if p in sides[1] and (p in inputs or p.startswith("c"))]
    elements, tensors = kept(module)
    return made, {"forward": forward, "backward": backward, "shared": shared, "relax_elements": elements, "relax_tensors": tensors}


def separately(name, inputs, body):
    """The functions that Relax's own fusion makes of the adjoint, also with all inlined that TVM inlines, and how often each is called."""
    module = differentiated(inputs, body)
    passes = [
        relax.transform.LegalizeOps(),
        relax.transform.AnnotateTIROpPattern(),
        relax.transform.FuseOps(),
        relax.transform.FuseTIR(),
    ]
    module = tvm.transform.Sequential(passes)(module)
    calls = {}
    for block in module["main_adjoint"].body.blocks:
        for binding in block.bindings:
            value = binding.value
            if isinstance(value, relax.Call) and value.args and isinstance(value.args[0], tvm.ir.GlobalVar):
                called = value.args[0].name_hint
                calls[called] = calls.get(called, 0) + 1
    functions = {}
    for variable, function in module.functions.items():
        if variable.name_hint in calls:
            schedule = s_tir.Schedule(function)
            s_tir.dlight.try_inline(schedule, s_tir.dlight.normalize_prim_func(schedule) or [])
            name = variable.name_hint
            functions[name] = function.with_attr("global_symbol", name)
            functions[f"{name}_inlined"] = schedule.mod["main"].with_attr("global_symbol", f"{name}_inlined")
    return tvm.IRModule(functions), calls


def kept(module):
    """How many elements of how many forward tensors the backward bindings of Relax's adjoint read."""
    count = len(module["main"].body.blocks[0].bindings)
    bindings = module["main_adjoint"].body.blocks[0].bindings
    computed = {binding.var for binding in bindings[:count]}
    read = []

    def visit(e):
        if isinstance(e, relax.Var) and e in computed and e not in read:
            read.append(e)

    for binding in bindings[count:]:
        relax.analysis.post_order_visit(binding.value, visit)
    elements = 0
    for variable in read:
        if isinstance(variable.ty, relax.TensorType):
            size = 1
            for extent in variable.ty.shape.values:
                size *= int(extent)
            elements += size
    return elements, len(read)


def primitive(function, keep):
    """The function as one that FuseTIR takes: its constants are parameters, it returns a flat tuple, each value once.

    `keep` says which leaves of its result are among them.
    """
    [block] = function.body.blocks
    constants = []
    names = {}

    @relax.expr_functor.mutator
    class Rewrite(relax.PyExprMutator):
        def visit_generic_const_(self, constant):
            constants.append(relax.Var(f"c{len(constants)}", constant.ty))
            return constants[-1]

        def visit_var_(self, variable):
            return names.get(variable, variable)

        def visit_dataflow_var_(self, variable):
            return names.get(variable, variable)

    rewrite = Rewrite()
    fields = {}

    def leaves(value):
        if value in fields:
            value = fields[value]
        if isinstance(value, relax.Tuple):
            return [leaf for field in value.fields for leaf in leaves(field)]
        return [names.get(value, value)]

    bindings = []
    for binding in block.bindings:
        if isinstance(binding.value, relax.Tuple):
            fields[binding.var] = binding.value
            continue
        if isinstance(binding.value, relax.TupleGetItem) and binding.value.tuple_value in fields:
            [names[binding.var]] = leaves(fields[binding.value.tuple_value].fields[binding.value.index])
            continue
        value = rewrite.visit_expr(binding.value)
        if isinstance(value, relax.Var):
            names[binding.var] = value
            continue
        names[binding.var] = relax.DataflowVar(binding.var.name, binding.var.ty)
        bindings.append((names[binding.var], value))
    results = []
    for at, value in enumerate(leaves(function.body.body)):
        if keep(at) and isinstance(value, relax.DataflowVar) and not any(value.same_as(other) for other in results):
            results.append(value)
    outputs = [relax.Var(value.name, value.ty) for value in results]
    names.clear()
    names.update(zip(results, outputs))
    block = [relax.VarBinding(names.get(v, v), rewrite.visit_expr(value)) for v, value in bindings]
    body = relax.SeqExpr([relax.DataflowBlock(block)], relax.Tuple(outputs))
    body = relax.BlockBuilder().normalize(body)
    made = relax.Function(list(function.params) + constants, body, body.ty)
    return made.with_attr("Primitive", True).without_attr("global_symbol")


def models(small):
    """Name, inputs and body of each."""
    rows, columns = (3, 5) if small else (64, 128)
    matrix = {"x": (rows, columns)}
    yield "tanh", matrix, lambda emit, x: emit(tanh(x))
    yield "softmax", matrix | {"weights": (rows, columns)}, lambda emit, x: emit(nn.softmax(x, axis=-1))

    def normalized(emit, x, scale, shift, axes):
        mean = emit(op.mean(x, axis=axes, keepdims=True))
        centred = emit(op.subtract(x, mean))
        square = emit(multiply(centred, centred))
        variance = emit(op.mean(square, axis=axes, keepdims=True))
        deviation = emit(op.sqrt(emit(add(variance, relax.const(1e-5, "float32")))))
        hat = emit(op.divide(centred, deviation))
        return emit(add(emit(multiply(hat, scale)), shift))

    layer = {"x": (rows, columns), "scale": (columns,), "shift": (columns,), "weights": (rows, columns)}
    yield "layer_norm", layer, lambda emit, x, a, b: normalized(emit, x, a, b, [-1])
    n, c, h, w = (2, 3, 4, 2) if small else (8, 16, 14, 14)
    batch = {"x": (n, c, h, w), "scale": (1, c, 1, 1), "shift": (1, c, 1, 1), "weights": (n, c, h, w)}

    def batch_norm(emit, x, a, b):
        return normalized(emit, x, a, b, [0, 2, 3])

    yield "batch_norm", batch, batch_norm
    n, ci, c, s = (1, 2, 3, 4) if small else (2, 8, 16, 16)
    conv = {"x": (n, ci, s + 2, s + 2), "weight": (c, ci, 3, 3), "scale": (1, c, 1, 1), "shift": (1, c, 1, 1)}
    conv["weights"] = (n, c, s, s)

    def conv_bn_relu(emit, x, weight, a, b):
        out = emit(nn.conv2d(x, weight))
        return emit(nn.relu(normalized(emit, out, a, b, [0, 2, 3])))

    yield "conv_bn_relu", conv, conv_bn_relu
    heads, length, width = (2, 3, 4) if small else (4, 32, 16)
    tensors = {name: (heads, length, width) for name in ("q", "k", "v", "weights")}

    def attention(emit, q, k, v):
        scores = emit(matmul(q, emit(op.permute_dims(k, [0, 2, 1]))))
        scaled = emit(multiply(scores, relax.const(width**-0.5, "float32")))
        return emit(matmul(emit(nn.softmax(scaled, axis=-1)), v))

    yield "attention", tensors, attention
    batch, hidden = (2, 3) if small else (8, 32)
    cell = {"x": (batch, hidden), "h": (batch, hidden), "c": (batch, hidden)}
    cell |= {"wx": (hidden, 4 * hidden), "wh": (hidden, 4 * hidden), "b": (4 * hidden,), "weights": (batch, hidden)}

    def lstm(emit, x, h, c, wx, wh, b):
        gates = emit(add(emit(add(emit(matmul(x, wx)), emit(matmul(h, wh)))), b))
        parts = emit(split(gates, 4, axis=1))
        i, f, g, o = (emit(relax.TupleGetItem(parts, k)) for k in range(4))
        i, f, o = (emit(sigmoid(gate)) for gate in (i, f, o))
        state = emit(add(emit(multiply(f, c)), emit(multiply(i, emit(tanh(g))))))
        return emit(multiply(o, emit(tanh(state))))

    yield "lstm", cell, lstm


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--fused", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, inputs, body in models(options.small):
        if options.pairs:
            module, told = pair(name, inputs, body)
            (options.folder / f"{name}.json").write_text(json.dumps(told) + "\n")
        elif options.fused:
            module, told = separately(name, inputs, body)
            (options.folder / f"{name}.json").write_text(json.dumps(told) + "\n")
        else:
            module = blocks(name, inputs, body)
        (options.folder / f"{name}.py").write_text(module.script() + "\n")
        print(name)


if __name__ == "__main__":
    main()
