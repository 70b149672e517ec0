//! Tables over the classes of a graph that does not grow meanwhile: an entry for every identifier that was given out.
//!
//! They take the place of hash tables where most classes get an entry: in graphs of millions of classes, each look into a
//! hash table waits for memory.

use std::ops::{Deref, Index};

use egg::Id;

use super::graph::{Class, Graph};

/// A graph with its classes in a table: egg finds them by hash.
pub(crate) struct Classes<'a> {
    graph: &'a Graph,
    /// Of each identifier, whether it is its class's own or one of a class that was united with it.
    classes: Vec<&'a Class>,
}

impl<'a> Classes<'a> {
    /// The classes of this graph.
    pub(crate) fn new(graph: &'a Graph) -> Classes<'a> {
        let mut classes: Vec<&Class> = match graph.classes().next() {
            Some(any) => vec![any; graph.nodes().len()],
            None => Vec::new(),
        };
        for class in graph.classes() {
            classes[usize::from(class.id)] = class;
        }
        for id in 0..classes.len() {
            classes[id] = classes[usize::from(graph.find(Id::from(id)))];
        }
        Classes { graph, classes }
    }

    /// The class of an identifier, for as long as the graph is there.
    pub(crate) fn get(&self, id: Id) -> &'a Class {
        self.classes[usize::from(id)]
    }
}

impl Deref for Classes<'_> {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        self.graph
    }
}

impl Index<Id> for Classes<'_> {
    type Output = Class;

    fn index(&self, id: Id) -> &Class {
        self.get(id)
    }
}

/// A set of classes.
pub(crate) struct ClassSet(Vec<bool>);

impl ClassSet {
    /// An empty set of classes of this graph.
    pub(crate) fn new(graph: &Graph) -> ClassSet {
        ClassSet(vec![false; graph.nodes().len()])
    }

    /// Adds a class; whether it was not there.
    pub(crate) fn insert(&mut self, id: Id) -> bool {
        !std::mem::replace(&mut self.0[usize::from(id)], true)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    /// Adds classes.
    pub(crate) fn extend(&mut self, ids: impl IntoIterator<Item = Id>) {
        for id in ids {
            self.insert(id);
        }
    }

    /// Whether the class is there.
    pub(crate) fn contains(&self, id: Id) -> bool {
        self.0[usize::from(id)]
    }
}

/// A value for each of some classes.
pub(crate) struct ClassMap<T> {
    keys: ClassSet,
    values: Vec<T>,
}

impl<T: Copy + Default> ClassMap<T> {
    /// An empty map of classes of this graph.
    pub(crate) fn new(graph: &Graph) -> ClassMap<T> {
        ClassMap { keys: ClassSet::new(graph), values: vec![T::default(); graph.nodes().len()] }
    }

    /// The value of a class.
    pub(crate) fn get(&self, id: Id) -> Option<T> {
        self.keys.contains(id).then(|| self.values[usize::from(id)])
    }

    /// Whether the class has a value.
    pub(crate) fn contains(&self, id: Id) -> bool {
        self.keys.contains(id)
    }

    /// Sets the value of a class; the one that it had.
    pub(crate) fn insert(&mut self, id: Id, value: T) -> Option<T> {
        let old = std::mem::replace(&mut self.values[usize::from(id)], value);
        (!self.keys.insert(id)).then_some(old)
    }

    /// The classes that have a value, by their identifiers, with these values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Id, T)> {
        let all = self.keys.0.iter().zip(&self.values).enumerate();
        all.filter(|(_, (there, _))| **there).map(|(i, (_, value))| (Id::from(i), *value))
    }
}

/// The classes that some node of the roots needs, in an order that depends on nothing but the graph.
pub(crate) fn needed(graph: &Graph, roots: &[Id]) -> Vec<Id> {
    let mut needed: Vec<Id> = Vec::new();
    let mut seen = ClassSet::new(graph);
    let mut open = roots.to_vec();
    while let Some(id) = open.pop() {
        let id = graph.find(id);
        if seen.insert(id) {
            needed.push(id);
            open.extend(graph[id].nodes.iter().flat_map(|node| &node.children));
        }
    }
    needed
}
