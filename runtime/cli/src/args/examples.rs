//! Examples at the end of each help page.

use clap::Command;

/// Examples of each command, keyed by the command's full name. A line that begins with `#` is a comment on the next one.
/// A test parses all other lines.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "run",
        "  mcpmark run filesystem/food-bank --model openai/gpt-5 -k 4
  mcpmark run github --model llamacpp/qwen3 --base-url http://127.0.0.1:8080/v1
  mcpmark run --agent nop --agent random --experiment baselines
  mcpmark run --tasks suite.tar --model openai/gpt-5 --limit-cost 5",
    ),
    (
        "resume",
        "  mcpmark resume
  mcpmark resume baselines --limit-cost 10",
    ),
    (
        "grade",
        "  mcpmark grade filesystem/village-festival/stall-balances --state out
  mcpmark grade --verifier verifier.wasm --state out --start before
  mcpmark grade --batch requests.jsonl",
    ),
    ("inspect", "  mcpmark inspect verifier.wasm"),
    (
        "service install",
        "  mcpmark service install postgres
  mcpmark service install playwright --dry-run",
    ),
    (
        "task new",
        "  mcpmark task new filesystem/village-festival/count-papers",
    ),
    (
        "task build",
        "  mcpmark task build
  mcpmark task build github/quay",
    ),
    (
        "task check",
        "  mcpmark task check filesystem/village-festival/stall-balances
  mcpmark task check --write filesystem/village-festival",
    ),
    (
        "task list",
        "  mcpmark task list
  mcpmark task list github --tier L3",
    ),
    (
        "task show",
        "  mcpmark task show filesystem/village-festival/stall-balances",
    ),
    (
        "task try start",
        "  mcpmark task try start filesystem/village-festival/stall-balances
  mcpmark task try start github/sluice/issue-triage --no-time-limit",
    ),
    (
        "task try tools",
        "  mcpmark task try tools
  mcpmark task try tools read_text_file",
    ),
    (
        "task try call",
        r#"  mcpmark task try call list_directory '{"path":"."}'
  mcpmark task try call write_file -"#,
    ),
    (
        "task try finish",
        "  mcpmark task try finish
  mcpmark task try finish - --json",
    ),
    ("task try abandon", "  mcpmark task try abandon"),
    ("task try status", "  mcpmark task try status"),
    ("world list", "  mcpmark world list"),
    ("world show", "  mcpmark world show filesystem/food-bank"),
    (
        "world diff",
        "  mcpmark world diff filesystem/village-festival out
  mcpmark world diff before after --exit-code",
    ),
    (
        "world import",
        "  mcpmark world import template -o worlds/github/mine",
    ),
    ("world schema", "  mcpmark world schema issues.json"),
    (
        "mcp serve",
        "  mcpmark mcp serve --task filesystem/village-festival/stall-balances --grade
  mcpmark mcp serve --task github/sluice/issue-triage --http 127.0.0.1:8080
  mcpmark mcp serve --task github/sluice/issue-triage --attempt
  mcpmark mcp serve --world github/quay",
    ),
    (
        "mcp connect",
        "  mcpmark mcp connect http://127.0.0.1:8080/mcp",
    ),
    (
        "runs",
        "  mcpmark runs
  mcpmark runs --since 7d
  mcpmark runs latest --failed
  mcpmark runs nightly --class abandoned -n 5
  mcpmark runs nightly --model gpt --task 'filesystem/*' --sort cost",
    ),
    (
        "show",
        "  mcpmark show latest
  mcpmark show --failed --explain
  mcpmark show 6ed3b0d5a5d0 --export out",
    ),
    (
        "report",
        "  mcpmark report
  mcpmark report baselines sonnet -o report.html
  mcpmark report sonnet --format csv",
    ),
    (
        "compare",
        "  mcpmark compare baselines:nop sonnet:anthropic/claude-sonnet-4-5",
    ),
    (
        "export",
        "  mcpmark export sonnet --format sft -o train.jsonl
  mcpmark export sonnet --format jsonl -o tables",
    ),
    (
        "regrade",
        "  mcpmark regrade sonnet
  mcpmark regrade 6ed3b0d5a5d0 --json",
    ),
    (
        "receipt show",
        "  mcpmark receipt show 6ed3b0d5a5d0 -o receipt.json",
    ),
    ("receipt verify", "  mcpmark receipt verify receipt.json"),
    ("store stats", "  mcpmark store stats"),
    ("store remove", "  mcpmark store remove baselines --dry-run"),
    ("store gc", "  mcpmark store gc --dry-run"),
    (
        "store check",
        "  mcpmark store check
  mcpmark store check --repair suite.tar",
    ),
    (
        "store export",
        "  mcpmark store export sonnet -o sonnet.experiment",
    ),
    ("store import", "  mcpmark store import sonnet.experiment"),
    (
        "bundle pack",
        "  mcpmark bundle pack filesystem/food-bank -o suite.tar",
    ),
    ("bundle inspect", "  mcpmark bundle inspect suite.tar"),
    ("bundle verify", "  mcpmark bundle verify suite.tar"),
    (
        "bundle sign",
        "  mcpmark bundle sign suite.tar --key key.pem",
    ),
    ("bundle keygen", "  mcpmark bundle keygen -o key.pem"),
    (
        "bundle lock",
        "  mcpmark bundle lock oci://ghcr.io/example/suite:1.0",
    ),
    ("bundle update", "  mcpmark bundle update"),
    ("bundle diff", "  mcpmark bundle diff old.tar new.tar"),
    (
        "bundle push",
        "  mcpmark bundle push suite.tar oci://ghcr.io/example/suite:1.0",
    ),
    (
        "bundle pull",
        "  mcpmark bundle pull oci://ghcr.io/example/suite:1.0",
    ),
    ("doctor", "  mcpmark doctor"),
    (
        "completions",
        "  mcpmark completions bash > ~/.local/share/bash-completion/completions/mcpmark",
    ),
];

/// Appends the examples to the help pages of all subcommands.
pub(super) fn with_examples(command: Command) -> Command {
    command.mut_subcommands(|command| below(command, ""))
}

fn below(command: Command, parent: &str) -> Command {
    let name = match parent {
        "" => command.get_name().to_owned(),
        parent => format!("{parent} {}", command.get_name()),
    };
    let found = EXAMPLES.iter().find(|(of, _)| *of == name);
    let command = match found {
        Some((_, examples)) => {
            let more = command.get_after_help().map(|more| format!("\n\n{more}"));
            let more = more.unwrap_or_default();
            command.after_help(format!("Examples:\n{examples}{more}"))
        }
        None => command,
    };
    command.mut_subcommands(|command| below(command, &name))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::{AFTER, Cli};

    fn pages(command: &Command, parent: &str, all: &mut Vec<String>) {
        for command in command.get_subcommands().filter(|it| !it.is_hide_set()) {
            let name = format!("{parent} {}", command.get_name());
            let name = name.trim();
            if command.has_subcommands() {
                pages(command, name, all)
            } else {
                all.push(name.to_owned())
            }
        }
    }

    #[test]
    fn each_page_has_examples_and_each_example_is_a_command() {
        let mut all = Vec::new();
        pages(&Cli::command(), "", &mut all);
        let lacking: Vec<_> = all
            .iter()
            .filter(|page| EXAMPLES.iter().all(|(name, _)| name != page))
            .collect();
        assert!(lacking.is_empty(), "no examples: {lacking:?}");
        for (name, examples) in EXAMPLES {
            assert!(all.iter().any(|page| page == name), "{name} is no command");
            for line in commands(examples) {
                let words: Vec<_> = line.split_whitespace().collect();
                assert!(words[1..].join(" ").starts_with(name), "{line}");
                parses(line);
            }
        }
    }

    #[test]
    fn the_examples_of_the_first_page_are_commands() {
        let (_, examples) = AFTER.split_once("Examples:\n").unwrap();
        let (examples, _) = examples.split_once("\n\n").unwrap();
        let lines: Vec<_> = commands(examples).collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
        lines.into_iter().for_each(parses);
    }

    /// Returns the commands of examples: the lines that are not comments, without redirections of the output.
    fn commands(examples: &str) -> impl Iterator<Item = &str> {
        let lines = examples.lines().map(str::trim);
        lines
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split(" > ").next())
    }

    fn parses(line: &str) {
        let parsed = Cli::command().try_get_matches_from(line.split_whitespace());
        parsed.unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}
