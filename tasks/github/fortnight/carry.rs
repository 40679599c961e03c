//! Carries what changed between two texts over to a third one.

/// Lines that were taken out and put in, between two lines that stayed.
struct Hunk<'a> {
    above: Option<&'a str>,
    out: Vec<&'a str>,
    into: Vec<&'a str>,
    below: Option<&'a str>,
}

/// A text with what changed from `before` to `after`: each change stands between the lines between which it
/// stood.
///
/// # Panics
/// When a change has not exactly one place in the text.
pub fn carried(now: &str, before: &str, after: &str) -> String {
    let mut lines: Vec<&str> = now.lines().collect();
    for hunk in hunks(before, after) {
        let mut wanted: Vec<&str> = hunk.above.into_iter().collect();
        let skipped = wanted.len();
        wanted.extend(&hunk.out);
        wanted.extend(hunk.below);
        let places: Vec<usize> = (0..=lines.len().saturating_sub(wanted.len()))
            .filter(|at| lines[*at..].starts_with(&wanted))
            .collect();
        let [place] = places[..] else {
            panic!("{wanted:?} stands there {} times", places.len());
        };
        let from = place + skipped;
        lines.splice(from..from + hunk.out.len(), hunk.into);
    }
    lines.join("\n") + "\n"
}

fn hunks<'a>(before: &'a str, after: &'a str) -> Vec<Hunk<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    // How many lines two rests have in common.
    let mut common = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut hunks: Vec<Hunk<'a>> = Vec::new();
    let mut is_open = false;
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j, is_open) = (i + 1, j + 1, false);
            continue;
        }
        if !is_open {
            hunks.push(Hunk {
                above: i.checked_sub(1).map(|above| old[above]),
                out: Vec::new(),
                into: Vec::new(),
                below: None,
            });
            is_open = true;
        }
        let hunk = hunks.last_mut().expect("one was just begun");
        if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            hunk.out.push(old[i]);
            i += 1;
        } else {
            hunk.into.push(new[j]);
            j += 1;
        }
        hunk.below = old.get(i).copied();
    }
    hunks
}
