//! Answers that are kept while a search runs: states of a search differ in little, and ask nearly the same.
//!
//! Only answers that depend on nothing but their question may be kept, so that a search finds the same without it.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::hash::Hash;

use hashbrown::HashMap;

/// The most answers that are kept to questions of one kind.
const MAX_ANSWERS: usize = 100_000;

/// Answers by the types of questions.
type Kept = HashMap<TypeId, Box<dyn Any>>;

thread_local! {
    /// Nothing while no search runs.
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// Runs a search, within which answers are kept.
pub(crate) fn keeping<T>(search: impl FnOnce() -> T) -> T {
    /// Ends it, also when the search panics.
    struct End(bool);
    impl Drop for End {
        fn drop(&mut self) {
            if self.0 {
                KEPT.take();
            }
        }
    }
    let is_outermost = KEPT.with_borrow_mut(|kept| {
        let is_outermost = kept.is_none();
        kept.get_or_insert_default();
        is_outermost
    });
    let _end = End(is_outermost);
    search()
}

/// Whether a search runs.
pub(crate) fn keeps() -> bool {
    KEPT.with_borrow(Option::is_some)
}

/// The answer to a question: the one that was kept, or the one that is found now.
pub(crate) fn answer<Q, A>(question: &Q, find: impl FnOnce(&Q) -> A) -> A
where
    Q: Clone + Eq + Hash + 'static,
    A: Clone + 'static,
{
    if let Some(answer) = kept(question) {
        return answer;
    }
    let answer = find(question);
    keep(question, &answer);
    answer
}

/// The answer that was kept.
pub(crate) fn kept<Q, A>(question: &Q) -> Option<A>
where
    Q: Eq + Hash + 'static,
    A: Clone + 'static,
{
    KEPT.with_borrow(|kept| {
        let answers = kept.as_ref()?.get(&TypeId::of::<Q>())?.downcast_ref::<HashMap<Q, A>>()?;
        answers.get(question).cloned()
    })
}

/// Keeps an answer, if a search runs.
pub(crate) fn keep<Q, A>(question: &Q, answer: &A)
where
    Q: Clone + Eq + Hash + 'static,
    A: Clone + 'static,
{
    KEPT.with_borrow_mut(|kept| {
        let Some(kept) = kept else { return };
        let answers = kept.entry(TypeId::of::<Q>()).or_insert_with(|| Box::new(HashMap::<Q, A>::new()));
        if let Some(answers) = answers.downcast_mut::<HashMap<Q, A>>()
            && answers.len() < MAX_ANSWERS
        {
            answers.insert(question.clone(), answer.clone());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_asks_once_and_the_next_one_anew() {
        let mut asked = 0;
        let mut ask = |question: u8| {
            answer(&question, |question| {
                asked += 1;
                question + 1
            })
        };
        assert_eq!((ask(1), ask(1)), (2, 2));
        keeping(|| assert_eq!((ask(1), ask(1), keeping(|| ask(1)), ask(2)), (2, 2, 2, 3)));
        assert!(!keeps());
        keeping(|| ask(1));
        assert_eq!(asked, 2 + 2 + 1);
    }
}
