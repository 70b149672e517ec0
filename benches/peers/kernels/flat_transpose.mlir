func.func @kernel(%a: memref<4096xf32>, %out: memref<4096xf32>, %n32: i32, %m32: i32, %k32: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %n = arith.index_cast %n32 : i32 to index
  %m = arith.index_cast %m32 : i32 to index
  %k = arith.index_cast %k32 : i32 to index
  %kn = arith.muli %k, %n : index
  %all = arith.muli %kn, %m : index
  %up = arith.addi %all, %c63 : index
  %blocks = arith.divsi %up, %c64 : index
  scf.for %o = %c0 to %blocks step %c1 {
    scf.for %t = %c0 to %c64 step %c1 {
      %o64 = arith.muli %o, %c64 : index
      %x = arith.addi %o64, %t : index
      %kn2 = arith.muli %k, %n : index
      %all2 = arith.muli %kn2, %m : index
      %inside = arith.cmpi slt, %x, %all2 : index
      scf.if %inside {
        %nm = arith.muli %n, %m : index
        %r = arith.remsi %x, %nm : index
        %rk = arith.muli %r, %k : index
        %q = arith.divsi %x, %nm : index
        %y = arith.addi %rk, %q : index
        %v = memref.load %a[%y] : memref<4096xf32>
        memref.store %v, %out[%x] : memref<4096xf32>
      }
    }
  }
  return
}
