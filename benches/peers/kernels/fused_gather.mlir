func.func @kernel(%a: memref<4096xf32>, %out: memref<4096xf32>, %n32: i32, %m32: i32, %k32: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c33 = arith.constant 33 : index
  %c65 = arith.constant 65 : index
  %c114 = arith.constant 114 : index
  %c396 = arith.constant 396 : index
  %c792 = arith.constant 792 : index
  %c1040 = arith.constant 1040 : index
  scf.for %f = %c0 to %c114 step %c1 {
    scf.for %i = %c0 to %c7 step %c1 {
      %f7 = arith.muli %f, %c7 : index
      %x = arith.addi %f7, %i : index
      %inside = arith.cmpi slt, %x, %c792 : index
      scf.if %inside {
        %q = arith.divsi %x, %c396 : index
        %q2 = arith.muli %q, %c1040 : index
        %r = arith.remsi %x, %c396 : index
        %r2 = arith.divsi %r, %c33 : index
        %r3 = arith.muli %r2, %c65 : index
        %s = arith.remsi %x, %c33 : index
        %s2 = arith.muli %s, %c2 : index
        %t = arith.addi %q2, %r3 : index
        %u = arith.addi %t, %s2 : index
        %v = memref.load %a[%u] : memref<4096xf32>
        memref.store %v, %out[%x] : memref<4096xf32>
      }
    }
  }
  return
}
