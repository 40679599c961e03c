//! Result of a tool call and its content blocks.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Result of one tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput {
    /// Content blocks, in order.
    #[serde(default)]
    pub content: Vec<Content>,
    /// Structured form of the result, if the tool returns one.
    #[serde(
        default,
        rename = "structuredContent",
        skip_serializing_if = "Option::is_none"
    )]
    pub structured: Option<Value>,
    /// Flag with which the tool reports a failure.
    #[serde(default)]
    pub is_error: bool,
}

impl ToolOutput {
    /// Returns the text blocks, joined by newlines.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(|block| match block {
                Content::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }
}

/// Content block of a result. Its serialised form is that of MCP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub enum Content {
    /// Text for the model.
    Text {
        /// Text.
        text: String,
    },
    /// Image.
    Image {
        /// Bytes in base64.
        data: String,
        /// Media type, such as `image/png`.
        mime_type: String,
    },
    /// Audio.
    Audio {
        /// Bytes in base64.
        data: String,
        /// Media type, such as `audio/wav`.
        mime_type: String,
    },
    /// Any other block, as received.
    Other(Value),
}

impl From<Value> for Content {
    fn from(block: Value) -> Self {
        let field = |name: &str| Some(block.get(name)?.as_str()?.to_owned());
        let media = || Some((field("data")?, field("mimeType")?));
        let known = match block.get("type").and_then(Value::as_str) {
            Some("text") => field("text").map(|text| Self::Text { text }),
            Some("image") => media().map(|(data, mime_type)| Self::Image { data, mime_type }),
            Some("audio") => media().map(|(data, mime_type)| Self::Audio { data, mime_type }),
            _ => None,
        };
        known.unwrap_or(Self::Other(block))
    }
}

impl From<Content> for Value {
    fn from(content: Content) -> Self {
        match content {
            Content::Text { text } => json!({"type": "text", "text": text}),
            Content::Image { data, mime_type } => {
                json!({"type": "image", "data": data, "mimeType": mime_type})
            }
            Content::Audio { data, mime_type } => {
                json!({"type": "audio", "data": data, "mimeType": mime_type})
            }
            Content::Other(block) => block,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_mcp_form() {
        let form = json!({
            "content": [
                {"type": "text", "text": "one"},
                {"type": "image", "data": "AA==", "mimeType": "image/png"},
                {"type": "text", "text": "two"},
                {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
                {"type": "resource", "resource": {"uri": "file:///x", "text": "x"}},
                {"type": "text"},
            ],
            "structuredContent": {"content": "one"},
            "isError": true,
        });
        let output: ToolOutput = serde_json::from_value(form.clone()).unwrap();
        assert_eq!(output.text(), "one\ntwo");
        assert!(matches!(output.content[5], Content::Other(_)));
        assert_eq!(serde_json::to_value(&output).unwrap(), form);
    }

    #[test]
    fn absent_fields_have_defaults() {
        let output: ToolOutput = serde_json::from_value(json!({})).unwrap();
        assert_eq!(output, ToolOutput::default());
        assert_eq!(output.text(), "");
    }
}
