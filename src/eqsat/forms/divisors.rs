//! Common parts of many polynomials, greedily: which two-term sums and two-factor products to compute once.
//!
//! Given are sums of products of symbols. A *divisor* is a sum of two terms without a common factor, or a product of
//! two symbols. It *occurs* in a polynomial as two terms that are `cofactor * divisor`, or as two factors of a
//! term. Time and again the divisor that saves most is given a symbol of its own and every occurrence is replaced:
//! the fast extraction of logic synthesis (Rajski, Vasudevamurthy, "The Testability-Preserving Concurrent
//! Decomposition and Factorization of Boolean Expressions", IEEE TCAD 11(6), 1992), carried over to polynomials
//! (Hosangadi, Fallah, Kastner, "Optimizing Polynomial Expressions by Algebraic Factorization and Common
//! Subexpression Elimination", IEEE TCAD 25(10), 2006). With cofactor 1 it finds sub-sums that several sums share;
//! with others also common factors and Horner forms.
//!
//! What a divisor saves is the difference of a model of the whole: a sum is added up outermost terms first, so each
//! of its terms but one costs an addition where that term can be computed; a term that several sums hold is
//! computed once. A term with coefficient 2 counts as two terms, so that `2*a + b` holds `a + b`.
//!
//! Effort is bounded: long polynomials take part with their first terms only, and the search ends after a number of
//! steps that is proportional to the size of the problem.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use hashbrown::{DefaultHashBuilder, Equivalent, HashMap};
use indexmap::IndexMap;
use smallvec::SmallVec;

use super::super::poly::gcd;

/// A value that polynomials are made of: an index into the problem's symbols, then into the definitions.
pub(crate) type Symbol = u32;

/// A sorted product of symbols; empty for the constant 1.
pub(crate) type Factors = SmallVec<[Symbol; 3]>;

/// The terms of a polynomial whose pairs are looked at.
const MAX_ITEMS: usize = 32;

/// Steps for each pair of terms at the start.
const STEPS_PER_PAIR: usize = 64;

/// Less than this is no gain.
const EPSILON: f64 = 1e-6;

/// Where a symbol can be computed: the depth of the scope and how often that runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Level {
    /// The depth.
    pub depth: u32,
    /// How often.
    pub frequency: f64,
}

/// `count` times `coefficient * factors`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// The coefficient.
    pub coefficient: i64,
    /// The product.
    pub factors: Factors,
    /// How many times the term stands in the sum; 0 if it was replaced.
    pub count: u32,
}

impl Clone for Item {
    // Copied as a whole: the clone of a `SmallVec` goes element by element, and the search makes millions.
    fn clone(&self) -> Item {
        Item { factors: Factors::from_slice(&self.factors), ..*self }
    }
}

/// What operations cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    /// An addition.
    pub add: f64,
    /// A multiplication.
    pub mul: f64,
    /// A multiplication by a power of two.
    pub shift: f64,
    /// A binding.
    pub bind: f64,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strategy {
    /// Whether terms may be taken apart: divisors with other cofactors than 1, and products.
    pub factor: bool,
    /// Whether of equally good divisors the one found last is taken.
    pub last: bool,
}

/// A symbol of the solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// The polynomial of this index.
    Sum(usize),
    /// A product.
    Product(Symbol, Symbol),
}

/// Polynomials, and the symbols that they are made of.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    weights: Weights,
    levels: Vec<Level>,
    polys: Vec<Vec<Item>>,
    /// What adding up the terms of each polynomial costs.
    chains: Vec<f64>,
    definitions: Vec<Definition>,
    atoms: usize,
}

/// A divisor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// `coefficient * factors` twice.
    Sum([(i64, Factors); 2]),
    Product(Symbol, Symbol),
}

/// What a divisor is multiplied by.
type Cofactor = (i64, Factors);

/// Two items of a polynomial (one item, for products). What terms they stand for never changes, only their counts do.
#[derive(Clone, Debug)]
struct Occurrence {
    poly: usize,
    items: (usize, usize),
    /// What the two items are divided by to become the divisor (1 for products).
    cofactor: Cofactor,
}

impl Occurrence {
    /// Whether the two terms are the divisor as they are, up to a common sign.
    fn is_plain(&self) -> bool {
        self.cofactor.0.unsigned_abs() == 1 && self.cofactor.1.is_empty()
    }
}

impl Problem {
    /// A problem without polynomials over atoms with these levels.
    pub(crate) fn new(weights: Weights, levels: Vec<Level>) -> Problem {
        Problem {
            weights,
            atoms: levels.len(),
            levels,
            polys: Vec::new(),
            chains: Vec::new(),
            definitions: Vec::new(),
        }
    }

    /// Adds a polynomial, given by its terms.
    pub(crate) fn push(&mut self, terms: impl IntoIterator<Item = (i64, Factors)>) {
        let mut items = Vec::new();
        for (coefficient, factors) in terms {
            insert(&mut items, coefficient, factors, 1);
        }
        self.add(items);
    }

    /// Adds a polynomial and returns its index.
    fn add(&mut self, items: Vec<Item>) -> usize {
        self.chains.push(self.chain(&items));
        self.polys.push(items);
        self.polys.len() - 1
    }

    /// Puts another polynomial in the place of one, which is returned.
    fn exchange(&mut self, poly: usize, items: Vec<Item>) -> Vec<Item> {
        self.chains[poly] = self.chain(&items);
        std::mem::replace(&mut self.polys[poly], items)
    }

    /// The polynomials: first those that were pushed, then the bodies of definitions.
    pub(crate) fn polys(&self) -> &[Vec<Item>] {
        &self.polys
    }

    /// The level of a symbol.
    pub(crate) fn level(&self, symbol: Symbol) -> Level {
        self.levels[symbol as usize]
    }

    /// The definition of a symbol that is no atom.
    pub(crate) fn definition(&self, symbol: Symbol) -> Option<&Definition> {
        (symbol as usize).checked_sub(self.atoms).map(|i| &self.definitions[i])
    }

    /// Takes out common parts as long as that saves something; returns how many were found.
    pub(crate) fn solve(&mut self, strategy: Strategy) -> usize {
        Search::new(self, strategy).run();
        self.definitions.len()
    }

    /// A new symbol for a divisor, which is still to be defined.
    fn symbol_for(&mut self, key: &Key) -> Symbol {
        let level = match key {
            Key::Sum([(_, a), (_, b)]) => deeper(self.deepest(a), self.deepest(b)),
            Key::Product(x, y) => deeper(self.level(*x), self.level(*y)),
        };
        self.levels.push(level);
        Symbol::try_from(self.levels.len() - 1).expect("fewer than 2^32 symbols")
    }

    fn deepest(&self, factors: &[Symbol]) -> Level {
        let levels = factors.iter().map(|&s| self.level(s));
        levels.reduce(deeper).unwrap_or(Level { depth: 0, frequency: 1.0 })
    }

    /// The cost of adding up the terms, given each.
    fn chain(&self, items: &[Item]) -> f64 {
        let mut sum = 0.0;
        let (mut first, mut last): (Option<Level>, Option<Level>) = (None, None);
        let (mut constant, mut positive) = (false, false);
        for item in items.iter().filter(|i| i.count > 0) {
            positive |= item.coefficient > 0;
            if item.factors.is_empty() {
                constant = true;
                continue;
            }
            let level = self.deepest(&item.factors);
            sum += f64::from(item.count) * level.frequency;
            first = Some(first.map_or(level, |f| if level.depth < f.depth { level } else { f }));
            last = Some(last.map_or(level, |l| deeper(l, level)));
        }
        let (Some(first), Some(last)) = (first, last) else { return 0.0 };
        let extra = f64::from(u8::from(constant) + u8::from(!positive));
        self.weights.add * (sum - first.frequency + extra * last.frequency)
    }

    /// The cost of a term by itself.
    fn term(&self, coefficient: u64, factors: &[Symbol]) -> f64 {
        let mut levels: Vec<Level> = factors.iter().map(|&s| self.level(s)).collect();
        levels.sort_by_key(|level| level.depth);
        let Some(first) = levels.first() else { return 0.0 };
        let scale = match coefficient {
            1 => 0.0,
            c if c.is_power_of_two() => self.weights.shift,
            _ => self.weights.mul,
        };
        scale * first.frequency + self.weights.mul * levels[1..].iter().map(|l| l.frequency).sum::<f64>()
    }
}

fn deeper(a: Level, b: Level) -> Level {
    if b.depth > a.depth { b } else { a }
}

/// Adds `count` times a term to a polynomial and returns its item.
fn insert(items: &mut Vec<Item>, coefficient: i64, factors: Factors, count: u32) -> usize {
    let twice = coefficient.unsigned_abs() == 2 && !factors.is_empty();
    let (coefficient, count) = if twice { (coefficient.signum(), count * 2) } else { (coefficient, count) };
    let same = |i: &Item| i.count > 0 && i.coefficient == coefficient && i.factors == factors;
    match items.iter().position(same) {
        Some(at) => {
            items[at].count += count;
            at
        }
        None => {
            items.push(Item { coefficient, factors, count });
            items.len() - 1
        }
    }
}

/// The terms in use: how many polynomials hold each.
type Held = HashMap<(u64, Factors), i64>;

/// A key of [`Held`] that is only looked for; hashes as the tuple does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Term<'a>(u64, &'a Factors);

impl Equivalent<(u64, Factors)> for Term<'_> {
    fn equivalent(&self, key: &(u64, Factors)) -> bool {
        self.0 == key.0 && *self.1 == key.1
    }
}

/// Which of the changed polynomials each one is, for one divisor after the other: the last one for which it was changed,
/// and its place then.
#[derive(Default)]
struct Places {
    of: Vec<(u64, usize)>,
    divisor: u64,
}

impl Places {
    /// Forgets all places.
    fn clear(&mut self, polys: usize) {
        self.of.resize(polys, (0, 0));
        self.divisor += 1;
    }

    fn get(&self, poly: usize) -> Option<usize> {
        let (divisor, place) = self.of[poly];
        (divisor == self.divisor).then_some(place)
    }

    fn set(&mut self, poly: usize, place: usize) {
        self.of[poly] = (self.divisor, place);
    }
}

struct Search<'p> {
    problem: &'p mut Problem,
    strategy: Strategy,
    occurrences: IndexMap<Key, Vec<Occurrence>, DefaultHashBuilder>,
    /// The symbol of each divisor taken out, and the polynomial that is its body.
    defined: HashMap<Key, (Symbol, Option<usize>)>,
    held: Held,
    heap: BinaryHeap<Entry>,
    steps: usize,
    places: Places,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    gain: f64,
    order: Reverse<i64>,
    key: usize,
}

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        self.gain.total_cmp(&other.gain).then_with(|| self.order.cmp(&other.order))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What replacing all occurrences of a divisor leads to.
struct Outcome {
    gain: f64,
    changed: Vec<(usize, Vec<Item>)>,
}

impl<'p> Search<'p> {
    fn new(problem: &'p mut Problem, strategy: Strategy) -> Search<'p> {
        let mut search = Search {
            problem,
            strategy,
            occurrences: IndexMap::default(),
            defined: HashMap::new(),
            held: Held::new(),
            heap: BinaryHeap::new(),
            steps: 0,
            places: Places::default(),
        };
        for poly in 0..search.problem.polys.len() {
            hold(&mut search.held, &search.problem.polys[poly], 1);
            search.register(poly, 0);
        }
        search.steps = STEPS_PER_PAIR * search.occurrences.values().map(Vec::len).sum::<usize>();
        search
    }

    fn run(mut self) {
        for key in 0..self.occurrences.len() {
            self.enter(key);
        }
        while let Some(entry) = self.heap.pop() {
            if self.steps == 0 {
                break;
            }
            let Some(outcome) = self.outcome(entry.key) else { continue };
            if outcome.gain < EPSILON {
                continue;
            }
            if self.heap.peek().is_some_and(|next| next.gain > outcome.gain + EPSILON) {
                self.heap.push(Entry { gain: outcome.gain, ..entry });
                continue;
            }
            self.apply(entry.key, outcome);
        }
    }

    /// Computes what a divisor saves and remembers it if that is something.
    fn enter(&mut self, key: usize) {
        let Some((divisor, occurrences)) = self.occurrences.get_index(key) else { return };
        // One occurrence saves nothing, unless a factor is taken out or the divisor is at hand.
        let alone = match &occurrences[..] {
            [o] if matches!(divisor, Key::Sum(_)) && o.is_plain() => {
                let items = &self.problem.polys[o.poly];
                items[o.items.0].count.min(items[o.items.1].count) == 1
            }
            _ => false,
        };
        if alone && !self.defined.contains_key(divisor) {
            return;
        }
        if let Some(outcome) = self.outcome(key)
            && outcome.gain >= EPSILON
        {
            let order = i64::try_from(key).unwrap_or(i64::MAX);
            let order = Reverse(if self.strategy.last { -order } else { order });
            self.heap.push(Entry { gain: outcome.gain, order, key });
        }
    }

    /// Notes the divisors of a polynomial that items from `from` on take part in; returns their keys.
    fn register(&mut self, poly: usize, from: usize) -> Vec<usize> {
        let items = &self.problem.polys[poly];
        let mut found: Vec<(Key, Occurrence)> = Vec::with_capacity(2 * items.len());
        for (j, b) in items.iter().enumerate().skip(from).filter(|(_, b)| b.count > 0) {
            let first = if items.len() > MAX_ITEMS { j.saturating_sub(MAX_ITEMS) } else { 0 };
            for (i, a) in items[..=j].iter().enumerate().skip(first) {
                if a.count == 0 || i == j && (a.count < 2 || a.factors.is_empty()) {
                    continue;
                }
                let reduced = if self.strategy.factor && i != j { reduced(a, b) } else { None };
                let keys = std::iter::once(plain(a, b)).chain(reduced);
                found.extend(keys.map(|(key, cofactor)| (key, Occurrence { poly, items: (i, j), cofactor })));
            }
            if self.strategy.factor && b.factors.len() > 1 {
                for (x, y) in factor_pairs(&b.factors) {
                    let cofactor = (1, Factors::new());
                    found.push((Key::Product(x, y), Occurrence { poly, items: (j, j), cofactor }));
                }
            }
        }
        let mut keys = Vec::new();
        for (key, occurrence) in found {
            let entry = self.occurrences.entry(key);
            keys.push(entry.index());
            entry.or_default().push(occurrence);
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// What becomes of the problem if all occurrences of a divisor are replaced; `None` if there are none left.
    fn outcome(&mut self, key: usize) -> Option<Outcome> {
        let (key, occurrences) = self.occurrences.get_index(key)?;
        self.steps = self.steps.saturating_sub(occurrences.len());
        let defined = self.defined.get(key).copied();
        let body = defined.and_then(|(_, body)| body);
        let (symbol, fresh) = match defined {
            Some((symbol, _)) => (symbol, false),
            None => (self.problem.symbol_for(key), true),
        };
        let outcome =
            replaced(self.problem, &self.held, &mut self.places, key, occurrences, (symbol, body, fresh));
        if fresh {
            self.problem.levels.pop();
        }
        outcome
    }

    fn apply(&mut self, key: usize, outcome: Outcome) {
        let Some((key, _)) = self.occurrences.get_index(key) else { return };
        let key = key.clone();
        let mut touched = Vec::new();
        if !self.defined.contains_key(&key) {
            let symbol = self.problem.symbol_for(&key);
            let body = match &key {
                Key::Sum(terms) => {
                    let body = self.problem.add(body_of(terms));
                    self.problem.definitions.push(Definition::Sum(body));
                    hold(&mut self.held, &self.problem.polys[body], 1);
                    Some(body)
                }
                Key::Product(x, y) => {
                    self.problem.definitions.push(Definition::Product(*x, *y));
                    None
                }
            };
            self.defined.insert(key, (symbol, body));
            if let Some(body) = body {
                touched.extend(self.register(body, 0));
            }
        }
        for (poly, items) in outcome.changed {
            let old = self.problem.exchange(poly, items);
            let new = &self.problem.polys[poly];
            hold(&mut self.held, &old, -1);
            hold(&mut self.held, new, 1);
            // What counts more than before is new, too: a term may now stand twice.
            let grown = |&i: &usize| old.get(i).is_none_or(|o| o.count < new[i].count);
            let from = (0..new.len()).find(grown).unwrap_or(new.len());
            touched.extend(self.register(poly, from));
        }
        touched.sort_unstable();
        touched.dedup();
        for key in touched {
            self.enter(key);
        }
    }
}

/// All occurrences of a divisor replaced by `symbol`, and what that saves. `body` is the polynomial that defines the
/// symbol, if there is one; a `fresh` symbol has yet to be computed.
fn replaced(
    problem: &Problem,
    held: &Held,
    places: &mut Places,
    key: &Key,
    occurrences: &[Occurrence],
    (symbol, body, fresh): (Symbol, Option<usize>, bool),
) -> Option<Outcome> {
    let mut changed: Vec<(usize, Vec<Item>)> = Vec::new();
    places.clear(problem.polys.len());
    let mut uses = 0;
    // What other divisors have replaced is gone for good.
    let stands = |o: &&Occurrence| {
        let items = &problem.polys[o.poly];
        items[o.items.0].count > 0 && items[o.items.1].count > 0
    };
    for o in occurrences.iter().filter(|o| body != Some(o.poly)).filter(stands) {
        let place = places.get(o.poly).unwrap_or_else(|| {
            let items = &problem.polys[o.poly];
            // With room for what takes their place.
            let mut copy = Vec::with_capacity(items.len() + 1);
            copy.extend_from_slice(items);
            places.set(o.poly, changed.len());
            changed.push((o.poly, copy));
            changed.len() - 1
        });
        uses += replace(&mut changed[place].1, key, o, symbol);
    }
    if uses == 0 {
        return None;
    }
    changed.retain(|(poly, items)| *items != problem.polys[*poly]);
    let mut gain = 0.0;
    let sum_of_divisor = match key {
        Key::Sum(terms) if fresh => Some(body_of(terms)),
        _ => None,
    };
    let mut change: Vec<(Term<'_>, i64)> = Vec::new();
    for (poly, items) in &changed {
        gain += problem.chains[*poly] - problem.chain(items);
        // What stays as it is cancels out.
        let old = &problem.polys[*poly];
        let differs = |i: &usize| old.get(*i) != items.get(*i);
        for i in (0..items.len()).filter(differs) {
            change.extend(old.get(i).and_then(term).map(|term| (term, -1)));
            change.extend(term(&items[i]).map(|term| (term, 1)));
        }
    }
    if fresh {
        let frequency = problem.level(symbol).frequency;
        gain -= match &sum_of_divisor {
            Some(body) => {
                change.extend(body.iter().filter_map(term).map(|term| (term, 1)));
                problem.chain(body)
            }
            None => problem.weights.mul * frequency,
        };
        if uses > 1 {
            gain -= problem.weights.bind * frequency;
        }
    }
    // In a fixed order, so that rounding is the same on every run.
    change.sort_unstable();
    for of_term in change.chunk_by(|(a, _), (b, _)| a == b) {
        let (term, n) = (of_term[0].0, of_term.iter().map(|(_, n)| n).sum::<i64>());
        if n == 0 {
            continue;
        }
        let before = held.get(&term).copied().unwrap_or(0);
        match (before > 0, before + n > 0) {
            (true, false) => gain += problem.term(term.0, term.1),
            (false, true) => gain -= problem.term(term.0, term.1),
            (true, true) | (false, false) => {}
        }
    }
    Some(Outcome { gain, changed })
}

/// Replaces a divisor in one or two items, as often as it is there; returns how often.
fn replace(items: &mut Vec<Item>, key: &Key, occurrence: &Occurrence, symbol: Symbol) -> u32 {
    let (i, j) = occurrence.items;
    match key {
        Key::Product(x, y) => {
            let Item { coefficient, count, ref factors } = items[i];
            let (mut factors, mut times) = (Factors::from_slice(factors), 0);
            while let Some(rest) = without(&factors, &[*x, *y]).filter(|_| count > 0) {
                factors = rest;
                times += 1;
            }
            if times == 0 {
                return 0;
            }
            factors.extend(std::iter::repeat_n(symbol, times as usize));
            factors.sort_unstable();
            items[i].count = 0;
            insert(items, coefficient, factors, count);
            times * count
        }
        Key::Sum(_) => {
            let count = if i == j { items[i].count / 2 } else { items[i].count.min(items[j].count) };
            if count == 0 {
                return 0;
            }
            items[i].count -= count;
            items[j].count -= count;
            let (coefficient, factors) = &occurrence.cofactor;
            let mut factors = Factors::from_slice(factors);
            factors.push(symbol);
            factors.sort_unstable();
            insert(items, *coefficient, factors, count);
            count
        }
    }
}

/// The two terms as they are, up to a common sign, and that sign.
fn plain(a: &Item, b: &Item) -> (Key, Cofactor) {
    divided(a, b, 1, &[])
}

/// The two terms without their common factors; `None` if they have none.
fn reduced(a: &Item, b: &Item) -> Option<(Key, Cofactor)> {
    if a.factors == b.factors {
        return None;
    }
    let g = gcd(a.coefficient, b.coefficient);
    let mut rest = Factors::from_slice(&b.factors);
    let mut common = Factors::new();
    for &factor in &a.factors {
        if let Some(at) = rest.iter().position(|&f| f == factor) {
            rest.remove(at);
            common.push(factor);
        }
    }
    if g <= 1 && common.is_empty() {
        return None;
    }
    Some(divided(a, b, g.max(1), &common))
}

/// The two terms divided by a common factor, and that factor; signed so that the first term is positive.
fn divided(a: &Item, b: &Item, g: i64, common: &[Symbol]) -> (Key, Cofactor) {
    let part = |item: &Item| {
        (
            without(&item.factors, common).unwrap_or_else(|| Factors::from_slice(&item.factors)),
            item.coefficient / g,
        )
    };
    let (mut x, mut y) = (part(a), part(b));
    if (&y.0, y.1) < (&x.0, x.1) {
        std::mem::swap(&mut x, &mut y);
    }
    let sign = x.1.signum();
    let terms = [(x.1 * sign, x.0), (y.1 * sign, y.0)];
    (Key::Sum(terms), (g * sign, Factors::from_slice(common)))
}

/// The product without some factors; `None` if it does not hold them all.
fn without(factors: &Factors, remove: &[Symbol]) -> Option<Factors> {
    let mut rest = Factors::from_slice(factors);
    for factor in remove {
        let at = rest.iter().position(|f| f == factor)?;
        rest.remove(at);
    }
    Some(rest)
}

/// All pairs of factors, each once.
fn factor_pairs(factors: &[Symbol]) -> Vec<(Symbol, Symbol)> {
    let mut pairs = Vec::new();
    for (i, &x) in factors.iter().enumerate() {
        pairs.extend(factors[i + 1..].iter().map(|&y| (x.min(y), x.max(y))));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn body_of(terms: &[(i64, Factors); 2]) -> Vec<Item> {
    let mut items = Vec::new();
    for (coefficient, factors) in terms {
        insert(&mut items, *coefficient, factors.clone(), 1);
    }
    items
}

/// Counts the terms of a polynomial that cost something by themselves.
fn hold(held: &mut Held, items: &[Item], change: i64) {
    for Term(coefficient, factors) in items.iter().filter_map(term) {
        *held.entry((coefficient, Factors::from_slice(factors))).or_default() += change;
    }
}

/// The term of an item, if it costs something by itself.
fn term(item: &Item) -> Option<Term<'_>> {
    let coefficient = item.coefficient.unsigned_abs();
    let costs = item.count > 0 && (coefficient != 1 && !item.factors.is_empty() || item.factors.len() > 1);
    costs.then_some(Term(coefficient, &item.factors))
}

#[cfg(test)]
mod tests;
