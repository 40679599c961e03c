//! Expected values of the verifier in the starting world: answers that an agent could copy instead of working them out.

use std::collections::{BTreeSet, HashSet};

use mcpmark_sandbox::Verdict;
use mcpmark_snapshot::{Snapshot, Tree};
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
    /// Nothing is examined if there are neither literals nor quotations.
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
        let expected: BTreeSet<String> =
            literals.chain(quoted).map(|value| normal(&value)).collect();
        if expected.is_empty() {
            return;
        }
        let names = names([&start.tree, &solved.tree]);
        let expected = expected.into_iter();
        let expected = expected.filter(|value| is_value(value, &names)).collect();
        let answer = solved
            .answer
            .as_deref()
            .filter(|_| self.prepared.judged_on.answer);
        let known = Known::of(&self.task.instruction, solved);
        let places = places(&start);
        let end = self.snapshot(&solved.tree);
        let changed = changed(&places, &self::places(&end));
        let written = Written::of(solved, answer, &changed);
        let written = written.unknown(expected, &known);
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

/// Path of a file, and its texts in normal form.
type Place = (String, Vec<String>);

/// Texts from which the solution legitimately knows a value.
struct Known {
    instruction: String,
    /// Texts in the results of its calls, each with the number of calls that had started before the result.
    results: Vec<(usize, String)>,
    /// Words of each result and of the instruction, with the same number.
    words: Vec<(usize, HashSet<String>)>,
}

impl Known {
    fn of(instruction: &str, solved: &Played) -> Self {
        let results = solved.results.iter().flat_map(|(before, result)| {
            let texts = texts_of(result).into_iter();
            texts.map(|text| (*before, text))
        });
        let asked: HashSet<String> = words(instruction).map(str::to_owned).collect();
        let words = solved.results.iter().map(|(before, result)| {
            let texts = texts_of(result);
            let read = texts.iter().flat_map(|text| words(text)).map(str::to_owned);
            (*before, read.chain(asked.iter().cloned()).collect())
        });
        Self {
            instruction: normal(instruction),
            results: results.collect(),
            words: words.collect(),
        }
    }

    /// Reports whether the solution knew a value when it made its call with this index: as a whole, or in its parts, such
    /// as a title and a number in one result, of which it composed the value. The results of this call and of
    /// later ones do not count, because a tool may repeat what it was told to write.
    fn before(&self, call: usize, value: &str) -> bool {
        let mut results = self.results.iter();
        let mut read = self.words.iter();
        self.instruction.contains(value)
            || results.any(|(before, text)| *before <= call && text.contains(value))
            || read.any(|(before, read)| {
                *before <= call && words(value).all(|word| read.contains(word))
            })
    }
}

/// Texts that the solution wrote, each with the index of its call. The answer follows the last call.
struct Written(Vec<(usize, String)>);

impl Written {
    /// Collects the arguments of calls that do not only read, and the answer. `changed` are the texts of changed files
    /// before and after. An argument that occurs as a whole before, and not after, is left out: it names the part of a
    /// file that is to be replaced.
    fn of(solved: &Played, answer: Option<&str>, changed: &[(String, String)]) -> Self {
        let is_replaced = |text: &str| {
            let mut changed = changed.iter();
            changed.any(|(before, after)| before.contains(text) && !after.contains(text))
        };
        let calls = solved.calls.iter().enumerate();
        let calls = calls.filter(|(index, _)| !solved.only_reads[*index]);
        let mut texts: Vec<(usize, String)> = calls
            .flat_map(|(index, call)| {
                let texts = call.arguments.values().flat_map(texts_of);
                texts.map(move |text| (index, text))
            })
            .filter(|(_, text)| !is_replaced(text))
            .collect();
        texts.extend(answer.map(|answer| (solved.calls.len(), normal(answer))));
        Self(texts)
    }

    /// Returns the values that the solution wrote without having seen them as a whole before.
    fn unknown(&self, values: BTreeSet<String>, known: &Known) -> Vec<String> {
        let is_unknown = |value: &String| {
            let mut texts = self.0.iter();
            // The texts are in the order of their calls, so that the first one decides.
            let first = texts.find(|(_, text)| text.contains(value));
            first.is_some_and(|(call, _)| !known.before(*call, value))
        };
        values.into_iter().filter(is_unknown).collect()
    }
}

/// Returns the words and numbers of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// Returns the texts of each file that the solution changed or removed: at the start, and at the end.
fn changed(start: &[Place], end: &[Place]) -> Vec<(String, String)> {
    let changed = start.iter().filter_map(|(path, before)| {
        let after = end.iter().find(|(other, _)| other == path);
        let after = after.map_or(&[][..], |(_, after)| after);
        // The texts have no line breaks, so none occurs across two of them.
        (before != after).then(|| (before.join("\n"), after.join("\n")))
    });
    changed.collect()
}

/// Returns the names of the files in trees, without their directories.
fn names<'t>(trees: impl IntoIterator<Item = &'t Tree>) -> BTreeSet<String> {
    let files = trees.into_iter().flat_map(Tree::files);
    files
        .filter_map(|(path, _)| path.name().map(str::to_owned))
        .collect()
}

/// Returns the texts of the world's files, by path. A file that is JSON also has its strings as texts.
fn places(world: &Snapshot) -> Vec<Place> {
    let files = world.tree.files();
    let texts = files.filter_map(|(path, _)| {
        let text = String::from_utf8(world.read(&path).ok()?).ok()?;
        Some((path.to_string(), texts_of(&Value::String(text))))
    });
    texts.collect()
}

/// Reports whether a text is long enough to be no coincidence, and may be a result. Paths are not, because the world
/// names its files: texts with a slash, and the `names` of files. A text without a digit is not either: it is a name or a
/// heading, which a pattern in the world may have.
fn is_value(text: &str, names: &BTreeSet<String>) -> bool {
    let has_slash = text.contains('/');
    let is_path =
        names.contains(text) || (has_slash && (extension(text).is_some() || !text.contains(' ')));
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
    use mcpmark_agent::{End, EndKind, ToolCall};
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
        let names = BTreeSet::from(["Report for June 2026 (final).md".to_owned()]);
        let is_value = |text| is_value(text, &names);
        assert!(is_value("The total for June is 1,204.50 EUR"));
        // The last word looks like an extension.
        assert!(is_value("The total of 1,204.50 EUR goes to J.Blythe"));
        for other in [
            "total 1,204.50 EUR",
            "date,supplier,amount,category",
            "01 Programme/call sheet for Friday.md",
            "Report for June 2026 (final).md",
            "https://example.org/a/12345678",
        ] {
            assert!(!is_value(other), "{other}");
        }
    }

    const VALUE: &str = "Total for June: 1,204.50 EUR";

    /// Solution that makes calls with these names and texts, and has the result of each of them.
    fn solved(calls: &[(&str, &str, &str)]) -> Played {
        let call = |(name, text, _): &(&str, &str, &str)| {
            let arguments = json!({"path": "a.txt", "edits": [{"newText": text}]});
            ToolCall {
                name: (*name).to_owned(),
                arguments: arguments.as_object().cloned().unwrap(),
                ..ToolCall::default()
            }
        };
        let results = calls.iter().enumerate();
        let results = results.map(|(index, (.., result))| {
            let result = json!({"content": [{"type": "text", "text": result}]});
            (index + 1, result)
        });
        Played {
            end: End::new(EndKind::Completed),
            tree: TreeBuilder::new().finish(),
            answer: None,
            tool_calls: 0,
            calls: calls.iter().map(call).collect(),
            results: results.collect(),
            only_reads: calls
                .iter()
                .map(|(tool, ..)| *tool == "read_file")
                .collect(),
            shape: mcpmark_snapshot::Digest::of(b""),
            reads: Vec::new(),
        }
    }

    fn unknown(
        instruction: &str,
        solved: &Played,
        answer: Option<&str>,
        changed: &[(&str, &str)],
    ) -> Vec<String> {
        let changed = changed.iter();
        let changed: Vec<_> = changed
            .map(|(before, after)| (normal(before), normal(after)))
            .collect();
        let known = Known::of(instruction, solved);
        let values = BTreeSet::from([VALUE.to_owned()]);
        Written::of(solved, answer, &changed).unknown(values, &known)
    }

    #[test]
    fn values_are_unknown_if_the_solution_did_not_see_them() {
        let text = "# June\n\nTotal for\nJune: 1,204.50 EUR\n";
        let wrote = solved(&[("edit_file", text, "done")]);
        let nothing = solved(&[("edit_file", "nothing", "done")]);
        let asks = "Write the total.";
        assert_eq!(unknown(asks, &wrote, None, &[]), [VALUE]);
        assert_eq!(unknown(asks, &nothing, Some(VALUE), &[]), [VALUE]);
        assert!(unknown(asks, &nothing, None, &[]).is_empty());
        // A value that the instruction dictates or the solution has read is no leak.
        let dictates = "Write `Total for June:  1,204.50 EUR`.";
        assert!(unknown(dictates, &wrote, None, &[]).is_empty());
        let read = [("read_file", "", text), ("edit_file", text, "done")];
        assert!(unknown(asks, &solved(&read), None, &[]).is_empty());
        let answers = solved(&[("read_file", "", text)]);
        assert!(unknown(asks, &answers, Some(VALUE), &[]).is_empty());
    }

    #[test]
    fn a_value_may_be_composed_of_the_words_of_one_result() {
        let asks = "Write the total.";
        let parts = r#"{"title": "Total for June", "sum": "1,204.50 EUR"}"#;
        let composed = [("read_file", "", parts), ("edit_file", VALUE, "done")];
        assert!(unknown(asks, &solved(&composed), None, &[]).is_empty());
        let scattered = [
            ("read_file", "", "Total for June"),
            ("read_file", "", "1,204.50 EUR"),
            ("edit_file", VALUE, "done"),
        ];
        assert_eq!(unknown(asks, &solved(&scattered), None, &[]), [VALUE]);
    }

    #[test]
    fn the_result_of_the_call_that_writes_a_value_shows_nothing() {
        let echo = format!("```diff\n+{VALUE}\n```");
        let asks = "Write the total.";
        let edited = solved(&[("edit_file", VALUE, &echo)]);
        assert_eq!(unknown(asks, &edited, None, &[]), [VALUE]);
        let read_later = [
            ("edit_file", VALUE, "done"),
            ("read_file", "", VALUE),
            ("edit_file", VALUE, "done"),
        ];
        assert_eq!(unknown(asks, &solved(&read_later), None, &[]), [VALUE]);
    }

    #[test]
    fn searches_and_replaced_texts_are_not_written() {
        let asks = "Write the total.";
        let searched = solved(&[("read_file", VALUE, "")]);
        assert!(unknown(asks, &searched, None, &[]).is_empty());
        let edited = solved(&[("edit_file", VALUE, "done")]);
        let before = format!("# June\n\n{VALUE}\n");
        assert!(unknown(asks, &edited, None, &[(&before, "# June\n")]).is_empty());
        // A text that the file keeps may have been copied from there.
        assert_eq!(unknown(asks, &edited, None, &[(&before, &before)]), [VALUE]);
    }

    #[test]
    fn only_changed_files_have_replaced_texts() {
        let place = |path: &str, text: &str| (path.to_owned(), vec![text.to_owned()]);
        let start = [place("a", "1"), place("b", "2"), place("c", "3")];
        let end = [place("a", "1"), place("b", "4"), place("d", "5")];
        let pair = |before: &str, after: &str| (before.to_owned(), after.to_owned());
        assert_eq!(changed(&start, &end), [pair("2", "4"), pair("3", "")]);
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
