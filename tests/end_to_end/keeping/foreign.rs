//! Imported experiments, whose plans need consent.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::environment::{Environment, Output};
use crate::guests;
use crate::library::Library;

/// Imports an experiment with a changed plan into a new environment: with its attempts, or without any if it has not
/// `begun`.
fn imported(sender: &Library<'_>, from: &Environment, plan: &Value, begun: bool) -> Environment {
    let run = ["run", "--agent", "nop", "--experiment", "e"];
    sender.run(run).exits(0);
    let journal = Connection::open(from.home().join("journal.db")).unwrap();
    let change = "UPDATE experiments SET spec = json_patch(spec, ?1), created_ms = 4000000000000";
    assert_eq!(journal.execute(change, [plan.to_string()]).unwrap(), 1);
    if !begun {
        journal
            .execute_batch(
                "UPDATE attempts SET grade = NULL;
                 DELETE FROM checks; DELETE FROM grades; DELETE FROM messages;
                 DELETE FROM tool_calls; DELETE FROM attempts;",
            )
            .unwrap();
    }
    from.sum_rows();
    let file = from.path("e.mcpmark");
    let file = file.to_str().unwrap();
    from.run(["store", "export", "e", "-o", file]).exits(0);
    let machine = Environment::new();
    machine.run(["store", "import", file]).exits(0);
    machine
}

/// Returns the code for `--accept-plan` that accepts the listed actions.
fn code(refused: &Output) -> String {
    let told = refused.stderr.split("--accept-plan ").nth(1);
    told.unwrap_or_else(|| panic!("{refused:?}"))[..12].to_owned()
}

#[test]
fn an_imported_plan_is_agreed_to_before_it_starts_or_sends_anything() {
    let mark = Environment::new();
    let mark = mark.path("started");
    let touch = format!("echo >> {}", mark.display());
    let mut transcript = String::new();
    for (plan, told) in [
        (
            json!({"participants": [{"agent": "nop"}, {"agent": "nop", "agent_settings": {"servers": {
                "x": {"command": ["/bin/sh", "-c", touch], "env": ["HOME_OF_MINE"]},
            }}}]}),
            vec![
                "start server \"x\": \"/bin/sh\" \"-c\" \"echo >> ",
                "with the values of HOME_OF_MINE",
            ],
        ),
        (
            json!({"participants": [{"agent": "nop"}, {"agent": "command", "agent_settings": {
                "command": {"command": ["/bin/sh", "-c", touch], "env": ["HOME_OF_MINE"]},
            }}]}),
            vec![
                "run the agent \"/bin/sh\" \"-c\" \"echo >> ",
                "with the values of HOME_OF_MINE",
            ],
        ),
        (
            json!({"participants": [{"agent": "nop", "agent_settings": {"servers": {
                "x": {"url": "http://127.0.0.1:9/mcp", "bearer": "TOKEN_OF_MINE"},
            }}}]}),
            vec![
                "contact server \"x\" at http://127.0.0.1:9/mcp",
                "with the values of TOKEN_OF_MINE",
            ],
        ),
        (
            json!({"participants": [{"agent": "mcpmark", "model": {
                "name": "openai/gpt-5", "settings": {"base-url": "http://127.0.0.1:9/v1"},
            }}]}),
            vec!["send requests to model openai/gpt-5 at http://127.0.0.1:9/v1\n"],
        ),
        (
            json!({"participants": [{"agent": "mcpmark", "model": {
                "name": "openai/gpt-5", "settings": {
                    "base-url": "http://127.0.0.1:9/v1", "api-key-env": "KEY_OF_MINE",
                    "headers": {"X-Team": "TEAM_OF_MINE"},
                },
            }}]}),
            vec![
                "send requests to model openai/gpt-5 at http://127.0.0.1:9/v1",
                "with the values of KEY_OF_MINE, TEAM_OF_MINE",
            ],
        ),
        (
            json!({"participants": [
                {"agent": "nop"},
                {"agent": "react", "model": {"name": "openai/gpt-5"}},
            ]}),
            vec![
                "send requests to model openai/gpt-5 at its provider's address",
                "with the values of OPENAI_API_KEY",
            ],
        ),
        (
            json!({"published": {"tasks": "oci://127.0.0.1:9/suite:v1"}}),
            vec!["read tasks from oci://127.0.0.1:9/suite:v1"],
        ),
    ] {
        let sender = Environment::new();
        let library = Library::new(&sender);
        library.easy_task("easy");
        let machine = imported(&library, &sender, &plan, false);
        let resume = |more: &[&str]| {
            let args = [&["resume", "e"], more].concat();
            let mut command = machine.command(args);
            command.env("MCPMARK_ROOT", &library.root);
            // Without its key, a model is not requested even if the plan is accepted.
            command.env_remove("OPENAI_API_KEY");
            Output::of(command.env("HOME_OF_MINE", "here"))
        };
        let refused = resume(&[]).exits(2);
        transcript += &refused.transcript();
        assert!(refused.stderr.contains("was imported"), "{refused:?}");
        let refused = resume(&["--accept-plan", "000000000000"]).exits(2);
        transcript += &refused.transcript();
        let code = code(&refused);
        assert!(!mark.exists());
        // The servers, programs and places of the plan do not exist, so the accepted plan fails early.
        let agreed = resume(&["--accept-plan", &code]);
        assert!(!agreed.stderr.contains("was imported"), "{agreed:?}");
        let starts = ["start", "run the agent"];
        let starts = starts.iter().any(|words| told[0].starts_with(words));
        assert_eq!(mark.exists(), starts, "{agreed:?}");
        let _ = std::fs::remove_file(&mark);
    }
    insta::assert_snapshot!(
        "an_imported_plan_is_agreed_to_before_it_starts_or_sends_anything",
        transcript
    );
}

#[test]
fn a_plan_of_others_is_never_taken_unnamed() {
    let sender = Environment::new();
    let library = Library::new(&sender);
    library.easy_task("easy");
    let place = "oci://127.0.0.1:9/suite:v1";
    let plan = json!({"published": {"tasks": place}});
    let machine = imported(&library, &sender, &plan, true);
    let run = |args: &[&str]| {
        let mut command = machine.command(args);
        Output::of(command.env("MCPMARK_ROOT", &library.root))
    };
    let mut transcript = String::new();
    for newest in [&["resume"][..], &["resume", "latest"]] {
        let refused = run(newest).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark resume
    error: no experiment was started here yet
    hint: `mcpmark run` starts one; to continue an imported experiment, name it

    $ mcpmark resume latest
    error: no experiment was started here yet
    hint: `mcpmark run` starts one; to continue an imported experiment, name it
    ");
    run(&["run", "--agent", "nop", "--experiment", "own"]).exits(0);
    let resumed = run(&["resume", "--json"]).exits(0).json();
    assert_eq!(resumed["experiment"], "own");

    // No command reads tasks from a place that only the plan names.
    let refused = run(&["regrade", "e"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "e" was imported, and this would read tasks from oci://127.0.0.1:[port]/suite:v1
    hint: `--bundle PLACE` uses your own bundle; `mcpmark resume e` shows the plan and how to accept it
    "#);
    let refused = run(&["resume", "e"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "e" was imported, and its plan would
      read tasks from oci://127.0.0.1:[port]/suite:v1
    hint: to accept the plan, run `mcpmark resume e --accept-plan [id]`; `--tasks PLACE` uses your own tasks
    "#);
    // `--tasks` also accepts the rest of the plan, because it contains nothing else that needs consent.
    let own = library.root.to_str().unwrap();
    run(&["resume", "e", "--tasks", own]).exits(0);
    run(&["regrade", "e"]).exits(0);
    run(&["resume", "e"]).exits(0);
    let resumed = run(&["resume", "--json"]).exits(0).json();
    assert_eq!(resumed["experiment"], "own");
}

#[test]
fn a_plan_of_others_is_not_gone_on_with_by_other_tasks() {
    let sender = Environment::new();
    let library = Library::new(&sender);
    library.easy_task("easy");
    let machine = imported(&library, &sender, &json!({}), true);
    let resume = || {
        let mut command = machine.command(["resume", "e"]);
        Output::of(command.env("MCPMARK_ROOT", &library.root))
    };
    let verifier = library.task_dir("easy").join("verifier.wasm");
    let before = std::fs::read(&verifier).unwrap();
    std::fs::write(&verifier, guests::verdict(true, "another")).unwrap();
    let refused = resume().exits(4);
    insta::assert_snapshot!(refused.message(), @r#"
    error: 1 of 1 tasks differ from those that experiment "e" was started with:
      filesystem/office/easy: expected sha256:[digest], found sha256:[digest]
    hint: name the location of the original tasks; `mcpmark run` starts another experiment with these
    "#);
    std::fs::write(&verifier, before).unwrap();
    resume().exits(0);
}
