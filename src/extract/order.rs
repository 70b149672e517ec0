//! The order of the bindings at one place.
//!
//! The compiler of the result emits code in the order of the bindings, and where its scheduler sees no reason to change that
//! it stays so: what is computed far before it is needed occupies a register, or memory across a call. So bindings come
//! in the order in which their values would be computed if they stood where they are used first, which is that of TVM's
//! LLVM code generator: most operands from right to left.
//!
//! What branches (`if_then_else`) before an element is read is bound before that element, though it is used only once:
//! an element that several statements read would else be read before the branch, and stay in a register in both its arms.

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::plan::{Binding, Plan};
use super::selection::{Index, Selection};
use super::speculation::chosen_guards;
use crate::egraph::{Node, Op};
use crate::encode::{Lowered, Place};
use crate::ir::{BinOp, Kind};

/// Brings the bindings of a plan into that order; operands stay before their users.
pub(super) fn order(plan: &mut Plan, lowered: &Lowered, selection: &Selection) {
    let mut ranks: Vec<Option<usize>> = vec![None; selection.chosen.len()];
    let mut next = 0;
    for root in roots(lowered, selection) {
        // Terms may be too deep for a recursion.
        let mut open = vec![(root, false)];
        while let Some((index, has_operands)) = open.pop() {
            if ranks[index].is_some() {
                continue;
            }
            if has_operands {
                ranks[index] = Some(next);
                next += 1;
            } else {
                open.push((index, true));
                open.extend(operands(selection, index).into_iter().rev().map(|operand| (operand, false)));
            }
        }
    }
    plan.bindings.extend(branches(plan, lowered, selection, &ranks));
    plan.bindings.sort_by_key(|binding| ranks[binding.index]);
}

/// Bindings of what branches in a statement before it is the first to read a bound element.
fn branches(plan: &Plan, lowered: &Lowered, selection: &Selection, ranks: &[Option<usize>]) -> Vec<Binding> {
    let mut loads: HashMap<Place, Vec<Index>> = HashMap::new();
    for binding in &plan.bindings {
        if matches!(selection.chosen[binding.index].node.op, Op::Load(..)) {
            loads.entry(binding.place).or_default().push(binding.index);
        }
    }
    let mut found = Vec::new();
    if loads.is_empty() {
        return found;
    }
    let bound: HashSet<Index> = plan.bindings.iter().map(|binding| binding.index).collect();
    for (site, &root) in lowered.sites.iter().zip(&selection.sites) {
        let Some(loads) = loads.get(&site.place) else { continue };
        let (mut branches, mut last_read) = (Vec::new(), None);
        let mut seen: HashSet<Index> = HashSet::from([root]);
        let mut open = vec![root];
        while let Some(index) = open.pop() {
            let chosen = &selection.chosen[index];
            if bound.contains(&index) {
                if loads.contains(&index) {
                    last_read = last_read.max(ranks[index]);
                }
            } else if matches!(chosen.node.op, Op::IfThenElse) {
                branches.push(index);
            } else {
                let always = (0..)
                    .zip(&chosen.children)
                    .filter(|&(i, _)| chosen_guards(lowered, selection, chosen, i).is_empty());
                open.extend(always.map(|(_, &operand)| operand).filter(|&operand| seen.insert(operand)));
            }
        }
        branches.retain(|&branch| ranks[branch] < last_read);
        found.extend(branches.into_iter().map(|index| Binding { index, place: site.place, uses: 1 }));
    }
    found
}

/// The classes of all expressions, of a store its value before its indices.
fn roots(lowered: &Lowered, selection: &Selection) -> Vec<Index> {
    let mut roots = Vec::with_capacity(selection.sites.len());
    let mut indices = Vec::new();
    for (site, &root) in lowered.sites.iter().zip(&selection.sites) {
        // The sites of a store are those of its indices, then that of its value.
        if site.address {
            indices.push(root);
        } else {
            roots.push(root);
            roots.append(&mut indices);
        }
    }
    roots
}

/// The operands of a class in the order in which they are computed.
fn operands(selection: &Selection, index: Index) -> SmallVec<[Index; 4]> {
    let chosen = &selection.chosen[index];
    // A product in a sum of floats becomes one operation with it.
    let factors = |term: Index| {
        let Node { op, dtype, .. } = &selection.chosen[term].node;
        let fused = dtype.kind == Kind::Float && matches!(op, Op::Bin(BinOp::Mul));
        fused.then_some(&selection.chosen[term].children[..])
    };
    match (&chosen.node.op, &chosen.children[..]) {
        (Op::Bin(BinOp::Add), &[a, b]) => match (factors(a), factors(b)) {
            (_, Some(&[x, y])) => SmallVec::from([x, y, b, a]),
            (Some(&[x, y]), None) => SmallVec::from([x, y, a, b]),
            _ => SmallVec::from_slice(&[b, a]),
        },
        (Op::Bin(BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or), &[a, b]) => SmallVec::from_slice(&[b, a]),
        (Op::Bin(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge), &[a, b]) => SmallVec::from_slice(&[b, a]),
        (Op::Select, &[condition, then, otherwise]) => SmallVec::from_slice(&[otherwise, then, condition]),
        (_, operands) => SmallVec::from_slice(operands),
    }
}
