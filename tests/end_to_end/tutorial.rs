//! Runs every command of `docs/tutorial.md`, in order, in a new library, and compares the output with that in the
//! document.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::environment::{Environment, Output, repository};
use crate::library::Library;
use crate::scaffold::workspace;

/// A command with the output that the document shows.
#[derive(Debug, PartialEq)]
struct Step {
    command: String,
    shown: String,
}

/// Returns the commands of a document: the lines after `$ ` in fenced blocks named `console`.
fn steps(document: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_console = false;
    for line in document.lines() {
        if let Some(info) = line.strip_prefix("```") {
            is_console = info == "console";
        } else if is_console && let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: command.to_owned(),
                shown: String::new(),
            });
        } else if is_console {
            let step = steps.last_mut().expect("output follows on a command");
            step.shown += line;
            step.shown.push('\n');
        }
    }
    steps
}

/// Reports whether an output matches the shown one. In the shown output, `…` on its own line matches any lines, and
/// elsewhere any characters of a line. White space at the ends of lines is ignored.
fn fits(shown: &[&str], said: &[&str]) -> bool {
    match (shown, said) {
        ([], said) => said.is_empty(),
        (["…", rest @ ..], said) => (0..=said.len()).any(|skipped| fits(rest, &said[skipped..])),
        ([first, rest @ ..], [line, more @ ..]) => line_fits(first, line) && fits(rest, more),
        (_, []) => false,
    }
}

fn line_fits(shown: &str, line: &str) -> bool {
    let mut parts = shown.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.trim_end().strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

#[test]
fn the_comparison_can_fail() {
    let fits = |shown: &str, said: &str| fits(&lines(shown), &lines(said));
    assert!(fits("a\n…\nd …f\n", "a\nb\nc\nd e f\n"));
    assert!(fits("a\n…\n", "a\n"));
    assert!(fits("… b … d\n", "a b c d\n"));
    for (shown, said) in [
        ("a\n", ""),
        ("", "a\n"),
        ("a\n", "b\n"),
        ("a\n…\nd\n", "a\nb\n"),
        ("a …\n", "b c\n"),
        ("a … d\n", "a b c\n"),
        ("a\n", "a\nb\n"),
    ] {
        assert!(!fits(shown, said), "{shown:?} {said:?}");
    }
    let document = "```rust\n$ no\n```\n```console\n$ one\nsaid\n$ two\n```\n$ no\n";
    let step = |command: &str, shown: &str| Step {
        command: command.to_owned(),
        shown: shown.to_owned(),
    };
    assert_eq!(steps(document), [step("one", "said\n"), step("two", "")]);
}

/// Runs a command line in a shell, in `dir`, with `mcpmark` on the path.
fn shell(environment: &Environment, library: &Library<'_>, dir: &Path, line: &str) -> Output {
    let ours = environment.command::<&str>([]);
    let mut command = Command::new("sh");
    for (name, value) in ours.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let program = Path::new(ours.get_program());
    let mut path = vec![program.parent().unwrap().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    command
        .args(["-c", line])
        .current_dir(dir)
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("MCPMARK_ROOT", &library.root);
    Output::of(&mut command)
}

#[test]
fn every_command_of_the_tutorial_says_what_it_shows() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    workspace(&library);
    library.shipped_world("filesystem/village-festival");
    let document = fs::read_to_string(repository().join("docs/tutorial.md")).unwrap();
    let steps = steps(&document);
    assert!(steps.len() > 10, "{steps:?}");
    let (mut dir, mut before) = (library.root.clone(), library.root.clone());
    for Step { command, shown } in steps {
        // Each command has a new shell, so changes of directory are tracked here.
        if let Some(to) = command.strip_prefix("cd ") {
            let to = match to {
                "-" => before.clone(),
                to => dir.join(to),
            };
            assert!(to.is_dir(), "{command}");
            before = std::mem::replace(&mut dir, to);
            continue;
        }
        let output = shell(&environment, &library, &dir, &command).exits(0);
        assert!(
            fits(&lines(&shown), &lines(&output.stdout)),
            "$ {command}\nshown:\n{shown}\nsaid:\n{}",
            output.stdout
        );
    }
    // The result of the tutorial.
    let dir = library
        .root
        .join("tasks/filesystem/village-festival/count-papers");
    assert!(dir.join("certificate.json").is_file());
}
