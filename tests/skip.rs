//! What is not checked where a machine lacks something.

/// Tells that something about Python scripts is not checked here, and why. That fails the test
/// where `MCPMARK_REQUIRE_PYTHON` is set, as it should be where all has to be checked.
#[allow(clippy::print_stderr, reason = "tests tell what they skip")]
pub(crate) fn python(reason: &str) {
    let required = std::env::var_os("MCPMARK_REQUIRE_PYTHON");
    assert!(required.is_none_or(|it| it.is_empty()), "{reason}");
    eprintln!("SKIPPED: {reason}");
}

/// Tells that something is not checked here, for a program of others is not there.
#[allow(
    dead_code,
    reason = "not every test that skips something needs such a program"
)]
#[allow(clippy::print_stderr, reason = "tests tell what they skip")]
pub(crate) fn tool(name: &str, reason: &str) {
    eprintln!("SKIPPED: {name} is not there: {reason}");
}
