//! Allowed differences between the servers, with reasons. Any other difference fails the test.

use serde_json::Value;

use crate::calls::Call;

/// Part of an answer that is removed from both answers before they are compared.
pub(crate) struct Mask {
    pub(crate) name: &'static str,
    pub(crate) reason: &'static str,
    apply: fn(&mut Value),
}

/// Condition under which the two answers may differ.
pub(crate) struct Exception {
    pub(crate) name: &'static str,
    pub(crate) reason: &'static str,
    /// True if the two worlds differ after this call, so that the sequence must end.
    pub(crate) parts_ways: bool,
    applies: fn(&Exchange<'_>) -> bool,
}

/// Call with the answers of both servers, in which the roots have been made equal.
pub(crate) struct Exchange<'a> {
    pub(crate) profile: &'a str,
    pub(crate) call: &'a Call,
    pub(crate) real: &'a Value,
    pub(crate) ours: &'a Value,
}

pub(crate) const MASKS: [Mask; 5] = [
    Mask {
        name: "times",
        reason: "a world has its own clock: creation, access and changes are at its one instant",
        apply: |answer| texts(answer, &mask_times),
    },
    Mask {
        name: "size of a directory",
        reason: "it is a matter of the file system; a world says 4096",
        apply: |answer| texts(answer, &mask_directory_size),
    },
    Mask {
        name: "temporary names",
        reason: "the real server draws them at random, a world derives them from its seed",
        apply: |answer| texts(answer, &mask_temporary_names),
    },
    Mask {
        name: "descriptions",
        reason: "the tools are described in words of our own",
        apply: |answer| without_key(answer, "description"),
    },
    Mask {
        name: "task support",
        reason: "the protocol library has no `execution` key; left out, it means the same",
        apply: |answer| without_key(answer, "execution"),
    },
];

pub(crate) const EXCEPTIONS: [Exception; 15] = [
    Exception {
        name: "media that is neither image nor sound",
        reason: "2025.12.18 fails in its own library, whose complaint runs to pages; the code is the same",
        parts_ways: false,
        applies: |it| {
            it.profile == "2025.12.18"
                && it.call.tool == "read_media_file"
                && [it.real, it.ours].iter().all(|answer| {
                    let message = answer["error"]["message"].as_str().unwrap_or_default();
                    answer["error"]["code"] == -32602
                        && message.starts_with("MCP error -32602: Invalid tools/call result: ")
                })
        },
    },
    Exception {
        name: "words of protocol errors",
        reason: "the code is the same, and the protocol library words it",
        parts_ways: false,
        applies: |it| {
            let code = &it.real["error"]["code"];
            *code == -32601 && it.ours["error"]["code"] == *code
        },
    },
    Exception {
        name: "malformed tools/call",
        reason: "it is refused before any tool sees it, by another protocol library with another \
                 code; absent arguments may also be written as null",
        parts_ways: false,
        applies: |it| {
            it.call.tool.starts_with("tools/call ")
                && it.real["error"]["code"] == -32603
                && (it.ours["error"]["code"] == -32602
                    || it.call.tool.ends_with("\"arguments\":null}"))
        },
    },
    Exception {
        name: "character classes by name",
        reason: "beside one the glob library escapes what its own regular expression forbids, \
                 and fails; here the pattern means what it says",
        parts_ways: false,
        applies: |it| {
            let named = it.call.arguments.to_string().contains("[:");
            let real = text(it.real);
            named
                && match it.call.tool.as_str() {
                    "directory_tree" => real.starts_with("Invalid regular expression: "),
                    "search_files" => real == "No matches found",
                    _ => false,
                }
        },
    },
    Exception {
        name: "edits whose difference is too long to show",
        reason: "one tool result holds at most 8 MiB here, and an edit that cannot be answered is not made",
        parts_ways: true,
        applies: |it| {
            it.call.tool == "edit_file"
                && text(it.ours).starts_with("result of more than ")
                && !failed(it.real)
        },
    },
    Exception {
        name: "files too long to read whole",
        reason: "one tool result holds at most 8 MiB here, where the real server reads whatever \
                 the memory holds; `head` and `tail` read longer files",
        parts_ways: false,
        applies: |it| {
            let ours = text(it.ours);
            let starts = ["file of ", "result of ", "the files together "];
            let is_of_size = starts.iter().any(|start| ours.starts_with(start));
            is_of_size && ours.contains("for one tool result") && !failed(it.real)
        },
    },
    Exception {
        name: "differences of more than 2,000 lines",
        reason: "the search for the shortest difference takes the square of its length in the real server; here it \
                 ends, and all between the first and the last lines that differ is replaced",
        parts_ways: false,
        applies: |it| {
            let changed = |line: &&str| line.starts_with(['+', '-']);
            it.call.tool == "edit_file"
                && !failed(it.real)
                && !failed(it.ours)
                && text(it.ours).lines().filter(changed).count() > 2_000
        },
    },
    Exception {
        name: "patterns that stand for very much",
        reason: "the patterns of one call stand for at most 10,000 alternatives of 2 MiB and take at most 200,000,000 \
                 steps to match; the real server goes on for as long as it takes",
        parts_ways: false,
        applies: |it| {
            let ours = text(it.ours);
            let starts = [
                "the braces in the patterns stand for more than ",
                "the patterns need more than ",
            ];
            starts.iter().any(|start| ours.starts_with(start)) && !failed(it.real)
        },
    },
    Exception {
        name: "edits that search very much",
        reason: "the edits of one call search at most 2 GiB of text, the whole file for each edit",
        parts_ways: true,
        applies: |it| text(it.ours).starts_with("the edits search more than ") && !failed(it.real),
    },
    Exception {
        name: "calls that need very much memory",
        reason: "one call holds at most 1 GiB; the real server takes what the machine has",
        parts_ways: true,
        applies: |it| {
            let ours = text(it.ours);
            ours.starts_with("the call needs more than the ") && !failed(it.real)
        },
    },
    Exception {
        name: "paths of more than 64 KiB",
        reason: "the real server takes any length of what a path does not need, such as `./`",
        parts_ways: true,
        applies: |it| {
            let ours = text(it.ours);
            ours.starts_with("ENAMETOOLONG: name too long, a path of ")
        },
    },
    Exception {
        name: "white space behind the name of the root",
        reason: "2026.8.31 takes white space off the end of a path when it checks it and not when it acts, so that \
                 `ROOT\\n` leads to an entry beside the root; here it is refused",
        parts_ways: true,
        applies: |it| {
            let ours = text(it.ours);
            it.profile == "2026.8.31"
                && ours.starts_with("Access denied - path outside allowed directories: ")
                && paths(&it.call.arguments).any(|path| path.trim_end() != path)
        },
    },
    Exception {
        name: "paths of more than 128 levels",
        reason: "a snapshot holds no deeper ones, so that whoever reads it need not be ready for more",
        parts_ways: true,
        applies: |it| {
            let text = text(it.ours);
            let levels = text.matches('/').count();
            text.starts_with("ENAMETOOLONG: name too long, ") && levels > 128 && !failed(it.real)
        },
    },
    Exception {
        name: "the quota of a world",
        reason: "the bytes and entries that an agent may leave are bounded by the task; the real \
                 server takes what the disk holds",
        parts_ways: true,
        applies: |it| {
            text(it.ours).starts_with("ENOSPC: the quota of ")
                && failed(it.ours)
                && !failed(it.real)
        },
    },
    Exception {
        name: "symlinks that would lead outside",
        reason: "a state with such a symlink cannot be kept as a snapshot, so the change is refused",
        parts_ways: true,
        applies: |it| {
            let text = text(it.ours);
            text.starts_with("Access denied - ") && text.contains("symlink") && !failed(it.real)
        },
    },
];

/// Returns the paths in the arguments of a call.
fn paths(arguments: &Value) -> impl Iterator<Item = &str> {
    let keys = ["path", "source", "destination"].iter();
    keys.filter_map(move |key| arguments[*key].as_str())
}

/// Returns the text of a tool result, or an empty string.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
}

pub(crate) fn failed(answer: &Value) -> bool {
    answer.get("error").is_some() || answer["result"]["isError"] == true
}

/// Applies masks until the answers are equal. Returns the masks that changed something, or `None` if the answers still
/// differ.
pub(crate) fn masked(real: &Value, ours: &Value) -> Option<Vec<&'static Mask>> {
    let (mut real, mut ours) = (real.clone(), ours.clone());
    let mut applied = Vec::new();
    for mask in &MASKS {
        if real == ours {
            break;
        }
        let before = (real.clone(), ours.clone());
        (mask.apply)(&mut real);
        (mask.apply)(&mut ours);
        if (&real, &ours) != (&before.0, &before.1) {
            applied.push(mask);
        }
    }
    (real == ours).then_some(applied)
}

/// Returns the first exception that allows the difference.
pub(crate) fn exception(exchange: &Exchange<'_>) -> Option<&'static Exception> {
    EXCEPTIONS.iter().find(|it| (it.applies)(exchange))
}

fn texts(value: &mut Value, mask: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = mask(text),
        Value::Array(items) => items.iter_mut().for_each(|item| texts(item, mask)),
        Value::Object(object) => object.values_mut().for_each(|item| texts(item, mask)),
        _ => {}
    }
}

fn without_key(value: &mut Value, key: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| without_key(item, key)),
        Value::Object(object) => {
            object
                .retain(|name, value| name != key || (!value.is_string() && key == "description"));
            object.values_mut().for_each(|item| without_key(item, key));
        }
        _ => {}
    }
}

fn is_file_info(text: &str) -> bool {
    text.starts_with("size: ") && text.contains("\nisDirectory: ")
}

/// Masks the times in the output of `get_file_info`, except the modification times of starting worlds.
fn mask_times(text: &str) -> String {
    const STARTING: [&str; 2] = ["Sat Jan 01 2000 00:00:00", "Thu Feb 29 2024 04:34:56"];
    if !is_file_info(text) {
        return text.to_owned();
    }
    let lines: Vec<String> = text
        .lines()
        .map(|line| match line.split_once(": ") {
            Some((name @ ("created" | "accessed"), _)) => format!("{name}: …"),
            Some(("modified", time)) if !STARTING.iter().any(|it| time.starts_with(it)) => {
                "modified: …".to_owned()
            }
            _ => line.to_owned(),
        })
        .collect();
    lines.join("\n")
}

fn mask_directory_size(text: &str) -> String {
    match text.split_once('\n') {
        Some((_, rest)) if is_file_info(text) && text.contains("\nisDirectory: true") => {
            format!("size: …\n{rest}")
        }
        _ => text.to_owned(),
    }
}

fn mask_temporary_names(text: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(end) = rest.find(".tmp") {
        let (before, after) = (&rest[..end], &rest[end + 4..]);
        let drawn = before.len().checked_sub(32).and_then(|at| before.get(at..));
        match drawn {
            Some(drawn) if drawn.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                masked += &before[..before.len() - 32];
                masked += "….tmp";
            }
            _ => {
                masked += before;
                masked += ".tmp";
            }
        }
        rest = after;
    }
    masked + rest
}
