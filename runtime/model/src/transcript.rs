use rig_core::message::{AssistantContent, Message, ToolResultContent, UserContent};

use crate::{Conversation, MiddleCut};

/// A conversation as plain text, which can be cut to a length: to be summed up by a model that it
/// is too long for. Images and what only a provider can read are not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    head: String,
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// What was asked for. It is never cut.
    Asked,
    /// What the model said and called.
    Said,
    /// What its tools returned: the longest, and what can be had again.
    Returned,
}

/// Bytes of each result that are to be left before anything else is cut.
const LEFT_OF_RESULTS: usize = 200;

impl Transcript {
    /// All that was said after the system's message.
    pub fn of(conversation: &Conversation) -> Self {
        let mut parts = Vec::new();
        let mut add = |head: &str, text: String, kind| {
            let head = head.to_owned();
            parts.push(Part { head, text, kind });
        };
        for (index, message) in conversation.messages().iter().enumerate() {
            match message {
                Message::System { .. } => {}
                Message::User { content } => {
                    for content in content {
                        match content {
                            // The first is the instruction; later ones, such as the observations
                            // of an agent that writes its calls as text, are long.
                            UserContent::Text(text) => {
                                let first = index <= 1;
                                let kind = if first { Kind::Asked } else { Kind::Returned };
                                add("user", text.text.clone(), kind);
                            }
                            UserContent::ToolResult(result) => {
                                let text: Vec<String> = result.content.iter().map(shown).collect();
                                let head = format!("result of {}", result.name);
                                add(&head, text.join("\n"), Kind::Returned);
                            }
                            _ => add("user", "[an image]".to_owned(), Kind::Said),
                        }
                    }
                }
                Message::Assistant(said) => {
                    for content in &said.content {
                        match content {
                            AssistantContent::Text(text) => {
                                add("agent", text.text.clone(), Kind::Said);
                            }
                            AssistantContent::Reasoning(thought) if !thought.text.is_empty() => {
                                add("agent's thoughts", thought.text.clone(), Kind::Said);
                            }
                            AssistantContent::ToolCall(call) => {
                                let head = format!("agent calls {}", call.function.name);
                                let arguments = match &call.function.invalid_arguments {
                                    Some(text) => text.clone(),
                                    None => {
                                        serde_json::Value::from(call.function.arguments.clone())
                                            .to_string()
                                    }
                                };
                                add(&head, arguments, Kind::Said);
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
        Self { parts }
    }

    /// Its length in bytes when nothing is cut.
    pub fn len(&self) -> usize {
        self.parts.iter().map(Part::len).sum()
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The text in about so many bytes. The longest results lose their middle first, then the
    /// longest of all that the model said and got.
    pub fn cut_to(&self, length: usize) -> String {
        let of = |kind: Kind| self.parts.iter().filter(move |part| part.kind == kind);
        let whole = |kind: Kind| of(kind).map(Part::len).sum::<usize>();
        let results: Vec<usize> = of(Kind::Returned).map(Part::len).collect();
        let room = length.saturating_sub(whole(Kind::Asked));
        let for_results = room.saturating_sub(whole(Kind::Said));
        let (said, returned) = if for_results >= results.len() * LEFT_OF_RESULTS {
            (usize::MAX, level(results, for_results))
        } else {
            let cut = results.into_iter().chain(of(Kind::Said).map(Part::len));
            let level = level(cut.collect(), room);
            (level, level)
        };
        let mut text = String::new();
        for part in &self.parts {
            let most = match part.kind {
                Kind::Asked => usize::MAX,
                Kind::Said => said,
                Kind::Returned => returned,
            };
            let Part {
                head, text: whole, ..
            } = part;
            text.push_str(&format!("## {head}\n{}\n\n", middle_cut(whole, most)));
        }
        text
    }
}

impl Part {
    fn len(&self) -> usize {
        self.head.len() + self.text.len() + "## \n\n\n".len()
    }
}

/// The length that lengths are cut to so that their sum is at most `room`.
fn level(mut lengths: Vec<usize>, room: usize) -> usize {
    lengths.sort_unstable();
    let (mut rest, mut left) = (room, lengths.len());
    for length in lengths {
        if length > rest / left {
            return rest / left;
        }
        rest -= length;
        left -= 1;
    }
    usize::MAX
}

/// The beginning and the end of a text, and how much was between them.
fn middle_cut(text: &str, most: usize) -> String {
    match MiddleCut::of(text, most) {
        None => text.to_owned(),
        Some(MiddleCut {
            head,
            tail,
            left_out,
        }) => format!("{head}\n[{left_out} bytes left out]\n{tail}"),
    }
}

fn shown(content: &ToolResultContent) -> String {
    match content {
        ToolResultContent::Text(text) => text.text.clone(),
        ToolResultContent::Json { value } => value.to_string(),
        _ => "[an image]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, kind: Kind) -> Part {
        Part {
            head: "x".to_owned(),
            text: text.to_owned(),
            kind,
        }
    }

    #[test]
    fn lengths_are_cut_from_the_top() {
        assert_eq!(level(vec![1, 2, 3], 6), usize::MAX);
        assert_eq!(level(vec![1, 2, 30], 6), 3);
        assert_eq!(level(vec![10, 20, 30], 45), 17);
        assert_eq!(level(vec![10, 20], 1), 0);
        assert_eq!(level(vec![], 0), usize::MAX);
    }

    #[test]
    fn long_results_lose_their_middle_and_the_task_stays() {
        let long = format!("begin{}end", "é".repeat(50_000));
        let transcript = Transcript {
            parts: vec![
                part("the task", Kind::Asked),
                part("I look.", Kind::Said),
                part(&long, Kind::Returned),
                part("short", Kind::Returned),
            ],
        };
        let whole = transcript.cut_to(transcript.len());
        assert_eq!(whole.len(), transcript.len());
        assert!(whole.contains(&long));
        let cut = transcript.cut_to(5_000);
        assert!((4_000..5_100).contains(&cut.len()), "{}", cut.len());
        for kept in [
            "the task",
            "I look.",
            "short",
            "begin",
            "end",
            "bytes left out]",
        ] {
            assert!(cut.contains(kept), "{kept}");
        }
        // What was asked for stays even where nothing else has room.
        let least = transcript.cut_to(0);
        assert!(
            least.contains("the task") && !least.contains("I look."),
            "{least}"
        );
    }

    #[test]
    fn what_was_said_is_cut_when_results_are_not_enough() {
        let transcript = Transcript {
            parts: vec![
                part("the task", Kind::Asked),
                part(&"talk ".repeat(10_000), Kind::Said),
                part("short", Kind::Returned),
            ],
        };
        let cut = transcript.cut_to(3_000);
        assert!((2_500..3_100).contains(&cut.len()), "{}", cut.len());
        assert!(cut.contains("short"), "{cut}");
    }

    #[test]
    fn a_conversation_is_told_in_order() {
        let mut conversation = Conversation::new("be brief", "sum up");
        conversation.push_user("more");
        assert_eq!(
            Transcript::of(&conversation).cut_to(usize::MAX),
            "## user\nsum up\n\n## user\nmore\n\n"
        );
    }
}
