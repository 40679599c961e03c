//! Ids in the formats of GitHub. They are derived, so the same object has the same id in every run.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sha2::{Digest, Sha256};

/// Kind of object that an id identifies.
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
    /// Mention of an issue in a commit message.
    Referring,
    /// Mention of an issue or pull request by another one.
    CrossReference,
    PullCommit,
    CommitComment,
    Status,
}

/// Id of a gist whose document omits it.
pub(crate) fn gist_id(owner: &str, index: usize) -> String {
    let digest = Sha256::digest(format!("Gist {} {index}", owner.to_lowercase()));
    hex::encode(&digest[..16])
}

impl Kind {
    /// Start of the range of ids for kinds that are numbered. Distinct ranges keep ids of different kinds apart.
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
            // Ids derived from names, or given by the documents of the world.
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

    /// Id of the object with an ordinal.
    pub(crate) fn id(self, ordinal: u64) -> u64 {
        self.base() + ordinal
    }

    /// Ordinal of an id. Returns `None` if the id is below the range of this kind.
    pub(crate) fn ordinal(self, id: u64) -> Option<u64> {
        id.checked_sub(self.base())
    }

    /// Id derived from a name.
    pub(crate) fn of_name(self, name: &str) -> u64 {
        10_000_000 + self.digest(name) % 160_000_000
    }

    /// Id derived from a name, for kinds with many objects. Of a million names, no two are likely to share an id. All
    /// ids are below 2^53, so that JavaScript can represent them.
    pub(crate) fn wide_id_of_name(self, name: &str) -> u64 {
        self.id(self.digest(name) >> 12)
    }

    fn digest(self, name: &str) -> u64 {
        let digest = Sha256::digest(format!("{self:?} {}", name.to_lowercase()));
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        u64::from_be_bytes(first)
    }

    /// Node id of GraphQL.
    pub(crate) fn node_id(self, id: u64) -> String {
        format!(
            "{}kwDO{}",
            self.prefix(),
            STANDARD_NO_PAD.encode(id.to_be_bytes())
        )
    }

    /// Parses a node id of GraphQL and returns its ordinal. Returns `None` if it is not an id of this kind.
    pub(crate) fn of_node(self, node: &str) -> Option<u64> {
        let text = node.strip_prefix(self.prefix())?.strip_prefix("kwDO")?;
        let bytes = STANDARD_NO_PAD.decode(text).ok()?;
        self.ordinal(u64::from_be_bytes(bytes.try_into().ok()?))
    }
}
