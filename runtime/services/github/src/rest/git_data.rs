//! Blobs, trees, commits, refs and annotated tags.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::asked::{Asked, object};
use super::reply::{Outcome, Reply};
use super::{created, nothing, ok};
use crate::api::{Answer, Call, Named, NewCommit, TreeContent, TreeFile};
use crate::git::{EntryKind, ObjectId};
use crate::view::Site;

pub(super) fn route(
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (asked.method, below) {
        ("GET", ["ref", name @ ..]) => {
            let (name, id) = site.get_ref(at, &name.join("/"))?;
            ok(site.reference(&name, id)?)
        }
        ("GET", ["matching-refs", name @ ..]) => matching(site, asked, &name.join("/")),
        // The old form: one ref, or those that begin with it.
        ("GET", ["refs", name @ ..]) => match site.get_ref(at, &name.join("/")) {
            Ok((name, id)) if !below[1..].is_empty() => ok(site.reference(&name, id)?),
            _ => matching(site, asked, &name.join("/")),
        },
        ("POST", ["refs"]) => {
            let fields = asked.fields(call)?;
            let (name, sha) = (fields.needed("ref")?, fields.needed("sha")?);
            created(site.create_ref(at, &name, &sha)?)
        }
        ("PATCH", ["refs", name @ ..]) => {
            let fields = asked.fields(call)?;
            let sha = fields.needed("sha")?;
            let force = fields.truth("force")?.unwrap_or(false);
            ok(site.update_ref(at, &format!("refs/{}", name.join("/")), &sha, force)?)
        }
        ("DELETE", ["refs", name @ ..]) => {
            site.delete_ref(at, &format!("refs/{}", name.join("/")))?;
            Ok(Reply::empty())
        }
        ("GET", ["blobs", sha]) => blob(site, asked, call, sha),
        ("POST", ["blobs"]) => create_blob(site, asked, call),
        ("GET", ["trees", sha @ ..]) => tree(site, asked, call, &sha.join("/")),
        ("POST", ["trees"]) => create_tree(site, asked, at, call),
        ("GET", ["commits", sha]) => {
            let id = typed(site, call, sha, "commit")?;
            ok(site.git_commit(&site.git.commit(id)?))
        }
        ("POST", ["commits"]) => {
            let fields = asked.fields(call)?;
            let now = site.hub.now;
            let new = NewCommit {
                message: fields.needed("message")?,
                tree: fields.needed("tree")?,
                parents: fields.texts("parents")?.unwrap_or_default(),
                author: fields.identity("author", now)?,
                committer: fields.identity("committer", now)?,
            };
            let id = site.create_commit(at, new)?;
            created(site.git_commit(&site.git.commit(id)?))
        }
        ("GET", ["tags", sha]) => {
            let id = typed(site, call, sha, "tag")?;
            match site.git.tag(id)? {
                Some(tag) => ok(site.annotated_tag(&tag)),
                None => nothing(call),
            }
        }
        ("POST", ["tags"]) => {
            let fields = asked.fields(call)?;
            let (name, message) = (fields.needed("tag")?, fields.needed("message")?);
            let target = fields.needed("object")?;
            let kind = fields.needed("type")?;
            let target = object(&target);
            let found = match target {
                Some(id) => site.git.kind(id)?,
                None => None,
            };
            let Some(target) = target.filter(|_| found == Some(kind.as_str())) else {
                return Err(call.refuse(422, "Invalid object"));
            };
            let tagger = fields.identity("tagger", site.hub.now)?;
            let tagger = tagger.unwrap_or_else(|| site.identity(&site.viewer()));
            let id = site.git.write_tag(&name, target, &tagger, &message)?;
            match site.git.tag(id)? {
                Some(tag) => created(site.annotated_tag(&tag)),
                None => nothing(call),
            }
        }
        _ => nothing(call),
    }
}

/// The refs that begin with a text, which stands after `refs/`.
fn matching(site: &Site, asked: &Asked<'_>, begin: &str) -> Outcome {
    let mut list = Vec::new();
    for (rest, id) in site.git.refs_below(&format!("refs/{begin}")) {
        list.push(site.reference(&format!("refs/{begin}{rest}"), id)?);
    }
    Ok(Reply::list(asked, list.into()))
}

/// An object by its whole id, where it is of a kind.
fn typed(site: &Site, call: &Call, sha: &str, kind: &str) -> Answer<ObjectId> {
    let id = object(sha).ok_or_else(|| call.not_found())?;
    match site.git.kind(id)? {
        Some(known) if known == kind => Ok(id),
        _ => Err(call.not_found()),
    }
}

fn blob(site: &Site, asked: &Asked<'_>, call: &Call, sha: &str) -> Outcome {
    let id = typed(site, call, sha, "blob")?;
    let bytes = site.git.blob(id)?;
    if asked.wants("raw") {
        return Ok(Reply::bytes(
            "application/vnd.github.raw; charset=utf-8",
            bytes,
        ));
    }
    ok(json!({
        "sha": id.to_string(),
        "node_id": format!("B_{id}"),
        "size": bytes.len(),
        "url": site.api(&format!("/git/blobs/{id}")),
        "content": in_lines(&bytes),
        "encoding": "base64",
    }))
}

/// Bytes in base64, in lines of sixty characters, as GitHub writes it.
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

/// Bytes from base64, with or without lines.
pub(super) fn from_lines(text: &str) -> Option<Vec<u8>> {
    let text: String = text
        .chars()
        .filter(|it| !it.is_ascii_whitespace())
        .collect();
    STANDARD.decode(text).ok()
}

fn create_blob(site: &Site, asked: &Asked<'_>, call: &Call) -> Outcome {
    let fields = asked.fields(call)?;
    let content = fields.needed("content")?;
    let bytes = match fields.text("encoding")?.as_deref() {
        None | Some("utf-8") => content.into_bytes(),
        Some("base64") => {
            from_lines(&content).ok_or_else(|| call.refuse(422, "content is not valid Base64"))?
        }
        Some(_) => return Err(call.refuse(422, "encoding is none of utf-8 and base64")),
    };
    let id = site.git.write_blob(&bytes)?;
    created(json!({"sha": id.to_string(), "url": site.api(&format!("/git/blobs/{id}"))}))
}

/// The tree of an id, a branch, a tag or a commit.
fn find_tree(site: &Site, text: &str) -> Answer<Option<ObjectId>> {
    if let Some(id) = object(text)
        && site.git.kind(id)? == Some("tree")
    {
        return Ok(Some(id));
    }
    match site.git.resolve(text)? {
        Some(commit) => Ok(Some(site.git.tree_of(commit)?)),
        None => Ok(None),
    }
}

fn tree(site: &Site, asked: &Asked<'_>, call: &Call, text: &str) -> Outcome {
    let id = find_tree(site, text)?.ok_or_else(|| call.not_found())?;
    // Any value counts, also one that says no.
    let recursive = !asked.parameter("recursive").is_empty();
    ok(shown(site, id, recursive)?)
}

fn shown(site: &Site, id: ObjectId, recursive: bool) -> Answer<Value> {
    let entries = if recursive {
        site.git.walk(id)?
    } else {
        site.git.entries(id, "")?
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
                view["size"] = site.git.size(entry.id)?.into();
                view["url"] = site.api(&format!("/git/blobs/{}", entry.id)).into();
            }
            "tree" => view["url"] = site.api(&format!("/git/trees/{}", entry.id)).into(),
            _ => {}
        }
        list.push(view);
    }
    Ok(json!({
        "sha": id.to_string(),
        "url": site.api(&format!("/git/trees/{id}")),
        "tree": list,
        "truncated": false,
    }))
}

fn create_tree(site: &mut Site, asked: &Asked<'_>, at: &Named, call: &Call) -> Outcome {
    let fields = asked.fields(call)?;
    let base = match fields.text("base_tree")? {
        None => ObjectId::empty_tree(gix::hash::Kind::Sha1),
        Some(text) => find_tree(site, &text)?
            .ok_or_else(|| call.refuse(422, "base_tree is not a valid tree oid"))?,
    };
    let mut files = Vec::new();
    let list = fields.list("tree")?;
    for entry in list.ok_or_else(|| call.refuse(422, "Invalid tree info"))? {
        files.push(tree_file(site, call, entry)?);
    }
    let id = site.create_tree(at, base, &files)?;
    created(shown(site, id, false)?)
}

fn tree_file(site: &Site, call: &Call, entry: &Value) -> Answer<TreeFile> {
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
        // A tree and a submodule have no content, and nothing has two.
        (Some(_), _) => return Err(call.refuse(422, "Invalid tree info")),
        (None, Some(sha)) => match object(sha) {
            Some(id) if site.git.fits(kind, id)? => TreeContent::Object(id),
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
