//! Filter of offered tools, by globs of their names.

use std::collections::BTreeSet;

use globset::{Glob, GlobMatcher};

/// Filter of the tools that are offered to a model, by globs of their names.
///
/// A tool is offered if a positive glob matches it, or if there are no positive globs, and if no glob with a leading
/// `!` matches it.
#[derive(Debug, Clone, Default)]
pub struct ToolFilter {
    globs: Vec<ToolGlob>,
}

#[derive(Debug, Clone)]
struct ToolGlob {
    text: String,
    excludes: bool,
    matcher: GlobMatcher,
}

/// Errors of reading or applying globs of tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolFilterError {
    /// A glob cannot be parsed.
    #[error("invalid glob {glob:?}: {reason}")]
    Syntax {
        /// Glob as written.
        glob: String,
        /// Error of the glob parser.
        reason: String,
    },
    /// A glob matches no tool, so it is probably misspelt.
    #[error("{glob:?} matches no tool; the tools are {}", list(tools))]
    NoMatch {
        /// Glob as written.
        glob: String,
        /// Names of all tools.
        tools: BTreeSet<String>,
    },
    /// The globs exclude every tool.
    #[error(
        "the globs {} exclude every tool; the tools are {}",
        list(globs),
        list(tools)
    )]
    NothingLeft {
        /// Globs as written.
        globs: Vec<String>,
        /// Names of all tools.
        tools: BTreeSet<String>,
    },
}

fn list<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    names.join(", ")
}

impl ToolFilter {
    /// Parses globs as written on the command line.
    ///
    /// # Errors
    ///
    /// Returns an error for the first glob that is empty or cannot be parsed.
    pub fn parse(globs: &[String]) -> Result<Self, ToolFilterError> {
        let globs = globs.iter().map(|text| {
            let glob = text.strip_prefix('!').unwrap_or(text);
            let wrong = |reason: String| ToolFilterError::Syntax {
                glob: text.clone(),
                reason,
            };
            if glob.is_empty() {
                return Err(wrong("it is empty".to_owned()));
            }
            let matcher = Glob::new(glob).map_err(|error| wrong(error.kind().to_string()))?;
            Ok(ToolGlob {
                text: text.clone(),
                excludes: text.starts_with('!'),
                matcher: matcher.compile_matcher(),
            })
        });
        Ok(Self {
            globs: globs.collect::<Result<_, _>>()?,
        })
    }

    /// Returns true if the filter has no globs, so that every tool is offered.
    pub fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// Reports whether a tool is offered.
    pub fn offers(&self, tool: &str) -> bool {
        let of = |excludes: bool| {
            self.globs
                .iter()
                .filter(move |glob| glob.excludes == excludes)
        };
        let matches = |glob: &ToolGlob| glob.matcher.is_match(tool);
        let wanted = of(false).next().is_none() || of(false).any(matches);
        wanted && !of(true).any(matches)
    }

    /// Checks that each glob matches at least one of `tools`.
    ///
    /// # Errors
    ///
    /// Returns an error for the first glob that matches none.
    pub fn check_matches(&self, tools: &BTreeSet<String>) -> Result<(), ToolFilterError> {
        let unused = |glob: &&ToolGlob| !tools.iter().any(|tool| glob.matcher.is_match(tool));
        match self.globs.iter().find(unused) {
            Some(glob) => Err(ToolFilterError::NoMatch {
                glob: glob.text.clone(),
                tools: tools.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Checks that at least one of `tools` is offered.
    ///
    /// # Errors
    ///
    /// Returns an error if the globs exclude all of them.
    pub fn check_left(&self, tools: &BTreeSet<String>) -> Result<(), ToolFilterError> {
        if self.is_empty() || tools.iter().any(|tool| self.offers(tool)) {
            Ok(())
        } else {
            Err(ToolFilterError::NothingLeft {
                globs: self.globs.iter().map(|glob| glob.text.clone()).collect(),
                tools: tools.clone(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: [&str; 4] = ["read_file", "read_text_file", "write_file", "move_file"];

    fn filter(globs: &[&str]) -> ToolFilter {
        let globs: Vec<String> = globs.iter().map(ToString::to_string).collect();
        ToolFilter::parse(&globs).unwrap()
    }

    fn tools() -> BTreeSet<String> {
        TOOLS.map(str::to_owned).into()
    }

    #[test]
    fn globs_choose_and_exclude() {
        let offered = |globs: &[&str]| {
            let filter = filter(globs);
            TOOLS
                .into_iter()
                .filter(|tool| filter.offers(tool))
                .collect::<Vec<_>>()
        };
        assert_eq!(offered(&[]), TOOLS);
        assert_eq!(offered(&["read_*"]), ["read_file", "read_text_file"]);
        assert_eq!(offered(&["read_*", "move_file"]).len(), 3);
        assert_eq!(offered(&["!read_*"]), ["write_file", "move_file"]);
        assert_eq!(offered(&["!*_text_*", "read_*"]), ["read_file"]);
        assert_eq!(offered(&["{move,write}_file"]), ["write_file", "move_file"]);
    }

    #[test]
    fn globs_that_do_nothing_are_errors() {
        assert_eq!(
            filter(&["read_*", "delete_*"])
                .check_matches(&tools())
                .unwrap_err()
                .to_string(),
            "\"delete_*\" matches no tool; the tools are move_file, read_file, read_text_file, write_file"
        );
        assert!(filter(&["!delete_*"]).check_matches(&tools()).is_err());
        filter(&["read_*", "!move*"])
            .check_matches(&tools())
            .unwrap();
        assert_eq!(
            filter(&["move*", "!*_file"])
                .check_left(&tools())
                .unwrap_err()
                .to_string(),
            "the globs move*, !*_file exclude every tool; the tools are move_file, read_file, read_text_file, write_file"
        );
        filter(&[]).check_left(&BTreeSet::new()).unwrap();
        for wrong in ["", "!", "a[", "{a"] {
            let error = ToolFilter::parse(&[wrong.to_owned()])
                .unwrap_err()
                .to_string();
            assert!(error.contains("invalid glob "), "{error}");
        }
    }
}
