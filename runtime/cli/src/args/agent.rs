//! Parser of `--agent`: the name of an agent, or a program with its arguments.

use std::ffi::OsStr;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

use super::AgentName;

/// Prefix of a program in `--agent`.
const PROGRAM: &str = "command:";

/// Value of `--agent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AgentArg {
    /// Built-in agent.
    Named(AgentName),
    /// Program with its arguments.
    Command(Vec<String>),
}

/// Clap parser of [`AgentArg`].
#[derive(Debug, Clone)]
pub(crate) struct AgentParser;

impl TypedValueParser for AgentParser {
    type Value = AgentArg;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<AgentArg, Error> {
        let line = value.to_str().and_then(|text| text.strip_prefix(PROGRAM));
        let Some(line) = line else {
            let names = EnumValueParser::<AgentName>::new();
            let named = names.parse_ref(command, argument, value);
            return named.map(AgentArg::Named).map_err(|mut error| {
                let valid = self.possible_values().into_iter().flatten();
                let valid = valid.map(|value| value.get_name().to_owned()).collect();
                error.insert(ContextKind::ValidValue, ContextValue::Strings(valid));
                error
            });
        };
        words(line).map(AgentArg::Command).map_err(|problem| {
            let message = format!("--agent {PROGRAM}{line}: {problem}\n");
            Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = EnumValueParser::<AgentName>::new();
        let names: Vec<PossibleValue> = names.possible_values()?.collect();
        let program = PossibleValue::new("command:PROGRAM")
            .help("Runs a program with its arguments, such as a coding agent (docs/agents.md)");
        Some(Box::new(names.into_iter().chain([program])))
    }
}

/// Splits a command line into words as a shell does, at white space, with single quotes, double quotes and backslashes.
/// Variables, globs and pipes are not supported.
///
/// The crate `shlex` takes the text after `#` for a comment, and does not say which quotation mark is open.
fn words(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next().ok_or("a single quotation mark is open")? {
                        '\'' => break,
                        letter => word.push(letter),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next().ok_or("a quotation mark is open")? {
                        '"' => break,
                        '\\' => match letters.next().ok_or("a quotation mark is open")? {
                            letter @ ('"' | '\\' | '$' | '`') => word.push(letter),
                            letter => word.extend(['\\', letter]),
                        },
                        letter => word.push(letter),
                    }
                }
            }
            '\\' => {
                let letter = letters.next().ok_or("nothing follows a backslash")?;
                word.get_or_insert_default().push(letter);
            }
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    match words.first() {
        Some(program) if !program.is_empty() => Ok(words),
        _ => Err("no program is named"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_splits_them() {
        for (line, split) in [
            ("claude -p", &["claude", "-p"][..]),
            ("  a\t b ", &["a", "b"]),
            (
                r#"a 'b "c"' "d 'e'" f\ g"#,
                &["a", r#"b "c""#, "d 'e'", "f g"],
            ),
            (r#"a "x\"y\\z\n" b''c"#, &["a", r#"x"y\z\n"#, "bc"]),
            ("a ''", &["a", ""]),
            (
                r#"a -c x.url=\"{mcp_url}\" $HOME *"#,
                &["a", "-c", r#"x.url="{mcp_url}""#, "$HOME", "*"],
            ),
        ] {
            assert_eq!(words(line).unwrap(), split, "{line}");
        }
        for (line, problem) in [
            ("", "no program"),
            ("  ", "no program"),
            ("'' a", "no program"),
            ("a 'b", "single quotation mark"),
            ("a \"b", "quotation mark"),
            ("a \\", "backslash"),
        ] {
            assert!(words(line).unwrap_err().contains(problem), "{line}");
        }
    }
}
