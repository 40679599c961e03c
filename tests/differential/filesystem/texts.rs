//! Generator of texts, edits and glob patterns.

use serde_json::{Value, json};

use crate::draw::Draw;
use crate::paths::{Memory, path};

const PIECES: [&str; 16] = [
    "alpha", "beta", " gamma", "  delta", "\tx", "", "", "é ü", "日本", "😀", "a b c", "}", "{",
    "```", "$&", "1,2,3",
];

/// Returns text of up to 23 lines with LF or CRLF endings, and sometimes a long text.
pub(crate) fn text(draw: &mut Draw) -> String {
    if draw.chance(8) {
        let piece = draw.one(&["é", "日", "😀", "ab", "x\r\n", "line\n"]);
        let filler = "_".repeat(draw.below(4));
        return filler + &piece.repeat(300 + draw.below(900));
    }
    let end = draw.pick(&["\n", "\n", "\n", "\r\n"]);
    let lines = draw.below(24);
    let mut text = String::new();
    for _ in 0..lines {
        text += &draw.string(&PIECES, 2);
        text += end;
    }
    if draw.chance(30) {
        text += draw.one(&PIECES);
    }
    text
}

pub(crate) fn edit(draw: &mut Draw, memory: &mut Memory) -> Value {
    let known = if memory.texts.is_empty() || draw.chance(10) {
        (path(draw, memory), text(draw))
    } else {
        draw.pick(&memory.texts)
    };
    let (path, content) = known;
    let lines: Vec<&str> = content.split('\n').collect();
    let edits: Vec<Value> = (0..1 + draw.below(4))
        .map(|_| {
            let from = draw.below(lines.len());
            let to = (from + 1 + draw.below(4)).min(lines.len());
            let mut old = lines[from..to].join("\n");
            match draw.below(12) {
                0 => old = format!("  {old}"),
                1 => old = old.trim().to_owned(),
                2 => old = old.replace(' ', ""),
                3 => old.push('\n'),
                4 => old = old.replace('\n', " \n\t"),
                5 => old = draw.string(&PIECES, 3),
                6 => old = old.replace('\n', "\r\n"),
                _ => {}
            }
            let mut new: Vec<String> = lines[from..to].iter().map(|it| (*it).to_owned()).collect();
            match draw.below(8) {
                0 => new.clear(),
                1 => new.insert(0, draw.string(&PIECES, 3)),
                2 => new.push(draw.string(&PIECES, 3)),
                3 => new.reverse(),
                4 => new.push("$& $$ $` $' $1 $<a> $".to_owned()),
                5 => new.iter_mut().for_each(|line| line.insert_str(0, "    ")),
                6 => new.push(text(draw)),
                _ => new = vec![draw.string(&PIECES, 3)],
            }
            json!({"oldText": old, "newText": new.join(draw.one(&["\n", "\n", "\r\n"]))})
        })
        .collect();
    let mut arguments = json!({"path": path, "edits": edits});
    if draw.chance(25) {
        arguments["dryRun"] = json!(draw.chance(70));
    }
    arguments
}

pub(crate) fn patterns(draw: &mut Draw, memory: &Memory) -> Value {
    let patterns: Vec<String> = (0..draw.below(3)).map(|_| pattern(draw, memory)).collect();
    json!(patterns)
}

pub(crate) fn pattern(draw: &mut Draw, memory: &Memory) -> String {
    const COMMON: [&str; 20] = [
        "*",
        "**",
        "*.txt",
        "**/*.txt",
        "**/*",
        "docs/**",
        "**/a*",
        "*.{txt,md}",
        "{a,b}*",
        "**/*.{md,csv}",
        "?",
        "[a-c]*",
        "**/.*",
        "**/docs/**",
        "*/*",
        "!*.txt",
        "**/[!a]*",
        "data/*/*",
        "*.TXT",
        "**/*b*",
    ];
    const TOKENS: [&str; 52] = [
        "*",
        "**",
        "**/",
        "/",
        "?",
        "a",
        "b",
        "x",
        ".",
        ".txt",
        "t",
        "[a-c]",
        "[!a]",
        "[^a-]",
        "[",
        "]",
        "{a,b}",
        "{a",
        "}",
        ",",
        "{1..3}",
        "{a..c}",
        "{,x}",
        "{9..10}",
        "!(",
        "@(",
        "+(",
        "*(",
        "?(",
        ")",
        "|",
        "a|b",
        "!",
        "#",
        "..",
        "../",
        "./",
        "\\",
        "\\*",
        "é",
        "日",
        "😀",
        "[[:alpha:]]",
        "[[:digit:]]",
        "(a)",
        "~",
        "$x",
        " ",
        "-",
        "docs",
        "data/",
        "[]a]",
    ];
    match draw.below(10) {
        0..=3 => draw.one(&COMMON).to_owned(),
        4..=5 => draw.pick(&memory.paths),
        _ => draw.string(&TOKENS, 6),
    }
}
