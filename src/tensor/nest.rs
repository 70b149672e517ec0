//! Loop nests, each of one or several items: what is computed where in them, and what that costs.

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use super::items::{Item, Items, is_leaf};
use super::keys::Values;
use super::memo::Memo;
use super::stored::Size;
use super::term::{Node, Term, hole};
use super::tile::Tile;
use crate::cost::{Cost, Frequency, Profile, Weight, weight_of};
use crate::ir::opclass::OpClass;
use crate::ir::{BufferId, Expr, ExprKind, value};

/// An item in a nest: axis `k` of the item runs with loop `loops[k]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Member {
    pub item: usize,
    pub loops: Vec<u32>,
}

/// A loop nest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Nest {
    pub loops: Vec<Size>,
    pub members: Vec<Member>,
}

/// What is known of a nest.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// The values of each member, terms of the frame: one for each copy.
    pub bodies: Vec<Vec<Term>>,
    /// The steps that are taken at once.
    pub tile: Tile,
    /// How many loops carry axes of the block: the statements of the nest stand inside of them.
    pub outer: usize,
    /// Whether the nest is one reduction all of whose terms are computed in its innermost loop.
    pub single: bool,
    /// What is computed on every run of the innermost loop or further out, operands first.
    pub order: Vec<Term>,
    /// Inside of how many loops each of them is computed.
    pub level: HashMap<Term, usize>,
    /// Those that are bound to variables: they are used twice, or computed further out than where they are used.
    pub bound: HashSet<Term>,
    /// The items whose values are read, and by which terms.
    pub loads: HashMap<Term, usize>,
    /// The items that are read, in order.
    pub needs: Vec<usize>,
    /// What it costs.
    pub cost: Cost,
}

impl Content {
    /// The loop that an axis of the frame runs with.
    pub(crate) fn loop_of(&self, nest: &Nest, axis: u32) -> u32 {
        self.tile.loop_of(&nest.loops, axis)
    }

    /// The sizes of all axes of the frame.
    pub(crate) fn frame(&self, nest: &Nest) -> Vec<Size> {
        self.tile.frame(&nest.loops)
    }
}

/// What an analysis of nests is told.
pub(crate) struct World<'a> {
    pub values: &'a mut Values,
    pub items: &'a Items,
    pub profile: &'a Profile,
    /// What a store costs.
    pub store: Weight,
    /// Buffers that nests must not read as they are.
    pub closed: &'a HashSet<BufferId>,
    /// The nests that were looked at.
    pub seen: &'a mut Seen,
}

/// Nests that were looked at, with what they do; that depends on which items are in buffers.
pub(crate) type Seen = Memo<Nest, Option<Rc<Content>>>;

impl World<'_> {
    /// What a nest does, if `kept` items are in buffers; `None` if it cannot be one nest. Several steps of loops are taken at
    /// once if that is cheaper.
    pub(crate) fn content(&mut self, nest: &Nest, kept: &[bool]) -> Option<Rc<Content>> {
        if let Some(known) = self.seen.find(nest, kept) {
            return known;
        }
        let content = self.cheapest_content(nest, kept).map(Rc::new);
        self.seen.note(nest.clone(), content.clone());
        content
    }

    fn cheapest_content(&mut self, nest: &Nest, kept: &[bool]) -> Option<Content> {
        let plain = self.content_in(nest, kept, Tile::default())?;
        let mut tiles = self.tiles(nest);
        tiles.retain(|tile| plain.stays_short(nest, tile, &self.values.terms));
        let mut best = plain;
        for tile in tiles {
            let other = self.content_in(nest, kept, tile);
            if let Some(other) = other.filter(|other| other.cost < best.cost) {
                best = other;
            }
        }
        Some(best)
    }

    fn content_in(&mut self, nest: &Nest, kept: &[bool], tile: Tile) -> Option<Content> {
        let mut bodies = Vec::new();
        for member in &nest.members {
            let item = &self.items.list[member.item];
            if !in_order(item, member) {
                return None;
            }
            let mut own = Vec::new();
            for copy in 0..tile.copies() {
                let axis = |&l: &u32| {
                    let dtype = nest.loops[l as usize].dtype;
                    self.values.terms.axis(tile.axis(&nest.loops, l, copy), dtype)
                };
                let values: Vec<Term> = member.loops.iter().map(axis).collect();
                own.push(self.values.terms.replace(item.term, &values));
            }
            bodies.push(own);
        }
        let here: HashMap<Term, usize> = nest
            .members
            .iter()
            .zip(&bodies)
            .filter(|(member, _)| self.items.list[member.item].folding(self.values).is_none())
            .flat_map(|(member, bodies)| bodies.iter().map(|&body| (body, member.item)))
            .collect();
        let vectors = self.vectors(nest);
        let frame = tile.frame(&nest.loops);
        let mut walk = Walk {
            world: self,
            vectors,
            nest,
            tile: &tile,
            loops: &frame,
            kept,
            here: &here,
            order: Vec::new(),
            seen: HashSet::new(),
            uses: HashMap::new(),
            loads: HashMap::new(),
            lazy: Vec::new(),
            eager: HashSet::new(),
        };
        // Copy by copy, as the loops would.
        let inner: Vec<Term> = (0..bodies.first().map_or(0, Vec::len))
            .flat_map(|copy| bodies.iter().map(move |own| own[copy]))
            .collect();
        walk.find_eager(&inner);
        inner.into_iter().for_each(|body| walk.visit(body));
        let Walk { order, uses, loads, lazy, .. } = walk;
        let all = || order.iter().chain(lazy.iter().map(|(term, _)| term));
        if !all().all(|term| self.is_possible(*term, &loads)) {
            return None;
        }
        if lazy.len() > MAX_LAZY {
            return None;
        }
        let mut needs: Vec<usize> = loads.values().copied().collect();
        needs.sort_unstable();
        needs.dedup();
        if needs.iter().any(|&need| nest.members.iter().any(|member| member.item == need)) {
            return None;
        }
        let mut content = Content {
            bodies,
            tile,
            outer: 0,
            single: false,
            order,
            level: HashMap::new(),
            bound: HashSet::new(),
            loads,
            needs,
            cost: Cost::default(),
        };
        self.place(nest, &mut content);
        self.bind(nest, &mut content, &uses);
        self.price(nest, &mut content, &lazy);
        Some(content)
    }

    /// Whether what a term reads is there.
    fn is_possible(&self, term: Term, loads: &HashMap<Term, usize>) -> bool {
        loads.contains_key(&term)
            || match self.values.terms.node(term) {
                Node::Axis(..) => true,
                Node::Stored(..) => false,
                Node::Form(head, _) => match &head.kind {
                    ExprKind::Load { buffer, .. } => !self.closed.contains(buffer),
                    _ => true,
                },
            }
    }

    /// Inside of how many loops each term is computed.
    fn place(&mut self, nest: &Nest, content: &mut Content) {
        let depth = nest.loops.len();
        // Nothing goes out of a loop that may not run.
        let fixed = nest
            .loops
            .iter()
            .rposition(|l| l.extent.as_int().is_none_or(|extent| extent < 1))
            .map_or(0, |at| at + 1);
        let terms = &self.values.terms;
        let mut hoisted: Option<usize> = None;
        let mut any = false;
        for &term in &content.order {
            let inside = |&axis: &u32| content.loop_of(nest, axis) as usize + 1;
            let own = terms.axes(term).iter().map(inside).max().unwrap_or(0);
            let level = own.max(fixed);
            content.level.insert(term, level);
            if level < depth {
                any = true;
                if level > 0 {
                    hoisted = Some(hoisted.map_or(level, |least| least.min(level)));
                }
            }
        }
        let folds = |member: &Member| {
            let item = &self.items.list[member.item];
            item.folding(self.values)
                .and_then(|_| member.loops[item.kept..].iter().min().map(|&l| l as usize))
        };
        let is_fold = |member: &Member| self.items.list[member.item].folding(self.values).is_some();
        let first = nest.members.iter().filter_map(folds).min().unwrap_or(depth);
        content.single =
            nest.members.len() == 1 && is_fold(&nest.members[0]) && !any && content.tile.steps.is_empty();
        content.outer = first.min(hoisted.unwrap_or(depth));
        for level in content.level.values_mut() {
            *level = (*level).max(content.outer);
        }
    }

    /// What is bound to variables.
    fn bind(&mut self, nest: &Nest, content: &mut Content, uses: &HashMap<Term, u32>) {
        let mut bound: HashSet<Term> = content
            .order
            .iter()
            .copied()
            .filter(|term| uses.get(term).is_some_and(|&uses| uses > 1))
            .collect();
        let further_out =
            |term: &Term, than: usize| content.level.get(term).is_some_and(|&level| level < than);
        for &term in &content.order {
            let read = content.loads.contains_key(&term);
            if read && !matches!(self.values.terms.node(term), Node::Stored(..)) {
                continue;
            }
            let level = content.level[&term];
            bound.extend(self.values.terms.children(term).iter().filter(|child| further_out(child, level)));
        }
        bound.extend(content.bodies.iter().flatten().filter(|body| further_out(body, nest.loops.len())));
        content.bound = bound;
    }

    fn price(&mut self, nest: &Nest, content: &mut Content, lazy: &[(Term, u32)]) {
        let depth = nest.loops.len();
        let mut runs = vec![Frequency::ONE];
        for (at, size) in nest.loops.iter().enumerate() {
            let at_once = content.tile.at(at).map_or(1, |steps| u64::from(steps.count));
            let last = runs.last().copied().unwrap_or(Frequency::ONE);
            runs.push(last * Frequency::times(trip(size, self.profile) / at_once));
        }
        let mut cost = Cost::default();
        let bind = self.profile.weight(OpClass::Bind);
        for &term in &content.order {
            let at = content.level[&term];
            cost += self.weight(term, &content.loads) * runs[at];
            if content.bound.contains(&term) {
                cost += bind * runs[at];
            }
        }
        for &(term, depth_of_arms) in lazy {
            let mut often = runs[depth];
            for _ in 0..depth_of_arms {
                often = often * self.profile.branch();
            }
            cost += self.weight(term, &content.loads) * often;
        }
        for member in &nest.members {
            let item = &self.items.list[member.item];
            cost += self.beside(nest, member, &content.tile) * runs[depth];
            if item.folding(self.values).is_some() && !content.tile.folds_all(nest, item, member) {
                let mut elements = Frequency::ONE;
                for size in &item.axes[..item.kept] {
                    elements = elements * Frequency::times(trip(size, self.profile));
                }
                cost += self.store * elements;
            }
        }
        content.cost = cost + self.lost(nest, content, &runs);
    }

    /// What a member costs in each step besides its values: its stores, and for a reduction what it folds into.
    pub(super) fn beside(&self, nest: &Nest, member: &Member, tile: &Tile) -> Weight {
        let item = &self.items.list[member.item];
        let count = u64::from(tile.copies());
        let Some(folding) = item.folding(self.values) else { return self.store.times(count) };
        let operand = hole(folding.init.dtype);
        let own = Expr::binary(folding.op, operand.clone(), operand);
        let element = match tile.folds_all(nest, item, member) {
            true => self.store,
            false => self.store + self.profile.weight(OpClass::Load),
        };
        let own_steps = tile.steps.iter().filter(|steps| !folds_at(item, member, steps.at));
        let elements = own_steps.map(|steps| u64::from(steps.count)).product();
        element.times(elements) + weight_of(self.profile, &own).times(count)
    }

    pub(super) fn weight(&self, term: Term, loads: &HashMap<Term, usize>) -> Weight {
        if loads.contains_key(&term) {
            return self.profile.weight(OpClass::Load);
        }
        match self.values.terms.node(term) {
            Node::Form(head, _) => weight_of(self.profile, head),
            Node::Axis(..) | Node::Stored(..) => Weight::ZERO,
        }
    }
}

/// How often a loop over an axis is taken to run.
pub(crate) fn trip(size: &Size, profile: &Profile) -> u64 {
    let default = i64::try_from(profile.default_extent()).unwrap_or(i64::MAX);
    let extent = value::evaluate(&size.extent, &|_| Some(value::Value::Int(default)));
    extent
        .and_then(|extent| extent.as_int())
        .map_or(profile.default_extent(), |extent| u64::try_from(extent).unwrap_or(0))
}

/// Whether a member folds over a loop.
pub(super) fn folds_at(item: &Item, member: &Member, at: usize) -> bool {
    member.loops[item.kept..].contains(&(at as u32))
}

/// Whether the folded axes of an item run in their own order.
fn in_order(item: &Item, member: &Member) -> bool {
    member.loops[item.kept..].is_sorted()
}

struct Walk<'a, 'w> {
    world: &'a mut World<'w>,
    nest: &'a Nest,
    tile: &'a Tile,
    loops: &'a [Size],
    kept: &'a [bool],
    here: &'a HashMap<Term, usize>,
    /// The loop whose steps vectors may take.
    vectors: Option<usize>,
    order: Vec<Term>,
    seen: HashSet<Term>,
    uses: HashMap<Term, u32>,
    loads: HashMap<Term, usize>,
    /// What is evaluated under conditions, and under how many.
    lazy: Vec<(Term, u32)>,
    /// What is evaluated in any case: where it also stands under a condition its value is there.
    eager: HashSet<Term>,
}

/// The most terms that stand under conditions in a nest.
const MAX_LAZY: usize = 2_000;

impl Walk<'_, '_> {
    /// The item whose value a term reads, and the operands that are evaluated to get the term.
    fn operands(&mut self, term: Term) -> Vec<Term> {
        let is_stored = matches!(self.world.values.terms.node(term), Node::Stored(..));
        if (is_stored || !self.here.contains_key(&term))
            && let Some(item) = self.world.items.find(self.world.values, term, self.loops)
            && (is_stored || self.world.seen.look(self.kept, item) && self.is_worth_reading(term, item))
        {
            self.loads.insert(term, item);
            if !is_stored {
                return Vec::new();
            }
        }
        self.world.values.terms.children(term).to_vec()
    }

    /// Whether a kept value is read: of a copy of a tensor only if its elements are neighbours here, and those of the tensor not.
    fn is_worth_reading(&self, term: Term, item: usize) -> bool {
        if !is_leaf(self.world.values, term) {
            return true;
        }
        let Some(at) = self.vectors else { return false };
        let strided =
            |loads: &HashMap<Term, usize>| self.world.is_strided(self.nest, self.tile, term, loads, at);
        strided(&HashMap::new()) && !strided(&HashMap::from([(term, item)]))
    }

    fn find_eager(&mut self, bodies: &[Term]) {
        let mut open: Vec<Term> = bodies.to_vec();
        while let Some(term) = open.pop() {
            if self.eager.insert(term) {
                let lazy = self.world.values.terms.lazy_from(term).unwrap_or(usize::MAX);
                open.extend(self.operands(term).into_iter().take(lazy));
            }
        }
    }

    fn visit(&mut self, term: Term) {
        *self.uses.entry(term).or_insert(0) += 1;
        if !self.seen.insert(term) {
            return;
        }
        let lazy = self.world.values.terms.lazy_from(term).unwrap_or(usize::MAX);
        let operands = self.operands(term);
        for (at, &operand) in operands.iter().enumerate() {
            if at < lazy {
                self.visit(operand);
            } else {
                self.visit_lazy(operand, 1);
            }
        }
        let is_leaf = match self.world.values.terms.node(term) {
            Node::Axis(..) => true,
            Node::Form(head, children) => {
                children.is_empty() && !matches!(head.kind, ExprKind::Load { .. } | ExprKind::Call(_))
            }
            Node::Stored(..) => false,
        };
        if !is_leaf {
            self.order.push(term);
        }
    }

    fn visit_lazy(&mut self, term: Term, depth: u32) {
        if self.eager.contains(&term) {
            return self.visit(term);
        }
        if self.lazy.len() > MAX_LAZY {
            return;
        }
        self.lazy.push((term, depth));
        let lazy = self.world.values.terms.lazy_from(term).unwrap_or(usize::MAX);
        for (at, operand) in self.operands(term).into_iter().enumerate() {
            self.visit_lazy(operand, depth + u32::from(at >= lazy));
        }
    }
}
