//! A piece of work: the commits of a branch, what was reported before and what was said about it.

/// How a piece of work came into the main branch, or did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Pushed to main.
    Direct,
    Merge,
    Squash,
    Rebase,
    /// Closed without a merge.
    Closed,
    /// Still open.
    Open,
    /// Still open, and a draft.
    Draft,
}

/// Where a change stands in the change log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    Added,
    Changed,
    Fixed,
    /// Nowhere.
    Internal,
}

/// Something that somebody wrote: who and what.
pub type Said = (&'static str, String);

/// An issue.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub by: &'static str,
    pub title: String,
    pub body: String,
    pub labels: Vec<&'static str>,
    pub assignee: Option<&'static str>,
    pub comments: Vec<Said>,
}

#[derive(Clone, Debug)]
pub struct Step<E> {
    pub message: String,
    pub edits: Vec<E>,
}

/// Texts may have `{issue}` for the number of the own issue, `{#id}` for the number of the pull request of
/// another piece of work, and `{sha:id}` for the commit that it became.
#[derive(Clone, Debug)]
pub struct Work<E> {
    /// Empty where nothing else speaks of it.
    pub id: String,
    /// The day on which it begins, at the earliest, counted from the first.
    pub day: i64,
    pub author: &'static str,
    pub branch: String,
    pub title: String,
    pub body: String,
    pub steps: Vec<Step<E>>,
    pub way: Way,
    pub section: Section,
    pub labels: Vec<&'static str>,
    pub report: Option<Report>,
    pub remarks: Vec<Said>,
    /// Whether a reviewer asked for changes.
    pub is_contested: bool,
    /// The release branch that it goes to as well, with the number of the release.
    pub backport: Option<&'static str>,
    /// Whether a reviewer has approved of what is still open.
    pub is_approved: bool,
    /// Whether others may change the same files while it is open, so that it conflicts.
    pub is_overtaken: bool,
}

impl<E> Work<E> {
    pub fn new(day: i64, author: &'static str, way: Way, branch: &str, title: &str) -> Self {
        Self {
            id: String::new(),
            day,
            author,
            branch: branch.to_owned(),
            title: title.to_owned(),
            body: String::new(),
            steps: Vec::new(),
            way,
            section: Section::Internal,
            labels: Vec::new(),
            report: None,
            remarks: Vec::new(),
            is_contested: false,
            backport: None,
            is_approved: false,
            is_overtaken: false,
        }
    }

    #[must_use]
    pub fn step(mut self, message: &str, edits: Vec<E>) -> Self {
        self.steps.push(Step {
            message: message.to_owned(),
            edits,
        });
        self
    }

    #[must_use]
    pub fn body(mut self, body: &str) -> Self {
        self.body = body.to_owned();
        self
    }

    #[must_use]
    pub fn section(mut self, section: Section) -> Self {
        self.section = section;
        self
    }

    #[must_use]
    pub fn label(mut self, label: &'static str) -> Self {
        self.labels.push(label);
        self
    }

    #[must_use]
    pub fn id(mut self, id: &str) -> Self {
        self.id = id.to_owned();
        self
    }

    #[must_use]
    pub fn report(mut self, report: Report) -> Self {
        self.report = Some(report);
        self
    }

    #[must_use]
    pub fn remark(mut self, by: &'static str, text: &str) -> Self {
        self.remarks.push((by, text.to_owned()));
        self
    }

    #[must_use]
    pub fn contested(mut self) -> Self {
        self.is_contested = true;
        self
    }

    #[must_use]
    pub fn backport(mut self, number: &'static str) -> Self {
        self.backport = Some(number);
        self
    }

    #[must_use]
    pub fn approved(mut self) -> Self {
        self.is_approved = true;
        self
    }

    #[must_use]
    pub fn overtaken(mut self) -> Self {
        self.is_overtaken = true;
        self
    }

    /// Whether its changes are in the main branch in the end.
    pub fn lands(&self) -> bool {
        !matches!(self.way, Way::Closed | Way::Open | Way::Draft)
    }

    /// All edits of all steps.
    pub fn edits(&self) -> impl Iterator<Item = &E> {
        self.steps.iter().flat_map(|step| &step.edits)
    }
}

impl Report {
    pub fn new(by: &'static str, title: &str, body: &str) -> Self {
        Self {
            by,
            title: title.to_owned(),
            body: body.to_owned(),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn labels(mut self, labels: &[&'static str]) -> Self {
        self.labels = labels.to_vec();
        self
    }

    #[must_use]
    pub fn assignee(mut self, login: &'static str) -> Self {
        self.assignee = Some(login);
        self
    }

    #[must_use]
    pub fn comment(mut self, by: &'static str, text: &str) -> Self {
        self.comments.push((by, text.to_owned()));
        self
    }
}
