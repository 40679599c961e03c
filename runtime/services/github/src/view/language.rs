//! The programming languages of the repository.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::Site;
use crate::git::{EntryKind, GitError, ObjectId};

/// The bytes of each language, the most first, of the commit that they were counted on.
#[derive(Default)]
pub(crate) struct Languages {
    commit: Option<ObjectId>,
    sums: Arc<[(&'static str, u64)]>,
}

impl Site {
    /// The bytes of each language on the default branch, the most first. They are counted once for each commit.
    pub(crate) fn languages(&self) -> Result<Arc<[(&'static str, u64)]>, GitError> {
        let Some(tip) = self.git.branch(&self.hub.repository.default_branch) else {
            return Ok(Arc::default());
        };
        let mut known = self.languages.borrow_mut();
        if known.commit != Some(tip) {
            let mut sums: BTreeMap<&'static str, u64> = BTreeMap::new();
            for entry in self.git.walk(self.git.tree_of(tip)?)? {
                if let Some(language) = of_file(entry.name())
                    && matches!(entry.kind, EntryKind::File | EntryKind::Executable)
                {
                    *sums.entry(language).or_default() += self.git.size(entry.id)?;
                }
            }
            let mut sums: Vec<(&'static str, u64)> = sums.into_iter().collect();
            sums.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
            *known = Languages {
                commit: Some(tip),
                sums: sums.into(),
            };
        }
        Ok(Arc::clone(&known.sums))
    }

    /// The language that most of the repository is written in; null where there is none, or where the files cannot
    /// be read, which those who read them are told.
    pub(super) fn language(&self) -> Value {
        let all = self.languages().unwrap_or_default();
        all.first().map_or(Value::Null, |(name, _)| (*name).into())
    }
}

/// The programming language of a file by its name; none for texts and data, which GitHub does not count either.
fn of_file(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "rs" => "Rust",
        "py" => "Python",
        "js" | "mjs" | "cjs" | "jsx" => "JavaScript",
        "ts" | "tsx" => "TypeScript",
        "go" => "Go",
        "c" | "h" => "C",
        "cc" | "cpp" | "hpp" => "C++",
        "java" => "Java",
        "rb" => "Ruby",
        "sh" | "bash" => "Shell",
        "html" => "HTML",
        "css" => "CSS",
        _ => return None,
    })
}
