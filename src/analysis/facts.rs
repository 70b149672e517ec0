//! Conditions that are known at a place, and which of them speak of what.

use std::ops::Deref;
use std::sync::OnceLock;

use hashbrown::HashMap;

use super::mentions::Mentions;
use crate::ir::{BufferId, Expr, VarId};

/// Conditions that hold (`true`) or do not, those of enclosing places first. They have no effect.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    list: Vec<(Expr, bool)>,
    /// What each speaks of.
    mentions: Vec<Mentions>,
    /// The positions of those that read memory, ascending.
    reading: Vec<usize>,
    /// Made when somebody looks for some among many.
    index: OnceLock<Index>,
}

/// The positions of the facts that speak of a variable or a buffer, ascending.
#[derive(Clone, Debug, Default)]
struct Index {
    vars: HashMap<VarId, Vec<usize>>,
    buffers: HashMap<BufferId, Vec<usize>>,
}

impl Deref for Facts {
    type Target = [(Expr, bool)];

    fn deref(&self) -> &[(Expr, bool)] {
        &self.list
    }
}

impl FromIterator<(Expr, bool)> for Facts {
    /// Of variables without values.
    fn from_iter<I: IntoIterator<Item = (Expr, bool)>>(list: I) -> Facts {
        let mut facts = Facts::default();
        list.into_iter().for_each(|(cond, truth)| facts.push(cond, truth, &HashMap::new()));
        facts
    }
}

impl Facts {
    /// Adds a fact. It speaks of what the values of its variables speak of, too.
    pub(crate) fn push(&mut self, cond: Expr, truth: bool, values: &HashMap<VarId, Expr>) {
        let position = self.list.len();
        let mentions = Mentions::of([&cond], values);
        if cond.reads_memory() {
            self.reading.push(position);
        }
        if let Some(index) = self.index.get_mut() {
            index.add(position, &mentions);
        }
        self.list.push((cond, truth));
        self.mentions.push(mentions);
    }

    /// Takes away those that were added last, so that as many are left.
    pub(crate) fn truncate(&mut self, len: usize) {
        if let Some(index) = self.index.get_mut() {
            for (position, mentions) in self.mentions.iter().enumerate().skip(len).rev() {
                index.remove(position, mentions);
            }
        }
        self.list.truncate(len);
        self.mentions.truncate(len);
        self.reading.truncate(self.reading.partition_point(|&position| position < len));
    }

    /// Whether some read memory.
    pub(crate) fn read_memory(&self) -> bool {
        !self.reading.is_empty()
    }

    /// Forgets those that read memory and are such as `ends` says. Something that holds anyway takes their places, so that the
    /// facts of enclosing places keep theirs.
    pub(crate) fn forget(&mut self, ends: impl Fn(&Expr) -> bool) {
        let (list, all) = (&mut self.list, &mut self.mentions);
        let index = &mut self.index;
        self.reading.retain(|&position| {
            let fact = &mut list[position];
            let ends = ends(&fact.0);
            if ends {
                *fact = (Expr::bool(true), true);
                let mentions = std::mem::take(&mut all[position]);
                if let Some(index) = index.get_mut() {
                    index.remove(position, &mentions);
                }
            }
            !ends
        });
    }

    /// Those at the positions, which are ascending.
    pub(crate) fn part(&self, positions: &[usize]) -> Facts {
        Facts {
            list: positions.iter().map(|&position| self.list[position].clone()).collect(),
            mentions: positions.iter().map(|&position| self.mentions[position].clone()).collect(),
            reading: positions
                .iter()
                .enumerate()
                .filter(|(_, position)| self.reading.binary_search(position).is_ok())
                .map(|(at, _)| at)
                .collect(),
            index: OnceLock::new(),
        }
    }

    /// Adds what a fact speaks of.
    pub(crate) fn mention(&self, position: usize, mentions: &mut Mentions) {
        mentions.extend(&self.mentions[position]);
    }

    /// The positions of the nearest facts that have something in common with `mentions`, those of inner places first, at most
    /// `most` that are not among `but`.
    pub(crate) fn nearest(&self, mentions: &Mentions, but: &[usize], most: usize) -> Vec<usize> {
        /// Among so few all are looked at.
        const FEW: usize = 64;
        let meet = |position: &usize| !but.contains(position) && self.mentions[*position].meets(mentions);
        if self.list.len() <= FEW {
            return (0..self.list.len()).rev().filter(meet).take(most).collect();
        }
        let index = self.index.get_or_init(|| {
            let mut index = Index::default();
            self.mentions.iter().enumerate().for_each(|(position, mentions)| index.add(position, mentions));
            index
        });
        let mut found = index.last(mentions, most + but.len());
        found.retain(|position| !but.contains(position));
        found.truncate(most);
        found
    }
}

impl Index {
    fn add(&mut self, position: usize, mentions: &Mentions) {
        mentions.vars.iter().for_each(|var| self.vars.entry(*var).or_default().push(position));
        mentions.buffers.iter().for_each(|buffer| self.buffers.entry(*buffer).or_default().push(position));
    }

    fn remove(&mut self, position: usize, mentions: &Mentions) {
        let take = |positions: Option<&mut Vec<usize>>| {
            if let Some(positions) = positions
                && let Ok(at) = positions.binary_search(&position)
            {
                positions.remove(at);
            }
        };
        mentions.vars.iter().for_each(|var| take(self.vars.get_mut(var)));
        mentions.buffers.iter().for_each(|buffer| take(self.buffers.get_mut(buffer)));
    }

    /// The last positions, at most `most` for each thing that is mentioned, in descending order.
    fn last(&self, mentions: &Mentions, most: usize) -> Vec<usize> {
        let of_vars = mentions.vars.iter().filter_map(|var| self.vars.get(var));
        let of_buffers = mentions.buffers.iter().filter_map(|buffer| self.buffers.get(buffer));
        let mut found: Vec<usize> = of_vars
            .chain(of_buffers)
            .flat_map(|positions| &positions[positions.len().saturating_sub(most)..])
            .copied()
            .collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinOp, DType};

    fn var(i: u32) -> Expr {
        Expr::var(VarId(i), DType::I32)
    }

    fn facts(count: u32) -> Facts {
        (0..count).map(|i| (Expr::binary(BinOp::Lt, var(i % 7), var(7 + i % 3)), true)).collect()
    }

    fn of(e: &Expr) -> Mentions {
        Mentions::of([e], &HashMap::new())
    }

    #[test]
    fn few_and_many_facts_are_found_alike() {
        for count in [20, 200] {
            let mut facts = facts(count);
            let expected = |len: u32| (0..len).rev().filter(|i| i % 7 == 2).map(|i| i as usize);
            let but = [expected(count).nth(1).unwrap()];
            let all: Vec<usize> = expected(count).filter(|i| !but.contains(i)).take(5).collect();
            assert_eq!(facts.nearest(&of(&var(2)), &but, 5), all);
            facts.truncate(15);
            facts.push(var(2), true, &HashMap::new());
            let all: Vec<usize> = [15].into_iter().chain(expected(15)).collect();
            assert_eq!(facts.nearest(&of(&var(2)), &[], 5), all);
        }
    }

    #[test]
    fn what_is_forgotten_speaks_of_nothing() {
        for count in [3, 300] {
            let mut facts = facts(count);
            let load = Expr::load(DType::BOOL, BufferId(1), vec![var(2)]);
            facts.push(load.clone(), false, &HashMap::new());
            assert!(facts.read_memory());
            assert_eq!(facts.nearest(&of(&load), &[], 1), [count as usize]);
            facts.forget(|fact| *fact == load);
            assert!(!facts.read_memory());
            assert!(!facts.nearest(&of(&load), &[], 1).contains(&(count as usize)));
            assert_eq!(facts.len(), count as usize + 1);
        }
    }

    #[test]
    fn values_of_variables_are_spoken_of() {
        let mut facts = facts(0);
        facts.push(var(1), true, &HashMap::from_iter([(VarId(1), var(5) + 1)]));
        assert_eq!(facts.nearest(&of(&var(5)), &[], 1), [0]);
    }
}
