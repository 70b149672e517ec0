//! Which bodies of definitions are equal by meaning, though they are written in other ways.
//!
//! A body is brought into the cheapest form that its e-graph finds. Terms of it that have the values of terms that were met
//! before, at sample points, are put into one graph with these; what is proven equal there takes their place. For whole
//! bodies the axes may stand in another order.

use hashbrown::{HashMap, HashSet};

use super::fingerprint::Samples;
use super::meaning::{Meaning, reachable};
use super::stored::{Size, Stored};
use super::term::{Node, Term, Terms};
use crate::analysis::effects;
use crate::ir::{BinOp, Expr, ExprKind};

/// The axes of a term with their sizes, by number.
type Place = Vec<(u32, Size)>;

/// The forms that stand for a body, and the rules and laws by which it equals them.
type Normal = (Vec<Term>, Vec<String>);

/// The terms that were met, by what they are at sample points.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// What became of bodies whose axes are numbered by first use, and why.
    normal: HashMap<(Term, Vec<Size>), Normal>,
    parts: HashMap<(u64, Place), Vec<Term>>,
    /// Whole bodies: by the sizes of their axes, then by their values.
    whole: HashMap<Vec<Size>, HashMap<u64, Vec<Term>>>,
}

/// The most pairs that are compared for one body, and candidates for one term.
const MAX_PAIRS: usize = 24;
const MAX_SAME: usize = 3;

/// The most times that a body is brought into its cheapest form, and definitions are put into that.
const MAX_ROUNDS: usize = 4;

/// The most terms of a body that are compared one by one.
const MAX_PARTS: usize = 400;

/// The most orders of axes that are tried.
const MAX_ORDERS: usize = 24;

/// Bodies by their meaning.
#[derive(Debug)]
pub(crate) struct Bodies {
    meaning: Meaning,
    met: Met,
}

impl Bodies {
    /// None so far.
    pub(crate) fn new(meaning: Meaning) -> Bodies {
        Bodies { meaning, met: Met::default() }
    }

    /// Whether floats are computed as if they were real numbers.
    pub(crate) fn takes_floats_as_real(&self) -> bool {
        self.meaning.fast_math
    }

    /// The body of a definition, in a frame of these axes, in the form that stands for all that are found to be equal, with the
    /// rules and laws by which it is equal.
    pub(crate) fn normal(
        &mut self,
        terms: &mut Terms,
        stored: &[Stored],
        body: Term,
        axes: &[Size],
    ) -> (Term, Vec<String>) {
        let own = terms.axes(body).to_vec();
        if terms.children(body).is_empty() {
            return (body, Vec::new());
        }
        let canonical = terms.canonical(body);
        let sizes: Vec<Size> = own.iter().map(|&axis| axes[axis as usize].clone()).collect();
        let key = (canonical, sizes);
        let (forms, because) = match self.met.normal.get(&key) {
            Some(known) => known.clone(),
            None => {
                // Whether the body runs wherever the axes that it uses do.
                let runs = |size: &Size| size.extent.as_int().is_some_and(|extent| extent > 0);
                let mut others = (0..axes.len() as u32).filter(|axis| !own.contains(axis));
                let complete = others.all(|axis| runs(&axes[axis as usize]));
                let Bodies { meaning, met } = self;
                let mut search = Search { terms: &mut *terms, stored, meaning, met };
                let made = search.found(canonical, &key.1, complete);
                let because = if made[0] == canonical {
                    Vec::new()
                } else {
                    self.meaning.why(terms, stored, &key.1, canonical, made[0])
                };
                self.met.normal.insert(key, (made.clone(), because.clone()));
                (made, because)
            }
        };
        let frame: Vec<Term> = own.iter().map(|&axis| terms.axis(axis, axes[axis as usize].dtype)).collect();
        // Where axes may change places several forms stand for the body: the one that was there before all others is taken.
        let form = forms.iter().map(|&form| terms.replace(form, &frame)).min();
        (form.unwrap_or(body), because)
    }
}

/// What looks for the form of one body.
struct Search<'a> {
    terms: &'a mut Terms,
    stored: &'a [Stored],
    meaning: &'a mut Meaning,
    met: &'a mut Met,
}

impl Search<'_> {
    /// The forms of a body whose axes are numbered by first use, at least one.
    fn found(&mut self, body: Term, sizes: &[Size], complete: bool) -> Vec<Term> {
        let mut body = self.put_in(body, sizes);
        for _ in 0..MAX_ROUNDS {
            let Some(cheaper) = self.meaning.cheapest(self.terms, self.stored, sizes, body) else { break };
            body = self.put_in(cheaper, sizes);
            // What was put in may be simplified with what reads it.
            if body == cheaper {
                break;
            }
        }
        if self.terms.children(body).is_empty() {
            return vec![body];
        }
        let known = self.whole(body, sizes);
        if !known.is_empty() {
            return known;
        }
        let body = self.with_known_parts(body, sizes);
        self.meet(body, sizes, complete);
        // Its axes may change places too.
        let known = self.whole(body, sizes);
        if known.is_empty() { vec![body] } else { known }
    }

    /// A term in which what is read at plain axes, and is not kept in any case because of that, stands as its definition says. So
    /// does what is read at other places if all that it reads is at plain axes then: elements in reverse of a tensor in reverse.
    fn put_in(&mut self, root: Term, sizes: &[Size]) -> Term {
        let mut made: HashMap<Term, Term> = HashMap::new();
        for term in reachable(self.terms, root).into_iter().rev() {
            self.put_in_below(term, sizes, &mut made);
        }
        made[&root]
    }

    fn put_in_below(&mut self, term: Term, sizes: &[Size], made: &mut HashMap<Term, Term>) {
        if made.contains_key(&term) {
            return;
        }
        for child in self.terms.children(term).to_vec() {
            self.put_in_below(child, sizes, made);
        }
        let indices: Vec<Term> = self.terms.children(term).iter().map(|child| made[child]).collect();
        let now = rebuilt(self.terms, term, indices);
        let put_in = match self.terms.node(now) {
            Node::Stored(number, _, indices) if self.stored[*number as usize].folding.is_none() => {
                let (body, indices) = (self.stored[*number as usize].body, indices.to_vec());
                if is_plain(self.terms, &indices) {
                    Some(self.terms.replace(body, &indices))
                } else if each_once(self.terms, &indices) {
                    let there = self.terms.replace(body, &indices);
                    let simple = self.meaning.cheapest(self.terms, self.stored, sizes, there);
                    simple.filter(|&simple| reads_plainly(self.terms, simple))
                } else {
                    None
                }
            }
            Node::Axis(..) | Node::Stored(..) | Node::Form(..) => None,
        };
        made.insert(term, put_in.unwrap_or(now));
    }

    /// The body that was met before and equals this one, with its axes in each order in which it does.
    fn whole(&mut self, body: Term, sizes: &[Size]) -> Vec<Term> {
        let orders = orders(sizes.len());
        let mut found = Vec::new();
        for order in orders {
            // Axis `k` runs as axis `order[k]` of the other body.
            let mut there = sizes.to_vec();
            for (at, &place) in order.iter().enumerate() {
                there[place as usize] = sizes[at].clone();
            }
            let Some(known) = self.met.whole.get(&there) else { continue };
            let rounds = self.meaning.fast_math;
            let print = Samples::new(self.terms, order.clone(), &there, rounds).fingerprint(body);
            let Some(known) = known.get(&print) else { continue };
            let known = known.clone();
            let frame: Vec<Term> =
                order.iter().zip(sizes).map(|(&place, size)| self.terms.axis(place, size.dtype)).collect();
            let here = self.terms.replace(body, &frame);
            let pairs: Vec<(Term, Term)> = known.iter().map(|&other| (here, other)).collect();
            let equal = self.equal(&there, &pairs);
            if let Some(at) = equal.iter().position(|equal| *equal) {
                let mut back = frame.clone();
                for (at, &place) in order.iter().enumerate() {
                    back[place as usize] = self.terms.axis(at as u32, sizes[at].dtype);
                }
                found.push(self.terms.replace(known[at], &back));
            }
        }
        found
    }

    fn equal(&mut self, sizes: &[Size], pairs: &[(Term, Term)]) -> Vec<bool> {
        // What is the same needs no proof.
        if pairs.iter().any(|(one, other)| one == other) {
            return pairs.iter().map(|(one, other)| one == other).collect();
        }
        self.meaning.equal(self.terms, self.stored, sizes, pairs)
    }

    /// The body with terms that were met before in the place of equal ones.
    fn with_known_parts(&mut self, body: Term, sizes: &[Size]) -> Term {
        let parts = self.parts(body, sizes);
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        for (part, key) in &parts {
            let known = self.met.parts.get(key).map_or(&[][..], |known| known);
            // A term that was met before stands for itself.
            if *part == body || known.is_empty() || known.contains(part) {
                continue;
            }
            let evaluated = self.evaluated(*part);
            let fits = known.iter().filter(|&&known| self.evaluates_no_more(known, &evaluated));
            pairs.extend(fits.map(|&known| (*part, known)).take(MAX_PAIRS.saturating_sub(pairs.len())));
        }
        let equal = self.equal(sizes, &pairs);
        let mut known: HashMap<Term, Term> = HashMap::new();
        for ((part, other), _) in pairs.into_iter().zip(equal).filter(|(_, equal)| *equal) {
            known.entry(part).or_insert(other);
        }
        if known.is_empty() { body } else { exchanged(self.terms, body, &mut known) }
    }

    /// What is evaluated whenever a term is.
    fn evaluated(&self, root: Term) -> HashSet<Term> {
        let mut found: HashSet<Term> = [root].into_iter().collect();
        let mut open = vec![root];
        while let Some(term) = open.pop() {
            let lazy = self.terms.lazy_from(term).unwrap_or(usize::MAX);
            let children = self.terms.children(term).iter().take(lazy);
            open.extend(children.filter(|child| found.insert(**child)));
        }
        found
    }

    /// Whether a term computes nothing that may trap or overflow besides what is evaluated in any case.
    fn evaluates_no_more(&self, root: Term, evaluated: &HashSet<Term>) -> bool {
        let mut seen: HashSet<Term> = [root].into_iter().collect();
        let mut open = vec![root];
        while let Some(term) = open.pop() {
            if evaluated.contains(&term) {
                continue;
            }
            match self.terms.node(term) {
                Node::Axis(..) => {}
                Node::Stored(..) => return false,
                Node::Form(head, _) if !is_total(head) => return false,
                Node::Form(_, children) => open.extend(children.iter().filter(|child| seen.insert(**child))),
            }
        }
        true
    }

    /// The terms of a body that compute values, operands first, and by what they are found.
    fn parts(&self, body: Term, sizes: &[Size]) -> Vec<(Term, (u64, Place))> {
        let rounds = self.meaning.fast_math;
        let order = (0..sizes.len() as u32).collect();
        let mut samples = Samples::new(self.terms, order, sizes, rounds);
        let mut terms = reachable(self.terms, body);
        terms.truncate(MAX_PARTS);
        terms.reverse();
        let computes = |term: &Term| match self.terms.node(*term) {
            Node::Axis(..) | Node::Stored(..) => false,
            Node::Form(head, children) => {
                !children.is_empty() && !head.dtype.is_index() && !matches!(head.kind, ExprKind::Load { .. })
            }
        };
        let place = |term: Term| {
            let mut axes = self.terms.axes(term).to_vec();
            axes.sort_unstable();
            axes.into_iter().map(|axis| (axis, sizes[axis as usize].clone())).collect()
        };
        let computed = terms.into_iter().filter(computes);
        computed.map(|term| (term, (samples.fingerprint(term), place(term)))).collect()
    }

    /// Takes note of a body and its terms. Only one that is complete, so that the program evaluates it for all values of its
    /// axes, may take the place of another.
    fn meet(&mut self, body: Term, sizes: &[Size], complete: bool) {
        let rounds = self.meaning.fast_math;
        let order = (0..sizes.len() as u32).collect();
        let print = Samples::new(self.terms, order, sizes, rounds).fingerprint(body);
        if complete {
            let known = self.met.whole.entry(sizes.to_vec()).or_default().entry(print).or_default();
            if known.len() < MAX_SAME {
                known.push(body);
            }
        }
        for (part, key) in self.parts(body, sizes) {
            let known = self.met.parts.entry(key).or_default();
            if known.len() < MAX_SAME && !known.contains(&part) {
                known.push(part);
            }
        }
    }
}

/// Whether indices are different axes.
fn is_plain(terms: &Terms, indices: &[Term]) -> bool {
    let is_axis = |index: &Term| matches!(terms.node(*index), Node::Axis(..));
    (0..indices.len()).all(|at| is_axis(&indices[at]) && !indices[..at].contains(&indices[at]))
}

/// Whether indices are different elements at different points: each is a sum or difference of an axis of its own and a constant.
fn each_once(terms: &Terms, indices: &[Term]) -> bool {
    let axis = |index: Term| match terms.node(index) {
        Node::Form(head, operands) => match (&head.kind, &operands[..]) {
            (ExprKind::Binary(BinOp::Add | BinOp::Sub, ..), &[a, b]) => {
                match (terms.axes(a), terms.axes(b)) {
                    ([], [axis]) if matches!(terms.node(b), Node::Axis(..)) => Some(*axis),
                    ([axis], []) if matches!(terms.node(a), Node::Axis(..)) => Some(*axis),
                    _ => None,
                }
            }
            _ => None,
        },
        Node::Axis(axis, _) => Some(*axis),
        Node::Stored(..) => None,
    };
    let axes: Option<Vec<u32>> = indices.iter().map(|&index| axis(index)).collect();
    axes.is_some_and(|axes| (0..axes.len()).all(|at| !axes[..at].contains(&axes[at])))
}

/// Whether all elements that a term reads are at axes and constants.
fn reads_plainly(terms: &Terms, root: Term) -> bool {
    reachable(terms, root).into_iter().all(|term| {
        let is_load = match terms.node(term) {
            Node::Stored(..) => true,
            Node::Form(head, _) => matches!(head.kind, ExprKind::Load { .. }),
            Node::Axis(..) => false,
        };
        let is_simple = |index: &Term| terms.children(*index).is_empty();
        !is_load || terms.children(term).iter().all(is_simple)
    })
}

/// A term with other operands.
fn rebuilt(terms: &mut Terms, term: Term, operands: Vec<Term>) -> Term {
    if terms.children(term) == operands {
        return term;
    }
    match terms.node(term).clone() {
        Node::Axis(..) => term,
        Node::Stored(number, dtype, _) => terms.stored(number, dtype, operands),
        Node::Form(head, _) => terms.form(head, operands),
    }
}

/// A term in which others take the places of some, those nearest to the root.
fn exchanged(terms: &mut Terms, term: Term, known: &mut HashMap<Term, Term>) -> Term {
    if let Some(&other) = known.get(&term) {
        return other;
    }
    let children = terms.children(term).to_vec();
    let operands = children.into_iter().map(|child| exchanged(terms, child, known)).collect();
    let made = rebuilt(terms, term, operands);
    known.insert(term, made);
    made
}

/// Whether an operation may neither trap nor overflow.
fn is_total(head: &Expr) -> bool {
    let computes_index = head.dtype.is_index()
        && matches!(head.kind, ExprKind::Binary(op, ..) if op != BinOp::Min && op != BinOp::Max);
    let loads = matches!(head.kind, ExprKind::Load { .. });
    // Of a conversion only those of floats to integers have no value.
    let casts = matches!(head.kind, ExprKind::Cast(_)) && !head.dtype.is_float();
    !computes_index && !loads && !casts && !effects::node_effect(head).may_trap
}

/// Orders of so many axes, the own one first.
fn orders(count: usize) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..count {
        let mut longer = Vec::new();
        for order in &found {
            longer.extend((0..count as u32).filter(|axis| !order.contains(axis)).map(|axis| {
                let mut order = order.clone();
                order.push(axis);
                order
            }));
        }
        longer.truncate(MAX_ORDERS);
        found = longer;
    }
    found
}
