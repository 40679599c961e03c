//! Hunks of a diff, and how they are made on a file that is not quite the same.

/// A hunk: the lines that it expects and those that it leaves.
pub struct Hunk {
    pub old: Vec<String>,
    pub new: Vec<String>,
}

/// What a diff does to one file.
pub struct FileDiff {
    pub path: String,
    pub hunks: Vec<Hunk>,
}

/// Reads a diff in git's form. Files that are added, removed or renamed are not expected.
pub fn read(diff: &str) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut is_head = true;
    for line in diff.lines() {
        if line.starts_with("diff --git ") {
            is_head = true;
        } else if is_head && let Some(path) = line.strip_prefix("+++ b/") {
            let path = path.to_owned();
            files.push(FileDiff {
                path,
                hunks: Vec::new(),
            });
        } else if line.starts_with("@@ ") {
            is_head = false;
            let hunk = Hunk {
                old: Vec::new(),
                new: Vec::new(),
            };
            files
                .last_mut()
                .expect("a hunk is in a file")
                .hunks
                .push(hunk);
        } else if !is_head {
            let hunk = files.last_mut().and_then(|file| file.hunks.last_mut());
            let hunk = hunk.expect("lines are in a hunk");
            let text = line.get(1..).unwrap_or_default().to_owned();
            match line.chars().next() {
                Some('-') => hunk.old.push(text),
                Some('+') => hunk.new.push(text),
                Some('\\') => {}
                _ => {
                    hunk.old.push(text.clone());
                    hunk.new.push(text);
                }
            }
        }
    }
    files
}

/// Makes a hunk on a text. Where its surroundings are not the same, lines of context are given up at
/// both ends, until it fits in one place.
pub fn apply(text: &str, hunk: &Hunk) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let head = common(hunk.old.iter().zip(&hunk.new));
    let tail = common(hunk.old.iter().rev().zip(hunk.new.iter().rev()));
    for given_up in 0..=head.max(tail) {
        let (from, to) = (given_up.min(head), given_up.min(tail));
        let old = &hunk.old[from..hunk.old.len() - to];
        let new = &hunk.new[from..hunk.new.len() - to];
        let places: Vec<usize> = (0..=lines.len().saturating_sub(old.len()))
            .filter(|at| {
                lines[*at..].starts_with(&old.iter().map(String::as_str).collect::<Vec<_>>())
            })
            .collect();
        if let ([at], false) = (places.as_slice(), old.is_empty()) {
            let mut all: Vec<&str> = lines[..*at].to_vec();
            all.extend(new.iter().map(String::as_str));
            all.extend(&lines[at + old.len()..]);
            return Some(all.join("\n") + "\n");
        }
    }
    None
}

fn common<'a>(pairs: impl Iterator<Item = (&'a String, &'a String)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}
