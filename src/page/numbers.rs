//! Numbers as the pages show them.

/// How much less the result costs, in percent.
pub(super) fn saved(before: f64, after: f64) -> f64 {
    if before > 0.0 { (1.0 - after / before) * 100.0 } else { 0.0 }
}

/// A number with thousands separated, and a fraction only where it matters.
pub(super) fn number(value: f64) -> String {
    let text =
        if value.fract() == 0.0 || value >= 1000.0 { format!("{value:.0}") } else { format!("{value:.2}") };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) && digit != '-' {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    if fraction.is_empty() { out } else { format!("{out}.{fraction}") }
}

/// So many of something.
pub(super) fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// How often something runs.
pub(super) fn times(count: f64) -> String {
    if count == 1.0 { "once".to_owned() } else { format!("{} times", number(count)) }
}
