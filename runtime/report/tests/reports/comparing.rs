use mcpmark_report::compare::{CompareError, compare};

use crate::{Demonstration, is_plain};

#[test]
fn two_models_of_two_experiments() {
    let demonstration = Demonstration::new();
    let (many, single) = (
        demonstration.report("demonstration"),
        demonstration.report("efforts"),
    );
    let compared = compare(
        (&many, Some("local/sprig-small")),
        (&single, Some("openai/atlas-large (high)")),
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
    let compared = compare((&report, Some(low)), (&report, Some(high))).unwrap();
    insta::assert_snapshot!(compared.text(Some(80)));
    // A model with itself does not differ.
    let same = compare((&report, Some(low)), (&report, Some(low))).unwrap();
    assert_eq!(same.pairs[0].comparison.p, 1.0);
    assert!(same.pairs[0].comparison.flips.is_empty());
    // Without names, model by model.
    assert_eq!(
        compare((&report, None), (&report, None))
            .unwrap()
            .pairs
            .len(),
        3
    );
}

#[test]
fn what_cannot_be_compared_is_named() {
    let demonstration = Demonstration::new();
    let (many, single) = (
        demonstration.report("demonstration"),
        demonstration.report("efforts"),
    );
    let error = compare((&many, Some("nobody")), (&single, None)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "experiment \"demonstration\" has no model \"nobody\"; it has local/sprig-small, \
         openai/atlas-large"
    );
    let error = compare((&many, None), (&single, None)).unwrap_err();
    assert!(matches!(error, CompareError::NoPair { .. }), "{error}");
    let error = compare((&single, Some("openai/atlas-large")), (&many, None)).unwrap_err();
    assert!(matches!(error, CompareError::Ambiguous { .. }), "{error}");
    assert!(error.to_string().contains("openai/atlas-large (low)"));
}
