//! What is pushed to main without a pull request: newer tools, small words.

use mcpmark_guest::Random;

use crate::code_base::{CodeBase, Edit};
use github_chronicle::{Way, Work};

const TOOLS: [(&str, &str, &str, &str); 5] = [
    ("pyproject", "dep_pytest", "pytest", "icalder"),
    ("pyproject", "dep_ruff", "ruff", "pdenholm"),
    ("pyproject", "dep_mypy", "mypy", "pdenholm"),
    ("package", "dep_typescript", "typescript", "jhalv"),
    ("package", "dep_vite", "vite", "jhalv"),
];

/// A newer version of a tool, where its file is free.
pub fn newer_tool(
    random: &mut Random,
    day: i64,
    now: &CodeBase,
    is_free: impl Fn(&str) -> bool,
) -> Vec<Work<Edit>> {
    let (key, name, tool, author) = *random.pick(&TOOLS);
    if !now.has(key) || !is_free(key) {
        return Vec::new();
    }
    let before = now.setting(key, name);
    let mut parts: Vec<u64> = before
        .split('.')
        .map(|part| part.parse().expect("versions are numbers"))
        .collect();
    if random.chance(1, 4) {
        parts[1] += 1;
        parts[2] = 0;
    } else {
        parts[2] += random.between(1, 3).unsigned_abs();
    }
    let after = parts
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(".");
    vec![Work::new(day, author, Way::Direct, "", "").step(
        &format!("Bump {tool} from {before} to {after}"),
        vec![Edit::Set(key, name, after.clone())],
    )]
}
