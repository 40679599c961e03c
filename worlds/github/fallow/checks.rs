//! The rules of the register, as `docs/format.md` tells them, and the steps of a workflow that check them.

use std::collections::{BTreeMap, BTreeSet};

/// The texts of a commit, by path.
pub type Files = BTreeMap<String, String>;

/// The most steps that are run, and the most lines that one prints: anybody may write a workflow.
const MOST_STEPS: usize = 100;
const MOST_LINES: usize = 20;
const LINE: usize = 100;

/// A step of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub job: String,
    pub name: String,
    /// Command that it runs; none if it uses an action.
    pub command: Option<String>,
}

/// Outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// `<job> / <step>`.
    pub name: String,
    pub passed: bool,
    pub output: String,
}

/// Runs the steps on the texts of a commit.
pub fn run(steps: &[Step], files: &Files) -> Vec<Outcome> {
    let steps = steps.iter().take(MOST_STEPS);
    steps.map(|step| outcome(step, files)).collect()
}

fn outcome(step: &Step, files: &Files) -> Outcome {
    let name = format!("{} / {}", cut(&step.job, "job"), cut(&step.name, "step"));
    let Some(command) = &step.command else {
        return Outcome {
            name,
            passed: true,
            output: String::new(),
        };
    };
    let problems = match command.trim() {
        "check format" => format(files),
        "check order" => order(files),
        "check names" => listed(files, 1, "names.txt", "name"),
        "check places" => listed(files, 3, "places.txt", "place"),
        "check links" => links(files),
        other => vec![format!("{}: command not found", cut(other, "check"))],
    };
    let mut lines: Vec<String> = problems
        .iter()
        .take(MOST_LINES)
        .map(|it| cut(it, "?"))
        .collect();
    if problems.len() > MOST_LINES {
        lines.push(format!("and {} more", problems.len() - MOST_LINES));
    }
    let passed = problems.is_empty();
    if passed {
        lines.push("all good".to_owned());
    }
    Outcome {
        name,
        passed,
        output: lines.join("\n"),
    }
}

/// At most so much of a text that somebody wrote; another one where it is empty.
fn cut(text: &str, otherwise: &str) -> String {
    match text.trim() {
        "" => otherwise.to_owned(),
        text => text.chars().take(LINE).collect(),
    }
}

/// The tables, each with its path.
fn tables(files: &Files) -> impl Iterator<Item = (&str, &str)> {
    let all = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()));
    all.filter(|(path, _)| path.starts_with("data/") && path.ends_with(".csv"))
}

/// The rows of a table with the numbers of their lines.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let rows = text.lines().enumerate().skip(1);
    rows.map(|(at, line)| (at + 1, line.split(',').collect()))
}

fn format(files: &Files) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, text) in tables(files) {
        if text.lines().next() != Some("id,name,collected,place,seeds") {
            problems.push(format!(
                "{path}:1: the header is not id,name,collected,place,seeds"
            ));
        }
        if !text.ends_with('\n') {
            problems.push(format!("{path}: no line feed at the end"));
        }
        for (line, cells) in rows(text) {
            if cells.len() != 5 {
                problems.push(format!("{path}:{line}: {} cells, not 5", cells.len()));
                continue;
            }
            if !is_id(cells[0]) {
                problems.push(format!("{path}:{line}: {:?} is no id", cells[0]));
            }
            if !is_date(cells[2]) {
                problems.push(format!("{path}:{line}: {:?} is no date", cells[2]));
            }
            let is_count =
                cells[4].bytes().all(|it| it.is_ascii_digit()) && !cells[4].starts_with('0');
            if !is_count || cells[4].is_empty() {
                problems.push(format!(
                    "{path}:{line}: {:?} is no number of seeds",
                    cells[4]
                ));
            }
        }
    }
    problems
}

fn is_id(text: &str) -> bool {
    let (letters, digits) = text.split_at_checked(4).unwrap_or_default();
    let is_word =
        letters.bytes().take(3).all(|it| it.is_ascii_uppercase()) && letters.ends_with('-');
    is_word && digits.len() == 4 && digits.bytes().all(|it| it.is_ascii_digit())
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let number = |text: &str, digits: usize| -> Option<u32> {
        let fits = text.len() == digits && text.bytes().all(|it| it.is_ascii_digit());
        fits.then(|| text.parse().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn order(files: &Files) -> Vec<String> {
    let mut problems = Vec::new();
    for (path, text) in tables(files) {
        let mut last = "";
        for (line, cells) in rows(text) {
            if cells[0] <= last {
                problems.push(format!("{path}:{line}: {} stands after {last}", cells[0]));
            }
            last = cells[0];
        }
    }
    problems
}

/// Returns the values of a column that are not in a list.
fn listed(files: &Files, column: usize, list: &str, what: &str) -> Vec<String> {
    let known: BTreeSet<&str> = match files.get(list) {
        Some(text) => text.lines().collect(),
        None => return vec![format!("{list} is not there")],
    };
    let mut problems = Vec::new();
    for (path, text) in tables(files) {
        for (line, cells) in rows(text) {
            if let Some(cell) = cells.get(column)
                && !known.contains(cell)
            {
                problems.push(format!("{path}:{line}: {cell:?} is no {what} of {list}"));
            }
        }
    }
    problems
}

/// Links of the documents that lead to no file.
fn links(files: &Files) -> Vec<String> {
    let mut problems = Vec::new();
    let documents = files.iter().filter(|(path, _)| path.ends_with(".md"));
    for (path, text) in documents {
        for (at, line) in text.lines().enumerate() {
            let targets = line
                .split("](")
                .skip(1)
                .filter_map(|it| it.split(')').next());
            for target in targets.filter(|it| !it.contains("://")) {
                let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
                if !files.contains_key(&joined(dir, target)) {
                    problems.push(format!("{path}:{}: there is no {target}", at + 1));
                }
            }
        }
    }
    problems
}

/// A path from a directory.
fn joined(dir: &str, target: &str) -> String {
    let mut parts: Vec<&str> = dir.split('/').filter(|it| !it.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(command: &str, files: &[(&str, &str)]) -> String {
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let step = Step {
            job: "a".to_owned(),
            name: "b".to_owned(),
            command: Some(command.to_owned()),
        };
        run(&[step], &files.collect()).remove(0).output
    }

    #[test]
    fn each_rule_finds_what_breaks_it() {
        let table = "id,name,collected,place,seeds\nAST-0002,Aster amellus,2021-02-29,Mill,12\nAST-0001,Aster,2021-03-01,Mill,0\n";
        let files = [
            ("data/asters.csv", table),
            ("names.txt", "Aster amellus\n"),
            ("places.txt", "Mill\n"),
            ("docs/a.md", "[b](b.md) [c](../README.md)\n"),
            ("README.md", "[d](docs/a.md) [e](https://example.org/x)\n"),
        ];
        for (command, expected) in [
            (
                "check format",
                "data/asters.csv:2: \"2021-02-29\" is no date\ndata/asters.csv:3: \"0\" is no number of seeds",
            ),
            (
                "check order",
                "data/asters.csv:3: AST-0001 stands after AST-0002",
            ),
            (
                "check names",
                "data/asters.csv:3: \"Aster\" is no name of names.txt",
            ),
            ("check places", "all good"),
            ("check links", "docs/a.md:1: there is no b.md"),
            ("check moon", "check moon: command not found"),
        ] {
            assert_eq!(told(command, &files), expected, "{command}");
        }
        assert_eq!(told("check names", &[]), "names.txt is not there");
    }

    #[test]
    fn any_cells_are_judged() {
        for cell in [
            "",
            "-",
            "AST",
            "AST-",
            "ÄST-0001",
            "AST-000é",
            "2024-1-01",
            "----",
        ] {
            assert!(!is_id(cell) && !is_date(cell), "{cell}");
        }
        assert!(is_id("AST-0001") && is_date("2024-02-29"));
    }
}
