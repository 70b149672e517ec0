//! Names of variables and buffers: unique among those in scope, and identifiers that Python and TVM accept.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::ir::{BufferId, PrimFunc, VarId};
use crate::script::syntax::KEYWORDS;

/// The name with a meaning of its own in every printed function. Others, such as `range` of `for i in range(8)`, TVM does
/// not look up, so variables may have them.
const RESERVED: &str = "T";

/// How names begin that TVM's parser gives to intermediate results.
const OF_THE_PARSER: &str = "__tvm_";

/// How many numbered names are tried before the counter of the name is.
const TRIES: u32 = 8;

/// The names in use while a function is printed.
pub(super) struct Names {
    vars: Vec<Option<Arc<str>>>,
    buffers: Vec<Option<Arc<str>>>,
    live: HashSet<Arc<str>>,
    /// What each scope defines, to be undone.
    log: Vec<Defined>,
    /// Last number given to a name that many things bear.
    counters: HashMap<String, u32>,
}

enum Defined {
    Var(VarId),
    Buffer(BufferId),
}

impl Names {
    pub(super) fn new(func: &PrimFunc, reserved: impl IntoIterator<Item = Arc<str>>) -> Names {
        let live = reserved.into_iter().chain([Arc::from(RESERVED)]).collect();
        Names {
            vars: vec![None; func.vars.len()],
            buffers: vec![None; func.buffers.len()],
            live,
            log: Vec::new(),
            counters: HashMap::new(),
        }
    }

    pub(super) fn var(&self, id: VarId) -> Option<&Arc<str>> {
        self.vars.get(id.index()).and_then(|name| name.as_ref())
    }

    pub(super) fn buffer(&self, id: BufferId) -> Option<&Arc<str>> {
        self.buffers.get(id.index()).and_then(|name| name.as_ref())
    }

    /// Gives a variable a name like the one in the table.
    pub(super) fn define_var(&mut self, func: &PrimFunc, id: VarId) -> Arc<str> {
        let hint = func.vars.get(id.index()).map_or("v", |v| &*v.name);
        let name = self.unique(hint, "v");
        self.name_var(id, name.clone());
        self.live.insert(name.clone());
        name
    }

    /// Makes `text` the name of a variable: a text such as `A.strides[0]` that is no identifier.
    pub(super) fn name_var(&mut self, id: VarId, text: Arc<str>) {
        if let Some(slot) = self.vars.get_mut(id.index()) {
            *slot = Some(text);
            self.log.push(Defined::Var(id));
        }
    }

    /// Gives a buffer a name like the one in the table.
    pub(super) fn define_buffer(&mut self, func: &PrimFunc, id: BufferId) -> Arc<str> {
        let hint = func.buffers.get(id.index()).map_or("buffer", |b| &*b.name);
        let name = self.unique(hint, "buffer");
        if let Some(slot) = self.buffers.get_mut(id.index()) {
            *slot = Some(name.clone());
            self.log.push(Defined::Buffer(id));
        }
        self.live.insert(name.clone());
        name
    }

    /// Keeps a name from being given.
    pub(super) fn reserve(&mut self, name: Arc<str>) {
        self.live.insert(name);
    }

    /// Lets a reserved name be given again.
    pub(super) fn release(&mut self, name: &str) {
        self.live.remove(name);
    }

    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Ends a scope: its names are free again.
    pub(super) fn leave(&mut self, mark: usize) {
        while self.log.len() > mark {
            let slot = match self.log.pop() {
                Some(Defined::Var(id)) => &mut self.vars[id.index()],
                Some(Defined::Buffer(id)) => &mut self.buffers[id.index()],
                None => return,
            };
            if let Some(name) = slot.take() {
                self.live.remove(&name);
            }
        }
    }

    fn unique(&mut self, hint: &str, default: &str) -> Arc<str> {
        let base = identifier(hint, default);
        if !self.live.contains(base.as_str()) {
            return base.into();
        }
        for n in 1..=TRIES {
            let name = format!("{base}_{n}");
            if !self.live.contains(name.as_str()) {
                return name.into();
            }
        }
        loop {
            let counter = self.counters.entry_ref(base.as_str()).or_insert(TRIES);
            *counter += 1;
            let name = format!("{base}_{counter}");
            if !self.live.contains(name.as_str()) {
                return name.into();
            }
        }
    }
}

/// The name with what Python does not allow replaced.
fn identifier(hint: &str, default: &str) -> String {
    let mut name: String = hint.chars().map(|c| if may_stand_in_names(c) { c } else { '_' }).collect();
    if name.is_empty() {
        name.push_str(default);
    }
    let is_special = name.starts_with(OF_THE_PARSER) || name == "__debug__";
    if name.starts_with(|c: char| c.is_ascii_digit()) || is_special {
        name.insert(0, 'v');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// Whether Python takes a character as a part of a name and leaves it as it is: it replaces many by others that look alike,
/// so that of those beyond ASCII only the common letters count.
fn may_stand_in_names(c: char) -> bool {
    match c {
        '_' => true,
        // Two letters in one, and signs among the letters.
        '×' | '÷' | 'Ĳ' | 'ĳ' | 'Ŀ' | 'ŀ' | 'ŉ' => false,
        'À'..='ž' | 'Α'..='Ρ' | 'Σ'..='ω' | 'А'..='я' | '\u{4e00}'..='\u{9fff}' => true,
        _ => c.is_ascii_alphanumeric(),
    }
}
