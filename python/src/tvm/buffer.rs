//! Buffers of TVM as buffers of satir.

use satir::ir::{AttrValue, Buffer, BufferId, BufferRegion, DType, Expr, Origin};

use super::object::Obj;
use super::read::Reader;
use super::schema::Kind;
use super::{Res, Unsupported};

/// Alignment in bytes that TVM gives a buffer by default.
const DEFAULT_ALIGN: i64 = 64;

impl Reader<'_> {
    /// Adds the buffer that a variable is.
    pub(super) fn define_buffer(&mut self, object: &Obj, origin: Origin) -> Res<BufferId> {
        let tvm = self.tvm;
        let ty = tvm.object(object, "ty")?;
        if tvm.kind(&ty) != Some(Kind::BufferType) {
            return Err(Unsupported::new("a variable where a buffer is expected"));
        }
        let shape = self.exprs(&ty, "shape")?;
        let strides = self.exprs(&ty, "strides")?;
        let index = shape.first().map_or(DType::I32, |e| e.dtype);
        let elem_offset = match tvm.optional(&ty, "elem_offset")? {
            Some(offset) => {
                let offset = self.expr(&offset)?;
                let default = offset.as_int() == Some(0) && offset.dtype == index;
                (!default).then_some(offset)
            }
            None => None,
        };
        let mut extra = Vec::new();
        let align = tvm.int(&ty, "data_alignment")?;
        if align > 0 && align != DEFAULT_ALIGN {
            extra.push(("align".into(), AttrValue::Int(align)));
        }
        let factor = tvm.int(&ty, "offset_factor")?;
        if factor > 1 || (factor == 1 && elem_offset.as_ref().is_some_and(|e| e.as_var().is_some())) {
            extra.push(("offset_factor".into(), AttrValue::Int(factor)));
        }
        match tvm.optional(&ty, "layout")? {
            None if self.s_tir => {}
            None => extra.push(("layout".into(), AttrValue::None)),
            Some(layout) => {
                if !self.is_row_major(&layout, &shape)? {
                    return Err(Unsupported::new("a buffer with a layout of its own"));
                }
                if self.s_tir {
                    extra.push(("layout".into(), AttrValue::Str("default".into())));
                }
            }
        }
        if !tvm.objects(&ty, "allocated_addr")?.is_empty() {
            return Err(Unsupported::new("a buffer at a given address"));
        }
        let dtype = tvm.prim_type(&*tvm.object(&ty, "dtype")?)?;
        let name = tvm.text(object, "name")?.into();
        let scope = tvm.text(&ty, "storage_scope")?.into();
        self.add_buffer(object, Buffer { name, dtype, shape, strides, elem_offset, scope, extra, origin })
    }

    /// Whether a layout is the default one: rows one after the other.
    fn is_row_major(&mut self, layout: &Obj, shape: &[Expr]) -> Res<bool> {
        let tvm = self.tvm;
        if tvm.kind(layout) != Some(Kind::TileLayout) || !tvm.objects(layout, "replica")?.is_empty() {
            return Ok(false);
        }
        if !tvm.entries(&*tvm.object(layout, "offset")?)?.is_empty() {
            return Ok(false);
        }
        let shard = tvm.objects(layout, "shard")?;
        if shard.len() != shape.len() {
            return Ok(false);
        }
        let mut stride = Some(1i64);
        for (iter, extent) in shard.iter().zip(shape).rev() {
            let axis = tvm.object(iter, "axis")?;
            let (found, step) = (self.field(iter, "extent")?, self.field(iter, "stride")?);
            if tvm.text(&axis, "name")? != "m" || found != *extent || step.as_int() != stride {
                return Ok(false);
            }
            let size = extent.as_int();
            stride = stride.zip(size).and_then(|(stride, size)| stride.checked_mul(size));
            if stride.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A box of a buffer.
    pub(super) fn region(&mut self, object: &Obj) -> Res<BufferRegion> {
        let buffer = self.buffer(&*self.tvm.object(object, "source")?)?;
        let mut ranges = Vec::new();
        for range in &self.tvm.objects(object, "region")? {
            let (min, extent) = (self.field(range, "min")?, self.field(range, "extent")?);
            let point = extent.as_int() == Some(1);
            ranges.push((min, (!point).then_some(extent)));
        }
        Ok(BufferRegion { buffer, ranges })
    }
}
