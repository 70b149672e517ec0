//! Answers that were found before. Each depends on a key, and on those of many choices that were looked at to find it: it is right
//! wherever these are the same.

use std::hash::Hash;

use hashbrown::HashMap;

/// Answers to questions about keys.
#[derive(Debug)]
pub(crate) struct Memo<K, V> {
    known: HashMap<K, Vec<Answer<V>>>,
    /// What was looked at for the answer that is being found.
    looked_at: Vec<(usize, bool)>,
}

#[derive(Debug)]
struct Answer<V> {
    choices: Vec<(usize, bool)>,
    value: V,
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// No answers.
    pub(crate) fn new() -> Memo<K, V> {
        Memo { known: HashMap::new(), looked_at: Vec::new() }
    }

    /// The answer for a key, if it is known for what it depends on. If it is not, what is looked at from here on is taken note of.
    pub(crate) fn find(&mut self, key: &K, choices: &[bool]) -> Option<V> {
        self.looked_at.clear();
        let holds = |answer: &&Answer<V>| answer.choices.iter().all(|&(at, chosen)| choices[at] == chosen);
        self.known.get(key)?.iter().find(holds).map(|answer| answer.value.clone())
    }

    /// One of the choices, which the answer depends on from here on.
    pub(crate) fn look(&mut self, choices: &[bool], at: usize) -> bool {
        self.looked_at.push((at, choices[at]));
        choices[at]
    }

    /// Takes note of an answer.
    pub(crate) fn note(&mut self, key: K, value: V) {
        let mut choices = std::mem::take(&mut self.looked_at);
        choices.sort_unstable();
        choices.dedup();
        self.known.entry(key).or_default().push(Answer { choices, value });
    }
}

#[cfg(test)]
mod tests {
    use super::Memo;

    #[test]
    fn an_answer_holds_where_what_was_looked_at_is_the_same() {
        let mut memo = Memo::new();
        let found = |memo: &mut Memo<u8, u8>, key, choices: &[bool]| memo.find(&key, choices);
        assert_eq!(found(&mut memo, 1, &[true, false, true]), None);
        assert!(memo.look(&[true, false, true], 0) && !memo.look(&[true, false, true], 1));
        memo.note(1, 7);
        assert_eq!(found(&mut memo, 1, &[true, false, false]), Some(7), "nobody looked at the last one");
        assert_eq!(found(&mut memo, 1, &[true, true, true]), None);
        assert_eq!(found(&mut memo, 2, &[true, false, true]), None);
    }
}
