//! Tools for files and for creating branches.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::{Failure, Outcome, Output, protocol_error, shaped, tool_error, written};
use crate::api::{
    ApiError, FileOrDirectory, PutFile, RepositoryName, TreeFile, broken_escape, decoded, parted,
    stepped,
};
use crate::git::{Entry, ObjectId};
use crate::profile::Profile;
use crate::repository::RepositoryState;
use crate::view::{guess_type, percent_encoded};

/// Maximum number of suggested paths for a missing one.
const SUGGESTED: usize = 3;

/// Result of resolving a reference.
pub(super) struct Resolved {
    pub(super) reference: String,
    pub(super) sha: String,
}

pub(super) fn get_file_contents(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let path = with.text("path")?;
    let reference = with.optional_text("ref")?;
    let sha = with.optional_text("sha")?;
    let resolved = resolve(repo, &at, &reference, &sha).map_err(|problem| {
        Failure::ToolError(format!("failed to resolve git reference: {problem}"))
    })?;

    if !path.ends_with('/') {
        // The published server looks up the file by `ref` only. If just `sha` is given, the reported id is that of the
        // default branch, and a file that does not exist there is not found.
        let (found, _) = repo
            .get_contents(&at, &path, &reference)
            .map_err(tool_error("failed to get file SHA"))?;
        let FileOrDirectory::File(entry) = found else {
            return Err(Failure::tool_error("file content SHA is nil"));
        };
        // The content comes from the host of raw files, at the resolved commit.
        if let Some(file) = raw_file(repo, &resolved.sha, &path)? {
            let tail = path.trim_start_matches('/');
            let place = match (sha.as_str(), reference.as_str()) {
                ("", "") => format!("contents/{tail}"),
                ("", reference) => format!("{reference}/contents/{tail}"),
                (sha, _) => format!("sha/{sha}/contents/{tail}"),
            };
            let uri = joined(&format!("{}/{}/{place}", at.owner, at.repo));
            return resource(&entry, uri, &path, &repo.git.blob(file)?);
        }
    }
    if path.ends_with('/')
        && let Ok((found, _)) = repo.get_contents(&at, &path, &resolved.sha)
    {
        let FileOrDirectory::Directory(entries) = found else {
            // The published server returns the directory entries of the response, of which a file has none.
            return written(&Value::Null);
        };
        let mut list = Vec::new();
        for entry in &entries {
            list.push(repo.content(entry, &resolved.sha)?);
        }
        return shaped("RepositoryContent", list.into());
    }
    suggest(repo, &at, &path, &resolved)
}

/// Resolves a reference or a commit id in the same way as the published server.
pub(super) fn resolve(
    repo: &RepositoryState,
    at: &RepositoryName,
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
            repo.call(at, "GET", "")
                .map_err(|error| format!("failed to get repository info: {}", worded(error)))?;
            format!("refs/heads/{}", repo.hub.repository.default_branch)
        }
        reference if reference.starts_with("refs/") => reference.to_owned(),
        reference if reference.starts_with("heads/") || reference.starts_with("tags/") => {
            format!("refs/{reference}")
        }
        short => {
            let named = [format!("refs/heads/{short}"), format!("refs/tags/{short}")];
            let known = named
                .into_iter()
                .find(|name| repo.get_ref(at, name).is_ok());
            known.ok_or_else(|| format!("could not resolve ref {short:?} as a branch or a tag"))?
        }
    };
    let (_, id) = repo.get_ref(at, &full).map_err(|error| {
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

/// Returns the blob at a path of a commit, as the host of raw files would find it.
fn raw_file(repo: &RepositoryState, sha: &str, path: &str) -> Result<Option<ObjectId>, Failure> {
    let Some(commit) = repo.git.resolve(sha)? else {
        return Ok(None);
    };
    let entry = repo
        .git
        .entry(repo.git.tree_of(commit)?, path.trim_matches('/'))?;
    Ok(entry
        .filter(|entry| entry.kind.object() == "blob")
        .map(|entry| entry.id))
}

/// Builds the URI of a file like Go's `url.JoinPath`: if any character must be encoded, the whole path is encoded
/// again.
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

/// Returns a result that suggests paths ending in the missing one.
pub(super) fn suggest(
    repo: &RepositoryState,
    at: &RepositoryName,
    path: &str,
    resolved: &Resolved,
) -> Outcome {
    let call = repo
        .call(
            at,
            "GET",
            &format!("/git/trees/{}?recursive=1", resolved.sha),
        )
        .map_err(tool_error("failed to get git tree"))?;
    let Some(commit) = repo.git.resolve(&resolved.sha)? else {
        return Err(tool_error("failed to get git tree")(call.not_found()));
    };
    let ending = path.trim_end_matches('/');
    let mut matching = Vec::new();
    for entry in repo.git.walk(repo.git.tree_of(commit)?)? {
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
        return Err(Failure::tool_error(
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

/// Normalises the path of a file to write. The client inserts it into a URL as it is, where dot segments such as `..`
/// are resolved and escapes such as `%20` are decoded.
pub(super) fn written_path(
    repo: &RepositoryState,
    at: &RepositoryName,
    path: &str,
) -> Result<String, Failure> {
    const DURING: &str = "failed to create/update file";
    let repository = format!("repos/{}/{}", at.owner, at.repo);
    let (plain, _) = parted(path);
    if let Some(broken) = broken_escape(plain) {
        let address = format!("{repository}/contents/{path}");
        return Err(Failure::ToolError(format!(
            "{DURING}: parse {address:?}: invalid URL escape {broken:?}"
        )));
    }
    let taken = stepped(&format!("/{repository}/contents/{plain}"));
    match taken.strip_prefix(&format!("/{repository}/contents/")) {
        Some(path) => Ok(decoded(path)),
        // The path leads to another endpoint, which does not accept files.
        None => {
            let call = repo.call(at, "PUT", &format!("/contents/{plain}"));
            let call = call.map_err(tool_error(DURING))?;
            Err(tool_error(DURING)(call.not_found()))
        }
    }
}

pub(super) fn create_or_update_file(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
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
    file.path = written_path(repo, &at, &file.path)?;
    let answer = repo
        .put_contents(&at, &file)
        .map_err(tool_error("failed to create/update file"))?;
    shaped("RepositoryContentResponse", answer)
}

/// Returns the tip of a branch on which a tool commits.
fn tip(repo: &RepositoryState, at: &RepositoryName, branch: &str) -> Result<ObjectId, ApiError> {
    repo.get_ref(at, &format!("refs/heads/{branch}"))
        .map(|(_, id)| id)
}

/// Creates a branch at the tip of the default branch, as the newer version does if the branch to push to does not
/// exist.
fn from_default(
    repo: &mut RepositoryState,
    at: &RepositoryName,
    branch: &str,
) -> Result<ObjectId, Failure> {
    let worded = |during: &'static str| {
        move |error: ApiError| match error {
            ApiError::Refused(refusal) => Failure::ToolError(format!(
                "failed to create branch from default: {during}: {refusal}"
            )),
            ApiError::Git(error) => error.into(),
        }
    };
    repo.call(at, "GET", "").map_err(worded(
        "failed to resolve default branch: failed to get repository info",
    ))?;
    let default = repo.hub.repository.default_branch.clone();
    let start = tip(repo, at, &default).map_err(worded(
        "failed to resolve default branch: failed to get default branch reference",
    ))?;
    repo.create_ref(at, &format!("refs/heads/{branch}"), &start.to_string())
        .map_err(worded("failed to create new branch reference"))?;
    Ok(start)
}

pub(super) fn push_files(
    repo: &mut RepositoryState,
    with: &Arguments,
    profile: Profile,
) -> Outcome {
    let at = with.repository()?;
    let branch = with.text("branch")?;
    let message = with.text("message")?;
    let Some(Value::Array(given)) = with.0.get("files") else {
        return Err(Failure::tool_error(
            "files parameter must be an array of objects with path and content",
        ));
    };
    let makes_branch = profile == Profile::V1_10_1;
    let tip = match tip(repo, &at, &branch) {
        Err(ApiError::Refused(refusal)) if makes_branch && refusal.status == 404 => {
            from_default(repo, &at, &branch)?
        }
        tip => tip.map_err(tool_error("failed to get branch reference"))?,
    };
    let mut files = Vec::new();
    for file in given {
        if !file.is_object() {
            return Err(Failure::tool_error(
                "each file must be an object with path and content",
            ));
        }
        let path = file["path"].as_str().filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| Failure::tool_error("each file must have a path"))?;
        let content = file["content"].as_str();
        let content = content.ok_or_else(|| Failure::tool_error("each file must have content"))?;
        files.push(TreeFile::text(path.to_owned(), content.to_owned()));
    }
    let commit = repo
        .commit_files(&at, &branch, tip, &message, &files)
        .map_err(committing)?;
    shaped(
        "Reference",
        repo.reference(&format!("refs/heads/{branch}"), commit)?,
    )
}

/// Adds the failed step to the error of a commit.
fn committing(error: ApiError) -> Failure {
    let during = match &error {
        ApiError::Refused(refusal) if refusal.is_of("POST") => "failed to create tree",
        _ => "failed to update reference",
    };
    tool_error(during)(error)
}

pub(super) fn delete_file(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let path = with.text("path")?;
    let message = with.text("message")?;
    let branch = with.text("branch")?;
    let tip = tip(repo, &at, &branch).map_err(protocol_error("failed to get branch reference"))?;
    let files = [TreeFile::gone(path)];
    let commit = repo
        .commit_files(&at, &branch, tip, &message, &files)
        .map_err(committing)?;
    let commit = repo.git_commit(&repo.git.commit(commit)?);
    written(&json!({"commit": super::go::shaped("Commit", commit), "content": null}))
}

pub(super) fn create_branch(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let branch = with.text("branch")?;
    let mut from = with.optional_text("from_branch")?;
    if from.is_empty() {
        repo.call(&at, "GET", "")
            .map_err(tool_error("failed to get repository"))?;
        from = repo.hub.repository.default_branch.clone();
    }
    let start = tip(repo, &at, &from).map_err(tool_error("failed to get reference"))?;
    let made = repo
        .create_ref(&at, &format!("refs/heads/{branch}"), &start.to_string())
        .map_err(tool_error("failed to create branch"))?;
    shaped("Reference", made)
}
