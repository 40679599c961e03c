//! Markdown documents.

use proptest::prelude::*;

use super::{Style, fails, passes};
use crate::content::{Expected, markdown};

const PLAN: &str = "# Plan\n\nAn *opening* with `code`\nand [a link](https://e.org/x).\n\n- one\n- [x] two\n  1. nested\n\n\
    | Name | Hours |\n|---|---|\n| Ann | 12.50 |\n| Bo | 3 |\n\n```sh\nls\n```\n\n> quoted\n\n---\n";

#[test]
fn other_spellings_are_equal() {
    for found in [
        "Plan\n====\nAn _opening_ with `` code `` and\n[a link][1].\n\n* one\n\n* [X] two\n   4) nested\n\nName|Hours\n:-|-:\nAnn|12.50\nBo|3\n\n~~~ sh\nls\n~~~\n>quoted\n***\n\n[1]: https://e.org/x\n",
        "\u{feff}# Plan #\r\n\r\nAn opening with `code` and [a link](<https://e.org/x>)\\.\r\n\r\n+ one\r\n- [x] two\r\n  1. nested\r\n\r\n|Name|Hours|\r\n|--|--|\r\n|Ann|12.50|\r\n|Bo|3|\r\n\r\n```sh\r\nls\r\n```\r\n\r\n> quoted\r\n\r\n* * *",
    ] {
        let found = found.replace("4)", "1)");
        passes(markdown(PLAN), &found);
        passes(markdown(found), PLAN);
    }
    passes(
        markdown("<https://e.org> a@b.c"),
        "[https://e.org](https://e.org) <a@b.c>",
    );
    passes(markdown("a\\*b &amp; c"), "a&#42;b & c");
    passes(markdown("    code"), "```\ncode\n```");
}

#[test]
fn the_first_block_that_differs_is_named() {
    let cases = [
        (
            "# Plan",
            "# Plans",
            r#"line 1, heading: expected "Plan", found "Plans""#,
        ),
        (
            "# Plan",
            "## Plan",
            r#"line 1, heading: expected a heading of level 1 "Plan", found a heading of level 2 "Plan""#,
        ),
        (
            "12.50",
            "12.05",
            r#"line 12, table 1, row 1, column Hours: expected "12.50", found "12.05""#,
        ),
        (
            "Hours",
            "Time",
            r#"line 10, header of table 1: expected "Hours", found "Time""#,
        ),
        ("- one", "- on", r#"line 6: expected "one", found "on""#),
        (
            "[x] two",
            "[ ] two",
            r#"line 7: expected a ticked item "two | nested", found an unticked item "two | nested""#,
        ),
        (
            "`code`",
            "code",
            r#"line 3: expected "An opening with `code` and [a link](https://e.org/x).", found "An opening with code and [a link](https://e.org/x).""#,
        ),
        (
            "e.org/x",
            "e.org/y",
            r#"line 3: expected "An opening with `code` and [a link](https://e.org/x).", found "An opening with `code` and [a link](https://e.org/y).""#,
        ),
        (
            "1. nested",
            "- nested",
            r#"line 8: expected a numbered list "nested", found a list "nested""#,
        ),
        (
            "ls\n",
            "ls -l\n",
            r#"line 15, code block: expected "ls", found "ls -l""#,
        ),
        (
            "```sh",
            "```",
            r#"line 15, code block: expected a code block of "sh" "ls", found a code block "ls""#,
        ),
        (
            "---\n",
            "",
            "expected a rule, found nothing more after line 19",
        ),
        (
            "> quoted",
            "quoted",
            r#"line 19: expected a quote "quoted", found a paragraph "quoted""#,
        ),
        (
            "> quoted",
            "> quoted\n\n<!-- note -->",
            r#"line 21: expected a rule, found HTML "<!-- note -->""#,
        ),
        (
            "| Bo | 3 |\n",
            "",
            r#"expected a row "Bo | 3", found nothing more after line 12"#,
        ),
    ];
    for (from, to, detail) in cases {
        assert!(PLAN.contains(from), "{from}");
        let at = PLAN.rfind(from).unwrap();
        let found = format!("{}{to}{}", &PLAN[..at], &PLAN[at + from.len()..]);
        fails(markdown(PLAN), &found, detail);
    }
    fails(
        markdown("1. a\n2. b"),
        "2. a\n3. b",
        r#"line 1: expected a numbered list "a | b", found a numbered list from 2 "a | b""#,
    );
    let more = format!("{PLAN}\n![a](b.png)\n");
    fails(
        markdown(PLAN),
        &more,
        r#"line 23: expected nothing more, found a paragraph "![a](b.png)""#,
    );
    fails(
        markdown("a"),
        "",
        r#"expected a paragraph "a", found an empty document"#,
    );
    fails(
        markdown("a"),
        "~~a~~",
        r#"line 1: expected "a", found "~~a~~""#,
    );
    fails(
        markdown("\\~\\~a\\~\\~"),
        "~~a~~",
        r#"line 1: expected "~~a~~", found "<>~~a<>~~""#,
    );
}

#[test]
fn options_ask_for_more_or_less() {
    fails(
        markdown("*a*").with_emphasis(),
        "a",
        r#"line 1: expected "*a*", found "a""#,
    );
    passes(markdown("*a* **b**").with_emphasis(), "_a_ __b__");
    passes(markdown("a `b`").ignoring_code_spans(), "a b");
    passes(markdown("a\nb"), "a b");
    fails(
        markdown("a\nb").as_comment(),
        "a b",
        r#"line 1: expected "a\nb", found "a b""#,
    );
    passes(markdown("a  \nb").as_comment(), "a\nb");
    fails(
        markdown("a  \nb"),
        "a\nb",
        r#"line 1: expected "a\nb", found "a b""#,
    );
    fails(
        markdown("|a|\n|:-|\n").with_alignment(),
        "|a|\n|-:|\n",
        r#"line 1: expected a table with the columns left "a", found a table with the columns right "a""#,
    );
    passes(
        markdown("|h|\n|-|\n|1.50|\n|n/a|").amounts(["h"]),
        "|h|\n|-|\n|1.5|\n|n/a|",
    );
    fails(
        markdown("|h|\n|-|\n|1.50|").amounts(["h"]),
        "|h|\n|-|\n|1.6|",
        "line 3, table 1, row 1, column h: expected 1.50, found 1.6",
    );
    let list = || markdown("- a\n- b\n  - x\n  - y\n").items_in_any_order();
    passes(list(), "* b\n  * y\n  * x\n* a\n");
    fails(
        list(),
        "- b\n  - x\n- a\n",
        r#"line 1: expected an item "b | x | y", found an item "b | x" instead"#,
    );
    let table = || {
        markdown("|h|\n|-|\n|1|\n|2|\n")
            .rows_in_any_order()
            .amounts(["h"])
    };
    passes(table(), "h|\n-|\n2.0|\n1.0|\n");
    fails(
        table(),
        "|h|\n|-|\n|2|\n|1|\n|2|\n",
        r#"line 5: expected nothing more, found a row "2""#,
    );
    passes(markdown("---\na: 1\n---\nx"), "---\na: 1\n---\n\nx\n");
}

#[test]
fn a_column_in_code_is_named_as_it_is_written() {
    passes(
        markdown("|`fee`|\n|-|\n|1.50|\n").amounts(["`fee`"]),
        "|`fee`|\n|-|\n|1.5|\n",
    );
}

#[test]
#[should_panic(expected = r#"the expected text has no table with the column "hours""#)]
fn a_rule_for_a_column_that_is_not_expected_panics() {
    markdown("|h|\n|-|\n|1|\n").amounts(["hours"]).compare("");
}

#[test]
fn deep_documents_are_refused() {
    for deep in ["> ", "- ", "1. ", ">", "- > "] {
        let condition = markdown("x").compare(&deep.repeat(5_000));
        assert!(!condition.passed());
    }
    fails(
        markdown("x"),
        &format!("{}x", "> ".repeat(200)),
        "line 1: expected at most 100 levels of nesting, found more",
    );
    for wide in [
        "[",
        "![",
        "*",
        "_a",
        "`",
        "<",
        "a|",
        "[a](",
        "- a\n\nb\n\n",
        "|\n",
    ] {
        markdown("x").compare(&wide.repeat(5_000));
    }
}

#[derive(Clone, Debug)]
enum Part {
    Heading(usize, String),
    Paragraph(Vec<String>),
    List(bool, Vec<String>),
    Table(Vec<[String; 2]>),
    Code(String),
    Quote(String),
}

fn word() -> impl Strategy<Value = String> {
    "[a-c]{1,3}|[a-c]\\*[a-c]|é&|https://e\\.org"
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let part = prop_oneof![
        (1usize..4, word()).prop_map(|(level, text)| Part::Heading(level, text)),
        proptest::collection::vec(word(), 1..5).prop_map(Part::Paragraph),
        (any::<bool>(), proptest::collection::vec(word(), 1..4))
            .prop_map(|(is_numbered, items)| Part::List(is_numbered, items)),
        proptest::collection::vec([word(), word()], 1..4).prop_map(Part::Table),
        word().prop_map(Part::Code),
        word().prop_map(Part::Quote),
    ];
    proptest::collection::vec(part, 1..6)
}

fn spell(word: &str, style: &mut Style) -> String {
    if word.starts_with("https") {
        return match style.below(3) {
            0 => format!("<{word}>"),
            1 => format!("[{word}]({word})"),
            _ => word.to_owned(),
        };
    }
    let word = word
        .replace('*', style.pick(&["\\*", "&#42;"]))
        .replace('&', style.pick(&["&", "&"]));
    match style.below(4) {
        0 if word.chars().all(char::is_alphanumeric) => format!("*{word}*"),
        1 if word.chars().all(char::is_alphanumeric) => format!("__{word}__"),
        _ => word,
    }
}

fn write(parts: &[Part], style: &mut Style) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Heading(level @ 1..=2, words) if style.coin() => {
                let line = if *level == 1 { "=" } else { "-" };
                text.push_str(&format!(
                    "{}\n{}\n",
                    spell(words, style),
                    line.repeat(3 + style.below(4))
                ));
            }
            Part::Heading(level, words) => {
                let end = style.pick(&["", " #", " ###"]);
                text.push_str(&format!(
                    "{} {}{end}\n",
                    "#".repeat(*level),
                    spell(words, style)
                ));
            }
            Part::Paragraph(words) => {
                for (at, word) in words.iter().enumerate() {
                    if at > 0 {
                        text.push_str(style.pick(&[" ", "\n", "  "]));
                    }
                    text.push_str(&spell(word, style));
                }
                text.push('\n');
            }
            Part::List(is_numbered, items) => {
                let end = style.pick(&[".", ")"]);
                let bullet = style.pick(&["-", "*", "+"]);
                let gap = style.pick(&["\n", "\n\n"]);
                for (at, item) in items.iter().enumerate() {
                    let marker = if *is_numbered {
                        format!("{}{end}", if at == 0 { 1 } else { 1 + style.below(9) })
                    } else {
                        bullet.to_owned()
                    };
                    text.push_str(&format!("{marker} {}{gap}", spell(item, style)));
                }
            }
            Part::Table(rows) => {
                let outer = style.coin();
                for (at, [a, b]) in rows.iter().enumerate() {
                    let pad = style.pick(&["", " ", "  "]);
                    let line = format!("{}{pad}|{pad}{}", spell(a, style), spell(b, style));
                    let dress = |line: String| {
                        if outer {
                            format!("|{line}|\n")
                        } else {
                            format!("{line}\n")
                        }
                    };
                    text.push_str(&dress(line));
                    if at == 0 {
                        text.push_str(&dress(
                            style.pick(&["-|-", ":--|--:", "---- | ----"]).to_owned(),
                        ));
                    }
                }
            }
            Part::Code(code) => {
                let fence = style.pick(&["```", "~~~", "````"]);
                text.push_str(&format!("{fence}\n{code}\n{fence}\n"));
            }
            Part::Quote(words) => text.push_str(&format!(
                ">{}{}\n",
                style.pick(&[" ", ""]),
                spell(words, style)
            )),
        }
        // A comment keeps two lists apart, in every spelling.
        text.push_str(style.pick(&["\n", "\n\n"]));
        text.push_str("<!-- -->\n\n");
    }
    text
}

proptest! {
    #[test]
    fn every_spelling_is_equal_and_a_changed_text_is_named(parts in parts(), seed: u64, choice: usize) {
        let mut style = Style(seed);
        let expected = write(&parts, &mut style);
        let found = write(&parts, &mut style);
        let found = style.dress(&found);
        let condition = markdown(&*expected).compare(&found);
        prop_assert!(condition.passed(), "{}\n{}\n---\n{}", condition.detail(), expected, found);

        let mut changed = parts.clone();
        let at = choice % parts.len();
        match &mut changed[at] {
            Part::Heading(_, text) | Part::Code(text) | Part::Quote(text) => text.push_str("zz"),
            Part::Paragraph(words) | Part::List(_, words) => words[0].push_str("zz"),
            Part::Table(rows) => rows[0][1].push_str("zz"),
        }
        let found = write(&changed, &mut style);
        let condition = markdown(expected).compare(&found);
        prop_assert!(!condition.passed());
        prop_assert!(condition.detail().contains("zz"), "{}", condition.detail());
    }

    #[test]
    fn any_text_is_compared_and_equals_itself(text in "[-#*`|>1. \\[\\]()!<x~_:\n\0]{0,60}") {
        let condition = markdown(&*text).compare(&text);
        prop_assert!(condition.passed(), "{}", condition.detail());
        markdown("- x\n\n|a|\n|-|\n").items_in_any_order().rows_in_any_order().compare(&text);
    }
}
