//! Texts of modules taken apart by function, and lines of two texts that belong together.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The lines of each function of a module, with their numbers.
pub(super) struct Slices<'t> {
    functions: Vec<Vec<(u32, &'t str)>>,
}

impl<'t> Slices<'t> {
    /// Lines before the first function are its own. If not all functions are found the first one gets the whole text.
    pub(super) fn new(text: &'t str, names: &[&str]) -> Slices<'t> {
        let lines: Vec<(u32, &str)> = (1..).zip(text.lines()).collect();
        let mut starts = Vec::new();
        let mut from = 0;
        for name in names {
            let is_head = |(_, line): &(u32, &str)| {
                let rest = line
                    .trim_start()
                    .strip_prefix("def ")
                    .and_then(|rest| rest.trim_start().strip_prefix(name));
                rest.is_some_and(|rest| rest.trim_start().starts_with('('))
            };
            let Some(at) = lines[from..].iter().position(is_head) else { break };
            from += at + 1;
            let mut start = from - 1;
            while start > 0 && lines[start - 1].1.trim_start().starts_with('@') {
                start -= 1;
            }
            starts.push(start);
        }
        if starts.len() < names.len() {
            starts = vec![lines.len(); names.len()];
        }
        if let Some(first) = starts.first_mut() {
            *first = 0;
        }
        let ends = starts.iter().skip(1).copied().chain([lines.len()]);
        let functions = starts.iter().zip(ends).map(|(&start, end)| lines[start..end].to_vec()).collect();
        Slices { functions }
    }

    /// The lines of the function of this number.
    pub(super) fn of(&self, function: usize) -> &[(u32, &'t str)] {
        self.functions.get(function).map_or(&[], Vec::as_slice)
    }
}

/// Lines that belong together have one number: those that begin with the same name, in an order that keeps most of them.
pub(super) fn aligned(
    before: &[(u32, &str)],
    after: &[(u32, &str)],
) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
    let keys = |lines: &[(u32, &str)]| -> Vec<String> { lines.iter().map(|(_, line)| key(line)).collect() };
    let mut rows = (vec![None; before.len()], vec![None; after.len()]);
    let mut next = 0;
    for op in capture_diff_slices(Algorithm::Myers, &keys(before), &keys(after)) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            for at in 0..len {
                rows.0[old_index + at] = Some(next);
                rows.1[new_index + at] = Some(next);
                next += 1;
            }
        }
    }
    rows
}

/// What a line is about: its first word, or the name that is written to.
fn key(line: &str) -> String {
    let line = line.trim();
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(line.len());
    line[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_has_its_lines() {
        let text = "@I.ir_module\nclass Module:\n    @T.prim_func\n    def f(x):\n        x\n\n    @T.prim_func\n    def ff(x):\n        y";
        let slices = Slices::new(text, &["f", "ff"]);
        let numbers = |at| slices.of(at).iter().map(|(number, _)| *number).collect::<Vec<_>>();
        assert_eq!((numbers(0), numbers(1)), ((1..=6).collect(), (7..=9).collect()));
        assert!(slices.of(2).is_empty());
        // Where one is not found nothing is lost.
        let slices = Slices::new(text, &["f", "g"]);
        assert_eq!((slices.of(0).len(), slices.of(1).len()), (9, 0));
    }

    #[test]
    fn lines_that_begin_alike_belong_together() {
        let lines = |text: &'static str| -> Vec<(u32, &str)> { (1..).zip(text.lines()).collect() };
        let (old, new) =
            aligned(&lines("for i\nA[i * 4] = 1\nB[0] = 2"), &lines("for i\ncse = i\nA[cse] = 1\nB[0] = 2"));
        assert_eq!(old, [Some(0), Some(1), Some(2)]);
        assert_eq!(new, [Some(0), None, Some(1), Some(2)]);
    }
}
