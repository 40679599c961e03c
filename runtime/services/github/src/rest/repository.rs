//! Endpoints for the repository, its files, commits, branches and tags.

use serde_json::{Value, json};

use super::git_data::{from_lines, in_lines};
use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use super::{actions, created, nothing, ok, remarks};
use crate::api::{Answer, Call, FileOrDirectory, MAX_FILES, Page, Paged, PutFile, RepositoryName};
use crate::git::{Change, Entry, EntryKind, Filter, ObjectId};
use crate::hub::Time;
use crate::repository::RepositoryState;
use crate::view::guess_type;

/// Maximum size of a file that is returned with its content, in bytes.
const SHOWN: u64 = 1024 * 1024;

/// Number of segments before the path of a file: `repos`, owner, repository and `contents`.
const BEFORE_PATH: usize = 4;

/// Path segments that can follow a commit. They are matched from the end, because a ref can contain slashes.
const OF_COMMIT: [&str; 8] = [
    "status",
    "statuses",
    "check-runs",
    "check-suites",
    "pulls",
    "comments",
    "branches-where-head",
    "commits",
];

pub(super) fn route(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (request.method, below) {
        ("GET", []) => ok(in_full(repo)),
        ("GET", ["topics"]) => ok(json!({"names": repo.hub.repository.topics})),
        ("GET", ["languages"]) => languages(repo),
        ("GET", ["contents", path @ ..]) => contents(repo, request, at, &path.join("/")),
        ("PUT", ["contents", ..]) => put(repo, request, at, call, &request.path_after(BEFORE_PATH)),
        ("DELETE", ["contents", ..]) => {
            let path = request.path_after(BEFORE_PATH);
            let file = file(repo, request, call, &path, Vec::new())?;
            ok(repo.delete_contents(at, &file)?)
        }
        ("GET", ["readme"]) => readme(repo, request, at, call),
        ("GET", ["commits"]) => commits(repo, request, at),
        ("GET", ["commits", name @ .., last]) if !name.is_empty() && OF_COMMIT.contains(last) => {
            of_commit(repo, request, call, &name.join("/"), last)
        }
        ("GET", ["commits", name @ ..]) => commit(repo, request, at, call, &name.join("/")),
        ("GET", ["statuses", name @ ..]) => {
            of_commit(repo, request, call, &name.join("/"), "statuses")
        }
        ("GET", ["compare", ends @ ..]) => compare(repo, request, at, &ends.join("/")),
        ("POST", ["forks"]) => {
            let problem = "Resource not accessible by personal access token";
            Err(call.refuse(403, problem))
        }
        ("POST", ["merges"]) => merge(repo, request, at, call),
        ("GET", ["branches"]) => branches(repo, request, at),
        ("GET", ["branches", name @ .., "protection"]) if !name.is_empty() => {
            protection(repo, call, &name.join("/"))
        }
        ("GET", ["branches", name @ ..]) => branch(repo, call, &name.join("/")),
        ("GET", ["tags"]) => Ok(Reply::list(request, repo.list_tags(at, Page::ALL)?)),
        _ => nothing(call),
    }
}

/// Repository with the fields that lists omit.
pub(super) fn in_full(repo: &RepositoryState) -> Value {
    let mut view = repo.repository();
    let repository = &repo.hub.repository;
    view["permissions"] =
        json!({"admin": true, "maintain": true, "push": true, "triage": true, "pull": true});
    view["allow_squash_merge"] = repository.allow_squash_merge.into();
    view["allow_merge_commit"] = repository.allow_merge_commit.into();
    view["allow_rebase_merge"] = repository.allow_rebase_merge.into();
    view["delete_branch_on_merge"] = false.into();
    view["network_count"] = 0.into();
    view["subscribers_count"] = 0.into();
    view
}

/// Number of bytes of each language on the default branch, in descending order.
fn languages(repo: &RepositoryState) -> Outcome {
    let all = repo.languages()?;
    let pairs = all
        .iter()
        .map(|(name, size)| ((*name).to_owned(), (*size).into()));
    ok(Value::Object(pairs.collect()))
}

/// Raw file at a path of a ref. The ref can contain slashes: prefixes of the path are tried from the shortest, until
/// one names a commit that has the rest as a file.
pub(super) fn raw(repo: &RepositoryState, call: &Call, rest: &[&str]) -> Outcome {
    let rest = match rest {
        ["refs", "heads" | "tags", rest @ ..] => rest,
        rest => rest,
    };
    for end in 1..rest.len() {
        let Some(commit) = repo.git.resolve(&rest[..end].join("/"))? else {
            continue;
        };
        let path = rest[end..].join("/");
        let entry = repo.git.entry(repo.git.tree_of(commit)?, &path)?;
        if let Some(entry) = entry.filter(|entry| entry.kind.object() == "blob") {
            let bytes = repo.git.blob(entry.id)?;
            return Ok(Reply::bytes(guess_type(&path, &bytes), bytes));
        }
    }
    nothing(call)
}

fn contents(
    repo: &RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    path: &str,
) -> Outcome {
    let reference = request.parameter("ref");
    let (found, commit) = repo.get_contents(at, path, reference)?;
    let shown = match reference {
        "" => repo.hub.repository.default_branch.as_str(),
        reference => reference,
    };
    match found {
        FileOrDirectory::File(entry) => file_view(repo, request, &entry, commit, shown),
        FileOrDirectory::Directory(entries) => {
            let mut list = Vec::new();
            for entry in &entries {
                list.push(repo.content(entry, shown)?);
            }
            if request.wants("object") {
                ok(json!({"type": "dir", "path": path, "entries": list}))
            } else {
                ok(list.into())
            }
        }
    }
}

fn file_view(
    repo: &RepositoryState,
    request: &Request<'_>,
    entry: &Entry,
    commit: ObjectId,
    reference: &str,
) -> Outcome {
    let mut view = repo.content(entry, reference)?;
    if entry.kind == EntryKind::Submodule {
        let tree = repo.git.tree_of(commit)?;
        let url = repo.git.submodule_url(tree, &entry.path)?;
        view["submodule_git_url"] = url.into();
        return ok(view);
    }
    let link = match entry.kind {
        EntryKind::Symlink => Some(repo.link(commit, entry)?),
        _ => None,
    };
    // A symlink to a file is returned as that file, but with its own path and id.
    let bytes = match link.as_ref().and_then(|link| link.file.as_ref()) {
        Some(file) => {
            let bytes = repo.git.blob(file.id)?;
            view["type"] = "file".into();
            view["size"] = bytes.len().into();
            bytes
        }
        None => repo.git.blob(entry.id)?,
    };
    if request.wants("raw") {
        return Ok(Reply::bytes(
            "application/vnd.github.raw; charset=utf-8",
            bytes,
        ));
    }
    let links = view["_links"].take();
    if let Some(fields) = view.as_object_mut() {
        fields.remove("_links");
    }
    if let Some(link) = link.filter(|link| link.file.is_none()) {
        view["target"] = link.target.into();
    } else if bytes.len() as u64 > SHOWN {
        view["content"] = "".into();
        view["encoding"] = "none".into();
    } else {
        view["content"] = in_lines(&bytes).into();
        view["encoding"] = "base64".into();
    }
    view["_links"] = links;
    ok(view)
}

fn readme(
    repo: &RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
) -> Outcome {
    let reference = request.parameter("ref");
    let (FileOrDirectory::Directory(entries), commit) = repo.get_contents(at, "", reference)?
    else {
        return nothing(call);
    };
    let shown = match reference {
        "" => repo.hub.repository.default_branch.as_str(),
        reference => reference,
    };
    let is = |entry: &&Entry| {
        let name = entry.name().to_lowercase();
        entry.kind == EntryKind::File && (name == "readme" || name.starts_with("readme."))
    };
    match entries.iter().find(is) {
        Some(entry) => file_view(repo, request, entry, commit, shown),
        None => nothing(call),
    }
}

/// Parses a request to write or delete a file.
fn file(
    repo: &RepositoryState,
    request: &Request<'_>,
    call: &Call,
    path: &str,
    content: Vec<u8>,
) -> Answer<PutFile> {
    let fields = request.fields(call)?;
    let (message, sha) = (fields.needed("message")?, fields.text("sha")?);
    let branch = fields.text("branch")?;
    let now = repo.hub.now;
    if request.method == "DELETE" && sha.is_none() {
        fields.needed("sha")?;
    }
    Ok(PutFile {
        path: path.to_owned(),
        content,
        message,
        branch: branch.unwrap_or_else(|| repo.hub.repository.default_branch.clone()),
        sha: sha.filter(|sha| !sha.is_empty()),
        author: fields.identity("author", now)?,
        committer: fields.identity("committer", now)?,
    })
}

fn put(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    path: &str,
) -> Outcome {
    let content = request.fields(call)?.needed("content")?;
    let content =
        from_lines(&content).ok_or_else(|| call.refuse(422, "content is not valid Base64"))?;
    let file = file(repo, request, call, path, content)?;
    let new = file.sha.is_none();
    let answer = repo.put_contents(at, &file)?;
    if new { created(answer) } else { ok(answer) }
}

fn commits(repo: &RepositoryState, request: &Request<'_>, at: &RepositoryName) -> Outcome {
    let time = |name: &str| Time::parse(request.parameter(name)).map(|time| time.0);
    let path = request.parameter("path").trim_matches('/');
    let filter = Filter {
        path: (!path.is_empty()).then(|| path.to_owned()),
        author: repo.by_author(request.parameter("author")),
        since: time("since"),
        until: time("until"),
    };
    let all = repo.list_commits(at, request.parameter("sha"), filter, Page::ALL)?;
    let (page, total) = (request.page(), all.len());
    let views = all.iter().page(page).map(|commit| repo.commit(commit));
    Ok(Reply::json(200, views.collect()).paged(page, total))
}

fn commit(
    repo: &RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    name: &str,
) -> Outcome {
    if request.wants("sha") {
        let id = repo.find_commit(call, name)?.to_string();
        let kind = "application/vnd.github.sha; charset=utf-8";
        return Ok(Reply::bytes(kind, id.into_bytes()));
    }
    if request.wants("patch") {
        let id = repo.find_commit(call, name)?;
        return Ok(patch(repo.git.mails(&[id])?));
    }
    if request.wants("diff") {
        let commit = repo.git.commit(repo.find_commit(call, name)?)?;
        let text: String = repo.changes_of(&commit)?.iter().map(Change::text).collect();
        return Ok(diff(text));
    }
    let page = request.page_of(MAX_FILES as i64);
    ok(repo.get_commit(at, name, page)?)
}

/// Response with a diff in the format of `git diff`.
pub(super) fn diff(text: String) -> Reply {
    let kind = "application/vnd.github.diff; charset=utf-8";
    Reply::bytes(kind, text.into_bytes())
}

/// Response with commits in the format of `git format-patch`.
pub(super) fn patch(text: String) -> Reply {
    let kind = "application/vnd.github.patch; charset=utf-8";
    Reply::bytes(kind, text.into_bytes())
}

fn of_commit(
    repo: &RepositoryState,
    request: &Request<'_>,
    call: &Call,
    name: &str,
    what: &str,
) -> Outcome {
    let id = repo.find_commit(call, name)?;
    match what {
        "status" | "statuses" | "check-runs" | "check-suites" => {
            actions::of_commit(repo, request, id, what)
        }
        "comments" => remarks::on_commit(repo, request, id),
        "branches-where-head" => {
            let heads = repo.git.refs_below("refs/heads/");
            let heads = heads.filter(|(_, tip)| *tip == id);
            ok(heads.map(|(name, tip)| repo.branch(name, tip)).collect())
        }
        "pulls" => {
            let mut all = Vec::new();
            for (issue, pull) in repo.hub.pulls() {
                all.push((issue, pull, repo.ends(pull)?));
            }
            let ends = all.iter().flat_map(|(.., (base, head))| [*base, *head]);
            let with_it = repo.git.descendants_among(id, ends)?;
            let sha = id.to_string();
            all.retain(|(_, pull, (base, head))| {
                let merged = pull.merge_commit_sha.as_ref() == Some(&sha);
                merged || with_it.contains(head) && !with_it.contains(base)
            });
            Reply::page(request, all, |(issue, pull, _)| Ok(repo.pull(issue, pull)))
        }
        _ => nothing(call),
    }
}

fn compare(
    repo: &RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    ends: &str,
) -> Outcome {
    if request.wants("patch") {
        return Ok(patch(repo.compare_mails(at, ends)?));
    }
    if request.wants("diff") {
        return Ok(diff(repo.compare_diff(at, ends)?));
    }
    // By default, up to 250 commits are returned.
    let page = match request.parameter("per_page") {
        "" => request.page().sized(250),
        _ => request.page(),
    };
    let (view, total) = repo.compare(at, ends, page)?;
    Ok(Reply::json(200, view).paged(page, total))
}

fn merge(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
) -> Outcome {
    let fields = request.fields(call)?;
    let (base, head) = (fields.needed("base")?, fields.needed("head")?);
    let message = fields.text("commit_message")?;
    match repo.merge_branches(at, &base, &head, message)? {
        Some(id) => created(repo.commit(&repo.git.commit(id)?)),
        None => Ok(Reply::empty()),
    }
}

fn branches(repo: &RepositoryState, request: &Request<'_>, at: &RepositoryName) -> Outcome {
    let mut all = repo.list_branches(at, Page::ALL)?;
    if let (Some(list), wanted @ ("true" | "false")) =
        (all.as_array_mut(), request.parameter("protected"))
    {
        list.retain(|branch| branch["protected"] == (wanted == "true"));
    }
    Ok(Reply::list(request, all))
}

fn branch(repo: &RepositoryState, call: &Call, name: &str) -> Outcome {
    ok(whole_branch(repo, call, name)?)
}

/// Branch with its commit and its protection.
pub(super) fn whole_branch(repo: &RepositoryState, call: &Call, name: &str) -> Answer<Value> {
    let Some(tip) = repo.git.branch(name) else {
        return Err(call.refuse(404, "Branch not found"));
    };
    let mut view = repo.branch(name, tip);
    view["commit"] = repo.commit(&repo.git.commit(tip)?);
    let protected = view["protected"].take();
    if let Some(fields) = view.as_object_mut() {
        fields.remove("protected");
    }
    let own = repo.api(&format!("/branches/{name}"));
    view["_links"] = json!({"self": own, "html": repo.html(&format!("/tree/{name}"))});
    view["protection"] = json!({
        "enabled": protected,
        "required_status_checks": {"enforcement_level": "off", "contexts": [], "checks": []},
    });
    view["protected"] = protected;
    view["protection_url"] = format!("{own}/protection").into();
    Ok(view)
}

fn protection(repo: &RepositoryState, call: &Call, name: &str) -> Outcome {
    if repo.git.branch(name).is_none() {
        return Err(call.refuse(404, "Branch not found"));
    }
    let Some(rules) = repo.hub.repository.protected_branches.get(name) else {
        return Err(call.refuse(404, "Branch not protected"));
    };
    let url = repo.api(&format!("/branches/{name}/protection"));
    let mut view = json!({"url": url});
    if rules.required_approvals > 0 || rules.pull_requests_only {
        view["required_pull_request_reviews"] = json!({
            "url": format!("{url}/required_pull_request_reviews"),
            "dismiss_stale_reviews": false,
            "require_code_owner_reviews": false,
            "required_approving_review_count": rules.required_approvals,
        });
    }
    if rules.up_to_date || !rules.required_checks.is_empty() {
        let check = |name: &String| json!({"context": name, "app_id": null});
        view["required_status_checks"] = json!({
            "url": format!("{url}/required_status_checks"),
            "strict": rules.up_to_date,
            "contexts": rules.required_checks,
            "checks": rules.required_checks.iter().map(check).collect::<Vec<_>>(),
        });
    }
    view["allow_force_pushes"] = json!({"enabled": false});
    view["allow_deletions"] = json!({"enabled": false});
    ok(view)
}
