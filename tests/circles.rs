//! Keeps circles out of the source: no file of `src` imports another one that imports it back, directly or through
//! others. ARCHITECTURE.md has the rule in words.
//!
//! The files are parsed, from the roots along their `mod` declarations; what is compiled for tests only is skipped.
//! A path that leads to an item of another file makes an edge, wherever it stands: in a `use`, a type, an expression, or
//! the tokens of a macro. Paths through `use` declarations lead to the file that declares the item, so that a file which
//! only declares modules and exports what they have depends on nothing. Methods have no paths and are not seen.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};

#[test]
fn no_file_imports_itself_through_others() {
    let circles = circles(&Sources::read(&["src/lib.rs", "src/main.rs"]).edges());
    assert!(circles.is_empty(), "\n{}", described(&circles));
}

/// The circles as text.
fn described(circles: &[Circle]) -> String {
    circles.iter().map(Circle::describe).collect()
}

/// The names of the modules around something, from the root of its crate, which is the first.
type ModulePath = Vec<String>;

/// A path as it is written, with the module that it stands in.
#[derive(Clone, Debug, PartialEq)]
struct Written {
    module: ModulePath,
    segments: Vec<String>,
    line: usize,
}

/// What a module declares.
#[derive(Default)]
struct Module {
    /// The file that it is in.
    file: String,
    /// What its `use` declarations name, by the name that it gets here.
    imported: BTreeMap<String, Vec<String>>,
    /// The modules of which its `use` declarations name everything.
    globs: Vec<Vec<String>>,
    /// Its own items, but for modules.
    items: BTreeSet<String>,
}

/// All modules of the program.
#[derive(Default)]
struct Sources {
    modules: BTreeMap<ModulePath, Module>,
    /// For each file the paths that are written in it.
    paths: BTreeMap<String, Vec<Written>>,
}

impl Sources {
    /// Reads the crates with these roots, and all files that belong to them.
    fn read(roots: &[&str]) -> Sources {
        let mut sources = Sources::default();
        for root in roots {
            let folder = Path::new(root).parent().unwrap();
            sources.read_file(root, folder, vec![(*root).to_owned()]);
        }
        sources
    }

    /// Reads one file; `folder` has the files of the modules that it declares.
    fn read_file(&mut self, file: &str, folder: &Path, module: ModulePath) {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        for (name, inside) in self.add(file, &text, module.clone()) {
            // Files of modules within a module of this file are in a folder of that name.
            let folder =
                inside[module.len()..].iter().fold(folder.to_path_buf(), |path, part| path.join(part));
            let child: ModulePath = inside.iter().cloned().chain([name.clone()]).collect();
            let flat = folder.join(format!("{name}.rs"));
            let nested = folder.join(&name).join("mod.rs");
            let is_flat = Path::new(env!("CARGO_MANIFEST_DIR")).join(&flat).exists();
            let path = if is_flat { flat } else { nested };
            self.read_file(path.to_str().unwrap(), &folder.join(&name), child);
        }
    }

    /// Adds the text of a file; the modules that it declares without their contents, and where.
    fn add(&mut self, file: &str, text: &str, module: ModulePath) -> Vec<(String, ModulePath)> {
        let parsed = syn::parse_file(text).unwrap_or_else(|e| panic!("{file}: {e}"));
        self.modules.insert(module.clone(), Module { file: file.to_owned(), ..Module::default() });
        let mut reader = Reader { file, module, sources: self, declared: Vec::new(), in_block: false };
        reader.visit_file(&parsed);
        reader.declared
    }

    /// For each file the files that it imports, and where first.
    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (file, paths) in &self.paths {
            let to = edges.entry(file.clone()).or_default();
            for path in paths {
                let Some(target) = self.target(&path.module, &path.segments) else { continue };
                if target != file {
                    to.entry(target.to_owned()).or_insert((path.line, path.segments.join("::")));
                }
            }
        }
        edges
    }

    /// The file of the item that a path leads to. None if it is outside of the crate, or only leads to a module.
    fn target(&self, module: &ModulePath, segments: &[String]) -> Option<&str> {
        self.follow(module, segments, false, &mut Vec::new())
    }

    fn follow(
        &self,
        module: &ModulePath,
        segments: &[String],
        is_guess: bool,
        seen: &mut Vec<(ModulePath, String)>,
    ) -> Option<&str> {
        let mut at = module.clone();
        let mut rest = segments;
        let mut anchored = false;
        while let Some((first, others)) = rest.split_first() {
            match first.as_str() {
                "crate" => at.truncate(1),
                "self" => {}
                "super" => drop(at.pop()),
                _ => break,
            }
            anchored = true;
            rest = others;
        }
        while let Some((name, others)) = rest.split_first() {
            let here = self.modules.get(&at)?;
            let child: ModulePath = at.iter().cloned().chain([name.clone()]).collect();
            let is_module = self.modules.contains_key(&child);
            // A name alone is an item rather than a module that bears the same name.
            if let Some(path) = here.imported.get(name)
                && (!is_module || others.is_empty())
                && !seen.contains(&(at.clone(), name.clone()))
            {
                seen.push((at.clone(), name.clone()));
                let path: Vec<String> = path.iter().chain(others).cloned().collect();
                return self.follow(&at, &path, is_guess, seen);
            }
            if is_module {
                at = child;
                (rest, anchored) = (others, true);
                continue;
            }
            if here.items.contains(name) {
                return Some(&here.file);
            }
            for glob in &here.globs {
                let path: Vec<String> = glob.iter().chain(rest).cloned().collect();
                if !seen.contains(&(at.clone(), glob.join("::"))) {
                    seen.push((at.clone(), glob.join("::")));
                    if let Some(found) = self.follow(&at, &path, true, seen) {
                        return Some(found);
                    }
                }
            }
            // A name that begins a path and is nothing of ours is of another crate, or local. One in a module of ours is made
            // by a macro there, unless it was only looked for there.
            return (anchored && !is_guess).then_some(&here.file);
        }
        None
    }
}

/// Reads the declarations and paths of one file.
struct Reader<'s> {
    file: &'s str,
    module: ModulePath,
    sources: &'s mut Sources,
    declared: Vec<(String, ModulePath)>,
    /// Whether what is visited is inside of a body, where declarations are local.
    in_block: bool,
}

impl Reader<'_> {
    fn here(&mut self) -> &mut Module {
        self.sources.modules.get_mut(&self.module).unwrap()
    }

    fn path(&mut self, segments: Vec<String>, line: usize) {
        let written = Written { module: self.module.clone(), segments, line };
        self.sources.paths.entry(self.file.to_owned()).or_default().push(written);
    }

    /// A `use` declaration, with the path up to `tree`. What is exported is a path of the file only where the file itself
    /// uses the name.
    fn import(&mut self, tree: &syn::UseTree, prefix: &[String], exported: bool) {
        let with = |name: &syn::Ident| -> Vec<String> {
            prefix.iter().cloned().chain((name != "self").then(|| name.to_string())).collect()
        };
        let (name, path) = match tree {
            syn::UseTree::Path(tree) => {
                let prefix: Vec<String> = prefix.iter().cloned().chain([tree.ident.to_string()]).collect();
                return self.import(&tree.tree, &prefix, exported);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, prefix, exported));
            }
            syn::UseTree::Glob(_) => {
                self.here().globs.push(prefix.to_vec());
                return;
            }
            syn::UseTree::Name(tree) => {
                let path = with(&tree.ident);
                (path.last().unwrap().clone(), path)
            }
            syn::UseTree::Rename(tree) => (tree.rename.to_string(), with(&tree.ident)),
        };
        let line = match tree {
            syn::UseTree::Name(tree) => tree.ident.span().start().line,
            syn::UseTree::Rename(tree) => tree.rename.span().start().line,
            _ => 0,
        };
        if !exported {
            self.path(path.clone(), line);
        }
        if !self.in_block {
            self.here().imported.insert(name, path);
        }
    }

    /// The paths among tokens that are not parsed: those of macros and attributes.
    fn tokens(&mut self, tokens: &TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens.clone() {
            match &token {
                TokenTree::Ident(ident) => {
                    if colons != 2 && !path.is_empty() {
                        self.path(std::mem::take(&mut path), line);
                    }
                    line = ident.span().start().line;
                    path.push(ident.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
                    self.tokens(&group.stream())
                }
                _ => {}
            }
            if !path.is_empty() {
                self.path(std::mem::take(&mut path), line);
            }
            colons = 0;
        }
        if !path.is_empty() {
            self.path(path, line);
        }
    }
}

/// Whether something is compiled for tests only.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        syn::Meta::NameValue(_) => false,
    })
}

fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(i) => &i.attrs,
        syn::Item::Enum(i) => &i.attrs,
        syn::Item::Fn(i) => &i.attrs,
        syn::Item::Impl(i) => &i.attrs,
        syn::Item::Macro(i) => &i.attrs,
        syn::Item::Mod(i) => &i.attrs,
        syn::Item::Static(i) => &i.attrs,
        syn::Item::Struct(i) => &i.attrs,
        syn::Item::Trait(i) => &i.attrs,
        syn::Item::Type(i) => &i.attrs,
        syn::Item::Use(i) => &i.attrs,
        _ => &[],
    }
}

fn name_of(item: &syn::Item) -> Option<String> {
    Some(match item {
        syn::Item::Const(i) => i.ident.to_string(),
        syn::Item::Enum(i) => i.ident.to_string(),
        syn::Item::Fn(i) => i.sig.ident.to_string(),
        syn::Item::Macro(i) => i.ident.as_ref()?.to_string(),
        syn::Item::Static(i) => i.ident.to_string(),
        syn::Item::Struct(i) => i.ident.to_string(),
        syn::Item::Trait(i) => i.ident.to_string(),
        syn::Item::Type(i) => i.ident.to_string(),
        _ => return None,
    })
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if is_test(attributes_of(item)) {
            return;
        }
        if let Some(name) = name_of(item)
            && !self.in_block
        {
            self.here().items.insert(name);
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.to_string();
        let Some((_, items)) = &item.content else {
            self.declared.push((name, self.module.clone()));
            return;
        };
        self.module.push(name);
        let module = Module { file: self.file.to_owned(), ..Module::default() };
        self.sources.modules.insert(self.module.clone(), module);
        items.iter().for_each(|item| self.visit_item(item));
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let exported = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, &[], exported);
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        let outer = std::mem::replace(&mut self.in_block, true);
        visit::visit_block(self, block);
        self.in_block = outer;
    }

    /// `pub(super)` names no item.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let line = path.segments[0].ident.span().start().line;
            self.path(segments, line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.tokens(&item.tokens);
        visit::visit_macro(self, item);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.tokens(&list.tokens);
        }
    }
}

/// For each file the files that it imports, each with the line and the path that does so first.
type Edges = BTreeMap<String, BTreeMap<String, (usize, String)>>;

/// Files each of which imports all others, directly or through others.
struct Circle {
    /// By name.
    files: Vec<String>,
    /// The lines that make it.
    lines: Vec<String>,
}

impl Circle {
    fn describe(&self) -> String {
        let mut text = format!("A circle of {} files:\n", self.files.len());
        for line in &self.lines {
            let _ = writeln!(text, "    {line}");
        }
        text
    }
}

fn circles(edges: &Edges) -> Vec<Circle> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|file| (&**file, reach(edges, file))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|files| files.contains(to));
    let mut circles: Vec<Circle> = Vec::new();
    for file in edges.keys() {
        if !reaches(file, file) || circles.iter().any(|circle| circle.files.contains(file)) {
            continue;
        }
        let files: Vec<String> =
            edges.keys().filter(|other| reaches(file, other) && reaches(other, file)).cloned().collect();
        let mut lines = Vec::new();
        for from in &files {
            for (to, (line, path)) in edges[from].iter().filter(|(to, _)| files.contains(to)) {
                lines.push(format!("{from}:{line}: `{path}` is in {to}"));
            }
        }
        circles.push(Circle { files, lines });
    }
    circles
}

/// All files that a file imports, directly or through others.
fn reach<'e>(edges: &'e Edges, file: &str) -> BTreeSet<&'e str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![file.to_owned()];
    while let Some(file) = open.pop() {
        for to in edges.get(&file).into_iter().flatten().map(|(to, _)| &**to) {
            if reached.insert(to) {
                open.push(to.to_owned());
            }
        }
    }
    reached
}

/// The circles of a crate with these files; the first one is its root.
fn circles_of(files: &[(&str, &str)]) -> Vec<Circle> {
    let mut sources = Sources::default();
    for (file, text) in files {
        let parts = file.trim_end_matches(".rs").split('/').filter(|part| !matches!(*part, "lib" | "mod"));
        let module = ["lib.rs"].into_iter().chain(parts).map(str::to_owned).collect();
        sources.add(file, text, module);
    }
    circles(&sources.edges())
}

/// The files of the only circle.
fn circle_of(files: &[(&str, &str)]) -> Vec<String> {
    let mut circles = circles_of(files);
    assert_eq!(circles.len(), 1);
    circles.remove(0).files
}

#[test]
fn circles_are_found_however_they_are_written() {
    let root = ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;");
    let b = ("b.rs", "use crate::A; pub struct B(A);");
    let ways = [
        "use super::B; pub struct A;",
        "use crate::{b::{self, B as Other}}; pub struct A;",
        "pub struct A; type Same = Option<crate::b::B>;",
        "pub struct A; fn f() { drop(crate::b::B::new()); }",
        "pub struct A; fn f() { assert!(matches!(x, Some(super::b::B(_)))); }",
        "use crate::b; pub struct A; fn f() { b::g() }",
        "pub struct A; mod inner { use super::super::b::B; }",
        "use crate::b::*; pub struct A(B);",
    ];
    for a in ways {
        assert_eq!(circle_of(&[root, ("a.rs", a), b]), ["a.rs", "b.rs"], "{a}");
    }
    let none = [
        "pub struct A; #[cfg(test)] mod tests { use crate::B; }",
        "pub struct A; #[cfg(test)] use crate::b::B;",
        "pub struct A; impl A { #[cfg(test)] fn f() -> crate::b::B { todo() } }",
        "pub use crate::b::B; pub struct A;",
        "/// See [`B`](crate::b::B).\npub struct A;",
        "use other::b::B; pub struct A;",
    ];
    for a in none {
        assert!(circles_of(&[root, ("a.rs", a), b]).is_empty(), "{a}");
    }
}

#[test]
fn a_parent_may_use_its_children_or_be_used_by_them() {
    let child = ("a/child.rs", "use super::Below; pub(super) fn work(below: Below) {}");
    let below = ("a/below.rs", "pub(super) struct Below;");
    let root = ("lib.rs", "mod a;");
    let entry = ("a/mod.rs", "mod below; mod child; use below::Below; pub fn run() { child::work(Below) }");
    assert!(circles_of(&[root, entry, child, below]).is_empty());
    let both = ("a/mod.rs", "mod child; pub struct Below; pub fn run() { child::work(Below) }");
    assert_eq!(circle_of(&[root, both, child]), ["a/child.rs", "a/mod.rs"]);
    // What the parent exports is its own need only if it uses it.
    let child = ("a/child.rs", "use super::Own; pub struct Exported(Own);");
    let exports = ("a/mod.rs", "mod child; pub use child::Exported; pub struct Own;");
    assert!(circles_of(&[root, exports, child]).is_empty());
    let uses = ("a/mod.rs", "mod child; pub use child::Exported; pub struct Own(Box<Exported>);");
    assert_eq!(circle_of(&[root, uses, child]), ["a/child.rs", "a/mod.rs"]);
}

#[test]
fn circles_of_several_files_are_named_with_their_lines() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use crate::b::B;\npub struct A;"),
        ("b.rs", "pub struct B;\nuse crate::c::C;"),
        ("c.rs", "pub struct C;\nfn f() -> crate::a::A {}"),
        ("d.rs", "use crate::a::A;"),
    ];
    let circles = circles_of(&files);
    assert_eq!(
        described(&circles),
        "A circle of 3 files:\n    a.rs:1: `crate::b::B` is in b.rs\n    b.rs:2: `crate::c::C` is in c.rs\n    \
         c.rs:2: `crate::a::A` is in a.rs\n"
    );
}
