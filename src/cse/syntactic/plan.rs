//! Second half of the analysis: which classes get a variable, and where.
//!
//! Classes are decided from the largest down. A class's uses are known when its turn comes: one for each place
//! where it stands in a statement or in something that stays inline, and one for each binding of a larger class
//! that contains it. So what a larger binding swallows is not counted again (cascading falls out of it).
//!
//! For one class, the blocks that hold its uses form a tree. Working up from the leaves, each lowest common
//! ancestor of uses takes the cheaper of: one binding before the first use below it, or what its parts cost on
//! their own. A class that may trap is bound only where the input is certain to evaluate it afterwards.

use hashbrown::HashMap;

use super::options::SyntacticOptions;
use super::scan::{ClassInfo, Need, Scan, Use, head_position, index_of};
use crate::cost::{Cost, Frequency, Weight};
use crate::cse::pool::ClassId;
use crate::ir::BinOp;
use crate::ir::opclass::OpClass;

/// A binding to insert: `class` gets a variable before statement `index` of `block`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Insert {
    pub(super) block: u32,
    pub(super) index: u32,
    pub(super) class: ClassId,
}

/// Decides all bindings; sorted by place, operands before what uses them.
pub(super) fn plan(scan: &Scan, options: &SyntacticOptions) -> Vec<Insert> {
    let mut planner = Planner {
        scan,
        units: unit_costs(scan),
        let_weight: options.profile.weight(OpClass::Bind),
        existing: HashMap::new(),
    };
    for e in &scan.existing {
        let first = planner.existing.entry((e.class, e.block)).or_insert(e.index);
        *first = (*first).min(e.index);
    }
    let mut has_existing = vec![false; scan.classes.len()];
    scan.existing.iter().for_each(|e| has_existing[e.class.index()] = true);

    let mut uses: Vec<Vec<Use>> = vec![Vec::new(); scan.classes.len()];
    for &(class, at) in &scan.roots {
        uses[class.index()].push(at);
    }
    let mut inserts = Vec::new();
    for index in (0..scan.classes.len()).rev() {
        let mut wanted = std::mem::take(&mut uses[index]);
        let class = ClassId(index as u32);
        let info = &scan.classes[index];
        if info.bindable {
            wanted.sort_by_key(|u| u.seq);
            if has_existing[index] {
                wanted.retain(|u| !planner.has_variable(class, u));
            }
            let mut outcome = Outcome::default();
            planner.solve(class, &wanted, &mut outcome);
            let insert = |u: &Use| Insert { block: u.block, index: u.index, class };
            inserts.extend(outcome.bound.iter().map(insert));
            wanted = outcome.inline;
            wanted.extend(outcome.bound);
        }
        for (i, operand) in scan.pool.operands(class).iter().enumerate() {
            // Leaves are never decided; their uses need not be kept.
            if scan.pool.operands(*operand).is_empty() {
                continue;
            }
            let p = info.arms.probability(i);
            let of_operand = wanted.iter().map(|u| Use { frequency: u.frequency * p, ..*u });
            uses[operand.index()].extend(of_operand);
        }
    }
    inserts.sort_unstable();
    inserts
}

/// Per class, what evaluating it costs at least beyond evaluating the operands that others use too.
fn unit_costs(scan: &Scan) -> Vec<Cost> {
    let mut units: Vec<Cost> = Vec::with_capacity(scan.classes.len());
    for (index, info) in scan.classes.iter().enumerate() {
        let operands = scan.pool.operands(ClassId(index as u32));
        let mut unit = info.weight * Frequency::ONE;
        for (i, o) in operands.iter().enumerate() {
            let times = operands.iter().filter(|other| *other == o).count() as u64;
            let first = !operands[..i].contains(o);
            let exclusive = scan.classes[o.index()].count == info.count.saturating_mul(times);
            if first && exclusive && !info.arms.is_lazy(i) {
                unit += units[o.index()];
            }
        }
        units.push(unit);
    }
    units
}

/// What is decided about the uses of one class.
#[derive(Default)]
struct Outcome {
    /// Uses that compute the value themselves.
    inline: Vec<Use>,
    /// Bindings: each before the statement named.
    bound: Vec<Use>,
}

struct Planner<'s> {
    scan: &'s Scan,
    units: Vec<Cost>,
    let_weight: Weight,
    /// Index in the block of the first binding of the class that stands in the input.
    existing: HashMap<(ClassId, u32), u32>,
}

impl Planner<'_> {
    /// Whether a variable that the input binds to the class is in scope at the use.
    fn has_variable(&self, class: ClassId, u: &Use) -> bool {
        let (mut block, mut index) = (u.block, u.index);
        loop {
            if self.existing.get(&(class, block)).is_some_and(|&bound| bound < index) {
                return true;
            }
            let info = &self.scan.blocks[block as usize];
            if info.depth == 0 {
                return false;
            }
            (block, index) = (info.parent, info.parent_index);
        }
    }

    /// Decides `uses`, which are in the order of the text, and returns what they cost then.
    fn solve(&self, class: ClassId, uses: &[Use], out: &mut Outcome) -> Cost {
        let (Some(first), Some(last)) = (uses.first(), uses.last()) else { return Cost::ZERO };
        let info = &self.scan.classes[class.index()];
        let unit = self.units[class.index()];
        let top = self.common_block(first.block, last.block);
        let frequency = self.scan.blocks[top as usize].frequency;
        let bind = unit.times(frequency) + self.let_weight * frequency;
        // The state before the first statement in which it is legal to bind here.
        let mut legal: Option<(Use, Cost, (usize, usize))> = None;
        let mut cost = Cost::ZERO;
        let mut i = 0;
        while i < uses.len() {
            let u = uses[i];
            let (child, index) = self.step_below(top, &u);
            if legal.is_none() && self.may_bind(info, top, index) {
                let seq = self.scan.blocks[top as usize].seqs[index as usize];
                let at = Use { block: top, index, seq, frequency };
                legal = Some((at, cost, (out.inline.len(), out.bound.len())));
            }
            let Some(child) = child else {
                out.inline.push(u);
                cost += unit.times(u.frequency);
                i += 1;
                continue;
            };
            let end = self.scan.blocks[child as usize].end_seq;
            let n = uses[i..].partition_point(|u| u.seq < end);
            cost += self.solve(class, &uses[i..i + n], out);
            i += n;
        }
        match legal {
            Some((at, before, state)) if before + bind < cost => {
                out.inline.truncate(state.0);
                out.bound.truncate(state.1);
                out.bound.push(at);
                before + bind
            }
            Some(_) | None => cost,
        }
    }

    /// Whether the class may be bound before statement `index` of the block: evaluating it there can trap only if the input
    /// traps, and TVM takes the binding.
    fn may_bind(&self, info: &ClassInfo, block: u32, index: u32) -> bool {
        let allowed = self.scan.blocks[block as usize].lanes.allow(info.truth);
        allowed && info.needs.iter().all(|&need| self.is_met(need, block, index))
    }

    /// Whether a need is met before statement `index` of the block: control has passed, or is sure to come to,
    /// something that shows it.
    fn is_met(&self, need: Need, block: u32, index: u32) -> bool {
        if self.is_shown(need, block, index) {
            return true;
        }
        match need {
            // A product of index arithmetic is not zero if no factor is.
            Need::NonZero(class) => match self.scan.pool.binary(class) {
                Some((BinOp::Mul, a, b)) if self.scan.pool.dtype(class).is_index() => {
                    let is_factor_met = |c| {
                        self.scan.pool.int(c).is_some_and(|v| v != 0)
                            || self.is_met(Need::NonZero(c), block, index)
                    };
                    is_factor_met(a) && is_factor_met(b)
                }
                Some(_) | None => false,
            },
            Need::Defined(_) | Need::InScope(_) => false,
        }
    }

    /// Whether a need is met as it stands.
    fn is_shown(&self, need: Need, block: u32, index: u32) -> bool {
        let (mut block, mut index, mut inside) = (block, index, false);
        loop {
            let info = &self.scan.blocks[block as usize];
            if let Some(positions) = self.scan.shown.get(&(need, block)) {
                let here = head_position(index);
                let passed = positions[0] < here || (inside && positions[0] == here);
                let to_come = || {
                    let next = positions.partition_point(|&p| p < here);
                    let leaves = |i: u32| info.leaves_before.get(i as usize);
                    positions.get(next).is_some_and(|&p| leaves(index_of(p)) == leaves(index))
                };
                if passed || (!inside && to_come()) {
                    return true;
                }
            }
            if info.depth == 0 {
                return false;
            }
            (block, index, inside) = (info.parent, info.parent_index, true);
        }
    }

    /// The child of `top` that the use lies in (none if it lies in `top` itself), and the index of its statement in
    /// `top`.
    fn step_below(&self, top: u32, u: &Use) -> (Option<u32>, u32) {
        let (mut block, mut index, mut child) = (u.block, u.index, None);
        while block != top {
            let info = &self.scan.blocks[block as usize];
            child = Some(block);
            (block, index) = (info.parent, info.parent_index);
        }
        (child, index)
    }

    fn common_block(&self, mut a: u32, mut b: u32) -> u32 {
        let block = |i: u32| &self.scan.blocks[i as usize];
        while a != b {
            if block(a).depth >= block(b).depth {
                a = block(a).parent;
            } else {
                b = block(b).parent;
            }
        }
        a
    }
}
