//! Tests of the output formats.

use std::collections::BTreeSet;

use mcpmark_agent::failure::FailureClass;
use mcpmark_report::{Format, Options};
use serde_json::{Value, json};

use crate::{Demonstration, is_plain};

fn rendered(format: Format, published: bool) -> String {
    let report = Demonstration::new().report("demonstration");
    let options = Options {
        published,
        ..Options::default()
    };
    report.render(format, &options).unwrap()
}

#[test]
fn the_demonstration_has_every_class_of_failure() {
    let report = Demonstration::new().report("demonstration");
    let found: BTreeSet<FailureClass> = report
        .models
        .iter()
        .flat_map(|model| model.failures.keys().copied())
        .collect();
    assert_eq!(found, FailureClass::ALL.into_iter().collect());
    for model in &report.models {
        let failed = model.overall.score.graded - model.overall.score.passed;
        assert_eq!(model.failures.values().sum::<usize>(), failed);
        assert_eq!(model.overall.score.attempts, 48);
    }
}

#[test]
fn text() {
    let text = rendered(Format::Text, false);
    is_plain(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn text_fits_its_width_and_leaves_nothing_out() {
    let report = Demonstration::new().report("demonstration");
    let text = |width| {
        let options = Options {
            width,
            published: true,
            ..Options::default()
        };
        report.render(Format::Text, &options).unwrap()
    };
    let whole = text(None);
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
        letters.sort_unstable();
        letters
    };
    for width in [200, 80, 60, 44] {
        let narrow = text(Some(width));
        for line in narrow.lines() {
            let columns = unicode_width::UnicodeWidthStr::width(line);
            assert!(columns <= width, "{columns} columns: {line}");
        }
        // Labels are repeated in each block.
        let mut left = letters(&narrow).into_iter();
        for letter in letters(&whole) {
            assert!(
                left.any(|other| other == letter),
                "{width}: {letter:?} is missing"
            );
        }
    }
    for model in &report.models {
        assert!(whole.contains(&model.name), "{}", model.name);
    }
}

#[test]
fn markdown_with_the_published_results() {
    let text = rendered(Format::Markdown, true);
    is_plain(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn csv() {
    let text = rendered(Format::Csv, true);
    is_plain(&text);
    let columns = text.lines().next().unwrap().split(',').count();
    for line in text.lines() {
        assert_eq!(line.split(',').count(), columns, "{line}");
    }
    insta::assert_snapshot!(text);
}

/// Published results by service are shown next to those of the report, under the same names.
#[test]
fn published_services_stand_beside_ones_own() {
    let services = ["filesystem", "github", "notion", "playwright", "postgres"];
    let csv = rendered(Format::Csv, true);
    for service in services {
        let beginning = format!("arXiv 2509.24002,,gpt-5-medium,,,service,{service},");
        assert_eq!(csv.matches(&beginning).count(), 1, "{service}");
    }
    assert!(csv.contains(
        "gpt-5-medium,,,service,filesystem,30,120,120,,0.575,0.0363,,,,,4,0.7667,0.3667,,,215960,17380,0.44,10.06,21.07,,\n"
    ));
    // The table contains only the services of the report.
    let text = rendered(Format::Text, true);
    let (_, shown) = text.split_once("Published results by service").unwrap();
    let mut shown: Vec<_> = shown
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| services.contains(word))
        .collect();
    assert_eq!(shown.len(), 40);
    shown.dedup();
    assert_eq!(shown, ["filesystem", "github"]);

    let json: Value = serde_json::from_str(&rendered(Format::Json, true)).unwrap();
    let best = &json["published"]["models"][0]["services"][0];
    assert_eq!(best["pass_at_4"], 0.7667);
    assert_eq!(best["input_tokens"], 215_960.0);
    assert_eq!(
        json["published"]["models"][2]["services"][0]["pass_at_4"],
        Value::Null
    );
}

/// JSON has the same numbers as the tables, and null for unknown values.
#[test]
fn json() {
    let text = rendered(Format::Json, true);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["experiment"], "demonstration");
    assert_eq!(
        (&value["k"], &value["planned"]),
        (&Value::from(4), &Value::from(96))
    );
    let large = &value["models"][0];
    assert_eq!(large["name"], "openai/atlas-large");
    assert_eq!(large["effort"], "medium");
    let score = &large["overall"]["score"];
    assert_eq!(score["pass_at"].as_array().unwrap().len(), 4);
    let rates = score["runs"]["rates"].as_array().unwrap();
    let mean: f64 = rates.iter().map(|rate| rate.as_f64().unwrap()).sum::<f64>() / 4.0;
    assert!((score["pass_at"][0]["value"].as_f64().unwrap() - mean).abs() < 1e-12);
    let small = &value["models"][1];
    assert_eq!(
        small["overall"]["resources"]["cost_usd"]["mean"],
        Value::Null
    );
    assert_eq!(small["ungraded"]["not begun"], 1);
    assert_eq!(small["ungraded"]["verifier-fault"], 1);
    assert_eq!(small["ungraded"]["infra-error"], 1);
    assert_eq!(value["spent"]["some_unknown"], true);
    let of = |task: &str| {
        let tasks = value["tasks"].as_array().unwrap();
        let task = tasks.iter().find(|it| it["id"] == task).unwrap();
        task["certificate"].clone()
    };
    let certified = of("filesystem/harbour/berth-list");
    assert_eq!(certified["status"], "valid");
    assert_eq!(
        certified["points"][1],
        json!({"point": "oracle", "status": "in-part"})
    );
    assert_eq!(
        of("filesystem/harbour/fuel-ledger"),
        json!({"status": "invalid", "reason": "the sources changed since it was written"})
    );
    assert_eq!(of("filesystem/theatre/cast-sheet"), Value::Null);
    assert_eq!(value["published"]["models"][0]["name"], "gpt-5-medium");
    assert_eq!(value["comparisons"].as_array().unwrap().len(), 1);
}

#[test]
fn the_same_journal_gives_the_same_bytes() {
    for format in [Format::Text, Format::Json, Format::Html] {
        assert_eq!(rendered(format, true), rendered(format, true), "{format:?}");
    }
}

#[test]
fn efforts_of_one_model_have_names_of_their_own() {
    let report = Demonstration::new().report("efforts");
    let mut names: Vec<_> = report
        .models
        .iter()
        .map(|model| model.name.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "openai/atlas-large (high)",
            "openai/atlas-large (low)",
            "openai/atlas-large (medium)"
        ]
    );
    assert_eq!(report.comparisons.len(), 3);
}
