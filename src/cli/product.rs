//! What a command makes of one program.

use satir::remarks::Remark;
use similar::TextDiff;

/// What a command made of one program.
pub(crate) struct Product {
    /// The text to write.
    pub(crate) text: String,
    /// The report to write, if the command makes one.
    pub(crate) report: Option<serde_json::Value>,
    /// The report as a page, if that was asked for.
    pub(crate) page: Option<String>,
    /// Remarks on its lines, if they were asked for.
    pub(crate) remarks: Vec<Remark>,
    /// Cost before and after.
    pub(crate) costs: Option<(f64, f64)>,
    /// How many bindings were made.
    pub(crate) bindings: usize,
    /// What the program was on the way to the result, if that was asked for: each does what the one before it does.
    pub(crate) stages: Vec<String>,
    /// The program as satir prints it, if it is to be compared with the result.
    pub(crate) before: Option<String>,
}

impl Product {
    /// A text that is no optimized program.
    pub(crate) fn plain(text: String) -> Product {
        Product {
            text,
            report: None,
            page: None,
            remarks: Vec::new(),
            costs: None,
            bindings: 0,
            stages: Vec::new(),
            before: None,
        }
    }

    /// How the result differs from the program, as a unified difference; empty if it does not.
    pub(crate) fn difference(&self, name: &str) -> String {
        let before = self.before.as_deref().unwrap_or(&self.text);
        let lines = TextDiff::from_lines(before, &self.text);
        lines.unified_diff().header(name, name).to_string()
    }
}
