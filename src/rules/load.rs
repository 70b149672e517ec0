//! From the text of a rule file to rules. Every mistake is an error with its place; nothing is skipped.
//!
//! The grammar is in `rules/README.md`.

use std::sync::Arc;

use hashbrown::HashSet;

use super::ast::{Cond, Hole, Pat, Rule, RuleOp, TypeClass, TypeRef, TypeVar};
use super::infer::{Finish, Raw, RawKind, Slot, Types, has_vectors, is_integer, shapes};
use super::sexp::{self, Fault, Node, Sexp};
use crate::diag::{Diagnostic, Span};
use crate::ir::DType;
use crate::ir::value::MathFn;

/// The rules of one file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RuleFile {
    /// Name of the set: the file's name without folders and `.rules`.
    pub set: Arc<str>,
    /// What the file says of the set.
    pub about: Arc<str>,
    /// Whether the set is on when nothing else is said.
    pub on: bool,
    /// Its rules, in order. At least one.
    pub rules: Vec<Rule>,
}

impl RuleFile {
    /// A file without rules.
    pub(super) fn named(file: &str) -> RuleFile {
        let stem = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let set = stem.strip_suffix(".rules").unwrap_or(stem).into();
        RuleFile { set, about: "".into(), on: true, rules: Vec::new() }
    }
}

/// Reads a rule file. `file` is its path, from which the set has its name, and which errors show.
///
/// # Errors
///
/// All mistakes, in order: one for each form at the top level, or one for an unbalanced text.
pub(crate) fn parse(file: &str, text: &str) -> Result<RuleFile, Vec<Diagnostic>> {
    let diagnose = |(span, message): Fault| diagnostic(file, text, span, message);
    let forms = sexp::read(text).map_err(|fault| vec![diagnose(fault)])?;
    let mut errors = Vec::new();
    let mut out = RuleFile::named(file);
    errors.extend(forms.first().and_then(|form| set_header(form, &mut out).err()).map(diagnose));
    let path: Arc<str> = file.into();
    let mut names: HashSet<&str> = HashSet::new();
    let mut lines = Lines { text, offset: 0, line: 1 };
    for (i, form) in forms.iter().enumerate() {
        let read = match head(form) {
            Ok("set") if i == 0 => Ok(()),
            Ok("set") => fail(form, "`(set …)` must be the first form of its file"),
            Ok("rule") => rule(form).and_then(|(mut rule, name)| {
                if !names.insert(name.atom().unwrap_or_default()) {
                    return fail(name, format!("there is a rule named `{}` already", rule.name));
                }
                rule.set = out.set.clone();
                rule.file = path.clone();
                rule.line = lines.at(name.span.start as usize);
                out.rules.push(rule);
                Ok(())
            }),
            Ok(other) => fail(form, format!("expected `(rule …)`, found `({other} …)`")),
            Err(_) => fail(form, "expected `(rule …)`"),
        };
        errors.extend(read.err().map(diagnose));
    }
    if forms.is_empty() || (out.rules.is_empty() && errors.is_empty()) {
        let end = text.trim_end().len() as u32;
        let message = "this file has no rule".to_owned();
        errors.push(diagnose((Span { start: end, end }, message)));
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

/// Counts lines from one place of a text to a later one.
struct Lines<'t> {
    text: &'t str,
    offset: usize,
    line: u32,
}

impl Lines<'_> {
    fn at(&mut self, offset: usize) -> u32 {
        let newlines = self.text.as_bytes()[self.offset..offset].iter().filter(|&&b| b == b'\n');
        self.line += newlines.count() as u32;
        self.offset = offset;
        self.line
    }
}

/// A message about a place of a text.
pub(super) fn diagnostic(file: &str, text: &str, span: Span, message: String) -> Diagnostic {
    let start = (span.start as usize).min(text.len());
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    Diagnostic {
        file: file.to_owned(),
        line: text[..start].matches('\n').count() as u32 + 1,
        column: text[line_start..start].chars().count() as u32 + 1,
        source_line: text[line_start..line_end].trim_end().to_owned(),
        message,
    }
}

/// `(set "about" [off])`; any other form says nothing of the set.
fn set_header(form: &Sexp<'_>, out: &mut RuleFile) -> Result<(), Fault> {
    let items = form.list().unwrap_or_default();
    match items {
        _ if head(form) != Ok("set") => {}
        [_, Sexp { node: Node::Text(about), .. }] => out.about = (*about).into(),
        [_, Sexp { node: Node::Text(about), .. }, Sexp { node: Node::Atom("off"), .. }] => {
            out.about = (*about).into();
            out.on = false;
        }
        _ => return fail(form, "expected `(set \"what it is about\")`, or with `off` behind the text"),
    }
    Ok(())
}

/// `(rule name "why" (types …) … (=> lhs rhs) (if …))`, with the node of its name.
pub(super) fn rule<'s, 't>(form: &'s Sexp<'t>) -> Result<(Rule, &'s Sexp<'t>), Fault> {
    let items = form.list().unwrap_or_default();
    let Some(name_node) = items.get(1) else {
        return fail(form, "expected the rule's name");
    };
    let name = match name_node.atom() {
        Some(name) if is_name(name) => name,
        _ => return fail(name_node, "expected the rule's name: letters, digits and `-`"),
    };
    let why = match items.get(2).map(|item| &item.node) {
        Some(Node::Text(why)) if !why.trim().is_empty() => *why,
        _ => {
            let at = items.get(2).unwrap_or(name_node);
            return fail(at, "expected one line in quotes that says why the rule holds");
        }
    };
    let mut build = Builder::default();
    let clauses = &items[3..];
    // Types first, so that clauses may stand in any order.
    for clause in clauses {
        match head(clause)? {
            "types" => build.main_types(clause)?,
            "type" | "of" | "=>" | "<=>" | "if" | "expensive" | "may-trap" | "fast-math" | "by-theory" => {}
            other => {
                let known = "`types`, `type`, `of`, `=>`, `<=>`, `if`, `expensive`, `may-trap`, `fast-math` or `by-theory`";
                return fail(clause, format!("expected {known}, found `{other}`"));
            }
        }
    }
    if build.vars.is_empty() {
        return fail(form, "expected `(types …)`: the types for which the rule holds");
    }
    for clause in clauses.iter().filter(|c| matches!(head(c), Ok("type"))) {
        build.more_types(clause)?;
    }
    for clause in clauses.iter().filter(|c| matches!(head(c), Ok("of"))) {
        build.of(clause)?;
    }
    let equation = one(clauses, &["=>", "<=>"], form)?;
    let Some(equation) = equation else {
        return fail(form, "expected `(=> left right)` or `(<=> left right)`");
    };
    let bidirectional = matches!(head(equation), Ok("<=>"));
    let [_, left, right] = equation.list().unwrap_or_default() else {
        return fail(equation, "an equation has a left and a right side");
    };
    build.allow_new = true;
    let lhs = build.pattern(left, false)?;
    let bound: Vec<usize> = (0..build.holes.len()).filter(|&h| build.holes[h].seen).collect();
    build.allow_new = false;
    let rhs = build.pattern(right, !bidirectional)?;
    build.unify(&rhs, lhs.slot, rhs.slot)?;
    if matches!(lhs.kind, RawKind::Hole(_)) || (bidirectional && matches!(rhs.kind, RawKind::Hole(_))) {
        let at = if matches!(lhs.kind, RawKind::Hole(_)) { left } else { right };
        return fail(at, "a lone hole matches everything: a rule must match an operator");
    }
    if bidirectional {
        for &hole in &bound {
            if !mentions(&rhs, hole) {
                let message = format!(
                    "`{}` is not on the right side, so that the rule cannot be used from right to left",
                    build.holes[hole].hole
                );
                return fail(right, message);
            }
        }
    }
    let mut conds = Vec::new();
    if let Some(clause) = one(clauses, &["if"], form)? {
        let list = &clause.list().unwrap_or_default()[1..];
        if list.is_empty() {
            return fail(clause, "expected a condition");
        }
        for item in list {
            conds.push((item, build.cond(item)?));
        }
    }
    let expensive = flag(clauses, "expensive", form)?;
    let may_trap = flag(clauses, "may-trap", form)?;
    let fast_math = flag(clauses, "fast-math", form)?;
    if fast_math && !build.vars[0].classes.iter().all(|class| *class == TypeClass::Float) {
        return fail(form, "`(fast-math)` is for rules about `float`");
    }
    let by_theory = flag(clauses, "by-theory", form)?;
    let rule = build.finish(name, why, (lhs, rhs), bidirectional, conds, form)?;
    Ok((Rule { expensive, may_trap, fast_math, by_theory, ..rule }, name_node))
}

/// Whether the clause `(name)` is there.
fn flag(clauses: &[Sexp<'_>], name: &str, form: &Sexp<'_>) -> Result<bool, Fault> {
    let clause = one(clauses, &[name], form)?;
    match clause.filter(|c| c.list().is_some_and(|l| l.len() > 1)) {
        Some(clause) => fail(clause, format!("`({name})` takes nothing")),
        None => Ok(clause.is_some()),
    }
}

/// The only clause with one of these heads, if there is one.
fn one<'s, 't>(
    clauses: &'s [Sexp<'t>],
    heads: &[&str],
    form: &Sexp<'_>,
) -> Result<Option<&'s Sexp<'t>>, Fault> {
    let mut found = clauses.iter().filter(|c| head(c).is_ok_and(|h| heads.contains(&h)));
    let first = found.next();
    match found.next() {
        Some(second) => fail(second, format!("there is a `({} …)` already", head(second).unwrap_or(""))),
        None if first.is_none() && form.list().is_none() => fail(form, "expected a list"),
        None => Ok(first),
    }
}

/// The atom that a clause begins with.
fn head<'t>(clause: &Sexp<'t>) -> Result<&'t str, Fault> {
    match clause.list().and_then(<[_]>::first).and_then(Sexp::atom) {
        Some(head) => Ok(head),
        None => fail(clause, "expected a clause such as `(types index)` or `(=> left right)`"),
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn mentions(raw: &Raw, hole: usize) -> bool {
    match &raw.kind {
        RawKind::Hole(other) => *other == hole,
        RawKind::Op(_, args) => args.iter().any(|arg| mentions(arg, hole)),
        RawKind::Cast(arg) => mentions(arg, hole),
        RawKind::Int(_) | RawKind::Float(_) | RawKind::Bool(_) | RawKind::Fold(_) => false,
    }
}

fn fail<T>(at: &Sexp<'_>, message: impl Into<String>) -> Result<T, Fault> {
    Err((at.span, message.into()))
}

struct HoleSlot {
    hole: Hole,
    slot: Slot,
    /// Stands in a pattern, not only in an `(of …)`.
    seen: bool,
    span: Span,
}

/// One rule while it is read.
#[derive(Default)]
struct Builder {
    vars: Vec<TypeVar>,
    holes: Vec<HoleSlot>,
    types: Types,
    /// Whether a hole that is new may be introduced: on the left side.
    allow_new: bool,
    uses_lanes: Option<Span>,
}

impl Builder {
    fn main_types(&mut self, clause: &Sexp<'_>) -> Result<(), Fault> {
        if !self.vars.is_empty() {
            return fail(clause, "there is a `(types …)` already");
        }
        self.type_var("t", &clause.list().unwrap_or_default()[1..], clause)
    }

    fn more_types(&mut self, clause: &Sexp<'_>) -> Result<(), Fault> {
        let items = clause.list().unwrap_or_default();
        match items.get(1).and_then(Sexp::atom).and_then(|a| a.strip_prefix('@')) {
            Some(name) if is_name(name) && self.vars.iter().all(|v| &*v.name != name) => {
                self.type_var(name, &items[2..], clause)
            }
            Some(name) if is_name(name) => fail(clause, format!("`@{name}` is declared already")),
            _ => fail(clause, "expected a type variable and its classes, as in `(type @u anyint)`"),
        }
    }

    fn type_var(&mut self, name: &str, classes: &[Sexp<'_>], clause: &Sexp<'_>) -> Result<(), Fault> {
        if classes.is_empty() {
            return fail(clause, format!("expected {}", class_names()));
        }
        let classes = classes.iter().map(type_class).collect::<Result<Vec<_>, _>>()?;
        self.vars.push(TypeVar { name: name.into(), classes });
        Ok(())
    }

    /// `(of @s ?x ?y …)`
    fn of(&mut self, clause: &Sexp<'_>) -> Result<(), Fault> {
        let items = clause.list().unwrap_or_default();
        let [_, ty, holes @ ..] = items else {
            return fail(clause, "expected a type and holes, as in `(of @s ?x)`");
        };
        if holes.is_empty() {
            return fail(clause, "expected a type and holes, as in `(of @s ?x)`");
        }
        let ty = self.type_ref(ty)?;
        self.allow_new = true;
        for item in holes {
            let hole = self.hole(item)?;
            let declared = self.types.of(ty);
            let slot = self.holes[hole].slot;
            self.unify_at(item.span, slot, declared)?;
        }
        Ok(())
    }

    fn type_ref(&self, item: &Sexp<'_>) -> Result<TypeRef, Fault> {
        let Some(text) = item.atom() else {
            return fail(item, "expected a type: `@t`, another declared variable, or a name such as `int32`");
        };
        if let Some(name) = text.strip_prefix('@') {
            return match self.vars.iter().position(|v| &*v.name == name) {
                Some(var) => Ok(self.var(var)),
                None => fail(item, format!("`@{name}` is not declared: add `(type @{name} …)` to the rule")),
            };
        }
        match type_class(item)? {
            TypeClass::Exactly(dtype) if dtype == DType::BOOL => Ok(TypeRef::Bool),
            TypeClass::Exactly(dtype) => Ok(TypeRef::Is(dtype)),
            TypeClass::Bool => Ok(TypeRef::Bool),
            _ => fail(item, format!("`{text}` is a class of types, where one type is expected")),
        }
    }

    /// A variable of class `bool` is just `bool`.
    fn var(&self, var: usize) -> TypeRef {
        if self.vars[var].classes == [TypeClass::Bool] { TypeRef::Bool } else { TypeRef::Var(var) }
    }

    fn unify(&mut self, at: &Raw, a: Slot, b: Slot) -> Result<(), Fault> {
        self.unify_at(at.span, a, b)
    }

    fn unify_at(&mut self, span: Span, a: Slot, b: Slot) -> Result<(), Fault> {
        self.types.unify(a, b).map_err(|(x, y)| {
            let name = |ty| match ty {
                TypeRef::Bool => "bool".to_owned(),
                TypeRef::Var(var) => format!("@{}", self.vars[var].name),
                TypeRef::Is(dtype) => dtype.to_string(),
            };
            (span, format!("types differ: `{}` and `{}`", name(x), name(y)))
        })
    }

    /// The hole that an atom names.
    fn hole(&mut self, item: &Sexp<'_>) -> Result<usize, Fault> {
        let text = item.atom().unwrap_or("");
        let (constant, name) = match (text.strip_prefix('?'), text.strip_prefix('#')) {
            (Some(name), _) => (false, name),
            (_, Some(name)) => (true, name),
            (None, None) => return fail(item, "expected a hole: `?x`, or `#c` for a constant"),
        };
        if !is_name(name) {
            return fail(item, format!("`{text}` is not a hole: a letter must follow `{}`", &text[..1]));
        }
        if let Some(found) = self.holes.iter().position(|h| &*h.hole.name == name) {
            if self.holes[found].hole.constant != constant {
                return fail(item, format!("`{name}` is both `?{name}` and `#{name}` in this rule"));
            }
            return Ok(found);
        }
        if !self.allow_new {
            return fail(item, format!("`{text}` is not on the left side"));
        }
        let hole = Hole { name: name.into(), constant, ty: TypeRef::Var(0), scalar: false };
        let slot = self.types.fresh();
        self.holes.push(HoleSlot { hole, slot, seen: false, span: item.span });
        Ok(self.holes.len() - 1)
    }

    /// A pattern; `fold` only where it is computed, not matched.
    fn pattern(&mut self, item: &Sexp<'_>, computed: bool) -> Result<Raw, Fault> {
        match &item.node {
            Node::Text(_) => fail(item, "a string is no pattern"),
            Node::Atom(text) => self.leaf(item, text),
            Node::List(list) => match list.first().map(|head| (head, head.atom())) {
                None => fail(item, "expected an operator"),
                Some((_, Some("cast"))) => self.cast(item, list, computed),
                Some((_, Some("fold"))) => {
                    if !computed {
                        return fail(item, "`fold` may stand only on the right side of `=>`");
                    }
                    let [_, term] = list.as_slice() else {
                        return fail(item, "`fold` takes one term");
                    };
                    let pat = self.term(term)?;
                    if let Some(open) = pat.holes().into_iter().find(|&h| !self.holes[h].hole.constant) {
                        let name = &self.holes[open].hole;
                        return fail(term, format!("`{name}` is not a constant, so it cannot be folded"));
                    }
                    let compares = matches!(&pat, Pat::Op(RuleOp::Bin(op), _) if op.is_compare());
                    let slot = if compares { self.types.of(TypeRef::Bool) } else { self.types.fresh() };
                    Ok(Raw { kind: RawKind::Fold(pat), slot, span: item.span })
                }
                Some((head, name)) => self.op(item, head, name, &list[1..], computed),
            },
        }
    }

    fn leaf(&mut self, item: &Sexp<'_>, text: &str) -> Result<Raw, Fault> {
        let (kind, slot) = if text.starts_with(['?', '#']) {
            let hole = self.hole(item)?;
            self.holes[hole].seen |= self.allow_new;
            if !self.holes[hole].seen {
                return fail(item, format!("`{text}` is not on the left side"));
            }
            (RawKind::Hole(hole), self.holes[hole].slot)
        } else if let Ok(value) = text.parse::<i64>() {
            (RawKind::Int(value), self.types.fresh())
        } else if let Some(value) = float(text) {
            (RawKind::Float(value.to_bits()), self.types.fresh())
        } else if let "true" | "false" = text {
            (RawKind::Bool(text == "true"), self.types.of(TypeRef::Bool))
        } else if is_name(text) {
            return fail(item, format!("`{text}` is not a constant; a hole is written `?{text}`"));
        } else {
            return fail(item, format!("`{text}` is neither a hole nor a constant"));
        };
        Ok(Raw { kind, slot, span: item.span })
    }

    fn cast(&mut self, item: &Sexp<'_>, list: &[Sexp<'_>], computed: bool) -> Result<Raw, Fault> {
        let [_, ty, arg] = list else {
            return fail(item, "`cast` takes a type and an operand, as in `(cast @t ?x)`");
        };
        let ty = self.type_ref(ty)?;
        let arg = self.pattern(arg, computed)?;
        self.types.below_cast(arg.slot);
        let slot = self.types.of(ty);
        Ok(Raw { kind: RawKind::Cast(Box::new(arg)), slot, span: item.span })
    }

    fn op(
        &mut self,
        item: &Sexp<'_>,
        head: &Sexp<'_>,
        name: Option<&str>,
        args: &[Sexp<'_>],
        computed: bool,
    ) -> Result<Raw, Fault> {
        let Some(name) = name else {
            return fail(head, "expected an operator");
        };
        let Some(op) = RuleOp::by_name(name) else {
            return fail(head, format!("unknown operator `{name}`"));
        };
        if args.len() != op.arity() {
            let message = format!("`{name}` takes {} operands, found {}", op.arity(), args.len());
            return fail(item, message);
        }
        let args = args.iter().map(|arg| self.pattern(arg, computed)).collect::<Result<Vec<_>, _>>()?;
        let last = args[args.len() - 1].slot;
        let boolean = self.types.of(TypeRef::Bool);
        let slot = match op {
            RuleOp::Bin(bin) => {
                self.unify(&args[1], args[0].slot, last)?;
                if bin.is_logic() {
                    self.unify(&args[1], last, boolean)?;
                }
                if bin.is_compare() { boolean } else { last }
            }
            RuleOp::Not | RuleOp::Likely => {
                self.unify(&args[0], last, boolean)?;
                boolean
            }
            RuleOp::Select | RuleOp::IfThenElse => {
                self.unify(&args[0], args[0].slot, boolean)?;
                self.unify(&args[2], args[1].slot, last)?;
                last
            }
            RuleOp::Broadcast => last,
            RuleOp::Math(_) | RuleOp::Ramp => {
                for arg in &args[1..] {
                    self.unify(arg, args[0].slot, arg.slot)?;
                }
                last
            }
        };
        Ok(Raw { kind: RawKind::Op(op, args), slot, span: item.span })
    }

    /// A term of a condition or a `fold`: integers, holes, arithmetic.
    fn term(&mut self, item: &Sexp<'_>) -> Result<Pat, Fault> {
        match &item.node {
            Node::Text(_) => fail(item, "a string is no term"),
            Node::Atom("lanes") => {
                self.uses_lanes = Some(item.span);
                Ok(Pat::Lanes)
            }
            Node::Atom(text) => match self.leaf(item, text)?.kind {
                RawKind::Hole(hole) => Ok(Pat::Hole(hole)),
                RawKind::Int(value) => Ok(Pat::Int(value, TypeRef::Var(0))),
                _ => fail(item, format!("`{text}` is not an integer: terms are over integers")),
            },
            Node::List(list) => {
                let Some(name) = list.first().and_then(Sexp::atom) else {
                    return fail(item, "expected an operator");
                };
                let op = match RuleOp::by_name(name) {
                    Some(RuleOp::Bin(op)) if !op.is_logic() => RuleOp::Bin(op),
                    Some(op @ RuleOp::Math(MathFn::ShiftLeft)) => op,
                    Some(_) => return fail(&list[0], format!("`{name}` cannot be computed here")),
                    None => return fail(&list[0], format!("unknown operator `{name}`")),
                };
                if list.len() != 3 {
                    let message = format!("`{name}` takes 2 operands, found {}", list.len() - 1);
                    return fail(item, message);
                }
                let args = list[1..].iter().map(|arg| self.term(arg)).collect::<Result<Vec<_>, _>>()?;
                Ok(Pat::Op(op, args))
            }
        }
    }

    fn cond(&mut self, item: &Sexp<'_>) -> Result<Cond, Fault> {
        let list = item.list().unwrap_or_default();
        let Some(name) = list.first().and_then(Sexp::atom) else {
            return fail(item, "expected a condition such as `(nonzero #c)`");
        };
        let Some(&(name, arity)) = Cond::NAMES.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = Cond::NAMES.iter().map(|(name, _)| *name).collect();
            return fail(&list[0], format!("unknown condition `{name}`: expected {}", known.join(", ")));
        };
        if list.len() != arity + 1 {
            return fail(item, format!("`{name}` takes {arity} operands, found {}", list.len() - 1));
        }
        if let "total" | "const" = name {
            let RawKind::Hole(hole) = self.leaf(&list[1], list[1].atom().unwrap_or("("))?.kind else {
                return fail(&list[1], format!("`{name}` takes a hole"));
            };
            return Ok(if name == "total" { Cond::Total(hole) } else { Cond::Const(hole) });
        }
        if name == "nowider" {
            return Ok(Cond::NoWider(self.type_ref(&list[1])?, self.type_ref(&list[2])?));
        }
        let a = self.comparison_free(&list[1])?;
        if name == "fits" {
            return Ok(Cond::Fits(a, self.type_ref(&list[2])?));
        }
        let b = list.get(2).map(|item| self.comparison_free(item)).transpose()?;
        match (name, b) {
            ("nonzero", None) => Ok(Cond::Nonzero(a)),
            ("positive", None) => Ok(Cond::Positive(a)),
            ("nonnegative", None) => Ok(Cond::Nonnegative(a)),
            ("negative", None) => Ok(Cond::Negative(a)),
            ("nonpositive", None) => Ok(Cond::Nonpositive(a)),
            ("pow2", None) => Ok(Cond::Pow2(a)),
            ("lt", Some(b)) => Ok(Cond::Lt(a, b)),
            ("le", Some(b)) => Ok(Cond::Le(a, b)),
            ("gt", Some(b)) => Ok(Cond::Lt(b, a)),
            ("ge", Some(b)) => Ok(Cond::Le(b, a)),
            ("eq", Some(b)) => Ok(Cond::Eq(a, b)),
            ("ne", Some(b)) => Ok(Cond::Ne(a, b)),
            ("divides", Some(b)) => Ok(Cond::Divides(a, b)),
            _ => fail(item, format!("`{name}` cannot be read")),
        }
    }

    /// A term that is a number, not a truth value.
    fn comparison_free(&mut self, item: &Sexp<'_>) -> Result<Pat, Fault> {
        let pat = self.term(item)?;
        let mut compares = false;
        pat.walk(&mut |p| compares |= matches!(p, Pat::Op(RuleOp::Bin(op), _) if op.is_compare()));
        if compares { fail(item, "a number is expected here, not a comparison") } else { Ok(pat) }
    }

    fn finish(
        mut self,
        name: &str,
        why: &str,
        (lhs, rhs): (Raw, Raw),
        bidirectional: bool,
        conds: Vec<(&Sexp<'_>, Cond)>,
        form: &Sexp<'_>,
    ) -> Result<Rule, Fault> {
        if let Some(unused) = self.holes.iter().find(|h| !h.seen) {
            return Err((unused.span, format!("`{}` is not on the left side", unused.hole)));
        }
        let vector = has_vectors(&lhs) || has_vectors(&rhs);
        let mut scalar = vec![None; self.holes.len()];
        if vector {
            shapes(&lhs, false, &mut scalar)?;
            shapes(&rhs, false, &mut scalar)?;
        } else if let Some(span) = self.uses_lanes {
            return Err((
                span,
                "`lanes` has a meaning only where there is a `ramp` or `broadcast`".to_owned(),
            ));
        }
        let default = self.var(0);
        for (hole, scalar) in self.holes.iter_mut().zip(scalar) {
            hole.hole.ty = self.types.get(hole.slot).unwrap_or(default);
            hole.hole.scalar = scalar.unwrap_or(false);
        }
        let holes: Vec<Hole> = self.holes.iter().map(|h| h.hole.clone()).collect();
        let finish = Finish { types: &self.types, vars: &self.vars, holes: &holes, default };
        finish.check_casts(&lhs)?;
        finish.check_casts(&rhs)?;
        let (lhs, rhs) = (finish.pat(&lhs)?, finish.pat(&rhs)?);
        for (item, cond) in &conds {
            if matches!(cond, Cond::Total(_) | Cond::Const(_)) {
                continue;
            }
            for hole in cond.holes() {
                let hole = &finish.holes[hole];
                if !finish.all(hole.ty, |class| is_integer(class) || class == TypeClass::Bool) {
                    return fail(item, format!("conditions are about integers, and `{hole}` may be none"));
                }
            }
        }
        Ok(Rule {
            name: name.into(),
            set: "".into(),
            why: why.into(),
            types: self.vars,
            holes,
            lhs,
            rhs,
            bidirectional,
            conds: conds.into_iter().map(|(_, cond)| cond).collect(),
            expensive: false,
            may_trap: false,
            fast_math: false,
            by_theory: false,
            vector,
            file: "".into(),
            line: 0,
            span: form.span,
        })
    }
}

/// A float: digits with a point, to tell it from an integer.
fn float(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.contains('.') && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    if plain { text.parse().ok() } else { None }
}

fn type_class(item: &Sexp<'_>) -> Result<TypeClass, Fault> {
    let text = item.atom().unwrap_or("");
    TypeClass::named(text)
        .map_or_else(|| fail(item, format!("unknown type `{text}`: expected {}", class_names())), Ok)
}

fn class_names() -> String {
    let names: Vec<String> = TypeClass::NAMED.iter().map(|(name, _)| format!("`{name}`")).collect();
    format!("{} or a scalar type such as `int32`", names.join(", "))
}

#[cfg(test)]
mod tests;
