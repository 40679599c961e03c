//! Shell completions: scripts for shells, and the names of tasks, worlds, experiments and attempts that they query.

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use mcpmark_metadata::ExitCode;

use crate::args::Cli;
use crate::commands::runs::LATEST;
use crate::context::Context;
use crate::error::CommandError;
use crate::output;

/// Maximum number of experiments whose names are offered, and of experiments whose attempts are offered.
const EXPERIMENTS: usize = 50;
const OF_ATTEMPTS: usize = 5;

/// Prints the completion script of a shell. The scripts for bash, fish and zsh also query this program for names.
pub(crate) fn script(shell: Shell) -> Result<ExitCode, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "mcpmark", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => {
            script = script.replace("complete -F _mcpmark ", "complete -F _mcpmark_names ");
            script.push_str(BASH);
        }
        Shell::Fish => script.push_str(FISH),
        Shell::Zsh => {
            let end = script.rfind("\nif [").unwrap_or(script.len());
            script.insert_str(end, ZSH);
        }
        _ => {}
    }
    output::print(&script)?;
    Ok(ExitCode::Passed)
}

const BASH: &str = r#"
_mcpmark_names() {
    _mcpmark "$@"
    local names IFS=$'\n'
    names=$(mcpmark complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ -n $names ]]; then
        COMPREPLY=($names)
    fi
}
"#;

const FISH: &str = r#"
complete -c mcpmark -a "(mcpmark complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)"
"#;

const ZSH: &str = r#"
functions[_mcpmark_static]=$functions[_mcpmark]
_mcpmark() {
    local -a names
    names=(${(f)"$(mcpmark complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    (( $#names )) && compadd -- $names
    _mcpmark_static "$@"
}
"#;

/// Kind of name that completes a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Tasks,
    Worlds,
    /// Names of experiments, without `latest`.
    Experiments,
    /// Names of experiments, or `latest`.
    AnyExperiment,
    /// Ids of attempts, or `latest`.
    Attempts,
    /// Names of experiments and ids of attempts.
    Results,
}

/// Kinds of names of positional arguments, by command.
const ARGUMENTS: &[(&str, Names)] = &[
    ("run", Names::Tasks),
    ("resume", Names::AnyExperiment),
    ("grade", Names::Tasks),
    ("task build", Names::Tasks),
    ("task check", Names::Tasks),
    ("task list", Names::Tasks),
    ("task show", Names::Tasks),
    ("task try start", Names::Tasks),
    ("world show", Names::Worlds),
    ("world diff", Names::Worlds),
    ("runs", Names::AnyExperiment),
    ("show", Names::Attempts),
    ("report", Names::AnyExperiment),
    ("compare", Names::AnyExperiment),
    ("export", Names::AnyExperiment),
    ("regrade", Names::Results),
    ("receipt show", Names::Attempts),
    ("store remove", Names::Experiments),
    ("store export", Names::AnyExperiment),
    ("bundle pack", Names::Tasks),
];

/// Kinds of names of option values, for all commands.
const OPTIONS: &[(&str, Names)] = &[
    ("--experiment", Names::Experiments),
    ("--from", Names::Attempts),
    ("--task", Names::Tasks),
    ("--world", Names::Worlds),
];

/// Prints the completions of the last word, one name per line. Errors result in an empty list.
pub(crate) fn names(context: &Context, words: &[String]) -> Result<ExitCode, CommandError> {
    if let Some((last, before)) = words.split_last()
        && let Some(kind) = asked_for(&Cli::command(), before, last)
    {
        let mut text = String::new();
        for name in all(context, kind) {
            if name.starts_with(last.as_str()) {
                text.push_str(&name);
                text.push('\n');
            }
        }
        output::print(&text)?;
    }
    Ok(ExitCode::Passed)
}

/// Returns the kind of name expected for a word after the words `before`.
fn asked_for(root: &Command, before: &[String], word: &str) -> Option<Names> {
    if word.starts_with('-') {
        return None;
    }
    let mut command = root.clone();
    // Propagates global options to the subcommands, so that their values are recognised after the command as well.
    command.build();
    let mut path = Vec::new();
    let mut option = None;
    for word in before {
        if option.take().is_some() {
            continue;
        }
        if word.starts_with('-') {
            option = takes_value(&command, word).then(|| word.clone());
        } else if let Some(next) = command.find_subcommand(word) {
            path.push(next.get_name().to_owned());
            command = next.clone();
        }
    }
    let known = |names: &[(&str, Names)], name: &str| {
        let found = names.iter().find(|(known, _)| *known == name);
        found.map(|(_, names)| *names)
    };
    match option {
        Some(option) => known(OPTIONS, &option),
        None => known(ARGUMENTS, &path.join(" ")),
    }
}

/// Returns true if an option takes the following word as its value.
fn takes_value(command: &Command, option: &str) -> bool {
    let named = command.get_arguments().find(|arg| {
        let is_long = option
            .strip_prefix("--")
            .is_some_and(|name| arg.get_long() == Some(name));
        is_long || arg.get_short().is_some_and(|it| option == format!("-{it}"))
    });
    named.is_some_and(|arg| arg.get_action().takes_values())
}

fn all(context: &Context, kind: Names) -> Vec<String> {
    match kind {
        Names::Tasks => tasks(context),
        Names::Worlds => {
            let ids = context.library().ok().and_then(|it| it.world_ids().ok());
            let ids = ids.unwrap_or_default();
            ids.iter().map(ToString::to_string).collect()
        }
        Names::Experiments => experiments(context, EXPERIMENTS),
        Names::AnyExperiment => or_latest(experiments(context, EXPERIMENTS)),
        Names::Attempts => or_latest(attempts(context)),
        Names::Results => {
            let mut names = or_latest(experiments(context, EXPERIMENTS));
            names.extend(attempts(context));
            names
        }
    }
}

/// Returns the ids of tasks, and the selectors of their services and worlds.
fn tasks(context: &Context) -> Vec<String> {
    let tasks = context.library().ok().and_then(|it| it.tasks().ok());
    let mut names: Vec<String> = Vec::new();
    for task in tasks.iter().flat_map(|tasks| &tasks.tasks) {
        let id = task.id.to_string();
        names.extend(id.match_indices('/').map(|(at, _)| id[..at].to_owned()));
        names.push(id);
    }
    names.sort();
    names.dedup();
    names
}

fn experiments(context: &Context, most: usize) -> Vec<String> {
    let newest = context.journal().ok();
    let newest = newest.and_then(|journal| journal.experiments(most).ok());
    let newest = newest.unwrap_or_default();
    newest.into_iter().map(|it| it.name).collect()
}

/// Adds `latest` to the names, unless they are empty.
fn or_latest(mut names: Vec<String>) -> Vec<String> {
    if !names.is_empty() && !names.iter().any(|name| name == LATEST) {
        names.push(LATEST.to_owned());
    }
    names
}

/// Returns the attempts of the newest experiments.
fn attempts(context: &Context) -> Vec<String> {
    let Ok(journal) = context.journal() else {
        return Vec::new();
    };
    let newest = experiments(context, OF_ATTEMPTS);
    let surveys = newest.iter().filter_map(|name| journal.survey(name).ok());
    surveys
        .flat_map(|survey| survey.rows)
        .map(|row| row.id)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_before_say_what_a_word_names() {
        let asked = |line: &str| {
            let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let last = words.pop().unwrap();
            asked_for(&Cli::command(), &words, &last)
        };
        for (line, wanted) in [
            ("", None),
            ("ru", None),
            ("run ", Some(Names::Tasks)),
            ("run filesystem/f", Some(Names::Tasks)),
            ("run -k 4 ", Some(Names::Tasks)),
            ("run -k ", None),
            ("run --json ", Some(Names::Tasks)),
            ("run --experiment ", Some(Names::Experiments)),
            ("run --model ", None),
            ("run --ag", None),
            ("--home /h show ", Some(Names::Attempts)),
            ("mcp serve --task ", Some(Names::Tasks)),
            ("mcp serve ", None),
            ("store export ", Some(Names::AnyExperiment)),
            ("store remove ", Some(Names::Experiments)),
            ("regrade one ", Some(Names::Results)),
        ] {
            assert_eq!(asked(line), wanted, "{line:?}");
        }
    }

    #[test]
    fn every_command_and_option_is_there() {
        let mut root = Cli::command();
        root.build();
        for (name, _) in ARGUMENTS {
            let mut command = &root;
            for word in name.split(' ') {
                command = command.find_subcommand(word).unwrap();
            }
            assert!(command.get_positionals().count() > 0, "{name}");
        }
    }
}
