//! Products of symbols, each kept once: two are the same if their numbers are.

use std::cmp::Ordering;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use smallvec::SmallVec;

use crate::cost::Frequency;

/// A value that polynomials are made of: an index into the problem's symbols, then into the definitions.
pub(crate) type Symbol = u32;

/// Sorted symbols.
pub(super) type Factors = SmallVec<[Symbol; 8]>;

/// A product of symbols: an index into [`Products`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Product(u32);

impl Product {
    /// The product of nothing: the constant 1.
    pub(super) const ONE: Product = Product(0);

    /// The number of the product.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a symbol can be computed: the depth of the scope and how often that runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Level {
    /// The depth.
    pub depth: u32,
    /// How often.
    pub frequency: Frequency,
}

impl Level {
    /// The deeper of two levels, of equally deep ones the first.
    pub(super) fn or_deeper(self, other: Level) -> Level {
        if other.depth > self.depth { other } else { self }
    }
}

/// Symbols and products of them.
#[derive(Clone, Debug)]
pub(super) struct Products {
    /// Where each symbol can be computed.
    levels: Vec<Level>,
    /// The factors of all products, product by product; and where those of each begin, with the end.
    factors: Vec<Symbol>,
    begins: Vec<u32>,
    /// Where each product can be computed.
    deepest: Vec<Level>,
    /// The products, by their factors. Those that were tried last are not among them.
    index: HashTable<Product>,
    hasher: DefaultHashBuilder,
}

impl Products {
    /// No product but 1, of symbols with these levels.
    pub(super) fn new(levels: Vec<Level>) -> Products {
        let mut products = Products {
            levels,
            factors: Vec::new(),
            begins: vec![0],
            deepest: Vec::new(),
            index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        };
        products.of(&[]);
        products
    }

    /// Adds a symbol.
    pub(super) fn add_symbol(&mut self, level: Level) -> Symbol {
        self.levels.push(level);
        Symbol::try_from(self.levels.len() - 1).expect("fewer than 2^32 symbols")
    }

    /// Takes the symbol back that was added last.
    pub(super) fn take_symbol(&mut self) {
        self.levels.pop();
    }

    /// The level of a symbol.
    pub(super) fn level_of_symbol(&self, symbol: Symbol) -> Level {
        self.levels[symbol as usize]
    }

    /// Where a product can be computed.
    pub(super) fn level(&self, product: Product) -> Level {
        self.deepest[product.index()]
    }

    /// The factors of a product, sorted.
    pub(super) fn factors(&self, product: Product) -> &[Symbol] {
        let at = product.index();
        &self.factors[self.begins[at] as usize..self.begins[at + 1] as usize]
    }

    /// How many factors a product has.
    pub(super) fn degree(&self, product: Product) -> u32 {
        self.begins[product.index() + 1] - self.begins[product.index()]
    }

    /// The order of products by their factors.
    pub(super) fn compare(&self, a: Product, b: Product) -> Ordering {
        if a == b { Ordering::Equal } else { self.factors(a).cmp(self.factors(b)) }
    }

    /// The product of these factors, which are sorted.
    pub(super) fn of(&mut self, factors: &[Symbol]) -> Product {
        debug_assert_eq!(self.index.len(), self.deepest.len(), "what is added was kept or forgotten");
        let hash = self.hasher.hash_one(factors);
        match self.index.find(hash, |&product| self.factors(product) == factors) {
            Some(&product) => product,
            None => {
                let product = self.add(factors);
                self.enter(hash, product);
                product
            }
        }
    }

    /// The product of these factors, which are sorted and of which there is none yet; [`Products::forget`] forgets it.
    pub(super) fn add(&mut self, factors: &[Symbol]) -> Product {
        let levels = factors.iter().map(|&symbol| self.level_of_symbol(symbol));
        let deepest =
            levels.reduce(Level::or_deeper).unwrap_or(Level { depth: 0, frequency: Frequency::ONE });
        self.deepest.push(deepest);
        self.factors.extend_from_slice(factors);
        let small = |number: usize| u32::try_from(number).expect("fewer than 2^32 factors");
        self.begins.push(small(self.factors.len()));
        Product(small(self.deepest.len() - 1))
    }

    /// Forgets the products that were [added](Products::add) and not [kept](Products::keep).
    pub(super) fn forget(&mut self) {
        let kept = self.index.len();
        self.deepest.truncate(kept);
        self.begins.truncate(kept + 1);
        self.factors.truncate(self.begins[kept] as usize);
    }

    /// Keeps the products that were added.
    pub(super) fn keep(&mut self) {
        for at in self.index.len()..self.deepest.len() {
            let product = Product(u32::try_from(at).expect("products are numbered so"));
            let hash = self.hasher.hash_one(self.factors(product));
            self.enter(hash, product);
        }
    }

    fn enter(&mut self, hash: u64, product: Product) {
        let Products { factors, begins, hasher, index, .. } = self;
        index.insert_unique(hash, product, |other| {
            let at = other.index();
            hasher.hash_one(&factors[begins[at] as usize..begins[at + 1] as usize])
        });
    }

    /// The factors that two products have in common.
    pub(super) fn common(&self, a: Product, b: Product) -> Factors {
        let (mut a, mut b) = (self.factors(a), self.factors(b));
        let mut common = Factors::new();
        while let (&[x, ref after_x @ ..], &[y, ref after_y @ ..]) = (a, b) {
            match x.cmp(&y) {
                Ordering::Less => a = after_x,
                Ordering::Greater => b = after_y,
                Ordering::Equal => {
                    common.push(x);
                    (a, b) = (after_x, after_y);
                }
            }
        }
        common
    }

    /// The product without some of its factors, which are sorted.
    pub(super) fn without(&mut self, product: Product, remove: &[Symbol]) -> Product {
        if remove.is_empty() {
            return product;
        }
        let rest = without(self.factors(product), remove).expect("only factors are removed");
        self.of(&rest)
    }
}

/// Sorted factors without some, which are sorted; `None` if these are not all among them.
pub(super) fn without(factors: &[Symbol], remove: &[Symbol]) -> Option<Factors> {
    let mut rest = Factors::new();
    let mut remove = remove.iter().peekable();
    for factor in factors {
        if remove.next_if_eq(&factor).is_none() {
            rest.push(*factor);
        }
    }
    remove.next().is_none().then_some(rest)
}
