//! Hostile arguments.

use serde_json::{Value, json};

use crate::support::{Entry, World};

#[tokio::test]
async fn paths_outside_the_world() {
    let world = World::new().await;
    let outside = [
        ("/etc/passwd", "/etc/passwd"),
        ("../../etc/passwd", "/etc/passwd"),
        ("sub/../../x", "/x"),
        ("/workspace/../x", "/x"),
        ("/workspacex", "/workspacex"),
        ("~/x", "/home/agent/x"),
        ("/", "/"),
        ("a\0b", "/workspace/a\0b"),
    ];
    for (path, shown) in outside {
        let expected =
            format!("Access denied - path outside allowed directories: {shown} not in /workspace");
        for (tool, arguments) in [
            ("read_text_file", json!({"path": path})),
            ("read_media_file", json!({"path": path})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "edits": []})),
            ("create_directory", json!({"path": path})),
            ("list_directory", json!({"path": path})),
            ("move_file", json!({"source": path, "destination": "x"})),
            ("move_file", json!({"source": "a.txt", "destination": path})),
            ("get_file_info", json!({"path": path})),
        ] {
            assert_eq!(world.fails(tool, arguments).await, expected, "{tool}");
        }
    }
}

#[tokio::test]
async fn long_and_deep_paths() {
    let world = World::new().await;
    let long = "x".repeat(256);
    let text = world
        .fails("write_file", json!({"path": long, "content": ""}))
        .await;
    assert_eq!(
        text,
        format!("ENAMETOOLONG: name too long, realpath '/workspace/{long}'")
    );
    let text = world
        .fails("read_text_file", json!({"path": "y/".repeat(3000)}))
        .await;
    assert!(
        text.starts_with("Parent directory does not exist: /workspace/y/"),
        "{text}"
    );

    // A snapshot has at most 128 levels, and the tools refuse deeper paths.
    let mut path = "d".to_owned();
    for _ in 1..128 {
        world.ok("create_directory", json!({"path": path})).await;
        path += "/d";
    }
    world.ok("create_directory", json!({"path": path})).await;
    let below = format!("{path}/d");
    for (tool, arguments) in [
        ("create_directory", json!({"path": below})),
        ("write_file", json!({"path": below, "content": "x"})),
        (
            "move_file",
            json!({"source": "a.txt", "destination": below}),
        ),
        (
            "move_file",
            json!({"source": "d", "destination": "empty/d"}),
        ),
    ] {
        let text = world.fails(tool, arguments).await;
        assert!(
            text.starts_with("ENAMETOOLONG: name too long, "),
            "{tool}: {text}"
        );
    }
}

#[tokio::test]
async fn look_alikes_are_other_names() {
    let world = World::of(&[("a.txt", Entry::Text("a"))]).await;
    for path in [
        "ａ.txt",
        "a․txt",
        "а.txt",
        "a.txt ",
        "A.txt",
        "\u{202e}txt.a",
    ] {
        let text = world.fails("read_text_file", json!({"path": path})).await;
        assert_eq!(
            text,
            format!("ENOENT: no such file or directory, open '/workspace/{path}'")
        );
    }
    for path in ["‥/x", "․․/x", "%2e%2e/x", "..\\x"] {
        let output = world
            .call("write_file", json!({"path": path, "content": ""}))
            .await;
        let outcome = output.text();
        assert!(
            outcome.starts_with("Parent directory does not exist: /workspace/")
                || outcome.starts_with("Successfully wrote"),
            "{outcome}"
        );
    }
    world.capture().await;
}

#[tokio::test]
async fn bad_arguments() {
    let world = World::new().await;
    for (tool, arguments, expected) in [
        (
            "read_file",
            json!({}),
            "Invalid input: expected string, received undefined at path",
        ),
        (
            "read_file",
            json!({"path": 3, "head": "x"}),
            "Invalid input: expected string, received number at path\n\
             Invalid input: expected number, received string at head",
        ),
        (
            "read_file",
            json!({"path": null}),
            "Invalid input: expected string, received null at path",
        ),
        (
            "read_file",
            json!({"path": "a", "tail": null}),
            "Invalid input: expected number, received null at tail",
        ),
        (
            "read_multiple_files",
            json!({"paths": []}),
            "Too small: expected array to have >=1 items at paths",
        ),
        (
            "read_multiple_files",
            json!({"paths": ["a", true]}),
            "Invalid input: expected string, received boolean at paths[1]",
        ),
        (
            "list_directory_with_sizes",
            json!({"path": "", "sortBy": "date"}),
            "Invalid option: expected one of \"name\"|\"size\" at sortBy",
        ),
        (
            "edit_file",
            json!({"path": "", "edits": [{"oldText": 3}, 5], "dryRun": "no"}),
            "Invalid input: expected string, received number at edits[0].oldText\n\
             Invalid input: expected string, received undefined at edits[0].newText\n\
             Invalid input: expected object, received number at edits[1]\n\
             Invalid input: expected boolean, received string at dryRun",
        ),
        (
            "search_files",
            json!({"path": {}, "pattern": []}),
            "Invalid input: expected string, received object at path\n\
             Invalid input: expected string, received array at pattern",
        ),
    ] {
        assert_eq!(
            world.fails(tool, arguments).await,
            format!(
                "MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {expected}"
            )
        );
    }
    assert_eq!(
        world.fails("delete_file", json!({"path": "a.txt"})).await,
        "MCP error -32602: Tool delete_file not found"
    );
}

#[tokio::test]
async fn every_tool_survives_every_kind_of_value() {
    let world = World::new().await;
    let values = [
        json!(null),
        json!(-1.0e300),
        json!(""),
        json!("\u{0}\u{feff}\u{1f600}"),
        json!([[]]),
        json!({"a": {}}),
        json!("*".repeat(500)),
        json!("{a,".repeat(500)),
    ];
    let tools: Vec<(String, Vec<String>)> = world
        .client
        .tools()
        .iter()
        .map(|tool| {
            let properties = tool.input_schema["properties"].as_object().unwrap();
            (tool.name.to_string(), properties.keys().cloned().collect())
        })
        .collect();
    for (tool, properties) in &tools {
        for value in &values {
            for listed in [false, true] {
                let arguments: serde_json::Map<String, Value> = properties
                    .iter()
                    .map(|name| {
                        let value = if listed {
                            json!([value])
                        } else {
                            value.clone()
                        };
                        (name.clone(), value)
                    })
                    .collect();
                world.call(tool, Value::Object(arguments)).await;
            }
        }
    }
    world.capture().await;
}
