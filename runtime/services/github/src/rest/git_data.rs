//! Endpoints below `/git`: blobs, trees, commits, refs and annotated tags.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::parsed_request::{Request, object};
use super::reply::{Outcome, Reply};
use super::{created, nothing, ok};
use crate::api::{Answer, Call, NewCommit, RepositoryName, TreeContent, TreeFile};
use crate::git::{EntryKind, ObjectId};
use crate::repository::RepositoryState;

pub(super) fn route(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (request.method, below) {
        ("GET", ["ref", name @ ..]) => {
            let (name, id) = repo.get_ref(at, &name.join("/"))?;
            ok(repo.reference(&name, id)?)
        }
        ("GET", ["matching-refs", name @ ..]) => matching(repo, request, &name.join("/")),
        // Legacy endpoint: one ref, or all refs with this prefix.
        ("GET", ["refs", name @ ..]) => match repo.get_ref(at, &name.join("/")) {
            Ok((name, id)) if !below[1..].is_empty() => ok(repo.reference(&name, id)?),
            _ => matching(repo, request, &name.join("/")),
        },
        ("POST", ["refs"]) => {
            let fields = request.fields(call)?;
            let (name, sha) = (fields.needed("ref")?, fields.needed("sha")?);
            created(repo.create_ref(at, &name, &sha)?)
        }
        ("PATCH", ["refs", name @ ..]) => {
            let fields = request.fields(call)?;
            let sha = fields.needed("sha")?;
            let force = fields.truth("force")?.unwrap_or(false);
            ok(repo.update_ref(at, &format!("refs/{}", name.join("/")), &sha, force)?)
        }
        ("DELETE", ["refs", name @ ..]) => {
            repo.delete_ref(at, &format!("refs/{}", name.join("/")))?;
            Ok(Reply::empty())
        }
        ("GET", ["blobs", sha]) => blob(repo, request, call, sha),
        ("POST", ["blobs"]) => create_blob(repo, request, call),
        ("GET", ["trees", sha @ ..]) => tree(repo, request, call, &sha.join("/")),
        ("POST", ["trees"]) => create_tree(repo, request, at, call),
        ("GET", ["commits", sha]) => {
            let id = typed(repo, call, sha, "commit")?;
            ok(repo.git_commit(&repo.git.commit(id)?))
        }
        ("POST", ["commits"]) => {
            let fields = request.fields(call)?;
            let now = repo.hub.now;
            let new = NewCommit {
                message: fields.needed("message")?,
                tree: fields.needed("tree")?,
                parents: fields.texts("parents")?.unwrap_or_default(),
                author: fields.identity("author", now)?,
                committer: fields.identity("committer", now)?,
            };
            let id = repo.create_commit(at, new)?;
            created(repo.git_commit(&repo.git.commit(id)?))
        }
        ("GET", ["tags", sha]) => {
            let id = typed(repo, call, sha, "tag")?;
            match repo.git.tag(id)? {
                Some(tag) => ok(repo.annotated_tag(&tag)),
                None => nothing(call),
            }
        }
        ("POST", ["tags"]) => {
            let fields = request.fields(call)?;
            let (name, message) = (fields.needed("tag")?, fields.needed("message")?);
            let target = fields.needed("object")?;
            let kind = fields.needed("type")?;
            let target = object(&target);
            let found = match target {
                Some(id) => repo.git.kind(id)?,
                None => None,
            };
            let Some(target) = target.filter(|_| found == Some(kind.as_str())) else {
                return Err(call.refuse(422, "Invalid object"));
            };
            let tagger = fields.identity("tagger", repo.hub.now)?;
            let tagger = tagger.unwrap_or_else(|| repo.identity(&repo.viewer()));
            let id = repo.git.write_tag(&name, target, &tagger, &message)?;
            match repo.git.tag(id)? {
                Some(tag) => created(repo.annotated_tag(&tag)),
                None => nothing(call),
            }
        }
        _ => nothing(call),
    }
}

/// Lists the refs with a prefix, which is given without `refs/`.
fn matching(repo: &RepositoryState, request: &Request<'_>, begin: &str) -> Outcome {
    let mut list = Vec::new();
    for (rest, id) in repo.git.refs_below(&format!("refs/{begin}")) {
        list.push(repo.reference(&format!("refs/{begin}{rest}"), id)?);
    }
    Ok(Reply::list(request, list.into()))
}

/// Finds an object of a given kind by its full id.
fn typed(repo: &RepositoryState, call: &Call, sha: &str, kind: &str) -> Answer<ObjectId> {
    let id = object(sha).ok_or_else(|| call.not_found())?;
    match repo.git.kind(id)? {
        Some(known) if known == kind => Ok(id),
        _ => Err(call.not_found()),
    }
}

fn blob(repo: &RepositoryState, request: &Request<'_>, call: &Call, sha: &str) -> Outcome {
    let id = typed(repo, call, sha, "blob")?;
    let bytes = repo.git.blob(id)?;
    if request.wants("raw") {
        return Ok(Reply::bytes(
            "application/vnd.github.raw; charset=utf-8",
            bytes,
        ));
    }
    ok(json!({
        "sha": id.to_string(),
        "node_id": format!("B_{id}"),
        "size": bytes.len(),
        "url": repo.api(&format!("/git/blobs/{id}")),
        "content": in_lines(&bytes),
        "encoding": "base64",
    }))
}

/// Encodes bytes in base64 with lines of sixty characters, as GitHub does.
pub(super) fn in_lines(bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let mut lines = String::with_capacity(text.len() + text.len() / 60 + 1);
    for (place, character) in text.chars().enumerate() {
        if place > 0 && place % 60 == 0 {
            lines.push('\n');
        }
        lines.push(character);
    }
    if !text.is_empty() {
        lines.push('\n');
    }
    lines
}

/// Decodes base64, ignoring white space.
pub(super) fn from_lines(text: &str) -> Option<Vec<u8>> {
    let text: String = text
        .chars()
        .filter(|it| !it.is_ascii_whitespace())
        .collect();
    STANDARD.decode(text).ok()
}

fn create_blob(repo: &RepositoryState, request: &Request<'_>, call: &Call) -> Outcome {
    let fields = request.fields(call)?;
    let content = fields.needed("content")?;
    let bytes = match fields.text("encoding")?.as_deref() {
        None | Some("utf-8") => content.into_bytes(),
        Some("base64") => {
            from_lines(&content).ok_or_else(|| call.refuse(422, "content is not valid Base64"))?
        }
        Some(_) => return Err(call.refuse(422, "encoding is none of utf-8 and base64")),
    };
    let id = repo.git.write_blob(&bytes)?;
    created(json!({"sha": id.to_string(), "url": repo.api(&format!("/git/blobs/{id}"))}))
}

/// Finds the tree of a tree id, a branch, a tag or a commit.
fn find_tree(repo: &RepositoryState, text: &str) -> Answer<Option<ObjectId>> {
    if let Some(id) = object(text)
        && repo.git.kind(id)? == Some("tree")
    {
        return Ok(Some(id));
    }
    match repo.git.resolve(text)? {
        Some(commit) => Ok(Some(repo.git.tree_of(commit)?)),
        None => Ok(None),
    }
}

fn tree(repo: &RepositoryState, request: &Request<'_>, call: &Call, text: &str) -> Outcome {
    let id = find_tree(repo, text)?.ok_or_else(|| call.not_found())?;
    // Any value counts as true, even `false`.
    let recursive = !request.parameter("recursive").is_empty();
    ok(shown(repo, id, recursive)?)
}

fn shown(repo: &RepositoryState, id: ObjectId, recursive: bool) -> Answer<Value> {
    let entries = if recursive {
        repo.git.walk(id)?
    } else {
        repo.git.entries(id, "")?
    };
    let mut list = Vec::new();
    for entry in entries {
        let mut view = json!({
            "path": entry.path,
            "mode": entry.kind.mode(),
            "type": entry.kind.object(),
            "sha": entry.id.to_string(),
        });
        match entry.kind.object() {
            "blob" => {
                view["size"] = repo.git.size(entry.id)?.into();
                view["url"] = repo.api(&format!("/git/blobs/{}", entry.id)).into();
            }
            "tree" => view["url"] = repo.api(&format!("/git/trees/{}", entry.id)).into(),
            _ => {}
        }
        list.push(view);
    }
    Ok(json!({
        "sha": id.to_string(),
        "url": repo.api(&format!("/git/trees/{id}")),
        "tree": list,
        "truncated": false,
    }))
}

fn create_tree(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
) -> Outcome {
    let fields = request.fields(call)?;
    let base = match fields.text("base_tree")? {
        None => ObjectId::empty_tree(gix::hash::Kind::Sha1),
        Some(text) => find_tree(repo, &text)?
            .ok_or_else(|| call.refuse(422, "base_tree is not a valid tree oid"))?,
    };
    let mut files = Vec::new();
    let list = fields.list("tree")?;
    for entry in list.ok_or_else(|| call.refuse(422, "Invalid tree info"))? {
        files.push(tree_file(repo, call, entry)?);
    }
    let id = repo.create_tree(at, base, &files)?;
    created(shown(repo, id, false)?)
}

fn tree_file(repo: &RepositoryState, call: &Call, entry: &Value) -> Answer<TreeFile> {
    let text = |key: &str| entry[key].as_str();
    let path = text("path").ok_or_else(|| call.refuse(422, "tree.path must be a string"))?;
    let kind = match text("mode") {
        Some("100644") => EntryKind::File,
        Some("100755") => EntryKind::Executable,
        Some("120000") => EntryKind::Symlink,
        Some("040000") => EntryKind::Directory,
        Some("160000") => EntryKind::Submodule,
        _ => {
            let problem = "Must supply a valid tree.mode";
            return Err(call.refuse(422, problem));
        }
    };
    let what = match (text("content"), text("sha")) {
        (Some(content), None) if kind.object() == "blob" => TreeContent::Text(content.to_owned()),
        // Trees and submodules have no content, and an entry cannot have both content and id.
        (Some(_), _) => return Err(call.refuse(422, "Invalid tree info")),
        (None, Some(sha)) => match object(sha) {
            Some(id) if repo.git.fits(kind, id)? => TreeContent::Object(id),
            _ => {
                let problem = format!("tree.sha {sha} is not a valid {}", kind.object());
                return Err(call.refuse(422, problem));
            }
        },
        (None, None) if entry["sha"].is_null() && entry.get("sha").is_some() => {
            TreeContent::Nothing
        }
        (None, None) => {
            let problem = "Must supply either tree.sha or tree.content";
            return Err(call.refuse(422, problem));
        }
    };
    Ok(TreeFile {
        path: path.to_owned(),
        kind,
        what,
    })
}
