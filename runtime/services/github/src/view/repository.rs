//! Repository, branches, tags, refs, labels, milestones and releases.

use serde_json::{Value, json};

use super::{Viewed, time};
use crate::git::ObjectId;
use crate::hub::{Kind, Label, Milestone, Release, State, Time};
use crate::repository::RepositoryState;

impl RepositoryState {
    /// Main language of the repository. Null if there is none, or if the files cannot be read. Operations that return
    /// the files report the error.
    fn language(&self) -> Value {
        let all = self.languages().unwrap_or_default();
        all.first().map_or(Value::Null, |(name, _)| (*name).into())
    }

    /// Repository in full.
    pub(crate) fn repository(&self) -> Value {
        let repository = &self.hub.repository;
        let full = self.full_name();
        let id = Kind::Repository.of_name(&full);
        let open = self
            .hub
            .issues
            .values()
            .filter(|it| it.state == State::Open)
            .count();
        let visibility = if repository.private {
            "private"
        } else {
            "public"
        };
        let updated = self.hub.now.0.max(repository.created_at.0);
        let mut view = json!({
            "id": id,
            "node_id": Kind::Repository.node_id(id),
            "name": repository.name,
            "full_name": full,
            "private": repository.private,
            "owner": self.user(&repository.owner),
            "html_url": self.html(""),
            "description": repository.description,
            "fork": false,
            "url": self.api(""),
        });
        let below = [
            ("forks_url", "/forks"),
            ("keys_url", "/keys{/key_id}"),
            ("collaborators_url", "/collaborators{/collaborator}"),
            ("teams_url", "/teams"),
            ("hooks_url", "/hooks"),
            ("issue_events_url", "/issues/events{/number}"),
            ("events_url", "/events"),
            ("assignees_url", "/assignees{/user}"),
            ("branches_url", "/branches{/branch}"),
            ("tags_url", "/tags"),
            ("blobs_url", "/git/blobs{/sha}"),
            ("git_tags_url", "/git/tags{/sha}"),
            ("git_refs_url", "/git/refs{/sha}"),
            ("trees_url", "/git/trees{/sha}"),
            ("statuses_url", "/statuses/{sha}"),
            ("languages_url", "/languages"),
            ("stargazers_url", "/stargazers"),
            ("contributors_url", "/contributors"),
            ("subscribers_url", "/subscribers"),
            ("subscription_url", "/subscription"),
            ("commits_url", "/commits{/sha}"),
            ("git_commits_url", "/git/commits{/sha}"),
            ("comments_url", "/comments{/number}"),
            ("issue_comment_url", "/issues/comments{/number}"),
            ("contents_url", "/contents/{+path}"),
            ("compare_url", "/compare/{base}...{head}"),
            ("merges_url", "/merges"),
            ("archive_url", "/{archive_format}{/ref}"),
            ("downloads_url", "/downloads"),
            ("issues_url", "/issues{/number}"),
            ("pulls_url", "/pulls{/number}"),
            ("milestones_url", "/milestones{/number}"),
            (
                "notifications_url",
                "/notifications{?since,all,participating}",
            ),
            ("labels_url", "/labels{/name}"),
            ("releases_url", "/releases{/id}"),
            ("deployments_url", "/deployments"),
        ];
        for (key, path) in below {
            view[key] = self.api(path).into();
        }
        let rest = json!({
            "created_at": repository.created_at,
            "updated_at": Time(updated),
            "pushed_at": Time(updated),
            "git_url": format!("git://github.com/{}.git", self.full_name()),
            "ssh_url": format!("git@github.com:{}.git", self.full_name()),
            "clone_url": self.html(".git"),
            "svn_url": self.html(""),
            "homepage": null,
            "size": 0,
            "stargazers_count": 0,
            "watchers_count": 0,
            "language": self.language(),
            "has_issues": true,
            "has_projects": true,
            "has_downloads": true,
            "has_wiki": true,
            "has_pages": false,
            "has_discussions": false,
            "forks_count": 0,
            "mirror_url": null,
            "archived": false,
            "disabled": false,
            "open_issues_count": open,
            "license": null,
            "allow_forking": true,
            "is_template": false,
            "web_commit_signoff_required": false,
            "topics": repository.topics,
            "visibility": visibility,
            "forks": 0,
            "open_issues": open,
            "watchers": 0,
            "default_branch": repository.default_branch,
        });
        if let (Value::Object(view), Value::Object(rest)) = (&mut view, rest) {
            view.extend(rest);
        }
        view
    }

    /// Branch in a list.
    pub(crate) fn branch(&self, name: &str, tip: ObjectId) -> Value {
        json!({
            "name": name,
            "commit": {"sha": tip.to_string(), "url": self.api(&format!("/commits/{tip}"))},
            "protected": self.hub.repository.protected_branches.contains_key(name),
        })
    }

    /// Ref, by its full name.
    pub(crate) fn reference(&self, name: &str, id: ObjectId) -> Viewed {
        let kind = if self.git.tag(id)?.is_some() {
            "tag"
        } else {
            "commit"
        };
        let collection = if kind == "tag" { "tags" } else { "commits" };
        Ok(json!({
            "ref": name,
            "node_id": Kind::Repository.node_id(Kind::User.of_name(name)).replacen("R_", "REF_", 1),
            "url": self.api(&format!("/git/{name}")),
            "object": {
                "sha": id.to_string(),
                "type": kind,
                "url": self.api(&format!("/git/{collection}/{id}")),
            },
        }))
    }

    /// Tag in a list.
    pub(crate) fn tag(&self, name: &str, commit: ObjectId) -> Value {
        json!({
            "name": name,
            "zipball_url": self.api(&format!("/zipball/refs/tags/{name}")),
            "tarball_url": self.api(&format!("/tarball/refs/tags/{name}")),
            "commit": {"sha": commit.to_string(), "url": self.api(&format!("/commits/{commit}"))},
            "node_id": format!("REF_{name}"),
        })
    }

    /// Label with a name. Null if it does not exist.
    pub(crate) fn label(&self, name: &str) -> Value {
        match self.hub.labels.get(&name.to_lowercase()) {
            Some(label) => self.whole_label(label),
            None => Value::Null,
        }
    }

    /// Label.
    pub(crate) fn whole_label(&self, label: &Label) -> Value {
        let id = Kind::Label.of_name(&label.name);
        json!({
            "id": id,
            "node_id": Kind::Label.node_id(id),
            "url": self.api(&format!("/labels/{}", label.name.replace(' ', "%20"))),
            "name": label.name,
            "color": label.color,
            "default": matches!(label.name.as_str(), "bug" | "documentation" | "duplicate" | "enhancement"
                | "good first issue" | "help wanted" | "invalid" | "question" | "wontfix"),
            "description": label.description,
        })
    }

    /// Milestone.
    pub(crate) fn milestone(&self, milestone: &Milestone) -> Value {
        let number = milestone.number;
        let id = Kind::Milestone.id(number);
        let count = |state| {
            let its = |issue: &&crate::hub::Issue| {
                issue.milestone == Some(number) && issue.state == state
            };
            self.hub.issues.values().filter(its).count()
        };
        json!({
            "url": self.api(&format!("/milestones/{number}")),
            "html_url": self.html(&format!("/milestone/{number}")),
            "labels_url": self.api(&format!("/milestones/{number}/labels")),
            "id": id,
            "node_id": Kind::Milestone.node_id(id),
            "number": number,
            "title": milestone.title,
            "description": milestone.description,
            "creator": self.user(milestone.creator.as_deref().unwrap_or(&self.hub.repository.owner)),
            "open_issues": count(State::Open),
            "closed_issues": count(State::Closed),
            "state": milestone.state.as_str(),
            "created_at": milestone.created_at,
            "updated_at": milestone.updated_at,
            "due_on": time(milestone.due_on),
            "closed_at": time(milestone.closed_at),
        })
    }

    /// Release.
    pub(crate) fn release(&self, release: &Release) -> Value {
        let id = Kind::Release.id(release.id);
        let tag = &release.tag_name;
        let url = self.api(&format!("/releases/{id}"));
        json!({
            "url": url,
            "assets_url": format!("{url}/assets"),
            "upload_url": format!("https://uploads.github.com/repos/{}/releases/{id}/assets{{?name,label}}", self.full_name()),
            "html_url": self.html(&format!("/releases/tag/{tag}")),
            "id": id,
            "author": self.user(&release.author),
            "node_id": Kind::Release.node_id(id),
            "tag_name": tag,
            "target_commitish": match release.target_commitish.as_str() {
                "" => self.hub.repository.default_branch.as_str(),
                target => target,
            },
            "name": release.name,
            "draft": release.draft,
            "prerelease": release.prerelease,
            "created_at": release.created_at,
            "published_at": time(release.published_at),
            "assets": [],
            "tarball_url": self.api(&format!("/tarball/{tag}")),
            "zipball_url": self.api(&format!("/zipball/{tag}")),
            "body": release.body,
        })
    }
}
