//! The clauses of the question whether statements leave no trace, by name. Tests leave them out in turn, and must notice.

/// A clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    /// Indices are in bounds.
    Bounds,
    /// Loads are permitted.
    Permission,
    /// Stores are dead or store what is there.
    Stores,
    /// Other threads do not meet what is accessed.
    Threads,
    /// Nothing traps, leaves, or states anything.
    Total,
    /// What a store stores that is overwritten is not loaded before.
    Reads,
    /// Of two forms of a value both are the same.
    Value,
    /// No iteration of one loop depends on a later one of another.
    Order,
}

#[cfg(test)]
thread_local! {
    /// The clause that is left out.
    static LEFT_OUT: std::cell::Cell<Option<Clause>> = const { std::cell::Cell::new(None) };
}

impl Clause {
    /// Whether the clause counts.
    #[cfg(not(test))]
    pub(super) const fn counts(self) -> bool {
        true
    }

    /// Whether the clause counts: all do, but for one that a test leaves out.
    #[cfg(test)]
    pub(super) fn counts(self) -> bool {
        LEFT_OUT.get() != Some(self)
    }

    /// Runs `f` without the clause.
    #[cfg(test)]
    pub(super) fn left_out<T>(self, f: impl FnOnce() -> T) -> T {
        LEFT_OUT.set(Some(self));
        let result = f();
        LEFT_OUT.set(None);
        result
    }
}
