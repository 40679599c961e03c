//! Mutants of github worlds: the service's engine spoils them, since a byte of a packed object that changed is no
//! mistake that an agent can make.

use mcpmark_github::spoil::{Committed, Places, SpoilError, Spoiler, Wrong};
use mcpmark_snapshot::Tree;
use mcpmark_task::Mutation;

use crate::{MutableText, MutateError, Solved, StateMutant, StateMutator};

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
        Wrong::Title => Mutation::Title,
        Wrong::State => Mutation::IssueState,
        Wrong::Labels => Mutation::Labels,
        Wrong::Milestone => Mutation::Milestone,
        Wrong::Comment => Mutation::Comment,
        Wrong::Link => Mutation::Link,
        Wrong::Base => Mutation::WrongBase,
        Wrong::Head => Mutation::WrongHead,
        Wrong::MergeMethod => Mutation::MergeMethod,
        Wrong::StrayIssue => Mutation::StrayIssue,
        Wrong::File => Mutation::CommittedFile,
        Wrong::EditInput => Mutation::EditInput,
        Wrong::DeleteInput => Mutation::DeleteInput,
        Wrong::MoveInput => Mutation::MoveInput,
        Wrong::StrayFile => Mutation::StrayFile,
        Wrong::ExtraCommit => Mutation::ExtraCommit,
        Wrong::MovedBranch => Mutation::MovedBranch,
        Wrong::MissingBranch => Mutation::MissingBranch,
        Wrong::StrayBranch => Mutation::StrayBranch,
    }
}
