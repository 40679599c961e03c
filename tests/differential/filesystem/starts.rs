//! Generator of starting worlds.

use crate::draw::Draw;
use crate::paths::{DIRECTORIES, Memory, NAMES, join};
use crate::texts::text;
use crate::worlds::{CLOCK, Entry, Spec};

pub(crate) fn world(draw: &mut Draw, memory: &mut Memory) -> Spec {
    let mut spec = Spec::default();
    for _ in 0..3 + draw.below(14) {
        let path = join(draw.one(&DIRECTORIES), draw.one(&NAMES));
        if occupied(&spec, &path) {
            continue;
        }
        let entry = match draw.below(10) {
            0 => Entry::Directory,
            1 => Entry::File {
                bytes: (0..draw.below(3000))
                    .map(|_| draw.below(256) as u8)
                    .collect(),
                executable: false,
                modified: CLOCK,
            },
            _ => {
                let text = text(draw);
                memory.texts.push((path.clone(), text.clone()));
                Entry::File {
                    bytes: text.into_bytes(),
                    executable: draw.chance(15),
                    modified: draw.pick(&[CLOCK, CLOCK, 946_684_800, 1_709_210_096]),
                }
            }
        };
        memory.remember(&path);
        spec.0.insert(path, entry);
    }
    if draw.chance(40) {
        for _ in 0..1 + draw.below(4) {
            link(draw, memory, &mut spec);
        }
    }
    spec
}

/// Adds a symlink that stays inside the root: to a file, to a directory, to a missing path, or in a cycle.
fn link(draw: &mut Draw, memory: &mut Memory, spec: &mut Spec) {
    let name = draw.one(&[
        "link",
        "link2",
        "dir_link",
        "ring",
        "docs/link",
        "data/link",
        "docs/old/link",
    ]);
    let target = match draw.below(6) {
        0 => "nowhere".to_owned(),
        1 => draw.one(&["ring", "link", "link2", "dir_link"]).to_owned(),
        _ => draw.pick(&memory.paths),
    };
    let climb = "../".repeat(name.matches('/').count());
    let target = match target.as_str() {
        "" => format!("{climb}."),
        _ => format!("{climb}{target}"),
    };
    if !occupied(spec, name) {
        memory.remember(name);
        spec.0.insert(name.to_owned(), Entry::Link(target));
    }
}

/// Returns true if an entry cannot be added at the path.
fn occupied(spec: &Spec, path: &str) -> bool {
    let is_below = |one: &str, other: &str| {
        one.strip_prefix(other)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    spec.0.iter().any(|(other, entry)| {
        let blocks = is_below(path, other) && !matches!(entry, Entry::Directory);
        other == path || blocks || is_below(other, path)
    })
}
