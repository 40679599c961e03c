//! Operands of the command line: selectors of tasks, and at most one location of tasks.

use std::path::{Path, PathBuf};

use mcpmark_bundle::Reference;

use crate::args::{PublishedArgs, Selection};
use crate::error::CommandError;

/// Returns true if an operand is a location of tasks, as opposed to a selector. Only its syntax decides, not the
/// content of the current directory, so that a command has the same meaning everywhere.
fn is_place(word: &str) -> bool {
    let begins = [Reference::SCHEME, "/", "./", "../"];
    let ends = [".tar", ".lock"];
    begins.iter().any(|it| word.starts_with(it))
        || ends.iter().any(|it| word.ends_with(it))
        || [".", ".."].contains(&word)
}

/// Returns a hint on the syntax of locations, if an operand that matches no task looks like one.
pub(crate) fn as_place(word: &str) -> Option<String> {
    let path = Path::new(word);
    if path.is_dir() {
        return Some(format!("write a directory as {:?}", format!("./{word}")));
    }
    if path.is_file() {
        let hint = "a bundle in a file is an uncompressed tar archive whose name ends with `.tar`";
        return Some(hint.to_owned());
    }
    let (scheme, rest) = word.split_once("://").unwrap_or(("", word));
    let host = rest.split('/').next().unwrap_or_default();
    let reference = format!("{}{rest}", Reference::SCHEME);
    let is_remote = !scheme.is_empty() || host.contains(['.', ':']);
    (is_remote && reference.parse::<Reference>().is_ok())
        .then(|| format!("write a bundle in a registry as {reference:?}"))
}

/// Removes the location from a list of operands.
pub(crate) fn take_place(words: &mut Vec<String>) -> Result<Option<PathBuf>, CommandError> {
    let (places, others): (Vec<String>, Vec<String>) =
        words.drain(..).partition(|word| is_place(word));
    *words = others;
    match &places[..] {
        [] => Ok(None),
        [place] => Ok(Some(PathBuf::from(place))),
        [first, second, ..] => Err(CommandError::usage(format!(
            "expected one location of tasks, found {first:?} and {second:?}"
        ))
        .hint("name only one; a selector neither begins with `/` nor ends with `.tar`")),
    }
}

/// Moves a location from the selectors to the value of `--tasks`.
pub(crate) fn settle(
    selection: &mut Selection,
    published: &mut PublishedArgs,
) -> Result<(), CommandError> {
    let place = take_place(&mut selection.selectors)?;
    name(&mut published.tasks, place)?;
    published.check()
}

/// Sets the location of `--tasks`, and refuses a second one.
pub(crate) fn name(
    tasks: &mut Option<PathBuf>,
    place: Option<PathBuf>,
) -> Result<(), CommandError> {
    let shown = |path: &Path| path.display().to_string();
    match (&*tasks, place) {
        (Some(tasks), Some(place)) => {
            let (tasks, place) = (shown(tasks), shown(&place));
            let message =
                format!("expected one location of tasks, found {place:?} and --tasks {tasks:?}");
            Err(CommandError::usage(message).hint("name only one"))
        }
        (None, Some(place)) => {
            *tasks = Some(place);
            Ok(())
        }
        (_, None) => Ok(()),
    }
}

impl PublishedArgs {
    /// Checks that `--states` is not given without `--tasks`.
    pub(crate) fn check(&self) -> Result<(), CommandError> {
        match (&self.states, &self.tasks) {
            (Some(_), None) => Err(CommandError::usage(
                "--states requires --tasks, the directory of tasks in a published layout",
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_almost_a_place_is_told_how_to_be_one() {
        for (word, written) in [
            (
                "docker://127.0.0.1:5000/a:v1",
                "\"oci://127.0.0.1:5000/a:v1\"",
            ),
            ("OCI://registry.example/a", "\"oci://registry.example/a\""),
            ("127.0.0.1:5000/a:v1", "\"oci://127.0.0.1:5000/a:v1\""),
            ("registry.example/a", "\"oci://registry.example/a\""),
            ("src", "\"./src\""),
            ("Cargo.toml", "ends with `.tar`"),
        ] {
            let told = as_place(word).unwrap();
            assert!(told.contains(written), "{word}: {told}");
        }
        for word in ["filesystem/office/easy", "easy", "*", "a://"] {
            assert_eq!(as_place(word), None, "{word}");
        }
    }

    #[test]
    fn places_are_told_from_tasks_by_how_they_are_written() {
        for place in [
            "oci://127.0.0.1:5000/suites/office:v1",
            "suite.tar",
            "suites/office.tar",
            "mcpmark.lock",
            "./suite",
            "../suite",
            "/srv/suite",
            ".",
            "..",
        ] {
            assert!(is_place(place), "{place}");
        }
        for selector in [
            "filesystem",
            "filesystem/office/",
            "filesystem/office/easy",
            "*/office/*",
            "filesystem/office/no.tar.here",
            "suite",
            ".hidden/*",
        ] {
            assert!(!is_place(selector), "{selector}");
        }
        let mut words: Vec<String> = ["filesystem", "./suite", "github"]
            .map(str::to_owned)
            .into();
        let place = take_place(&mut words).unwrap();
        assert_eq!(place.as_deref(), Some(Path::new("./suite")));
        assert_eq!(words, ["filesystem", "github"]);
        assert_eq!(take_place(&mut words).unwrap(), None);
        words.extend(["a.tar".to_owned(), "b.tar".to_owned()]);
        let told = take_place(&mut words).unwrap_err();
        assert!(told.message.contains("\"a.tar\" and \"b.tar\""), "{told:?}");
    }
}
