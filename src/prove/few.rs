//! Conditions on few values: what holds for the same ones of them is one condition, however it is written. So
//! `x - 2 * ((2*x + 5*(x // 2) + 4*i) // 9) >= 0` and `4 - x % 2 - 2*i >= 0` are one term for small `x` and `i`.

use hashbrown::HashMap;

use super::term::{Node, Term, Terms, Variable};

/// Most combinations of values that a condition is looked at for.
const FEW: usize = 256;

/// Most free values that such a condition depends on.
const MAX_FREE: usize = 3;

impl Terms {
    /// The condition that stands for all that hold for the same values, if it depends on few of them; else the condition itself.
    pub(super) fn on_few_values(&mut self, condition: Term) -> Term {
        let Some((variables, plain)) = self.few_variables(condition) else { return condition };
        let Some(table) = self.table(condition, &variables) else { return condition };
        let all = variables.len();
        let (variables, table) = needed(variables, table);
        match (&variables[..], &table[..]) {
            (_, &[holds]) => self.truth(holds),
            _ if plain && variables.len() == all => {
                self.tables.insert((variables, table), condition);
                condition
            }
            _ => {
                let known = self.tables.get(&(variables.clone(), table.clone())).copied();
                known.unwrap_or_else(|| {
                    let simple = match variables[..] {
                        [variable] => self.compared(variable, &table),
                        _ => None,
                    };
                    let made = simple.unwrap_or(condition);
                    self.tables.insert((variables, table), made);
                    made
                })
            }
        }
    }

    /// The free values of a condition, if there are few, and whether nothing is done with them but to add them.
    fn few_variables(&self, condition: Term) -> Option<(Vec<Variable>, bool)> {
        let (mut seen, mut open) = (hashbrown::HashSet::new(), vec![condition]);
        let (mut found, mut plain, mut combinations) = (Vec::new(), true, 1usize);
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.node(term) {
                Node::Atom(_) | Node::Lane(..) => {
                    let range = self.range(term);
                    let (lo, hi) = (range.lo?, range.hi?);
                    let values = usize::try_from(hi.checked_sub(lo)?.checked_add(1)?).ok()?;
                    combinations = combinations.checked_mul(values).filter(|&n| n <= FEW)?;
                    found.push((term, lo, hi));
                    if found.len() > MAX_FREE {
                        return None;
                    }
                }
                Node::Apply(..)
                | Node::Whole(..)
                | Node::Load { .. }
                | Node::Memory(_)
                | Node::Store { .. } => {
                    return None;
                }
                node => {
                    plain &=
                        matches!(node, Node::Int(_) | Node::Sum(_) | Node::NotNegative(_) | Node::IsZero(_));
                    self.for_each_part(term, |part| open.push(part));
                }
            }
        }
        found.sort_unstable();
        Some((found, plain))
    }

    /// For which values a condition holds, those of the last variable one after the other.
    fn table(&self, condition: Term, variables: &[Variable]) -> Option<Vec<bool>> {
        let mut values: Vec<i128> = variables.iter().map(|&(_, lo, _)| lo).collect();
        let mut table = Vec::new();
        loop {
            let value = |term: Term| {
                let at = variables.iter().position(|&(variable, ..)| variable == term)?;
                values.get(at).copied()
            };
            table.push(self.evaluated(condition, &value, &mut HashMap::new())? != 0);
            let next = (0..values.len()).rev().find(|&at| values[at] < variables[at].2);
            let Some(next) = next else { return Some(table) };
            values[next] += 1;
            for (value, &(_, lo, _)) in values.iter_mut().zip(variables).skip(next + 1) {
                *value = lo;
            }
        }
    }

    /// The comparison of one variable with a constant that holds for these values of it.
    fn compared(&mut self, (variable, lo, _): Variable, table: &[bool]) -> Option<Term> {
        let constant =
            |terms: &mut Terms, at: usize| Some(terms.int(lo.checked_add(i128::try_from(at).ok()?)?));
        for one in [true, false] {
            if table.iter().filter(|&&holds| holds == one).count() == 1 {
                let at = table.iter().position(|&holds| holds == one)?;
                let value = constant(self, at)?;
                let equal = self.equal(variable, value);
                return Some(if one { equal } else { self.not(equal) });
            }
        }
        let first = table.iter().position(|&holds| holds != table[0])?;
        if table[first..].iter().any(|&holds| holds == table[0]) {
            return None;
        }
        let end = constant(self, first)?;
        Some(if table[0] { self.less(variable, end) } else { self.at_most(end, variable) })
    }
}

/// The variables on which a table depends, and the table by these.
fn needed(mut variables: Vec<Variable>, mut table: Vec<bool>) -> (Vec<Variable>, Vec<bool>) {
    let mut after = 1;
    for at in (0..variables.len()).rev() {
        let own = count(variables[at]);
        let same = table
            .chunks(own * after)
            .all(|chunk| chunk.chunks(after).all(|values| values == &chunk[..after]));
        if same {
            table = table.chunks(own * after).flat_map(|chunk| chunk[..after].to_vec()).collect();
            variables.remove(at);
        } else {
            after *= own;
        }
    }
    (variables, table)
}

fn count((_, lo, hi): Variable) -> usize {
    usize::try_from(hi - lo + 1).unwrap_or(1)
}
