//! Ceilings of the limits of worlds, set by the operator.

use mcpmark_model_server::{Reaction, Saying};
use serde_json::json;

use crate::environment::{Environment, Output, text};
use crate::guests;
use crate::library::Library;
use crate::models::serve;

const CEILING: &str = "MCPMARK_LIMITS_CEILING";
const TASK: &str = "filesystem/village-festival/stall-balances";

#[test]
fn a_world_beyond_the_ceiling_is_refused_with_both_numbers_and_the_variable() {
    let environment = Environment::new();
    let mut transcript = String::new();
    for args in [
        ["run", "--agent", "nop", TASK].as_slice(),
        &["mcp", "serve", "--task", TASK],
        &["mcp", "serve", "--world", "filesystem/village-festival"],
    ] {
        let mut command = environment.command(args);
        command.env(CEILING, "world_bytes=1000,fuel=100000000000");
        let output = Output::of(&mut command).exits(4);
        transcript += &output.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark run --agent nop filesystem/village-festival/stall-balances
    error: task filesystem/village-festival/stall-balances: the starting world exceeds limit `world_bytes`: it has 92859 bytes, but this host grants 1000
    hint: if you trust its source, grant it with MCPMARK_LIMITS_CEILING=world_bytes=92859,fuel=100000000000

    $ mcpmark mcp serve --task filesystem/village-festival/stall-balances
    error: the starting world exceeds limit `world_bytes`: it has 92859 bytes, but this host grants 1000
    hint: if you trust its source, grant it with MCPMARK_LIMITS_CEILING=world_bytes=92859,fuel=100000000000

    $ mcpmark mcp serve --world filesystem/village-festival
    error: the starting world exceeds limit `world_bytes`: it has 92859 bytes, but this host grants 1000
    hint: if you trust its source, grant it with MCPMARK_LIMITS_CEILING=world_bytes=92859,fuel=100000000000
    ");
    let mut command = environment.command(["run", "--agent", "nop", TASK]);
    let output = Output::of(command.env(CEILING, "world_bytes=0")).exits(2);
    insta::assert_snapshot!(output.message(), @r#"
    error: MCPMARK_LIMITS_CEILING: limit `world_bytes`: expected an integer above 0, found "0"
    hint: write limits as in fuel=5000000000,memory_bytes=134217728,world_bytes=1073741824
    "#);
}

/// Tasks in directories and in bundles may ask for worlds of any size.
#[test]
fn a_task_that_asks_for_a_larger_world_gets_the_ceiling() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let meta = json!({"difficulty": "L1", "limits": {"world_bytes": 1_u64 << 62}});
    library.task_with("large", &guests::verdict(true, "fine"), &meta);
    let bundle = environment.path("large.tar");
    let bundle = bundle.to_str().unwrap();
    library.run(["bundle", "pack", "-o", bundle]).exits(0);
    let server = serve(|request| match request.turns {
        0 => Reaction::Say(Saying {
            calls: vec![(
                "write_file".to_owned(),
                json!({"path": "large.txt", "content": "x".repeat(200_000)}).to_string(),
            )],
            ..Saying::default()
        }),
        _ => Reaction::say("Done."),
    });
    let url = server.base_url();
    let args = ["run", "--base-url", &url, "--model", "openai/m", "--json"];
    for more in [&["filesystem/office/large"][..], &["--tasks", bundle]] {
        let run = |ceiling: &str| {
            let mut command = library.command(args.iter().chain(more));
            command.env(CEILING, format!("world_bytes={ceiling}"));
            let report = Output::of(&mut command).exits(0).json();
            let id = text(&report["attempts"][0]["id"]);
            library.run(["show", &id, "--full"]).exits(0).stdout
        };
        let shown = run("100000");
        assert!(shown.contains("100000 bytes"), "{shown}");
        assert!(run("1000000").contains("Successfully wrote"), "{more:?}");
    }
}

/// The world of the test library has three entries and 19 bytes.
#[test]
fn each_command_that_opens_a_world_obeys_each_ceiling() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let task = "filesystem/office/easy";
    let state = library.world("office").join("files");
    let grade = ["grade", task, "--state", state.to_str().unwrap()];
    let run = ["run", "--agent", "nop", task];
    let limited = |args: &[&str], ceiling: &str| {
        let mut command = library.command(args);
        Output::of(command.env(CEILING, ceiling))
    };
    let mut transcript = String::new();
    for (name, found) in [("world_bytes", 19), ("world_files", 3)] {
        let most = found - 1;
        for args in [
            run.as_slice(),
            &grade,
            &["task", "check", task],
            &["mcp", "serve", "--task", task],
            &["mcp", "serve", "--world", "filesystem/office"],
        ] {
            let refused = limited(args, &format!("{name}={most}")).exits(4);
            transcript += &refused.transcript();
        }
        for args in [run, grade] {
            limited(&args, &format!("{name}={found}")).exits(0);
        }
    }
    insta::assert_snapshot!(
        "each_command_that_opens_a_world_obeys_each_ceiling",
        transcript
    );
}

#[test]
fn calls_beyond_the_ceiling_are_refused_to_the_agent() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let meta = json!({"difficulty": "L1", "limits": {"world_files": 1_u64 << 62}});
    library.task_with("large", &guests::verdict(true, "fine"), &meta);
    let content = "x".repeat(2_000);
    let server = serve(move |request| match request.turns {
        0 => Reaction::call(
            "write_file",
            &json!({"path": "new.txt", "content": content}),
        ),
        1 => Reaction::call("read_text_file", &json!({"path": "new.txt"})),
        _ => Reaction::say("Done."),
    });
    let url = server.base_url();
    let args = ["run", "--base-url", &url, "--model", "openai/m", "--json"];
    let shown = |ceiling: &str| {
        let mut command = library.command(args.iter().chain(&["filesystem/office/large"]));
        let report = Output::of(command.env(CEILING, ceiling)).exits(0).json();
        let id = text(&report["attempts"][0]["id"]);
        library.run(["show", &id, "--full"]).exits(0).stdout
    };
    for (refused, granted, why) in [
        (
            "world_files=3",
            "world_files=4",
            "ENOSPC: the quota of 3 files",
        ),
        (
            "result_bytes=1999",
            "result_bytes=3000",
            "the limit of 1999 bytes for one tool result",
        ),
    ] {
        let (refused, granted) = (shown(refused), shown(granted));
        assert!(refused.contains(why), "{refused}");
        assert!(
            !granted.contains(" limit of ") && !granted.contains("ENOSPC"),
            "{granted}"
        );
    }
}
