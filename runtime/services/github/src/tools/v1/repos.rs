//! Tools for files, commits, tags, releases and collaborators, with shortened results.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{minimal, tool_error};
use crate::api::{FileOrDirectory, Link, Paged, PutFile, RepositoryName, Sorted};
use crate::git::{EntryKind, Filter, ObjectId};
use crate::hub::{Time, User};
use crate::repository::RepositoryState;
use crate::tools::arguments::Arguments;
use crate::tools::files::Resolved;
use crate::tools::{Failure, Outcome, Output, files, protocol_error, shaped, written};
use crate::view::{guess_type, percent_encoded};

/// Minimum size of files that are returned as a link, in bytes.
const LARGE: usize = 1024 * 1024;

pub(super) fn get_file_contents(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let path = with.optional_text("path")?;
    let path = path.strip_prefix('/').unwrap_or(&path).to_owned();
    let reference = with.optional_text("ref")?;
    let sha = with.optional_text("sha")?;
    let fields = with.texts("fields")?;
    let (resolved, note) = resolve(repo, &at, &reference, &sha).map_err(|problem| {
        Failure::ToolError(format!("failed to resolve git reference: {problem}"))
    })?;
    let Ok((found, commit)) = repo.get_contents(&at, &path, &resolved.sha) else {
        return suggested(files::suggest(repo, &at, &path, &resolved)?);
    };
    let entry = match found {
        FileOrDirectory::Directory(entries) => {
            let mut list = Vec::new();
            for entry in &entries {
                let view = repo.content(entry, &resolved.sha)?;
                list.push(crate::tools::go::shaped("RepositoryContent", view));
            }
            return if fields.is_empty() {
                written(&list.into())
            } else {
                written(&minimal::filtered(list, &fields))
            };
        }
        FileOrDirectory::File(entry) => entry,
    };
    let uri = format!(
        "repo://{}/{}/sha/{}/contents/{}",
        at.owner,
        at.repo,
        percent_encoded(&resolved.sha, b""),
        percent_encoded(&path, b"/")
    );
    if entry.kind == EntryKind::Submodule {
        let tree = repo.git.tree_of(commit)?;
        let url = repo.git.submodule_url(tree, &path)?;
        let mut view = json!({"type": "submodule", "path": path, "sha": entry.id.to_string()});
        tell(&mut view, "git_url", url.unwrap_or_default());
        tell(&mut view, "note", note.trim());
        return written(&view);
    }
    let link = match entry.kind {
        EntryKind::Symlink => Some(repo.link(commit, &entry)?),
        _ => None,
    };
    // The description of a symlink replaces the text about the file.
    let of_link = |content: &str| {
        let link = link.as_ref()?;
        let mut view = json!({"type": "symlink", "path": path, "sha": entry.id.to_string()});
        tell(&mut view, "target", link.target.as_str());
        tell(
            &mut view,
            "resolved_path",
            link.path.as_deref().unwrap_or_default(),
        );
        tell(&mut view, "content", content);
        tell(&mut view, "note", note.trim());
        Some(crate::tools::go::json(&view))
    };
    let file = link
        .as_ref()
        .map_or(Some(&entry), |link| link.file.as_ref());
    let Some(file) = file else {
        return Ok(Output::Text(of_link("not_returned").unwrap_or_default()));
    };
    let worded = |words: String| of_link("dereferenced_target").unwrap_or(words);
    let bytes = repo.git.blob(file.id)?;
    if bytes.is_empty() {
        let resource = json!({"uri": uri, "mimeType": "text/plain", "text": ""});
        let words = format!(
            "successfully downloaded empty file (SHA: {}){note}",
            entry.id
        );
        return Ok(Output::Resource(worded(words), resource));
    }
    if bytes.len() >= LARGE {
        let address = repo.content(&entry, &resolved.sha)?["download_url"].clone();
        let words = format!(
            "File {path} is too large to display ({} bytes). Use the download URL to fetch the content: {} (SHA: {}){note}",
            bytes.len(),
            address.as_str().unwrap_or_default(),
            entry.id
        );
        let title = match link.as_ref().and_then(|link| link.path.as_ref()) {
            Some(target) => format!("Dereferenced target {target} via symlink {path}"),
            None => format!("File: {path}"),
        };
        let resource = json!({
            "type": "resource_link", "uri": uri, "name": entry.name(), "title": title,
            "size": bytes.len(),
        });
        return Ok(Output::Link(worded(words), resource));
    }
    let kind = guess_type("", &bytes);
    let (what, resource) = if kind.starts_with("text/") {
        (
            "text",
            json!({"uri": uri, "mimeType": kind, "text": crate::tools::go::text(&bytes)}),
        )
    } else {
        (
            "binary",
            json!({"uri": uri, "mimeType": kind, "blob": STANDARD.encode(&bytes)}),
        )
    };
    let words = format!(
        "successfully downloaded {what} file (SHA: {}){note}",
        entry.id
    );
    Ok(Output::Resource(worded(words), resource))
}

/// Error of writing to a symlink, with the alternatives.
fn blocked(path: &str, link: &Link) -> Failure {
    let mut view =
        json!({"error": "symlink_write_requires_opt_in", "path": path, "target": link.target});
    let first = match &link.path {
        Some(target) => {
            tell(&mut view, "resolved_path", target.as_str());
            format!("Edit target: create_or_update_file path={target:?}.")
        }
        None => "Target is outside this repository.".to_owned(),
    };
    let way = format!(
        "{first} Retarget link: allow_symlink_write=true. Replace with a file: push_files path={path:?}."
    );
    Failure::SaidWith(crate::tools::go::json(&view), way)
}

/// Sets a key if the text is not empty.
fn tell(view: &mut Value, key: &str, text: impl Into<String>) {
    let text = text.into();
    if !text.is_empty() {
        view[key] = text.into();
    }
}

/// Resolves a reference or a commit id in the same way as this version of the server: a reference can also be an id,
/// and the default branch replaces a missing `main`. Also returns a note about the replacement.
fn resolve(
    repo: &RepositoryState,
    at: &RepositoryName,
    reference: &str,
    sha: &str,
) -> Result<(Resolved, String), String> {
    let is_id = |text: &str| text.len() == 40 && text.bytes().all(|c| c.is_ascii_hexdigit());
    if sha.is_empty() && is_id(reference) {
        return Ok((files::resolve(repo, at, "", reference)?, String::new()));
    }
    match files::resolve(repo, at, reference, sha) {
        Err(_) if matches!(reference, "main" | "heads/main" | "refs/heads/main") => {
            let default = files::resolve(repo, at, "", "")?;
            let note = format!(
                " Note: the provided ref '{reference}' does not exist, default branch '{}' was used instead.",
                default.reference
            );
            Ok((default, note))
        }
        found => Ok((found?, String::new())),
    }
}

/// Rewords a result with suggested paths for this version.
fn suggested(output: Output) -> Outcome {
    let Output::Text(text) = output else {
        return Ok(output);
    };
    let start = "Path did not point to a file or directory, but resolved git ref to ";
    let parts = text.strip_prefix(start);
    let parts = parts.and_then(|rest| rest.split_once(" with possible path matches: "));
    Ok(Output::Text(match parts {
        Some((refs, paths)) => format!(
            "Resolved potential matches in the repository tree (resolved refs: {refs}, matching files: {paths})."
        ),
        None => text,
    }))
}

pub(super) fn create_or_update_file(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let path = with.text("path")?;
    let file = PutFile {
        path: path.strip_prefix('/').unwrap_or(&path).to_owned(),
        content: with.text("content")?.into_bytes(),
        message: with.text("message")?,
        branch: with.text("branch")?,
        sha: Some(with.optional_text("sha")?).filter(|sha| !sha.is_empty()),
        author: None,
        committer: None,
    };
    let allow_links = with.given_bool("allow_symlink_write")?.unwrap_or(false);
    let (branch, path) = (&file.branch, &file.path);
    match repo.get_contents(&at, path, branch) {
        Ok((FileOrDirectory::Directory(_), _)) => {
            return Err(Failure::ToolError(format!(
                "Path {path} is a directory, not a file. This tool only works with files."
            )));
        }
        Ok((FileOrDirectory::File(entry), commit)) => match &file.sha {
            None => {
                return Err(Failure::ToolError(format!(
                    "File already exists at {path}. You must provide the current file's SHA when updating. Use git \
                     rev-parse {branch}:{path} to get the blob SHA, then retry with the sha parameter."
                )));
            }
            Some(sha) if ObjectId::from_hex(sha.as_bytes()).ok() != Some(entry.id) => {
                return Err(Failure::ToolError(format!(
                    "SHA mismatch: provided SHA {sha} is stale. Current file SHA is {}. Pull the latest changes and \
                     use git rev-parse {branch}:{path} to get the current SHA.",
                    entry.id
                )));
            }
            Some(_) if entry.kind == EntryKind::Symlink && !allow_links => {
                return Err(blocked(path, &repo.link(commit, &entry)?));
            }
            Some(_) => {}
        },
        Err(_) => {}
    }
    let file = PutFile {
        path: files::written_path(repo, &at, path)?,
        ..file
    };
    let answer = repo.put_contents(&at, &file);
    let answer = answer.map_err(tool_error("failed to create/update file"))?;
    let author = minimal::picked(&answer["commit"]["author"], "name email date");
    let mut commit = minimal::picked(&answer["commit"], "sha! message html_url");
    commit["author"] = author;
    written(&json!({
        "content": minimal::picked(&answer["content"], "name! path! sha! size html_url!"),
        "commit": commit,
    }))
}

pub(super) fn get_commit(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let sha = with.text("sha")?;
    let detail = with.optional_text("detail")?;
    let (files, patches) = match detail.as_str() {
        "none" => (false, false),
        "" | "stats" => (true, false),
        "full_patch" => (true, true),
        other => {
            return Err(Failure::ToolError(format!(
                "invalid detail {other:?}: must be one of none, stats, full_patch"
            )));
        }
    };
    let commit = repo.get_commit(&at, &sha, with.page()?);
    let commit = commit.map_err(tool_error(format!("failed to get commit: {sha}")))?;
    written(&minimal::commit(&commit, files, patches))
}

pub(super) fn list_commits(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let sha = with.optional_text("sha")?;
    let time = |name: &str| -> Result<Option<i64>, Failure> {
        let text = with.optional_text(name)?;
        if text.is_empty() {
            return Ok(None);
        }
        let day = || Time::parse(&format!("{text}T00:00:00Z"));
        match Time::parse(&text).or_else(day) {
            Some(time) => Ok(Some(time.0)),
            None => Err(Failure::ToolError(format!(
                "invalid {name} timestamp: invalid ISO 8601 timestamp: {text} (supported formats: \
                 YYYY-MM-DDThh:mm:ssZ or YYYY-MM-DD)"
            ))),
        }
    };
    let path = with.optional_text("path")?;
    let path = path.trim_matches('/');
    let filter = Filter {
        author: repo.by_author(&with.optional_text("author")?),
        path: (!path.is_empty()).then(|| path.to_owned()),
        since: time("since")?,
        until: time("until")?,
    };
    let commits = repo.list_commits(&at, &sha, filter, with.page()?);
    let commits = commits.map_err(tool_error(format!("failed to list commits: {sha}")))?;
    let short = |commit| minimal::commit(&repo.commit(commit), false, false);
    minimal::listed(with, commits.iter().map(short).collect())
}

pub(super) fn search_commits(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let query = with.text("query")?;
    let sorted = Sorted {
        by: with.optional_text("sort")?,
        ascending: with.optional_text("order")? == "asc",
    };
    let found = repo.search_commits(&query, &sorted, with.page()?);
    let mut found = found.map_err(tool_error(format!(
        "failed to search commits with query '{query}'"
    )))?;
    let short = |view: Value| {
        let mut kept = minimal::commit(&view, false, false);
        kept["repository"] = minimal::picked(&view["repository"], "full_name! html_url private");
        kept
    };
    let items = minimal::entries(found["items"].take())?;
    let items: Vec<Value> = items.into_iter().map(short).collect();
    written(&json!({
        "total_count": found["total_count"], "incomplete_results": false, "items": items,
    }))
}

pub(super) fn search_code(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let query = with.text("query")?;
    with.optional_text("sort")?;
    with.optional_text("order")?;
    let fields = with.texts("fields")?;
    let found = repo.search_code(&query, with.page()?);
    let mut found = found.map_err(tool_error(format!(
        "failed to search code with query '{query}'"
    )))?;
    let short = |view: Value| {
        json!({
            "name": view["name"], "path": view["path"], "sha": view["sha"],
            "repository": view["repository"]["full_name"],
        })
    };
    let items = minimal::entries(found["items"].take())?;
    let items: Vec<Value> = items.into_iter().map(short).collect();
    let total = &found["total_count"];
    if fields.is_empty() {
        written(&json!({"total_count": total, "incomplete_results": false, "items": items}))
    } else {
        let items = minimal::filtered(items, &fields);
        written(&json!({"incomplete_results": false, "items": items, "total_count": total}))
    }
}

pub(super) fn list_tags(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let tags = repo.list_tags(&at, with.page()?);
    let tags = minimal::entries(tags.map_err(tool_error("failed to list tags"))?)?;
    let short = |tag: &Value| json!({"name": tag["name"], "sha": tag["commit"]["sha"]});
    written(&tags.iter().map(short).collect())
}

/// Returns the tag object of an annotated tag, or the ref of a lightweight one.
pub(super) fn get_tag(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let name = format!("refs/tags/{}", with.text("tag")?);
    let found = repo.get_ref(&at, &name);
    let (_, id) = found.map_err(tool_error("failed to get tag reference"))?;
    match repo.git.tag(id)? {
        Some(tag) => shaped("Tag", repo.annotated_tag(&tag)),
        None => shaped("Reference", repo.reference(&name, id)?),
    }
}

pub(super) fn list_releases(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let releases = repo.list_releases(&at, with.page()?);
    let releases = releases.map_err(protocol_error("failed to list releases"))?;
    let releases = minimal::entries(releases)?;
    minimal::listed(with, releases.into_iter().map(minimal::release).collect())
}

pub(super) fn get_release_by_tag(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let tag = with.text("tag")?;
    let release = repo.get_release_by_tag(&at, &tag);
    let during = format!("failed to get release by tag: {tag}");
    shaped("RepositoryRelease", release.map_err(tool_error(during))?)
}

/// Always fails with 403, because a world keeps its one repository.
pub(super) fn delete_repository(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let call = repo.call(&at, "DELETE", "");
    let call = call.map_err(tool_error("failed to delete repository"))?;
    let refusal = call.refuse(403, "Must have admin rights to Repository.");
    Err(tool_error("failed to delete repository")(refusal))
}

pub(super) fn collaborators(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    with.optional_text("affiliation")?;
    let page = with.page()?;
    let call = repo.call(&at, "GET", "/collaborators");
    call.map_err(tool_error("failed to list collaborators"))?;
    let all = repo.members();
    let short = |user: &&User| {
        let view = repo.user(&user.login);
        json!({"login": view["login"], "id": view["id"], "role_name": repo.role(user)})
    };
    let shown: Vec<Value> = all.iter().page(page).map(short).collect();
    let next = page.skipped() + shown.len() < all.len();
    written(&json!({
        "collaborators": shown,
        "pagination": {
            "hasNextPage": next,
            "nextPage": if next { page.number + 1 } else { 0 },
        },
    }))
}
