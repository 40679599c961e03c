//! Style lint of instructions: signs that an instruction reads like a specification, and not like a request.
//!
//! The lint is heuristic. Its findings are warnings for the author, and never failures.

/// Phrases that announce a trap, in lower case.
const TRAPS: [&str; 12] = [
    "be aware",
    "be careful",
    "beware",
    "careful not to",
    "do not be fooled",
    "do not be misled",
    "do not confuse",
    "may be out of date",
    "may have been moved",
    "mind that",
    "not the old",
    "watch out",
];

/// Phrases that forbid something, in lower case.
const PROHIBITIONS: [&str; 11] = [
    "are not touched",
    "do not",
    "don't",
    "is not touched",
    "leave no",
    "may not",
    "must not",
    "never",
    "no other",
    "none of them",
    "nothing else",
];

/// Phrases that demand exactness, in lower case.
const EXACTNESS: [&str; 14] = [
    "as it stands",
    "byte",
    "character for character",
    "decimals",
    "digits",
    "double quote",
    "exactly",
    "indented",
    "line end",
    "no further text",
    "sorted by",
    "utf-8",
    "verbatim",
    "white space",
];

/// Number of sentences with a prohibition that a request may have.
const MAX_PROHIBITIONS: usize = 1;
/// Minimum number of words of a dictated text. Shorter texts are names, labels and values.
const DICTATED_WORDS: usize = 4;
/// Minimum number of lines of a dictated block. Shorter ones are examples of a line.
const DICTATED_LINES: usize = 3;
/// Number of sentences for each phrase of exactness that an instruction may have.
const SENTENCES_PER_EXACTNESS: usize = 3;

/// Returns warnings about the style of an instruction.
pub(crate) fn style(instruction: &str) -> Vec<String> {
    let parts = Parts::of(instruction);
    let sentences = sentences(&parts.prose);
    let mut warnings: Vec<String> = sentences
        .iter()
        .filter(|sentence| has_any(sentence, &TRAPS))
        .map(|sentence| format!("announces a trap: {sentence:?}"))
        .collect();
    let prohibitions = sentences
        .iter()
        .filter(|sentence| has_any(sentence, &PROHIBITIONS))
        .count();
    if prohibitions > MAX_PROHIBITIONS {
        warnings.push(format!(
            "forbids something in {prohibitions} sentences; let the verifier reject what a careful person would not do"
        ));
    }
    if let Some(first) = parts.dictated.first() {
        warnings.push(format!(
            "dictates {} of at least {DICTATED_WORDS} words, such as {first:?}; let the agent choose the words, and \
             judge the facts",
            match parts.dictated.len() {
                1 => "1 text".to_owned(),
                count => format!("{count} texts"),
            }
        ));
    }
    if let Some(lines) = parts.blocks.iter().max() {
        warnings.push(format!(
            "dictates a block of {lines} lines; refer to an earlier document as the pattern"
        ));
    }
    let prose = parts.prose.to_lowercase();
    let exactness = EXACTNESS
        .iter()
        .map(|phrase| prose.matches(*phrase).count());
    let exactness: usize = exactness.sum();
    if exactness * SENTENCES_PER_EXACTNESS > sentences.len() {
        warnings.push(format!(
            "has {exactness} phrases of exactness in {} sentences; name the format, and compare its content",
            sentences.len()
        ));
    }
    warnings
}

/// Reports whether a sentence contains one of these phrases.
fn has_any(sentence: &str, phrases: &[&str]) -> bool {
    let sentence = sentence.to_lowercase();
    phrases.iter().any(|phrase| sentence.contains(*phrase))
}

/// Parts of an instruction that are judged separately.
#[derive(Debug, Default, PartialEq)]
struct Parts {
    /// Text without fenced blocks, with `_` for each code span.
    prose: String,
    /// Texts in code spans and in quotes that are longer than names and values.
    dictated: Vec<String>,
    /// Number of lines of each long fenced block.
    blocks: Vec<usize>,
}

impl Parts {
    fn of(instruction: &str) -> Self {
        let mut parts = Self::default();
        let mut fenced: Option<usize> = None;
        for line in instruction.lines() {
            let is_fence = line.trim_start().starts_with("```");
            match (fenced, is_fence) {
                (None, true) => fenced = Some(0),
                (Some(lines), true) => {
                    parts.blocks.push(lines);
                    fenced = None;
                }
                (Some(lines), false) => fenced = Some(lines + 1),
                (None, false) => parts.add(line),
            }
        }
        parts.blocks.retain(|lines| *lines >= DICTATED_LINES);
        parts
    }

    /// Adds a line of prose.
    fn add(&mut self, line: &str) {
        for (index, piece) in line.split('`').enumerate() {
            if index % 2 == 1 {
                self.prose.push('_');
                self.note(piece);
                continue;
            }
            self.prose.push_str(piece);
            for quoted in piece.split('"').skip(1).step_by(2) {
                self.note(quoted);
            }
        }
        self.prose.push('\n');
    }

    /// Notes a text in a code span or in quotes if it is dictated prose.
    fn note(&mut self, text: &str) {
        let text = text.trim();
        let words = text.split_whitespace().count();
        if words >= DICTATED_WORDS && !is_path(text) {
            self.dictated.push(text.to_owned());
        }
    }
}

/// Reports whether a text is a path, the name of a file, or code.
fn is_path(text: &str) -> bool {
    let extension = text.rsplit_once('.').map(|(_, extension)| extension);
    let is_file = extension.is_some_and(|it| {
        (1..=5).contains(&it.len()) && it.chars().all(|it| it.is_ascii_alphanumeric())
    });
    is_file || text.contains('/') || text.starts_with(['{', '[', '|', '$'])
}

/// Returns a list item or a heading without its marker.
pub(crate) fn without_marker(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['-', '*', '#', ' ']);
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = after_number.strip_prefix(['.', ')']);
    let item = item.filter(|item| after_number != text && item.starts_with(char::is_whitespace));
    item.map_or(text, str::trim_start)
}

/// Splits prose into sentences. List items and headings are sentences too.
pub(crate) fn sentences(prose: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut is_new = true;
    for line in prose.lines() {
        let line = line.trim();
        if is_new || line.starts_with(['-', '*', '#', '|']) {
            blocks.push(String::new());
        }
        is_new = line.is_empty() || line.starts_with('#');
        if let Some(block) = blocks.last_mut() {
            block.push_str(line);
            block.push(' ');
        }
    }
    // A heading is one sentence, whatever points it contains.
    let pieces = |block: &'_ String| -> Vec<String> {
        if block.starts_with('#') {
            return vec![block.clone()];
        }
        let pieces = block.split_inclusive(['.', '?', '!']);
        pieces.map(str::to_owned).collect()
    };
    let sentences = blocks.iter().flat_map(pieces);
    let mut joined: Vec<String> = Vec::new();
    let mut is_open = false;
    for piece in sentences {
        // A point inside of a word or a number ends no sentence.
        let is_inside = is_open && !piece.starts_with(' ');
        is_open = piece.ends_with(['.', '?', '!']);
        match joined.last_mut().filter(|_| is_inside) {
            Some(last) => last.push_str(&piece),
            None => joined.push(piece),
        }
    }
    joined
        .iter()
        .map(|sentence| without_marker(sentence))
        .filter(|sentence| sentence.chars().any(char::is_alphabetic))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_no_warnings() {
        let request = "Hi, could you close the books for June? Do it as last month, the note from then is in \
                       `04 Accounts/how we close a month.md`. Some receipts came late, Hedvig has put them somewhere. \
                       Tell the members in a short letter what is left, in `letter to members.md`. Nothing else \
                       changes. Version 1.5 of the sheet is the one we use.";
        assert_eq!(style(request), Vec::<String>::new());
    }

    #[test]
    fn a_specification_has_a_warning_of_each_kind() {
        let specification = "Write `a.csv`, UTF-8, with exactly one line end. Be careful with `b.csv`.\n\n\
                             - Do not sort it.\n- Never open `c`.\n- The title is `Fixes of the last week`.\n\n\
                             ```\n# One\n\ntwo\n```\n";
        let warnings = style(specification);
        for (warning, begins) in warnings.iter().zip([
            "announces a trap: \"Be careful with _.\"",
            "forbids something in 2 sentences",
            "dictates 1 text of at least 4 words, such as \"Fixes of the last week\"",
            "dictates a block of 3 lines",
            "has 3 phrases of exactness in 5 sentences",
        ]) {
            assert!(warning.starts_with(begins), "{warning}");
        }
        assert_eq!(warnings.len(), 5);
    }

    #[test]
    fn paths_and_names_are_not_dictated_prose() {
        for name in [
            "01 Programme/how we build it",
            "a list of things.csv",
            "main",
            "{ a: 1, b: 2 }",
        ] {
            assert_eq!(
                Parts::of(&format!("Open `{name}`.")).dictated,
                Vec::<String>::new()
            );
        }
        let quoted = Parts::of("The comment is \"Done as it was asked\", on `#7`.");
        assert_eq!(quoted.dictated, ["Done as it was asked"]);
    }

    #[test]
    fn numbers_of_list_items_are_markers() {
        assert_eq!(
            sentences("1) Add up the hours.\n\n2. Send the sum."),
            ["Add up the hours.", "Send the sum."]
        );
        assert_eq!(without_marker("- 12. Send it."), "Send it.");
        for other in ["1.5 hours are enough.", "3 tables are left.", ") no"] {
            assert_eq!(without_marker(other), other);
        }
    }

    #[test]
    fn sentences_end_at_points_before_a_space() {
        assert_eq!(
            sentences("Pay 1.50 now. Or\nlater?\n\n# Heading\nText\n- item\n- other."),
            [
                "Pay 1.50 now.",
                "Or later?",
                "Heading",
                "Text",
                "item",
                "other."
            ]
        );
        assert!(sentences("\n \n").is_empty());
        assert_eq!(
            sentences("# Part 1. The end.\nText. More"),
            ["Part 1. The end.", "Text.", "More"]
        );
    }
}
