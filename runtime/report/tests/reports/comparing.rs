//! Tests of comparisons.

use mcpmark_report::compare::{CompareError, compare};
use mcpmark_report::{Format, Options};

use crate::{Demonstration, is_plain};

#[test]
fn two_models_of_two_experiments() {
    let report = Demonstration::new().of_both();
    let compared = compare(
        &report,
        ("demonstration", Some("local/sprig-small")),
        ("efforts", Some("openai/atlas-large (high)")),
    )
    .unwrap();
    let text = compared.text(Some(80));
    is_plain(&text);
    assert!(text.lines().all(|line| line.chars().count() <= 80));
    insta::assert_snapshot!(text);
}

#[test]
fn single_attempts_are_compared_with_mcnemar() {
    let report = Demonstration::new().report("efforts");
    let (low, high) = ("openai/atlas-large (low)", "openai/atlas-large (high)");
    let compared = compare(&report, ("efforts", Some(low)), ("efforts", Some(high))).unwrap();
    insta::assert_snapshot!(compared.text(Some(80)));
    // A model does not differ from itself.
    let same = compare(&report, ("efforts", Some(low)), ("efforts", Some(low))).unwrap();
    assert_eq!(same.pairs[0].comparison.p, 1.0);
    assert!(same.pairs[0].comparison.flips.is_empty());
    // Without names, models with equal names are compared.
    assert_eq!(
        compare(&report, ("efforts", None), ("efforts", None))
            .unwrap()
            .pairs
            .len(),
        3
    );
}

#[test]
fn impossible_comparisons_are_reported() {
    let report = Demonstration::new().of_both();
    let (many, single) = ("demonstration", "efforts");
    let error = compare(&report, (many, Some("nobody")), (single, None)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "experiment \"demonstration\" does not have the model \"nobody\"; expected one of local/sprig-small, \
         openai/atlas-large"
    );
    let error = compare(&report, (many, None), (single, None)).unwrap_err();
    assert!(matches!(error, CompareError::NoPair { .. }), "{error}");
    let error = compare(&report, (single, Some("openai/atlas-large")), (many, None)).unwrap_err();
    assert!(matches!(error, CompareError::Ambiguous { .. }), "{error}");
    assert!(error.to_string().contains("openai/atlas-large (low)"));
}

#[test]
fn several_experiments_are_reported_in_one() {
    let report = Demonstration::new().of_both();
    let names: Vec<&str> = report.experiments.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["demonstration", "efforts"]);
    assert_eq!(report.experiment, "demonstration, efforts");
    assert!(
        report
            .models
            .iter()
            .all(|model| { model.name == format!("{}:{}", model.experiment, model.own_name) })
    );
    let planned: usize = report.experiments.iter().map(|one| one.planned).sum();
    assert_eq!(report.planned, planned);
    let text = report.render(Format::Text, &Options::default()).unwrap();
    is_plain(&text);
    let differing: Vec<&str> = text
        .lines()
        .skip_while(|line| *line != "What differs")
        .take_while(|line| !line.is_empty())
        .collect();
    insta::assert_snapshot!(differing.join("\n"));
    let page = report.render(Format::Html, &Options::default()).unwrap();
    assert!(page.contains("demonstration, efforts") && page.contains("What differs"));
}
