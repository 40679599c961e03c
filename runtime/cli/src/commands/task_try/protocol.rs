//! Messages between the commands of `task try` and the process that holds an attempt. Each connection carries one
//! request and one response, as lines of JSON.

use mcpmark_bundle::files::MAX_FILE_BYTES;
use mcpmark_metadata::OpenAttempt;
use mcpmark_service::ToolOutput;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum size of a request, in bytes. It exceeds that of arguments, because JSON may escape each of their bytes.
pub(super) const MAX_REQUEST_BYTES: u64 = 8 * MAX_FILE_BYTES;

/// Request of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub(super) enum Request {
    Status,
    Tools,
    Call {
        tool: String,
        arguments: Map<String, Value>,
    },
    Finish {
        answer: String,
    },
    Abandon,
}

/// Response to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "response", content = "content", rename_all = "kebab-case")]
pub(super) enum Response {
    Status(OpenAttempt),
    /// Tools as MCP lists them.
    Tools(Vec<Value>),
    /// Result of a call.
    Output(ToolOutput),
    /// There is no tool of this name.
    UnknownTool,
    /// Reason for which a call has no result.
    NoResult(String),
    /// Reason for which the attempt ended before or during a call.
    Ended(String),
    /// The attempt has ended and its outcome is in the journal.
    Over,
    /// Problem of a request that cannot be read.
    Invalid(String),
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_are_single_lines_that_keep_their_values() {
        let arguments = json!({"path": "a\nb", "count": 1e300, "text": "\u{2028}"});
        let arguments = arguments.as_object().cloned().unwrap();
        let tool = "write_file".to_owned();
        for request in [
            Request::Status,
            Request::Tools,
            Request::Call { tool, arguments },
            Request::Finish {
                answer: "one\ntwo".to_owned(),
            },
            Request::Abandon,
        ] {
            let line = serde_json::to_string(&request).unwrap();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(serde_json::from_str::<Request>(&line).unwrap(), request);
        }
        let output: ToolOutput = serde_json::from_value(json!({
            "content": [{"type": "text", "text": "a\nb"}, {"type": "other", "value": 1}],
            "structuredContent": {"content": "a"},
            "isError": true,
        }))
        .unwrap();
        for response in [
            Response::Tools(vec![json!({"name": "write_file"})]),
            Response::Output(output),
            Response::UnknownTool,
            Response::NoResult("no result after 60 s".to_owned()),
            Response::Over,
        ] {
            let line = serde_json::to_string(&response).unwrap();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(serde_json::from_str::<Response>(&line).unwrap(), response);
        }
    }
}
