//! Buffers in files, to exchange inputs and outputs with other programs.
//!
//! A file is one line of JSON, `{"tensors": [{"name": "A", "dtype": "float32", "shape": [2, 3]}, …]}`, and after the newline
//! the contents of the tensors in order, each row-major, little-endian, `bool` a byte, without gaps.

use serde::{Deserialize, Serialize};

use super::inputs::{Inputs, Tensor};
use super::memory::Repr;
use crate::ir::DType;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    tensors: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    dtype: String,
    shape: Vec<i64>,
}

/// Why a file of tensors cannot be used.
///
/// ```
/// use satir::interp::{TensorFileError, read_tensors};
///
/// assert!(matches!(read_tensors(b"nonsense\n"), Err(TensorFileError::Header(_))));
/// let short = b"{\"tensors\": [{\"name\": \"A\", \"dtype\": \"int8\", \"shape\": [4]}]}\n\x01\x02";
/// assert_eq!(read_tensors(short), Err(TensorFileError::Length { expected: 4, found: 2 }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorFileError {
    /// The first line is not the expected JSON.
    #[error("the first line is not a list of tensors in JSON: {0}")]
    Header(String),
    /// The contents end early, or something follows them.
    #[error("the header describes {expected} bytes, but {found} follow it")]
    Length {
        /// Bytes according to the header.
        expected: usize,
        /// Bytes in the file.
        found: usize,
    },
    /// A tensor that is not a parameter of the function.
    #[error("the function has no buffer `{0}`")]
    Unknown(String),
    /// A tensor of another type or size than the parameter.
    #[error("`{name}` is {expected}, but the file has {found}")]
    Mismatch {
        /// The parameter.
        name: String,
        /// Its type and shape.
        expected: String,
        /// Those in the file.
        found: String,
    },
}

/// The file that holds these tensors.
///
/// ```
/// use satir::interp::{Tensor, read_tensors, write_tensors};
/// use satir::ir::DType;
///
/// let tensor = Tensor { name: "A".into(), dtype: DType::int(16), shape: vec![2], data: vec![1, 0, 2, 0] };
/// let file = write_tensors(&[tensor.clone()]);
/// assert!(file.ends_with(b"\n\x01\x00\x02\x00"), "a line of JSON, then the contents");
/// assert_eq!(read_tensors(&file)?, [tensor]);
/// # Ok::<(), satir::interp::TensorFileError>(())
/// ```
pub fn write_tensors(tensors: &[Tensor]) -> Vec<u8> {
    let entries = tensors.iter().map(|t| Entry {
        name: t.name.to_string(),
        dtype: t.dtype.to_string(),
        shape: t.shape.clone(),
    });
    let header = Header { tensors: entries.collect() };
    // Strings and numbers always have a JSON form.
    let mut file = serde_json::to_vec(&header).unwrap_or_default();
    file.push(b'\n');
    for tensor in tensors {
        file.extend_from_slice(&tensor.data);
    }
    file
}

/// The tensors in a file.
///
/// ```
/// use satir::interp::read_tensors;
///
/// let file = b"{\"tensors\": [{\"name\": \"A\", \"dtype\": \"int8\", \"shape\": [2]}]}\n\x07\x08";
/// let tensors = read_tensors(file)?;
/// assert_eq!((&*tensors[0].name, &*tensors[0].data), ("A", &[7, 8][..]));
/// # Ok::<(), satir::interp::TensorFileError>(())
/// ```
pub fn read_tensors(file: &[u8]) -> Result<Vec<Tensor>, TensorFileError> {
    let end = file.iter().position(|&b| b == b'\n').unwrap_or(file.len());
    let (line, rest) = file.split_at(end);
    let header: Header = serde_json::from_slice(line).map_err(|e| TensorFileError::Header(e.to_string()))?;
    let contents = rest.get(1..).unwrap_or_default();
    let mut tensors = Vec::new();
    let mut at = 0usize;
    for Entry { name, dtype, shape } in header.tensors {
        let bad = |what: String| TensorFileError::Header(format!("{what} of `{name}`"));
        let dtype: DType = dtype.parse().map_err(|_| bad(format!("unknown type `{dtype}`")))?;
        let unit = Repr::of(dtype).size() * usize::from(dtype.lanes);
        let size = shape
            .iter()
            .try_fold(unit, |n, &extent| n.checked_mul(usize::try_from(extent).ok()?))
            .ok_or_else(|| bad("impossible shape".to_owned()))?;
        let end = at.saturating_add(size);
        let data = contents.get(at..end).unwrap_or_default().to_vec();
        at = end;
        tensors.push(Tensor { name: name.into(), dtype, shape, data });
    }
    if at == contents.len() {
        Ok(tensors)
    } else {
        Err(TensorFileError::Length { expected: at, found: contents.len() })
    }
}

impl Inputs {
    /// Takes the contents of the buffers that `tensors` names from there.
    pub(crate) fn replace(&mut self, tensors: Vec<Tensor>) -> Result<(), TensorFileError> {
        for tensor in tensors {
            let Some(mine) = self.memories.iter_mut().find(|memory| memory.name == tensor.name) else {
                return Err(TensorFileError::Unknown(tensor.name.to_string()));
            };
            if mine.dtype != tensor.dtype || mine.data.len() != tensor.data.len() {
                let describe = |t: &Tensor| format!("{}{:?}", t.dtype, t.shape);
                return Err(TensorFileError::Mismatch {
                    name: tensor.name.to_string(),
                    expected: describe(mine),
                    found: describe(&tensor),
                });
            }
            mine.data = tensor.data;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_survive_a_file() {
        let tensor = |name: &str, dtype: DType, shape: &[i64], data: &[u8]| Tensor {
            name: name.into(),
            dtype,
            shape: shape.to_vec(),
            data: data.to_vec(),
        };
        let tensors = vec![
            tensor("A", DType::int(16), &[2, 1], &[1, 2, 10, 4]),
            tensor("empty", DType::F32, &[0, 5], &[]),
            tensor("v", DType::int(8).with_lanes(3), &[1], &[7, 8, 9]),
        ];
        let file = write_tensors(&tensors);
        assert_eq!(read_tensors(&file), Ok(tensors));
        let short = &file[..file.len() - 1];
        assert_eq!(read_tensors(short), Err(TensorFileError::Length { expected: 7, found: 6 }));
        assert!(matches!(read_tensors(b"nonsense\n"), Err(TensorFileError::Header(_))));
        let negative = br#"{"tensors": [{"name": "A", "dtype": "int8", "shape": [-1]}]}"#;
        assert!(matches!(read_tensors(negative), Err(TensorFileError::Header(_))));
    }
}
