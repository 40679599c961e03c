//! Advice against an update that the reporter needs.

use mcpmark_guest::prose::Fact;
use mcpmark_guest::{Condition, Found};

/// Ways to get a fix; `RELEASE` is the first release with it. Advice against it negates one of these.
const UPDATING: [&str; 22] = [
    "update",
    "updating",
    "upgrade",
    "upgrading",
    "move to RELEASE",
    "moving to RELEASE",
    "go to RELEASE",
    "going to RELEASE",
    "change to RELEASE",
    "changing to RELEASE",
    "switch to RELEASE",
    "switching to RELEASE",
    "install RELEASE",
    "installing RELEASE",
    "use RELEASE",
    "using RELEASE",
    "take RELEASE",
    "need RELEASE",
    "try RELEASE",
    "go for RELEASE",
    "newer release",
    "newer version",
];

/// Advice to stay or to wait; `THEIRS` is the release of the reporter, `LINE` its line.
const STAYING: [&str; 101] = [
    "stay on THEIRS",
    "stay on LINE",
    "stay on the LINE",
    "stay on your",
    "stay on the old",
    "stay on that",
    "stay on this",
    "stay on what",
    "stay with THEIRS",
    "stay with LINE",
    "stay with the LINE",
    "stay with your",
    "stay with the",
    "stay with what",
    "stay with it",
    "stay at THEIRS",
    "stay where",
    "stick to",
    "stick with",
    "remain on",
    "remain with",
    "keep THEIRS",
    "keep your",
    "keep running THEIRS",
    "keep running your",
    "keep using THEIRS",
    "keep using your",
    "keep the release",
    "keep the version",
    "leave .. as it is",
    "leave .. as they are",
    "leave .. on THEIRS",
    "leave .. at THEIRS",
    "hold off",
    "hold back",
    "wait with",
    "wait before",
    "wait to update",
    "better wait",
    "better to wait",
    "please wait",
    "you can wait",
    "you should wait",
    "you may wait",
    "would wait",
    "postpone",
    "put off",
    "put .. off",
    "delay the",
    "skip RELEASE",
    "skip the",
    "skip this",
    "avoid RELEASE",
    "avoid the update",
    "avoid updating",
    "against an update",
    "against the update",
    "against updating",
    "unnecessary",
    "needless",
    "pointless",
    "too early",
    "THEIRS is fine",
    "fine with THEIRS",
    "fine where",
    "can wait",
    "rather wait",
    "you .. wait for",
    "please wait for",
    "stay put",
    "sit tight",
    "you can stay",
    "you may stay",
    "you should stay",
    "you could stay",
    "better stay",
    "please stay",
    "just stay",
    "simply stay",
    "fine to stay",
    "safe to stay",
    "fine on THEIRS",
    "good enough",
    "THEIRS will do",
    "leave .. alone",
    "don't touch",
    "do not touch",
    "better off with THEIRS",
    "better off on THEIRS",
    "no action",
    "nothing for you to do",
    "makes no difference",
    "make no difference",
    "updating .. a mistake",
    "update .. a mistake",
    "mistake to update",
    "bad idea to",
    "risky to",
    "too risky",
    "updating is risky",
    "update is risky",
];

/// Phrases with a negation that recommend what they name.
const URGING: [&str; 24] = [
    "no way around",
    "no way other than",
    "no other way than",
    "no other help than",
    "no help other than",
    "no help but",
    "no choice but",
    "nothing but",
    "nothing else than",
    "nothing short of",
    "not only",
    "cannot avoid",
    "can't avoid",
    "no harm in",
    "no risk in",
    "nothing against",
    "nothing wrong with",
    "no reason not to",
    "do not hesitate to",
    "don't hesitate to",
    "do not forget to",
    "don't forget to",
    "do not wait to",
    "don't wait to",
];

/// Words that begin a part of a sentence which says when something is so, and advises nothing.
const CONDITIONS: [&str; 12] = [
    "if ",
    "unless ",
    "until ",
    "without ",
    "before ",
    "as long as ",
    "while ",
    "whether ",
    "when ",
    "once ",
    "who ",
    "whoever ",
];

/// Beginnings of sentences about those who cannot update, who get other advice.
const UNABLE: [&str; 12] = [
    "if you cannot",
    "if you can't",
    "if you can not",
    "if you have to stay",
    "if you must stay",
    "if you need to stay",
    "if you want to stay",
    "if you prefer",
    "if you would rather",
    "if you'd rather",
    "if that is not possible",
    "if an update is not possible",
];

/// Checks that a text does not advise against the update from one release to another one that has a fix.
pub fn is_not_against(text: &Found<String>, theirs: &str, release: &str) -> Condition {
    let line = theirs.rsplit_once('.').map_or(theirs, |(line, _)| line);
    let fill = |it: &&str| {
        let it = it.replace("RELEASE", release).replace("THEIRS", theirs);
        it.replace("LINE", line)
    };
    let updating: Vec<String> = UPDATING.iter().map(fill).collect();
    let staying: Vec<String> = STAYING.iter().map(fill).collect();
    let against = Fact::words(updating).denied().or(Fact::words(staying));
    let against = against.called("advice against the update");
    let refused = text.satisfies(|text| {
        Condition::when(
            !refuses(text),
            "expected no answer \"no\" to the question of an update",
        )
    });
    let advice = text.map(|text| advice(text, line)).prose();
    advice.does_not_state(&against).and(refused)
}

/// Returns what a text advises, without conditions and what it says to those who cannot update.
fn advice(text: &str, line: &str) -> String {
    let mut plain = text.to_lowercase().replace('\u{2019}', "'");
    for phrase in URGING {
        plain = plain.replace(phrase, "only");
    }
    // A release of the line of the reporter is no update that they need.
    for of in ["of", "for", "in", "on"] {
        for place in [format!("{of} the {line}"), format!("{of} {line}")] {
            plain = plain.replace(&format!("update {place}"), &format!("release {place}"));
        }
    }
    let mut sentences: Vec<String> = Vec::new();
    for paragraph in plain.split('\n') {
        for sentence in paragraph.split_inclusive(['.', '!', '?']) {
            // A point inside of a number ends no sentence.
            match sentences.last_mut().filter(|_| !sentence.starts_with(' ')) {
                Some(last) if last.ends_with('.') => last.push_str(sentence),
                _ => sentences.push(sentence.to_owned()),
            }
        }
        sentences.push("\n".to_owned());
    }
    sentences.retain(|it| !UNABLE.iter().any(|unable| it.contains(unable)));
    let sentences = sentences.iter().map(|it| without_conditions(it));
    sentences.collect::<String>().replace(": ", "; ")
}

/// Returns a sentence without the parts that begin with a condition, up to the next mark.
fn without_conditions(sentence: &str) -> String {
    let mut result = String::new();
    let mut rest = sentence;
    while let Some(next) = rest.chars().next() {
        let is_start = !result.ends_with(char::is_alphanumeric);
        if is_start && CONDITIONS.iter().any(|it| rest.starts_with(it)) {
            let end = rest.find([',', ';', '!', '?', '\n', ':', '|']);
            let stop = rest.strip_suffix('.').map_or(rest.len(), str::len);
            rest = &rest[end.unwrap_or(stop)..];
            continue;
        }
        result.push(next);
        rest = &rest[next.len_utf8()..];
    }
    result
}

/// Words that begin a refusal such as "rather not" and "I would not".
const OPINIONS: [&str; 9] = [
    "i",
    "we",
    "rather",
    "better",
    "probably",
    "absolutely",
    "definitely",
    "certainly",
    "please",
];

/// Whether a text answers a question about an update with "no".
fn refuses(text: &str) -> bool {
    let text = text.to_lowercase().replace('\u{2019}', "'");
    let names = ["update", "upgrade", "updating", "upgrading"];
    let asked = text.match_indices('?').any(|(at, _)| {
        let begin = text[..at].rfind(['.', '!', '?', '\n', '|']);
        let question = &text[begin.map_or(0, |begin| begin + 1)..at];
        let asks = names.iter().any(|it| question.contains(it));
        let answer = text[at + 1..].trim_start_matches(|it: char| !it.is_alphanumeric());
        let end = answer.find(['.', ',', ';', '!', '\n', '|', ':']);
        let words: Vec<&str> = answer[..end.unwrap_or(answer.len())]
            .split_whitespace()
            .collect();
        let is_opinion = words.first().is_some_and(|it| {
            let head = it.split('\'').next().unwrap_or_default();
            OPINIONS.contains(&head)
        });
        let is_no = words.first().is_some_and(|it| is_no(it));
        asks && (is_no || is_opinion && words.iter().take(5).any(|it| is_no_or_not(it)))
    });
    // "Update: no", and a row of a table.
    let is_listed = names.iter().any(|name| {
        text.match_indices(name).any(|(at, _)| {
            let rest = text[at + name.len()..].trim_start_matches([' ', '*', '_', '`']);
            let Some(rest) = rest.strip_prefix([':', '|']) else {
                return false;
            };
            let rest = rest.trim_start_matches([' ', '*', '_', '`', '|']);
            rest.split(|it: char| !it.is_alphanumeric())
                .next()
                .is_some_and(is_no)
        })
    });
    asked || is_listed
}

fn is_no(word: &str) -> bool {
    let word = word.trim_matches(|it: char| !it.is_alphanumeric());
    matches!(word, "no" | "not" | "nope" | "never")
}

fn is_no_or_not(word: &str) -> bool {
    is_no(word) || word.ends_with("n't")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_advise_nothing() {
        assert_eq!(
            advice(
                "It stays so until you update, as 2.1.2 is old. If you cannot, wait.",
                "2.1"
            ),
            "it stays so , as 2.1.2 is old.\n"
        );
    }

    #[test]
    fn an_answer_to_another_question_is_no_advice() {
        assert!(refuses("Do you have to update? No, you are fine."));
        assert!(refuses("| Is an update needed? | **No** |"));
        assert!(!refuses(
            "Do you have to update? Yes. Does 2.1.2 have it? No."
        ));
    }
}
