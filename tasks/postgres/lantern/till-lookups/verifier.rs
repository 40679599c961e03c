//! Two indexes on the expressions that the programs ask for, and no others.

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::{Database, Index, normalized};

mcpmark_guest::verifier!(verify);

/// Table, and the expression that is compared, without parentheses and casts.
const WANTED: [(&str, &str); 2] = [
    ("bookings", "upper reference"),
    ("customers", "lower email"),
];

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    for (table, expression) in WANTED {
        let before = start.indexes(table);
        let now = end.indexes(table);
        let new: Vec<&Index> = now.iter().filter(|index| !before.contains(index)).collect();
        let fits = new.iter().any(|index| serves(index, expression));
        task.check(
            format!("the lookup in {table}"),
            Condition::when(
                fits,
                format!("expected an index on the expression that is compared, found {new:?}"),
            ),
        );
        let lost = before.iter().find(|index| !now.contains(index));
        task.check(
            format!("no more on {table} than that"),
            Condition::when(lost.is_none(), format!("expected {lost:?}, found {now:?}")).and(
                Condition::when(
                    new.len() <= 1,
                    format!("expected one new index, found {new:?}"),
                ),
            ),
        );
    }
    let paths = WANTED.map(|(table, _)| Database::definition_path("indexes", table));
    task.unchanged_except(paths);
}

/// Returns true if a comparison of the expression can use the index, whatever is asked for.
fn serves(index: &Index, expression: &str) -> bool {
    let key = index
        .keys
        .first()
        .map(|key| normalized(key))
        .unwrap_or_default();
    let options = [
        "",
        " DESC",
        " NULLS FIRST",
        " DESC NULLS LAST",
        " text_pattern_ops",
    ];
    index.predicate.is_none()
        && index.keys.len() == 1
        && ["btree", "hash"].contains(&index.method.as_str())
        && options
            .iter()
            .any(|option| key == format!("{expression}{option}"))
}
