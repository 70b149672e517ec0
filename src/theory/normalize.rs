//! Normal forms and ranges of all classes, brought up to date with what was united.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use egg::Id;
use foldhash::quality::FixedState;

use super::bounds::{BOUND_DEPTH, bound};
use super::divides::{self, residue_of};
use crate::egraph::{Axiom, Graph, Knowing, Node, Poly, PolyTable, TheoryLevel, in_theory, poly_of, rebuild};

/// Brings all normal forms up to date with the classes' unions and unites classes of equal forms.
pub(super) fn refresh(graph: &mut Graph) -> bool {
    let mut ids: Vec<Id> =
        graph.classes().filter(|c| in_theory(graph.facts(c.id).dtype)).map(|c| c.id).collect();
    ids.sort_unstable();
    let mut changed = false;
    let mut table = PolyTable::with_capacity(ids.len());
    for id in ids {
        let root = graph.find(id);
        let old = poly_of(graph, root);
        let new =
            if is_normal(graph, root, &old) { old.clone() } else { normalize(graph, root, &old).into() };
        let bounds = graph.analysis.level == TheoryLevel::Full;
        let new = match bounds.then(|| divides::multiplied_out(graph, &new)).flatten() {
            Some(new) => Arc::new(new),
            None => new,
        };
        graph.analysis.spend(new.terms().len());
        let first = bounds && {
            let known = known_of_atoms(graph, root, &new);
            graph.analysis_mut().bounded.insert(known)
        };
        let data = graph.facts(root);
        let (narrowed, residue) = if first {
            let interval = bound(graph, &new, BOUND_DEPTH);
            let narrowed = data.interval.meet(interval).unwrap_or(data.interval);
            (narrowed, data.residue.meet(residue_of(graph, &new)).unwrap_or(data.residue))
        } else {
            (data.interval, data.residue)
        };
        if new != old || narrowed != data.interval || residue != data.residue {
            let mut facts = data.clone();
            facts.poly = Some(new.clone());
            facts.interval = narrowed;
            facts.residue = residue;
            graph.set_facts(root, facts);
            changed = true;
        }
        let dtype = graph.facts(root).dtype;
        let constant = new.as_const().map(|value| (value, Axiom::ConstantForm));
        let only = || narrowed.as_point().filter(|_| bounds).map(|value| (value, Axiom::OnlyValue));
        if let Some((value, axiom)) = constant.or_else(only) {
            let constant = graph.add(Node::int(value, dtype));
            changed |= graph.unite(root, constant, axiom);
        }
        let first = table.get_or_insert(dtype, &new, root);
        changed |= graph.unite(first, root, Axiom::NormalForm);
    }
    // In a whole function sums are built again, so that rules see them as they are built.
    let size = table.len();
    let table = if graph.analysis.contextual { table } else { PolyTable::with_capacity(size) };
    graph.analysis_mut().set_table(table);
    if changed || !graph.clean {
        rebuild(graph);
    }
    changed
}

/// A hash of what bounds on the value of a class's normal form are made from.
fn known_of_atoms(graph: &Graph, id: Id, poly: &Poly) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    (id, poly).hash(&mut hasher);
    for &atom in poly.terms().iter().flat_map(|(monomial, _)| monomial) {
        let class = &graph[graph.find(atom)];
        (graph.facts(class.id).interval, graph.facts(class.id).residue, class.nodes.len()).hash(&mut hasher);
    }
    hasher.finish()
}

/// Whether [`normalize`] would change nothing: every atom stands for itself.
fn is_normal(graph: &Graph, owner: Id, poly: &Poly) -> bool {
    poly.terms().iter().flat_map(|(monomial, _)| monomial).all(|&atom| {
        graph.find(atom) == atom
            && (atom == owner || graph.facts(atom).poly.as_ref().is_none_or(|p| p.as_atom() == Some(atom)))
    })
}

/// The polynomial with every atom replaced by its class's own normal form, as far as that does not lead back.
fn normalize(graph: &Graph, owner: Id, poly: &Poly) -> Poly {
    let expanded = poly.substitute(|atom| {
        let atom = graph.find(atom);
        if atom == owner {
            return Poly::atom(atom);
        }
        let own = poly_of(graph, atom);
        match own.rename(|x| graph.find(x)) {
            Some(p) if !p.mentions(owner) && !p.mentions(atom) => p,
            _ => Poly::atom(atom),
        }
    });
    expanded.or_else(|| poly.rename(|x| graph.find(x))).unwrap_or_else(|| poly.clone())
}
