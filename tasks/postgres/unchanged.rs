//! Changes that no task asks for, and numbers of sequences, which may have gaps.
//!
//! A statement that is rolled back takes its numbers for good, so that work that was tried first leaves gaps. They mean
//! nothing. A sequence that gives a number a second time is damage.

#![allow(dead_code)]

use std::collections::BTreeMap;

use mcpmark_guest::{Condition, Tree, Verifier};
use mcpmark_guest_postgres::{Database, Rows};

const VALUES: &str = "schemas/public/sequence-values.csv";

/// Next number of each sequence.
type Next = BTreeMap<String, i64>;

/// Adds the check that nothing differs from the starting state except these paths and gaps in the numbers of sequences.
pub fn unchanged_except<S: AsRef<str>>(task: &mut Verifier, paths: impl AsRef<[S]>) -> bool {
    let sequences = only_gaps(task);
    if !sequences.passed() {
        return task.check("nothing else changed", sequences);
    }
    let mut paths: Vec<&str> = paths.as_ref().iter().map(AsRef::as_ref).collect();
    paths.push(VALUES);
    task.unchanged_except(paths)
}

/// Checks that no row of a table has the next number of its sequence or a higher one.
pub fn goes_on(task: &Verifier, table: &str) -> Condition {
    let rows = Database::of(task.end()).rows(table);
    let next = next(task.end());
    rows.satisfies(|rows| {
        let ids = rows
            .iter()
            .filter_map(|row| row.get("id")?.parse::<i64>().ok());
        let highest = ids.max();
        let name = format!("{table}_id_seq");
        match (&next, highest) {
            (Err(reason), _) => Condition::fail(reason.clone()),
            (_, None) => Condition::pass("there are no rows"),
            (Ok(next), Some(highest)) => match next.get(&name) {
                Some(next) => Condition::when(
                    *next > highest,
                    format!(
                        "expected {name} to go on after {highest}, found {next} as its next number"
                    ),
                ),
                None => Condition::fail(format!("expected a sequence {name}, found none")),
            },
        }
    })
}

/// Checks that the sequences are those of the starting state, and that none of them was set back.
fn only_gaps(task: &Verifier) -> Condition {
    if task.file(VALUES).is_unchanged().passed() {
        return Condition::pass("no sequence moved");
    }
    let (before, now) = match (next(task.start()), next(task.end())) {
        (Ok(before), Ok(now)) => (before, now),
        (Err(reason), _) | (_, Err(reason)) => return Condition::fail(reason),
    };
    let is_other = |(name, first): &(&String, &i64)| now.get(*name).is_none_or(|it| it < *first);
    if let Some((name, first)) = before.iter().find(is_other) {
        let found = match now.get(name) {
            Some(next) => next.to_string(),
            None => "no such sequence".to_owned(),
        };
        return Condition::fail(format!(
            "expected {first} or more as the next number of {name}, found {found}"
        ));
    }
    match now.keys().find(|name| !before.contains_key(*name)) {
        Some(new) => Condition::fail(format!("expected no other sequence, found {new}")),
        None => Condition::pass("no sequence was set back"),
    }
}

/// Reads the next number of each sequence.
fn next(tree: Tree) -> Result<Next, String> {
    let file = tree.file(VALUES).text();
    let rows = file.try_map(|text| Rows::read(text.as_str()));
    let rows = rows.get().map_err(|error| error.to_string())?;
    let columns = ["sequence", "last_value", "is_called"];
    if !columns
        .iter()
        .all(|name| rows.columns().iter().any(|it| it == name))
    {
        return Err(format!("{VALUES}: expected the columns {columns:?}"));
    }
    let lines = rows.select(columns).map(|line| {
        let [Some(name), Some(last), Some(is_called)] = line else {
            return Err(format!("{VALUES}: expected three values, found {line:?}"));
        };
        let last: i64 = last
            .parse()
            .map_err(|_| format!("{VALUES}: expected a number, found {last:?}"))?;
        let step = i64::from(is_called == "true");
        Ok((name.to_owned(), last.saturating_add(step)))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcpmark_guest::testing::{MemoryTree, verify};

    fn state(rows: &str, values: &str) -> MemoryTree {
        MemoryTree::from([
            ("data/public/t.csv", format!("id,a\n{rows}")),
            (VALUES, format!("sequence,last_value,is_called\n{values}")),
        ])
    }

    /// Detail of the check if it failed.
    fn fails(values: &str) -> Option<String> {
        let start = state("6,x\n7,y\n", "t_id_seq,7,true\nu_id_seq,1,false\n");
        let end = state("6,x\n7,y\n", values);
        let checks = verify(
            |task| {
                unchanged_except::<&str>(task, []);
            },
            &start,
            &end,
            None,
        );
        assert_eq!(checks.len(), 1);
        (!checks[0].passed).then(|| checks[0].detail.clone())
    }

    #[test]
    fn gaps_are_no_change() {
        for values in [
            "t_id_seq,7,true\nu_id_seq,1,false\n",
            "t_id_seq,9,true\nu_id_seq,1,false\n",
            "t_id_seq,8,false\nu_id_seq,1,true\n",
        ] {
            assert_eq!(fails(values), None, "{values}");
        }
    }

    #[test]
    fn numbers_are_never_given_twice() {
        for (values, found) in [
            (
                "t_id_seq,6,true\nu_id_seq,1,false\n",
                "expected 8 or more as the next number of t_id_seq, found 7",
            ),
            (
                "t_id_seq,7,false\nu_id_seq,1,false\n",
                "expected 8 or more as the next number of t_id_seq, found 7",
            ),
            (
                "t_id_seq,7,true\n",
                "expected 1 or more as the next number of u_id_seq, found no such sequence",
            ),
            (
                "t_id_seq,7,true\nu_id_seq,1,false\nv_id_seq,1,false\n",
                "expected no other sequence, found v_id_seq",
            ),
        ] {
            assert_eq!(fails(values).as_deref(), Some(found));
        }
        assert!(fails("t_id_seq,many,true\n").is_some());
        assert!(fails("t_id_seq,8\n").is_some());
    }

    #[test]
    fn other_changes_are_found_as_before() {
        let start = state("7,y\n", "t_id_seq,7,true\n");
        let end = state("8,y\n", "t_id_seq,9,true\n");
        let checks = verify(
            |task| {
                assert!(!unchanged_except::<&str>(task, []));
                assert!(unchanged_except(task, ["data/public/t.csv"]));
            },
            &start,
            &end,
            None,
        );
        assert!(checks[0].detail.contains("data/public/t.csv"));
    }

    #[test]
    fn a_sequence_is_ahead_of_the_rows() {
        for (values, passes) in [
            ("t_id_seq,7,true\n", true),
            ("t_id_seq,8,false\n", true),
            ("t_id_seq,7,false\n", false),
            ("t_id_seq,6,true\n", false),
            ("u_id_seq,9,true\n", false),
        ] {
            let end = state("6,x\n7,y\n", values);
            verify(
                |task| assert_eq!(goes_on(task, "t").passed(), passes, "{values}"),
                &MemoryTree::default(),
                &end,
                None,
            );
        }
    }
}
