//! Whether linear conditions contradict each other, by the simplex method of solvers for linear arithmetic: a value for each
//! variable is changed until all conditions hold, or until one of them shows that they cannot.

use super::super::check::bounds::gcd;

/// Factors by the numbers of what they are factors of, in order; none is zero.
pub(super) type Factors = Vec<(usize, i128)>;

/// A sum of multiples of variables and a constant that is not negative.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) factors: Factors,
    pub(super) constant: i128,
}

/// Most changes of values, and after how many of them the first one that is possible is taken.
const MAX_PIVOTS: usize = 400;
const MAX_CHOSEN: usize = 200;
/// Larger factors are not calculated with, and are not among multiples that are found.
const MAX_FACTOR: u128 = 1 << 100;
const MAX_MULTIPLE: u128 = 1 << 56;

/// Positive multiples of conditions, by number, that add up to a negative constant; `None` if there are none, or if the numbers
/// get too large.
///
/// Each condition has a variable for its sum, which must be at least the negated constant. Sums are written by variables of a
/// basis in turn: those are 0, or what is least for them, and decide the values of all others. A value that is too small is made
/// as large as it must be by a variable of the basis that may grow (or may be anything), which it replaces. If there is none, its
/// equation says that it cannot be so large. What is taken is what has the least factor, so that numbers stay small; in the end
/// it is the first that is possible, so that no basis comes twice.
pub(super) fn contradiction(conditions: &[Condition]) -> Option<Factors> {
    let free = conditions.iter().flat_map(|c| &c.factors).map(|(var, _)| var + 1).max().unwrap_or(0);
    // An equation for each sum: a multiple of it and of variables of the basis is 0.
    let mut rows: Vec<Factors> = Vec::with_capacity(conditions.len());
    for (i, condition) in conditions.iter().enumerate() {
        let mut row: Factors = condition.factors.iter().map(|&(var, factor)| (var, -factor)).collect();
        row.push((free + i, 1));
        rows.push(row);
    }
    let mut defined: Vec<usize> = (free..free + conditions.len()).collect();
    let least = |var: usize| if var < free { 0 } else { -conditions[var - free].constant };
    for round in 0..MAX_PIVOTS {
        let mut small: Option<(usize, usize)> = None;
        for (at, (row, &var)) in rows.iter().zip(&defined).enumerate() {
            if var >= free && small.is_none_or(|(first, _)| var < first) && slack(row, var, &least)? < 0 {
                small = Some((var, at));
            }
        }
        // All values are as large as they must be: there is no contradiction.
        let (var, at) = small?;
        let entering = rows[at]
            .iter()
            .filter(|&&(other, factor)| other != var && (other < free || factor < 0))
            .min_by_key(|(_, factor)| if round < MAX_CHOSEN { factor.unsigned_abs() } else { 0 });
        let Some(&(entering, _)) = entering else {
            let small = rows[at].iter().all(|(_, factor)| factor.unsigned_abs() <= MAX_MULTIPLE);
            return small.then(|| rows[at].iter().map(|&(var, factor)| (var - free, factor)).collect());
        };
        let pivot = rows[at].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i == at {
                *row = normal(pivot.clone(), entering)?;
            } else if factor(row, entering) != 0 {
                *row = normal(without(row, &pivot, entering)?, defined[i])?;
            }
        }
        defined[at] = entering;
    }
    None
}

/// By a positive multiple of how much the variable that an equation defines is above the least that it may be.
fn slack(row: &Factors, var: usize, least: &impl Fn(usize) -> i128) -> Option<i128> {
    // factor * var + sum = 0, and the factor is positive.
    row.iter()
        .try_fold(0i128, |sum, &(other, factor)| sum.checked_sub(factor.checked_mul(least(other))?))
        .filter(|_| factor(row, var) > 0)
}

fn factor(row: &Factors, var: usize) -> i128 {
    row.binary_search_by_key(&var, |(number, _)| *number).map_or(0, |at| row[at].1)
}

/// An equation without a common factor, in which the factor of this variable is positive.
fn normal(mut row: Factors, var: usize) -> Option<Factors> {
    let is_reduced = row.iter().any(|(_, factor)| factor.unsigned_abs() == 1);
    let common = if is_reduced { 1 } else { row.iter().fold(0, |common, (_, factor)| gcd(common, *factor)) };
    let common = if factor(&row, var) < 0 { -common } else { common };
    match common {
        1 => {}
        -1 => row.iter_mut().for_each(|(_, factor)| *factor = -*factor),
        _ => row.iter_mut().for_each(|(_, factor)| *factor /= common),
    }
    row.iter().all(|(_, factor)| factor.unsigned_abs() <= MAX_FACTOR).then_some(row)
}

/// The sum of multiples of two equations that does not have a variable.
fn without(a: &Factors, b: &Factors, var: usize) -> Option<Factors> {
    let (p, q) = (factor(a, var), factor(b, var));
    let common = gcd(p, q);
    combined(a, q / common, b, -p / common)
}

/// `x * a + y * b`
fn combined(a: &Factors, x: i128, b: &Factors, y: i128) -> Option<Factors> {
    let (mut sum, mut i, mut j) = (Vec::with_capacity(a.len() + b.len()), 0, 0);
    while i < a.len() || j < b.len() {
        let number = [a.get(i), b.get(j)].into_iter().flatten().map(|(number, _)| *number).min()?;
        let mut factor = 0i128;
        for (list, at, scale) in [(a, &mut i, x), (b, &mut j, y)] {
            if let Some(&(_, f)) = list.get(*at).filter(|(other, _)| *other == number) {
                factor = factor.checked_add(f.checked_mul(scale)?)?;
                *at += 1;
            }
        }
        if factor != 0 {
            sum.push((number, factor));
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(of: &[(&[i128], i128)]) -> Vec<Condition> {
        let of = of.iter().map(|&(factors, constant)| Condition {
            factors: factors.iter().copied().enumerate().filter(|(_, factor)| *factor != 0).collect(),
            constant,
        });
        of.collect()
    }

    /// Whether there is a contradiction, which adds up to a negative constant if there is.
    #[track_caller]
    fn contradict(of: &[(&[i128], i128)]) -> bool {
        let conditions = conditions(of);
        let Some(found) = contradiction(&conditions) else { return false };
        let mut sum: Factors = Vec::new();
        let mut constant = 0;
        for &(at, multiple) in &found {
            assert!(multiple > 0, "{found:?}");
            sum = combined(&sum, 1, &conditions[at].factors, multiple).expect("small");
            constant += multiple * conditions[at].constant;
        }
        assert!(sum.is_empty() && constant < 0, "{found:?}");
        true
    }

    #[test]
    fn contradictions_add_up_to_a_negative_constant() {
        // x >= 3, y >= x, y <= 2
        assert!(contradict(&[(&[1], -3), (&[-1, 1], 0), (&[0, -1], 2)]));
        assert!(!contradict(&[(&[1], -3), (&[-1, 1], 0), (&[0, -1], 3)]));
        // 2x + 3y >= 7, x <= 1, y <= 1
        assert!(contradict(&[(&[2, 3], -7), (&[-1], 1), (&[0, -1], 1)]));
        assert!(!contradict(&[(&[2, 3], -5), (&[-1], 1), (&[0, -1], 1)]));
        assert!(contradict(&[(&[], -1)]) && !contradict(&[(&[], 0)]) && !contradict(&[]));
    }

    #[test]
    fn any_conditions_have_values_or_contradict_each_other() {
        // Compared with all values of a grid: where one of these fulfils all conditions there is no contradiction.
        let (mut dice, mut found) = (7u64, [0, 0]);
        for _ in 0..2000 {
            let mut next = |range: i128| {
                dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                i128::from(dice >> 40) % (2 * range + 1) - range
            };
            let rows: Vec<([i128; 3], i128)> =
                (0..6).map(|_| ([next(3), next(3), next(3)], next(4))).collect();
            let rows: Vec<(&[i128], i128)> = rows.iter().map(|(f, c)| (&f[..], *c)).collect();
            let holds = |x: [i128; 3]| {
                rows.iter().all(|(f, c)| f.iter().zip(x).map(|(f, x)| f * x).sum::<i128>() + c >= 0)
            };
            let grid = (-6..=6).flat_map(|a| (-6..=6).flat_map(move |b| (-6..=6).map(move |c| [a, b, c])));
            let possible = grid.into_iter().any(holds);
            let contradict = contradict(&rows);
            assert!(!(possible && contradict), "{rows:?}");
            found[usize::from(contradict)] += 1;
        }
        assert!(found[0] > 100 && found[1] > 100, "{found:?}");
    }
}
