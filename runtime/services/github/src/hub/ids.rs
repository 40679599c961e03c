//! Ids as GitHub has them, all derived: the same thing has the same id in every run.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sha2::{Digest, Sha256};

/// What an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Repository,
    User,
    Label,
    IssueType,
    Milestone,
    Issue,
    Pull,
    Comment,
    Review,
    ReviewComment,
    ReviewThread,
    Release,
    Workflow,
    Run,
    Job,
    CheckSuite,
    Closing,
    Merge,
    /// A commit that mentions an issue.
    Referring,
    /// An issue or pull request that mentions another.
    CrossReference,
    PullCommit,
    CommitComment,
    Status,
}

/// The id of a gist that has none of its own.
pub(crate) fn gist_id(owner: &str, index: usize) -> String {
    let digest = Sha256::digest(format!("Gist {} {index}", owner.to_lowercase()));
    digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl Kind {
    /// Where the ids of things that are counted begin, so that none is taken for another's.
    fn base(self) -> u64 {
        match self {
            Self::Milestone => 11_000_000,
            Self::Issue => 3_000_000_000,
            Self::Pull => 2_500_000_000,
            Self::Comment => 2_800_000_000,
            Self::Review => 2_600_000_000,
            Self::ReviewComment => 2_100_000_000,
            Self::Release => 190_000_000,
            Self::CheckSuite => 15_000_000_000,
            Self::Closing => 12_000_000_000,
            Self::Merge => 13_000_000_000,
            Self::Referring => 14_000_000_000,
            Self::CommitComment => 140_000_000,
            Self::Status => 30_000_000_000,
            // Known by their names, or with ids of their own.
            Self::Repository
            | Self::User
            | Self::Label
            | Self::IssueType
            | Self::ReviewThread
            | Self::Workflow
            | Self::Run
            | Self::Job
            | Self::CrossReference
            | Self::PullCommit => 0,
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Repository => "R_",
            Self::User => "U_",
            Self::Label => "LA_",
            Self::IssueType => "IT_",
            Self::Milestone => "MI_",
            Self::Issue => "I_",
            Self::Pull => "PR_",
            Self::Comment => "IC_",
            Self::Review => "PRR_",
            Self::ReviewComment => "PRRC_",
            Self::ReviewThread => "PRRT_",
            Self::Release => "RE_",
            Self::Workflow => "W_",
            Self::Run => "WFR_",
            Self::Job => "CR_",
            Self::CheckSuite => "CS_",
            Self::Closing => "CE_",
            Self::Merge => "ME_",
            Self::Referring => "REFE_",
            Self::CrossReference => "CRE_",
            Self::PullCommit => "PURC_",
            Self::CommitComment => "CC_",
            Self::Status => "SC_",
        }
    }

    /// The id of the n-th of its kind.
    pub(crate) fn id(self, ordinal: u64) -> u64 {
        self.base() + ordinal
    }

    /// The ordinal of an id, where it is one of this kind.
    pub(crate) fn ordinal(self, id: u64) -> Option<u64> {
        id.checked_sub(self.base())
    }

    /// The id of something that is known by its name.
    pub(crate) fn of_name(self, name: &str) -> u64 {
        10_000_000 + self.digest(name) % 160_000_000
    }

    /// The id of one of many things that are known by their names: of a million no two are likely to have
    /// the same, and JavaScript has numbers for all.
    pub(crate) fn of_one_of_many(self, name: &str) -> u64 {
        self.id(self.digest(name) >> 12)
    }

    fn digest(self, name: &str) -> u64 {
        let digest = Sha256::digest(format!("{self:?} {}", name.to_lowercase()));
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        u64::from_be_bytes(first)
    }

    /// The id that GraphQL knows it by.
    pub(crate) fn node_id(self, id: u64) -> String {
        format!(
            "{}kwDO{}",
            self.prefix(),
            STANDARD_NO_PAD.encode(id.to_be_bytes())
        )
    }

    /// The ordinal of what GraphQL knows by an id, where it is one of this kind.
    pub(crate) fn of_node(self, node: &str) -> Option<u64> {
        let text = node.strip_prefix(self.prefix())?.strip_prefix("kwDO")?;
        let bytes = STANDARD_NO_PAD.decode(text).ok()?;
        self.ordinal(u64::from_be_bytes(bytes.try_into().ok()?))
    }
}
