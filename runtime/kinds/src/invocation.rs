//! Arguments and variables of published scripts.
//!
//! The published harness starts them with arguments and variables that name its servers and accounts. Here they name
//! what stands behind the interfaces of the sandbox, so that none is a secret: a token is asked for only to be handed
//! on.

/// Stands where scripts want a key, a token or a password.
pub(crate) const NO_SECRET: &str = "mcpmark";

/// Arguments and environment of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScriptInvocation {
    /// The arguments after the script itself.
    pub arguments: Vec<String>,
    /// Variables beside those that every script gets, or in their place.
    pub environment: Vec<(String, String)>,
}

/// Variables that published harnesses set for scripts, and that scripts insist on.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScriptVariables {
    /// The names.
    pub names: &'static [&'static str],
    /// Modules that read a variable for whoever imports them, with its name.
    pub modules: &'static [(&'static str, &'static str)],
}

impl ScriptVariables {
    /// Variables that scripts read themselves.
    pub(crate) const fn named(names: &'static [&'static str]) -> Self {
        Self {
            names,
            modules: &[],
        }
    }
}

impl ScriptInvocation {
    /// The same with more arguments, and with variables that replace its own of the same names.
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
