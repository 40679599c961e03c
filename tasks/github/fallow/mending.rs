//! Lines that break a rule of the register, and their values before.

#![allow(dead_code, reason = "each verifier takes what it needs of it")]

use std::collections::BTreeSet;

use mcpmark_guest::github::{Commit, Repository};
use mcpmark_guest::jiff::civil::Date;

/// A file before and after it is mended.
pub struct Mended {
    pub path: String,
    pub after: String,
    /// The lines that change, each as it is and as it is to be.
    pub changed: Vec<(String, String)>,
    /// Number of its lines that change.
    pub lines: usize,
}

/// The names and the places that there are.
type Known = (BTreeSet<String>, BTreeSet<String>);

/// The files of a commit that have something wrong, mended.
pub fn mended(repository: &Repository, main: &Commit) -> Vec<Mended> {
    let known = known(main);
    let mut mended: Vec<Mended> = Vec::new();
    for path in main.files("").required() {
        let is_table = path.ends_with(".csv");
        if !is_table && !path.ends_with(".md") {
            continue;
        }
        let text = main.file(&path).text().required();
        let lines: Vec<String> = if is_table {
            rows(repository, &path, &text, &known)
        } else {
            text.lines()
                .map(|line| without_dead_links(main, &path, line))
                .collect()
        };
        let changed: Vec<(String, String)> = text
            .lines()
            .zip(&lines)
            .filter(|(before, after)| before != after)
            .map(|(before, after)| (before.to_owned(), after.clone()))
            .collect();
        if !changed.is_empty() {
            mended.push(Mended {
                after: lines.join("\n") + "\n",
                path,
                lines: changed.len(),
                changed,
            });
        }
    }
    assert!(mended.len() > 2, "there is too little to mend");
    mended
}

fn known(commit: &Commit) -> Known {
    let list = |path: &str| -> BTreeSet<String> {
        let text = commit.file(path).text().required();
        text.lines().map(str::to_owned).collect()
    };
    (list("names.txt"), list("places.txt"))
}

/// The lines of a table, each row that breaks a rule as it was when it last broke none.
fn rows(repository: &Repository, path: &str, text: &str, known: &Known) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in lines
        .iter_mut()
        .skip(1)
        .filter(|line| !is_right(line, known))
    {
        let id = line.split(',').next().unwrap_or_default();
        let history = repository.log_of("main", path).required();
        let earlier = history.iter().find_map(|commit| {
            let text = commit.file(path).text().get().ok()?.clone();
            let row = text.lines().find(|it| it.split(',').next() == Some(id))?;
            is_right(row, known).then(|| row.to_owned())
        });
        *line = earlier.expect("each row was right once");
    }
    lines
}

fn is_right(line: &str, (names, places): &Known) -> bool {
    let cells: Vec<&str> = line.split(',').collect();
    let [_, name, day, place, seeds] = cells.as_slice() else {
        return false;
    };
    let is_number =
        seeds.bytes().all(|it| it.is_ascii_digit()) && seeds.parse::<u64>().is_ok_and(|it| it > 0);
    names.contains(*name)
        && places.contains(*place)
        && is_day(day)
        && is_number
        && !seeds.starts_with('0')
}

/// Whether a cell is a day of the calendar in the form `2019-07-31`.
pub fn is_day(cell: &str) -> bool {
    let is_form = cell.len() == 10
        && cell.bytes().enumerate().all(|(at, it)| match at {
            4 | 7 => it == b'-',
            _ => it.is_ascii_digit(),
        });
    is_form && cell.parse::<Date>().is_ok()
}

/// A line of a document, with plain text for links to files that are not there.
fn without_dead_links(main: &Commit, path: &str, line: &str) -> String {
    let mut line = line.to_owned();
    let targets: Vec<String> = line
        .split("](")
        .skip(1)
        .filter_map(|it| it.split(')').next())
        .map(str::to_owned)
        .collect();
    for target in targets.iter().filter(|it| !it.contains(':')) {
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let whole = match dir {
            "" => target.clone(),
            dir => format!("{dir}/{target}"),
        };
        if main.file(&whole).exists().passed() {
            continue;
        }
        let link = format!("]({target})");
        let end = line.find(&link).expect("the link stands in the line");
        let begin = line[..end].rfind('[').expect("a link has words");
        line = format!(
            "{}{}{}",
            &line[..begin],
            &line[begin + 1..end],
            &line[end + link.len()..]
        );
    }
    line
}

/// Whether all rows of all tables of a commit are right.
pub fn has_right_rows(commit: &Commit) -> bool {
    let known = known(commit);
    let tables = commit.files("data").required();
    tables.iter().all(|path| {
        let text = commit.file(path).text().required();
        text.lines().skip(1).all(|line| is_right(line, &known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_days_of_the_calendar() {
        for day in ["2019-07-31", "2020-02-29", "2014-12-01"] {
            assert!(is_day(day), "{day}");
        }
        for day in [
            "2019-02-29",
            "2020-02-31",
            "2020-09-32",
            "2020-06-31",
            "2019/06-18",
            "2081-13-06-13",
            "16-09-03",
            "2019-7-31",
            "2019-07-31T00",
            "20190731",
            "",
        ] {
            assert!(!is_day(day), "{day}");
        }
    }

    #[test]
    fn a_row_needs_a_known_name_and_place_and_a_number_of_seeds() {
        let known = (
            BTreeSet::from(["Briza media".to_owned()]),
            BTreeSet::from(["Mill race".to_owned()]),
        );
        assert!(is_right(
            "POA-0002,Briza media,2017-06-08,Mill race,152",
            &known
        ));
        for row in [
            "POA-0002,Briza,2017-06-08,Mill race,152",
            "POA-0002,Briza media,2017-02-31,Mill race,152",
            "POA-0002,Briza media,2017-06-08,Mill,152",
            "POA-0002,Briza media,2017-06-08,Mill race,0",
            "POA-0002,Briza media,2017-06-08,Mill race,+5",
            "POA-0002,Briza media,2017-06-08,Mill race,052",
            "POA-0002,Briza media,2017-06-08,Mill race",
        ] {
            assert!(!is_right(row, &known), "{row}");
        }
    }
}
