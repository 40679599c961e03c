//! Cost of the filesystem tools for each parameter that can be large, in all profiles.

use libtest_mimic::{Failed, Trial};
use mcpmark_filesystem::{Filesystem, PROFILES};
use mcpmark_service::Service;
use serde_json::{Value, json};

use crate::measure::linear;
use crate::world::{Entry, World};

/// Entries of a world.
type Entries = Vec<(String, Entry)>;

/// Case: its first size, and the function that returns the world and the arguments of a size.
struct Case {
    name: &'static str,
    tool: &'static str,
    size: usize,
    make: fn(usize) -> (Entries, Value),
    /// True if the call must succeed at both sizes, false if it must fail.
    works: bool,
}

impl Case {
    const fn works(
        name: &'static str,
        tool: &'static str,
        size: usize,
        make: fn(usize) -> (Entries, Value),
    ) -> Self {
        Self {
            name,
            tool,
            size,
            make,
            works: true,
        }
    }

    const fn fails(
        name: &'static str,
        tool: &'static str,
        size: usize,
        make: fn(usize) -> (Entries, Value),
    ) -> Self {
        Self {
            works: false,
            ..Self::works(name, tool, size, make)
        }
    }

    fn run(&self, profile: &str) -> Result<(), Failed> {
        linear(self.size, |size| {
            let (entries, arguments) = (self.make)(size);
            let world = World::new(profile, entries);
            move || {
                if self.works {
                    world.ok(self.tool, &arguments)
                } else {
                    world.fails(self.tool, &arguments)
                };
            }
        })
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for &profile in PROFILES {
        for case in CASES {
            let name = format!("filesystem::{profile}::{}::{}", case.tool, case.name);
            trials.push(Trial::test(name, move || case.run(profile)));
        }
        let name = format!("filesystem::{profile}::each_tool_has_a_case");
        trials.push(Trial::test(name, move || each_tool_has_a_case(profile)));
        trials.extend(parameters(profile));
        let name = format!("filesystem::{profile}::move_file::entries");
        trials.push(Trial::test(name, move || there_and_back(profile)));
    }
    trials
}

fn each_tool_has_a_case(profile: &str) -> Result<(), Failed> {
    let mut tools = Filesystem.tools(Some(profile));
    tools.retain(|tool| CASES.iter().all(|case| case.tool != tool));
    if tools.is_empty() {
        Ok(())
    } else {
        Err(format!("tools without a case: {tools:?}").into())
    }
}

/// Returns a trial for each parameter of the published schemas that can be large: a long string or a long list.
fn parameters(profile: &'static str) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (tool, schema) in World::new(profile, vec![]).schemas() {
        for (large, _) in larges("arguments", &schema, 1) {
            let name = format!("filesystem::{profile}::{tool}::large {large}");
            let (tool, schema) = (tool.clone(), schema.clone());
            let run = move || {
                linear(MIB, |size| {
                    let mut all = larges("arguments", &schema, size).into_iter();
                    let found = all.find(|(name, _)| *name == large);
                    let (_, arguments) = found.expect("as many for each size");
                    let world = World::new(profile, file("a text".into()));
                    let tool = tool.clone();
                    // The call may fail, but it must be answered.
                    move || drop(world.call(&tool, &arguments))
                })
            };
            trials.push(Trial::test(name, run));
        }
    }
    assert!(trials.len() > 20, "{} parameters", trials.len());
    trials
}

/// Returns the values of a schema in which one string or one list is large, each with the name of its parameter.
pub(crate) fn larges(name: &str, schema: &Value, size: usize) -> Vec<(String, Value)> {
    match schema["type"].as_str() {
        Some("string") if schema["enum"].is_null() => {
            vec![(name.to_owned(), json!("a/".repeat(size / 2)))]
        }
        Some("array") => {
            let items = &schema["items"];
            let many = json!(vec![small(items); size / 512]);
            let one = larges(&format!("item of {name}"), items, size);
            let one = one.into_iter().map(|(name, item)| (name, json!([item])));
            one.chain([(name.to_owned(), many)]).collect()
        }
        Some("object") => {
            let properties = schema["properties"].as_object();
            let of_property = |(name, property): (&String, &Value)| {
                let fill = |(large, value)| {
                    let mut object = small(schema);
                    object[name] = value;
                    (large, object)
                };
                larges(name, property, size)
                    .into_iter()
                    .map(fill)
                    .collect::<Vec<_>>()
            };
            properties
                .into_iter()
                .flatten()
                .flat_map(of_property)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Returns a minimal value of a schema: only the required keys, and each string is the name of an existing file.
fn small(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("string") => json!("a"),
        Some("array") => json!([small(&schema["items"])]),
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten();
            let required = required.filter_map(Value::as_str);
            let values = required.map(|name| (name.to_owned(), small(&schema["properties"][name])));
            Value::Object(values.collect())
        }
        _ => Value::Null,
    }
}

/// Moves a directory of many files back and forth, with a symlink in the world that must not lead outside afterwards.
fn there_and_back(profile: &str) -> Result<(), Failed> {
    linear(5_000, |size| {
        let mut entries = flat(size);
        entries.push(("link".into(), Entry::Symlink("d/file-0".into())));
        let world = World::new(profile, entries);
        move || {
            for (source, destination) in [("d", "e"), ("e", "d")] {
                let arguments = json!({"source": source, "destination": destination});
                world.ok("move_file", &arguments);
            }
        }
    })
}

const MIB: usize = 1 << 20;

const CASES: &[Case] = &[
    // Tools that read.
    Case::works("whole", "read_file", MIB, |size| {
        (file("x".repeat(size)), json!({"path": "a"}))
    }),
    Case::works("invalid bytes", "read_text_file", MIB, |size| {
        let bytes = Entry::File(vec![0xff; size]);
        (vec![("a".into(), bytes)], json!({"path": "a"}))
    }),
    Case::works("head of one line", "read_text_file", 2 * MIB, |size| {
        (file("x".repeat(size)), json!({"path": "a", "head": 1}))
    }),
    Case::works("head of many lines", "read_text_file", 2 * MIB, |size| {
        (file("\n".repeat(size)), json!({"path": "a", "head": 1e9}))
    }),
    Case::works("tail of one line", "read_text_file", 2 * MIB, |size| {
        (file("x".repeat(size)), json!({"path": "a", "tail": 1}))
    }),
    Case::works("tail of many lines", "read_text_file", 2 * MIB, |size| {
        (file("\r\n".repeat(size)), json!({"path": "a", "tail": 1e9}))
    }),
    Case::fails(
        "tail of a line too long",
        "read_text_file",
        16 * MIB,
        |size| (file("x".repeat(size)), json!({"path": "a", "tail": 1})),
    ),
    Case::fails(
        "head of a line too long",
        "read_text_file",
        16 * MIB,
        |size| (file("x".repeat(size)), json!({"path": "a", "head": 1})),
    ),
    Case::works("image", "read_media_file", MIB, |size| {
        let bytes = Entry::File(vec![0; size]);
        (vec![("a.png".into(), bytes)], json!({"path": "a.png"}))
    }),
    Case::works("many small files", "read_multiple_files", 20_000, |size| {
        (file("x".into()), json!({"paths": vec!["a"; size]}))
    }),
    Case::works("many missing files", "read_multiple_files", 5_000, |size| {
        let paths: Vec<String> = (0..size).map(|n| format!("d/missing-{n}")).collect();
        (flat(size), json!({"paths": paths}))
    }),
    Case::fails(
        "one large file many times",
        "read_multiple_files",
        1_000,
        |size| (file("x".repeat(4 * MIB)), json!({"paths": vec!["a"; size]})),
    ),
    Case::fails(
        "arguments of another type",
        "read_multiple_files",
        100_000,
        |size| (vec![], json!({"paths": vec![1; size]})),
    ),
    Case::works("surplus arguments", "get_file_info", 20_000, |size| {
        let mut arguments: serde_json::Map<String, Value> =
            (0..size).map(|n| (n.to_string(), json!({}))).collect();
        arguments.insert("path".into(), json!(""));
        (vec![], Value::Object(arguments))
    }),
    Case::fails("long path", "get_file_info", 4 * MIB, |size| {
        (vec![], json!({"path": "a/".repeat(size)}))
    }),
    Case::works(
        "surplus arguments",
        "list_allowed_directories",
        4 * MIB,
        |size| (vec![], json!({"path": "x".repeat(size)})),
    ),
    // Tools that list and search.
    Case::works("entries", "list_directory", 20_000, |size| {
        (flat(size), json!({"path": ""}))
    }),
    Case::works(
        "entries by name",
        "list_directory_with_sizes",
        10_000,
        |size| (flat(size), json!({"path": "d", "sortBy": "name"})),
    ),
    Case::works(
        "dangling symlinks",
        "list_directory_with_sizes",
        4_000,
        |size| {
            let links = (0..size).map(|n| (format!("d/{n}"), Entry::Symlink("nothing".into())));
            (links.collect(), json!({"path": "d", "sortBy": "size"}))
        },
    ),
    Case::works("entries", "directory_tree", 10_000, |size| {
        (flat(size), json!({"path": ""}))
    }),
    Case::works(
        "entries of a deep directory",
        "directory_tree",
        1_500,
        |size| {
            (
                deep(size),
                json!({"path": "", "excludePatterns": ["x", "**/y"]}),
            )
        },
    ),
    Case::works("alternatives", "directory_tree", 4_000, |size| {
        let pattern = format!("{{1..{size}}}");
        (flat(200), json!({"path": "", "excludePatterns": [pattern]}))
    }),
    Case::works("patterns", "directory_tree", 4_000, |size| {
        (
            flat(200),
            json!({"path": "", "excludePatterns": names(size)}),
        )
    }),
    Case::works("entries", "search_files", 10_000, |size| {
        (flat(size), json!({"path": "", "pattern": "**/*7*"}))
    }),
    Case::works(
        "entries of a deep directory",
        "search_files",
        5_000,
        |size| {
            let arguments = json!({"path": "", "pattern": "**/*7", "excludePatterns": ["**/b/**"]});
            (deep(size), arguments)
        },
    ),
    Case::works("dangling symlinks", "search_files", 4_000, |size| {
        let links = (0..size).map(|n| (format!("d/{n}"), Entry::Symlink("nothing".into())));
        (links.collect(), json!({"path": "", "pattern": "**/*"}))
    }),
    Case::works("stars", "search_files", 10_000, |size| {
        let world = vec![("a".repeat(255), Entry::Directory)];
        (
            world,
            json!({"path": "", "pattern": format!("{}b", "*a".repeat(size))}),
        )
    }),
    Case::works("groups", "search_files", 4_000, |size| {
        let world = vec![("a".repeat(255), Entry::Directory)];
        (
            world,
            json!({"path": "", "pattern": format!("{}b", "*(a|b)".repeat(size))}),
        )
    }),
    Case::works("double stars", "search_files", 5_000, |size| {
        let pattern = format!("{}b", "**/a/".repeat(size));
        (deep(100), json!({"path": "", "pattern": pattern}))
    }),
    Case::works("nested braces", "search_files", 15_000, |size| {
        let pattern = "{".repeat(size) + &"}".repeat(size);
        (flat(1), json!({"path": "", "pattern": pattern}))
    }),
    Case::works("classes", "search_files", 2_000, |size| {
        let pattern = format!("[{}]", "a-bd".repeat(size));
        (
            flat(2_000),
            json!({"path": "", "pattern": format!("**/{pattern}*")}),
        )
    }),
    Case::works("patterns", "search_files", 4_000, |size| {
        let arguments = json!({"path": "", "pattern": "*", "excludePatterns": names(size)});
        (flat(200), arguments)
    }),
    Case::fails(
        "alternatives beyond the limit",
        "search_files",
        400,
        |size| {
            let patterns = vec!["{1..999}"; size];
            (
                flat(200),
                json!({"path": "", "pattern": "*", "excludePatterns": patterns}),
            )
        },
    ),
    // Tools that write, edit and move.
    Case::works("content", "write_file", 4 * MIB, |size| {
        (vec![], json!({"path": "a", "content": "x".repeat(size)}))
    }),
    Case::fails("long path", "create_directory", 4 * MIB, |size| {
        (vec![], json!({"path": "a/".repeat(size)}))
    }),
    Case::fails("too deep", "move_file", 10_000, |size| {
        let mut entries = flat(size);
        let deep = vec!["x"; 127].join("/");
        entries.push((deep.clone(), Entry::Directory));
        (
            entries,
            json!({"source": "d", "destination": format!("{deep}/d")}),
        )
    }),
    Case::works("text", "edit_file", 4 * MIB, |size| {
        let text = "a line of some words\n".repeat(size / 21) + "X\n";
        (file(text), edits([("X\n", "Y\n")], true))
    }),
    // Few enough lines for the caches of small machines. With more, cache misses increase the time per line.
    Case::works("lines", "edit_file", MIB / 4, |size| {
        (file("\n".repeat(size) + "X"), edits([("X", "Y")], true))
    }),
    Case::works("new text", "edit_file", MIB, |size| {
        (file("X".into()), edits([("X", &*"$$y".repeat(size))], true))
    }),
    Case::works("expansions", "edit_file", MIB, |size| {
        let text = "x".repeat(size / 4) + "X";
        (
            file(text),
            edits([("X", "$`X"), ("X", "$`"), ("xx", "$&")], true),
        )
    }),
    Case::works("edits", "edit_file", 5_000, |size| {
        (
            file("X\n".repeat(1_000)),
            edits(vec![("X", "X"); size], true),
        )
    }),
    Case::fails(
        "long old text that is not there",
        "edit_file",
        50_000,
        |size| {
            // Half as many lines as the text. All lines but the last match at each line of the text.
            let old = " x\n".repeat(size) + "y";
            (file("x\n".repeat(2 * size)), edits([(&*old, "z")], true))
        },
    ),
    Case::works(
        "long old text but for white space",
        "edit_file",
        50_000,
        |size| {
            let old = " x\n".repeat(size) + "y";
            let text = "x\n".repeat(2 * size) + "y\nend\n";
            (file(text), edits([(&*old, "z")], true))
        },
    ),
    Case::works("indentation", "edit_file", 50_000, |size| {
        let new = "X\n".to_owned() + &"  y\n".repeat(size);
        let old = "X\n".to_owned() + &" z\n".repeat(size);
        (
            file(format!("    {}", old.replace('z', "z "))),
            edits([(&*old, &*new)], true),
        )
    }),
    Case::works("backticks", "edit_file", MIB, |size| {
        (file("X".into()), edits([("X", &*"`".repeat(size))], true))
    }),
    Case::works("many differences", "edit_file", 20_000, |size| {
        let (old, new) = (numbered("old", size), numbered("new", size));
        (file(old.clone()), edits([(&*old, &*new)], true))
    }),
    Case::works(
        "few differences in equal lines",
        "edit_file",
        500_000,
        |size| {
            let text = |rare: &str| {
                let line = |n| if n % (size / 1_500) == 0 { rare } else { "a\n" };
                (0..size).map(line).collect::<String>()
            };
            let (old, new) = (text("b\n"), text("c\n"));
            (file(old.clone()), edits([(&*old, &*new)], true))
        },
    ),
    // The larger text is below the size from which the allocator maps every allocation.
    Case::fails("difference too long", "edit_file", 10 * MIB, |size| {
        (file("x".repeat(size)), edits([("x", "y")], false))
    }),
    Case::fails("echo of the old text", "edit_file", MIB, |size| {
        (file("x".into()), edits([(&*"y".repeat(size), "z")], false))
    }),
];

fn file(text: String) -> Entries {
    vec![("a".into(), Entry::File(text.into_bytes()))]
}

/// Returns a directory with many files.
fn flat(size: usize) -> Entries {
    let file = |n| (format!("d/file-{n}"), Entry::File(Vec::new()));
    (0..size).map(file).collect()
}

/// Returns many files in a deeply nested directory.
fn deep(size: usize) -> Entries {
    let directory = vec!["a"; 100].join("/");
    let file = |n| (format!("{directory}/file-{n}"), Entry::File(Vec::new()));
    (0..size).map(file).collect()
}

fn names(size: usize) -> Vec<String> {
    (0..size).map(|n| format!("name-{n}")).collect()
}

fn numbered(word: &str, size: usize) -> String {
    (0..size).map(|n| format!("{word} {n}\n")).collect()
}

fn edits<'a>(edits: impl IntoIterator<Item = (&'a str, &'a str)>, dry_run: bool) -> Value {
    let edit = |(old, new)| json!({"oldText": old, "newText": new});
    let edits: Vec<Value> = edits.into_iter().map(edit).collect();
    json!({"path": "a", "edits": edits, "dryRun": dry_run})
}
