//! What is written about a result besides the result itself: the report, as JSON or as a page, remarks, and explanations.

use std::path::Path;
use std::sync::Arc;

use satir::cse::{Mode, Options};
use satir::eqsat::Rewrites;
use satir::ir::Module;
use satir::page;
use satir::remarks::{self, Remark};
use satir::report::Document;
use satir::rules::RuleSet;

use super::args::{InOut, Tuning};
use super::io::{self, Failure, Source};
use super::product::Product;
use super::{explain, json};

/// A program that was optimized.
pub(crate) struct Outcome<'a> {
    pub(crate) source: &'a Source,
    pub(crate) before: &'a Module,
    pub(crate) after: &'a Module,
    pub(crate) report: Document,
    pub(crate) options: &'a Options,
}

/// The same options with rules that count what they do, if a report is to say which of them fired.
pub(crate) fn counting(options: &Options, tuning: &Tuning, wanted: bool) -> Result<Options, Failure> {
    let mut options = options.clone();
    if wanted || tuning.report.is_some() {
        options.rewrites = Arc::new(Rewrites::counted(&tuning.chosen.read()?));
    }
    Ok(options)
}

impl Outcome<'_> {
    /// All that is to be written.
    pub(crate) fn product(self, text: String, tuning: &Tuning, inout: &InOut) -> Result<Product, Failure> {
        let decisions = log::log_enabled!(log::Level::Debug);
        let report = tuning.report.as_deref();
        let has_page = report.is_some_and(is_page);
        let has_remarks = tuning.remarks.is_some() || decisions;
        // Read only by what explains: the optimizer has them prepared.
        let rules =
            if has_page || has_remarks || tuning.explain { tuning.chosen.read()? } else { RuleSet::empty() };
        let page = has_page.then(|| self.page(&rules));
        let remarks = if has_remarks { self.remarks(&rules) } else { Vec::new() };
        if decisions {
            remarks.iter().for_each(|remark| log::debug!("{remark}"));
        }
        if tuning.explain {
            let Outcome { source, before, after, options, .. } = self;
            io::write_stderr(&explain::replaced(source, before, after, options, &rules));
            if self.report.mode == Some(Mode::Semantic) {
                io::write_stderr(&explain::swayed(before, after, options)?);
            }
        }
        Ok(Product {
            text,
            page,
            remarks,
            costs: Some((self.report.cost_before, self.report.cost_after)),
            bindings: self.report.functions.iter().map(|f| f.bindings.len()).sum(),
            report: report.is_some().then(|| json::report_json(&self.report)).transpose()?,
            stages: Vec::new(),
            before: inout.compares().then(|| self.before.to_string()),
        })
    }

    fn page(&self, rules: &RuleSet) -> String {
        page::render(&page::Input {
            name: &self.source.name,
            text: &self.source.text,
            before: self.before,
            after: self.after,
            report: &self.report,
            profile: &self.options.profile,
            rules,
            fast_math: self.options.fast_math,
            positive_dims: self.options.positive_dims,
        })
    }

    fn remarks(&self, rules: &RuleSet) -> Vec<Remark> {
        let passes: Vec<&str> = self.report.passes.iter().map(|pass| &*pass.pass).collect();
        remarks::collect(&remarks::Input {
            pass: &passes.join(","),
            file: &self.source.name,
            text: &self.source.text,
            before: self.before,
            after: self.after,
            functions: &self.report.functions,
            profile: &self.options.profile,
            rules,
            fast_math: self.options.fast_math,
            positive_dims: self.options.positive_dims,
        })
    }
}

/// Whether a report of this name is a page.
pub(crate) fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html") || e.eq_ignore_ascii_case("htm"))
}

/// Writes remarks: as SARIF if the name says so, else as LLVM does.
pub(crate) fn write_remarks(path: &Path, remarks: &[Remark]) -> Result<(), Failure> {
    let is_sarif = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sarif"));
    let text = if is_sarif { json::json_text(&remarks::sarif(remarks))? } else { remarks::yaml(remarks) };
    io::write_file(path, &text)
}
