//! Mutants of github worlds: the service's engine spoils them, since a byte of a packed object that changed is no
//! mistake that an agent can make.

use mcpmark_github::spoil::{Committed, Places, SpoilError, Spoiler, Wrong};
use mcpmark_snapshot::Tree;

use crate::{MutableText, MutateError, Mutation, Solved, StateMutant, StateMutator};

/// The title of an issue or a pull request differs by a character.
const TITLE: Mutation = Mutation::new("title");
/// An issue is open that should be closed, or the other way round, or closed for another reason.
const ISSUE_STATE: Mutation = Mutation::new("issue-state");
/// A label is missing, or one is there that should not be.
const LABELS: Mutation = Mutation::new("labels");
/// The milestone is missing.
const MILESTONE: Mutation = Mutation::new("milestone");
/// A comment is missing, too many, other, or on another issue.
const COMMENT: Mutation = Mutation::new("comment");
/// A text links to another issue, or to none.
const LINK: Mutation = Mutation::new("link");
/// A pull request goes into another branch.
const WRONG_BASE: Mutation = Mutation::new("wrong-base");
/// A pull request comes from another branch.
const WRONG_HEAD: Mutation = Mutation::new("wrong-head");
/// A pull request was merged in another way.
const MERGE_METHOD: Mutation = Mutation::new("merge-method");
/// An issue is there that nobody asked for.
const STRAY_ISSUE: Mutation = Mutation::new("stray-issue");
/// A file of a branch is missing, or stands at another path.
const COMMITTED_FILE: Mutation = Mutation::new("committed-file");
/// A branch has a commit more.
const EXTRA_COMMIT: Mutation = Mutation::new("extra-commit");
/// A branch stands at another commit.
const MOVED_BRANCH: Mutation = Mutation::new("moved-branch");
/// A branch is missing.
const MISSING_BRANCH: Mutation = Mutation::new("missing-branch");
/// A branch is there that nobody asked for.
const STRAY_BRANCH: Mutation = Mutation::new("stray-branch");

/// The mutations of repositories.
pub(super) const MUTATIONS: &[Mutation] = &[
    TITLE,
    ISSUE_STATE,
    LABELS,
    MILESTONE,
    COMMENT,
    LINK,
    WRONG_BASE,
    WRONG_HEAD,
    MERGE_METHOD,
    STRAY_ISSUE,
    COMMITTED_FILE,
    EXTRA_COMMIT,
    MOVED_BRANCH,
    MISSING_BRANCH,
    STRAY_BRANCH,
];

/// Mutates a repository and what belongs to it.
pub(super) struct RepositoryMutator<'a> {
    spoiler: Spoiler<'a>,
    committed: Vec<Committed>,
}

impl<'a> RepositoryMutator<'a> {
    pub(super) fn new(solved: Solved<'a>) -> Result<Self, SpoilError> {
        let places = Places {
            blobs: solved.blobs,
            store: solved.store,
            scratch: solved.scratch,
        };
        let spoiler = Spoiler::new(solved.start, solved.end, places)?;
        Ok(Self {
            committed: spoiler.committed()?,
            spoiler,
        })
    }
}

impl StateMutator for RepositoryMutator<'_> {
    fn mutants(&mut self) -> Result<Vec<StateMutant>, MutateError> {
        let spoilt = self.spoiler.spoil().map_err(MutateError::new)?;
        let mutants = spoilt.into_iter().map(|it| StateMutant {
            mutation: mutation(it.wrong),
            place: it.place,
            what: it.what,
            tree: it.tree,
        });
        Ok(mutants.collect())
    }

    fn texts(&self) -> Result<Vec<MutableText>, MutateError> {
        let texts = self.committed.iter().map(|file| MutableText {
            place: format!("{}:{}", file.branch, file.path),
            path: file.path.clone(),
            before: file.before.clone(),
            text: file.text.clone(),
        });
        Ok(texts.collect())
    }

    fn with_text(&self, index: usize, text: &str) -> Result<Tree, MutateError> {
        let file = self.committed.get(index);
        let file = file.ok_or_else(|| MutateError::new(format!("there is no text {index}")))?;
        self.spoiler.rewritten(file, text).map_err(MutateError::new)
    }
}

fn mutation(wrong: Wrong) -> Mutation {
    match wrong {
        Wrong::Title => TITLE,
        Wrong::State => ISSUE_STATE,
        Wrong::Labels => LABELS,
        Wrong::Milestone => MILESTONE,
        Wrong::Comment => COMMENT,
        Wrong::Link => LINK,
        Wrong::Base => WRONG_BASE,
        Wrong::Head => WRONG_HEAD,
        Wrong::MergeMethod => MERGE_METHOD,
        Wrong::StrayIssue => STRAY_ISSUE,
        Wrong::File => COMMITTED_FILE,
        Wrong::EditInput => Mutation::EDIT_INPUT,
        Wrong::DeleteInput => Mutation::DELETE_INPUT,
        Wrong::MoveInput => Mutation::MOVE_INPUT,
        Wrong::StrayFile => Mutation::STRAY_FILE,
        Wrong::ExtraCommit => EXTRA_COMMIT,
        Wrong::MovedBranch => MOVED_BRANCH,
        Wrong::MissingBranch => MISSING_BRANCH,
        Wrong::StrayBranch => STRAY_BRANCH,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_distinct_and_of_no_general_mutation() {
        let all = MUTATIONS.iter().chain(Mutation::GENERAL);
        let names: BTreeSet<&str> = all.map(|it| it.as_str()).collect();
        assert_eq!(names.len(), MUTATIONS.len() + Mutation::GENERAL.len());
    }
}
