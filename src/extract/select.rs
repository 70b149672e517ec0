//! Choice of one node for each needed class.
//!
//! The cost of a node is its weight times the frequency of the outermost scope in which all its variables are
//! defined: where it would be hoisted to. First comes the cheapest *tree* for each class (a fixpoint), then
//! [local improvement](super::improve), which counts shared classes once.
//!
//! Ties are broken by, in this order: the choice that is in place, forms that stand in the input, the order of the
//! classes' nodes (by operator, type and operands, with variables and buffers in the order of the program).

use egg::Id;

use super::improve::Improver;
use super::selection::{Chosen, Index, Selection};
use super::selector::{Candidate, Restriction, Selector};
use crate::cost::{Cost, Profile};
use crate::egraph::Node;
use crate::encode::Lowered;
use crate::ir::BinOp;
use crate::target::llvm::rewritten::{self, Choices};
use crate::target::{Model, Objective, Ties};

/// Chooses the cheapest tree for each site: for expressions that stand on their own.
pub(crate) fn select_trees(lowered: &Lowered, profile: &Profile, ties: Ties) -> Option<Selection> {
    let objective = Objective { profile, model: Model::NEUTRAL, ties };
    let mut selector = Selector::new(lowered, objective, &Restriction::default());
    selector.tree_costs();
    let roots = selector.roots(lowered);
    let order = selector.order(&roots)?;
    selector.finish(&roots, &order)
}

impl Selector<'_> {
    /// Chooses nodes for all sites, once from the cheapest trees and once from each of the hints (nodes to begin with).
    /// `found` is called with each of the choices that differ.
    pub(super) fn select(
        &mut self,
        lowered: &Lowered,
        hints: &[Vec<(Id, Node)>],
        mut found: impl FnMut(Selection),
    ) {
        self.tree_costs();
        let roots = self.roots(lowered);
        let trees = (self.choice.clone(), self.needs.clone(), self.total.clone());
        let mut begun: Vec<Vec<Option<u32>>> = Vec::new();
        let mut seen: Vec<Vec<(Index, Option<u32>)>> = Vec::new();
        let mut improver = Improver::new(self);
        for hint in std::iter::once(None).chain(hints.iter().map(Some)) {
            let selector = &mut *improver.selector;
            selector.choice.clone_from(&trees.0);
            selector.needs.clone_from(&trees.1);
            selector.total.clone_from(&trees.2);
            selector.version += 1;
            if let Some(hint) = hint {
                selector.follow(lowered, hint);
            }
            // What was begun with leads to the same again.
            if begun.contains(&selector.choice) {
                continue;
            }
            begun.push(selector.choice.clone());
            let Some(order) = improver.improve(&roots) else { continue };
            let selector = &*improver.selector;
            let choice: Vec<_> = order.iter().map(|&c| (c, selector.choice[c])).collect();
            if !seen.contains(&choice)
                && let Some(selection) = selector.finish(&roots, &order)
            {
                seen.push(choice);
                found(selection);
            }
        }
    }

    /// The choices for the classes in use, which `order` holds, operands first.
    pub(super) fn finish(&self, roots: &[Index], order: &[Index]) -> Option<Selection> {
        let mut position = vec![0; self.classes.len()];
        for (i, &c) in order.iter().enumerate() {
            position[c] = i;
        }
        let mut uses = vec![0u32; self.classes.len()];
        let used = order.iter().flat_map(|&c| self.children(c)).map(|&k| k as Index);
        for used in roots.iter().copied().chain(used) {
            uses[used] += 1;
        }
        let mut chosen = Vec::with_capacity(order.len());
        for &c in order {
            let candidate = self.chosen(c)?;
            chosen.push(Chosen {
                class: self.classes[c],
                node: candidate.written(),
                children: self.operands(candidate).iter().map(|&k| position[k as Index]).collect(),
                price: candidate.price,
                rewriting: self.rewriting(c, candidate, &uses),
                needs: self.needs[c],
                total: self.total[c],
            });
        }
        Some(Selection { chosen, sites: roots.iter().map(|&r| position[r]).collect() })
    }
}

impl Selector<'_> {
    /// What it costs in all that the compiler rewrites the sum of a candidate of class `c`, under the choices that are made
    /// for its operands and the number of uses of each class.
    pub(super) fn rewriting(&self, c: Index, candidate: &Candidate<'_>, uses: &[u32]) -> Cost {
        let executed = self.executed[c];
        let (Some((BinOp::Add | BinOp::Sub, ..)), &[a, b]) =
            (candidate.node.as_bin(), self.operands(candidate))
        else {
            return Cost::ZERO;
        };
        if executed.is_zero() {
            return Cost::ZERO;
        }
        let place = self.candidate_needs(candidate);
        let inside = self.frequency[place.scope.0 as usize] >= executed;
        let chosen = ChosenWithUses { selector: self, uses };
        rewritten::penalty(self.objective.model, &chosen, a as Index, b as Index, inside) * executed
    }
}

/// The choice that is in place.
struct ChosenWithUses<'s, 'a> {
    selector: &'s Selector<'a>,
    uses: &'s [u32],
}

impl Choices for ChosenWithUses<'_, '_> {
    fn node(&self, class: Index) -> Option<&Node> {
        self.selector.chosen(class).map(|candidate| candidate.node)
    }

    fn operands(&self, class: Index) -> &[u32] {
        self.selector.children(class)
    }

    fn is_single(&self, class: Index) -> bool {
        self.uses[class] <= 1
    }
}
