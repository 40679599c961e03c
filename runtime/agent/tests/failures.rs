//! Tests of the classification of failures on attempts that a person labelled.

use std::fs;
use std::path::Path;

use mcpmark_agent::EndKind;
use mcpmark_agent::failure::{Ending, FailureClass, classify};
use serde_json::Value;

/// Returns the labelled attempts of a class.
fn labelled(class: FailureClass) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/failures")
        .join(format!("{class}.jsonl"));
    fs::read_to_string(file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn ending(attempt: &Value) -> Ending<'_> {
    let turns = attempt["turns"].as_array().unwrap();
    let calls: Vec<&Value> = turns
        .iter()
        .flat_map(|turn| turn["calls"].as_array().unwrap())
        .collect();
    Ending {
        end: serde_json::from_value(attempt["end"].clone()).unwrap(),
        detail: attempt["detail"].as_str(),
        turns: turns.len() as u32,
        tool_calls: calls.len() as u32,
        last_malformed: calls.last().and_then(|call| call["malformed"].as_str()),
        truncated: attempt["truncated"].as_bool().unwrap_or(false),
        answer: turns
            .last()
            .map_or("", |turn| turn["text"].as_str().unwrap()),
    }
}

#[test]
fn the_rules_agree_with_the_labels() {
    let mut wrong = Vec::new();
    let mut all = 0;
    for class in FailureClass::ALL {
        for attempt in labelled(class) {
            let failure = classify(&ending(&attempt)).unwrap();
            all += 1;
            if failure.class != class {
                wrong.push(format!("{class}, but {failure:?}"));
            }
        }
    }
    assert!(all >= 40, "only {all} labelled attempts");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Uses last replies that were labelled before the rules were run on them, and that the rules were not fitted to.
#[test]
fn the_rules_agree_with_most_labels_that_they_were_not_made_for() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/failures/held-out.jsonl");
    let text = fs::read_to_string(file).unwrap();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let labelled: Value = serde_json::from_str(line).unwrap();
        let ending = Ending {
            end: EndKind::Completed,
            detail: None,
            turns: 9,
            tool_calls: 8,
            last_malformed: None,
            truncated: false,
            answer: labelled["text"].as_str().unwrap(),
        };
        let failure = classify(&ending).unwrap();
        if labelled["class"] != failure.class.as_str() {
            wrong.push(format!("{failure:?}: {line}"));
        }
    }
    assert_eq!(text.lines().count(), 32);
    // docs/reports.md states this number.
    assert!(wrong.len() <= 6, "{}", wrong.join("\n"));
}

#[test]
fn evidence_is_in_the_words_of_the_attempt() {
    for class in FailureClass::ALL {
        for attempt in labelled(class) {
            let ending = ending(&attempt);
            let evidence = classify(&ending).unwrap().evidence;
            let turns = attempt["turns"].as_array().unwrap();
            let shows = match ending.last_malformed {
                // The last turn that calls a tool.
                Some(_) if class == FailureClass::MalformedCalls => {
                    let calls = |turn: &Value| !turn["calls"].as_array().unwrap().is_empty();
                    turns.iter().rposition(calls).unwrap() + 1
                }
                _ => turns.len(),
            };
            assert_eq!(evidence.turn as usize, shows, "{evidence:?}");
            assert!(!evidence.rule.is_empty());
            let said = [
                ending.answer,
                ending.detail.unwrap_or(ending.end.as_str()),
                ending.last_malformed.unwrap_or_default(),
            ];
            assert!(
                said.iter().any(|text| text.contains(&evidence.quote)),
                "{evidence:?}"
            );
        }
    }
}

#[test]
fn unexplained_failures_have_no_class() {
    for end in [EndKind::ModelError, EndKind::Cancelled] {
        let ending = Ending {
            end,
            detail: None,
            turns: 2,
            tool_calls: 1,
            last_malformed: Some("{"),
            truncated: true,
            answer: "I give up.",
        };
        assert_eq!(classify(&ending), None);
    }
}

#[test]
fn quotes_are_short_and_cut_between_characters() {
    let answer = format!("I cannot complete this: {}", "é".repeat(5000));
    let ending = Ending {
        end: EndKind::Completed,
        detail: None,
        turns: 1,
        tool_calls: 1,
        last_malformed: None,
        truncated: false,
        answer: &answer,
    };
    let failure = classify(&ending).unwrap();
    assert_eq!(failure.class, FailureClass::Abandoned);
    assert_eq!(failure.evidence.quote.chars().count(), 301);
}
