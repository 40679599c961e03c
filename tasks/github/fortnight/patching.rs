//! Puts what changed between two texts into a third one, which has gone on since.

/// Lines that go and lines that come, with the lines around them that stay.
pub struct Change<'a> {
    above: Option<&'a str>,
    out: Vec<&'a str>,
    into: Vec<&'a str>,
    below: Option<&'a str>,
}

/// What changed between two texts: wherever they part, up to the nearest line that both have.
pub fn changes<'a>(before: &'a str, after: &'a str) -> Vec<Change<'a>> {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    // Where both end, they meet again.
    old.push("\n");
    new.push("\n");
    let (mut i, mut j) = (0, 0);
    let mut all = Vec::new();
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let ways = (1..).flat_map(|steps: usize| (0..=steps).map(move |out| (out, steps - out)));
        let meets = |&(out, into): &(usize, usize)| {
            let (one, other) = (old.get(i + out), new.get(j + into));
            one.is_some() && one == other
        };
        let (out, into) = ways.into_iter().find(meets).expect("they meet at the end");
        all.push(Change {
            above: i.checked_sub(1).map(|above| old[above]),
            out: old[i..i + out].to_vec(),
            into: new[j..j + into].to_vec(),
            below: new[j + into..new.len() - 1].first().copied(),
        });
        (i, j) = (i + out, j + into);
    }
    all
}

/// A text with these changes.
pub fn patched(text: &str, changes: &[Change<'_>]) -> String {
    let mut text = format!("\n{text}");
    for change in changes {
        let lines = |lines: &[&str]| -> String {
            let all = change.above.iter().chain(lines).chain(&change.below);
            all.fold("\n".to_owned(), |text, line| text + line + "\n")
        };
        let (old, new) = (lines(&change.out), lines(&change.into));
        assert_eq!(text.matches(&old).count(), 1, "{old:?} has one place");
        text = text.replacen(&old, &new, 1);
    }
    text.split_off(1)
}
