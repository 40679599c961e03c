//! Generator of paths: of existing entries, of missing ones, and hostile ones.

use crate::calls::ROOT;
use crate::draw::Draw;

pub(crate) const NAMES: [&str; 40] = [
    "a.txt",
    "b.md",
    "c.csv",
    "A.txt",
    "a b.txt",
    ".hidden",
    "data",
    "docs",
    "x",
    "y.json",
    "notes.txt",
    "README.md",
    "photo.PNG",
    "sound.wav",
    "blob.bin",
    "page.svg",
    "a-b",
    "a_b",
    "a.b",
    "Z",
    "10",
    "9",
    "1.txt",
    "(a).txt",
    "[a].txt",
    "{a,b}.txt",
    "a*b",
    "#x",
    "!x",
    "$x",
    "~x",
    "café.txt",
    "cafe\u{301}.txt",
    "ä",
    "Ångström",
    "日本.txt",
    "emoji 😀.txt",
    "it's",
    "q\"q",
    "\u{e000}",
];

pub(crate) const DIRECTORIES: [&str; 10] = [
    "",
    "",
    "",
    "data",
    "docs",
    "docs/old",
    "data/2024/q1",
    "sub",
    "sub/deep",
    "über",
];

/// Paths and texts of the starting world and of earlier calls, from which arguments are drawn.
pub(crate) struct Memory {
    pub(crate) paths: Vec<String>,
    pub(crate) texts: Vec<(String, String)>,
}

impl Memory {
    /// Adds the path of an entry and of its parent directory.
    pub(crate) fn remember(&mut self, path: &str) {
        self.paths.push(path.to_owned());
        if let Some((above, _)) = path.rsplit_once('/') {
            self.paths.push(above.to_owned());
        }
    }
}

pub(crate) fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        _ => format!("{directory}/{name}"),
    }
}

/// Returns a path, in most cases of an existing entry.
pub(crate) fn path(draw: &mut Draw, memory: &Memory) -> String {
    let plain = match draw.below(20) {
        0..=12 => draw.pick(&memory.paths),
        13..=15 => new_path(draw, memory),
        16 => {
            let path = draw.pick(&memory.paths);
            respelt(draw, &path)
        }
        17 => {
            let directory = draw.pick(&memory.paths);
            return hostile(draw, &directory);
        }
        _ => join(&draw.pick(&memory.paths), draw.one(&NAMES)),
    };
    decorate(draw, &plain)
}

/// Respells a path: composed or decomposed characters, upper or lower case, an added space.
fn respelt(draw: &mut Draw, path: &str) -> String {
    let replacements = [
        ("é", "e\u{301}"),
        ("e\u{301}", "é"),
        ("ä", "a\u{308}"),
        ("Å", "A\u{30a}"),
        ("Å", "\u{212b}"),
        ("ü", "u\u{308}"),
        ("a", "A"),
        ("t", "t "),
    ];
    let fitting: Vec<_> = replacements
        .into_iter()
        .filter(|(from, _)| path.contains(from))
        .collect();
    if fitting.is_empty() {
        path.to_owned()
    } else {
        let (from, to) = draw.pick(&fitting);
        path.replace(from, to)
    }
}

pub(crate) fn new_path(draw: &mut Draw, memory: &Memory) -> String {
    let above = if draw.chance(50) {
        draw.one(&DIRECTORIES).to_owned()
    } else {
        draw.pick(&memory.paths)
    };
    let name = if draw.chance(50) {
        draw.one(&NAMES).to_owned()
    } else {
        format!("new{}", draw.below(6))
    };
    let path = join(&above, &name);
    if draw.chance(20) {
        join(&path, draw.one(&NAMES))
    } else {
        path
    }
}

/// Returns the path of a directory in many cases, and any path otherwise.
pub(crate) fn directory(draw: &mut Draw, memory: &Memory) -> String {
    if draw.chance(40) {
        let plain = draw.one(&["", ".", "docs", "data", "sub"]).to_owned();
        decorate(draw, &plain)
    } else {
        path(draw, memory)
    }
}

/// Writes a path in a different but equivalent form.
fn decorate(draw: &mut Draw, path: &str) -> String {
    // A path from an earlier call may already be decorated.
    if path.starts_with(['/', '{']) {
        return path.to_owned();
    }
    match draw.below(20) {
        0..=3 => format!("{ROOT}/{path}"),
        4 => format!("{path}/"),
        5 => format!("./{path}"),
        6 => format!("docs/../{path}"),
        7 => format!("{ROOT}//{path}"),
        8 => path.replace('/', "//"),
        9 => format!("{path}/."),
        _ => path.to_owned(),
    }
}

fn hostile(draw: &mut Draw, path: &str) -> String {
    let long = "n".repeat(draw.pick(&[218, 219, 255, 256, 300]));
    let options = [
        "/etc/passwd".to_owned(),
        "../outside".to_owned(),
        format!("{ROOT}/../outside"),
        format!("{ROOT}x/y"),
        "/".to_owned(),
        "..".to_owned(),
        "~".to_owned(),
        "~/x".to_owned(),
        "~x".to_owned(),
        "a\0b".to_owned(),
        format!("{path}\0"),
        format!("{path} "),
        format!(" {path}"),
        format!("\"{path}\""),
        format!("{path}'"),
        "C:\\Users\\x".to_owned(),
        "c:/x".to_owned(),
        "C:".to_owned(),
        "Z:x".to_owned(),
        "\\\\server\\x".to_owned(),
        "a\\b".to_owned(),
        "..\\x".to_owned(),
        "%2e%2e/x".to_owned(),
        "．．/x".to_owned(),
        "\u{202e}txt".to_owned(),
        "a\nb".to_owned(),
        "\u{feff}".to_owned(),
        long.clone(),
        format!("new/{long}"),
        format!("{path}/{long}"),
        format!("{}x", "../".repeat(40)),
        "d/".repeat(30),
        "y/".repeat(3000),
        ROOT.to_owned(),
        format!("file://{ROOT}/a.txt"),
    ];
    draw.pick(&options)
}
