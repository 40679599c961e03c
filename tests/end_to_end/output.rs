//! Output for people: help, completions and `doctor`.

use std::fs;
use std::process::Command;

use crate::environment::{Environment, Output, repository, text};
use crate::library::Library;

/// Appends the help of a command and of all its subcommands, as the help itself lists them.
fn help_of(environment: &Environment, words: &[String], help: &mut String) {
    let mut command = environment.command(words.iter().map(String::as_str).chain(["--help"]));
    // Help shows the values of environment variables, which depend on the machine.
    for name in ["MCPMARK_ROOT", "MCPMARK_HOME", "MCPMARK_NO_INSTALL"] {
        command.env_remove(name);
    }
    let output = Output::of(&mut command).exits(0).stdout;
    let words_before: String = words.iter().map(|word| format!(" {word}")).collect();
    help.push_str(&format!("$ mcpmark{words_before} --help\n{output}\n"));
    for name in below(&output) {
        let words: Vec<String> = words.iter().cloned().chain([name]).collect();
        help_of(environment, &words, help);
    }
}

/// Returns the commands that a help page lists.
fn below(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines
        .take_while(|line| !line.is_empty())
        // Continuation lines are indented more.
        .filter_map(|line| line.strip_prefix("  ").filter(|it| !it.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn help_names_every_command_and_option() {
    let environment = Environment::new();
    let mut help = String::new();
    help_of(&environment, &[], &mut help);
    insta::assert_snapshot!(help);
}

#[test]
fn completions_know_the_commands() {
    let environment = Environment::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = environment.run(["completions", shell]).exits(0).stdout;
        for word in ["resume", "verifier", "world"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    environment.run(["completions", "tcl"]).exits(2);
}

#[test]
fn a_shell_completes_tasks_experiments_and_attempts() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let run = ["run", "--agent", "nop", "--experiment", "evening", "--json"];
    let report = library.run(run).exits(0).json();
    let attempt = text(&report["attempts"][0]["id"]);
    let script = library.run(["completions", "bash"]).exits(0).stdout;
    fs::write(environment.path("completions.bash"), script).unwrap();
    let completed = |words: &[&str]| {
        let last = words.len() - 1;
        let command = format!(
            "shopt -s progcomp; source completions.bash; COMP_WORDS=({}); COMP_CWORD={last};
             _mcpmark_names mcpmark \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\";
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.iter().map(|word| format!("'{word}' ")).collect::<String>()
        );
        // Bash gets the environment of other commands, and finds the binary on its path.
        let like = library.command(["version"]);
        let program = std::path::Path::new(like.get_program()).parent().unwrap();
        let mut bash = Command::new("bash");
        bash.args(["-c", &command])
            .current_dir(environment.path(""));
        for (name, value) in like.get_envs() {
            if let Some(value) = value {
                bash.env(name, value);
            }
        }
        let path = std::env::var("PATH").unwrap();
        bash.env("PATH", format!("{}:{path}", program.display()));
        let output = bash.output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        told.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(completed(&["mcpmark", "resume", ""]), ["evening", "latest"]);
    assert_eq!(
        completed(&["mcpmark", "run", "--experiment", "e"]),
        ["evening"]
    );
    assert_eq!(
        completed(&["mcpmark", "show", &attempt[..3]]),
        [attempt.as_str()]
    );
    let tasks = ["filesystem", "filesystem/office", "filesystem/office/easy"];
    assert_eq!(completed(&["mcpmark", "run", "files"]), tasks);
    assert!(completed(&["mcpmark", "run", "--age"]).contains(&"--agent".to_owned()));
}

#[test]
fn without_a_command_there_is_help_whatever_the_environment_says() {
    let environment = Environment::new();
    let mut transcript = String::new();
    for args in [
        &[][..],
        &["store"],
        // Usage lines omit options that the environment sets.
        &["export", "e"],
        &["regrade"],
        &["compare", "a"],
    ] {
        transcript += &environment.run(args).exits(2).transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark
    Evaluate LLM agents that work through MCP servers, and grade them in a sandbox

    Usage: mcpmark [OPTIONS] <COMMAND>

    Commands:
      run          Run tasks with agents and grade the results
      resume       Continue an experiment that was stopped
      grade        Grade a state with the verifier of a task, or with any verifier
      inspect      Show the imports, exports and limits of a guest component without running it
      task         Create, build, certify and list tasks
      world        List, show, compare and import worlds
      mcp          Serve a world to MCP clients
      runs         List experiments, or the attempts of one experiment
      show         Show an attempt: its trajectory, changes to the world, and checks
      report       Report on experiments: rates with intervals, costs, and classes of failures
      compare      Compare two models, paired task by task
      export       Export the attempts of an experiment in other formats
      regrade      Grade final states again with the current verifiers of their tasks
      receipt      Print and verify receipts of grades
      store        Maintain the store and the journal
      bundle       Pack, inspect, sign, lock and transfer bundles of tasks
      service      Install the programs that a service needs
      doctor       Check installed programs, services, settings and file locations
      completions  Print a completion script for a shell
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Global options:
          --root <PLACE>      Directory with `tasks/` and `worlds/`, bundle or lock file [default:
                              ./mcpmark.lock if it exists, otherwise the nearest directory upwards with
                              `tasks/` and `worlds/`, or the tasks of the release]
          --home <DIR>        Directory of the journal and the store [default: $XDG_DATA_HOME/mcpmark]
          --held-back <FILE>  Verifier that a bundle holds back, or a bundle with such verifiers; may be
                              repeated
          --no-install        Do not install programs with rustup, apt-get, pip or npm

    Examples:
      # run attempts and grade them
      mcpmark run filesystem/food-bank --model openai/gpt-5
      # report on the latest experiment
      mcpmark report
      # explain the latest failed attempt
      mcpmark show --failed --explain

    Exit codes:
      0    success, and all graded attempts passed
      1    some attempts failed, or a comparison found differences
      2    wrong usage
      3    not graded: a verifier broke or is held back
      4    invalid task, world, component or bundle
      5    infrastructure error, such as a full disk or an unreachable server
      6    the experiment reached its limit of cost, tokens or time
      130  interrupted; `mcpmark resume` continues the experiment

    $ mcpmark store
    Maintain the store and the journal

    Usage: mcpmark store [OPTIONS] <COMMAND>

    Commands:
      stats   Show the space that experiments and the store use
      remove  Remove experiments from the journal; `store gc` then deletes data that no other experiment
              uses
      gc      Remove data and unpacked bundles that no experiment needs, and shrink the journal
      check   Check all blobs and all rows of the journal for damage, and find missing blobs
      export  Export an experiment with its states to a file, for another machine
      import  Import an experiment that another machine exported
      help    Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help

    Global options:
          --root <PLACE>      Directory with `tasks/` and `worlds/`, bundle or lock file [default:
                              ./mcpmark.lock if it exists, otherwise the nearest directory upwards with
                              `tasks/` and `worlds/`, or the tasks of the release]
          --home <DIR>        Directory of the journal and the store [default: $XDG_DATA_HOME/mcpmark]
          --held-back <FILE>  Verifier that a bundle holds back, or a bundle with such verifiers; may be
                              repeated
          --no-install        Do not install programs with rustup, apt-get, pip or npm

    $ mcpmark export e
    error: the following required arguments were not provided:
      --format <FORMAT>
      --output <PATH>

    Usage: mcpmark export --format <FORMAT> --output <PATH> <EXPERIMENT>

    For more information, try '--help'.

    $ mcpmark regrade
    error: the following required arguments were not provided:
      <EXPERIMENT|ATTEMPT>...

    Usage: mcpmark regrade <EXPERIMENT|ATTEMPT>...

    For more information, try '--help'.

    $ mcpmark compare a
    error: the following required arguments were not provided:
      <B>

    Usage: mcpmark compare <A> <B>

    For more information, try '--help'.
    ");
}

#[test]
fn the_doctor_finds_this_repository_well() {
    let environment = Environment::new();
    let findings = environment.run(["doctor", "--json"]).exits(0).json();
    let findings = findings.as_array().unwrap();
    let state = |what: &str| {
        let found = findings.iter().find(|finding| finding["what"] == what);
        found.unwrap_or_else(|| panic!("nothing on {what}"))["state"].clone()
    };
    for what in [
        "sandbox",
        "tasks and worlds",
        "journal",
        "store",
        "service filesystem",
    ] {
        assert_eq!(state(what), "ok", "{what}");
    }
    // The method of copying worlds can be chosen, and is reported.
    let copies = |method: &str| {
        let mut command = environment.command(["doctor"]);
        Output::of(command.env("MCPMARK_WORLD_COPIES", method))
    };
    let copied = copies("copy").exits(0).stdout;
    let words: Vec<_> = copied.split_whitespace().collect();
    let words = words.join(" ");
    assert!(words.contains("private copies of worlds copied file by file in "));
    let refused = copies("overlap").exits(2);
    insta::assert_snapshot!(refused.message(), @r#"error: MCPMARK_WORLD_COPIES: invalid copy method "overlap": expected auto, overlay or copy"#);

    let library = Library::new(&environment);
    library.easy_task("easy");
    fs::write(library.task_dir("easy").join("meta.json"), "[]").unwrap();
    let output = library.run(["doctor"]).exits(5).text();
    let tasks = output.lines().find(|line| line.contains("easy/meta.json"));
    insta::assert_snapshot!(tasks.unwrap_or(&output), @"✗ tasks and worlds              0 tasks and 1 world in [dir]/library; tasks/filesystem/office/easy/meta.json: line 1, column 1: expected an object, found an array");
}

#[test]
fn the_doctor_shows_the_limits_that_count_and_what_is_missing() {
    let environment = Environment::new();
    let doctor = |variables: &[(&str, &str)]| {
        let mut command = environment.command(["doctor", "--json"]);
        command.envs(variables.iter().copied());
        Output::of(&mut command)
    };
    let finding = |report: &serde_json::Value, what: &str| {
        let findings = report.as_array().unwrap().iter();
        let mut named = findings.filter(|finding| finding["what"] == what);
        let found = named.next().unwrap_or_else(|| panic!("nothing on {what}"));
        let word = |key: &str| found[key].as_str().unwrap().to_owned();
        (word("state"), word("detail"))
    };
    let said = |state: &str, detail: &str| (state.to_owned(), detail.to_owned());

    let report = doctor(&[("MCPMARK_CACHE_BYTES", "")]).exits(0).json();
    let ceiling = "MCPMARK_LIMITS_CEILING";
    for (what, detail) in [
        ("MCPMARK_CACHE_BYTES", "2.0 GiB (default)"),
        ("MCPMARK_MAX_COMPONENT_BYTES", "16.0 MiB (default)"),
        ("MCPMARK_COMPILE_CPU_SECONDS", "60 s (default)"),
        ("MCPMARK_COMPILE_WALL_SECONDS", "120 s (default)"),
        ("MCPMARK_COMPILE_MEMORY_BYTES", "2.0 GiB (default)"),
        ("MCPMARK_COMPILE_CODE_BYTES", "512.0 MiB (default)"),
    ] {
        assert_eq!(finding(&report, what), said("ok", detail), "{what}");
    }
    let (state, detail) = finding(&report, ceiling);
    assert_eq!(state, "ok");
    assert!(
        detail.starts_with("fuel=500000000000, memory_bytes="),
        "{detail}"
    );
    assert!(detail.ends_with(" (default)"), "{detail}");
    assert!(
        finding(&report, "service filesystem")
            .1
            .starts_with("available")
    );
    // A C compiler exists, because the program under test was compiled here.
    assert_eq!(finding(&report, "C compiler").0, "ok");

    let set = [
        ("MCPMARK_CACHE_BYTES", "1048576"),
        (ceiling, "fuel=5,checks=7,result_bytes=9"),
        ("MCPMARK_MEMORY_BYTES", "1073741824"),
    ];
    let report = doctor(&set).exits(0).json();
    assert_eq!(finding(&report, set[0].0), said("ok", "1.0 MiB (set)"));
    assert_eq!(finding(&report, set[2].0), said("ok", "1.0 GiB (set)"));
    let (_, detail) = finding(&report, ceiling);
    assert!(detail.starts_with("fuel=5, "), "{detail}");
    let worlds = ", checks=7, world_bytes=4294967296, world_files=1000000, result_bytes=9 (set)";
    assert!(detail.ends_with(worlds), "{detail}");

    let broken = [("MCPMARK_CACHE_BYTES", "2 GB"), (ceiling, "fuel=lots")];
    let report = doctor(&broken).exits(5).json();
    let (state, detail) = finding(&report, broken[0].0);
    assert_eq!(state, "broken");
    insta::assert_snapshot!(detail, @r#"MCPMARK_CACHE_BYTES: expected a whole number of bytes above 0, found "2 GB"; the default is 2147483648; unset the variable, or set it to another number"#);
    let (state, detail) = finding(&report, ceiling);
    assert_eq!(state, "broken");
    insta::assert_snapshot!(detail, @r#"MCPMARK_LIMITS_CEILING: limit `fuel`: expected an integer above 0, found "lots"; write limits as in fuel=5000000000,memory_bytes=134217728,world_bytes=1073741824"#);
    // A ceiling above the maximum is refused with the name of the limit, and not lowered silently.
    let past = [(ceiling, "memory_bytes=8589934592")];
    let (state, detail) = finding(&doctor(&past).exits(5).json(), ceiling);
    assert_eq!(state, "broken");
    insta::assert_snapshot!(detail, @"MCPMARK_LIMITS_CEILING: limit `memory_bytes`: 8589934592 exceeds 1073741824, the maximum on every host (fixed); write limits as in fuel=5000000000,memory_bytes=134217728,world_bytes=1073741824");

    // Without any program on the path, absences are reported and nothing is installed.
    let report = doctor(&[("PATH", "/nowhere")]).exits(0).json();
    for (what, words) in [
        ("rust", "cargo is not on the PATH"),
        ("C compiler", "cc is not on the PATH"),
        ("node and npm", "`cargo test` skips"),
        (
            "guest compiler",
            "--no-install forbids the installation; run `rustup target add",
        ),
    ] {
        let (state, detail) = finding(&report, what);
        assert_eq!(state, "absent", "{what}");
        assert!(detail.contains(words), "{what}: {detail}");
    }
}

#[test]
fn a_variable_that_is_empty_counts_as_unset() {
    let environment = Environment::new();
    let mut command = environment.command(["runs", "--json"]);
    for name in [
        "MCPMARK_HOME",
        "MCPMARK_ROOT",
        "MCPMARK_NO_INSTALL",
        "MCPMARK_GUEST_TOOLCHAIN",
        "MCPMARK_LIMITS_CEILING",
        "MCPMARK_CACHE_BYTES",
    ] {
        command.env(name, "");
    }
    let runs = Output::of(&mut command).exits(0);
    assert_eq!(runs.json(), serde_json::json!([]));
    assert!(environment.path("data/mcpmark/journal.db").is_file());
    assert!(!environment.home().exists());
    // An empty variable counts as unset: the library is found in a parent directory.
    let mut command = environment.command(["task", "list"]);
    command
        .env("MCPMARK_ROOT", "")
        .current_dir(repository().join("tests"));
    let listed = Output::of(&mut command).exits(0);
    assert!(
        listed.stdout.contains("filesystem/food-bank/"),
        "{}",
        listed.stdout
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let environment = Environment::new();
    let mut command = environment.command(["world", "show", "filesystem/food-bank", "--json"]);
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
