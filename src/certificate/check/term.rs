//! Values of expressions as terms, each once. Integers are those of mathematics, sums of products are in normal form, and
//! nothing else is known of operations than what the functions here say; all else is for steps by rules.

use std::rc::Rc;

use hashbrown::HashMap;

use super::bounds::{self, Bounds};

/// A term, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(pub(crate) u32);

/// A product of atoms, in order; the empty one is 1.
pub(crate) type Monomial = Vec<Term>;

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Int(i128),
    Truth(bool),
    /// A value of which nothing is known but its bounds: a parameter, the variable of a loop.
    Atom(u32),
    /// The number of a lane of a vector of so many lanes.
    Lane(u16),
    /// Products with factors that are not 0, in order; more than one, or one with another factor than 1.
    Sum(Vec<(Monomial, i128)>),
    /// Rounded down; by zero it is 0.
    Quotient(Term, Term),
    /// Rounded toward zero; by zero it is 0.
    Truncated(Term, Term),
    /// The least of at least two, in order.
    Least(Vec<Term>),
    /// The greatest of at least two, in order.
    Greatest(Vec<Term>),
    /// What a type that wraps makes of an integer.
    Wrap(u8, bool, Term),
    Choice(Term, Term, Term),
    NotNegative(Term),
    IsZero(Term),
    Not(Term),
    /// All of at least two, in order.
    And(Vec<Term>),
    /// A function of which nothing is known, by its name.
    Apply(Rc<str>, Vec<Term>),
    /// A vector as a whole: the value in all of its lanes.
    Whole(u16, Term),
    /// An element of a buffer at some version of its memory, after so many calls with an effect.
    Load {
        buffer: u32,
        version: u32,
        calls: u32,
        name: Rc<str>,
        index: Vec<Term>,
    },
}

/// What kind of value a term has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Int,
    Truth,
    Other,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    sort: Sort,
    bounds: Bounds,
    depth: u32,
    /// Whether it depends on the number of a lane.
    lanes: bool,
}

/// The terms of a pair of functions.
#[derive(Default)]
pub(crate) struct Terms {
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    numbers: HashMap<Node, Term>,
    atoms: u32,
    /// The depth of the deepest term.
    pub(crate) deepest: u32,
}

/// The deepest term that is worked on: recursion over terms is bounded by it.
pub(crate) const MAX_TERM_DEPTH: u32 = 20_000;
/// Most products of a sum; what would have more is a function of which nothing is known.
const MAX_PRODUCTS: usize = 600;
/// Largest factor, so that sums of factors fit.
const MAX_FACTOR: u128 = 1 << 100;

impl Terms {
    pub(crate) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn sort(&self, term: Term) -> Sort {
        self.entries[term.0 as usize].sort
    }

    pub(crate) fn bounds(&self, term: Term) -> Bounds {
        self.entries[term.0 as usize].bounds
    }

    /// Whether it depends on the number of a lane.
    pub(crate) fn has_lanes(&self, term: Term) -> bool {
        self.entries[term.0 as usize].lanes
    }

    fn intern(&mut self, node: Node, sort: Sort, own: Bounds) -> Term {
        if let Some(&term) = self.numbers.get(&node) {
            return term;
        }
        let mut depth = 0;
        let mut lanes = matches!(node, Node::Lane(_));
        for_each_part(&node, |part| {
            let entry = self.entries[part.0 as usize];
            depth = depth.max(entry.depth + 1);
            lanes |= entry.lanes;
        });
        lanes &= !matches!(node, Node::Whole(..));
        self.deepest = self.deepest.max(depth);
        let term = Term(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.entries.push(Entry { sort, bounds: own, depth, lanes });
        self.nodes.push(node.clone());
        self.numbers.insert(node, term);
        term
    }

    /// A value of which only this is known.
    pub(crate) fn atom(&mut self, sort: Sort, bounds: Bounds) -> Term {
        self.atoms += 1;
        self.intern(Node::Atom(self.atoms), sort, bounds)
    }

    pub(crate) fn int(&mut self, value: i128) -> Term {
        self.intern(Node::Int(value), Sort::Int, Bounds::exactly(value))
    }

    pub(crate) fn truth(&mut self, value: bool) -> Term {
        self.intern(Node::Truth(value), Sort::Truth, Bounds::NONE)
    }

    pub(crate) fn lane(&mut self, lanes: u16) -> Term {
        let last = i128::from(lanes) - 1;
        self.intern(Node::Lane(lanes), Sort::Int, Bounds { lo: Some(0), hi: Some(last) })
    }

    pub(crate) fn as_int(&self, term: Term) -> Option<i128> {
        match self.node(term) {
            Node::Int(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn as_truth(&self, term: Term) -> Option<bool> {
        match self.node(term) {
            Node::Truth(value) => Some(*value),
            _ => None,
        }
    }

    /// The products of an integer.
    pub(crate) fn products(&self, term: Term) -> Vec<(Monomial, i128)> {
        match self.node(term) {
            Node::Int(0) => Vec::new(),
            Node::Int(value) => vec![(Vec::new(), *value)],
            Node::Sum(products) => products.clone(),
            _ => vec![(vec![term], 1)],
        }
    }

    /// The sum of products in any order, fewer than 2^26 of them; `None` if it is too large.
    pub(crate) fn sum(&mut self, mut products: Vec<(Monomial, i128)>) -> Option<Term> {
        products.sort_unstable();
        let mut kept: Vec<(Monomial, i128)> = Vec::with_capacity(products.len());
        for (monomial, factor) in products {
            if factor.unsigned_abs() > MAX_FACTOR {
                return None;
            }
            match kept.last_mut() {
                Some((last, sum)) if *last == monomial => *sum += factor,
                _ => kept.push((monomial, factor)),
            }
        }
        kept.retain(|(_, factor)| *factor != 0);
        if kept.len() > MAX_PRODUCTS || kept.iter().any(|(_, factor)| factor.unsigned_abs() > MAX_FACTOR) {
            return None;
        }
        Some(match &kept[..] {
            [] => self.int(0),
            [(monomial, factor)] if monomial.is_empty() => self.int(*factor),
            [(monomial, 1)] if monomial.len() == 1 => monomial[0],
            _ => {
                let bounds = bounds_of_sum(&kept, |term| self.bounds(term));
                self.intern(Node::Sum(kept), Sort::Int, bounds)
            }
        })
    }

    /// A function of which nothing is known.
    pub(crate) fn apply(&mut self, name: &str, sort: Sort, operands: Vec<Term>) -> Term {
        self.intern(Node::Apply(name.into(), operands), sort, Bounds::NONE)
    }

    /// As [`Terms::apply`], of an integer of which the bounds are known by its name.
    pub(crate) fn apply_within(&mut self, name: &str, bounds: Bounds, operands: Vec<Term>) -> Term {
        self.intern(Node::Apply(name.into(), operands), Sort::Int, bounds)
    }

    /// The sum of terms with factors, at most as many as a sum has products; `None` if it is too large.
    fn scaled_sum(&mut self, parts: &[(Term, i128)]) -> Option<Term> {
        let mut products = Vec::new();
        for &(term, scale) in parts {
            for (monomial, factor) in self.products(term) {
                // A product that is too large is refused by `sum`.
                products.push((monomial, factor.saturating_mul(scale)));
            }
        }
        self.sum(products)
    }

    /// `a * x + b * y`
    pub(crate) fn combine(&mut self, a: i128, x: Term, b: i128, y: Term) -> Term {
        match self.scaled_sum(&[(x, a), (y, b)]) {
            Some(sum) => sum,
            None => self.apply(&format!("{a} and {b} times"), Sort::Int, vec![x, y]),
        }
    }

    pub(crate) fn add(&mut self, a: Term, b: Term) -> Term {
        self.combine(1, a, 1, b)
    }

    pub(crate) fn sub(&mut self, a: Term, b: Term) -> Term {
        self.combine(1, a, -1, b)
    }

    pub(crate) fn mul(&mut self, a: Term, b: Term) -> Term {
        let (x, y) = (self.products(a), self.products(b));
        let mut products = Vec::new();
        if x.len().saturating_mul(y.len()) <= 4 * MAX_PRODUCTS {
            for (p, f) in &x {
                for (q, g) in &y {
                    let mut monomial: Monomial = p.iter().chain(q).copied().collect();
                    monomial.sort_unstable();
                    products.push((monomial, f.saturating_mul(*g)));
                }
            }
            if products.iter().all(|(monomial, _)| monomial.len() <= 16)
                && let Some(sum) = self.sum(products)
            {
                return sum;
            }
        }
        self.apply("product", Sort::Int, vec![a.min(b), a.max(b)])
    }

    pub(crate) fn quotient(&mut self, a: Term, b: Term) -> Term {
        match (self.as_int(a), self.as_int(b)) {
            (_, Some(0)) => self.int(0),
            (_, Some(1)) => a,
            (_, Some(-1)) => {
                let zero = self.int(0);
                self.sub(zero, a)
            }
            (Some(p), Some(q)) => {
                let exact = p.div_euclid(q);
                // Rounding of `div_euclid` is down for positive divisors only.
                let down = if q < 0 && p.rem_euclid(q) != 0 { exact - 1 } else { exact };
                self.int(down)
            }
            _ => {
                let own = bounds::of_quotient(self.bounds(a), self.bounds(b));
                self.intern(Node::Quotient(a, b), Sort::Int, own)
            }
        }
    }

    /// `a - b * (a // b)`
    pub(crate) fn remainder(&mut self, a: Term, b: Term) -> Term {
        let quotient = self.quotient(a, b);
        let multiple = self.mul(b, quotient);
        self.sub(a, multiple)
    }

    pub(crate) fn truncated(&mut self, a: Term, b: Term) -> Term {
        match (self.as_int(a), self.as_int(b)) {
            (_, Some(0)) => self.int(0),
            (_, Some(1)) => a,
            (_, Some(-1)) => {
                let zero = self.int(0);
                self.sub(zero, a)
            }
            (Some(p), Some(q)) => self.int(p / q),
            _ => {
                let own = bounds::of_truncated(self.bounds(a), self.bounds(b));
                self.intern(Node::Truncated(a, b), Sort::Int, own)
            }
        }
    }

    pub(crate) fn truncated_remainder(&mut self, a: Term, b: Term) -> Term {
        let quotient = self.truncated(a, b);
        let multiple = self.mul(b, quotient);
        self.sub(a, multiple)
    }

    pub(crate) fn extremum(&mut self, greatest: bool, a: Term, b: Term) -> Term {
        let mut all = Vec::new();
        for term in [a, b] {
            match self.node(term) {
                Node::Least(of) if !greatest => all.extend(of.iter().copied()),
                Node::Greatest(of) if greatest => all.extend(of.iter().copied()),
                _ => all.push(term),
            }
        }
        let constants: Vec<i128> = all.iter().filter_map(|&term| self.as_int(term)).collect();
        let constant = if greatest { constants.iter().max() } else { constants.iter().min() };
        if let Some(&constant) = constant {
            all.retain(|&term| self.as_int(term).is_none());
            all.push(self.int(constant));
        }
        all.sort_unstable();
        all.dedup();
        if let [only] = all[..] {
            return only;
        }
        let own = bounds::of_extremum(greatest, all.iter().map(|&term| self.bounds(term)));
        let node = if greatest { Node::Greatest(all) } else { Node::Least(all) };
        self.intern(node, Sort::Int, own)
    }

    /// The integer of a type that wraps. What is below sums is not wrapped a second time.
    pub(crate) fn wrap(&mut self, bits: u8, signed: bool, of: Term) -> Term {
        let range = Bounds::of_type(bits, signed);
        if range.contains(self.bounds(of)) {
            return of;
        }
        let modulus = 1i128 << bits;
        let mut open = Some(self.int(0));
        for (monomial, factor) in self.products(of) {
            let mut product = self.int(factor.rem_euclid(modulus));
            for atom in monomial {
                let bare = match *self.node(atom) {
                    Node::Wrap(wider, _, inner) if wider >= bits => inner,
                    _ => atom,
                };
                product = self.mul(product, bare);
            }
            open = open.map(|sum| self.add(sum, product));
        }
        let mut products = self.products(open.unwrap_or(of));
        // Factors that differ by a multiple of the modulus are one.
        products.iter_mut().for_each(|(_, factor)| *factor = factor.rem_euclid(modulus));
        let of = self.sum(products).unwrap_or(of);
        if range.contains(self.bounds(of)) {
            return of;
        }
        if let Some(value) = self.as_int(of) {
            let value = value.rem_euclid(modulus);
            let high = range.hi.is_some_and(|hi| value > hi);
            return self.int(if high { value - modulus } else { value });
        }
        self.intern(Node::Wrap(bits, signed, of), Sort::Int, range)
    }

    pub(crate) fn choice(&mut self, cond: Term, a: Term, b: Term) -> Term {
        match self.node(cond) {
            Node::Truth(true) => return a,
            Node::Truth(false) => return b,
            Node::Not(inner) => {
                let inner = *inner;
                return self.choice(inner, b, a);
            }
            _ if a == b => return a,
            _ => {}
        }
        match (self.as_truth(a), self.as_truth(b)) {
            (Some(true), _) => return self.or(&[cond, b]),
            (_, Some(false)) => return self.and(&[cond, a]),
            (Some(false), _) => {
                let not = self.not(cond);
                return self.and(&[not, b]);
            }
            (_, Some(true)) => {
                let not = self.not(cond);
                return self.or(&[not, a]);
            }
            (None, None) => {}
        }
        let own = self.bounds(a).union(self.bounds(b));
        self.intern(Node::Choice(cond, a, b), self.sort(a), own)
    }

    /// `a >= 0`
    pub(crate) fn not_negative(&mut self, a: Term) -> Term {
        let bounds = self.bounds(a);
        if bounds.lo.is_some_and(|lo| lo >= 0) {
            return self.truth(true);
        }
        if bounds.hi.is_some_and(|hi| hi < 0) {
            return self.truth(false);
        }
        let (a, _) = self.reduced(a, true);
        // Of a condition and its negation one is written by the other.
        if self.leads_negative(a) {
            let minus_one = self.int(-1);
            let opposite = self.combine(1, minus_one, -1, a);
            let opposite = self.intern(Node::NotNegative(opposite), Sort::Truth, Bounds::NONE);
            return self.not(opposite);
        }
        self.intern(Node::NotNegative(a), Sort::Truth, Bounds::NONE)
    }

    /// Without a common factor of all products but the constant one, which is rounded down; and whether it has that factor too.
    fn reduced(&mut self, a: Term, rounds: bool) -> (Term, bool) {
        let mut products = self.products(a);
        let common = products
            .iter()
            .filter(|(monomial, _)| !monomial.is_empty())
            .fold(0, |common, (_, factor)| bounds::gcd(common, *factor));
        let whole = common <= 1 || products.iter().all(|(_, factor)| factor % common == 0);
        if common <= 1 || !(rounds || whole) {
            return (a, whole);
        }
        products.iter_mut().for_each(|(_, factor)| *factor = factor.div_euclid(common));
        (self.sum(products).unwrap_or(a), whole)
    }

    fn leads_negative(&self, a: Term) -> bool {
        self.products(a).iter().find(|(monomial, _)| !monomial.is_empty()).is_some_and(|(_, f)| *f < 0)
    }

    /// `a == 0`
    pub(crate) fn is_zero(&mut self, a: Term) -> Term {
        let bounds = self.bounds(a);
        if let Some(value) = self.as_int(a) {
            return self.truth(value == 0);
        }
        if bounds.lo.is_some_and(|lo| lo > 0) || bounds.hi.is_some_and(|hi| hi < 0) {
            return self.truth(false);
        }
        let (mut a, whole) = self.reduced(a, false);
        if !whole {
            return self.truth(false);
        }
        if self.leads_negative(a) {
            let zero = self.int(0);
            a = self.sub(zero, a);
        }
        self.intern(Node::IsZero(a), Sort::Truth, Bounds::NONE)
    }

    /// `a < b`
    pub(crate) fn less(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(b, a);
        let one = self.int(1);
        let difference = self.sub(difference, one);
        self.not_negative(difference)
    }

    /// `0 < a`
    pub(crate) fn positive(&mut self, a: Term) -> Term {
        let zero = self.int(0);
        self.less(zero, a)
    }

    /// `a <= b`
    pub(crate) fn at_most(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(b, a);
        self.not_negative(difference)
    }

    pub(crate) fn not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Truth(value) => {
                let value = !*value;
                self.truth(value)
            }
            Node::Not(inner) => *inner,
            _ => self.intern(Node::Not(a), Sort::Truth, Bounds::NONE),
        }
    }

    pub(crate) fn and(&mut self, of: &[Term]) -> Term {
        let mut all = Vec::new();
        for &term in of {
            match self.node(term) {
                Node::And(parts) => all.extend(parts.iter().copied()),
                Node::Truth(true) => {}
                _ => all.push(term),
            }
        }
        all.sort_unstable();
        all.dedup();
        let negated: Vec<Term> = all
            .iter()
            .filter_map(|&term| match self.node(term) {
                Node::Not(inner) => Some(*inner),
                _ => None,
            })
            .collect();
        if all.iter().any(|&term| self.as_truth(term) == Some(false) || negated.contains(&term)) {
            return self.truth(false);
        }
        match all[..] {
            [] => self.truth(true),
            [only] => only,
            _ => self.intern(Node::And(all), Sort::Truth, Bounds::NONE),
        }
    }

    pub(crate) fn or(&mut self, of: &[Term]) -> Term {
        let negated: Vec<Term> = of.iter().map(|&term| self.not(term)).collect();
        let none = self.and(&negated);
        self.not(none)
    }

    /// `a == b`, of integers or truth values.
    pub(crate) fn equal(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.truth(true);
        }
        match self.sort(a) {
            Sort::Int => {
                let difference = self.sub(a, b);
                self.is_zero(difference)
            }
            _ => {
                let (a, b) = (a.min(b), a.max(b));
                let not_b = self.not(b);
                self.choice(a, b, not_b)
            }
        }
    }

    pub(crate) fn whole(&mut self, lanes: u16, of: Term) -> Term {
        self.intern(Node::Whole(lanes, of), Sort::Other, Bounds::NONE)
    }

    pub(crate) fn load(&mut self, node: Node, sort: Sort, bounds: Bounds) -> Term {
        self.intern(node, sort, bounds)
    }

    /// The term again, of other parts.
    pub(crate) fn rebuilt(&mut self, term: Term, mut of: impl FnMut(&mut Terms, Term) -> Term) -> Term {
        let node = self.node(term).clone();
        let (sort, own) = (self.sort(term), self.bounds(term));
        let mut all = |terms: &mut Terms, parts: &[Term]| -> Vec<Term> {
            parts.iter().map(|&part| of(terms, part)).collect()
        };
        match node {
            Node::Int(_) | Node::Truth(_) | Node::Atom(_) | Node::Lane(_) => term,
            Node::Sum(products) => {
                let mut parts: Vec<(Term, i128)> = Vec::with_capacity(products.len());
                for (monomial, factor) in products {
                    let one = self.int(1);
                    let factors = all(self, &monomial);
                    parts.push((
                        factors.into_iter().fold(one, |product, part| self.mul(product, part)),
                        factor,
                    ));
                }
                self.scaled_sum(&parts).unwrap_or_else(|| {
                    let zero = self.int(0);
                    parts.iter().fold(zero, |sum, &(term, factor)| self.combine(1, sum, factor, term))
                })
            }
            Node::Quotient(a, b) => {
                let parts = all(self, &[a, b]);
                self.quotient(parts[0], parts[1])
            }
            Node::Truncated(a, b) => {
                let parts = all(self, &[a, b]);
                self.truncated(parts[0], parts[1])
            }
            Node::Least(parts) | Node::Greatest(parts) => {
                let greatest = matches!(self.node(term), Node::Greatest(_));
                let parts = all(self, &parts);
                parts[1..].iter().fold(parts[0], |sum, &part| self.extremum(greatest, sum, part))
            }
            Node::Wrap(bits, signed, a) => {
                let parts = all(self, &[a]);
                self.wrap(bits, signed, parts[0])
            }
            Node::Choice(c, a, b) => {
                let parts = all(self, &[c, a, b]);
                self.choice(parts[0], parts[1], parts[2])
            }
            Node::NotNegative(a) => {
                let parts = all(self, &[a]);
                self.not_negative(parts[0])
            }
            Node::IsZero(a) => {
                let parts = all(self, &[a]);
                self.is_zero(parts[0])
            }
            Node::Not(a) => {
                let parts = all(self, &[a]);
                self.not(parts[0])
            }
            Node::And(parts) => {
                let parts = all(self, &parts);
                self.and(&parts)
            }
            Node::Apply(name, parts) => {
                let mut parts = all(self, &parts);
                if name.ends_with(COMMUTES) {
                    parts.sort_unstable();
                }
                self.intern(Node::Apply(name, parts), sort, own)
            }
            Node::Whole(lanes, a) => {
                let parts = all(self, &[a]);
                self.intern(Node::Whole(lanes, parts[0]), sort, own)
            }
            Node::Load { buffer, version, calls, name, index } => {
                let index = all(self, &index);
                self.intern(Node::Load { buffer, version, calls, name, index }, sort, own)
            }
        }
    }

    /// The term with another part in place of one. What a vector as a whole is made of stays where lanes are concerned:
    /// there the same letter stands for all lanes.
    pub(crate) fn replace(
        &mut self,
        term: Term,
        part: Term,
        by: Term,
        done: &mut HashMap<Term, Term>,
    ) -> Term {
        if term == part {
            return by;
        }
        // What was made before it is not made of it.
        if term < part {
            return term;
        }
        if let Some(&made) = done.get(&term) {
            return made;
        }
        let lanes = self.has_lanes(part) || self.has_lanes(by);
        let made = match self.node(term) {
            Node::Whole(..) if lanes => term,
            _ => self.rebuilt(term, |terms, inner| terms.replace(inner, part, by, done)),
        };
        done.insert(term, made);
        made
    }
}

/// The end of the names of functions whose operands may change places.
pub(crate) const COMMUTES: &str = " commutes";

/// Calls `f` with the parts of a node.
pub(crate) fn for_each_part(node: &Node, mut f: impl FnMut(Term)) {
    match node {
        Node::Int(_) | Node::Truth(_) | Node::Atom(_) | Node::Lane(_) => {}
        Node::Sum(products) => products.iter().flat_map(|(monomial, _)| monomial).copied().for_each(f),
        Node::Quotient(a, b) | Node::Truncated(a, b) => [*a, *b].into_iter().for_each(f),
        Node::Wrap(_, _, a) | Node::NotNegative(a) | Node::IsZero(a) | Node::Not(a) | Node::Whole(_, a) => {
            f(*a)
        }
        Node::Choice(c, a, b) => [*c, *a, *b].into_iter().for_each(f),
        Node::Least(of) | Node::Greatest(of) | Node::And(of) | Node::Apply(_, of) => {
            of.iter().copied().for_each(f);
        }
        Node::Load { index, .. } => index.iter().copied().for_each(f),
    }
}

/// The bounds of a sum of products.
fn bounds_of_sum(products: &[(Monomial, i128)], of: impl Fn(Term) -> Bounds) -> Bounds {
    products.iter().fold(Bounds::exactly(0), |sum, (monomial, factor)| {
        let mut product = Bounds::exactly(1);
        let mut atoms = monomial.iter().peekable();
        while let Some(&atom) = atoms.next() {
            let mut power = of(atom);
            // Squares are never negative.
            if atoms.next_if_eq(&&atom).is_some() {
                power = power.mul(power);
                power.lo = Some(power.lo.unwrap_or(0).max(0));
            }
            product = product.mul(power);
        }
        sum.add(product.scale(*factor))
    })
}
