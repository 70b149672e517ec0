# Several functions that call each other.
@I.ir_module
class Kernels:
    I.module_attrs({"version": 3, "list": [1, "a", None, True], "t": {"x": T.int64(1)}})
    @T.prim_func(private=True, s_tir=True)
    def helper(x: T.int32, p: T.handle) -> T.int32:
        return x * 2

    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "int32")):
        T.func_attr({"target": T.target({"kind": "llvm", "keys": ["cpu"], "tag": ""}), "global_symbol": "main"})
        Kernels.helper(A[0], A.data)
        A[1] = Kernels.helper(A[0], A.data) + 1
