//! Conversion of a program's output and exit code to a verdict.

use std::collections::HashMap;

use mcpmark_verdict::is_visible;

use super::host::Program;
use crate::host::cut;
use crate::limits::Allowed;
use crate::{Check, Fault, Verdict};

/// Maximum size of a check's name, in bytes. Longer names are shortened.
const NAME_BYTES: usize = 300;
/// Name of the check of the exit code, which decides.
const EXIT: &str = "exit code";

const PASSED: [char; 4] = ['✓', '✔', '✅', '☑'];
const FAILED: [char; 5] = ['✗', '✘', '❌', '✖', '❎'];

/// Returns the checks that a program printed, followed by a check of its exit code, which alone decides: 0 is a pass,
/// even if the output reports failures. Therefore lines that report a failure count only if the exit code is not 0.
pub(crate) fn verdict(
    stdout: &str,
    exit_code: u8,
    allowed: &Allowed,
    program: Program,
) -> Result<Verdict, Fault> {
    let passed = exit_code == 0;
    let mut seen = HashMap::new();
    let mut named = |name: String| {
        let times = seen.entry(name.clone()).or_insert(0_u32);
        *times += 1;
        match *times {
            1 => name,
            times => format!("{name} ({times})"),
        }
    };
    let exit = Check {
        name: named(EXIT.to_owned()),
        passed,
        detail: format!(
            "the {} ended with the exit code {exit_code}",
            program.noun()
        ),
    };
    let room = usize::try_from(allowed.limits.checks).unwrap_or(usize::MAX);
    let mut left = allowed.limits.output_bytes.saturating_sub(1 << 10);
    let lines = stdout.lines().filter_map(line);
    let checks = lines
        .filter(|(_, said)| *said || !passed)
        .take(room.saturating_sub(1))
        .map(|(name, passed)| Check {
            name: named(cut(name.to_owned(), NAME_BYTES)),
            passed,
            detail: String::new(),
        })
        .take_while(|check| {
            let fits = check.name.len() as u64 <= left;
            left = left.saturating_sub(check.name.len() as u64);
            fits
        });
    Verdict::new(distinct(checks.chain([exit]).collect()), allowed)
}

/// Parses a line that reports a check: a mark followed by its name.
fn line(line: &str) -> Option<(&str, bool)> {
    let line = line.trim();
    let mark = line.chars().next()?;
    let passed = PASSED.contains(&mark);
    if !passed && !FAILED.contains(&mark) {
        return None;
    }
    // A variation selector may follow the mark.
    let name = line[mark.len_utf8()..]
        .trim_start_matches('\u{fe0f}')
        .trim();
    is_visible(name).then_some((name, passed))
}

/// Removes checks with a name that an earlier check has, whether by chance or on purpose.
fn distinct(mut checks: Vec<Check>) -> Vec<Check> {
    let last = checks.len().saturating_sub(1);
    let mut names = std::collections::HashSet::from([EXIT.to_owned()]);
    let mut number = 0;
    checks.retain(|check| {
        let keep = number == last || names.insert(check.name.clone());
        number += 1;
        keep
    });
    checks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GuestKind, Limits};

    fn made(stdout: &str, exit_code: u8) -> Vec<(String, bool)> {
        let allowed = Allowed::new(GuestKind::Verifier, &Limits::SCRIPT, &Limits::CEILING);
        let verdict = verdict(stdout, exit_code, &allowed, Program::Script).unwrap();
        assert_eq!(verdict.passed(), exit_code == 0);
        let checks = verdict.checks().iter();
        checks.map(|it| (it.name.clone(), it.passed)).collect()
    }

    fn exit(passed: bool) -> (String, bool) {
        (EXIT.to_owned(), passed)
    }

    #[test]
    fn marked_lines_are_checks_and_the_exit_code_decides() {
        let text = "Verifying…\n✓ one\n  ✅ two \n❌ three\n✗\n✔️ four\nnot ✓ five\n";
        let named = |names: &[(&str, bool)]| -> Vec<(String, bool)> {
            names
                .iter()
                .map(|(name, passed)| ((*name).to_owned(), *passed))
                .collect()
        };
        let mut failed = named(&[
            ("one", true),
            ("two", true),
            ("three", false),
            ("four", true),
        ]);
        failed.push(exit(false));
        assert_eq!(made(text, 1), failed);
        let mut passed = named(&[("one", true), ("two", true), ("four", true)]);
        passed.push(exit(true));
        assert_eq!(made(text, 0), passed);
        assert_eq!(made("✓ \u{200b}\n", 0), [exit(true)]);
        assert_eq!(made("", 0), [exit(true)]);
        assert_eq!(made("✓ all is well\n", 3).last(), Some(&exit(false)));
    }

    #[test]
    fn names_stay_distinct_and_within_bounds() {
        let names: Vec<String> = made("✓ a\n✓ a\n✓ a (2)\n✓ exit code\n", 0)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["a", "a (2)", "exit code (2)", "exit code"]);
        let many: String = (0..5_000).map(|number| format!("✓ {number}\n")).collect();
        assert_eq!(made(&many, 0).len() as u64, Limits::SCRIPT.checks);
        let long = made(&format!("✓ {}\n", "é".repeat(1 << 20)), 0);
        assert!(long[0].0.len() < 310, "{}", long[0].0.len());
    }
}
