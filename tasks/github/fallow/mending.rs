//! What the rules of the register complain of, and what stood there before.

#![allow(dead_code, reason = "each verifier takes what it needs of it")]

use std::collections::BTreeSet;

use mcpmark_guest::github::{Commit, Repository};

/// A file with what is to become of it.
pub struct Mended {
    pub path: String,
    pub after: String,
    /// How many of its lines change.
    pub lines: usize,
}

/// The names and the places that there are.
type Known = (BTreeSet<String>, BTreeSet<String>);

/// The files of a commit that have something wrong, mended.
pub fn mended(repository: &Repository, main: &Commit) -> Vec<Mended> {
    let known = known(main);
    let mut mended: Vec<Mended> = Vec::new();
    for path in main.files("").required() {
        let text = match path.ends_with(".csv") || path.ends_with(".md") {
            true => main.file(&path).text().required(),
            false => continue,
        };
        let lines: Vec<String> = match path.ends_with(".csv") {
            true => rows(repository, &path, &text, &known),
            false => text
                .lines()
                .map(|line| without_dead_links(main, &path, line))
                .collect(),
        };
        let changed = text
            .lines()
            .zip(&lines)
            .filter(|(before, after)| before != after)
            .count();
        if changed > 0 {
            mended.push(Mended {
                after: lines.join("\n") + "\n",
                path,
                lines: changed,
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
    let day: Vec<&str> = day.split('-').collect();
    let is_day = matches!(day.as_slice(), [year, month, day]
        if year.len() == 4 && ("01"..="12").contains(month) && month.len() == 2
            && ("01"..="31").contains(day) && day.len() == 2);
    let is_number = seeds.parse::<u64>().is_ok_and(|it| it > 0);
    names.contains(*name) && places.contains(*place) && is_day && is_number
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
