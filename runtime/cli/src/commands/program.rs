//! Program of `--agent command:…`.

use std::path::{Path, PathBuf, absolute};

use crate::error::CommandError;

/// Resolves the words of a command that begin with `./` or `../` relative to a directory, because the program runs in
/// another directory.
pub(crate) fn beside(words: &[String], dir: &Path) -> Result<Vec<String>, CommandError> {
    let word = |word: &String| {
        if !(word.starts_with("./") || word.starts_with("../")) {
            return Ok(word.clone());
        }
        let whole = dir.join(word);
        // Canonical, so that each file has only one path.
        let path = whole.canonicalize().or_else(|_| absolute(&whole));
        let path: PathBuf = path.map_err(CommandError::infrastructure)?;
        path.into_os_string().into_string().map_err(|path| {
            CommandError::usage(format!("the path {} is not valid UTF-8", path.display()))
        })
    };
    words.iter().map(word).collect()
}
