//! Sample texts of a task: right ones, and wrong ones with one false fact. Native builds only.

use super::Prose;
use crate::{Condition, Found};

/// A text of a file of samples.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Name of the sample.
    pub name: String,
    /// The text.
    pub text: String,
    /// Check that must fail, if the text is wrong.
    pub fails: Option<String>,
}

/// Reads a file of samples.
///
/// A section `=== right NAME` is a whole text. A section `=== wrong NAME of RIGHT: CHECK` is the right
/// text of that name with one change: the lines of what to replace, then `=>`, then the lines of the
/// replacement. The check must fail.
///
/// # Panics
/// Panics if a section has another form, or if what to replace is not there exactly once.
pub fn samples(file: &str) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    for section in file
        .split("\n=== ")
        .map(|section| section.trim_start_matches("=== "))
    {
        let (head, body) = section.split_once('\n').unwrap_or((section, ""));
        if let Some(name) = head.strip_prefix("right ") {
            samples.push(Sample {
                name: name.to_owned(),
                text: format!("{}\n", body.trim()),
                fails: None,
            });
        } else if let Some(rest) = head.strip_prefix("wrong ") {
            let (names, check) = rest
                .split_once(": ")
                .expect("a wrong text names the check that fails");
            let (name, of) = names
                .split_once(" of ")
                .expect("a wrong text names its right one");
            let right = samples.iter().find(|sample| sample.name == of);
            let right = right.unwrap_or_else(|| panic!("{name}: there is no text {of}"));
            // The last line of a section has lost its end.
            let body = format!("{body}\n");
            let parts = body.split_once("=>\n");
            let (old, new) = parts.unwrap_or_else(|| panic!("{name}: there is no line =>"));
            let (old, new) = (old.trim(), new.trim());
            let count = right.text.matches(old).count();
            assert_eq!(
                count, 1,
                "{name}: expected {old:?} in {of} once, found it {count} times"
            );
            samples.push(Sample {
                name: format!("{name} of {of}"),
                text: right.text.replacen(old, new, 1),
                fails: Some(check.trim().to_owned()),
            });
        } else {
            panic!("expected a section \"right\" or \"wrong\", found {head:?}");
        }
    }
    samples
}

/// Judges samples, and describes each that is judged wrongly: a right text that fails a check, a
/// wrong one that passes its check, and a right one that passes with a digit changed.
pub fn misjudged<I>(samples: &[Sample], judge: impl Fn(&Found<Prose>) -> I) -> Vec<String>
where
    I: IntoIterator<Item = (String, Condition)>,
{
    let failed = |text: &str| {
        let prose = Found::new("the text", Ok(text.to_owned())).prose();
        let failed = judge(&prose)
            .into_iter()
            .filter(|(_, condition)| !condition.passed());
        let failed = failed.map(|(name, condition)| (name, condition.detail().to_owned()));
        failed.collect::<Vec<(String, String)>>()
    };
    let mut mistakes = Vec::new();
    for sample in samples {
        let failed_checks = failed(&sample.text);
        match &sample.fails {
            None if failed_checks.is_empty() => {}
            Some(check) if failed_checks.iter().any(|(name, _)| name == check) => continue,
            wanted => {
                mistakes.push(format!(
                    "{} (must fail: {wanted:?}): {failed_checks:#?}",
                    sample.name
                ));
                continue;
            }
        }
        for (at, digit) in sample
            .text
            .char_indices()
            .filter(|(_, char)| char.is_ascii_digit())
        {
            let line = sample.text[..at].rfind('\n').map_or(0, |end| end + 1);
            // The number of an item of a list is no text.
            if at == line && sample.text[at + 1..].starts_with(['.', ')']) {
                continue;
            }
            let other = if digit == '9' {
                '0'
            } else {
                char::from(digit as u8 + 1)
            };
            let text = format!("{}{other}{}", &sample.text[..at], &sample.text[at + 1..]);
            if failed(&text).is_empty() {
                let end = text[line..].find('\n').map_or(text.len(), |end| line + end);
                mistakes.push(format!(
                    "{} passes with {:?}",
                    sample.name,
                    &text[line..end]
                ));
            }
        }
    }
    mistakes
}
