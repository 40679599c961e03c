//! Judges draft 4 of Saturday: the running order, and the note that explains it.

mod note;

use mcpmark_guest::prose::Language;
use mcpmark_guest::{Verifier, content};

mcpmark_guest::verifier!(verify);

const RUNNING_ORDER: &str = "01 Programme/running order.md";
const NOTE: &str = "01 Programme/note on draft 4.md";

/// Start, end, stage and act, in the order of the running order. Worked out by hand from the papers.
const SETS: [[&str; 4]; 13] = [
    ["12:30", "13:00", "Barn", "Nettle Jigs"],
    // Ingrid agreed on 4 June that Grist and Mireille Ozanne change places; nobody who could agreed to an hour.
    ["13:15", "14:00", "Barn", "Grist"],
    ["14:15", "15:00", "Barn", "Mireille Ozanne"],
    ["15:00", "15:42", "Beck Stage", "Hollin Beck Silver"],
    // In place of Järnvik Duo, with a full line check.
    ["15:25", "16:05", "Barn", "Brónach Quill"],
    // 15:42 and 30 minutes, up to the next five; in this place after the exchanges of 9 and 16 June.
    ["16:15", "17:05", "Beck Stage", "Café Ondine"],
    ["17:25", "18:10", "Beck Stage", "The Larch Sisters"],
    // 16:20 to 17:05 would run into the pause.
    ["18:00", "18:45", "Barn", "Tomáš & Ludmila Hrubec"],
    ["18:30", "19:20", "Beck Stage", "Three Stiles"],
    ["19:40", "20:40", "Beck Stage", "Zoë Farrant Quartet"],
    // Ffion Arkle comes from Three Stiles.
    ["19:50", "20:40", "Barn", "Old Hob's Kettle"],
    // Józef Pardoe comes from the Zoë Farrant Quartet.
    ["21:10", "22:40", "Barn", "Pennyroyal Ceilidh Band"],
    // 80 minutes were agreed, the licence ends music outdoors at 22:15.
    ["21:10", "22:15", "Beck Stage", "Under the Scar"],
];

const SATURDAY: &str = "Saturday 12 July";
const NAMED: &str = "Draft 4, 20 June 2025 (Ingrid)";
const SETTLED: &str = "Saturday is settled.";
const OPEN: &str = "- [ ] Saturday: next draft after the meeting of 16 June";
const TICKED: &str = "- [x] Saturday: next draft after the meeting of 16 June";

fn verify(task: &mut Verifier) {
    let start = task.start().file(RUNNING_ORDER).text().required();
    let document = task.file(RUNNING_ORDER);
    let saturday = document.markdown().section(SATURDAY);
    let header = ["Start", "End", "Stage", "Act"];
    let table: Vec<Vec<&str>> = std::iter::once(header)
        .chain(SETS)
        .map(|row| row.to_vec())
        .collect();
    task.check("Saturday's sets", saturday.table().equal(table));
    task.check(
        "the draft is named",
        document.line(3).content_is(content::text(NAMED)),
    );
    let ticked = document.text().map(|text| plain_mark(text));
    task.check(
        "Saturday is settled",
        saturday
            .paragraphs()
            .equal([SETTLED])
            .and(ticked.contains_line(TICKED)),
    );
    task.check(
        "the rest of the running order",
        document
            .text()
            .map(|text| plain_rows(&plain_mark(text)))
            .content_is(edited(&start)),
    );

    let note = task.file(NOTE).text();
    for (name, condition) in note::conditions(&note) {
        task.check(format!("the note: {name}"), condition);
    }
    let note = note.prose();
    task.check("the note is short", note.words_between(30, 210));
    task.check("the note is in sentences", note.is_in(Language::English));

    task.unchanged_except([RUNNING_ORDER, NOTE]);
}

/// Returns the running order that is expected: all lines of the start but those of the draft.
fn edited(start: &str) -> content::Edited {
    let rows = SETS.map(|row| format!("| {} |", row.join(" | ")));
    let old = lines_of_saturday(start);
    let sentence = old
        .iter()
        .find(|line| line.starts_with("Saturday is "))
        .expect("draft 3 says where Saturday comes from");
    let old: Vec<&&str> = old.iter().filter(|line| is_row(line)).collect();
    let third = start.lines().nth(2).expect("draft 3 is named");
    let mut expected = content::edited(start)
        .replace(third, NAMED)
        .replace(sentence, SETTLED)
        .replace(OPEN, TICKED);
    for row in &old[1..] {
        expected = expected.without(row);
    }
    expected = expected.replace(old[0], &rows[0]);
    for pair in rows.windows(2) {
        expected = expected.insert_after(&pair[0], &pair[1]);
    }
    expected
}

/// Returns the lines of Saturday's section.
fn lines_of_saturday(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|line| !is_saturday(line));
    let rest = lines.skip(1).take_while(|line| !line.starts_with("## "));
    rest.collect()
}

fn is_saturday(line: &str) -> bool {
    line.strip_prefix("## ") == Some(SATURDAY)
}

/// Returns true for a row with a time in its first cell.
fn is_row(line: &str) -> bool {
    let first = line.trim_start().trim_start_matches('|').trim_start();
    line.contains('|') && first.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Writes the rows of Saturday's table like those of the start: padding and outer pipes are nothing to a reader.
fn plain_rows(text: &str) -> String {
    let mut is_inside = false;
    let mut plain = String::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\r', '\n']);
        if content.starts_with("## ") {
            is_inside = is_saturday(content);
        }
        if is_inside && is_row(content) {
            let row = content.trim();
            let row = row.strip_prefix('|').unwrap_or(row);
            let row = row.strip_suffix('|').unwrap_or(row);
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            plain.push_str(&format!("| {} |", cells.join(" | ")));
            plain.push_str(&line[content.len()..]);
        } else {
            plain.push_str(line);
        }
    }
    plain
}

/// Writes the tick of Saturday's line as a small letter; Markdown knows both.
fn plain_mark(text: &str) -> String {
    text.replace(&TICKED.replace("[x]", "[X]"), TICKED)
}

#[cfg(test)]
mod tests {
    use mcpmark_guest::testing::{self, MemoryTree};

    use super::*;

    const START: &str = include_str!(
        "../../../../worlds/filesystem/village-festival/files/01 Programme/running order.md"
    );

    fn draft() -> String {
        let from = START.find("| 12:30 |").expect("Saturday begins");
        let to = START.find("\nSaturday is worked").expect("Saturday ends");
        let rows = SETS.map(|row| format!("| {} |\n", row.join(" | ")));
        format!("{}{}{}", &START[..from], rows.concat(), &START[to..])
            .replace("Draft 3, 9 June", "Draft 4, 20 June")
            .replace(
                "Saturday is worked out from the list of 2 June and the swap of 9 June.",
                SETTLED,
            )
            .replace(OPEN, TICKED)
    }

    fn failed(draft: &str) -> Vec<String> {
        let start = MemoryTree::from([(RUNNING_ORDER, START)]);
        let note = mcpmark_guest::prose::samples(include_str!("notes.txt"))
            .swap_remove(0)
            .text;
        let end = MemoryTree::from([(RUNNING_ORDER, draft), (NOTE, note.as_str())]);
        let checks = testing::verify(verify, &start, &end, None);
        let failed = checks.into_iter().filter(|check| !check.passed);
        failed.map(|check| check.name).collect()
    }

    #[test]
    fn right_drafts_pass_in_any_layout_of_the_table() {
        let draft = draft();
        for text in [
            draft.clone(),
            draft.replace("[x]", "[X]"),
            draft.replace(
                "| 13:15 | 14:00 | Barn | Grist |",
                "| 13:15 | 14:00 | Barn       | Grist    |",
            ),
            draft.replace("| 13:15 | 14:00 | Barn | Grist |", "13:15|14:00|Barn|Grist"),
            draft.replace("Saturday is settled.\n", "Saturday is settled. \n"),
        ] {
            assert_eq!(failed(&text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn wrong_drafts_fail() {
        const REST: &str = "the rest of the running order";
        let draft = draft();
        for (old, new, checks) in [
            (
                "| 22:15 | Beck Stage | Under",
                "| 22:30 | Beck Stage | Under",
                vec!["Saturday's sets", REST],
            ),
            ("Draft 4", "Draft 3", vec!["the draft is named", REST]),
            (
                "Saturday is settled.",
                "Saturday is open.",
                vec!["Saturday is settled", REST],
            ),
            (
                "[x] Saturday",
                "[ ] Saturday",
                vec!["Saturday is settled", REST],
            ),
            ("| 14:40 | 15:30 | Barn | Brónach Quill |\n", "", vec![REST]),
            ("Friday is settled.", "Friday is settled. ", vec![REST]),
            ("## Sunday", "<!-- draft -->\n\n## Sunday", vec![REST]),
        ] {
            assert_eq!(failed(&draft.replace(old, new)), checks, "{new}");
        }
        assert!(failed(&draft.replace('\n', "\r\n")).contains(&REST.to_owned()));
    }

    #[test]
    fn notes_are_judged_by_their_facts() {
        use mcpmark_guest::prose::samples;
        let samples = samples(include_str!("notes.txt"));
        let wrong = samples.iter().filter(|sample| sample.fails.is_some());
        let wrong = wrong.count();
        assert!(
            wrong >= 20 && samples.len() - wrong >= 20,
            "{wrong} of {}",
            samples.len()
        );
        let mut mistakes = Vec::new();
        for sample in &samples {
            let failed = failed_in_note(&sample.text);
            let is_right = match &sample.fails {
                None => failed.is_empty(),
                Some(check) => failed.iter().any(|(name, _)| name == check),
            };
            if !is_right {
                mistakes.push(format!("{}: {failed:#?}", sample.name));
            } else if sample.fails.is_none() {
                mistakes.extend(accepted_digits(&sample.name, &sample.text));
            }
        }
        assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    }

    /// Returns the checks of the note that fail, with their details.
    fn failed_in_note(text: &str) -> Vec<(String, String)> {
        let text = mcpmark_guest::Found::new("the note", Ok(text.to_owned()));
        let mut results = note::conditions(&text);
        let prose = text.prose();
        results.push(("short".to_owned(), prose.words_between(30, 210)));
        results.push(("sentences".to_owned(), prose.is_in(Language::English)));
        let failed = results
            .into_iter()
            .filter(|(_, condition)| !condition.passed());
        let failed = failed.map(|(name, condition)| (name, condition.detail().to_owned()));
        failed.collect()
    }

    /// Changes each digit of the values that a right text must state, and describes the texts that pass nevertheless.
    /// Other values, such as the time of another set, can be exchanged with one that is also true somewhere.
    fn accepted_digits(name: &str, text: &str) -> Vec<String> {
        let mut accepted = Vec::new();
        for value in ["15:25", "22:15", "65", "45"] {
            let places = text.match_indices(value).filter(|(at, _)| {
                let before = text[..*at].chars().next_back();
                !before.is_some_and(|letter| letter.is_ascii_digit() || letter == ':')
            });
            for (start, _) in places {
                for at in (start..start + value.len()).filter(|at| text.as_bytes()[*at] != b':') {
                    let other = char::from(b'0' + (text.as_bytes()[at] - b'0' + 1) % 10);
                    let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
                    if failed_in_note(&changed).is_empty() {
                        accepted.push(format!("{name} passes with {other} for a digit of {value}"));
                    }
                }
            }
        }
        accepted
    }
}
