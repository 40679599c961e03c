//! The files of a project at a moment, and the edits that make the next one of it.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// The files of a project.
///
/// An edit says what it is about, so that the edits of a branch can be made on whatever the main branch has
/// become: that is how merges, rebases and backports come about.
pub trait Code: Clone + Default {
    type Edit: Clone + Debug;

    fn apply(&mut self, edit: &Self::Edit);

    /// All files with their texts.
    fn tree(&self) -> BTreeMap<String, String>;

    /// The files that an edit changes, where no other work may change them at the same time.
    fn keys(edit: &Self::Edit) -> Vec<&str>;

    /// What a release changes; `section` is that of the change log.
    fn release(number: &str, section: &str) -> Self::Edit;
}

/// What has to be written and what removed to get from one tree to another.
pub fn difference(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> (Vec<(String, String)>, Vec<String>) {
    let written = after
        .iter()
        .filter(|(path, text)| before.get(*path) != Some(text))
        .map(|(path, text)| (path.clone(), text.clone()))
        .collect();
    let removed = before
        .keys()
        .filter(|path| !after.contains_key(*path))
        .cloned()
        .collect();
    (written, removed)
}
