//! Plans of queries as text.

use std::fmt::Write as _;

use serde_json::Value;

/// Maximum number of characters of a filter.
const FILTER: usize = 100;

/// Formats a plan that `EXPLAIN (FORMAT JSON)` has returned, with its times.
///
/// # Errors
///
/// Returns the message of Python for a plan that lacks a field.
pub(super) fn format(plan: &Value) -> Result<String, String> {
    let root = plan
        .get("Plan")
        .ok_or("Missing 'Plan' field in explain plan data")?;
    let mut text = String::new();
    for name in ["Planning Time", "Execution Time"] {
        if let Some(time) = plan.get(name).and_then(Value::as_f64) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name}: {time:.3} ms");
        }
    }
    node(root, 0, &mut text)?;
    Ok(text)
}

fn node(plan: &Value, level: usize, text: &mut String) -> Result<(), String> {
    let field = |name: &str| plan.get(name).ok_or_else(|| format!("'{name}'"));
    let number = |name: &str| field(name).map(|value| value.as_f64().unwrap_or_default());
    let indent = "  ".repeat(level);
    let kind = field("Node Type")?.as_str().unwrap_or_default();
    let (startup, total) = (number("Startup Cost")?, number("Total Cost")?);
    let _ = write!(text, "{indent}→ {kind} (Cost: {startup:.2}..{total:.2})");
    if let Some(relation) = plan.get("Relation Name").and_then(Value::as_str) {
        let _ = write!(text, " on {relation}");
    }
    let _ = write!(text, " [Rows: {}]", integer(field("Plan Rows")?));
    if plan.get("Actual Total Time").is_some() {
        let _ = write!(
            text,
            " [Actual: {:.2}..{:.2} ms, Rows: {}, Loops: {}]",
            number("Actual Startup Time")?,
            number("Actual Total Time")?,
            integer(field("Actual Rows")?),
            integer(field("Actual Loops")?)
        );
    }
    if let Some(filter) = plan.get("Filter").and_then(Value::as_str) {
        let _ = write!(text, "\n{indent}  Filter: ");
        if filter.chars().count() > FILTER {
            text.extend(filter.chars().take(FILTER - 3));
            text.push_str("...");
        } else {
            text.push_str(filter);
        }
    }
    if let Some(hit) = plan.get("Shared Hit Blocks") {
        let _ = write!(
            text,
            "\n{indent}  Buffers - hit: {}, read: {}, written: {}",
            integer(hit),
            integer(field("Shared Read Blocks")?),
            integer(field("Shared Written Blocks")?)
        );
    }
    let children = plan.get("Plans").and_then(Value::as_array);
    for child in children.into_iter().flatten() {
        text.push('\n');
        node(child, level + 1, text)?;
    }
    Ok(())
}

/// Prints a number of rows. PostgreSQL prints estimates beyond 64 bits with all their digits, as Python does.
fn integer(value: &Value) -> String {
    match value.as_f64() {
        Some(float) if value.is_f64() => format!("{float:.0}"),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn leaf(filter: &str) -> Value {
        json!({
            "Node Type": "Seq Scan", "Startup Cost": 0.0, "Total Cost": 1.025, "Plan Rows": 1,
            "Plan Width": 4, "Relation Name": "t", "Filter": filter,
        })
    }

    #[test]
    fn plans_are_indented() {
        let plan = json!({"Plan": {
            "Node Type": "Limit", "Startup Cost": 0.1, "Total Cost": 2, "Plan Rows": 3, "Plan Width": 4,
            "Plans": [leaf("(id = 1)")],
        }, "Planning Time": 0.3345});
        assert_eq!(
            format(&plan).unwrap(),
            "Planning Time: 0.335 ms\n→ Limit (Cost: 0.10..2.00) [Rows: 3]\n  → Seq Scan (Cost: 0.00..1.02) on t [Rows: 1]\n    Filter: (id = 1)"
        );
    }

    #[test]
    fn long_filters_are_cut() {
        let text = format(&json!({"Plan": leaf(&"é".repeat(101))})).unwrap();
        assert!(text.ends_with(&format!("Filter: {}...", "é".repeat(97))));
        assert_eq!(format(&json!({"Plan": {}})).unwrap_err(), "'Node Type'");
    }
}
