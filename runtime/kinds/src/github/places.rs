//! Texts at places of a repository, which the declared checks of tasks cite.

use mcpmark_github::GitError;
use mcpmark_github::git::EntryKind;
use mcpmark_github::hub::Issue;
use mcpmark_github::world::Opened;

/// Returns the text at a place of a repository:
///
/// - `#12`: title, text and all comments of an issue or pull request
/// - `label NAME`, `milestone TITLE`: the description
/// - `release TAG`: name and text
/// - `PATH`, `BRANCH:PATH`: a file of the default branch or of another one
pub(super) fn text_at(opened: &Opened, place: &str) -> Result<Option<String>, GitError> {
    let hub = &opened.hub;
    if let Some(number) = place.strip_prefix('#') {
        let issue = number.parse().ok().and_then(|it: u64| hub.issues.get(&it));
        return Ok(issue.map(texts_of_issue));
    }
    if let Some(name) = place.strip_prefix("label ") {
        let label = hub.labels.get(&name.to_lowercase());
        return Ok(label.and_then(|label| label.description.clone()));
    }
    if let Some(title) = place.strip_prefix("milestone ") {
        let milestone = hub.milestones.values().find(|it| it.title == title);
        return Ok(milestone.and_then(|it| it.description.clone()));
    }
    if let Some(tag) = place.strip_prefix("release ") {
        let release = hub.releases.values().find(|it| it.tag_name == tag);
        return Ok(release.map(|it| joined([&it.name, &it.body].into_iter().flatten())));
    }
    match place.split_once(':') {
        Some((branch, path)) => file(opened, branch, path),
        None => file(opened, &hub.repository.default_branch, place),
    }
}

/// Returns the text of a file of a branch.
fn file(opened: &Opened, branch: &str, path: &str) -> Result<Option<String>, GitError> {
    let git = &opened.git;
    let Some(tip) = git.branch(branch) else {
        return Ok(None);
    };
    let Some(entry) = git.entry(git.tree_of(tip)?, path)? else {
        return Ok(None);
    };
    if !matches!(entry.kind, EntryKind::File | EntryKind::Executable) {
        return Ok(None);
    }
    Ok(String::from_utf8(git.blob(entry.id)?).ok())
}

/// Returns all texts of an issue or pull request, each on lines of its own.
fn texts_of_issue(issue: &Issue) -> String {
    let pull = issue.pull.as_deref();
    let reviews = pull.into_iter().flat_map(|pull| &pull.reviews);
    let remarks = pull.into_iter().flat_map(|pull| &pull.review_comments);
    let texts = std::iter::once(&issue.title)
        .chain(&issue.body)
        .chain(issue.comments.iter().map(|it| &it.body))
        .chain(reviews.map(|it| &it.body))
        .chain(remarks.map(|it| &it.body));
    joined(texts)
}

fn joined<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    texts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use mcpmark_github::builder::{Builder, Signature, Step};
    use mcpmark_github::hub::{Review, ReviewComment};
    use mcpmark_github::world::open;
    use mcpmark_snapshot::{File, MemoryBlobs, Scratch, TreeBuilder, TreePath};
    use serde_json::json;

    use super::*;

    /// Commits a file to a branch.
    fn commit(
        builder: &mut Builder,
        branch: &str,
        path: &str,
        content: &[u8],
        parents: &[String],
    ) -> String {
        let ann = Signature {
            name: "Ann Lee".to_owned(),
            email: "ann@example.org".to_owned(),
            time: 1_704_067_200,
            offset: 0,
        };
        let step = Step::Write {
            path: path.to_owned(),
            content: content.to_owned(),
            executable: false,
        };
        let id = builder.commit(parents, vec![step], &ann, &ann, "Go on\n", &mut |_| true);
        let id = id.unwrap();
        let name = format!("refs/heads/{branch}");
        builder.set_reference(&name, &id, &mut |_| true).unwrap();
        id
    }

    /// Opens a world with two branches and some issues. Its objects are in the directory.
    fn world(scratch: &Scratch) -> Opened {
        let mut builder = Builder::new(scratch.path()).unwrap();
        let first = commit(&mut builder, "main", "docs/rules.md", b"Ask first.\n", &[]);
        let tag = "refs/tags/v1";
        builder.set_reference(tag, &first, &mut |_| true).unwrap();
        let second = commit(&mut builder, "main", "logo.png", b"\x89PNG\xff", &[first]);
        commit(
            &mut builder,
            "topic/two",
            "docs/rules.md",
            b"Ask twice.\n",
            &[second],
        );
        let mut files = Vec::new();
        for file in builder.finish(&mut |_| true).unwrap() {
            files.push((file.path, file.content));
        }
        let issues = json!([
            {"number": 2, "title": "Three is missing", "body": "Please add it.", "user": "bo",
             "created_at": "2024-02-01T00:00:00Z",
             "comments": [{"user": "ann", "body": "Will do.", "created_at": "2024-02-02T00:00:00Z"}]},
        ]);
        let pulls = json!([
            {"number": 3, "title": "Ask twice", "head": "topic/two", "base": "main", "user": "bo",
             "created_at": "2024-03-01T00:00:00Z"},
        ]);
        for (name, document) in [
            (
                "repository.json",
                json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann"}),
            ),
            (
                "users.json",
                json!([{"login": "ann"}, {"login": "bo"}, {"login": "acme", "type": "Organization"}]),
            ),
            (
                "labels.json",
                json!([{"name": "Bug", "description": "Something is broken"}, {"name": "odd"}]),
            ),
            (
                "milestones.json",
                json!([{"number": 1, "title": "Fair", "description": "Before the fair."}]),
            ),
            (
                "releases.json",
                json!([{"tag_name": "v1", "author": "ann", "name": "One", "body": "It works."}]),
            ),
            ("issues.json", issues),
            ("pulls.json", pulls),
        ] {
            files.push((name.to_owned(), Some(document.to_string().into_bytes())));
        }
        let (blobs, mut tree) = (MemoryBlobs::new(), TreeBuilder::new());
        for (path, content) in files {
            let path = TreePath::parse(&path).unwrap();
            match content {
                Some(content) => {
                    let file = File {
                        size: content.len() as u64,
                        executable: false,
                        modified: None,
                        content: blobs.put(content),
                    };
                    tree.insert_file(&path, file).unwrap();
                }
                None => tree.create_directory(&path).unwrap(),
            }
        }
        open(&tree.finish(), &blobs, scratch.path(), 1_735_689_600).unwrap()
    }

    #[test]
    fn places_of_a_repository_have_texts() {
        let scratch = Scratch::new(&std::env::temp_dir()).unwrap();
        let mut world = world(&scratch);
        let pull = world.hub.issues.get_mut(&3).unwrap().pull.as_mut().unwrap();
        pull.reviews.push(Review {
            body: "Looks right.".to_owned(),
            ..Review::default()
        });
        pull.review_comments.push(ReviewComment {
            body: "Why twice?".to_owned(),
            ..ReviewComment::default()
        });
        for (place, text) in [
            ("#2", "Three is missing\n\nPlease add it.\n\nWill do."),
            ("#3", "Ask twice\n\nLooks right.\n\nWhy twice?"),
            ("label bug", "Something is broken"),
            ("milestone Fair", "Before the fair."),
            ("release v1", "One\n\nIt works."),
            ("docs/rules.md", "Ask first.\n"),
            ("main:docs/rules.md", "Ask first.\n"),
            ("topic/two:docs/rules.md", "Ask twice.\n"),
        ] {
            let found = text_at(&world, place).unwrap();
            assert_eq!(found.as_deref(), Some(text), "{place}");
        }
        for place in [
            "#4",
            "#two",
            "label odd",
            "label missing",
            "milestone fair",
            "release v2",
            "docs",
            "",
            "docs/none.md",
            "none:docs/rules.md",
            "logo.png",
        ] {
            assert_eq!(text_at(&world, place).unwrap(), None, "{place}");
        }
    }
}
