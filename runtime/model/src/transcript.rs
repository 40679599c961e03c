//! Conversation as plain text of limited length, for the request for its summary.

use rig_core::message::{AssistantContent, Message, ToolResultContent, UserContent};

use crate::{Conversation, MiddleCut};

/// Conversation as plain text, which can be cut to a length, so that a model can summarise a conversation that is too
/// long for it. Images are replaced with a note. Content that only the provider can read is omitted.
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
    /// Instruction. It is never cut.
    Asked,
    /// Text, reasoning and calls of the model.
    Said,
    /// Results of tools. They are longest, and can be requested again.
    Returned,
}

/// Average number of bytes per result that must be left. If there is less room, the text of the model is cut as well.
const LEFT_OF_RESULTS: usize = 200;

impl Transcript {
    /// Creates a transcript of all messages but the system prompt.
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
                            // The first text is the instruction. Later ones are long, such as the observations of an
                            // agent that writes its calls as text.
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

    /// Returns the length of the uncut text, in bytes.
    pub fn len(&self) -> usize {
        self.parts.iter().map(Part::len).sum()
    }

    /// Reports whether the transcript is empty.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the text, cut to about `length` bytes. The longest results lose their middle first, then the longest of
    /// all texts of the model and results. The instruction is never cut.
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

/// Returns the maximum length to which lengths must be cut so that their sum is at most `room`; [`usize::MAX`] if
/// nothing must be cut.
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

/// Cuts the middle out of a text, with a note on the number of omitted bytes.
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
        // The instruction stays even if there is no room for anything else.
        let least = transcript.cut_to(0);
        assert!(
            least.contains("the task") && !least.contains("I look."),
            "{least}"
        );
    }

    #[test]
    fn messages_are_cut_when_results_are_not_enough() {
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
