//! Variants of the oracle that must pass: the same solution with further calls, and the variants that the task brings.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_agent::{Agent, AttemptLimits, EndKind, ToolCall};
use mcpmark_experiment::{ExtraCalls, Oracle};
use mcpmark_task::VariantKind;
use serde_json::Value;

use crate::certification_run::{CertificationRun, failed, told};
use crate::declared::detail;
use crate::play::Played;
use crate::points::{
    EXTRA_READS_PASS, OTHER_ORDER_PASSES, OTHER_ROUTE_PASSES, REPEATED_CALLS_PASS,
};

/// Maximum length of an argument that makes a call another one, in characters. Longer ones are texts to write.
const LONGEST_NAME: usize = 200;

impl CertificationRun<'_> {
    /// Checks that the verifier accepts the oracle if it reads more than it needs, and if it repeats its calls. A
    /// variant without further calls is not examined.
    pub(crate) async fn harmless_variants(&mut self, solved: &Played) {
        let prepared = self.prepared;
        let Some(solution) = &prepared.solution else {
            return;
        };
        let parameters = prepared.parameters.clone();
        let oracle = Oracle::new(self.sandbox.clone(), solution.clone(), parameters);
        let extra_reads = ExtraCalls {
            before: solved.reads.clone(),
            after: solved.reads.iter().rev().cloned().collect(),
            ..ExtraCalls::default()
        };
        let repeated_calls = ExtraCalls {
            repeat: true,
            repeatable: solved.reads.clone(),
            ..ExtraCalls::default()
        };
        // The turn limit of the task was made for attempts without these calls.
        let limits = AttemptLimits {
            turns: u32::MAX,
            ..prepared.attempt_limits
        };
        let reading = oracle.clone().with_extra_calls(extra_reads);
        let repeating = oracle.with_extra_calls(repeated_calls);
        let played = self.play_all_within(&[&reading, &repeating], limits).await;
        let variants = [
            (EXTRA_READS_PASS, "extra-reads"),
            (REPEATED_CALLS_PASS, "repeated-calls"),
        ];
        for ((condition, variant), played) in variants.into_iter().zip(played) {
            let played = match played {
                Ok(played) => played,
                Err(reason) => {
                    self.check(condition, false, reason);
                    continue;
                }
            };
            let made = played.tool_calls.saturating_sub(solved.tool_calls);
            if made == 0 && played.end.kind == EndKind::Completed {
                continue;
            }
            let judged = self.judge(&played.tree, played.answer.as_deref());
            let passes = matches!(&judged, Ok(verdict) if verdict.passed());
            let passed = passes && played.end.kind == EndKind::Completed;
            let detail = format!(
                "{made} additional calls; {}{}, {}",
                told(&judged),
                failed(&judged),
                played.end
            );
            self.check(condition, passed, detail);
            if passed {
                self.variants.insert(variant.to_owned(), made);
            }
            self.played
                .push((variant.to_owned(), played.tree, played.answer));
        }
    }

    /// Plays the variants of the task, each of which must pass and differ from the solution as its kind says.
    pub(crate) async fn variants_of_task(
        &mut self,
        solved: &Played,
        variants: &[(String, Oracle)],
    ) {
        let declared = &self.task.meta.variants;
        let mut problems: BTreeMap<VariantKind, Vec<String>> = BTreeMap::new();
        for (name, kind) in declared {
            let of_kind = problems.entry(*kind).or_default();
            if !variants.iter().any(|(variant, _)| variant == name) {
                of_kind.push(format!("variants/{name}.rs does not exist"));
            }
        }
        let (variants, undeclared): (Vec<_>, Vec<_>) = variants
            .iter()
            .partition(|(name, _)| declared.contains_key(name));
        for (name, _) in undeclared {
            self.check(
                format!("variant {name} is declared"),
                false,
                "add it to \"variants\" in meta.json as \"order\", \"route\" or \"reading\"",
            );
        }
        let agents: Vec<&dyn Agent> = variants.iter().map(|(_, it)| it as &dyn Agent).collect();
        let played = self.play_all(&agents).await;
        for ((name, _), played) in variants.into_iter().zip(played) {
            let kind = &declared[name];
            match played {
                Ok(played) => {
                    let problem = self.variant_problem(*kind, solved, &played);
                    let of_kind = problems.entry(*kind).or_default();
                    of_kind.extend(problem.map(|problem| format!("{name}: {problem}")));
                    self.played
                        .push((format!("variant {name}"), played.tree, played.answer));
                }
                Err(reason) => {
                    let of_kind = problems.entry(*kind).or_default();
                    of_kind.push(format!("{name}: {reason}"));
                }
            }
        }
        for (kind, problems) in problems {
            let condition = match kind {
                VariantKind::Order => OTHER_ORDER_PASSES,
                VariantKind::Route => OTHER_ROUTE_PASSES,
                // Part of a condition that also covers excluded readings.
                VariantKind::Reading => {
                    self.failed_readings = problems;
                    continue;
                }
            };
            let count = declared.values().filter(|it| **it == kind).count();
            let passed = match count {
                1 => "1 variant".to_owned(),
                count => format!("{count} variants"),
            };
            self.check(condition, problems.is_empty(), detail(&problems, passed));
        }
    }

    /// Returns the problem of a variant, or `None` if it passes and differs from the solution.
    fn variant_problem(
        &self,
        kind: VariantKind,
        solved: &Played,
        played: &Played,
    ) -> Option<String> {
        let judged = self.judge(&played.tree, played.answer.as_deref());
        let passes = matches!(&judged, Ok(verdict) if verdict.passed());
        if !passes || played.end.kind != EndKind::Completed {
            let (told, failed) = (told(&judged), failed(&judged));
            return Some(format!("{told}{failed}, {}", played.end));
        }
        let judged_on = self.prepared.judged_on;
        let problem = match kind {
            VariantKind::Order => same_calls(&solved.calls, &played.calls)
                .then_some("makes the calls of the solution in the same order"),
            VariantKind::Route => route_problem(&solved.calls, &played.calls),
            VariantKind::Reading => (solved.tree.digest() == played.tree.digest()
                && (!judged_on.answer || solved.answer == played.answer))
                .then_some("has the result of the solution"),
        };
        problem.map(str::to_owned)
    }
}

/// Reports whether two sequences of calls are equal, apart from the ids of the calls.
fn same_calls(one: &[ToolCall], other: &[ToolCall]) -> bool {
    let calls = |calls: &[ToolCall]| -> Vec<_> {
        let calls = calls.iter();
        calls
            .map(|call| (call.name.clone(), call.arguments.clone()))
            .collect()
    };
    calls(one) == calls(other)
}

/// Returns the problem of calls that are no other route than those of the solution. Both must make calls that the other
/// does not, with another tool or with other arguments: further calls alone are extra reads, and fewer calls a part of the
/// same route. Texts of several lines, or longer than [`LONGEST_NAME`], are not compared.
fn route_problem(solution: &[ToolCall], variant: &[ToolCall]) -> Option<&'static str> {
    let (solution, variant) = (distinct(solution), distinct(variant));
    if variant.is_subset(&solution) {
        Some("expected calls with other tools or other arguments, found only calls of the solution")
    } else if solution.is_subset(&variant) {
        Some("expected another route, found all calls of the solution, and additional ones")
    } else {
        None
    }
}

/// Returns the distinct calls: tools with arguments, as far as they matter for a route.
fn distinct(calls: &[ToolCall]) -> BTreeSet<(&str, String)> {
    let calls = calls.iter();
    calls
        .map(|call| {
            let arguments = Value::Object(call.arguments.clone());
            let arguments = without_texts(&arguments);
            (call.name.as_str(), mcpmark_json::canonical(&arguments))
        })
        .collect()
}

/// Returns an argument with an empty string in place of each text: another blank in what is written is no other route.
/// Neither is a path with a leading `./`.
fn without_texts(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains('\n') || text.chars().count() > LONGEST_NAME => {
            Value::String(String::new())
        }
        Value::String(text) => Value::String(text.strip_prefix("./").unwrap_or(text).to_owned()),
        Value::Array(items) => Value::Array(items.iter().map(without_texts).collect()),
        Value::Object(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| (key.clone(), without_texts(value)));
            Value::Object(entries.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(id: &str, name: &str, path: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: [("path".to_owned(), json!(path))].into_iter().collect(),
            ..ToolCall::default()
        }
    }

    #[test]
    fn orders_are_compared_without_ids() {
        let one = [call("1", "read", "a"), call("2", "write", "b")];
        let same = [call("7", "read", "a"), call("8", "write", "b")];
        let swapped = [call("1", "write", "b"), call("2", "read", "a")];
        assert!(same_calls(&one, &same));
        assert!(!same_calls(&one, &swapped));
    }

    #[test]
    fn a_route_has_calls_of_its_own_and_leaves_some_out() {
        let one = [call("1", "read", "a"), call("2", "write", "b")];
        let only =
            "expected calls with other tools or other arguments, found only calls of the solution";
        let more = "expected another route, found all calls of the solution, and additional ones";
        let again = [
            call("1", "read", "a"),
            call("2", "read", "a"),
            call("3", "write", "b"),
        ];
        assert_eq!(route_problem(&one, &again), Some(only));
        assert_eq!(route_problem(&one, &one[1..]), Some(only));
        let with_list = [
            call("1", "list", "."),
            call("2", "read", "a"),
            call("3", "write", "b"),
        ];
        assert_eq!(route_problem(&one, &with_list), Some(more));
        let edited = [call("1", "read", "a"), call("2", "edit", "b")];
        assert_eq!(route_problem(&one, &edited), None);
        // Another text in the same file, or another form of its path, is no other route.
        let write = |path: &str, text: &str| {
            let arguments = json!({"path": path, "edits": [{"newText": text}]});
            ToolCall {
                name: "write".to_owned(),
                arguments: arguments.as_object().cloned().unwrap(),
                ..ToolCall::default()
            }
        };
        let long = "word ".repeat(50);
        for (text, other) in [("a b\n", "a  b\n"), (&long, &format!("{long} "))] {
            let other = [write("./b", other)];
            assert_eq!(route_problem(&[write("b", text)], &other), Some(only));
        }
        assert_eq!(route_problem(&[write("b", "x")], &[write("b", "y")]), None);
        let elsewhere = [call("1", "read", "c"), call("2", "write", "b")];
        assert_eq!(route_problem(&one, &elsewhere), None);
    }
}
