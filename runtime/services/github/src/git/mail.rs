//! Commits as mails in the form of `git format-patch`: message, diffstat and diff.

use gix::ObjectId;
use jiff::fmt::strtime;
use jiff::tz::{Offset, TimeZone};

use super::diff::quoted;
use super::{Change, Commit, Git, GitError, Identity};

/// Width of the diffstat, in columns.
const WIDTH: usize = 72;
/// Maximum width of a header line that can be folded, in columns.
const LINE: usize = 78;
/// Maximum width of a line with encoded words, in columns.
const ENCODED_LINE: usize = 76;
/// Start of an encoded word.
const WORD: &str = "=?UTF-8?q?";

/// Row of the diffstat.
struct Row {
    name: String,
    /// Sizes before and after in bytes, for a binary file.
    binary: Option<(u64, u64)>,
    added: usize,
    removed: usize,
}

impl Git {
    /// Formats commits as mails, one after the other. Leaves out merges, as git does, unless a merge is the only
    /// commit: then its diff against the first parent is written.
    pub(crate) fn mails(&self, ids: &[ObjectId]) -> Result<String, GitError> {
        let mut commits = Vec::with_capacity(ids.len());
        for id in ids {
            let commit = self.commit(*id)?;
            if ids.len() == 1 || commit.parents.len() < 2 {
                commits.push(commit);
            }
        }
        let mut text = String::new();
        for (place, commit) in commits.iter().enumerate() {
            if place > 0 {
                text.push('\n');
            }
            let number = match commits.len() {
                1 => "[PATCH]".to_owned(),
                count => format!(
                    "[PATCH {:0width$}/{count}]",
                    place + 1,
                    width = digits(count)
                ),
            };
            self.mail(commit, &number, &mut text)?;
        }
        Ok(text)
    }

    fn mail(&self, commit: &Commit, number: &str, text: &mut String) -> Result<(), GitError> {
        let before = match commit.parents.first() {
            Some(parent) => Some(self.tree_of(*parent)?),
            None => None,
        };
        let changes = self.changes(before, commit.tree)?;
        let (title, body) = parts(&commit.message);
        *text += &format!("From {} Mon Sep 17 00:00:00 2001\n", commit.id);
        *text += &format!("From: {}\n", sender(&commit.author));
        *text += &format!("Date: {}\n", date(&commit.author));
        *text += &format!("Subject: {number} {}\n", subject(&title, number.len() + 10));
        if !title.is_ascii() || !body.is_ascii() {
            *text += "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n";
        }
        *text += "\n";
        if !body.is_empty() {
            *text += &format!("{body}\n");
        }
        *text += "---\n";
        self.summary(&changes, text)?;
        text.push('\n');
        for change in &changes {
            *text += &change.text();
        }
        Ok(())
    }

    /// Appends the diffstat and the list of created, deleted and renamed files and changed modes.
    fn summary(&self, changes: &[Change], text: &mut String) -> Result<(), GitError> {
        let mut rows = Vec::with_capacity(changes.len());
        for change in changes {
            let size = |side: &Option<super::Side>| match side {
                Some((_, id)) => self.size(*id),
                None => Ok(0),
            };
            rows.push(Row {
                name: match &change.previous {
                    Some(previous) => moved(previous, &change.path),
                    None => quoted("", &change.path),
                },
                binary: if change.binary {
                    Some((size(&change.old)?, size(&change.new)?))
                } else {
                    None
                },
                added: change.additions,
                removed: change.deletions,
            });
        }
        *text += &table(&rows);
        for change in changes {
            let mode = |side: &Option<super::Side>| side.as_ref().map(|(mode, _)| mode.clone());
            let path = quoted("", &change.path);
            let (old, new) = (mode(&change.old), mode(&change.new));
            match (&change.previous, old, new) {
                (_, None, Some(mode)) => *text += &format!(" create mode {mode} {path}\n"),
                (_, Some(mode), None) => *text += &format!(" delete mode {mode} {path}\n"),
                (Some(previous), old, new) => {
                    let name = moved(previous, &change.path);
                    *text += &format!(" rename {name} ({}%)\n", change.similarity());
                    if let (Some(old), Some(new)) = (old, new)
                        && old != new
                    {
                        *text += &format!(" mode change {old} => {new}\n");
                    }
                }
                (None, Some(old), Some(new)) if old != new => {
                    *text += &format!(" mode change {old} => {new} {path}\n");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Splits a message into the first paragraph, joined into one line, and the rest.
fn parts(message: &str) -> (String, &str) {
    let message = message.trim_matches('\n');
    let (first, rest) = message.split_once("\n\n").unwrap_or((message, ""));
    let lines: Vec<&str> = first.lines().map(str::trim).collect();
    (lines.join(" "), rest.trim_matches('\n'))
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

/// Formats a time for a mail header, in the time zone of the identity.
fn date(who: &Identity) -> String {
    let zone = Offset::from_seconds(who.offset).unwrap_or(Offset::UTC);
    let time = jiff::Timestamp::from_second(who.seconds).unwrap_or_default();
    let time = time.to_zoned(TimeZone::fixed(zone));
    strtime::format("%a, %-d %b %Y %H:%M:%S %z", &time).unwrap_or_default()
}

/// Formats a name and an address. A name that is not ASCII is encoded; one with special characters is quoted.
fn sender(who: &Identity) -> String {
    const SIGNS: &str = "()<>[]:;@,.\"\\";
    let name = if !who.name.is_ascii() {
        encoded(&who.name, "From: ".len(), is_safe_in_a_name)
    } else if who.name.contains(|c| SIGNS.contains(c)) {
        let name = who.name.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{name}\"")
    } else {
        who.name.clone()
    };
    format!("{name} <{}>", who.email)
}

/// Formats a title that starts in column `used`. Folds a long title, and encodes one that is not ASCII.
fn subject(title: &str, used: usize) -> String {
    if !title.is_ascii() {
        return encoded(title, used, |byte| {
            byte.is_ascii_graphic() && !b"=?_".contains(&byte)
        });
    }
    let (mut text, mut column) = (String::new(), used);
    for word in title.split(' ') {
        if column > used && column + 1 + word.len() > LINE
            || text.is_empty() && column + word.len() > LINE
        {
            text.push_str("\n ");
            column = 1;
        } else if !text.is_empty() {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += word.len();
    }
    text
}

fn is_safe_in_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!*+-/".contains(&byte)
}

/// Encodes a text as encoded words (RFC 2047). Only bytes for which `is_plain` is true stay unencoded.
fn encoded(text: &str, used: usize, is_plain: impl Fn(u8) -> bool) -> String {
    let mut all = WORD.to_owned();
    let mut column = used + WORD.len();
    for c in text.chars() {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).as_bytes();
        let is_plain = bytes.len() == 1 && is_plain(bytes[0]);
        let length = if is_plain { 1 } else { 3 * bytes.len() };
        if column + length + 2 > ENCODED_LINE {
            all += &format!("?=\n {WORD}");
            column = 1 + WORD.len();
        }
        if is_plain {
            all.push(c)
        } else {
            bytes.iter().for_each(|byte| all += &format!("={byte:02X}"))
        }
        column += length;
    }
    all + "?="
}

/// Formats a rename and writes the common parts of both paths once, as in `d/{a => b}`.
fn moved(old: &str, new: &str) -> String {
    let (old_quoted, new_quoted) = (quoted("", old), quoted("", new));
    if old_quoted != old || new_quoted != new {
        return format!("{old_quoted} => {new_quoted}");
    }
    let (a, b) = (old.as_bytes(), new.as_bytes());
    let same = a.iter().zip(b).take_while(|(one, two)| one == two).count();
    let before = a[..same]
        .iter()
        .rposition(|it| *it == b'/')
        .map_or(0, |at| at + 1);
    // The slash at the end of the common prefix can also be the slash at the start of the common suffix.
    let least = before.saturating_sub(1);
    let (mut after, mut back) = (0, 0);
    while back < a.len() - least && back < b.len() - least {
        let byte = a[a.len() - back - 1];
        if byte != b[b.len() - back - 1] {
            break;
        }
        back += 1;
        if byte == b'/' {
            after = back;
        }
    }
    if before + after == 0 {
        return format!("{old} => {new}");
    }
    let middle = |path: &str| {
        let end = path.len().saturating_sub(after).max(before);
        path[before..end].to_owned()
    };
    let tail = &old[old.len() - after..];
    format!(
        "{}{{{} => {}}}{tail}",
        &old[..before],
        middle(old),
        middle(new)
    )
}

/// Formats the diffstat: rows with bars, and the totals.
fn table(rows: &[Row]) -> String {
    let name_width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let texts = || rows.iter().filter(|row| row.binary.is_none());
    let most = texts()
        .map(|row| row.added + row.removed)
        .max()
        .unwrap_or(0);
    let decimal = |number: u64| digits(usize::try_from(number).unwrap_or(usize::MAX));
    let binary = rows.iter().filter_map(|row| row.binary);
    let binary = binary
        .map(|(old, new)| 14 + decimal(old) + decimal(new))
        .max();
    let number_width = digits(most).max(if binary.is_some() { 3 } else { 0 });
    let binary = binary.unwrap_or(0);
    let mut bar_width = if most + 4 > binary { most } else { binary - 4 };
    let mut name_width = name_width;
    if name_width + number_width + 6 + bar_width > WIDTH {
        let third = (WIDTH * 3 / 8).saturating_sub(number_width + 6).max(6);
        bar_width = bar_width.min(third);
        let rest = WIDTH.saturating_sub(number_width + 6);
        if name_width > rest - bar_width {
            name_width = rest - bar_width
        } else {
            bar_width = rest - name_width
        }
    }
    let mut text = String::new();
    for row in rows {
        let name = shortened(&row.name, name_width);
        text += &format!(" {name:name_width$} | ");
        if let Some((old, new)) = row.binary {
            text += &format!("{:>number_width$}", "Bin");
            if (old, new) != (0, 0) {
                text += &format!(" {old} -> {new} bytes");
            }
            text.push('\n');
            continue;
        }
        let (added, removed) = bars(row.added, row.removed, bar_width, most);
        let sum = row.added + row.removed;
        text += &format!("{sum:>number_width$}");
        if sum > 0 {
            text += &format!(" {}{}", "+".repeat(added), "-".repeat(removed));
        }
        text.push('\n');
    }
    let added: usize = rows.iter().map(|row| row.added).sum();
    let removed: usize = rows.iter().map(|row| row.removed).sum();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    text += &format!(" {} file{} changed", rows.len(), plural(rows.len()));
    if rows.is_empty() {
        return text + "\n";
    }
    if added > 0 || removed == 0 {
        text += &format!(", {added} insertion{}(+)", plural(added));
    }
    if removed > 0 || added == 0 {
        text += &format!(", {removed} deletion{}(-)", plural(removed));
    }
    text + "\n"
}

/// Shortens a name to a width in columns: keeps the end, if possible from a slash on.
fn shortened(name: &str, width: usize) -> String {
    if name.len() <= width {
        return name.to_owned();
    }
    let end = &name[name.len() - width.saturating_sub(3)..];
    let end = end.find('/').map_or(end, |at| &end[at..]);
    format!("...{end}")
}

/// Computes the numbers of `+` and `-` signs in the bar of a row.
fn bars(added: usize, removed: usize, width: usize, most: usize) -> (usize, usize) {
    if width > most {
        return (added, removed);
    }
    let scaled = |number: usize| match number {
        0 => 0,
        number => 1 + number * (width - 1) / most,
    };
    let mut total = scaled(added + removed);
    if total < 2 && added > 0 && removed > 0 {
        total = 2;
    }
    if added < removed {
        (scaled(added), total - scaled(added))
    } else {
        (total - scaled(removed), scaled(removed))
    }
}

#[cfg(test)]
mod tests {
    use super::{bars, moved, parts, shortened, subject};

    #[test]
    fn renames_say_once_what_both_have() {
        for (old, new, expected) in [
            ("a", "b", "a => b"),
            ("d/a", "d/b", "d/{a => b}"),
            ("a/x", "b/x", "{a => b}/x"),
            ("d/a/x", "d/b/x", "d/{a => b}/x"),
            ("d/x", "d/e/x", "d/{ => e}/x"),
            ("a b", "\u{e9}", "a b => \"\\303\\251\""),
        ] {
            assert_eq!(moved(old, new), expected);
        }
    }

    #[test]
    fn long_names_and_titles_are_cut_and_broken() {
        assert_eq!(shortened("one/two/three.txt", 14), ".../three.txt");
        assert_eq!(shortened("onetwothree.txt", 10), "...ree.txt");
        assert_eq!(bars(1, 1000, 10, 1001), (1, 9));
        let title = ["word"; 20].join(" ");
        let lines: Vec<usize> = subject(&title, 17).lines().map(str::len).collect();
        assert_eq!(lines, [59, 40]);
        assert_eq!(parts("a\nb\n\nc\n\nd\n"), ("a b".to_owned(), "c\n\nd"));
    }
}
