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

mod products;

pub(crate) use self::products::{Level, Symbol};

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use hashbrown::{DefaultHashBuilder, HashMap};
use indexmap::IndexMap;
use smallvec::SmallVec;

use self::products::{Factors, Product, Products, without};
use crate::cost::{Cost, Frequency, Weight};
use crate::egraph::gcd;

/// The terms of a polynomial whose pairs are looked at.
const MAX_ITEMS: usize = 32;

/// Steps for each term at the start, and those that are always allowed: a term of a polynomial in which a divisor is tried
/// is one. Programs of TVM were seen to need 12,000 in all.
const STEPS_PER_TERM: usize = 100;
const MIN_STEPS: usize = 200_000;

/// `count` times `coefficient * product`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// The coefficient.
    pub coefficient: i64,
    /// The product.
    pub product: Product,
    /// How many times the term stands in the sum; 0 if it was replaced.
    pub count: u32,
}

/// What operations cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    /// An addition.
    pub add: Weight,
    /// A multiplication.
    pub mul: Weight,
    /// A multiplication by a power of two.
    pub shift: Weight,
    /// A binding.
    pub bind: Weight,
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
    products: Products,
    polys: Vec<Vec<Item>>,
    /// What adding up the terms of each polynomial costs.
    chains: Vec<Cost>,
    definitions: Vec<Definition>,
    atoms: usize,
}

/// A divisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// `coefficient * product` twice.
    Sum([(i64, Product); 2]),
    Product(Symbol, Symbol),
}

/// What a divisor is multiplied by.
type Cofactor = (i64, Product);

/// Two items of a polynomial (one item, for products). What terms they stand for never changes, only their counts do.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    poly: u32,
    items: (u32, u32),
    /// What the two items are divided by to become the divisor (1 for products).
    cofactor: Cofactor,
}

impl Occurrence {
    /// Whether the two terms are the divisor as they are, up to a common sign.
    fn is_plain(&self) -> bool {
        self.cofactor.0.unsigned_abs() == 1 && self.cofactor.1 == Product::ONE
    }

    /// The two items of the polynomial.
    fn items_of<'p>(&self, problem: &'p Problem) -> [&'p Item; 2] {
        let items = &problem.polys[self.poly as usize];
        [&items[self.items.0 as usize], &items[self.items.1 as usize]]
    }
}

impl Problem {
    /// A problem without polynomials over atoms with these levels.
    pub(crate) fn new(weights: Weights, levels: Vec<Level>) -> Problem {
        Problem {
            weights,
            atoms: levels.len(),
            products: Products::new(levels),
            polys: Vec::new(),
            chains: Vec::new(),
            definitions: Vec::new(),
        }
    }

    /// Adds a polynomial, given by its terms: coefficients and sorted factors.
    pub(crate) fn push<F: AsRef<[Symbol]>>(&mut self, terms: impl IntoIterator<Item = (i64, F)>) {
        let mut items = Vec::new();
        for (coefficient, factors) in terms {
            let product = self.products.of(factors.as_ref());
            insert(&mut items, coefficient, product, 1);
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

    /// The factors of an item's product, sorted.
    pub(crate) fn factors(&self, item: &Item) -> &[Symbol] {
        self.products.factors(item.product)
    }

    /// The level of a symbol.
    pub(crate) fn level(&self, symbol: Symbol) -> Level {
        self.products.level_of_symbol(symbol)
    }

    /// How many parts were taken out.
    pub(crate) fn parts(&self) -> usize {
        self.definitions.len()
    }

    /// The definition of a symbol that is no atom.
    pub(crate) fn definition(&self, symbol: Symbol) -> Option<&Definition> {
        (symbol as usize).checked_sub(self.atoms).map(|i| &self.definitions[i])
    }

    /// The divisors, and what each of them saves. `factor`: see [`Strategy`].
    pub(crate) fn divisors(self, factor: bool) -> Divisors {
        let mut search = Divisors {
            problem: self,
            factor,
            last: false,
            occurrences: IndexMap::default(),
            defined: HashMap::new(),
            held: Held::new(),
            heap: BinaryHeap::new(),
            steps: 0,
            trial: Trial::default(),
        };
        let mut keys = Vec::new();
        for poly in 0..search.problem.polys.len() {
            hold(&mut search.held, &search.problem, &search.problem.polys[poly], 1);
            search.register(poly, 0, &mut keys);
        }
        search.steps = MIN_STEPS + STEPS_PER_TERM * search.problem.polys.iter().map(Vec::len).sum::<usize>();
        // At least half of the steps are left to take out what was found.
        let half = search.steps / 2;
        for key in 0..search.occurrences.len() {
            if search.steps < half {
                break;
            }
            search.enter(key);
        }
        search
    }

    /// A new symbol for a divisor, which is still to be defined.
    fn symbol_for(&mut self, key: &Key) -> Symbol {
        let level = match key {
            Key::Sum([(_, a), (_, b)]) => self.products.level(*a).or_deeper(self.products.level(*b)),
            Key::Product(x, y) => self.level(*x).or_deeper(self.level(*y)),
        };
        self.products.add_symbol(level)
    }

    /// The cost of adding up the terms, given each.
    fn chain(&self, items: &[Item]) -> Cost {
        let mut sum = Frequency::ZERO;
        let (mut first, mut last): (Option<Level>, Option<Level>) = (None, None);
        let (mut constant, mut positive) = (false, false);
        for item in items.iter().filter(|i| i.count > 0) {
            positive |= item.coefficient > 0;
            if item.product == Product::ONE {
                constant = true;
                continue;
            }
            let level = self.products.level(item.product);
            sum += level.frequency.each(item.count);
            first = Some(first.map_or(level, |f| if level.depth < f.depth { level } else { f }));
            last = Some(last.map_or(level, |l| l.or_deeper(level)));
        }
        let (Some(first), Some(last)) = (first, last) else { return Cost::ZERO };
        let extra = u32::from(constant) + u32::from(!positive);
        self.weights.add * (sum.saturating_sub(first.frequency) + last.frequency.each(extra))
    }

    /// The cost of a term by itself.
    fn term(&self, (coefficient, product): Term) -> Cost {
        let factors = self.products.factors(product).iter();
        let mut levels: SmallVec<[Level; 8]> = factors.map(|&s| self.level(s)).collect();
        levels.sort_by_key(|level| level.depth);
        let Some(first) = levels.first() else { return Cost::ZERO };
        let scale = match coefficient {
            1 => Weight::ZERO,
            c if c.is_power_of_two() => self.weights.shift,
            _ => self.weights.mul,
        };
        scale * first.frequency
            + self.weights.mul * levels[1..].iter().map(|l| l.frequency).sum::<Frequency>()
    }

    /// The term of an item, if it costs something by itself.
    fn costly_term(&self, item: &Item) -> Option<Term> {
        let coefficient = item.coefficient.unsigned_abs();
        let costs = item.count > 0
            && (coefficient != 1 && item.product != Product::ONE || self.products.degree(item.product) > 1);
        costs.then_some((coefficient, item.product))
    }
}

/// A term without its sign.
type Term = (u64, Product);

/// Adds `count` times a term to a polynomial.
fn insert(items: &mut Vec<Item>, coefficient: i64, product: Product, count: u32) {
    let twice = coefficient.unsigned_abs() == 2 && product != Product::ONE;
    let (coefficient, count) = if twice { (coefficient.signum(), count * 2) } else { (coefficient, count) };
    let same = |i: &&mut Item| i.count > 0 && i.coefficient == coefficient && i.product == product;
    match items.iter_mut().find(same) {
        Some(item) => item.count += count,
        None => items.push(Item { coefficient, product, count }),
    }
}

/// The terms in use that cost something by themselves: how many polynomials hold each.
type Held = HashMap<Term, i64>;

/// What replacing all occurrences of a divisor leads to. Made again and again, so it is kept for its memory.
#[derive(Default)]
struct Trial {
    /// A number for each divisor that is tried.
    number: u64,
    /// Of each polynomial and of each product: the last divisor for which it was changed, and to what.
    polys: Vec<(u64, usize)>,
    products: Vec<(u64, Option<(Product, u32)>)>,
    /// The polynomials that change, up to a length.
    changed: Vec<(usize, Vec<Item>)>,
    length: usize,
    /// The divisor as a polynomial.
    body: Vec<Item>,
    /// How many polynomials more hold each term.
    terms: Vec<(Term, i64)>,
}

impl Clone for Trial {
    /// What was tried last is no part of a search.
    fn clone(&self) -> Trial {
        Trial::default()
    }
}

impl Trial {
    /// Begins anew.
    fn clear(&mut self, problem: &Problem) {
        self.number += 1;
        self.polys.resize(problem.polys.len(), (0, 0));
        self.length = 0;
    }

    /// The copy of a polynomial that is changed.
    fn poly(&mut self, problem: &Problem, poly: usize) -> &mut Vec<Item> {
        let (number, mut place) = self.polys[poly];
        if number != self.number {
            place = self.length;
            self.polys[poly] = (self.number, place);
            self.length += 1;
            if self.changed.len() < self.length {
                self.changed.push((poly, Vec::new()));
            }
            let (of, items) = &mut self.changed[place];
            *of = poly;
            items.clear();
            items.extend_from_slice(&problem.polys[poly]);
        }
        &mut self.changed[place].1
    }
}

/// A problem on the way to its solution.
#[derive(Clone)]
pub(crate) struct Divisors {
    problem: Problem,
    /// See [`Strategy`].
    factor: bool,
    last: bool,
    occurrences: IndexMap<Key, SmallVec<[Occurrence; 1]>, DefaultHashBuilder>,
    /// The symbol of each divisor taken out, and the polynomial that is its body.
    defined: HashMap<Key, (Symbol, Option<usize>)>,
    held: Held,
    heap: BinaryHeap<Entry>,
    steps: usize,
    trial: Trial,
}

/// A problem with common parts taken out.
pub(crate) struct Solution {
    /// The problem.
    pub problem: Problem,
    /// Whether it came to matter which one of equally good divisors is taken.
    pub tied: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    gain: Cost,
    order: Reverse<i64>,
    key: usize,
}

impl Entry {
    fn new(gain: Cost, key: usize, last: bool) -> Entry {
        let order = i64::try_from(key).unwrap_or(i64::MAX);
        Entry { gain, order: Reverse(if last { -order } else { order }), key }
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        self.gain.cmp(&other.gain).then_with(|| self.order.cmp(&other.order))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Divisors {
    /// Takes out common parts as long as that saves something. `last`: see [`Strategy`].
    pub(crate) fn take_out(mut self, last: bool) -> Solution {
        self.last = last;
        let found = self.heap.drain().collect::<Vec<_>>();
        self.heap.extend(found.into_iter().map(|entry| Entry::new(entry.gain, entry.key, last)));
        let mut tied = false;
        while let Some(entry) = self.heap.pop() {
            if self.steps == 0 {
                break;
            }
            tied |= self.heap.peek().is_some_and(|next| next.gain == entry.gain);
            let Some(gain) = self.try_out(entry.key) else { continue };
            if gain == Cost::ZERO {
                continue;
            }
            if self.heap.peek().is_some_and(|next| next.gain > gain) {
                self.heap.push(Entry { gain, ..entry });
                continue;
            }
            self.apply(entry.key);
        }
        Solution { problem: self.problem, tied }
    }

    /// Computes what a divisor saves and remembers it if that is something.
    fn enter(&mut self, key: usize) {
        let Some((divisor, occurrences)) = self.occurrences.get_index(key) else { return };
        // One occurrence saves nothing, unless a factor is taken out or the divisor is at hand.
        let alone = match &occurrences[..] {
            [o] if matches!(divisor, Key::Sum(_)) && o.is_plain() => {
                let [a, b] = o.items_of(&self.problem);
                a.count.min(b.count) == 1
            }
            _ => false,
        };
        if alone && !self.defined.contains_key(divisor) {
            return;
        }
        if let Some(gain) = self.try_out(key)
            && gain > Cost::ZERO
        {
            self.heap.push(Entry::new(gain, key, self.last));
        }
    }

    /// Notes the divisors of a polynomial that items from `from` on take part in; adds their keys to `keys`.
    fn register(&mut self, poly: usize, from: usize, keys: &mut Vec<usize>) {
        let items = std::mem::take(&mut self.problem.polys[poly]);
        let small = |index: usize| u32::try_from(index).expect("fewer than 2^32 items");
        let Divisors { occurrences, problem: Problem { products, .. }, .. } = self;
        let mut note = |key: Key, (i, j): (usize, usize), cofactor: Cofactor| {
            let entry = occurrences.entry(key);
            keys.push(entry.index());
            let items = (small(i), small(j));
            entry.or_default().push(Occurrence { poly: small(poly), items, cofactor });
        };
        for (j, b) in items.iter().enumerate().skip(from).filter(|(_, b)| b.count > 0) {
            let first = if items.len() > MAX_ITEMS { j.saturating_sub(MAX_ITEMS) } else { 0 };
            for (i, a) in items[..=j].iter().enumerate().skip(first) {
                if a.count == 0 || i == j && (a.count < 2 || a.product == Product::ONE) {
                    continue;
                }
                let (key, cofactor) = plain(products, a, b);
                note(key, (i, j), cofactor);
                if self.factor
                    && i != j
                    && let Some((key, cofactor)) = reduced(products, a, b)
                {
                    note(key, (i, j), cofactor);
                }
            }
            if self.factor && products.degree(b.product) > 1 {
                for (x, y) in factor_pairs(products.factors(b.product)) {
                    note(Key::Product(x, y), (j, j), (1, Product::ONE));
                }
            }
        }
        self.problem.polys[poly] = items;
    }

    /// What it saves if all occurrences of a divisor are replaced; `None` if there are none left. What becomes of the
    /// problem is left in [`Divisors::trial`].
    fn try_out(&mut self, key: usize) -> Option<Cost> {
        let (key, occurrences) = self.occurrences.get_index(key)?;
        let terms: usize = occurrences.iter().map(|o| self.problem.polys[o.poly as usize].len()).sum();
        self.steps = self.steps.saturating_sub(terms);
        self.problem.products.forget();
        let defined = self.defined.get(key).copied();
        let body = defined.and_then(|(_, body)| body);
        let (symbol, fresh) = match defined {
            Some((symbol, _)) => (symbol, false),
            None => (self.problem.symbol_for(key), true),
        };
        let gain =
            replaced(&mut self.problem, &self.held, &mut self.trial, key, occurrences, (symbol, body, fresh));
        if fresh {
            self.problem.products.take_symbol();
        }
        gain
    }

    /// Replaces all occurrences of the divisor that was tried last.
    fn apply(&mut self, key: usize) {
        let Some((&key, _)) = self.occurrences.get_index(key) else { return };
        let mut touched = Vec::new();
        if !self.defined.contains_key(&key) {
            let symbol = self.problem.symbol_for(&key);
            self.problem.products.keep();
            let body = match &key {
                Key::Sum(terms) => {
                    let mut body = Vec::new();
                    write_body(&mut body, terms);
                    let body = self.problem.add(body);
                    self.problem.definitions.push(Definition::Sum(body));
                    hold(&mut self.held, &self.problem, &self.problem.polys[body], 1);
                    Some(body)
                }
                Key::Product(x, y) => {
                    self.problem.definitions.push(Definition::Product(*x, *y));
                    None
                }
            };
            self.defined.insert(key, (symbol, body));
            if let Some(body) = body {
                self.register(body, 0, &mut touched);
            }
        }
        for place in 0..self.trial.length {
            let (poly, items) = &mut self.trial.changed[place];
            let (poly, items) = (*poly, std::mem::take(items));
            if items == self.problem.polys[poly] {
                continue;
            }
            let old = self.problem.exchange(poly, items);
            let new = &self.problem.polys[poly];
            hold(&mut self.held, &self.problem, &old, -1);
            hold(&mut self.held, &self.problem, new, 1);
            // What counts more than before is new, too: a term may now stand twice.
            let grown = |&i: &usize| old.get(i).is_none_or(|o| o.count < new[i].count);
            let from = (0..new.len()).find(grown).unwrap_or(new.len());
            self.register(poly, from, &mut touched);
            self.trial.changed[place].1 = old;
        }
        touched.sort_unstable();
        touched.dedup();
        for key in touched {
            self.enter(key);
        }
    }
}

/// What it saves to replace all occurrences of a divisor by `symbol`; `None` if there are none left. `body` is the
/// polynomial that defines the symbol, if there is one; a `fresh` symbol has yet to be computed.
fn replaced(
    problem: &mut Problem,
    held: &Held,
    trial: &mut Trial,
    key: &Key,
    occurrences: &[Occurrence],
    (symbol, body, fresh): (Symbol, Option<usize>, bool),
) -> Option<Cost> {
    trial.clear(problem);
    let mut uses = 0;
    for o in occurrences.iter().filter(|o| body != Some(o.poly as usize)) {
        // What other divisors have replaced is gone for good.
        if o.items_of(problem).iter().any(|item| item.count == 0) {
            continue;
        }
        trial.poly(problem, o.poly as usize);
        uses += replace(problem, trial, key, o, (symbol, fresh));
    }
    if uses == 0 {
        return None;
    }
    let Trial { changed, length, body, terms, .. } = trial;
    terms.clear();
    let (mut before, mut after) = (Cost::ZERO, Cost::ZERO);
    for (poly, items) in &changed[..*length] {
        let old = &problem.polys[*poly];
        if items == old {
            continue;
        }
        before += problem.chains[*poly];
        after += problem.chain(items);
        // What stays as it is cancels out.
        for (i, item) in items.iter().enumerate() {
            let old = old.get(i);
            if old != Some(item) {
                terms.extend(old.and_then(|old| problem.costly_term(old)).map(|term| (term, -1)));
                terms.extend(problem.costly_term(item).map(|term| (term, 1)));
            }
        }
    }
    if fresh {
        let frequency = problem.level(symbol).frequency;
        after += match key {
            Key::Sum(of) => {
                write_body(body, of);
                terms.extend(body.iter().filter_map(|item| problem.costly_term(item)).map(|term| (term, 1)));
                problem.chain(body)
            }
            Key::Product(..) => problem.weights.mul * frequency,
        };
        if uses > 1 {
            after += problem.weights.bind * frequency;
        }
    }
    terms.sort_unstable_by_key(|&((coefficient, product), _)| (coefficient, product.index()));
    for of_term in terms.chunk_by(|(a, _), (b, _)| a == b) {
        let (term, n) = (of_term[0].0, of_term.iter().map(|(_, n)| n).sum::<i64>());
        if n == 0 {
            continue;
        }
        let holders = held.get(&term).copied().unwrap_or(0);
        match (holders > 0, holders + n > 0) {
            (true, false) => before += problem.term(term),
            (false, true) => after += problem.term(term),
            (true, true) | (false, false) => {}
        }
    }
    Some(before.saturating_sub(after))
}

/// Replaces a divisor in one or two items of a polynomial that is changed, as often as it is there; returns how often.
fn replace(
    problem: &mut Problem,
    trial: &mut Trial,
    key: &Key,
    occurrence: &Occurrence,
    (symbol, fresh): (Symbol, bool),
) -> u32 {
    let (i, j) = (occurrence.items.0 as usize, occurrence.items.1 as usize);
    let place = trial.polys[occurrence.poly as usize].1;
    match key {
        Key::Product(x, y) => {
            let Item { coefficient, count, product } = trial.changed[place].1[i];
            if count == 0 {
                return 0;
            }
            let substituted = substituted(&mut problem.products, trial, product, fresh, |factors| {
                let (mut rest, mut times) = (Factors::from_slice(factors), 0);
                while let Some(less) = without(&rest, &[*x, *y]) {
                    rest = less;
                    times += 1;
                }
                rest.extend(std::iter::repeat_n(symbol, times as usize));
                (times > 0).then_some((rest, times))
            });
            let Some((product, times)) = substituted else { return 0 };
            let items = &mut trial.changed[place].1;
            items[i].count = 0;
            insert(items, coefficient, product, count);
            times * count
        }
        Key::Sum(_) => {
            let items = &mut trial.changed[place].1;
            let count = if i == j { items[i].count / 2 } else { items[i].count.min(items[j].count) };
            if count == 0 {
                return 0;
            }
            items[i].count -= count;
            items[j].count -= count;
            let (coefficient, cofactor) = occurrence.cofactor;
            let substituted = substituted(&mut problem.products, trial, cofactor, fresh, |factors| {
                let mut factors = Factors::from_slice(factors);
                factors.push(symbol);
                Some((factors, 1))
            });
            let (product, _) = substituted.expect("the symbol is put in");
            insert(&mut trial.changed[place].1, coefficient, product, count);
            count
        }
    }
}

/// What becomes of a product, given what becomes of its factors, and how often the symbol is put in. Different products
/// become different ones.
fn substituted(
    products: &mut Products,
    trial: &mut Trial,
    product: Product,
    fresh: bool,
    substitute: impl FnOnce(&[Symbol]) -> Option<(Factors, u32)>,
) -> Option<(Product, u32)> {
    if trial.products.len() <= product.index() {
        trial.products.resize(product.index() + 1, (0, None));
    }
    let (number, known) = trial.products[product.index()];
    if number == trial.number {
        return known;
    }
    let made = substitute(products.factors(product)).map(|(mut factors, times)| {
        factors.sort_unstable();
        // No product has a fresh symbol.
        let product = if fresh { products.add(&factors) } else { products.of(&factors) };
        (product, times)
    });
    trial.products[product.index()] = (trial.number, made);
    made
}

/// The two terms as they are, up to a common sign, and that sign.
fn plain(products: &mut Products, a: &Item, b: &Item) -> (Key, Cofactor) {
    divided(products, a, b, 1, &[])
}

/// The two terms without their common factors; `None` if they have none.
fn reduced(products: &mut Products, a: &Item, b: &Item) -> Option<(Key, Cofactor)> {
    if a.product == b.product {
        return None;
    }
    let g = gcd(a.coefficient, b.coefficient);
    let common = products.common(a.product, b.product);
    if g <= 1 && common.is_empty() {
        return None;
    }
    Some(divided(products, a, b, g.max(1), &common))
}

/// The two terms divided by a common factor, and that factor; signed so that the first term is positive.
fn divided(products: &mut Products, a: &Item, b: &Item, g: i64, common: &[Symbol]) -> (Key, Cofactor) {
    let mut part = |item: &Item| (products.without(item.product, common), item.coefficient / g);
    let (mut x, mut y) = (part(a), part(b));
    if products.compare(y.0, x.0).then(y.1.cmp(&x.1)).is_lt() {
        std::mem::swap(&mut x, &mut y);
    }
    let sign = x.1.signum();
    let terms = [(x.1 * sign, x.0), (y.1 * sign, y.0)];
    let common = if common.is_empty() { Product::ONE } else { products.of(common) };
    (Key::Sum(terms), (g * sign, common))
}

/// All pairs of factors, each once.
fn factor_pairs(factors: &[Symbol]) -> SmallVec<[(Symbol, Symbol); 3]> {
    let mut pairs = SmallVec::new();
    for (i, &x) in factors.iter().enumerate() {
        pairs.extend(factors[i + 1..].iter().map(|&y| (x.min(y), x.max(y))));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Writes a sum as a polynomial.
fn write_body(body: &mut Vec<Item>, terms: &[(i64, Product); 2]) {
    body.clear();
    for &(coefficient, product) in terms {
        insert(body, coefficient, product, 1);
    }
}

/// Counts the terms of a polynomial that cost something by themselves.
fn hold(held: &mut Held, problem: &Problem, items: &[Item], change: i64) {
    for term in items.iter().filter_map(|item| problem.costly_term(item)) {
        *held.entry(term).or_default() += change;
    }
}

#[cfg(test)]
mod tests;
