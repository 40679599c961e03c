use std::collections::BTreeSet;

use globset::{Glob, GlobMatcher};

/// Chooses the tools that a model is offered, by globs of their names.
///
/// A tool is offered where one of the globs matches it, or there is none, and no glob that begins with `!` does.
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

/// Globs of tools cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolFilterError {
    /// A glob cannot be read.
    #[error("{glob:?} is no glob of tools: {reason}")]
    Syntax {
        /// The glob as written.
        glob: String,
        /// The problem.
        reason: String,
    },
    /// A glob matches nothing, so it is misspelt.
    #[error("{glob:?} matches no tool; there are {}", list(tools))]
    NoMatch {
        /// The glob as written.
        glob: String,
        /// The names of all tools.
        tools: BTreeSet<String>,
    },
    /// No tool is left.
    #[error("{} leave no tool; there are {}", list(globs), list(tools))]
    NothingLeft {
        /// The globs as written.
        globs: Vec<String>,
        /// The names of all tools.
        tools: BTreeSet<String>,
    },
}

fn list<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    names.join(", ")
}

impl ToolFilter {
    /// Reads globs as they are written on the command line.
    ///
    /// # Errors
    ///
    /// When one cannot be read.
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

    /// Whether every tool is offered.
    pub fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// Whether a tool is offered.
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

    /// Checks that each glob matches one of these tools.
    ///
    /// # Errors
    ///
    /// The first that does not.
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

    /// Checks that one of these tools is offered.
    ///
    /// # Errors
    ///
    /// When none is.
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
            "\"delete_*\" matches no tool; there are move_file, read_file, read_text_file, write_file"
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
            "move*, !*_file leave no tool; there are move_file, read_file, read_text_file, write_file"
        );
        filter(&[]).check_left(&BTreeSet::new()).unwrap();
        for wrong in ["", "!", "a[", "{a"] {
            let error = ToolFilter::parse(&[wrong.to_owned()])
                .unwrap_err()
                .to_string();
            assert!(error.contains("is no glob of tools"), "{error}");
        }
    }
}
