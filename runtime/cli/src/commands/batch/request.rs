//! Parser of the requests of a batch.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use mcpmark_kinds::ScriptInvocation;
use mcpmark_metadata::ExitCode;
use serde_json::{Map, Value};

use crate::diagnosis::STATE_HINT;
use crate::error::CommandError;

/// Maximum size of a request, in bytes.
const MAX_LINE: u64 = 64 << 20;
/// Maximum number of bytes after [`MAX_LINE`] that are skipped to find the end of a line that is too long.
const MAX_SKIPPED: u64 = 256 << 20;
const KEYS: [&str; 11] = [
    "id",
    "task",
    "verifier",
    "service",
    "state",
    "start",
    "answer",
    "parameters",
    "limits",
    "env",
    "args",
];
const EXAMPLE: &str =
    r#"write a request as {"task": "filesystem/…/…", "state": "DIR"}; see `mcpmark grade --help`"#;

/// Iterator over the lines that are not blank, with their numbers.
pub(super) struct Lines<R> {
    /// Reader of the lines; `None` after a read error or an endless line, so that iteration ends.
    source: Option<BufReader<R>>,
    number: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source: Some(BufReader::new(source)),
            number: 0,
        }
    }
}

pub(super) struct Line {
    pub(super) number: u64,
    pub(super) text: Result<Vec<u8>, Refusal>,
}

impl<R: Read> Iterator for Lines<R> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        loop {
            let source = self.source.as_mut()?;
            self.number += 1;
            let number = self.number;
            let mut text = Vec::new();
            let read = source.take(MAX_LINE).read_until(b'\n', &mut text);
            let read = read.and_then(|bytes| {
                if text.ends_with(b"\n") || (bytes as u64) < MAX_LINE {
                    return Ok(Length::Whole);
                }
                text = Vec::new();
                let mut rest = source.take(MAX_SKIPPED);
                rest.skip_until(b'\n')?;
                Ok(match rest.limit() {
                    0 => Length::NoEnd,
                    _ => Length::TooLong,
                })
            });
            let text = match read {
                Ok(Length::Whole) if text.is_empty() => return None,
                Ok(Length::Whole) if text.trim_ascii().is_empty() => continue,
                Ok(Length::Whole) => Ok(text),
                Ok(Length::TooLong) => Err(Refusal::of_line(
                    format!("exceeds the limit of {MAX_LINE} bytes"),
                    "move large data into the state",
                )),
                Ok(Length::NoEnd) => {
                    self.source = None;
                    let most = MAX_LINE + MAX_SKIPPED;
                    Err(Refusal::of_line(
                        format!(
                            "exceeds the limit of {MAX_LINE} bytes and does not end within {most} \
                             bytes; the rest of the batch is not read"
                        ),
                        "write one request per line",
                    ))
                }
                Err(error) => {
                    self.source = None;
                    Err(Refusal {
                        code: ExitCode::Infrastructure,
                        ..Refusal::of_line(format!("cannot read the batch: {error}"), "")
                    })
                }
            };
            return Some(Line { number, text });
        }
    }
}

/// Length of a line compared with the limits.
enum Length {
    Whole,
    TooLong,
    /// No end of the line within [`MAX_SKIPPED`] bytes after the limit; the source may be endless.
    NoEnd,
}

/// Error of a line that is not graded.
#[derive(Clone)]
pub(super) struct Refusal {
    pub(super) key: Option<&'static str>,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    pub(super) code: ExitCode,
}

impl Refusal {
    pub(super) fn of_line(message: String, hint: &str) -> Self {
        Self {
            key: None,
            message,
            hint: (!hint.is_empty()).then(|| hint.to_owned()),
            code: ExitCode::Invalid,
        }
    }

    pub(super) fn of_key(key: &'static str, message: impl Into<String>, hint: &str) -> Self {
        Self {
            key: Some(key),
            ..Self::of_line(message.into(), hint)
        }
    }

    /// Converts the error of a single grade. Exit code `Usage` becomes `Invalid`.
    pub(super) fn of_command(key: &'static str, error: CommandError) -> Self {
        Self {
            key: Some(key),
            message: error.message,
            hint: error
                .hint
                .or_else(|| way_out(key, error.code).map(str::to_owned)),
            code: match error.code {
                ExitCode::Usage => ExitCode::Invalid,
                code => code,
            },
        }
    }
}

/// Default hint for a key, used if the error itself has none.
fn way_out(key: &str, code: ExitCode) -> Option<&'static str> {
    match key {
        "state" | "start" => Some(STATE_HINT),
        // The file was read, but is not a valid verifier.
        "verifier" if code == ExitCode::Invalid => {
            Some("`mcpmark inspect FILE` shows its kind and its imports")
        }
        "verifier" if code == ExitCode::Usage => {
            Some("name the file of a component, or of a Python script")
        }
        _ => None,
    }
}

/// Request in one line of a batch.
pub(super) struct Request {
    pub(super) judge: JudgeName,
    pub(super) state: PathBuf,
    pub(super) start: Option<PathBuf>,
    pub(super) answer: Option<String>,
    pub(super) parameters: Option<String>,
    /// Limits of a verifier without a task, by name.
    pub(super) limits: Map<String, Value>,
    /// Arguments and environment variables of a Python script or a component that imports WASI, in addition to those of its task.
    pub(super) invocation: ScriptInvocation,
}

impl Request {
    /// Returns the key of the first non-empty value that only Python scripts and components with WASI accept.
    pub(super) fn invocation_key(&self) -> Option<&'static str> {
        match (
            self.invocation.environment.is_empty(),
            self.invocation.arguments.is_empty(),
        ) {
            (false, _) => Some("env"),
            (true, false) => Some("args"),
            (true, true) => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum JudgeName {
    Task(String),
    /// Path of a component or a script, and the service of the states that it grades.
    File(PathBuf, Option<String>),
}

impl JudgeName {
    pub(super) fn key(&self) -> &'static str {
        match self {
            Self::Task(_) => "task",
            Self::File(..) => "verifier",
        }
    }
}

/// Parses a line into its `id` and its request.
pub(super) fn read(text: Result<Vec<u8>, Refusal>) -> (Option<Value>, Result<Request, Refusal>) {
    let keys = text.and_then(|text| {
        mcpmark_json::from_unique::<Map<String, Value>>(&text)
            .map_err(|error| Refusal::of_line(format!("not a JSON object: {error}"), EXAMPLE))
    });
    match keys {
        Ok(mut keys) => (keys.remove("id"), parse(keys)),
        Err(refusal) => (None, Err(refusal)),
    }
}

fn limits(value: Option<Value>, judge: &JudgeName) -> Result<Map<String, Value>, Refusal> {
    match (value, judge) {
        (None | Some(Value::Null), _) => Ok(Map::new()),
        (Some(_), JudgeName::Task(_)) => Err(Refusal::of_key(
            "limits",
            "cannot be combined with \"task\", which has its own limits",
            "remove it, or name a verifier instead of the task",
        )),
        (Some(Value::Object(limits)), JudgeName::File(..)) => Ok(limits),
        (Some(other), JudgeName::File(..)) => Err(Refusal::of_key(
            "limits",
            format!("expected an object, found {}", kind(&other)),
            r#"write it as {"fuel": 2000000000}"#,
        )),
    }
}

fn parse(mut keys: Map<String, Value>) -> Result<Request, Refusal> {
    if let Some(unknown) = keys.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(Refusal::of_line(
            format!("unknown key {unknown:?}"),
            &format!("remove it; expected one of {}", KEYS.join(", ")),
        ));
    }
    let service = text(&mut keys, "service")?;
    let judge = match (text(&mut keys, "task")?, text(&mut keys, "verifier")?) {
        (Some(_), None) if service.is_some() => {
            return Err(Refusal::of_key(
                "service",
                "cannot be combined with \"task\", which has its own service",
                "remove it, or name a verifier instead of the task",
            ));
        }
        (Some(task), None) => JudgeName::Task(task),
        (None, Some(file)) => JudgeName::File(file.into(), service),
        (Some(_), Some(_)) => {
            return Err(Refusal::of_key(
                "verifier",
                "cannot be combined with \"task\", which has its own verifier",
                "name one of the two",
            ));
        }
        (None, None) => return Err(Refusal::of_key("task", "is missing", EXAMPLE)),
    };
    let limits = limits(keys.remove("limits"), &judge)?;
    let state = text(&mut keys, "state")?;
    let state = state.ok_or_else(|| Refusal::of_key("state", "is missing", EXAMPLE))?;
    let parameters = match (keys.remove("parameters"), &judge) {
        (None | Some(Value::Null), _) => None,
        (Some(_), JudgeName::Task(_)) => {
            return Err(Refusal::of_key(
                "parameters",
                "cannot be combined with \"task\", which has its own parameters",
                "remove it, or name a verifier instead of the task",
            ));
        }
        (Some(object @ Value::Object(_)), _) => Some(mcpmark_json::canonical(&object)),
        (Some(other), _) => {
            return Err(Refusal::of_key(
                "parameters",
                format!("expected an object, found {}", kind(&other)),
                r#"write it as {"name": value}"#,
            ));
        }
    };
    Ok(Request {
        judge,
        state: state.into(),
        start: text(&mut keys, "start")?.map(Into::into),
        answer: text(&mut keys, "answer")?,
        parameters,
        limits,
        invocation: script_invocation(&mut keys)?,
    })
}

fn script_invocation(keys: &mut Map<String, Value>) -> Result<ScriptInvocation, Refusal> {
    let environment = match keys.remove("env") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(variables)) => variables
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(value) if !name.is_empty() && !name.contains(['=', '\0']) => {
                    Ok((name, value))
                }
                _ => Err(Refusal::of_key(
                    "env",
                    format!("invalid variable {name:?}; expected a name without `=` or NUL, and a string value"),
                    r#"write it as {"NAME": "VALUE"}"#,
                )),
            })
            .collect::<Result<_, _>>()?,
        Some(other) => {
            return Err(Refusal::of_key(
                "env",
                format!("expected an object, found {}", kind(&other)),
                r#"write it as {"NAME": "VALUE"}"#,
            ));
        }
    };
    let arguments = match keys.remove("args") {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(items)) => items
            .into_iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect(),
        Some(_) => None,
    };
    let arguments = arguments.ok_or_else(|| {
        Refusal::of_key(
            "args",
            "expected an array of strings",
            r#"write it as ["one", "two"]"#,
        )
    })?;
    Ok(ScriptInvocation {
        arguments,
        environment,
    })
}

fn text(keys: &mut Map<String, Value>, key: &'static str) -> Result<Option<String>, Refusal> {
    match keys.remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(Refusal::of_key(
            key,
            format!("expected a string, found {}", kind(&other)),
            "write it in quotes",
        )),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn messages(source: impl Read) -> Vec<(u64, Result<usize, String>)> {
        let told = |line: Line| {
            let text = line.text.map(|text| text.len());
            (line.number, text.map_err(|refusal| refusal.message))
        };
        Lines::new(source).map(told).collect()
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let long = io::repeat(b'x').take(MAX_LINE + 5);
        let source = long.chain(&b"\n\n{}\n"[..]);
        let found = messages(source);
        assert_eq!(
            found[0],
            (1, Err(format!("exceeds the limit of {MAX_LINE} bytes")))
        );
        assert_eq!(found[1..], [(3, Ok(3))]);
    }

    #[test]
    fn a_line_without_an_end_ends_the_batch() {
        let found = messages((&b"{}\n"[..]).chain(io::repeat(0)));
        assert_eq!(found[0], (1, Ok(3)));
        let (number, Err(message)) = &found[1] else {
            panic!("a line without an end was taken");
        };
        assert_eq!((*number, found.len()), (2, 2));
        assert!(message.contains(&MAX_LINE.to_string()), "{message}");
    }
}
