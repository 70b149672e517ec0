func.func @kernel(%a: memref<4096xf32>, %out: memref<4096xf32>, %n32: i32, %m32: i32, %k32: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %n32 : i32 to index
  %m = arith.index_cast %m32 : i32 to index
  %k = arith.index_cast %k32 : i32 to index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      scf.for %l = %c0 to %k step %c1 {
        %im = arith.muli %i, %m : index
        %imk = arith.muli %im, %k : index
        %jk = arith.muli %j, %k : index
        %ij = arith.addi %imk, %jk : index
        %x = arith.addi %ij, %l : index
        %v = memref.load %a[%x] : memref<4096xf32>
        %im2 = arith.muli %i, %m : index
        %imk2 = arith.muli %im2, %k : index
        %jk2 = arith.muli %j, %k : index
        %ij2 = arith.addi %imk2, %jk2 : index
        %x2 = arith.addi %ij2, %l : index
        memref.store %v, %out[%x2] : memref<4096xf32>
      }
    }
  }
  return
}
