//! Rendering of tool results for models.

use std::fmt::Write as _;

use mcpmark_model::{CallResult, MiddleCut};
use mcpmark_service::{Content, ToolOutput};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Settings of the rendering of tool results for a model. The journal stores complete results together with these
/// settings, so that the text that the model saw can be reproduced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultView {
    /// Maximum size of the text of one result, in bytes; `None` for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// True if the model is shown images. Otherwise a line of text replaces each image.
    #[serde(default)]
    pub images: bool,
}

impl ResultView {
    /// Default maximum size of the text of one result, in bytes: about 16,000 tokens. A model with a context of 128,000
    /// tokens has room for several such results, and one with 32,000 tokens for one.
    pub const DEFAULT_MAX_BYTES: u64 = 64 * 1024;

    /// Renders a tool result for the model.
    pub fn output(&self, output: ToolOutput) -> CallResult {
        let is_error = output.is_error;
        let (text, images) = self.text(output);
        CallResult {
            text: self.cut(text),
            images,
            is_error,
        }
    }

    /// Renders the reason for which a call has no result.
    pub fn error(&self, reason: &str) -> CallResult {
        CallResult::error(self.cut(reason.to_owned()))
    }

    /// Returns the text that the model was shown for a result from the journal; `None` if the value is not a tool
    /// result.
    pub fn kept(&self, result: &Value) -> Option<String> {
        let output = serde_json::from_value(result.clone()).ok()?;
        Some(self.output(output).text)
    }

    /// Returns the complete text of a result, and its images if the model is shown images.
    fn text(&self, output: ToolOutput) -> (String, Vec<(String, String)>) {
        let mut text = String::new();
        let mut images = Vec::new();
        if output.content.is_empty() {
            let structured = output.structured.map(|value| value.to_string());
            return (structured.unwrap_or("(no output)".to_owned()), images);
        }
        for block in output.content {
            if !text.is_empty() {
                text.push('\n');
            }
            // Writing to a string does not fail.
            let _ = match block {
                Content::Text { text: block } => write!(text, "{block}"),
                Content::Image { mime_type, data } if self.images => {
                    images.push((mime_type.clone(), data));
                    let number = images.len();
                    write!(
                        text,
                        "[image {number} of this result, {mime_type}, follows]"
                    )
                }
                Content::Image { mime_type, .. } | Content::Audio { mime_type, .. } => {
                    write!(text, "[{mime_type} that this model is not shown]")
                }
                Content::Other(value) => write!(text, "{value}"),
            };
        }
        if text.is_empty() {
            "(empty)".clone_into(&mut text);
        }
        (text, images)
    }

    /// Cuts the middle out of a text that exceeds the limit. A message in its place states the number of omitted bytes
    /// and suggests calls that return less.
    fn cut(&self, text: String) -> String {
        let most = self.max_bytes.and_then(|most| usize::try_from(most).ok());
        let Some(cut) = most.and_then(|most| MiddleCut::of(&text, most)) else {
            return text;
        };
        let MiddleCut {
            head,
            tail,
            left_out,
        } = cut;
        format!(
            "{head}\n[{left_out} of the {} bytes of this result are left out here, since it is too long to be shown \
             whole. To see them, make calls that return less at a time: name a narrower path, pattern or range, \
             or fewer items or lines a call.]\n{tail}",
            text.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Content {
        Content::Text {
            text: text.to_owned(),
        }
    }

    fn output(content: Vec<Content>) -> ToolOutput {
        ToolOutput {
            content,
            ..ToolOutput::default()
        }
    }

    #[test]
    fn a_long_result_keeps_both_ends_and_says_what_is_missing() {
        let view = ResultView {
            max_bytes: Some(20),
            images: false,
        };
        let long = format!("BEGIN{}END", "é".repeat(50));
        let shown = view.output(output(vec![text(&long)])).text;
        assert!(
            shown.starts_with("BEGIN") && shown.ends_with("END"),
            "{shown}"
        );
        assert!(
            shown.contains("[90 of the 108 bytes of this result"),
            "{shown}"
        );
        assert_eq!(view.error(&long).text, shown);
        assert!(view.error(&long).is_error);
        let short = "x".repeat(20);
        assert_eq!(view.output(output(vec![text(&short)])).text, short);
        let whole = ResultView::default();
        assert_eq!(whole.output(output(vec![text(&long)])).text, long);
    }

    #[test]
    fn images_are_not_part_of_the_bound() {
        let image = |data: &str| Content::Image {
            data: data.to_owned(),
            mime_type: "image/png".to_owned(),
        };
        let content = vec![text("before"), image(&"A".repeat(1000)), image("BBBB")];
        let mut view = ResultView {
            max_bytes: Some(1000),
            images: true,
        };
        let shown = view.output(output(content.clone()));
        assert_eq!(
            shown.text,
            "before\n[image 1 of this result, image/png, follows]\n[image 2 of this result, image/png, follows]"
        );
        assert_eq!(shown.images.len(), 2);
        assert_eq!(shown.images[0].1.len(), 1000);
        view.images = false;
        let shown = view.output(output(content));
        assert_eq!(
            shown.text,
            "before\n[image/png that this model is not shown]\n[image/png that this model is not shown]"
        );
        assert!(shown.images.is_empty());
    }

    #[test]
    fn a_result_without_text_is_told() {
        let view = ResultView::default();
        assert_eq!(view.output(output(vec![])).text, "(no output)");
        assert_eq!(view.output(output(vec![text("")])).text, "(empty)");
        let structured = ToolOutput {
            structured: Some(serde_json::json!({"a": 1})),
            ..ToolOutput::default()
        };
        assert_eq!(view.output(structured).text, r#"{"a":1}"#);
    }
}
