//! Gists.

use serde_json::{Map, Value, json};

use crate::hub::Gist;
use crate::repository::RepositoryState;

/// Language and media type of the most common files, by file name extension, as GitHub detects them.
const KINDS: &[(&str, &str, &str)] = &[
    ("css", "CSS", "text/css"),
    ("csv", "CSV", "text/csv"),
    ("diff", "Diff", "text/x-diff"),
    ("go", "Go", "text/plain"),
    ("html", "HTML", "text/html"),
    ("js", "JavaScript", "application/javascript"),
    ("json", "JSON", "application/json"),
    ("md", "Markdown", "text/markdown"),
    ("py", "Python", "application/x-python"),
    ("rs", "Rust", "text/plain"),
    ("sh", "Shell", "application/x-sh"),
    ("sql", "SQL", "application/sql"),
    ("toml", "TOML", "text/plain"),
    ("txt", "Text", "text/plain"),
    ("yaml", "YAML", "text/x-yaml"),
    ("yml", "YAML", "text/x-yaml"),
];

const API: &str = "https://api.github.com/gists";
const HTML: &str = "https://gist.github.com";

impl RepositoryState {
    /// Gist. `whole` adds the contents of its files, which lists omit.
    pub(crate) fn gist(&self, gist: &Gist, whole: bool) -> Value {
        let Gist { id, owner, .. } = gist;
        let files: Map<String, Value> = gist
            .files
            .iter()
            .map(|(name, text)| (name.clone(), file(gist, name, text, whole)))
            .collect();
        let api = format!("{API}/{id}");
        json!({
            "url": api,
            "forks_url": format!("{api}/forks"),
            "commits_url": format!("{api}/commits"),
            "id": id,
            "node_id": format!("G_kwDO{id}"),
            "git_pull_url": format!("{HTML}/{id}.git"),
            "git_push_url": format!("{HTML}/{id}.git"),
            "html_url": format!("{HTML}/{owner}/{id}"),
            "files": files,
            "public": gist.public,
            "created_at": gist.created_at,
            "updated_at": gist.updated_at,
            "description": gist.description,
            "comments": 0,
            "user": null,
            "comments_url": format!("{api}/comments"),
            "owner": self.user(owner),
            "truncated": false,
        })
    }
}

fn file(gist: &Gist, name: &str, text: &str, whole: bool) -> Value {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    let kind = KINDS.iter().find(|(known, ..)| *known == end);
    let Gist { id, owner, .. } = gist;
    let mut view = json!({
        "filename": name,
        "type": kind.map_or("text/plain", |(.., media)| media),
        "language": kind.map(|(_, language, _)| language),
        "raw_url": format!("https://gist.githubusercontent.com/{owner}/{id}/raw/{name}"),
        "size": text.len(),
    });
    if whole {
        view["truncated"] = false.into();
        view["content"] = text.into();
    }
    view
}
