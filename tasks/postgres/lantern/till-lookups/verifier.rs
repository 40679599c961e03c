//! Two indexes on the expressions that the programs ask for, and no others.

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::{Database, Index, normalized};

mcpmark_guest::verifier!(verify);

/// Table, function and column of the expression that is compared.
const WANTED: [(&str, &str, &str); 2] = [
    ("bookings", "upper", "reference"),
    ("customers", "lower", "email"),
];

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    for (table, function, column) in WANTED {
        let before = start.indexes(table);
        let now = end.indexes(table);
        let new: Vec<&Index> = now.iter().filter(|index| !before.contains(index)).collect();
        let fits = new.iter().any(|index| serves(index, function, column));
        task.check(
            format!("the lookup in {table}"),
            Condition::when(
                fits,
                format!("expected an index on the expression that is compared, found {new:?}"),
            ),
        );
        let more = new
            .iter()
            .find(|index| index.unique || !index.includes.is_empty());
        let lost = before.iter().find(|index| !now.contains(index));
        task.check(
            format!("no more on {table} than that"),
            Condition::when(lost.is_none(), format!("expected {lost:?}, found {now:?}")).and(
                Condition::when(
                    new.len() <= 1,
                    format!("expected one new index, found {new:?}"),
                ),
            )
            .and(Condition::when(
                more.is_none(),
                format!("expected an index that refuses nothing and stores its key alone, found {more:?}"),
            )),
        );
    }
    let paths = WANTED.map(|(table, ..)| Database::definition_path("indexes", table));
    task.unchanged_except(paths);
}

/// Returns true if a comparison of the expression can use the index, whatever is asked for. No comparison finds a row
/// without a value, so that these may be left out.
fn serves(index: &Index, function: &str, column: &str) -> bool {
    let expression = format!("{function} {column}");
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
    let is_complete = index.predicate.as_deref().is_none_or(|condition| {
        [&expression, column]
            .iter()
            .any(|value| normalized(condition) == format!("{value} IS NOT NULL"))
    });
    is_complete
        && index.keys.len() == 1
        && ["btree", "hash"].contains(&index.method.as_str())
        && options
            .iter()
            .any(|option| key == format!("{expression}{option}"))
}
