//! Search of issues and pull requests, code, commits, users and repositories.

use std::cell::OnceCell;
use std::collections::HashSet;

use serde_json::{Value, json};

use super::query::{Query, Term, Texts, compares};
use super::words::{BYTES_PER_BYTE, Words};
use super::{Answer, Page, Paged};
use crate::call;
use crate::git::{Commit, Entry, EntryKind, GitError, Identity, ObjectId};
use crate::hub::{Issue, State, Time, User};
use crate::repository::RepositoryState;
use crate::view::combined_state;

/// Maximum size of a searched file, in bytes, as on GitHub.
const SEARCHED: usize = 384 * 1024;

/// Known qualifiers of each search. A qualifier with another name is text.
const OF_ISSUES: &[&str] = &[
    "repo",
    "user",
    "org",
    "in",
    "sort",
    "is",
    "type",
    "state",
    "draft",
    "label",
    "author",
    "assignee",
    "commenter",
    "mentions",
    "involves",
    "milestone",
    "no",
    "reason",
    "comments",
    "reactions",
    "interactions",
    "created",
    "updated",
    "closed",
    "merged",
    "head",
    "base",
    "review",
    "review-requested",
    "user-review-requested",
    "team-review-requested",
    "reviewed-by",
    "linked",
    "status",
    "archived",
    "language",
    "project",
    "team",
];
const OF_CODE: &[&str] = &[
    "repo",
    "user",
    "org",
    "in",
    "sort",
    "path",
    "filename",
    "extension",
    "language",
    "lang",
    "size",
    "content",
    "symbol",
    "fork",
];
const OF_COMMITS: &[&str] = &[
    "repo",
    "user",
    "org",
    "sort",
    "is",
    "author",
    "committer",
    "author-name",
    "committer-name",
    "author-email",
    "committer-email",
    "author-date",
    "committer-date",
    "hash",
    "tree",
    "parent",
    "merge",
];
const OF_USERS: &[&str] = &[
    "user",
    "org",
    "in",
    "sort",
    "type",
    "location",
    "repos",
    "followers",
    "created",
    "language",
];
const OF_REPOSITORIES: &[&str] = &[
    "repo",
    "user",
    "org",
    "in",
    "sort",
    "topic",
    "is",
    "stars",
    "forks",
    "archived",
    "language",
    "created",
    "pushed",
    "size",
    "fork",
    "followers",
    "topics",
    "license",
    "mirror",
    "template",
    "good-first-issues",
    "help-wanted-issues",
];

/// Order of search results. If empty, the order of the best match.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sorted {
    pub(crate) by: String,
    pub(crate) ascending: bool,
}

/// Numbers of issues that pull requests close, and of these pull requests.
type Linked = HashSet<u64>;

/// Search response with one page of items.
fn found(total: usize, items: Vec<Value>) -> Value {
    json!({"total_count": total, "incomplete_results": false, "items": items})
}

impl RepositoryState {
    /// Reports whether a qualifier for the repository or owner matches this repository. `None` for other qualifiers.
    fn is_place(&self, name: &str, value: &str) -> Option<bool> {
        let wanted = match name {
            "repo" => self.full_name(),
            "user" | "org" => self.hub.repository.owner.clone(),
            // Options that are evaluated separately.
            "in" | "sort" => return Some(true),
            _ => return None,
        };
        Some(value.eq_ignore_ascii_case(&wanted))
    }

    /// Searches issues and pull requests.
    pub(crate) fn search_issues(&self, text: &str, sorted: &Sorted, page: Page) -> Answer<Value> {
        let query = Query::parse(text, OF_ISSUES);
        self.check_searchable("issues", text, &query, sorted, page)?;
        let sorted = sorted.or_of(&query);
        let (all, linked) = (self.hub.issues.values(), OnceCell::new());
        let mut issues: Vec<&Issue> = Vec::new();
        for issue in all {
            let comments = issue.comments.iter().map(|it| it.body.len());
            let body = issue.body.as_ref().map_or(0, String::len);
            let bytes = (comments.sum::<usize>() + body) as u64;
            // Fails if the call was cancelled or exceeds its memory.
            let _held = call::reserve(bytes * BYTES_PER_BYTE).map_err(GitError::from)?;
            if self.matches(issue, &query, &linked) {
                issues.push(issue);
            }
        }
        issues.sort_by_key(|issue| {
            let reacted = |content: &str| {
                issue
                    .reactions
                    .iter()
                    .filter(|it| it.content == content)
                    .count() as i64
            };
            let first = match sorted.by.as_str() {
                "comments" => issue.comments.len() as i64,
                "updated" => issue.updated_at.0,
                "reactions" => issue.reactions.len() as i64,
                "interactions" => (issue.reactions.len() + issue.comments.len()) as i64,
                by => match by.strip_prefix("reactions-") {
                    Some(content) => reacted(content),
                    None => issue.created_at.0,
                },
            };
            (first, issue.number)
        });
        if !sorted.ascending {
            issues.reverse();
        }
        let total = issues.len();
        let items = issues.into_iter().page(page).map(|issue| self.issue(issue));
        Ok(found(total, items.collect()))
    }

    fn matches(&self, issue: &Issue, query: &Query, linked: &OnceCell<Linked>) -> bool {
        let places: Vec<&str> = query.values("in").flat_map(|it| it.split(',')).collect();
        let everywhere = places.is_empty();
        let mut texts = Vec::new();
        if everywhere || places.contains(&"title") {
            texts.push(issue.title.as_str());
        }
        if everywhere || places.contains(&"body") {
            texts.extend(issue.body.as_deref());
        }
        if everywhere || places.contains(&"comments") {
            texts.extend(issue.comments.iter().map(|comment| comment.body.as_str()));
        }
        let words = OnceCell::new();
        // Texts that can mention users, in lower case. They are cached because a query may contain many users.
        let said = OnceCell::new();
        query.fits(|term| match term {
            Term::Text(word) => words.get_or_init(|| Words::new(&texts)).hold(word),
            Term::Qualifier { name, value } => self.has(issue, name, value, linked, &said),
        })
    }

    /// Reports whether an issue matches a qualifier.
    fn has(
        &self,
        issue: &Issue,
        asked: &str,
        value: &str,
        linked: &OnceCell<Linked>,
        said: &OnceCell<Texts>,
    ) -> bool {
        if let Some(is_here) = self.is_place(asked, value) {
            return is_here;
        }
        let viewer = self.hub.repository.viewer.as_str();
        let login = if value == "@me" { viewer } else { value };
        let is = |name: &String| name.eq_ignore_ascii_case(login);
        let pull = issue.pull.as_deref();
        let commented = || issue.comments.iter().any(|comment| is(&comment.user));
        let mentioned = || {
            let said = said.get_or_init(|| {
                let comments = issue.comments.iter().map(|it| it.body.as_str());
                let texts: Vec<&str> = issue.body.as_deref().into_iter().chain(comments).collect();
                Texts::new(&texts)
            });
            said.hold(&format!("@{}", login.to_lowercase()))
        };
        let at = |time: Option<Time>| time.is_some_and(|time| on(time, value));
        match asked {
            "is" | "type" | "state" => match value.to_lowercase().as_str() {
                "issue" => pull.is_none(),
                "pr" | "pull-request" => pull.is_some(),
                "open" => issue.state == State::Open,
                "closed" => issue.state == State::Closed,
                "merged" => pull.is_some_and(|pull| pull.merged_at.is_some()),
                "unmerged" => pull.is_some_and(|pull| pull.merged_at.is_none()),
                "draft" => pull.is_some_and(|pull| pull.draft),
                "locked" => issue.locked,
                "unlocked" => !issue.locked,
                "public" if asked == "is" => !self.hub.repository.private,
                "private" if asked == "is" => self.hub.repository.private,
                _ => {
                    asked == "type"
                        && issue
                            .kind
                            .as_deref()
                            .is_some_and(|it| it.eq_ignore_ascii_case(value))
                }
            },
            "draft" => pull.is_some_and(|pull| pull.draft == (value == "true")),
            "label" => value.split(',').any(|wanted| {
                let wanted = wanted.trim_matches('"');
                issue
                    .labels
                    .iter()
                    .any(|label| label.eq_ignore_ascii_case(wanted))
            }),
            "author" => is(&issue.user),
            "assignee" => {
                issue.assignees.iter().any(is) || (value == "*" && !issue.assignees.is_empty())
            }
            "commenter" => commented(),
            "mentions" => mentioned(),
            "involves" => {
                is(&issue.user) || issue.assignees.iter().any(is) || commented() || mentioned()
            }
            "milestone" => {
                let milestone = issue
                    .milestone
                    .and_then(|number| self.hub.milestones.get(&number));
                milestone.is_some_and(|it| it.title.eq_ignore_ascii_case(value) || value == "*")
            }
            "no" => match value {
                "label" => issue.labels.is_empty(),
                "assignee" => issue.assignees.is_empty(),
                "milestone" => issue.milestone.is_none(),
                _ => true,
            },
            "reason" => issue
                .state_reason
                .as_deref()
                .is_some_and(|reason| reason.replace('_', " ") == value.replace(['_', '-'], " ")),
            "comments" => compares(&issue.comments.len(), value, |it| it.parse().ok()),
            "reactions" => compares(&issue.reactions.len(), value, |it| it.parse().ok()),
            "created" => on(issue.created_at, value),
            "updated" => on(issue.updated_at, value),
            "closed" => at(issue.closed_at),
            "merged" => at(pull.and_then(|pull| pull.merged_at)),
            "head" => pull.is_some_and(|pull| pull.head.starts_with(value)),
            "base" => pull.is_some_and(|pull| pull.base == value),
            "review" => pull.is_some_and(|pull| match value {
                "none" => pull.reviews.iter().all(|it| it.submitted_at.is_none()),
                status => self.review_status(issue, pull) == status,
            }),
            "review-requested" | "user-review-requested" => {
                pull.is_some_and(|pull| pull.requested_reviewers.iter().any(is))
            }
            "reviewed-by" => pull.is_some_and(|pull| {
                let mut submitted = pull.reviews.iter().filter(|it| it.submitted_at.is_some());
                submitted.any(|review| is(&review.user))
            }),
            "interactions" => {
                let interactions = issue.reactions.len() + issue.comments.len();
                compares(&interactions, value, |it| it.parse().ok())
            }
            "linked" => {
                let is_sort = match value {
                    "pr" => pull.is_none(),
                    "issue" => pull.is_some(),
                    _ => false,
                };
                is_sort && linked.get_or_init(|| self.linked()).contains(&issue.number)
            }
            "status" => pull.is_some_and(|pull| {
                let head = self.ends(pull).ok();
                let statuses = head.map(|(_, head)| self.statuses(head, true));
                statuses.is_some_and(|it| !it.is_empty() && combined_state(&it) == value)
            }),
            "archived" => value == "false",
            // Projects and teams do not exist.
            _ => false,
        }
    }

    /// Pull requests whose texts close issues, and these issues.
    fn linked(&self) -> Linked {
        let repository = &self.hub.repository;
        let mut linked = Linked::new();
        for (pull, _) in self.hub.pulls() {
            let text = pull.body.as_deref().unwrap_or_default();
            for number in crate::hub::closes(text, &repository.owner, &repository.name) {
                let closed = self.hub.issues.get(&number);
                if closed.is_some_and(|closed| closed.pull.is_none()) {
                    linked.extend([number, pull.number]);
                }
            }
        }
        linked
    }

    /// Reports whether the text of a pull request closes an issue.
    pub(crate) fn closes(&self, pull: &Issue, issue: &Issue) -> bool {
        let repository = &self.hub.repository;
        let text = pull.body.as_deref().unwrap_or_default();
        crate::hub::closes(text, &repository.owner, &repository.name).contains(&issue.number)
    }

    /// Searches the files of the default branch.
    pub(crate) fn search_code(&self, text: &str, page: Page) -> Answer<Value> {
        let query = Query::parse(text, OF_CODE);
        self.check_searchable("code", text, &query, &Sorted::default(), page)?;
        let tip = self.git.branch(&self.hub.repository.default_branch);
        let mut items = Vec::new();
        if let Some(tip) = tip {
            for entry in self.git.walk(self.git.tree_of(tip)?)? {
                let file = matches!(entry.kind, EntryKind::File | EntryKind::Executable);
                if file && self.has_code(&entry, &query)? {
                    items.push(entry);
                }
            }
        }
        let total = items.len();
        let mut repository = self.repository();
        if let Value::Object(keys) = &mut repository {
            let known = keys
                .iter()
                .take_while(|(key, _)| *key != "created_at")
                .count();
            *keys = std::mem::take(keys).into_iter().take(known).collect();
        }
        let view = |entry: Entry| {
            let (path, id) = (&entry.path, entry.id);
            json!({
                "name": entry.name(),
                "path": path,
                "sha": id.to_string(),
                "url": self.api(&format!("/contents/{path}?ref={}", tip.map(|it| it.to_string()).unwrap_or_default())),
                "git_url": self.api(&format!("/git/blobs/{id}")),
                "html_url": self.html(&format!("/blob/{}/{path}", tip.map(|it| it.to_string()).unwrap_or_default())),
                "repository": repository,
                "score": 1.0,
            })
        };
        let items = items.into_iter().page(page).map(view);
        Ok(found(total, items.collect()))
    }

    fn has_code(&self, entry: &Entry, query: &Query) -> Answer<bool> {
        let path = entry.path.to_lowercase();
        let name = entry.name().to_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let places: Vec<&str> = query.values("in").flat_map(|it| it.split(',')).collect();
        let (in_path, in_file) = (places != ["file"], places != ["path"]);
        // Read on demand, because most files are excluded by their paths.
        let mut content: Option<Option<String>> = None;
        let mut says = |value: &str| -> Answer<Option<bool>> {
            if content.is_none() {
                content = Some(self.searched(entry)?);
            }
            let text = content.as_ref().and_then(Option::as_deref);
            Ok(text.map(|text| text.contains(value)))
        };
        query.holds(|term| {
            let (name_of, value) = match term {
                Term::Text(word) => ("", word.to_lowercase()),
                Term::Qualifier { name, value } => (name.as_str(), value.to_lowercase()),
            };
            if let Some(is_here) = self.is_place(name_of, &value) {
                return Ok(is_here);
            }
            Ok(match name_of {
                "path" => path.contains(value.trim_start_matches('/')),
                "filename" => name.contains(&value),
                "extension" => extension == value.trim_start_matches('.'),
                "language" | "lang" => language(extension) == value,
                "size" => {
                    let size = self.git.size(entry.id)?;
                    compares(&size, &value, |it| it.parse().ok())
                }
                "fork" => value != "only",
                "content" | "symbol" => says(&value)? == Some(true),
                _ if !in_file => path.contains(&value),
                // A file whose content is not searched is not found by its path either.
                _ => says(&value)?.is_some_and(|says| says || in_path && path.contains(&value)),
            })
        })
    }

    /// Text of a file, in lower case. `None` if it is binary or too large.
    fn searched(&self, entry: &Entry) -> Answer<Option<String>> {
        let bytes = self.git.blob(entry.id)?;
        if bytes.len() > SEARCHED || crate::git::is_binary(&bytes) {
            return Ok(None);
        }
        Ok(Some(String::from_utf8_lossy(&bytes).to_lowercase()))
    }

    /// Searches the commits of the default branch. They are sorted by descending time by default.
    pub(crate) fn search_commits(&self, text: &str, sorted: &Sorted, page: Page) -> Answer<Value> {
        let query = Query::parse(text, OF_COMMITS);
        self.check_searchable("commits", text, &query, sorted, page)?;
        let sorted = sorted.or_of(&query);
        let tip = self.git.branch(&self.hub.repository.default_branch);
        let mut commits = Vec::new();
        if let Some(tip) = tip {
            for id in self.git.newest_first([tip], [])? {
                let commit = self.git.commit(id?)?;
                let message = OnceCell::new();
                let message = || message.get_or_init(|| Words::new(&[commit.message.as_str()]));
                let has = |term: &Term| match term {
                    Term::Text(word) => message().hold(word),
                    Term::Qualifier { name, value } => match self.is_place(name, value) {
                        Some(is_here) => is_here,
                        None => has_commit(self, &commit, name, value),
                    },
                };
                if query.fits(has) {
                    commits.push(commit);
                }
            }
        }
        match sorted.by.as_str() {
            "author-date" => commits.sort_by_key(|it| std::cmp::Reverse(it.author.seconds)),
            _ => commits.sort_by_key(|it| std::cmp::Reverse(it.committer.seconds)),
        }
        if sorted.ascending {
            commits.reverse();
        }
        let total = commits.len();
        let view = |commit: &Commit| {
            let mut view = self.commit(commit);
            view["repository"] = self.repository();
            view["score"] = 1.0.into();
            view
        };
        Ok(found(total, commits.iter().page(page).map(view).collect()))
    }

    /// Searches users and organisations.
    pub(crate) fn search_users(&self, text: &str, page: Page) -> (usize, Vec<&User>) {
        let query = Query::parse(text, OF_USERS);
        let kind = |user: &User| match user.kind.as_deref() {
            Some("Organization") => "org",
            _ => "user",
        };
        let fits = |user: &&User| {
            let name = user.name.as_deref().unwrap_or_default();
            let email = user.email.as_deref().unwrap_or_default();
            let texts = match query.values("in").next() {
                Some("login") => vec![user.login.as_str()],
                Some("name") => vec![name],
                Some("email") => vec![email],
                _ => vec![user.login.as_str(), name, email],
            };
            let texts = Texts::new(&texts);
            query.fits(|term| match term {
                Term::Text(word) => texts.hold(word),
                Term::Qualifier { name, value } => match name.as_str() {
                    "type" => value == kind(user),
                    "user" | "org" => value.eq_ignore_ascii_case(&user.login),
                    "location" => {
                        let location = user.location.as_deref().unwrap_or_default();
                        location.to_lowercase().contains(&value.to_lowercase())
                    }
                    _ => true,
                },
            })
        };
        let users: Vec<&User> = self.hub.users.values().filter(fits).collect();
        (users.len(), users.into_iter().page(page).collect())
    }

    /// Reports whether a query matches the repository.
    pub(crate) fn is_found(&self, text: &str) -> bool {
        let query = Query::parse(text, OF_REPOSITORIES);
        let repository = &self.hub.repository;
        let topics = repository.topics.join(" ");
        let full = self.full_name();
        let description = repository.description.as_deref().unwrap_or_default();
        let texts = Texts::new(&[full.as_str(), description, &topics]);
        let visibility = if repository.private {
            "private"
        } else {
            "public"
        };
        query.fits(|term| match term {
            Term::Text(word) => texts.hold(word),
            Term::Qualifier { name, value } => match name.as_str() {
                "topic" => repository.topics.iter().any(|topic| topic == value),
                "is" => value == visibility,
                "stars" | "forks" => compares(&0, value, |it| it.parse().ok()),
                "archived" => value == "false",
                name => self.is_place(name, value).unwrap_or(true),
            },
        })
    }
}

impl Sorted {
    /// Returns the requested order, or else that of a qualifier such as `sort:created-asc`.
    fn or_of(&self, query: &Query) -> Self {
        let said = query.values("sort").last();
        let (Some(said), true) = (said, self.by.is_empty()) else {
            return self.clone();
        };
        let (by, ascending) = match (said.strip_suffix("-asc"), said.strip_suffix("-desc")) {
            (Some(by), _) => (by, true),
            (_, Some(by)) => (by, false),
            _ => (said, false),
        };
        Self {
            by: by.to_owned(),
            ascending,
        }
    }
}

/// Reports whether a commit matches a qualifier.
fn has_commit(repo: &RepositoryState, commit: &Commit, asked: &str, value: &str) -> bool {
    let account = |who: &Identity| {
        let user = repo.hub.user(value);
        user.is_some_and(|user| repo.hub.is_email_of(&who.email, user))
    };
    let named = |who: &Identity| who.name.to_lowercase().contains(&value.to_lowercase());
    let sent = |who: &Identity| who.email.eq_ignore_ascii_case(value);
    let id = ObjectId::from_hex(value.as_bytes()).ok();
    match asked {
        "author" => account(&commit.author),
        "committer" => account(&commit.committer),
        "author-name" => named(&commit.author),
        "committer-name" => named(&commit.committer),
        "author-email" => sent(&commit.author),
        "committer-email" => sent(&commit.committer),
        "author-date" => on(Time(commit.author.seconds), value),
        "committer-date" => on(Time(commit.committer.seconds), value),
        "hash" => commit.id.to_string().starts_with(value),
        "tree" => id == Some(commit.tree),
        "parent" => commit.parents.iter().any(|it| id == Some(*it)),
        "merge" => (commit.parents.len() > 1) == (value == "true"),
        "is" => (value == "private") == repo.hub.repository.private,
        _ => false,
    }
}

/// Reports whether a time matches a comparison with a day or a time.
fn on(time: Time, asked: &str) -> bool {
    if asked.contains('T') {
        compares(&time, asked, Time::parse)
    } else {
        compares(&time.day(), asked, |day| Some(day.to_owned()))
    }
}

/// Language of a file name extension, in lower case.
fn language(extension: &str) -> &str {
    match extension {
        "rs" => "rust",
        "py" => "python",
        "js" | "mjs" | "cjs" | "jsx" => "javascript",
        "ts" | "tsx" => "typescript",
        "rb" => "ruby",
        "md" => "markdown",
        "sh" | "bash" => "shell",
        "yml" => "yaml",
        "h" => "c",
        "cc" | "cpp" | "hpp" => "c++",
        "cs" => "c#",
        "kt" => "kotlin",
        other => other,
    }
}
