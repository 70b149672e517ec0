//! Candidates: variables solved from equations between sums.
//!
//! Each equation is `0 = row`. One with a single unknown is solved for it, a row of unknowns of different weights is
//! taken apart into digits (`8*i + j` with `0 <= j < 8`), and what is left is eliminated with unit pivots. An unknown is
//! any atom that depends on the variables: a quotient of a variable is one of its own until the variable is known.

use super::super::{Interval, Residue, transfer};
use super::sum::{Atom, Atoms, Product, Sum};
use crate::ir::{Expr, ExprKind, VarId};

/// The most steps of one solution.
const MAX_STEPS: usize = 64;

/// Solves `targets[k] = values[k]` for variables, as far as that goes; the ranges are those of all variables. Nothing is
/// proven: a value is right only if a proof says so.
pub(crate) fn candidates(
    equations: &[(Expr, Expr)],
    unknowns: &[VarId],
    ranges: &[Interval],
) -> Vec<(VarId, Expr)> {
    let Some(dtype) = equations.first().map(|(target, _)| target.dtype) else { return Vec::new() };
    if !dtype.is_index() || !dtype.is_scalar() {
        return Vec::new();
    }
    let mut atoms = Atoms::new(dtype);
    let mut rows = Vec::new();
    for (target, value) in equations {
        // What gets too long is left out.
        if let (Some(target), Some(value)) = (atoms.sum_of(target), atoms.sum_of(value))
            && let Some(row) = value.plus(&target, -1)
        {
            rows.push(row);
        }
    }
    let mut solver = Solver { atoms, rows, solved: Vec::new(), unknowns, ranges };
    // A variable with one value needs no equation.
    for &var in unknowns {
        let value = ranges.get(var.index()).and_then(|range| range.as_point());
        if let Some(value) = value
            && let Some(sum) = solver.atoms.sum_of(&Expr::var(var, dtype))
            && let Some((atom, ..)) = solver.single(&sum)
            && solver.replace(atom, &Sum::constant(value)).is_none()
        {
            return Vec::new();
        }
    }
    for _ in 0..MAX_STEPS {
        let Some((atom, value)) = solver.step() else { break };
        if solver.replace(atom, &value).is_none() {
            break;
        }
    }
    solver.values()
}

struct Solver<'a> {
    atoms: Atoms,
    rows: Vec<Sum>,
    /// Atoms with their values, in which those solved later may occur no more.
    solved: Vec<(Atom, Sum)>,
    unknowns: &'a [VarId],
    ranges: &'a [Interval],
}

impl Solver<'_> {
    /// Whether an atom depends on what is solved for.
    fn is_unknown(&self, atom: Atom) -> bool {
        mentions(self.atoms.expr(atom), self.unknowns)
    }

    /// The terms of a row that depend on what is solved for.
    fn unknown_part(&self, row: &Sum) -> (Sum, Sum) {
        row.split(|product| product.iter().any(|&atom| self.is_unknown(atom)))
    }

    /// The next atom that can be solved, with its value.
    fn step(&mut self) -> Option<(Atom, Sum)> {
        for at in 0..self.rows.len() {
            let (unknown, known) = self.unknown_part(&self.rows[at]);
            if let Some((atom, weight, c)) = self.single(&unknown) {
                self.rows.remove(at);
                // 0 = weight * c * atom + known
                let value = self.divided(&known.times(&Sum::constant(-1))?, &weight, c)?;
                return Some((atom, value));
            }
        }
        for at in 0..self.rows.len() {
            let (unknown, known) = self.unknown_part(&self.rows[at]);
            if let Some((atom, weight, c, lowest)) = self.leading_digit(&unknown) {
                let target = known.times(&Sum::constant(-1))?;
                let value = self.divided(&target.plus(&Sum::constant(lowest), -1)?, &weight, c)?;
                return Some((atom, value));
            }
        }
        for at in 0..self.rows.len() {
            let (unknown, _) = self.unknown_part(&self.rows[at]);
            if let Some((atom, sign)) = self.unit_pivot(&unknown) {
                let row = self.rows.remove(at);
                let rest = row.plus(&Sum::atom(atom), -sign)?;
                return Some((atom, rest.times(&Sum::constant(-sign))?));
            }
        }
        None
    }

    /// The only unknown of a row, its known factor, and its coefficient.
    fn single(&self, unknown: &Sum) -> Option<(Atom, Product, i64)> {
        let mut terms = unknown.terms();
        match (terms.next(), terms.next()) {
            (Some((product, c)), None) => self.linear(product).map(|(atom, weight)| (atom, weight, c)),
            _ => None,
        }
    }

    /// The unknown of a product that has one, once, and the other factors.
    fn linear(&self, product: &Product) -> Option<(Atom, Product)> {
        let (unknown, known): (Vec<Atom>, Vec<Atom>) =
            product.iter().partition(|&&atom| self.is_unknown(atom));
        (unknown.len() == 1).then(|| (unknown[0], Product::from_vec(known)))
    }

    /// The unknown of greatest weight, if all others of the row together stay below one step of it; with its known factor,
    /// its coefficient, and the least value of the others.
    fn leading_digit(&self, unknown: &Sum) -> Option<(Atom, Product, i64, i64)> {
        let mut terms: Vec<(Atom, Product, i64)> = Vec::new();
        for (product, c) in unknown.terms() {
            let (atom, weight) = self.linear(product)?;
            if c <= 0 || terms.iter().any(|(other, ..)| *other == atom) {
                return None;
            }
            terms.push((atom, weight, c));
        }
        terms.sort_by_key(|(_, weight, c)| (weight.len(), *c));
        let (atom, weight, c) = terms.pop()?;
        let mut rest = Interval::point(0);
        for (atom, weight, c) in &terms {
            if weight.is_empty() {
                rest = rest.add(self.range(self.atoms.expr(*atom)).mul(Interval::point(*c)));
            } else {
                return None;
            }
        }
        if !weight.is_empty() {
            // What is below one step of a weight that is no number is left to the proof.
            return rest.lo().or(Some(0)).map(|lowest| (atom, weight, c, lowest));
        }
        let (lo, hi) = (rest.lo()?, rest.hi()?);
        (hi.checked_sub(lo)? < c).then_some((atom, weight, c, lo))
    }

    /// An unknown that occurs once in a row, by itself, with coefficient 1 or -1.
    fn unit_pivot(&self, unknown: &Sum) -> Option<(Atom, i64)> {
        let mut found: Option<(Atom, i64, bool)> = None;
        for (product, c) in unknown.terms() {
            let [atom] = product[..] else { continue };
            let occurs = unknown.terms().filter(|(product, _)| product.contains(&atom)).count();
            // An atom inside of which another unknown of the row stands would come back with its value.
            if c.abs() == 1 && occurs == 1 && !self.occurs_inside(atom, unknown) {
                // What is left of other rows without a quotient speaks of variables.
                let is_variable = self.atoms.expr(atom).as_var().is_some();
                if found.is_none_or(|(_, _, other)| other && !is_variable) {
                    found = Some((atom, c, is_variable));
                }
            }
        }
        found.map(|(atom, c, _)| (atom, c))
    }

    /// Whether a variable stands within another atom of the sum.
    fn occurs_inside(&self, atom: Atom, sum: &Sum) -> bool {
        let Some(var) = self.atoms.expr(atom).as_var() else { return false };
        sum.terms()
            .flat_map(|(product, _)| product.iter())
            .any(|&other| other != atom && mentions(self.atoms.expr(other), &[var]))
    }

    /// `floor(n / (weight * c))`, for an equation with `weight * c * unknown`.
    fn divided(&mut self, n: &Sum, weight: &Product, c: i64) -> Option<Sum> {
        let (n, c) = if c < 0 { (n.times(&Sum::constant(-1))?, c.checked_neg()?) } else { (n.clone(), c) };
        if weight.is_empty() && c == 1 {
            return Some(n);
        }
        self.atoms.quotient(&n, &Sum::term(weight.clone(), c))
    }

    /// Puts the value of an atom into all rows and values.
    fn replace(&mut self, atom: Atom, value: &Sum) -> Option<()> {
        for row in &mut self.rows {
            *row = row.substitute(atom, value)?;
        }
        for (_, solved) in &mut self.solved {
            *solved = solved.substitute(atom, value)?;
        }
        self.solved.push((atom, value.clone()));
        // A variable that is known now makes atoms known in which it stands.
        if let Some(var) = self.atoms.expr(atom).as_var() {
            let value = self.atoms.build(value);
            for at in 0..self.rows.len() {
                self.rows[at] = self.within(&self.rows[at].clone(), var, &value)?;
            }
            for at in 0..self.solved.len() {
                self.solved[at].1 = self.within(&self.solved[at].1.clone(), var, &value)?;
            }
        }
        Some(())
    }

    /// The sum with `value` in place of a variable also within atoms.
    fn within(&mut self, sum: &Sum, var: VarId, value: &Expr) -> Option<Sum> {
        let mut result = sum.clone();
        let atoms: Vec<Atom> = sum.terms().flat_map(|(product, _)| product.iter().copied()).collect();
        for atom in atoms {
            if mentions(self.atoms.expr(atom), &[var]) {
                let mut e = self.atoms.expr(atom).clone();
                e.substitute(&|v| (v == var).then_some(value));
                let inner = self.atoms.sum_of(&e)?;
                result = result.substitute(atom, &inner)?;
            }
        }
        Some(result)
    }

    /// The variables whose values depend on nothing that is solved for.
    fn values(&self) -> Vec<(VarId, Expr)> {
        let mut values = Vec::new();
        for &var in self.unknowns {
            let own = self.solved.iter().find(|(atom, _)| self.atoms.expr(*atom).as_var() == Some(var));
            if let Some((_, sum)) = own {
                let value = self.atoms.build(sum);
                if !mentions(&value, self.unknowns) {
                    values.push((var, value));
                }
            }
        }
        values
    }

    /// The range of an expression of variables.
    fn range(&self, e: &Expr) -> Interval {
        range(e, self.ranges)
    }
}

/// A range of an integer expression from ranges of its variables.
pub(crate) fn range(e: &Expr, ranges: &[Interval]) -> Interval {
    range_by(e, &|var| ranges.get(var.index()).copied().unwrap_or(Interval::ALL))
}

/// The same, by a function that tells the ranges of variables.
pub(crate) fn range_by(e: &Expr, range_of: &impl Fn(VarId) -> Interval) -> Interval {
    match &e.kind {
        ExprKind::Int(v) => Interval::point(*v),
        ExprKind::Var(var) => range_of(*var),
        ExprKind::Binary(op, a, b) if e.dtype.is_index() && a.dtype.is_index() => {
            transfer::interval(*op, range_by(a, range_of), range_by(b, range_of)).unwrap_or(Interval::ALL)
        }
        _ => Interval::ALL,
    }
}

/// What an index expression is modulo something, whatever its variables are.
pub(crate) fn residue(e: &Expr) -> Residue {
    match &e.kind {
        ExprKind::Int(v) => Residue::point(*v),
        ExprKind::Binary(op, a, b) if e.dtype.is_index() && a.dtype.is_index() => {
            let divisor = b.as_int().filter(|&divisor| divisor > 0);
            transfer::residue(*op, residue(a), residue(b), divisor)
        }
        _ => Residue::ALL,
    }
}

/// Whether one of the variables occurs.
pub(crate) fn mentions(e: &Expr, vars: &[VarId]) -> bool {
    e.mentions(|var| vars.contains(&var))
}
