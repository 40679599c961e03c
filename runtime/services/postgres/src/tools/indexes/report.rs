//! Recommendations as a Python dictionary.

use super::{Candidate, Query, Step, plan, quoted, total_cost};
use crate::tools::database::Database;
use crate::tools::failure::Failure;
use crate::tools::plan as plan_text;

/// Multiple for costs that vanish.
const INFINITE: f64 = 1_000_000.0;

/// Returns the report of an analysis that failed.
pub(super) fn error(message: &str) -> String {
    format!("{{'error': {}, '_langfuse_trace': []}}", quoted(message))
}

/// Returns how many times lower the costs are.
fn multiple(before: f64, after: f64) -> f64 {
    if before <= 0.0 {
        1.0
    } else if after <= 0.0 {
        INFINITE
    } else {
        before / after
    }
}

fn benefit(before: f64, after: f64) -> String {
    format!(
        "{{'improvement_multiple': '{:.1}', 'base_cost': '{before:.1}', 'new_cost': '{after:.1}'}}",
        multiple(before, after)
    )
}

/// Returns a size with a decimal unit, such as `16.4 kB`.
fn size(bytes: f64) -> String {
    if bytes < 1000.0 {
        let plural = if bytes == 1.0 { "" } else { "s" };
        return format!("{bytes:.0} Byte{plural}");
    }
    let mut amount = bytes;
    for unit in ["kB", "MB", "GB"] {
        amount /= 1000.0;
        if amount < 1000.0 {
            return format!("{amount:.1} {unit}");
        }
    }
    format!("{:.1} TB", amount / 1000.0)
}

/// Returns the report of a search.
pub(super) async fn recommendations(
    database: &mut Database,
    queries: &[Query],
    base: f64,
    steps: &[Step],
) -> Result<String, Failure> {
    let Some(last) = steps.last() else {
        return Ok(
            "{'recommendations': 'No index recommendations found.', '_langfuse_trace': []}"
                .to_owned(),
        );
    };
    let bytes: f64 = steps.iter().map(|step| step.candidate.bytes).sum();
    let listed: Vec<String> = steps
        .iter()
        .enumerate()
        .map(|(place, step)| {
            let Candidate { table, columns, bytes } = &step.candidate;
            let mut names: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
            if names.len() == 1 {
                names.push(String::new());
            }
            format!(
                "{{'index_apply_order': {}, 'index_target_table': {}, 'index_target_columns': ({}), 'benefit_of_this_index_only': {}, 'benefit_after_previous_indexes': {}, 'index_estimated_size': '{}', 'index_definition': {}}}",
                place + 1,
                quoted(table),
                names.join(", ").trim_end(),
                benefit(base, step.alone),
                benefit(step.before, step.after),
                size(*bytes),
                quoted(&step.candidate.definition())
            )
        })
        .collect();
    let indexes: Vec<&Candidate> = steps.iter().map(|step| &step.candidate).collect();
    let mut impact = Vec::new();
    for query in queries {
        let before = plan(database, &query.text, &[]).await?;
        let after = plan(database, &query.text, &indexes).await?;
        let text = |plan| {
            let text = plan_text::format(plan).unwrap_or_default();
            quoted(&format!("```\n{text}\n```"))
        };
        let (old, new) = (total_cost(&before), total_cost(&after));
        impact.push(format!(
            "{{'query': {}, 'base_cost': '{old:.1}', 'new_cost': '{new:.1}', 'improvement_multiple': '{:.1}', 'before_explain_plan': {}, 'after_explain_plan': {}}}",
            quoted(&query.text),
            multiple(old, new),
            text(&before),
            text(&after)
        ));
    }
    Ok(format!(
        "{{'summary': {{'total_recommendations': {}, 'base_cost': '{base:.1}', 'new_cost': '{:.1}', 'total_size_bytes': '{}', 'improvement_multiple': '{:.1}'}}, 'recommendations': [{}], 'query_impact': [{}], '_langfuse_trace': []}}",
        steps.len(),
        last.after,
        size(bytes),
        multiple(base, last.after),
        listed.join(", "),
        impact.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_decimal_units() {
        assert_eq!(size(1.0), "1 Byte");
        assert_eq!(size(8192.0), "8.2 kB");
        assert_eq!(size(98_304_000.0), "98.3 MB");
    }

    #[test]
    fn vanishing_costs_have_a_bound() {
        assert_eq!(
            benefit(10.0, 0.0),
            "{'improvement_multiple': '1000000.0', 'base_cost': '10.0', 'new_cost': '0.0'}"
        );
        assert_eq!(multiple(0.0, 5.0), 1.0);
    }
}
