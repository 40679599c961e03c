//! Arguments and environment variables of published scripts.
//!
//! The published harness passes its servers and accounts to scripts. Here, the values refer to the emulated services of
//! the sandbox, so no value is a secret: a token is only passed back to these services.

use std::fmt;

use mcpmark_service::ServiceError;

/// Placeholder for a key, a token or a password that scripts require.
pub(crate) const NO_SECRET: &str = "mcpmark";

/// Arguments and environment variables of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScriptInvocation {
    /// Arguments after the path of the script.
    pub arguments: Vec<String>,
    /// Environment variables in addition to, or instead of, those that every script gets.
    pub environment: Vec<(String, String)>,
}

/// Errors of determining the arguments of a published task's script.
#[derive(Debug, thiserror::Error)]
pub enum InvocationError {
    /// An argument depends on the starting state, which is not given.
    #[error(
        "the script gets {argument} of the starting state as an argument, but the starting state is missing"
    )]
    NoStart {
        /// Argument, as a phrase before "of the starting state".
        argument: &'static str,
    },
    /// The starting state does not contain the page of the task.
    #[error(
        "the script gets the id of the page {wanted:?} as an argument, but the top level of the workspace has {}; rename a page, or move it there",
        Titles(found)
    )]
    NoPage {
        /// Title of the page, in lower case.
        wanted: String,
        /// Titles of the pages at the top level.
        found: Vec<String>,
    },
    /// The starting state is not a world of the service, or cannot be read.
    #[error(transparent)]
    State(#[from] ServiceError),
}

/// Titles in an error message.
struct Titles<'a>(&'a [String]);

impl fmt::Display for Titles<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((last, others)) = self.0.split_last() else {
            return f.write_str("no page");
        };
        f.write_str("only ")?;
        for title in others {
            write!(f, "{title:?}, ")?;
        }
        write!(f, "{last:?}")
    }
}

/// Environment variables that published harnesses set and that scripts require.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScriptVariables {
    /// Names of the variables.
    pub names: &'static [&'static str],
    /// Python modules that read a variable when they are imported, each with the name of the variable.
    pub modules: &'static [(&'static str, &'static str)],
}

impl ScriptVariables {
    /// Creates the set of variables that scripts read directly.
    pub(crate) const fn named(names: &'static [&'static str]) -> Self {
        Self {
            names,
            modules: &[],
        }
    }
}

impl ScriptInvocation {
    /// Appends arguments, and sets variables that replace existing ones with the same names.
    #[must_use]
    pub fn and(mut self, arguments: &[String], environment: &[(String, String)]) -> Self {
        self.arguments.extend_from_slice(arguments);
        self.environment
            .retain(|(name, _)| environment.iter().all(|(given, _)| given != name));
        self.environment.extend_from_slice(environment);
        self
    }
}

pub(crate) fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_a_person_replace_those_of_the_service() {
        let of_service = ScriptInvocation {
            arguments: vec!["database".to_owned()],
            environment: variables(&[("TOKEN", NO_SECRET), ("HOST", "localhost")]),
        };
        let more = variables(&[("TOKEN", "mine")]);
        let all = of_service.and(&["x".to_owned()], &more);
        assert_eq!(all.arguments, ["database", "x"]);
        assert_eq!(
            all.environment,
            variables(&[("HOST", "localhost"), ("TOKEN", "mine")])
        );
    }
}
