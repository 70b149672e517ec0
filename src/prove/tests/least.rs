//! Sums at the ends of what their parts may be.

use super::super::range::Range;
use super::super::term::{Term, Terms};
use crate::ir::DType;

struct Sizes {
    terms: Terms,
    h: Term,
    c: Term,
}

impl Sizes {
    fn new() -> Sizes {
        let mut terms = Terms::default();
        let mut size = |name| terms.new_atom(name, DType::int(32), Range::new(Some(0), None));
        let (h, c) = (size("h"), size("c"));
        Sizes { terms, h, c }
    }

    fn index(&mut self, last: Option<i128>) -> Term {
        self.terms.new_atom("i", DType::int(32), Range::new(Some(0), last))
    }

    fn sum(&mut self, parts: &[(i128, &[Term])]) -> Term {
        let mut sum = self.terms.int(0);
        for &(factor, of) in parts {
            let one = self.terms.int(1);
            let product = of.iter().fold(one, |product, &term| self.terms.mul(product, term));
            sum = self.terms.add_scaled(sum, product, factor);
        }
        sum
    }

    /// `c // by + more`
    fn tiles(&mut self, more: i128, by: i128) -> Term {
        let (more, by) = (self.terms.int(more), self.terms.int(by));
        let sum = self.terms.add(self.c, more);
        self.terms.quotient(sum, by)
    }
}

#[test]
fn places_are_below_products_of_sizes() {
    for (last, tiles_more, expected) in [(15, 15, true), (16, 15, false), (15, 16, true), (15, 0, false)] {
        let mut s = Sizes::new();
        let (tile, row, lane) = (s.index(None), s.index(None), s.index(Some(last)));
        let (h, all) = (s.h, s.tiles(tiles_more, 16));
        // tile < (c + 15) // 16, which is 16 * tile < c, and row < h.
        let (below_c, below_h) =
            (s.sum(&[(1, &[s.c]), (-16, &[tile]), (-1, &[])]), s.sum(&[(1, &[h]), (-1, &[row]), (-1, &[])]));
        let left = s.sum(&[(16, &[h, all]), (-16, &[h, tile]), (-16, &[row]), (-1, &[lane]), (-1, &[])]);
        assert_eq!(s.terms.not_negative_at_ends(&[below_c, below_h], left), expected, "{last} {tiles_more}");
        assert!(!s.terms.not_negative_at_ends(&[below_c], left));
        assert!(!s.terms.not_negative_at_ends(&[below_h], left));
    }
}

#[test]
fn whole_tiles_are_no_more_than_all() {
    for (more, expected) in [(15, true), (0, true), (-1, false)] {
        let mut s = Sizes::new();
        let (tile, row) = (s.index(None), s.index(None));
        let (h, whole, all) = (s.h, s.tiles(0, 16), s.tiles(more, 16));
        let below_whole = s.sum(&[(1, &[whole]), (-1, &[tile]), (-1, &[])]);
        let below_h = s.sum(&[(1, &[h]), (-1, &[row]), (-1, &[])]);
        let left = s.sum(&[(1, &[h, all]), (-1, &[h, tile]), (-1, &[row]), (-1, &[])]);
        assert_eq!(s.terms.not_negative_at_ends(&[below_whole, below_h], left), expected, "{more}");
    }
}

#[test]
fn what_multiplies_must_have_a_sign() {
    let mut s = Sizes::new();
    let any = s.terms.new_atom("k", DType::int(32), Range::ALL);
    let i = s.index(None);
    let below = s.sum(&[(1, &[s.c]), (-1, &[i]), (-1, &[])]);
    let left = s.sum(&[(1, &[any, s.c]), (-1, &[any, i])]);
    assert!(!s.terms.not_negative_at_ends(&[below], left));
    // A square is not linear, and what depends on a part has no end without it.
    let square = s.sum(&[(1, &[s.c, s.c]), (-1, &[i, i])]);
    assert!(!s.terms.not_negative_at_ends(&[below], square));
}

#[test]
fn minima_and_maxima_bound_by_their_operands() {
    // i < min(1, max(h - 1, 0)), so i < h - 1 where i is not negative.
    for (first, least, expected) in [(Some(0), 0, true), (None, 0, false), (Some(0), 1, false)] {
        let mut s = Sizes::new();
        let (h, c) = (s.h, s.c);
        let i = s.terms.new_atom("i", DType::int(32), Range::new(first, None));
        let (one, least) = (s.terms.int(1), s.terms.int(least));
        let less = s.terms.sub(h, one);
        let most = s.terms.extremum(true, less, least);
        let end = s.terms.extremum(false, one, most);
        let below = s.sum(&[(1, &[end]), (-1, &[i]), (-1, &[])]);
        let left = s.sum(&[(1, &[c, h]), (-1, &[c, i]), (-2, &[c])]);
        assert_eq!(s.terms.not_negative_at_ends(&[below], left), expected, "{first:?} {least:?}");
        let more = s.sum(&[(1, &[c, h]), (-1, &[c, i]), (-3, &[c])]);
        assert!(!s.terms.not_negative_at_ends(&[below], more));
    }
}

#[test]
fn what_is_known_later_counts() {
    let mut s = Sizes::new();
    let k = s.terms.new_atom("k", DType::int(32), Range::ALL);
    let i = s.index(None);
    let below = s.sum(&[(1, &[s.c]), (-1, &[i]), (-1, &[])]);
    let left = s.sum(&[(1, &[k, s.c]), (-1, &[k, i])]);
    assert!(!s.terms.not_negative_at_ends(&[below], left));
    s.terms.restrict(k, Range::new(Some(0), None));
    assert!(s.terms.not_negative_at_ends(&[below], left));
}

#[test]
fn what_a_part_is_multiplied_with_may_need_a_proof_of_its_own() {
    // o * p + 3 * i * q + 2 * j < 2 * p for p = (3 * h - 2) * (2 * c - 1), q = 2 * c - 1, o < 2, i <= h - 2 and j <= c - 2.
    let holds = |stride: i128| {
        let mut terms = Terms::default();
        let mut size = |name| terms.new_atom(name, DType::int(32), Range::new(Some(1), None));
        let (h, c) = (size("h"), size("c"));
        let mut sizes = Sizes { terms, h, c };
        let (o, i, j) = (sizes.index(Some(1)), sizes.index(None), sizes.index(None));
        let (last_i, last_j) =
            (sizes.sum(&[(1, &[h]), (-2, &[]), (-1, &[i])]), sizes.sum(&[(1, &[c]), (-2, &[]), (-1, &[j])]));
        let p = [(6, vec![h, c]), (-3, vec![h]), (-4, vec![c]), (2, vec![])];
        let mut room = sizes.sum(&[(-6 * stride, &[i, c]), (3 * stride, &[i]), (-2, &[j]), (-1, &[])]);
        for (factor, of) in p {
            let with_o: Vec<Term> = of.iter().copied().chain([o]).collect();
            let part = sizes.sum(&[(2 * factor, &of), (-factor, &with_o)]);
            room = sizes.terms.add(room, part);
        }
        sizes.terms.not_negative_at_ends(&[last_i, last_j], room)
    };
    assert!(holds(1));
    assert!(!holds(2), "longer steps go too far");
}

#[test]
fn quotients_end_where_their_dividends_do() {
    // c * ((h + 1) // 2) >= c where h >= 1, and c * ((h + 1) // 2) <= 3 * c where h <= 6.
    for (least, greatest, expected) in [(1, 6, [true, true]), (0, 7, [false, false])] {
        let mut s = Sizes::new();
        let (h, c) = (s.h, s.c);
        let (one, two) = (s.terms.int(1), s.terms.int(2));
        let rounded = s.terms.add(h, one);
        let half = s.terms.quotient(rounded, two);
        let above = s.sum(&[(1, &[h]), (-least, &[])]);
        let below = s.sum(&[(-1, &[h]), (greatest, &[])]);
        let more = s.sum(&[(1, &[c, half]), (-1, &[c])]);
        let less = s.sum(&[(-1, &[c, half]), (3, &[c])]);
        assert_eq!(
            [above, below].map(|bound| s.terms.not_negative_at_ends(&[bound], more)),
            [expected[0], false]
        );
        assert_eq!(
            [above, below].map(|bound| s.terms.not_negative_at_ends(&[bound], less)),
            [false, expected[1]]
        );
    }
}

#[test]
fn operands_of_a_minimum_are_known_as_conditions_have_them() {
    let mut s = Sizes::new();
    let h = s.h;
    let (one, two) = (s.terms.int(1), s.terms.int(2));
    let rounded = s.terms.add(h, one);
    let upper = s.terms.quotient(rounded, two);
    let lower = s.terms.sub(h, upper);
    let least = s.terms.extremum(false, one, lower);
    let bound = s.terms.sub(least, one);
    for (size, expected) in [(2, true), (3, false)] {
        let above = s.sum(&[(1, &[h]), (-size, &[])]);
        assert_eq!(s.terms.not_negative_at_ends(&[bound], above), expected, "{size}");
    }
}
