//! Files, and the branches that they are written to.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::{Failure, Outcome, Output, protocol, said, shaped, written};
use crate::api::{ApiError, At, Named, PutFile, TreeFile, broken_escape, decoded, parted, stepped};
use crate::git::{Entry, ObjectId};
use crate::profile::Profile;
use crate::view::{Site, guess_type, percent_encoded};

/// The paths that are suggested for one that is not there.
const SUGGESTED: usize = 3;

/// What a reference was found to be.
pub(super) struct Resolved {
    pub(super) reference: String,
    pub(super) sha: String,
}

pub(super) fn get_file_contents(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let path = with.text("path")?;
    let reference = with.optional_text("ref")?;
    let sha = with.optional_text("sha")?;
    let resolved = resolve(site, &at, &reference, &sha)
        .map_err(|problem| Failure::Said(format!("failed to resolve git reference: {problem}")))?;

    if !path.ends_with('/') {
        // The real server asks for the file by `ref` alone: where only `sha` is given, its id is that of the
        // default branch, and a file that is not there is not found.
        let (found, _) = site
            .get_contents(&at, &path, &reference)
            .map_err(said("failed to get file SHA"))?;
        let At::File(entry) = found else {
            return Err(Failure::said("file content SHA is nil"));
        };
        // The bytes come from another host, by the commit that was resolved.
        if let Some(file) = raw_file(site, &resolved.sha, &path)? {
            let tail = path.trim_start_matches('/');
            let place = match (sha.as_str(), reference.as_str()) {
                ("", "") => format!("contents/{tail}"),
                ("", reference) => format!("{reference}/contents/{tail}"),
                (sha, _) => format!("sha/{sha}/contents/{tail}"),
            };
            let uri = joined(&format!("{}/{}/{place}", at.owner, at.repo));
            return resource(&entry, uri, &path, &site.git.blob(file)?);
        }
    }
    if path.ends_with('/')
        && let Ok((found, _)) = site.get_contents(&at, &path, &resolved.sha)
    {
        let At::Directory(entries) = found else {
            // The published server writes the entries of a directory, and a file has none.
            return written(&Value::Null);
        };
        let mut list = Vec::new();
        for entry in &entries {
            list.push(site.content(entry, &resolved.sha)?);
        }
        return shaped("RepositoryContent", list.into());
    }
    suggest(site, &at, &path, &resolved)
}

/// Finds what a reference or an id means, as the real server does it.
pub(super) fn resolve(
    site: &Site,
    at: &Named,
    reference: &str,
    sha: &str,
) -> Result<Resolved, String> {
    let worded = |error: ApiError| match error {
        ApiError::Refused(refusal) => refusal.to_string(),
        ApiError::Git(error) => error.to_string(),
    };
    if !sha.is_empty() {
        return Ok(Resolved {
            reference: String::new(),
            sha: sha.to_owned(),
        });
    }
    let full = match reference {
        "" => {
            site.call(at, "GET", "")
                .map_err(|error| format!("failed to get repository info: {}", worded(error)))?;
            format!("refs/heads/{}", site.hub.repository.default_branch)
        }
        reference if reference.starts_with("refs/") => reference.to_owned(),
        reference if reference.starts_with("heads/") || reference.starts_with("tags/") => {
            format!("refs/{reference}")
        }
        short => {
            let named = [format!("refs/heads/{short}"), format!("refs/tags/{short}")];
            let known = named
                .into_iter()
                .find(|name| site.get_ref(at, name).is_ok());
            known.ok_or_else(|| format!("could not resolve ref {short:?} as a branch or a tag"))?
        }
    };
    let (_, id) = site.get_ref(at, &full).map_err(|error| {
        format!(
            "failed to get final reference for {full:?}: {}",
            worded(error)
        )
    })?;
    Ok(Resolved {
        reference: full,
        sha: id.to_string(),
    })
}

/// The blob at a path of a commit, as the host of raw files finds it.
fn raw_file(site: &Site, sha: &str, path: &str) -> Result<Option<ObjectId>, Failure> {
    let Some(commit) = site.git.resolve(sha)? else {
        return Ok(None);
    };
    let entry = site
        .git
        .entry(site.git.tree_of(commit)?, path.trim_matches('/'))?;
    Ok(entry
        .filter(|entry| entry.kind.object() == "blob")
        .map(|entry| entry.id))
}

/// The address of a file, as `url.JoinPath` of Go makes it: all of it is encoded where anything must be.
fn joined(place: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:@[]/".contains(c);
    if place.chars().all(is_plain) {
        format!("repo://{place}")
    } else {
        format!("repo://{}", percent_encoded(place, b"$&+,/:;=@"))
    }
}

fn resource(entry: &Entry, uri: String, path: &str, bytes: &[u8]) -> Outcome {
    let kind = guess_type(path, bytes);
    let text = kind.starts_with("application") || kind.starts_with("text");
    let (what, resource) = if text {
        (
            "text",
            json!({"uri": uri, "mimeType": kind, "text": super::go::text(bytes)}),
        )
    } else {
        (
            "binary",
            json!({"uri": uri, "mimeType": kind, "blob": STANDARD.encode(bytes)}),
        )
    };
    let said = format!("successfully downloaded {what} file (SHA: {})", entry.id);
    Ok(Output::Resource(said, resource))
}

/// Answers with paths that end in the one that is not there.
pub(super) fn suggest(site: &Site, at: &Named, path: &str, resolved: &Resolved) -> Outcome {
    let call = site
        .call(
            at,
            "GET",
            &format!("/git/trees/{}?recursive=1", resolved.sha),
        )
        .map_err(said("failed to get git tree"))?;
    let Some(commit) = site.git.resolve(&resolved.sha)? else {
        return Err(said("failed to get git tree")(call.not_found()));
    };
    let ending = path.trim_end_matches('/');
    let mut matching = Vec::new();
    for entry in site.git.walk(site.git.tree_of(commit)?)? {
        let directory = entry.kind.object() == "tree";
        if !entry.path.ends_with(ending) || (path.ends_with('/') && !directory) {
            continue;
        }
        matching.push(if directory {
            format!("{}/", entry.path)
        } else {
            entry.path
        });
        if matching.len() == SUGGESTED {
            break;
        }
    }
    if matching.is_empty() {
        return Err(Failure::said(
            "Failed to get file contents. The path does not point to a file or directory, or the file does not \
             exist in the repository.",
        ));
    }
    let refs = super::go::json(&json!({"Ref": resolved.reference, "SHA": resolved.sha}));
    let matching = super::go::json(&matching.into());
    Ok(Output::Text(format!(
        "Path did not point to a file or directory, but resolved git ref to {refs} with possible path matches: \
         {matching}"
    )))
}

/// The path of a file that is written: the client makes it part of an address as it is, where steps like `..` are
/// taken and `%20` is a blank.
pub(super) fn written_path(site: &Site, at: &Named, path: &str) -> Result<String, Failure> {
    const DURING: &str = "failed to create/update file";
    let repository = format!("repos/{}/{}", at.owner, at.repo);
    let (plain, _) = parted(path);
    if let Some(broken) = broken_escape(plain) {
        let address = format!("{repository}/contents/{path}");
        return Err(Failure::Said(format!(
            "{DURING}: parse {address:?}: invalid URL escape {broken:?}"
        )));
    }
    let taken = stepped(&format!("/{repository}/contents/{plain}"));
    match taken.strip_prefix(&format!("/{repository}/contents/")) {
        Some(path) => Ok(decoded(path)),
        // It leads to something else, which takes no files.
        None => {
            let call = site.call(at, "PUT", &format!("/contents/{plain}"));
            let call = call.map_err(said(DURING))?;
            Err(said(DURING)(call.not_found()))
        }
    }
}

pub(super) fn create_or_update_file(site: &mut Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let mut file = PutFile {
        path: with.text("path")?,
        content: with.text("content")?.into_bytes(),
        message: with.text("message")?,
        branch: with.text("branch")?,
        sha: Some(with.optional_text("sha")?).filter(|sha| !sha.is_empty()),
        author: None,
        committer: None,
    };
    file.path = written_path(site, &at, &file.path)?;
    let answer = site
        .put_contents(&at, &file)
        .map_err(said("failed to create/update file"))?;
    shaped("RepositoryContentResponse", answer)
}

/// The tip of a branch, as a tool finds it before it commits.
fn tip(site: &Site, at: &Named, branch: &str) -> Result<ObjectId, ApiError> {
    site.get_ref(at, &format!("refs/heads/{branch}"))
        .map(|(_, id)| id)
}

/// Makes a branch of the default branch, as the newer version does it where there is none to push to.
fn from_default(site: &mut Site, at: &Named, branch: &str) -> Result<ObjectId, Failure> {
    let worded = |during: &'static str| {
        move |error: ApiError| match error {
            ApiError::Refused(refusal) => Failure::Said(format!(
                "failed to create branch from default: {during}: {refusal}"
            )),
            ApiError::Git(error) => error.into(),
        }
    };
    site.call(at, "GET", "").map_err(worded(
        "failed to resolve default branch: failed to get repository info",
    ))?;
    let default = site.hub.repository.default_branch.clone();
    let start = tip(site, at, &default).map_err(worded(
        "failed to resolve default branch: failed to get default branch reference",
    ))?;
    site.create_ref(at, &format!("refs/heads/{branch}"), &start.to_string())
        .map_err(worded("failed to create new branch reference"))?;
    Ok(start)
}

pub(super) fn push_files(site: &mut Site, with: &Arguments, profile: Profile) -> Outcome {
    let at = with.repository()?;
    let branch = with.text("branch")?;
    let message = with.text("message")?;
    let Some(Value::Array(given)) = with.0.get("files") else {
        return Err(Failure::said(
            "files parameter must be an array of objects with path and content",
        ));
    };
    let makes_branch = profile == Profile::V1_10_1;
    let tip = match tip(site, &at, &branch) {
        Err(ApiError::Refused(refusal)) if makes_branch && refusal.status == 404 => {
            from_default(site, &at, &branch)?
        }
        tip => tip.map_err(said("failed to get branch reference"))?,
    };
    let mut files = Vec::new();
    for file in given {
        if !file.is_object() {
            return Err(Failure::said(
                "each file must be an object with path and content",
            ));
        }
        let path = file["path"].as_str().filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| Failure::said("each file must have a path"))?;
        let content = file["content"].as_str();
        let content = content.ok_or_else(|| Failure::said("each file must have content"))?;
        files.push(TreeFile::text(path.to_owned(), content.to_owned()));
    }
    let commit = site
        .commit_files(&at, &branch, tip, &message, &files)
        .map_err(committing)?;
    shaped(
        "Reference",
        site.reference(&format!("refs/heads/{branch}"), commit)?,
    )
}

/// Which step of a commit a refusal came from.
fn committing(error: ApiError) -> Failure {
    let during = match &error {
        ApiError::Refused(refusal) if refusal.is_of("POST") => "failed to create tree",
        _ => "failed to update reference",
    };
    said(during)(error)
}

pub(super) fn delete_file(site: &mut Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let path = with.text("path")?;
    let message = with.text("message")?;
    let branch = with.text("branch")?;
    let tip = tip(site, &at, &branch).map_err(protocol("failed to get branch reference"))?;
    let files = [TreeFile::gone(path)];
    let commit = site
        .commit_files(&at, &branch, tip, &message, &files)
        .map_err(committing)?;
    let commit = site.git_commit(&site.git.commit(commit)?);
    written(&json!({"commit": super::go::shaped("Commit", commit), "content": null}))
}

pub(super) fn create_branch(site: &mut Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let branch = with.text("branch")?;
    let mut from = with.optional_text("from_branch")?;
    if from.is_empty() {
        site.call(&at, "GET", "")
            .map_err(said("failed to get repository"))?;
        from = site.hub.repository.default_branch.clone();
    }
    let start = tip(site, &at, &from).map_err(said("failed to get reference"))?;
    let made = site
        .create_ref(&at, &format!("refs/heads/{branch}"), &start.to_string())
        .map_err(said("failed to create branch"))?;
    shaped("Reference", made)
}
