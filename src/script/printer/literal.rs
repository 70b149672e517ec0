//! Literals and types as TVM's printer writes them.

use std::fmt::Write;

use crate::ir::{DType, Kind, Type};

/// Writes an integer constant. `T.uint64(…)` takes no number from 2^63 on, and not every width has a name in `T`.
pub(super) fn int(out: &mut String, dtype: DType, value: i64) {
    let named = matches!(dtype.bits, 8 | 16 | 32 | 64);
    let _ = match dtype.kind {
        Kind::Bool => write!(out, "T.bool({})", if value != 0 { "True" } else { "False" }),
        Kind::Int if dtype == DType::I32 => write!(out, "{value}"),
        Kind::UInt if !named || value < 0 => write!(out, "T.IntImm(\"{dtype}\", {})", value as u64),
        Kind::Int if !named => write!(out, "T.IntImm(\"{dtype}\", {value})"),
        _ => write!(out, "T.{dtype}({value})"),
    };
}

/// Writes a float constant. `T.float64(…)` takes no number that is too large for `float32`.
pub(super) fn typed_float(out: &mut String, dtype: DType, value: f64) {
    if value.is_finite() && value.abs() > f64::from(f32::MAX) {
        let _ = write!(out, "T.FloatImm(\"{dtype}\", {value:e})");
        return;
    }
    let _ = write!(out, "T.{dtype}(");
    float(out, value);
    out.push(')');
}

/// Writes a float so that reading it gives the same `f64`.
pub(super) fn float(out: &mut String, value: f64) {
    if value.is_nan() {
        out.push_str(if value.is_sign_negative() { "\"-nan\"" } else { "\"nan\"" });
    } else if value.is_infinite() {
        out.push_str(if value < 0.0 { "\"-inf\"" } else { "\"inf\"" });
    } else if value.fract() == 0.0 {
        let _ = write!(out, "{value:.1}");
    } else {
        seventeen_digits(out, value);
    }
}

/// C's `%.17g`.
fn seventeen_digits(out: &mut String, value: f64) {
    let scientific = format!("{value:.16e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..17).contains(&exponent) {
        let fixed = format!("{value:.*}", usize::try_from(16 - exponent).unwrap_or(0));
        out.push_str(strip_zeros(&fixed));
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{}e{sign}{:02}", strip_zeros(mantissa), exponent.abs());
    }
}

fn strip_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// Writes a string in quotes; what is not printable ASCII is written as the bytes of its UTF-8.
pub(super) fn string(out: &mut String, text: &str) {
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            b' '..=b'~' => out.push(byte as char),
            _ => {
                let _ = write!(out, "\\x{byte:02X}");
            }
        }
    }
    out.push('"');
}

/// Writes a type as an annotation.
pub(super) fn annotation(out: &mut String, ty: &Type) {
    let _ = match ty {
        Type::Prim(dtype) => write!(out, "T.{dtype}"),
        Type::Pointer(element, scope) => {
            out.push_str("T.handle(");
            let void = element.kind == Kind::Void;
            if !void {
                let _ = write!(out, "\"{element}\"");
            }
            if void {
                out.push_str("storage_scope=");
                string(out, scope);
            } else if !scope.is_empty() {
                out.push_str(", ");
                string(out, scope);
            }
            write!(out, ")")
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn floats() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.10000000000000001"),
            (1e-30, "1.0000000000000001e-30"),
            (1e10, "10000000000.0"),
            (1.5, "1.5"),
            (-340282346638528859811704183484516925440.0, "-340282346638528859811704183484516925440.0"),
            (f64::INFINITY, "\"inf\""),
            (0.00012345, "0.00012344999999999999"),
            (123456.789, "123456.789"),
            (1e-5, "1.0000000000000001e-05"),
        ];
        for (value, expected) in cases {
            let mut out = String::new();
            super::float(&mut out, value);
            assert_eq!(out, expected);
            if value.is_finite() {
                assert_eq!(out.parse::<f64>().unwrap().to_bits(), value.to_bits());
            }
        }
    }

    #[test]
    fn strings() {
        let mut out = String::new();
        super::string(&mut out, "a\"b\\c\n\u{e9}");
        assert_eq!(out, r#""a\"b\\c\n\xC3\xA9""#);
    }
}
