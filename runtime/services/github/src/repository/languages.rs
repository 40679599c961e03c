//! Programming languages of the repository's files.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::RepositoryState;
use crate::git::{EntryKind, GitError, ObjectId};

/// Cache of the number of bytes in each language, the largest first, and the commit for which it was computed.
#[derive(Default)]
pub(crate) struct Languages {
    commit: Option<ObjectId>,
    sums: Arc<[(&'static str, u64)]>,
}

impl RepositoryState {
    /// Number of bytes in each language on the default branch, the largest first. They are counted once for each
    /// commit.
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
}

/// Programming language of a file, by its name. `None` for prose and data, which GitHub does not count either.
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
