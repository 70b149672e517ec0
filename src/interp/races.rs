//! Races between the threads of a block.
//!
//! The threads of a block run a statement one after the other, and those that never wait for each other a whole launch: one of
//! the orders in which a machine may. Where one of them writes what another one reads meanwhile, or writes with another value,
//! the result depends on that order: such a program has no meaning, and what it computes says nothing about another one.

use hashbrown::HashMap;

/// What the threads that have run a statement so far did to the elements of memory; or all that threads of a launch that
/// never wait for each other did.
#[derive(Default)]
pub(super) struct Races {
    /// How many launches are around what runs, of threads that never wait for each other.
    launches: usize,
    /// How many such threads there were.
    threads: usize,
    /// The thread that runs, while several threads run one statement.
    thread: Option<usize>,
    /// By memory and byte.
    elements: HashMap<(u32, usize), Element>,
}

#[derive(Clone, Copy, Default)]
struct Element {
    /// The first thread that read it, and whether others did.
    reader: Option<usize>,
    several: bool,
    /// The thread that wrote it first, and what was written.
    written: Option<(usize, u64)>,
}

impl Races {
    /// Several threads come to the next statement.
    pub(super) fn begin(&mut self) {
        self.thread = None;
        self.elements.clear();
    }

    /// A launch of threads that never wait for each other begins.
    pub(super) fn enter(&mut self) {
        if self.launches == 0 {
            self.begin();
        }
        self.launches += 1;
    }

    /// Another such thread begins.
    pub(super) fn next(&mut self) {
        self.threads += 1;
        self.thread = Some(self.threads);
    }

    /// The launch that was entered last ends.
    pub(super) fn leave(&mut self) {
        self.launches -= 1;
        if self.launches == 0 {
            self.begin();
        }
    }

    /// From now on it is this thread that runs.
    pub(super) fn run(&mut self, thread: usize) {
        self.thread = Some(thread);
    }

    /// Whether the read of an element races with a write by another thread.
    pub(super) fn reads(&mut self, memory: u32, byte: usize) -> bool {
        let Some(thread) = self.thread else { return false };
        let element = self.elements.entry((memory, byte)).or_default();
        element.several |= element.reader.is_some_and(|reader| reader != thread);
        element.reader.get_or_insert(thread);
        element.written.is_some_and(|(writer, _)| writer != thread)
    }

    /// Whether the write of a value to an element races with a read by another thread, or with a write of something else.
    pub(super) fn writes(&mut self, memory: u32, byte: usize, value: u64) -> bool {
        let Some(thread) = self.thread else { return false };
        let element = self.elements.entry((memory, byte)).or_default();
        let (writer, first) = *element.written.get_or_insert((thread, value));
        element.several
            || element.reader.is_some_and(|reader| reader != thread)
            || writer != thread && first != value
    }
}
