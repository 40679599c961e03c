//! Expected values of the verifier in the starting world: answers that an agent could copy instead of working them out.

use std::collections::BTreeSet;

use mcpmark_agent::ToolCall;
use mcpmark_sandbox::Verdict;
use mcpmark_snapshot::Snapshot;
use serde_json::Value;

use crate::certification_run::CertificationRun;
use crate::declared::{detail, normal};
use crate::lint::LEAK;
use crate::play::Played;
use crate::points::NO_EXPECTED_VALUE;
use crate::skeleton::extension;

impl CertificationRun<'_> {
    /// Checks that no expected value that the solution wrote occurs in a place that the solution did not read. `strings`
    /// are the literals of the verifier, and `verdicts` those on near misses, whose details quote expected values.
    pub(crate) fn expected_values<'v>(
        &mut self,
        solved: &Played,
        strings: Option<&BTreeSet<String>>,
        verdicts: impl Iterator<Item = &'v Verdict>,
    ) {
        let start = self.snapshot(&self.prepared.start.tree);
        let quoted = verdicts
            .flat_map(|verdict| verdict.checks())
            .filter(|check| !check.passed)
            .flat_map(|check| quotations(&check.detail));
        let literals = strings.into_iter().flatten().cloned();
        let expected: BTreeSet<String> = literals
            .chain(quoted)
            .map(|value| normal(&value))
            .filter(|value| is_value(value))
            .collect();
        let answer = solved
            .answer
            .as_deref()
            .filter(|_| self.prepared.judged_on.answer);
        let known = Known::of(&self.task.instruction, solved);
        let written = known.written(expected, &solved.calls, answer);
        let places = places(&start);
        let problems: Vec<String> = written
            .iter()
            .filter_map(|value| {
                let place = places
                    .iter()
                    .find(|(_, texts)| texts.iter().any(|text| text.contains(value.as_str())));
                let (place, _) = place?;
                Some(format!(
                    "{value:?} occurs in {place}, which the solution does not read"
                ))
            })
            .collect();
        let passed = format!("{} values, {} places", written.len(), places.len());
        self.check(
            NO_EXPECTED_VALUE,
            problems.is_empty(),
            detail(&problems, passed),
        );
    }
}

/// Texts from which the solution legitimately knows a value: the instruction, and the results of its calls.
struct Known(Vec<String>);

impl Known {
    fn of(instruction: &str, solved: &Played) -> Self {
        let instruction = normal(instruction);
        let results = solved.results.iter().flat_map(texts_of);
        Self(std::iter::once(instruction).chain(results).collect())
    }

    /// Returns the values that the solution wrote or answered without having seen them as a whole.
    fn written(
        &self,
        values: BTreeSet<String>,
        calls: &[ToolCall],
        answer: Option<&str>,
    ) -> Vec<String> {
        let arguments = calls.iter().flat_map(|call| call.arguments.values());
        let mut written: Vec<String> = arguments.flat_map(texts_of).collect();
        written.extend(answer.map(normal));
        let is_in = |texts: &[String], value: &str| texts.iter().any(|text| text.contains(value));
        values
            .into_iter()
            .filter(|value| is_in(&written, value) && !is_in(&self.0, value))
            .collect()
    }
}

/// Returns the texts of the world's files, by path. A file that is JSON also has its strings as texts.
fn places(world: &Snapshot) -> Vec<(String, Vec<String>)> {
    let files = world.tree.files();
    let texts = files.filter_map(|(path, _)| {
        let text = String::from_utf8(world.read(&path).ok()?).ok()?;
        Some((path.to_string(), texts_of(&Value::String(text))))
    });
    texts.collect()
}

/// Reports whether a text is long enough to be no coincidence, and may be a result. Paths are not, because the world
/// names its files. A text without a digit is not: it is a name or a heading, which a pattern in the world may have.
fn is_value(text: &str) -> bool {
    let is_path = extension(text).is_some() || (text.contains('/') && !text.contains(' '));
    text.chars().count() >= LEAK && text.contains(|c: char| c.is_ascii_digit()) && !is_path
}

/// Returns the strings in a value, in normal form. A string that is JSON itself is followed by its strings.
fn texts_of(value: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    collect(value, &mut texts);
    texts
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            texts.push(normal(text));
            if text.trim_start().starts_with(['{', '['])
                && let Ok(inner) = serde_json::from_str::<Value>(text)
            {
                collect(&inner, texts);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(object) => object.values().for_each(|item| collect(item, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the quoted texts in the detail of a check. Texts that are cut off are left out.
fn quotations(detail: &str) -> Vec<String> {
    let mut quotations = Vec::new();
    let mut rest = detail;
    let mut is_cut = false;
    while let Some(start) = rest.find('"') {
        is_cut = is_cut || rest[..start].ends_with('…');
        let content = &rest[start..];
        let mut is_escaped = false;
        let end = content.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == '"' && !is_escaped;
            is_escaped = *c == '\\' && !is_escaped;
            ends
        });
        let Some((end, _)) = end else {
            break;
        };
        if !is_cut && let Ok(text) = serde_json::from_str(&content[..=end]) {
            quotations.push(text);
        }
        is_cut = false;
        rest = &content[end + 1..];
    }
    quotations
}

#[cfg(test)]
mod tests {
    use mcpmark_snapshot::{File, MemoryBlobs, TreeBuilder, TreePath};
    use serde_json::json;

    use super::*;

    #[test]
    fn quoted_texts_are_read_from_details() {
        let detail = r#"a.csv: expected "Total 12.50 \"net\" \\ €", found "x", expected …"rest of it", and "cut… (3 more characters)"#;
        assert_eq!(quotations(detail), ["Total 12.50 \"net\" \\ €", "x"]);
        assert_eq!(quotations(r#"…"a" or "b""#), ["b"]);
        assert!(quotations("3 of 4").is_empty());
    }

    #[test]
    fn results_are_values_and_headings_are_not() {
        assert!(is_value("The total for June is 1,204.50 EUR"));
        for other in [
            "total 1,204.50 EUR",
            "date,supplier,amount,category",
            "01 Programme/call sheet for Friday.md",
            "https://example.org/a/12345678",
        ] {
            assert!(!is_value(other), "{other}");
        }
    }

    #[test]
    fn values_are_leaked_only_if_the_solution_did_not_see_them() {
        let value = "Total for June: 1,204.50 EUR";
        let calls = |text: &str| {
            let arguments = json!({"path": "a.txt", "edits": [{"newText": text}]});
            vec![ToolCall {
                name: "edit_file".to_owned(),
                arguments: arguments.as_object().cloned().unwrap(),
                ..ToolCall::default()
            }]
        };
        let written = |known: &[&str], calls: &[ToolCall], answer| {
            let known = Known(known.iter().map(|text| normal(text)).collect());
            known.written(BTreeSet::from([value.to_owned()]), calls, answer)
        };
        let wrote = calls("# June\n\nTotal for\nJune: 1,204.50 EUR\n");
        assert_eq!(written(&["Write the total."], &wrote, None), [value]);
        assert_eq!(written(&[], &calls("nothing"), Some(value)), [value]);
        assert!(written(&[], &calls("nothing"), None).is_empty());
        // What the instruction dictates or the solution has read is no leak.
        assert!(written(&["Write `Total for June:  1,204.50 EUR`."], &wrote, None).is_empty());
    }

    #[test]
    fn strings_of_json_files_are_texts_of_their_own() {
        let blobs = MemoryBlobs::new();
        let mut tree = TreeBuilder::new();
        for (path, text) in [
            ("notes.txt", "Total for June:\n  1,204.50 EUR".to_owned()),
            (
                "hub.json",
                json!({"body": "say \"Total\"\nfor June"}).to_string(),
            ),
        ] {
            let file = File {
                size: text.len() as u64,
                executable: false,
                modified: None,
                content: blobs.put(text.into_bytes()),
            };
            tree.insert_file(&TreePath::parse(path).unwrap(), file)
                .unwrap();
        }
        let world = Snapshot::new(tree.finish(), std::sync::Arc::new(blobs));
        let places = places(&world);
        assert_eq!(places[0].0, "hub.json");
        assert_eq!(places[0].1[1], "say \"Total\" for June");
        assert_eq!(places[1].1, ["Total for June: 1,204.50 EUR"]);
    }
}
