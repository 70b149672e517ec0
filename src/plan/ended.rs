//! Budgets that end within moves, so that some places of a function are not tried: what the passes say of themselves when they
//! run alone.

use std::collections::BTreeMap;

/// What ended, by the pass.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// The most places that are tried in a state, and the most that a state had.
    places: BTreeMap<&'static str, (usize, usize)>,
    /// The most tries of a pass over the whole function.
    tries: BTreeMap<&'static str, usize>,
}

impl Ended {
    /// Notes that of so many places for a pass in a state no more than `most` are tried.
    pub(super) fn places(&mut self, pass: &'static str, most: usize, there: usize) {
        if there > most {
            let (_, seen) = self.places.entry(pass).or_insert((most, there));
            *seen = there.max(*seen);
        }
    }

    /// Notes that a pass over the whole function ended after so many tries, if it did.
    pub(super) fn tries(&mut self, pass: &'static str, most: Option<usize>) {
        self.tries.extend(most.map(|most| (pass, most)));
    }

    /// The same in words.
    pub(super) fn in_words(&self) -> Vec<String> {
        let places = self.places.iter().map(|(pass, (most, there))| {
            format!("of up to {there} places for `{pass}` {most} were tried in each state")
        });
        let tries = self
            .tries
            .iter()
            .map(|(pass, most)| format!("`{pass}` ended after {most} tries, others were not made"));
        places.chain(tries).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_is_told_once() {
        let mut ended = Ended::default();
        ended.places("branching", 8, 8);
        ended.tries("overcompute", None);
        assert!(ended.in_words().is_empty());
        ended.places("branching", 8, 12);
        ended.places("branching", 8, 9);
        ended.tries("overcompute", Some(512));
        let told = [
            "of up to 12 places for `branching` 8 were tried in each state",
            "`overcompute` ended after 512 tries, others were not made",
        ];
        assert_eq!(ended.in_words(), told);
    }
}
