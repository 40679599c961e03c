//! Verdicts of verifiers, and the validation of their checks.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::{Fault, FaultKind};

/// Named condition that a verifier has checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Name, unique within the verdict.
    pub name: String,
    /// True if the condition holds.
    pub passed: bool,
    /// Expected and actual value.
    pub detail: String,
}

/// Result of a verifier on a final state: one or more checks with distinct names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Verdict {
    checks: Vec<Check>,
}

/// Deserialised verdict that was not validated, because its source is not trusted.
#[derive(Deserialize)]
struct Unchecked {
    checks: Vec<Check>,
}

/// Limits on the checks of a verdict.
pub trait VerdictLimits {
    /// Returns the maximum number of checks.
    fn checks(&self) -> u64;

    /// Returns the maximum number of bytes of all names and details together.
    fn output_bytes(&self) -> u64;

    /// Returns a note for the end of a fault's message: the name of the limit (`checks` or `output_bytes`), and how to
    /// raise it.
    fn hint(&self, name: &'static str) -> String;
}

/// Maximum number of checks of a stored verdict, and the default ceiling of hosts.
pub const MAX_CHECKS: u64 = 100_000;

/// Maximum size of all names and details of a stored verdict, in bytes, and the default ceiling of hosts.
pub const MAX_OUTPUT_BYTES: u64 = 16 << 20;

/// Limits on verdicts from other machines.
struct Ceiling;

impl VerdictLimits for Ceiling {
    fn checks(&self) -> u64 {
        MAX_CHECKS
    }

    fn output_bytes(&self) -> u64 {
        MAX_OUTPUT_BYTES
    }

    fn hint(&self, name: &'static str) -> String {
        format!("(limit `{name}`, fixed for stored verdicts)")
    }
}

impl TryFrom<Unchecked> for Verdict {
    type Error = Fault;

    fn try_from(written: Unchecked) -> Result<Self, Fault> {
        Self::new(written.checks, &Ceiling)
    }
}

impl Verdict {
    /// Validates the checks of a guest.
    ///
    /// # Errors
    ///
    /// Returns an `output` fault for an empty list, for an empty, invisible or repeated name, and for too many checks
    /// or bytes.
    pub fn new(checks: Vec<Check>, limits: &impl VerdictLimits) -> Result<Self, Fault> {
        let fault = |message| Err(Fault::new(FaultKind::Output, message));
        if checks.is_empty() {
            return fault("the verifier returned no checks".into());
        }
        if checks.len() as u64 > limits.checks() {
            return fault(format!(
                "the verdict has {} checks, more than {} {}",
                checks.len(),
                limits.checks(),
                limits.hint("checks")
            ));
        }
        let bytes: usize = checks
            .iter()
            .map(|check| check.name.len() + check.detail.len())
            .sum();
        if bytes as u64 > limits.output_bytes() {
            return fault(format!(
                "the verdict has {bytes} bytes, more than {} {}",
                limits.output_bytes(),
                limits.hint("output_bytes")
            ));
        }
        let mut names = HashSet::new();
        for (index, check) in checks.iter().enumerate() {
            if !is_visible(&check.name) {
                return fault(if check.name.trim().is_empty() {
                    format!("check {} has no name", index + 1)
                } else {
                    format!(
                        "check {} has an invisible name: {:?}; use a letter, a digit or a sign",
                        index + 1,
                        check.name.chars().take(SHOWN).collect::<String>()
                    )
                });
            }
            if !names.insert(check.name.as_str()) {
                return fault(format!("two checks are named {:?}", check.name));
            }
        }
        Ok(Self { checks })
    }

    /// Returns the checks, in the order in which the verifier made them.
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// Reports whether all checks passed.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.passed)
    }

    /// Returns the share of checks that passed, from 0 to 1.
    pub fn score(&self) -> f64 {
        let passed = self.checks.iter().filter(|check| check.passed).count();
        passed as f64 / self.checks.len() as f64
    }
}

/// Number of characters of an invisible name that its fault shows.
const SHOWN: usize = 16;

/// Reports whether a text has a visible character: one that is not white space, a control character or a blank
/// character.
pub fn is_visible(text: &str) -> bool {
    let mut characters = text.chars();
    characters.any(|it| !it.is_whitespace() && !it.is_control() && !is_blank(it))
}

/// Reports whether a character is drawn as nothing by itself: the characters that Unicode calls default ignorable, the
/// anchors of annotations, and the blank pattern of Braille.
fn is_blank(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Limits with a fixed hint.
    struct Fixed(u64, u64);

    impl VerdictLimits for Fixed {
        fn checks(&self) -> u64 {
            self.0
        }

        fn output_bytes(&self) -> u64 {
            self.1
        }

        fn hint(&self, name: &'static str) -> String {
            format!("(limit `{name}`)")
        }
    }

    fn check(name: &str, passed: bool) -> Check {
        Check {
            name: name.into(),
            passed,
            detail: String::new(),
        }
    }

    #[test]
    fn score_is_the_share_that_passed() {
        let verdict = Verdict::new(vec![check("a", true), check("b", false)], &Ceiling).unwrap();
        assert!(!verdict.passed());
        assert_eq!(verdict.score(), 0.5);
    }

    #[test]
    fn a_name_has_something_to_see() {
        let named = |name: &str| Verdict::new(vec![check(name, true)], &Ceiling);
        for name in [
            "\u{200b}",
            "\0",
            "\u{1b}\u{7f}",
            " \u{feff}\t\u{2060} ",
            "\u{e0061}\u{e0062}",
            "\u{3164}\u{ad}",
        ] {
            let fault = named(name).unwrap_err();
            assert_eq!(fault.kind, FaultKind::Output);
            assert!(
                fault
                    .message
                    .starts_with("check 1 has an invisible name: \""),
                "{}",
                fault.message
            );
        }
        // Names in any script or sign, and names in which invisible characters accompany visible ones.
        for name in [
            "a",
            "1",
            "→",
            "✔\u{fe0f}",
            "检查",
            "سجل\u{200f}",
            "\u{1b}[1mred",
            "e\u{301}",
            "👩‍💻",
        ] {
            named(name).unwrap();
        }
    }

    #[test]
    fn a_forged_verdict_is_not_read_back() {
        let verdict = Verdict::new(vec![check("a", true)], &Ceiling).unwrap();
        let text = serde_json::to_string(&verdict).unwrap();
        assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
        let error = serde_json::from_str::<Verdict>("{\"checks\": []}").unwrap_err();
        assert!(error.to_string().contains("no checks"), "{error}");
    }

    #[test]
    fn forged_lists_are_faults() {
        let limits = Fixed(2, 10);
        for (checks, message) in [
            (vec![], "the verifier returned no checks"),
            (
                vec![check("a", true), check("a", true)],
                "two checks are named \"a\"",
            ),
            (vec![check(" ", true)], "check 1 has no name"),
            (
                vec![check("a", true), check("b", true), check("c", true)],
                "the verdict has 3 checks, more than 2 (limit `checks`)",
            ),
            (
                vec![check("a long name", true)],
                "the verdict has 11 bytes, more than 10 (limit `output_bytes`)",
            ),
        ] {
            let fault = Verdict::new(checks, &limits).unwrap_err();
            assert_eq!(fault.kind, FaultKind::Output);
            assert_eq!(fault.message, message);
        }
    }
}
