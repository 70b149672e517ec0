//! The interface of the library as a list: what its documentation shows. The list is `tests/interface.txt`; a change of it
//! is a change of what users may rely on (`UPDATE_EXPECT=1 cargo test --test interface` writes it anew).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use syn::{Attribute, Item, UseTree, Visibility};

/// Most items: what a user can have an overview of, a third of them the representation of programs.
const MAX_ITEMS: usize = 155;

#[test]
fn the_documented_interface_is_the_list() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut names = Vec::new();
    list(&source.join("lib.rs"), &source, "satir", &mut names);
    names.sort();
    assert!(names.len() <= MAX_ITEMS, "{} items", names.len());
    expect_file!["interface.txt"].assert_eq(&(names.join("\n") + "\n"));
}

/// Adds the public items of a file, with the path of their module in front of their names, and those of its public modules,
/// whose files are in `folder`.
fn list(file: &Path, folder: &Path, module: &str, names: &mut Vec<String>) {
    let text = fs::read_to_string(file).unwrap();
    for item in syn::parse_file(&text).unwrap().items {
        let (attributes, visibility, name) = match &item {
            Item::Const(item) => (&item.attrs, &item.vis, item.ident.to_string()),
            Item::Enum(item) => (&item.attrs, &item.vis, item.ident.to_string()),
            Item::Fn(item) => (&item.attrs, &item.vis, item.sig.ident.to_string()),
            Item::Struct(item) => (&item.attrs, &item.vis, item.ident.to_string()),
            Item::Trait(item) => (&item.attrs, &item.vis, item.ident.to_string()),
            Item::Type(item) => (&item.attrs, &item.vis, item.ident.to_string()),
            Item::Mod(item) => (&item.attrs, &item.vis, item.ident.to_string()),
            Item::Use(item) => (&item.attrs, &item.vis, String::new()),
            _ => continue,
        };
        if !matches!(visibility, Visibility::Public(_)) || is_hidden(attributes) {
            continue;
        }
        match &item {
            Item::Mod(_) => {
                let inner = folder.join(&name);
                let beside: PathBuf = folder.join(format!("{name}.rs"));
                let file = if beside.exists() { beside } else { inner.join("mod.rs") };
                list(&file, &inner, &format!("{module}::{name}"), names);
            }
            Item::Use(exported) => add(&exported.tree, module, names),
            _ => names.push(format!("{module}::{name}")),
        }
    }
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("doc")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|argument| argument == "hidden")
    })
}

/// Adds the names that an export gives.
fn add(tree: &UseTree, module: &str, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => add(&path.tree, module, names),
        UseTree::Name(name) => names.push(format!("{module}::{}", name.ident)),
        UseTree::Rename(name) => names.push(format!("{module}::{}", name.rename)),
        UseTree::Group(group) => group.items.iter().for_each(|item| add(item, module, names)),
        UseTree::Glob(_) => panic!("an export of everything in {module}: its names are not known"),
    }
}
