//! Results as JSON.

use satir::report::Document;

use super::io::Failure;

/// JSON for people to read, with a line end.
pub(crate) fn json_text(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    text.map(|t| t + "\n").map_err(|e| Failure::bad(format_args!("cannot write JSON: {e}")))
}

/// The report as JSON.
pub(crate) fn report_json(report: &Document) -> Result<serde_json::Value, Failure> {
    serde_json::to_value(report).map_err(|e| Failure::bad(format_args!("cannot write JSON: {e}")))
}
