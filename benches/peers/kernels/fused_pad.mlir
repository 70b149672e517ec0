func.func @kernel(%a: memref<4096xf32>, %out: memref<4096xf32>, %n32: i32, %m32: i32, %k32: i32) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c23 = arith.constant 23 : index
  %c30 = arith.constant 30 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c77 = arith.constant 77 : index
  %c768 = arith.constant 768 : index
  scf.for %o = %c0 to %c77 step %c1 {
    scf.for %t = %c0 to %c10 step %c1 {
      %o10 = arith.muli %o, %c10 : index
      %x = arith.addi %o10, %t : index
      %inside = arith.cmpi slt, %x, %c768 : index
      scf.if %inside {
        %i = arith.divsi %x, %c32 : index
        %j = arith.remsi %x, %c32 : index
        %i1 = arith.cmpi sle, %c1, %i : index
        %i2 = arith.cmpi slt, %i, %c23 : index
        %j1 = arith.cmpi sle, %c1, %j : index
        %j2 = arith.cmpi slt, %j, %c31 : index
        %ii = arith.andi %i1, %i2 : i1
        %jj = arith.andi %j1, %j2 : i1
        %in = arith.andi %ii, %jj : i1
        %v = scf.if %in -> f32 {
          %i3 = arith.divsi %x, %c32 : index
          %row = arith.muli %i3, %c30 : index
          %j3 = arith.remsi %x, %c32 : index
          %s = arith.addi %row, %j3 : index
          %y = arith.subi %s, %c31 : index
          %w = memref.load %a[%y] : memref<4096xf32>
          scf.yield %w : f32
        } else {
          scf.yield %zero : f32
        }
        memref.store %v, %out[%x] : memref<4096xf32>
      }
    }
  }
  return
}
