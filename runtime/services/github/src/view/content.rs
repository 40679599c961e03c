//! Files, directories and annotated tags, as objects of the contents API and the git data API.

use serde_json::{Value, json};

use super::Viewed;
use super::commit::encode_path;
use crate::git::{Entry, EntryKind, Tag};
use crate::repository::RepositoryState;

impl RepositoryState {
    /// File or directory without its content. `reference` is the requested ref.
    pub(crate) fn content(&self, entry: &Entry, reference: &str) -> Viewed {
        let (kind, collection) = match entry.kind {
            EntryKind::Directory => ("dir", "trees"),
            EntryKind::Submodule => ("submodule", "trees"),
            EntryKind::Symlink => ("symlink", "blobs"),
            EntryKind::File | EntryKind::Executable => ("file", "blobs"),
        };
        let size = match kind {
            "dir" | "submodule" => 0,
            _ => self.git.size(entry.id)?,
        };
        let path = encode_path(&entry.path);
        let shown = if kind == "dir" { "tree" } else { "blob" };
        let url = self.api(&format!("/contents/{path}?ref={reference}"));
        let git = self.api(&format!("/git/{collection}/{}", entry.id));
        let html = self.html(&format!("/{shown}/{reference}/{path}"));
        let raw = format!(
            "https://raw.githubusercontent.com/{}/{reference}/{path}",
            self.full_name()
        );
        Ok(json!({
            "name": entry.name(),
            "path": entry.path,
            "sha": entry.id.to_string(),
            "size": size,
            "url": url,
            "html_url": html,
            "git_url": git,
            "download_url": if matches!(kind, "file" | "symlink") { Value::from(raw) } else { Value::Null },
            "type": kind,
            "_links": {"self": url, "git": git, "html": html},
        }))
    }

    /// Annotated tag.
    pub(crate) fn annotated_tag(&self, tag: &Tag) -> Value {
        let tagger = tag.tagger.as_ref().map(|tagger| {
            json!({
                "name": tagger.name,
                "email": tagger.email,
                "date": crate::hub::Time(tagger.seconds),
            })
        });
        json!({
            "node_id": format!("TA_{}", tag.id),
            "sha": tag.id.to_string(),
            "url": self.api(&format!("/git/tags/{}", tag.id)),
            "tagger": tagger,
            "object": {
                "sha": tag.target.to_string(),
                "type": tag.target_kind,
                "url": self.api(&format!("/git/{}s/{}", tag.target_kind, tag.target)),
            },
            "tag": tag.name,
            "message": tag.message,
            "verification": {"verified": false, "reason": "unsigned", "signature": null, "payload": null},
        })
    }
}

/// Media type that `raw.githubusercontent.com` reports for a file.
pub(crate) fn guess_type(path: &str, bytes: &[u8]) -> &'static str {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension.to_ascii_lowercase().as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        _ if bytes.contains(&0) || std::str::from_utf8(bytes).is_err() => {
            "application/octet-stream"
        }
        _ => "text/plain; charset=utf-8",
    }
}
