//! Generator of tool calls: valid, invalid and hostile ones.

use mcpmark_service::SessionLimits;
use serde_json::{Map, Value, json};

use crate::draw::Draw;
use crate::paths::{Memory, directory, new_path, path};
use crate::starts;
use crate::texts::{edit, pattern, patterns, text};
use crate::worlds::{CLOCK, Entry, Spec};

/// Placeholder in arguments for the path of the world's root.
pub(crate) const ROOT: &str = "{root}";

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
}

/// Starting world and the calls that are played on it.
#[derive(Debug, Clone)]
pub(crate) struct Sequence {
    pub(crate) world: Spec,
    /// Limits of our session. The real server has no such limits.
    pub(crate) limits: SessionLimits,
    pub(crate) calls: Vec<Call>,
}

impl Sequence {
    /// Returns a sequence with an empty world and without calls.
    pub(crate) fn empty() -> Self {
        Self {
            world: Spec::default(),
            limits: SessionLimits::default(),
            calls: Vec::new(),
        }
    }
}

const TOOLS: [(&str, usize); 14] = [
    ("read_file", 4),
    ("read_text_file", 10),
    ("read_media_file", 4),
    ("read_multiple_files", 4),
    ("write_file", 12),
    ("edit_file", 14),
    ("create_directory", 7),
    ("list_directory", 5),
    ("list_directory_with_sizes", 6),
    ("directory_tree", 7),
    ("move_file", 12),
    ("search_files", 10),
    ("get_file_info", 5),
    ("list_allowed_directories", 1),
];

/// Returns a sequence that reads a file that exceeds the size of a tool result: whole, and with `head` and `tail`.
pub(crate) fn long_file() -> Sequence {
    let mut world = Spec::default();
    let entry = Entry::File {
        bytes: b"one line of many\n".repeat(540_000),
        executable: false,
        modified: CLOCK,
    };
    world.0.insert("long.txt".to_owned(), entry);
    let path = format!("{ROOT}/long.txt");
    Sequence {
        world,
        limits: SessionLimits::default(),
        calls: vec![
            call("read_text_file", json!({ "path": path })),
            call("read_file", json!({ "path": path })),
            call("read_text_file", json!({ "path": path, "head": 3 })),
            call("read_text_file", json!({ "path": path, "tail": 3 })),
            call("get_file_info", json!({ "path": path })),
        ],
    }
}

/// Returns calls that exceed a cost limit of this service, and a write to a path that one of the published versions
/// accepts although it is outside the root.
pub(crate) fn refused_here() -> Vec<Sequence> {
    let at = |path: &str| format!("{ROOT}/{path}");
    let file = |bytes: Vec<u8>| {
        let entry = Entry::File {
            bytes,
            executable: false,
            modified: CLOCK,
        };
        let mut world = Spec::default();
        world.0.insert("a.txt".to_owned(), entry);
        world
    };
    let edit = |old: &str, new: &str| {
        let edits = json!([{ "oldText": old, "newText": new }]);
        call("edit_file", json!({ "path": at("a.txt"), "edits": edits }))
    };
    let lines = |word: &str| -> String { (0..1_500).map(|n| format!("{word} {n}\n")).collect() };
    let (old, new) = (lines("old"), lines("new"));
    let alternatives = json!({ "path": ROOT, "excludePatterns": ["{1..10001}"] });
    let long_path = at(&("./".repeat(40_000) + "a.txt"));
    let beside = json!({ "path": format!("{ROOT}\n"), "content": "beside the root" });
    [
        (file(b"a".to_vec()), call("directory_tree", alternatives)),
        (file(vec![b'x'; 5 << 20]), edit("x", "y")),
        (file(old.clone().into_bytes()), edit(&old, &new)),
        (
            file(b"a".to_vec()),
            call("read_text_file", json!({ "path": long_path })),
        ),
        (file(b"a".to_vec()), call("write_file", beside)),
    ]
    .map(|(world, last)| Sequence {
        world,
        limits: SessionLimits::default(),
        calls: vec![last],
    })
    .into()
}

/// Returns sequences that reach the limits of a snapshot (path depth, bytes, entries), each with a last call that
/// exceeds one of them.
pub(crate) fn beyond_limits() -> Vec<Sequence> {
    let text = |text: &str| Entry::File {
        bytes: text.into(),
        executable: false,
        modified: CLOCK,
    };
    let at = |path: &str| format!("{ROOT}/{path}");
    let directory = vec!["d"; 127].join("/");
    let mut deep = Spec::default();
    deep.0.insert(
        format!("{directory}/at-128.txt"),
        text("as deep as can be\n"),
    );
    deep.0.insert("tree/leaf.txt".to_owned(), text("a leaf\n"));
    let file = at(&format!("{directory}/at-128.txt"));
    let lowest = at(&format!("{directory}/d"));
    let below = at(&format!("{directory}/d/e"));
    let too_deep = [
        call("create_directory", json!({ "path": below })),
        call("write_file", json!({ "path": below, "content": "x" })),
        call(
            "move_file",
            json!({ "source": at("tree"), "destination": lowest }),
        ),
    ]
    .map(|last| Sequence {
        world: deep.clone(),
        limits: SessionLimits::default(),
        calls: vec![
            call("read_text_file", json!({ "path": file })),
            call(
                "write_file",
                json!({ "path": file, "content": "changed\n" }),
            ),
            match last.tool.as_str() {
                "move_file" => call("list_directory", json!({ "path": at("tree") })),
                _ => call("create_directory", json!({ "path": lowest })),
            },
            last,
        ],
    });

    let mut small = Spec::default();
    small.0.insert("ten.txt".to_owned(), text("ten bytes\n"));
    small
        .0
        .insert("full/twenty.txt".to_owned(), text("there are 20 bytes.\n"));
    let edits = json!([{ "oldText": "ten bytes", "newText": "more than ten of them" }]);
    let too_much = [
        call(
            "write_file",
            json!({ "path": at("ten.txt"), "content": "far more than ten bytes\n" }),
        ),
        call(
            "write_file",
            json!({ "path": at("new.txt"), "content": "one more\n" }),
        ),
        call(
            "edit_file",
            json!({ "path": at("ten.txt"), "edits": edits }),
        ),
        call("create_directory", json!({ "path": at("one/two") })),
    ]
    .map(|last| Sequence {
        world: small.clone(),
        // The world holds 30 bytes and 3 entries.
        limits: SessionLimits {
            max_bytes: 40,
            max_files: 4,
            ..SessionLimits::default()
        },
        calls: vec![
            call("create_directory", json!({ "path": at("third") })),
            call(
                "move_file",
                json!({ "source": at("ten.txt"), "destination": at("third/ten.txt") }),
            ),
            call(
                "move_file",
                json!({ "source": at("third/ten.txt"), "destination": at("ten.txt") }),
            ),
            call(
                "write_file",
                json!({ "path": at("ten.txt"), "content": "10 bytes.\n" }),
            ),
            call(
                "write_file",
                json!({ "path": at("ten.txt"), "content": "ten bytes\n" }),
            ),
            last,
        ],
    });
    too_deep.into_iter().chain(too_much).collect()
}

fn call(tool: &str, arguments: Value) -> Call {
    Call {
        tool: tool.to_owned(),
        arguments,
    }
}

/// Generates the sequence of a seed, with `length` calls.
pub(crate) fn sequence(seed: u64, length: usize) -> Sequence {
    let mut draw = Draw::new(seed);
    let mut memory = Memory {
        paths: vec![String::new()],
        texts: Vec::new(),
    };
    let world = starts::world(&mut draw, &mut memory);
    let calls = (0..length)
        .map(|_| drawn_call(&mut draw, &mut memory))
        .collect();
    Sequence {
        world,
        limits: SessionLimits::default(),
        calls,
    }
}

fn drawn_call(draw: &mut Draw, memory: &mut Memory) -> Call {
    let mut at = draw.below(TOOLS.iter().map(|(_, weight)| weight).sum());
    let tool = TOOLS
        .iter()
        .find(|(_, weight)| match at.checked_sub(*weight) {
            Some(rest) => {
                at = rest;
                false
            }
            None => true,
        })
        .map_or("read_file", |(tool, _)| tool);
    let mut arguments = arguments(draw, memory, tool);
    if draw.chance(4) {
        spoil(draw, &mut arguments);
    }
    Call {
        tool: if draw.chance(1) {
            draw.one(&["delete_file", "", "READ_FILE", "read file"])
                .to_owned()
        } else {
            tool.to_owned()
        },
        arguments: Value::Object(arguments),
    }
}

fn arguments(draw: &mut Draw, memory: &mut Memory, tool: &str) -> Map<String, Value> {
    let arguments = match tool {
        "list_allowed_directories" => json!({}),
        "read_file" | "read_text_file" => {
            let mut arguments = json!({"path": path(draw, memory)});
            for (name, chance) in [("head", 30), ("tail", 30)] {
                if draw.chance(chance) {
                    let counts: [f64; 10] = [0.0, 1.0, 2.0, 3.0, 7.0, 40.0, 1e6, -1.0, 0.5, 1.5];
                    let count = draw.pick(&counts);
                    arguments[name] = if count.fract() == 0.0 {
                        json!(count as i64)
                    } else {
                        json!(count)
                    };
                }
            }
            arguments
        }
        "read_multiple_files" => {
            let paths: Vec<String> = (0..draw.below(5)).map(|_| path(draw, memory)).collect();
            json!({"paths": paths})
        }
        "write_file" => {
            let path = path(draw, memory);
            let text = text(draw);
            memory.texts.push((path.clone(), text.clone()));
            memory.paths.push(path.clone());
            json!({"path": path, "content": text})
        }
        "edit_file" => edit(draw, memory),
        "move_file" => {
            let (source, destination) = (path(draw, memory), path(draw, memory));
            memory.paths.push(destination.clone());
            json!({"source": source, "destination": destination})
        }
        "create_directory" => {
            let path = if draw.chance(60) {
                new_path(draw, memory)
            } else {
                path(draw, memory)
            };
            memory.paths.push(path.clone());
            json!({"path": path})
        }
        "list_directory_with_sizes" => {
            let mut arguments = json!({"path": directory(draw, memory)});
            if draw.chance(60) {
                arguments["sortBy"] = json!(draw.one(&["name", "size"]));
            }
            arguments
        }
        "directory_tree" => {
            let mut arguments = json!({"path": directory(draw, memory)});
            if draw.chance(60) {
                arguments["excludePatterns"] = patterns(draw, memory);
            }
            arguments
        }
        "search_files" => {
            let (path, pattern) = (directory(draw, memory), pattern(draw, memory));
            let mut arguments = json!({"path": path, "pattern": pattern});
            if draw.chance(30) {
                arguments["excludePatterns"] = patterns(draw, memory);
            }
            arguments
        }
        "list_directory" => json!({"path": directory(draw, memory)}),
        _ => json!({"path": path(draw, memory)}),
    };
    match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    }
}

/// Makes arguments invalid: removes one, adds an unknown one, or changes the type of a value.
fn spoil(draw: &mut Draw, arguments: &mut Map<String, Value>) {
    let names: Vec<String> = arguments.keys().cloned().collect();
    let name = if names.is_empty() {
        "path".to_owned()
    } else {
        draw.pick(&names)
    };
    match draw.below(4) {
        0 => {
            arguments.shift_remove(&name);
        }
        1 => {
            arguments.insert("surplus".to_owned(), json!([1, {"a": null}]));
        }
        _ => {
            let values = [
                json!(null),
                json!(true),
                json!(3),
                json!(-0.5),
                json!("x"),
                json!(""),
                json!([]),
                json!([null]),
                json!(["a", 3]),
                json!({}),
                json!([{"oldText": 1}]),
                json!([{"newText": "x"}, "y"]),
            ];
            arguments.insert(name, draw.pick(&values));
        }
    }
}
