//! `mcp serve`: sessions over standard input and output, and over HTTP.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::environment::{Environment, Output, text};
use crate::guests;
use crate::library::Library;

/// Timeout of the end of a session: far longer than it takes, and far shorter than a hundred long calls.
const PATIENCE: Duration = Duration::from_secs(60);

/// A minimal MCP client that exchanges lines of JSON.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
    hello: Value,
}

impl Client {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut client = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            last: 0,
            hello: Value::Null,
        };
        let hello = client.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "by hand", "version": "1"},
            }),
        );
        assert!(
            hello["result"]["capabilities"]["tools"].is_object(),
            "{hello}"
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client.hello = hello;
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.send(&message);
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).unwrap() > 0,
                "no answer to {message}"
            );
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == self.last {
                return answer;
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({"name": name, "arguments": arguments}));
        answer["result"].clone()
    }

    /// Calls a tool and returns the text of its result, which must be an error.
    #[track_caller]
    fn fails(&mut self, name: &str, arguments: &Value) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
        text(&result["content"][0]["text"])
    }

    fn end(self) -> Output {
        drop(self.input);
        let output = self.child.wait_with_output().unwrap();
        Output {
            code: output.status.code(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            ..Output::default()
        }
    }
}

#[test]
fn a_signal_ends_a_session_whose_client_does_not_read() {
    for signal in [Signal::INT, Signal::TERM] {
        let environment = Environment::new();
        let args = ["mcp", "serve", "--world", "filesystem/household"];
        let mut client = Client::start(&mut environment.command(args));
        let content = "0123456789abcde\n".repeat(1 << 18);
        client.call(
            "write_file",
            &json!({"path": "long.txt", "content": content}),
        );
        for id in 100..200 {
            let params = json!({"name": "read_text_file", "arguments": {"path": "long.txt"}});
            client.send(&json!({
                "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params,
            }));
        }
        // The first answer has begun: one call was made, and others wait.
        assert!(!client.output.fill_buf().unwrap().is_empty());
        kill_process(Pid::from_child(&client.child), signal).unwrap();
        // The client keeps its ends of the pipes open, so only the signal ends the session.
        let status = client.child.wait().unwrap();
        assert!(!status.success(), "{status}");
    }
}

#[test]
fn a_client_that_closes_its_input_ends_a_call_that_runs() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let search = library.long_search();
    let args = ["mcp", "serve", "--world", "filesystem/office"];
    let mut client = Client::start(&mut library.command(args));
    let params = json!({"name": "search_files", "arguments": search});
    for id in 100..200 {
        client.send(&json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params,
        }));
    }
    let Client {
        mut child,
        input,
        mut output,
        ..
    } = client;
    drop(input);
    let (ended, end) = channel();
    thread::spawn(move || ended.send(output.read_to_end(&mut Vec::new())));
    // The server closes its output when it ends.
    let closed = end.recv_timeout(PATIENCE);
    if closed.is_err() {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    assert!(closed.is_ok(), "it went on for {PATIENCE:?}");
    assert!(status.success(), "{status}");
}

#[test]
fn a_task_is_solved_by_hand_and_graded() {
    solve_by_hand("filesystem/village-festival/stall-balances", 14);
}

#[test]
fn a_task_on_a_repository_is_solved_by_hand_and_graded() {
    solve_by_hand("github/sluice/issue-triage", 53);
}

/// Makes the calls of the oracle through another client, and grades the exported state.
fn solve_by_hand(task: &str, count: usize) {
    let environment = Environment::new();
    let report = environment.run(["run", task, "--json"]).exits(0).json();
    let attempt = &report["attempts"][0];
    let shown = environment
        .run(["show", &text(&attempt["id"]), "--json"])
        .exits(0)
        .json();

    let out = environment.path("out");
    let args = [
        "mcp",
        "serve",
        "--task",
        task,
        "--export",
        out.to_str().unwrap(),
    ];
    let mut client = Client::start(&mut environment.command(args));
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), count);
    assert!(
        tools
            .iter()
            .all(|tool| tool["inputSchema"]["type"] == "object")
    );
    for call in shown["calls"].as_array().unwrap() {
        let result = client.call(&text(&call["name"]), &call["arguments"]);
        assert_eq!(result["content"], call["result"]["content"]);
    }
    client.end().exits(0).says(&[&text(&attempt["state"])]);

    let args = ["grade", task, "--state", out.to_str().unwrap(), "--json"];
    let graded = environment.run(args).exits(0).json();
    assert_eq!(graded["passed"], true);
    assert_eq!(graded["checks"], attempt["checks"]);
}

#[test]
fn the_client_of_a_task_is_told_what_to_do_and_graded_at_its_end() {
    let environment = Environment::new();
    let task = "filesystem/village-festival/stall-balances";
    let report = environment.run(["run", task, "--json"]).exits(0).json();
    let id = text(&report["attempts"][0]["id"]);
    let solved = environment.run(["show", &id, "--json"]).exits(0).json();
    let messages = solved["messages"].as_array().unwrap();
    let instruction = messages.iter().find(|message| message["role"] == "user");
    let instruction = text(&instruction.unwrap()["content"]["text"]);

    // Over HTTP, with `mcp connect` as the stdio client.
    let out = environment.path("out");
    let args = [
        "mcp",
        "serve",
        "--task",
        task,
        "--grade",
        "--experiment",
        "served",
    ];
    let more = ["--http", "127.0.0.1:0", "--export", out.to_str().unwrap()];
    let mut server = environment.command(args.iter().chain(&more));
    let mut server = server.stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = BufReader::new(server.stderr.take().unwrap());
    let mut note = String::new();
    while !note.contains("http://") {
        note.clear();
        assert!(notes.read_line(&mut note).unwrap() > 0);
    }
    let url = format!(
        "http://{}",
        note.trim_end().split("http://").nth(1).unwrap()
    );
    let mut client = Client::start(&mut environment.command(["mcp", "connect", &url]));
    assert_eq!(
        text(&client.hello["result"]["instructions"]).trim(),
        instruction.trim()
    );
    let prompts = client.ask("prompts/list", &json!({}));
    let name = text(&prompts["result"]["prompts"][0]["name"]);
    let prompt = client.ask("prompts/get", &json!({"name": name}));
    let said = text(&prompt["result"]["messages"][0]["content"]["text"]);
    assert_eq!(said.trim(), instruction.trim());
    assert!(client.ask("prompts/get", &json!({"name": "other"}))["error"].is_object());
    for call in solved["calls"].as_array().unwrap() {
        let result = client.call(&text(&call["name"]), &call["arguments"]);
        assert_eq!(result["content"], call["result"]["content"]);
    }
    client.end().exits(0);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let mut said = String::new();
    notes.read_to_string(&mut said).unwrap();
    assert!(said.contains("verdict: pass"), "{said}");
    let shown = environment
        .run(["show", "latest", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&shown["agent"], &shown["experiment"]),
        (&json!("client"), &json!("served"))
    );
    assert_eq!(shown["passed"], true);
    let calls = solved["calls"].as_array().unwrap();
    assert_eq!(shown["calls"].as_array().unwrap().len(), calls.len());
    let grade = ["grade", task, "--state", out.to_str().unwrap()];
    environment.run(grade).exits(0);
    // The external client cannot be started again from here, so neither a resume nor another agent is accepted.
    let mut transcript = String::new();
    for args in [
        &["resume", "served"][..],
        &["run", "--experiment", "served", "--agent", "nop"],
    ] {
        let refused = environment.run(args).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark resume served
    error: experiment "served" is a session of `mcpmark mcp serve`, whose client has disconnected
    hint: `mcpmark mcp serve --attempt` starts another session; `mcpmark report A B` compares experiments

    $ mcpmark run --experiment served --agent nop
    error: experiment "served" is a session of `mcpmark mcp serve`, whose client has disconnected
    hint: `mcpmark mcp serve --attempt` starts another session; `mcpmark report A B` compares experiments
    "#);
    let args = ["mcp", "serve", "--task", task, "--grade"];
    let again = environment.run(args.iter().chain(&["--experiment", "served"]));
    let refused = again.exits(2);
    insta::assert_snapshot!(refused.message(), @r#"error: experiment "served" already exists; continue it with `mcpmark resume served`"#);

    // Over stdio and without any call. A session without a task has no instructions.
    let args = ["mcp", "serve", "--task", task, "--grade"];
    let client = Client::start(&mut environment.command(args));
    let refused = client.end().exits(1);
    insta::assert_snapshot!(refused.message(), @r"
    final state sha256:[digest]
    attempt [id] of experiment [name]; see `mcpmark show [id]`
    verdict: fail
      columns of the balances: 04 Stalls/balances 2025.csv: there is no such file
      one line for each trader with a pitch: 04 Stalls/balances 2025.csv: there is no such file
      refs, sorted: 04 Stalls/balances 2025.csv: there is no such file
      … and 12 more checks failed
    ");
    let args = ["mcp", "serve", "--world", "filesystem/village-festival"];
    let mut client = Client::start(&mut environment.command(args));
    assert!(client.hello["result"].get("instructions").is_none());
    assert!(
        client.hello["result"]["capabilities"]
            .get("prompts")
            .is_none()
    );
    assert!(client.ask("prompts/list", &json!({}))["error"].is_object());
    client.end().exits(0);
}

#[test]
fn a_directory_is_a_world_of_the_service_that_is_named() {
    let environment = Environment::new();
    let serve = |place: &str, more: &[&str]| {
        let args = ["mcp", "serve", "--world", place];
        let mut client = Client::start(&mut environment.command(args.iter().chain(more)));
        let listed = client.ask("tools/list", &json!({}));
        let count = listed["result"]["tools"].as_array().unwrap().len();
        (count, client.end().exits(0))
    };
    let (world, again) = (environment.path("world"), environment.path("again"));
    let (count, output) = serve("github/sluice", &["--export", world.to_str().unwrap()]);
    assert_eq!(count, 53);
    let digest = output.stderr.split("final state ").nth(1).unwrap()[..71].to_owned();
    let place = world.to_str().unwrap();
    let (count, output) = serve(place, &["--service", "github"]);
    assert_eq!(count, 53);
    output.says(&[&digest]);

    // A directory that contains a clone is an ordinary directory, and all of its files are exported.
    fs::write(world.join("note.txt"), "mine").unwrap();
    let hooks = world.join("repo/.git/hooks");
    fs::create_dir(&hooks).unwrap();
    fs::write(hooks.join("pre-commit"), "#!/bin/sh\n").unwrap();
    let (count, _) = serve(place, &["--export", again.to_str().unwrap()]);
    assert_eq!(count, 14);
    for file in [
        "note.txt",
        "repo/.git/hooks/pre-commit",
        "repo/.git/packed-refs",
    ] {
        assert_eq!(
            fs::read(again.join(file)).unwrap(),
            fs::read(world.join(file)).unwrap()
        );
    }

    let refused = |place: &str, service: &str| {
        environment.run(["mcp", "serve", "--world", place, "--service", service])
    };
    // `supabase` is known only for published tasks, not for worlds.
    let mut transcript = String::new();
    for service in ["gitlab", "supabase"] {
        transcript += &refused(place, service).exits(2).transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark mcp serve --world [dir]/world --service gitlab
    error: --service: service "gitlab" is not supported
    hint: `mcpmark doctor` lists the services

    $ mcpmark mcp serve --world [dir]/world --service supabase
    error: --service: service "supabase" is not supported
    hint: `mcpmark doctor` lists the services
    "#);
    let output = refused("github/sluice", "filesystem").exits(2);
    insta::assert_snapshot!(output.message(), @"error: --service filesystem: github/sluice is a world of the service github");
    let empty = environment.directory("empty", &[("a.txt", "a")]);
    let output = refused(empty.to_str().unwrap(), "github").exits(4);
    insta::assert_snapshot!(output.message(), @"error: the github world is not valid: repo/ does not exist; a github world requires a repository in repo/.git");
}

#[test]
fn the_interface_of_a_service_is_served_beside_its_tools_on_this_machine_alone() {
    let environment = Environment::new();
    let args = ["mcp", "serve", "--world", "github/sluice", "--rest"];
    let serve = |more: &[&str]| environment.command(args.iter().chain(more));
    let mut client = Client::start(&mut serve(&["127.0.0.1:0"]));
    let mut notes = BufReader::new(client.child.stderr.take().unwrap());
    let mut note = String::new();
    while !note.contains("http://") {
        note.clear();
        assert!(notes.read_line(&mut note).unwrap() > 0);
    }
    let address = note.trim_end().split("http://").nth(1).unwrap().to_owned();
    let get = |path: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str::<Value>(body).unwrap()
    };
    let repository = get("/search/repositories?q=sluice");
    let full = text(&repository["items"][0]["full_name"]);
    let (owner, repo) = full.split_once('/').unwrap();
    let made = client.call(
        "create_branch",
        &json!({"owner": owner, "repo": repo, "branch": "over-there"}),
    );
    assert_ne!(made["isError"], true, "{made}");
    let branch = get(&format!("/api/v3/repos/{full}/branches/over-there"));
    assert_eq!(branch["name"], "over-there");
    client.end().exits(0);

    let mut transcript = String::new();
    for address in ["0.0.0.0:0", "[::]:0", "localhost"] {
        let refused = Output::of(&mut serve(&[address])).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark mcp serve --world github/sluice --rest 0.0.0.0:0
    error: --rest 0.0.0.0:0: the address is reachable from other machines
    hint: use a loopback address, such as 127.0.0.1:[port]

    $ mcpmark mcp serve --world github/sluice --rest [::]:0
    error: --rest [::]:0: the address is reachable from other machines
    hint: use a loopback address, such as 127.0.0.1:[port]

    $ mcpmark mcp serve --world github/sluice --rest localhost
    error: invalid value 'localhost' for '--rest <ADDRESS>': invalid socket address syntax

    For more information, try '--help'.
    ");
    let files = environment.directory("files", &[("a.txt", "a")]);
    let files = files.to_str().unwrap();
    let refused = environment
        .run(["mcp", "serve", "--world", files, "--rest", "127.0.0.1:0"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @"error: --rest: service filesystem has no REST interface");
}

/// The recorded workflow runs of a world agree with new runs by its guest.
#[test]
fn the_guest_of_a_world_agrees_with_its_history() {
    let environment = Environment::new();
    let mut client =
        Client::start(&mut environment.command(["mcp", "serve", "--world", "github/fallow"]));
    let mut ask = |tool: &str, mut arguments: Value| -> Value {
        arguments["owner"] = "northmoor".into();
        arguments["repo"] = "fallow".into();
        let result = client.call(tool, &arguments);
        assert_ne!(result["isError"], true, "{result}");
        serde_json::from_str(&text(&result["content"][0]["text"])).unwrap()
    };
    let list = json!({"workflow_id": "check.yml", "perPage": 100});
    let runs = ask("list_workflow_runs", list);
    let runs = runs["workflow_runs"].as_array().cloned().unwrap();
    let mut seen = (0, 0);
    // The newest runs, on main and on pull requests. A run whose machine was lost is skipped, because the loss is not
    // repeated.
    for run in runs.iter().take(24) {
        let jobs = json!({"run_id": run["id"], "filter": "latest"});
        let told = |jobs: &Value| -> Vec<(Value, Vec<(Value, Value)>)> {
            let jobs = jobs["jobs"]["jobs"].as_array().cloned().unwrap();
            let step = |step: &Value| (step["name"].clone(), step["conclusion"].clone());
            let job = |job: &Value| {
                let steps = job["steps"].as_array().unwrap();
                (job["conclusion"].clone(), steps.iter().map(step).collect())
            };
            jobs.iter().map(job).collect()
        };
        let before = ask("list_workflow_jobs", jobs.clone());
        let asked = json!({"run_id": run["id"], "failed_only": true, "return_content": true});
        let log = |logs: Value| -> Vec<String> {
            let logs = logs["logs"].as_array().cloned().unwrap_or_default();
            let texts: Vec<String> = logs.iter().map(|it| text(&it["logs_content"])).collect();
            let lines = texts.iter().flat_map(|it| it.lines());
            let untimed = lines.filter_map(|line| line.split_once(' '));
            untimed.map(|(_, line)| line.to_owned()).collect()
        };
        let printed = log(ask("get_job_logs", asked.clone()));
        if printed.iter().any(|line| line.contains("shutdown signal")) {
            continue;
        }
        ask("rerun_workflow_run", json!({"run_id": run["id"]}));
        assert_eq!(
            told(&ask("list_workflow_jobs", jobs)),
            told(&before),
            "{run}"
        );
        assert_eq!(log(ask("get_job_logs", asked)), printed, "{run}");
        match text(&run["conclusion"]).as_str() {
            "success" => seen.0 += 1,
            _ => seen.1 += 1,
        }
    }
    assert!(seen.0 > 3 && seen.1 > 3, "{seen:?}");
    client.end().exits(0);
}

#[test]
fn a_state_that_is_none_of_its_service_is_not_graded() {
    let environment = Environment::new();
    let world = environment.path("world");
    let place = world.to_str().unwrap();
    let args = [
        "mcp",
        "serve",
        "--world",
        "github/sluice",
        "--export",
        place,
    ];
    Client::start(&mut environment.command(args)).end().exits(0);
    let task = "github/sluice/issue-triage";
    let grade = || environment.run(["grade", task, "--state", place]);
    grade().exits(1);
    let pulls = world.join("pulls.json");
    let kept = fs::read_to_string(&pulls).unwrap();
    fs::write(&pulls, kept.replacen('[', "[[", 1)).unwrap();
    let refused = grade().exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/world: the github world is not valid: pulls.json:6304:0: EOF while parsing a list");
    fs::write(&pulls, kept).unwrap();
    let packs = world.join("repo/.git/objects/pack");
    for file in fs::read_dir(&packs).unwrap() {
        fs::write(file.unwrap().path(), "").unwrap();
    }
    let refused = grade().exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/world: the github world is not valid: repo/.git/objects/pack/pack-0cce6e3f47b7b827c573e02758ddaeb0f93f6548.pack: its checksum differs from its index: it is truncated, or the index belongs to another pack");
    fs::remove_file(world.join("repo/.git/HEAD")).unwrap();
    let refused = grade().exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/world: the github world is not valid: repo/.git/HEAD: does not exist; a world requires a repository in repo/.git");
}

#[test]
fn nothing_outside_the_world_is_reached() {
    let environment = Environment::new();
    let world = environment.directory("world", &[("note.txt", "as it is\n")]);
    let outside = environment.directory("outside", &[("secret.txt", "hidden words")]);
    let secret = outside.join("secret.txt");
    let mut client = Client::start(&mut environment.command([
        "mcp",
        "serve",
        "--world",
        world.to_str().unwrap(),
    ]));
    for path in [
        "/etc/passwd",
        "../outside/secret.txt",
        "/workspace/../etc/passwd",
        secret.to_str().unwrap(),
    ] {
        let message = client.fails("read_text_file", &json!({"path": path}));
        assert!(message.contains("Access denied"), "{path}: {message}");
        client.fails("write_file", &json!({"path": path, "content": "x"}));
        client.fails("list_directory", &json!({"path": path}));
        let arguments = json!({"source": "/workspace/note.txt", "destination": path});
        client.fails("move_file", &arguments);
    }
    // Malformed requests are answered, and the session goes on.
    client.fails("read_text_file", &json!({}));
    client.fails("read_text_file", &json!({"path": 7}));
    assert!(client.ask("tools/call", &json!({"name": 1}))["error"].is_object());
    assert!(client.ask("no/such/method", &json!({}))["error"].is_object());
    let note = client.call("read_text_file", &json!({"path": "/workspace/note.txt"}));
    assert_eq!(note["content"][0]["text"], "as it is\n");
    client.end().exits(0);
    assert_eq!(fs::read_to_string(secret).unwrap(), "hidden words");
    // The session works on a private copy: the directory itself is unchanged.
    assert_eq!(
        fs::read_to_string(world.join("note.txt")).unwrap(),
        "as it is\n"
    );
}

#[test]
fn a_world_does_not_grow_past_its_limit() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let meta = json!({"difficulty": "L1", "limits": {"world_bytes": 1000}});
    library.task_with("small", &guests::verdict(true, ""), &meta);
    let out = environment.path("out");
    let mut client = Client::start(&mut library.command([
        "mcp",
        "serve",
        "--task",
        "filesystem/office/small",
        "--export",
        out.to_str().unwrap(),
    ]));
    let write = |content: String| json!({"path": "/workspace/new.txt", "content": content});
    let message = client.fails("write_file", &write("x".repeat(2000)));
    assert!(message.contains("1000"), "{message}");
    let fits = client.call("write_file", &write("y".repeat(500)));
    assert_ne!(fits["isError"], true, "{fits}");
    client.fails("write_file", &write("z".repeat(990)));
    client.end().exits(0);
    assert_eq!(
        fs::read_to_string(out.join("new.txt")).unwrap(),
        "y".repeat(500)
    );
}

#[test]
fn a_task_gets_no_more_than_the_ceiling_of_the_host() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let meta = json!({"difficulty": "L1", "limits": {"world_bytes": 1_u64 << 62}});
    library.task_with("greedy", &guests::verdict(true, ""), &meta);
    let args = ["mcp", "serve", "--task", "filesystem/office/greedy"];
    let mut command = library.command(args);
    command.env("MCPMARK_LIMITS_CEILING", "world_bytes=1000");
    let mut client = Client::start(&mut command);
    let message = client.fails(
        "write_file",
        &json!({"path": "/workspace/new.txt", "content": "x".repeat(2000)}),
    );
    assert!(
        message.contains("ENOSPC") && message.contains("1000"),
        "{message}"
    );
    let output = client.end().exits(0);
    insta::assert_snapshot!(output.message(), @r"
    warning: limit `world_bytes` is lowered from 4611686018427387904 to 1000, the ceiling of this host (MCPMARK_LIMITS_CEILING)
    serving filesystem over stdio; close standard input to end
    final state sha256:[digest]
    ");
}

#[test]
fn lines_that_are_no_message_are_answered_over_standard_output() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let args = ["mcp", "serve", "--world", "filesystem/office"];
    let mut client = Client::start(&mut library.command(args));
    for (line, code, id) in [
        ("nonsense".to_owned(), -32700, Value::Null),
        (
            format!(r#"{{"id":"deep","params":{}"#, "[".repeat(200)),
            -32700,
            json!("deep"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":35,"method":"ping","params":[1]}"#.to_owned(),
            -32600,
            json!(35),
        ),
    ] {
        writeln!(client.input, "{line}").unwrap();
        let mut answer = String::new();
        client.output.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert_eq!(answer.get("id"), Some(&id), "{answer}");
    }
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    client.end().exits(0);
}

#[test]
fn a_world_is_served_as_of_the_version_that_is_named() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    for (name, profile) in [("later", "2026.8.31"), ("unknown", "1999.1.1")] {
        let meta = json!({"difficulty": "L1", "profile": profile});
        library.task_with(name, &guests::verdict(true, ""), &meta);
    }
    let serve = ["mcp", "serve", "--task", "filesystem/office/later"];
    let nested = json!({"path": "/workspace/new/nested"});
    let mut client = Client::start(&mut library.command(serve));
    let made = client.call("create_directory", &nested);
    assert_ne!(made["isError"], true, "{made}");
    client.end().exits(0);
    // The option of the command line overrides the key of the task.
    let earlier = serve.iter().chain(&["--profile", "2025.12.18"]);
    let mut client = Client::start(&mut library.command(earlier));
    client.fails("create_directory", &nested);
    client.end().exits(0);

    let refused = library
        .run(serve.iter().chain(&["--profile", "1999.1.1"]))
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"error: --profile: unknown profile "1999.1.1" of the filesystem service; expected one of 2025.12.18, 2026.8.31"#);
    let refused = library
        .run(["mcp", "serve", "--task", "filesystem/office/unknown"])
        .exits(4);
    insta::assert_snapshot!(refused.message(), @r#"error: key "profile" of the task: unknown profile "1999.1.1" of the filesystem service; expected one of 2025.12.18, 2026.8.31"#);
    let refused = library
        .run(["run", "filesystem/office/unknown", "--agent", "nop"])
        .exits(4);
    insta::assert_snapshot!(refused.message(), @r#"error: task filesystem/office/unknown: meta.json: key "profile": unknown profile "1999.1.1" of the filesystem service; expected one of 2025.12.18, 2026.8.31"#);
}

#[test]
fn an_export_overwrites_nothing() {
    let environment = Environment::new();
    let out = environment.directory("out", &[("mine.txt", "keep me")]);
    let file = environment.path("file");
    fs::write(&file, "keep me too").unwrap();
    let mut transcript = String::new();
    for place in [&out, &file] {
        let args = [
            "mcp",
            "serve",
            "--world",
            "filesystem/food-bank",
            "--export",
        ];
        let args = args.iter().copied().chain([place.to_str().unwrap()]);
        let refused = environment.run(args).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark mcp serve --world filesystem/food-bank --export [dir]/out
    error: --export [dir]/out is not empty
    hint: name a new or empty directory

    $ mcpmark mcp serve --world filesystem/food-bank --export [dir]/file
    error: --export [dir]/file is not a directory
    hint: name a new or empty directory
    ");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(out.join("mine.txt")).unwrap(), "keep me");
    assert_eq!(fs::read_to_string(file).unwrap(), "keep me too");
    assert!(!environment.home().exists());
}
