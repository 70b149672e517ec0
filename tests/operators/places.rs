//! Where operators are told apart: the files that say something about each of them, which are those that a new operator
//! touches, and the matches with a catch-all, which would take a new operator without a word.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use satir::ir::BinOp;
use satir::ir::value::MathFn;
use syn::visit::{self, Visit};

/// The files that a new binary operator touches, besides tests and documents.
const BINARY: [&str; 8] = [
    "src/ir/op.rs",
    "src/ir/value/int.rs",
    "src/ir/value/float.rs",
    "src/script/fold.rs",
    "src/arith/transfer.rs",
    "src/rules/check/eval.rs",
    "src/rules/check/smt/terms.rs",
    "src/fuzz/generate/integer.rs",
];

/// The files that a new function of integers touches, which is an intrinsic of TVM: with `src/rules/ast.rs` rules can be
/// about it.
const FUNCTION: [&str; 7] = [
    "src/ir/intrin.rs",
    "src/ir/value/math.rs",
    "src/arith/transfer.rs",
    "src/rules/ast.rs",
    "src/rules/check/eval.rs",
    "src/rules/check/smt/terms.rs",
    "src/fuzz/generate/integer.rs",
];

/// The modules that give operators their meaning. All others are about certain operators, and have nothing to say of one
/// that is new.
const MEANING: [&str; 8] = ["ir", "script", "verify", "cost", "interp", "arith", "rules", "egraph"];

/// The matches with a catch-all in those modules, by file. Each has a default that is right for every operator: "nothing
/// is known", "not of this kind", or the general way. Of a condition that
/// is no comparison or no connective, assumptions are not repaired; an operator that is not named decides nothing of an undefined operand.
const CATCH_ALLS: &[(&str, usize)] = &[
    ("src/arith/invert/sum.rs", 1),
    ("src/arith/linear/translate.rs", 3),
    ("src/arith/poly.rs", 1),
    ("src/cost/frequency.rs", 2),
    ("src/cost/guards.rs", 8),
    ("src/egraph/proof.rs", 1),
    ("src/egraph/transfer.rs", 1),
    ("src/interp/compile/assume.rs", 4),
    ("src/interp/compile/expr.rs", 1),
    ("src/interp/undef.rs", 1),
    ("src/ir/op.rs", 1),
    ("src/ir/value/int.rs", 2),
    ("src/ir/value/lanes.rs", 2),
    ("src/ir/value/math.rs", 4),
    ("src/rules/ast.rs", 1),
    ("src/rules/check/brute.rs", 1),
    ("src/rules/check/eval.rs", 2),
    ("src/rules/check/smt/encode.rs", 5),
    ("src/rules/check/smt/terms.rs", 2),
    ("src/rules/exchange.rs", 2),
    ("src/rules/head.rs", 1),
    ("src/script/fold.rs", 2),
];

/// The enums of operators, and how many each has. Those of rules have most of theirs from the other two.
const OPERATORS: [(&str, usize); 3] =
    [("BinOp", BinOp::ALL.len()), ("MathFn", MathFn::ALL.len()), ("RuleOp", usize::MAX)];

#[test]
fn no_other_file_tells_all_operators_apart() {
    let found = matches_of_the_source();
    for (operators, files) in [("BinOp", &BINARY[..]), ("MathFn", &FUNCTION[..])] {
        assert!(files.len() <= 9);
        for found in found.iter().filter(|found| found.complete == Some(operators)) {
            assert!(
                files.contains(&&*found.file),
                "{}:{}: a new operator would have to be added here: let it follow from the table in src/ir",
                found.file,
                found.line
            );
        }
        for file in files {
            let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
            let enums = ["BinOp::", "MathFn::", "RuleOp::", "popcount", "shift_left"];
            assert!(enums.iter().any(|name| text.contains(name)), "{file} names no operator");
        }
    }
    let documented =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let how_to = documented.split("## Adding an operator").nth(1).expect("ARCHITECTURE.md says how");
    for file in BINARY.iter().chain(&FUNCTION) {
        assert!(how_to.contains(file), "ARCHITECTURE.md does not name {file}");
    }
}

#[test]
fn no_new_catch_all_hides_operators() {
    let mut catch_alls: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for found in matches_of_the_source().into_iter().filter(|found| found.catch_all) {
        let module = found.file.split('/').nth(1).unwrap_or_default().trim_end_matches(".rs").to_owned();
        if MEANING.contains(&&*module) {
            catch_alls.entry(found.file).or_default().push(found.line);
        }
    }
    let allowed: BTreeMap<&str, usize> = CATCH_ALLS.iter().copied().collect();
    let files: BTreeSet<&str> =
        catch_alls.keys().map(String::as_str).chain(allowed.keys().copied()).collect();
    let mut errors = Vec::new();
    for file in files {
        let lines = catch_alls.get(file).map_or(&[][..], Vec::as_slice);
        let most = allowed.get(file).copied().unwrap_or(0);
        if lines.len() > most {
            errors.push(format!(
                "(\"{file}\", {}): a catch-all over operators more, of lines {lines:?}",
                lines.len()
            ));
        } else if lines.len() < most {
            errors.push(format!("(\"{file}\", {}): now has fewer than the list says", lines.len()));
        }
    }
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

#[test]
fn matches_are_seen_as_what_they_are() {
    let found = |text: &str| {
        let mut reader = Reader::new("a.rs");
        reader.visit_file(&syn::parse_file(text).unwrap());
        reader.found.into_iter().map(|m| (m.catch_all, m.complete)).collect::<Vec<_>>()
    };
    assert_eq!(found("fn f() { match op { BinOp::Add => 1, _ => 2 } }"), [(true, None)]);
    assert_eq!(found("fn f() { match (op, a) { (BinOp::Add, 1) => 1, (_, _) => 2 } }"), [(true, None)]);
    assert_eq!(found("fn f() { match op { BinOp::Add => 1, other => 2 } }"), [(true, None)]);
    let all: String = BinOp::ALL.iter().map(|op| format!("BinOp::{op:?} => 1,")).collect();
    assert_eq!(found(&format!("fn f() {{ match op {{ {all} }} }}")), [(false, Some("BinOp"))]);
    let guarded = "fn f() { match op { MathFn::A => 1, x if x.even() => 2, MathFn::B => 3 } }";
    assert_eq!(found(guarded), [(false, None)]);
    assert_eq!(found("fn f() { match e { Kind::A => 1, _ => 2 } }"), []);
    assert_eq!(found("#[cfg(test)] mod tests { fn f() { match op { BinOp::Add => 1, _ => 2 } } }"), []);
}

/// A match that names operators.
struct Found {
    file: String,
    line: usize,
    /// Whether an arm takes all that no other arm does.
    catch_all: bool,
    /// The enum of which it has an arm for every operator.
    complete: Option<&'static str>,
}

/// All matches on operators in the source, tests aside.
fn matches_of_the_source() -> Vec<Found> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "tests") {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        } else if path.extension().is_some_and(|e| e == "rs")
            && path.file_name().is_some_and(|n| n != "tests.rs")
        {
            let name =
                path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_str().unwrap().replace('\\', "/");
            let mut reader = Reader::new(&name);
            reader.visit_file(&syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap());
            found.append(&mut reader.found);
        }
    }
    found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    found
}

struct Reader {
    file: String,
    found: Vec<Found>,
}

impl Reader {
    fn new(file: &str) -> Reader {
        Reader { file: file.to_owned(), found: Vec::new() }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        let mut named = Named::default();
        e.arms.iter().for_each(|arm| named.visit_pat(&arm.pat));
        if OPERATORS.iter().any(|(name, _)| named.count(name) > 0) {
            // A pattern with a condition is one of its own kind, which does not take everything.
            let catch_all = e.arms.iter().any(|arm| takes_all(&arm.pat));
            let line = e.match_token.span.start().line;
            let complete =
                OPERATORS.iter().find(|(name, count)| named.count(name) == *count).map(|(name, _)| *name);
            self.found.push(Found { file: self.file.clone(), line, catch_all, complete });
        }
        visit::visit_expr_match(self, e);
    }
}

/// The variants that patterns name, with their enums.
#[derive(Default)]
struct Named(BTreeSet<(String, String)>);

impl Named {
    /// How many variants of an enum are named.
    fn count(&self, operators: &str) -> usize {
        self.0.iter().filter(|(of, _)| of == operators).count()
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let [.., of, variant] = &names[..] {
            self.0.insert((of.clone(), variant.clone()));
        }
    }
}

/// Whether a pattern takes everything.
fn takes_all(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Wild(_) | syn::Pat::Rest(_) => true,
        syn::Pat::Ident(name) => {
            name.subpat.is_none() && name.ident.to_string().starts_with(char::is_lowercase)
        }
        syn::Pat::Tuple(tuple) => tuple.elems.iter().all(takes_all),
        syn::Pat::Reference(inner) => takes_all(&inner.pat),
        syn::Pat::Paren(inner) => takes_all(&inner.pat),
        _ => false,
    }
}
