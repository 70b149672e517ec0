func.func @kernel(%a: memref<4096xf32>, %out: memref<4096xf32>, %n32: i32, %m32: i32, %k32: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %c30 = arith.constant 30 : index
  %c112 = arith.constant 112 : index
  %c168 = arith.constant 168 : index
  scf.for %p = %c0 to %c30 step %c1 {
    scf.for %q = %c0 to %c16 step %c1 {
      scf.for %i = %c0 to %c7 step %c1 {
        %p112 = arith.muli %p, %c112 : index
        %q7 = arith.muli %q, %c7 : index
        %pq = arith.addi %p112, %q7 : index
        %x = arith.addi %pq, %i : index
        %pd = arith.divsi %p, %c6 : index
        %pd4 = arith.muli %pd, %c4 : index
        %qd = arith.divsi %q, %c4 : index
        %row = arith.addi %pd4, %qd : index
        %row2 = arith.muli %row, %c168 : index
        %pm = arith.remsi %p, %c6 : index
        %pm4 = arith.muli %pm, %c4 : index
        %qm = arith.remsi %q, %c4 : index
        %column = arith.addi %pm4, %qm : index
        %column2 = arith.muli %column, %c7 : index
        %s = arith.addi %row2, %column2 : index
        %y = arith.addi %s, %i : index
        %v = memref.load %a[%y] : memref<4096xf32>
        memref.store %v, %out[%x] : memref<4096xf32>
      }
    }
  }
  return
}
