//! Cost profiles as data: a JSON file gives the weights by operation class and the frequencies of the unknown.
//!
//! ```json
//! { "weights": { "div_var": 40, "bind": 0.5 }, "default_extent": 16 }
//! ```
//! What a file leaves out has the default; a key that does not exist is an error.

use serde::{Deserialize, Serialize};

use super::{Frequency, Weight};
use crate::ir::opclass::OpClass;

macro_rules! weights {
    ($($field:ident $class:ident $default:literal)*) => {
        /// Weight of each [`OpClass`]; a field's name is the class's name.
        ///
        /// ```
        /// use satir::cost::Profile;
        /// use satir::ir::opclass::OpClass;
        ///
        /// let profile = Profile::from_json(r#"{"weights": {"div_var": 40}}"#)?;
        /// assert_eq!(profile.weight(OpClass::DivVar).to_f64(), 40.0);
        /// assert_eq!(profile.weight(OpClass::Mul).to_f64(), 3.0, "the others keep their defaults");
        /// # Ok::<(), satir::cost::ProfileError>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Weights {
            $(
                #[doc = concat!("Weight of [`OpClass::", stringify!($class), "`].")]
                $field: f64,
            )*
            bind: f64,
        }

        impl Default for Weights {
            fn default() -> Weights {
                Weights { $($field: $default,)* bind: 0.25 }
            }
        }

        impl Weights {
            fn get(&self, class: OpClass) -> f64 {
                match class {
                    $(OpClass::$class => self.$field,)*
                    OpClass::Bind => self.bind,
                }
            }
        }
    };
}

weights! {
    add AddSub 1.0
    compare Compare 1.0
    logic Logic 1.0
    select Select 1.0
    shift Shift 1.0
    bitwise Bitwise 1.0
    int_cast IntCast 1.0
    min_max MinMax 2.0
    mul_pow2 MulPow2 1.0
    mul Mul 3.0
    div_pow2 DivPow2 1.0
    div_const DivConst 5.0
    div_var DivVar 24.0
    load Load 4.0
    float_arith FloatArith 2.0
    float_div FloatDiv 12.0
    transcendental Transcendental 30.0
    store Store 0.0
    call Call 0.0
}

/// The file form of a profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProfileFile {
    weights: Weights,
    default_extent: u32,
    branch: f64,
    likely: f64,
    exact_guards: bool,
}

impl Default for ProfileFile {
    fn default() -> ProfileFile {
        ProfileFile {
            weights: Weights::default(),
            default_extent: 32,
            branch: 0.5,
            likely: 0.9,
            exact_guards: false,
        }
    }
}

/// What is wrong with a profile.
///
/// ```
/// use satir::cost::Profile;
///
/// let error = Profile::from_json(r#"{"weights": {"mull": 3}}"#).unwrap_err();
/// assert!(error.to_string().contains("mull"), "{error}");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// It is not JSON of the right form, or has an unknown key.
    #[error("bad cost profile: {0}")]
    Json(#[from] serde_json::Error),
    /// It or its `weights` is not an object.
    #[error("bad cost profile: expected an object")]
    NotObject,
    /// A number is out of its range.
    #[error("bad cost profile: `{key}` is {value}, expected {expected}")]
    Range {
        /// The key.
        key: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
}

/// A checked cost profile. [`Profile::default`] counts operations of a scalar CPU; stores and calls that are not
/// pure weigh nothing in it, since no pass changes their number.
///
/// ```
/// use satir::cost::{Profile, cost_of_expr};
/// use satir::ir::{DType, Expr, VarId};
///
/// let dear = Profile::from_json(r#"{"weights": {"mul": 10}}"#)?;
/// let e = Expr::var(VarId(0), DType::I32) * 3;
/// assert!(cost_of_expr(&dear, &e) > cost_of_expr(&Profile::default(), &e));
/// # Ok::<(), satir::cost::ProfileError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    file: ProfileFile,
    // Invariant: one entry per class, in the order of the enum's declaration.
    weights: Vec<Weight>,
    branch: Frequency,
    likely: Frequency,
}

impl Default for Profile {
    fn default() -> Profile {
        Profile::check(ProfileFile::default()).expect("the default profile is in range")
    }
}

impl Profile {
    /// Reads a profile from JSON text.
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::ir::opclass::OpClass;
    ///
    /// // What is not named keeps its default.
    /// let profile = Profile::from_json(r#"{"weights": {"mul": 4}}"#)?;
    /// assert_eq!(profile.weight(OpClass::Mul).to_f64(), 4.0);
    /// assert_eq!(profile.weight(OpClass::DivVar).to_f64(), 24.0);
    /// # Ok::<(), satir::cost::ProfileError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Profile, ProfileError> {
        let file = serde_json::from_str(text)?;
        // The derived reader also takes a list of the fields in order; a profile is an object of named ones.
        let value: serde_json::Value = serde_json::from_str(text)?;
        if !value.is_object() || value.get("weights").is_some_and(|w| !w.is_object()) {
            return Err(ProfileError::NotObject);
        }
        Profile::check(file)
    }

    /// The whole profile as JSON text, defaults included.
    ///
    /// ```
    /// use satir::cost::Profile;
    ///
    /// let text = Profile::default().to_json();
    /// assert_eq!(Profile::from_json(&text)?.to_json(), text);
    /// # Ok::<(), satir::cost::ProfileError>(())
    /// ```
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&self.file).expect("a profile is plain data")
    }

    /// A profile by its name: `default`, or `padding`, in which a store weighs 4 and conditions on loop variables count as
    /// often as they hold. With it a program is cheaper that stores less, or runs a condition less often than half.
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::ir::opclass::OpClass;
    ///
    /// let padding = Profile::named("padding").expect("there is one");
    /// assert_eq!(padding.weight(OpClass::Store).to_f64(), 4.0);
    /// assert_eq!(Profile::named("default"), Some(Profile::default()));
    /// ```
    pub fn named(name: &str) -> Option<Profile> {
        let file = match name {
            "default" => ProfileFile::default(),
            "padding" => ProfileFile {
                weights: Weights { store: 4.0, ..Weights::default() },
                exact_guards: true,
                ..ProfileFile::default()
            },
            _ => return None,
        };
        Profile::check(file).ok()
    }

    fn check(file: ProfileFile) -> Result<Profile, ProfileError> {
        let mut weights = vec![Weight::ZERO; OpClass::ALL.len()];
        for &class in OpClass::ALL {
            let value = file.weights.get(class);
            weights[class as usize] = Weight::from_f64(value).ok_or(ProfileError::Range {
                key: class.name(),
                value,
                expected: "a number from 0 to 1000000",
            })?;
        }
        let probability = |key, value| {
            Frequency::probability(value).ok_or(ProfileError::Range {
                key,
                value,
                expected: "a number from 0 to 1",
            })
        };
        let branch = probability("branch", file.branch)?;
        let likely = probability("likely", file.likely)?;
        Ok(Profile { file, weights, branch, likely })
    }

    /// The weight of one operation of `class` (on up to 8 lanes).
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::ir::opclass::OpClass;
    ///
    /// assert_eq!(Profile::default().weight(OpClass::DivVar).to_f64(), 24.0);
    /// ```
    pub fn weight(&self, class: OpClass) -> Weight {
        self.weights[class as usize]
    }

    /// The trip count of a loop of which nothing is known.
    ///
    /// ```
    /// use satir::cost::Profile;
    ///
    /// assert_eq!(Profile::default().default_extent(), 32);
    /// ```
    pub fn default_extent(&self) -> u64 {
        u64::from(self.file.default_extent)
    }

    /// Whether the iterations in which a condition on loop variables holds are counted.
    pub(crate) fn exact_guards(&self) -> bool {
        self.file.exact_guards
    }

    /// The probability of an arm of an `if`.
    ///
    /// ```
    /// use satir::cost::Profile;
    ///
    /// assert_eq!(Profile::default().branch().to_f64(), 0.5);
    /// ```
    pub fn branch(&self) -> Frequency {
        self.branch
    }

    /// The probability of a condition under `T.likely`.
    ///
    /// ```
    /// use satir::cost::Profile;
    ///
    /// assert!((Profile::default().likely().to_f64() - 0.9).abs() < 1e-6);
    /// ```
    pub fn likely(&self) -> Frequency {
        self.likely
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_is_the_table_of_the_design() {
        let p = Profile::default();
        let w = |class| p.weight(class).to_f64();
        assert_eq!(w(OpClass::AddSub), 1.0);
        assert_eq!(w(OpClass::Mul), 3.0);
        assert_eq!(w(OpClass::DivConst), 5.0);
        assert_eq!(w(OpClass::DivVar), 24.0);
        assert_eq!(w(OpClass::Bind), 0.25);
    }

    #[test]
    fn a_file_changes_what_it_names() {
        let p = Profile::from_json(r#"{"weights": {"bind": 0.5}, "default_extent": 4}"#).unwrap();
        assert_eq!(p.weight(OpClass::Bind).to_f64(), 0.5);
        assert_eq!(p.default_extent(), 4);
        assert_eq!(Profile::from_json(&p.to_json()).unwrap(), p);
    }

    #[test]
    fn bad_files_are_refused() {
        for bad in [
            r#"{"weight": {}}"#,
            r#"{"weights": {"bindd": 1}}"#,
            r#"{"weights": {"bind": -1}}"#,
            r#"{"weights": {"bind": 1e9}}"#,
            r#"{"default_extent": -1}"#,
            r#"{"branch": 1.5}"#,
            r#"[]"#,
            "",
        ] {
            let message = Profile::from_json(bad).unwrap_err().to_string();
            assert!(message.starts_with("bad cost profile: "), "{message}");
        }
    }
}
