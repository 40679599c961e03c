//! The repository itself, its files, commits, branches and tags.

use serde_json::{Value, json};

use super::asked::Asked;
use super::git_data::{from_lines, in_lines};
use super::reply::{Outcome, Reply};
use super::{actions, created, nothing, ok, remarks};
use crate::api::{Answer, At, Call, MOST_FILES, Named, Page, Paged, PutFile};
use crate::git::{Change, Entry, EntryKind, Filter, ObjectId};
use crate::hub::Time;
use crate::view::{Site, guess_type};

/// Larger files are shown without their bytes.
const SHOWN: u64 = 1024 * 1024;

/// The segments before the path of a file: `repos`, the owner, the repository and `contents`.
const BEFORE_PATH: usize = 4;

/// What may follow a commit in a path; its name may have slashes of its own.
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
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (asked.method, below) {
        ("GET", []) => ok(in_full(site)),
        ("GET", ["topics"]) => ok(json!({"names": site.hub.repository.topics})),
        ("GET", ["languages"]) => languages(site),
        ("GET", ["contents", path @ ..]) => contents(site, asked, at, &path.join("/")),
        ("PUT", ["contents", ..]) => put(site, asked, at, call, &asked.path_after(BEFORE_PATH)),
        ("DELETE", ["contents", ..]) => {
            let path = asked.path_after(BEFORE_PATH);
            let file = file(site, asked, call, &path, Vec::new())?;
            ok(site.delete_contents(at, &file)?)
        }
        ("GET", ["readme"]) => readme(site, asked, at, call),
        ("GET", ["commits"]) => commits(site, asked, at),
        ("GET", ["commits", name @ .., last]) if !name.is_empty() && OF_COMMIT.contains(last) => {
            of_commit(site, asked, call, &name.join("/"), last)
        }
        ("GET", ["commits", name @ ..]) => commit(site, asked, at, call, &name.join("/")),
        ("GET", ["statuses", name @ ..]) => {
            of_commit(site, asked, call, &name.join("/"), "statuses")
        }
        ("GET", ["compare", ends @ ..]) => compare(site, asked, at, &ends.join("/")),
        ("POST", ["forks"]) => {
            let problem = "Resource not accessible by personal access token";
            Err(call.refuse(403, problem))
        }
        ("POST", ["merges"]) => merge(site, asked, at, call),
        ("GET", ["branches"]) => branches(site, asked, at),
        ("GET", ["branches", name @ .., "protection"]) if !name.is_empty() => {
            protection(site, call, &name.join("/"))
        }
        ("GET", ["branches", name @ ..]) => branch(site, call, &name.join("/")),
        ("GET", ["tags"]) => Ok(Reply::list(asked, site.list_tags(at, Page::ALL)?)),
        _ => nothing(call),
    }
}

/// The repository, with what its lists leave out.
pub(super) fn in_full(site: &Site) -> Value {
    let mut view = site.repository();
    let repository = &site.hub.repository;
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

/// The bytes of each language on the default branch, the most first.
fn languages(site: &Site) -> Outcome {
    let all = site.languages()?;
    let pairs = all
        .iter()
        .map(|(name, size)| ((*name).to_owned(), (*size).into()));
    ok(Value::Object(pairs.collect()))
}

/// The bytes at a path of a ref, as the host of raw files gives them. The ref may have slashes: the shortest that
/// names a commit counts.
pub(super) fn raw(site: &Site, call: &Call, rest: &[&str]) -> Outcome {
    let rest = match rest {
        ["refs", "heads" | "tags", rest @ ..] => rest,
        rest => rest,
    };
    for end in 1..rest.len() {
        let Some(commit) = site.git.resolve(&rest[..end].join("/"))? else {
            continue;
        };
        let path = rest[end..].join("/");
        let entry = site.git.entry(site.git.tree_of(commit)?, &path)?;
        if let Some(entry) = entry.filter(|entry| entry.kind.object() == "blob") {
            let bytes = site.git.blob(entry.id)?;
            return Ok(Reply::bytes(guess_type(&path, &bytes), bytes));
        }
    }
    nothing(call)
}

fn contents(site: &Site, asked: &Asked<'_>, at: &Named, path: &str) -> Outcome {
    let reference = asked.parameter("ref");
    let (found, commit) = site.get_contents(at, path, reference)?;
    let shown = match reference {
        "" => site.hub.repository.default_branch.as_str(),
        reference => reference,
    };
    match found {
        At::File(entry) => file_view(site, asked, &entry, commit, shown),
        At::Directory(entries) => {
            let mut list = Vec::new();
            for entry in &entries {
                list.push(site.content(entry, shown)?);
            }
            if asked.wants("object") {
                ok(json!({"type": "dir", "path": path, "entries": list}))
            } else {
                ok(list.into())
            }
        }
    }
}

fn file_view(
    site: &Site,
    asked: &Asked<'_>,
    entry: &Entry,
    commit: ObjectId,
    reference: &str,
) -> Outcome {
    let mut view = site.content(entry, reference)?;
    if entry.kind == EntryKind::Submodule {
        let tree = site.git.tree_of(commit)?;
        let url = site.git.submodule_url(tree, &entry.path)?;
        view["submodule_git_url"] = url.into();
        return ok(view);
    }
    let link = match entry.kind {
        EntryKind::Symlink => Some(site.link(commit, entry)?),
        _ => None,
    };
    // A link to a file is shown as that file, under the path and the id of its own.
    let bytes = match link.as_ref().and_then(|link| link.file.as_ref()) {
        Some(file) => {
            let bytes = site.git.blob(file.id)?;
            view["type"] = "file".into();
            view["size"] = bytes.len().into();
            bytes
        }
        None => site.git.blob(entry.id)?,
    };
    if asked.wants("raw") {
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

fn readme(site: &Site, asked: &Asked<'_>, at: &Named, call: &Call) -> Outcome {
    let reference = asked.parameter("ref");
    let (At::Directory(entries), commit) = site.get_contents(at, "", reference)? else {
        return nothing(call);
    };
    let shown = match reference {
        "" => site.hub.repository.default_branch.as_str(),
        reference => reference,
    };
    let is = |entry: &&Entry| {
        let name = entry.name().to_lowercase();
        entry.kind == EntryKind::File && (name == "readme" || name.starts_with("readme."))
    };
    match entries.iter().find(is) {
        Some(entry) => file_view(site, asked, entry, commit, shown),
        None => nothing(call),
    }
}

/// The file that a request is about.
fn file(
    site: &Site,
    asked: &Asked<'_>,
    call: &Call,
    path: &str,
    content: Vec<u8>,
) -> Answer<PutFile> {
    let fields = asked.fields(call)?;
    let (message, sha) = (fields.needed("message")?, fields.text("sha")?);
    let branch = fields.text("branch")?;
    let now = site.hub.now;
    if asked.method == "DELETE" && sha.is_none() {
        fields.needed("sha")?;
    }
    Ok(PutFile {
        path: path.to_owned(),
        content,
        message,
        branch: branch.unwrap_or_else(|| site.hub.repository.default_branch.clone()),
        sha: sha.filter(|sha| !sha.is_empty()),
        author: fields.identity("author", now)?,
        committer: fields.identity("committer", now)?,
    })
}

fn put(site: &mut Site, asked: &Asked<'_>, at: &Named, call: &Call, path: &str) -> Outcome {
    let content = asked.fields(call)?.needed("content")?;
    let content =
        from_lines(&content).ok_or_else(|| call.refuse(422, "content is not valid Base64"))?;
    let file = file(site, asked, call, path, content)?;
    let new = file.sha.is_none();
    let answer = site.put_contents(at, &file)?;
    if new { created(answer) } else { ok(answer) }
}

fn commits(site: &Site, asked: &Asked<'_>, at: &Named) -> Outcome {
    let time = |name: &str| Time::parse(asked.parameter(name)).map(|time| time.0);
    let path = asked.parameter("path").trim_matches('/');
    let filter = Filter {
        path: (!path.is_empty()).then(|| path.to_owned()),
        author: site.by_author(asked.parameter("author")),
        since: time("since"),
        until: time("until"),
    };
    let all = site.list_commits(at, asked.parameter("sha"), filter, Page::ALL)?;
    let (page, total) = (asked.page(), all.len());
    let views = all.iter().page(page).map(|commit| site.commit(commit));
    Ok(Reply::json(200, views.collect()).paged(page, total))
}

fn commit(site: &Site, asked: &Asked<'_>, at: &Named, call: &Call, name: &str) -> Outcome {
    if asked.wants("sha") {
        let id = site.find_commit(call, name)?.to_string();
        let kind = "application/vnd.github.sha; charset=utf-8";
        return Ok(Reply::bytes(kind, id.into_bytes()));
    }
    if asked.wants("patch") {
        let id = site.find_commit(call, name)?;
        return Ok(patch(site.git.mails(&[id])?));
    }
    if asked.wants("diff") {
        let commit = site.git.commit(site.find_commit(call, name)?)?;
        let text: String = site.changes_of(&commit)?.iter().map(Change::text).collect();
        return Ok(diff(text));
    }
    let page = asked.page_of(MOST_FILES as i64);
    ok(site.get_commit(at, name, page)?)
}

/// A difference as `git diff` writes it.
pub(super) fn diff(text: String) -> Reply {
    let kind = "application/vnd.github.diff; charset=utf-8";
    Reply::bytes(kind, text.into_bytes())
}

/// Commits as `git format-patch` writes them.
pub(super) fn patch(text: String) -> Reply {
    let kind = "application/vnd.github.patch; charset=utf-8";
    Reply::bytes(kind, text.into_bytes())
}

fn of_commit(site: &Site, asked: &Asked<'_>, call: &Call, name: &str, what: &str) -> Outcome {
    let id = site.find_commit(call, name)?;
    match what {
        "status" | "statuses" | "check-runs" | "check-suites" => {
            actions::of_commit(site, asked, id, what)
        }
        "comments" => remarks::on_commit(site, asked, id),
        "branches-where-head" => {
            let heads = site.git.refs_below("refs/heads/");
            let heads = heads.filter(|(_, tip)| *tip == id);
            ok(heads.map(|(name, tip)| site.branch(name, tip)).collect())
        }
        "pulls" => {
            let mut all = Vec::new();
            for (issue, pull) in site.hub.pulls() {
                all.push((issue, pull, site.ends(pull)?));
            }
            let ends = all.iter().flat_map(|(.., (base, head))| [*base, *head]);
            let with_it = site.git.descendants_among(id, ends)?;
            let sha = id.to_string();
            all.retain(|(_, pull, (base, head))| {
                let merged = pull.merge_commit_sha.as_ref() == Some(&sha);
                merged || with_it.contains(head) && !with_it.contains(base)
            });
            Reply::page(asked, all, |(issue, pull, _)| Ok(site.pull(issue, pull)))
        }
        _ => nothing(call),
    }
}

fn compare(site: &Site, asked: &Asked<'_>, at: &Named, ends: &str) -> Outcome {
    if asked.wants("patch") {
        return Ok(patch(site.compare_mails(at, ends)?));
    }
    if asked.wants("diff") {
        return Ok(diff(site.compare_diff(at, ends)?));
    }
    // Without a page up to 250 commits are shown.
    let page = match asked.parameter("per_page") {
        "" => asked.page().sized(250),
        _ => asked.page(),
    };
    let (view, total) = site.compare(at, ends, page)?;
    Ok(Reply::json(200, view).paged(page, total))
}

fn merge(site: &mut Site, asked: &Asked<'_>, at: &Named, call: &Call) -> Outcome {
    let fields = asked.fields(call)?;
    let (base, head) = (fields.needed("base")?, fields.needed("head")?);
    let message = fields.text("commit_message")?;
    match site.merge_branches(at, &base, &head, message)? {
        Some(id) => created(site.commit(&site.git.commit(id)?)),
        None => Ok(Reply::empty()),
    }
}

fn branches(site: &Site, asked: &Asked<'_>, at: &Named) -> Outcome {
    let mut all = site.list_branches(at, Page::ALL)?;
    if let (Some(list), wanted @ ("true" | "false")) =
        (all.as_array_mut(), asked.parameter("protected"))
    {
        list.retain(|branch| branch["protected"] == (wanted == "true"));
    }
    Ok(Reply::list(asked, all))
}

fn branch(site: &Site, call: &Call, name: &str) -> Outcome {
    ok(whole_branch(site, call, name)?)
}

/// A branch with its commit and its rules.
pub(super) fn whole_branch(site: &Site, call: &Call, name: &str) -> Answer<Value> {
    let Some(tip) = site.git.branch(name) else {
        return Err(call.refuse(404, "Branch not found"));
    };
    let mut view = site.branch(name, tip);
    view["commit"] = site.commit(&site.git.commit(tip)?);
    let protected = view["protected"].take();
    if let Some(fields) = view.as_object_mut() {
        fields.remove("protected");
    }
    let own = site.api(&format!("/branches/{name}"));
    view["_links"] = json!({"self": own, "html": site.html(&format!("/tree/{name}"))});
    view["protection"] = json!({
        "enabled": protected,
        "required_status_checks": {"enforcement_level": "off", "contexts": [], "checks": []},
    });
    view["protected"] = protected;
    view["protection_url"] = format!("{own}/protection").into();
    Ok(view)
}

fn protection(site: &Site, call: &Call, name: &str) -> Outcome {
    if site.git.branch(name).is_none() {
        return Err(call.refuse(404, "Branch not found"));
    }
    let Some(rules) = site.hub.repository.protected_branches.get(name) else {
        return Err(call.refuse(404, "Branch not protected"));
    };
    let url = site.api(&format!("/branches/{name}/protection"));
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
