//! The tree of scopes of a function: where bindings can be inserted, how often each place runs, and what is
//! certain to run there.
//!
//! A scope is a block of statements (or a pseudo-scope for an expression that is evaluated per iteration, such as
//! the condition of a `while`, where nothing can be inserted). A *place* is a scope and the index of a statement
//! in it: "just before that statement".

use crate::analysis::lanes::Lanes;
use crate::cost::Frequency;
use crate::ir::VarId;

/// A scope: index into [`Scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ScopeId(pub u32);

/// A place: just before statement `position` of a scope's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The block.
    pub scope: ScopeId,
    /// The index of the statement.
    pub position: u32,
}

/// One scope.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// The statement that the scope belongs to; `None` for the function's body.
    pub parent: Option<Place>,
    /// Distance from the function's body.
    pub depth: u32,
    /// How often the block runs.
    pub frequency: Frequency,
    /// Whether statements can be inserted.
    pub insertable: bool,
    /// Whether the block runs whenever its statement does (no condition, no loop that may be empty).
    pub certain: bool,
    /// Whether threads run the block, each once.
    pub threads: bool,
    /// What of that which varies within the loops around may be bound.
    pub lanes: Lanes,
    /// Index of the first statement that may not complete (an assertion, a call that may do anything, `return`):
    /// what stands behind it is not certain to run.
    pub barrier: u32,
}

/// All scopes of a function; parents come before children.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scopes {
    scopes: Vec<Scope>,
    /// The scope that defines each variable, and from which statement on; [`VarId`] is the index.
    definitions: Vec<Option<Place>>,
}

impl Scopes {
    /// The function's body.
    pub(crate) const ROOT: ScopeId = ScopeId(0);

    /// Adds a scope and returns it.
    pub(crate) fn push(&mut self, scope: Scope) -> ScopeId {
        let id = ScopeId(u32::try_from(self.scopes.len()).expect("fewer than 2^32 scopes"));
        self.scopes.push(scope);
        id
    }

    /// How many scopes there are.
    pub(crate) fn len(&self) -> usize {
        self.scopes.len()
    }

    /// The scope's entry.
    pub(crate) fn get(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    /// The scope's entry, to change it.
    pub(crate) fn get_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.scopes[id.0 as usize]
    }

    /// Records that `var` is defined from `place` on.
    pub(crate) fn define(&mut self, var: VarId, place: Place) {
        if self.definitions.len() <= var.index() {
            self.definitions.resize(var.index() + 1, None);
        }
        self.definitions[var.index()] = Some(place);
    }

    /// From where on `var` is in scope; `None` for parameters and dimensions.
    pub(crate) fn definition(&self, var: VarId) -> Option<Place> {
        self.definitions.get(var.index()).copied().flatten()
    }

    /// How often each scope runs, or any around it if that is more.
    pub(crate) fn frequencies(&self) -> Vec<Frequency> {
        let mut most: Vec<Frequency> = Vec::with_capacity(self.scopes.len());
        for scope in &self.scopes {
            let around = scope.parent.map_or(Frequency::ZERO, |place| most[place.scope.0 as usize]);
            most.push(scope.frequency.max(around));
        }
        most
    }

    /// How often each scope runs, or any inside of it if that is less.
    pub(crate) fn least_frequencies(&self) -> Vec<Frequency> {
        let mut least: Vec<Frequency> = self.scopes.iter().map(|scope| scope.frequency).collect();
        for (i, scope) in self.scopes.iter().enumerate().rev() {
            if let Some(parent) = scope.parent {
                let parent = parent.scope.0 as usize;
                least[parent] = least[parent].min(least[i]);
            }
        }
        least
    }

    /// How often `inner`, or any scope around it within `outer`, runs at least.
    pub(crate) fn least_between(&self, outer: ScopeId, inner: ScopeId) -> Frequency {
        let (mut at, mut least) = (self.get(inner), self.get(inner).frequency);
        let depth = self.get(outer).depth;
        while at.depth > depth
            && let Some(parent) = at.parent
        {
            at = self.get(parent.scope);
            least = least.min(at.frequency);
        }
        least
    }

    /// The later of two places of which one lies inside of the other's scope: the deeper scope, or the later statement of
    /// one scope.
    pub(crate) fn later(&self, a: Place, b: Place) -> Place {
        let is_later = match a.scope == b.scope {
            true => b.position > a.position,
            false => (self.get(b.scope).depth, b.position) > (self.get(a.scope).depth, a.position),
        };
        if is_later { b } else { a }
    }

    /// Whether what is defined at `a` is in scope in the scope of `b`, or the other way round.
    pub(crate) fn see_each_other(&self, a: Place, b: Place) -> bool {
        a.scope == b.scope || self.lift(a, b.scope).is_some() || self.lift(b, a.scope).is_some()
    }

    /// The place in `ancestor` that leads to `place`: the statement of `ancestor` that contains it. `None` if
    /// `ancestor` is not an ancestor of (or the same as) the place's scope.
    pub(crate) fn lift(&self, place: Place, ancestor: ScopeId) -> Option<Place> {
        let depth = self.get(ancestor).depth;
        let mut at = place;
        while self.get(at.scope).depth > depth {
            at = self.get(at.scope).parent?;
        }
        (at.scope == ancestor).then_some(at)
    }
}
