//! Calls of functions that the interpreter does not know: what they return, and the log of those that may have an
//! effect.
//!
//! The value of such a call is made up from its name and arguments, so that equal calls give equal values. An opaque
//! call is logged with its arguments and with digests of the memory that it gets hold of, and it changes that memory, so
//! that a program that moves a load or a store across it behaves differently.

use std::fmt::Write;

use super::memory::{Memory, pointee};
use super::program::{ArgPlan, CallPlan};
use super::thread::Thread;
use crate::ir::value::{Value, float};
use crate::ir::{DType, Kind};

/// The number of calls that are kept as text.
const MAX_RECORDS: usize = 4096;

/// The opaque calls of a run, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallLog {
    /// The first calls, as text: name, arguments, digests of memory.
    pub records: Vec<String>,
    /// The number of calls.
    pub count: u64,
    /// A digest of all calls in order.
    pub digest: u64,
}

impl CallLog {
    /// Performs a call: its value, and the memories that it gets hold of.
    pub(super) fn call(&mut self, memories: &[Memory], t: &Thread, plan: &CallPlan) -> (Value, Vec<u32>) {
        let mut text = format!("{}(", plan.name);
        let mut reached = Vec::new();
        for (k, arg) in plan.args.iter().enumerate() {
            if k > 0 {
                text.push_str(", ");
            }
            write_arg(memories, t, arg, plan.reads, &mut text, &mut reached);
        }
        text.push_str(&plan.kwargs);
        text.push(')');
        let hash = fnv(text.as_bytes(), FNV_START);
        if plan.opaque {
            self.count += 1;
            self.digest = fnv(&hash.to_le_bytes(), self.digest ^ FNV_START);
            if self.records.len() < MAX_RECORDS {
                self.records.push(text);
            }
        }
        reached.sort_unstable();
        reached.dedup();
        (made_up(hash, plan.dtype), reached)
    }
}

/// A small value of type `dtype` that follows from a hash.
fn made_up(hash: u64, dtype: DType) -> Value {
    let mixed = hash ^ (hash >> 29);
    match dtype.kind {
        Kind::Bool => Value::bool(mixed & 1 == 1),
        Kind::Int | Kind::UInt => Value::Int((mixed % 8) as i64 & ((1 << (dtype.bits - 1).min(3)) - 1)),
        Kind::Float | Kind::BFloat => {
            Value::Float(float::round(dtype.scalar(), (mixed % 2048) as f64 / 1024.0 - 1.0))
        }
        Kind::Narrow(_) | Kind::Handle | Kind::Void => Value::Int(0),
    }
}

fn write_arg(
    memories: &[Memory],
    t: &Thread,
    arg: &ArgPlan,
    with_memory: bool,
    text: &mut String,
    reached: &mut Vec<u32>,
) {
    let memory = |index: u32, text: &mut String, reached: &mut Vec<u32>| {
        if let Some(memory) = memories.get(index as usize) {
            text.push_str(memory.name.as_deref().unwrap_or("allocated"));
            if with_memory {
                // Writing to a string cannot fail.
                let _ = write!(text, "#{:016x}", fnv(&memory.bytes, FNV_START));
                reached.push(index);
            }
        }
    };
    match arg {
        ArgPlan::Value(slot, dtype) => {
            for lane in 0..u32::from(dtype.lanes) {
                if lane > 0 {
                    text.push('|');
                }
                let _ = match t.value(slot + lane, *dtype) {
                    Value::Int(v) if dtype.kind == Kind::Handle => {
                        if let Some((index, byte)) = pointee(v as u64) {
                            memory(index, text, reached);
                            write!(text, "+{byte}")
                        } else {
                            write!(text, "pointer {v}")
                        }
                    }
                    Value::Int(v) => write!(text, "{v}"),
                    Value::Float(v) => write!(text, "{v:?}"),
                };
            }
        }
        ArgPlan::Text(string) => {
            let _ = write!(text, "{string:?}");
        }
        ArgPlan::Buffer(buffer) => match t.view(*buffer) {
            Some(view) => memory(view.memory, text, reached),
            None => text.push_str("undeclared"),
        },
        ArgPlan::Region(buffer, ranges) => {
            if let Some(view) = t.view(*buffer) {
                memory(view.memory, text, reached);
            }
            for (min, extent) in ranges {
                let _ = match extent {
                    Some(extent) => write!(text, "[{}+:{}]", t.int(*min), t.int(*extent)),
                    None => write!(text, "[{}]", t.int(*min)),
                };
            }
        }
        ArgPlan::Tuple(items) => {
            text.push('(');
            for (k, item) in items.iter().enumerate() {
                if k > 0 {
                    text.push_str(", ");
                }
                write_arg(memories, t, item, with_memory, text, reached);
            }
            text.push(')');
        }
    }
}

/// The start value of [`fnv`].
pub(super) const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// The 64-bit FNV-1a hash of `bytes`, continued from `hash`.
pub(super) fn fnv(bytes: &[u8], mut hash: u64) -> u64 {
    for &byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}
