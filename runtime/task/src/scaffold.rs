//! Scaffold of a new task: a complete task that builds and passes certification, as a starting point for its author.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::{Error, Library, TaskId, WorldId};

/// Template files of a new task for worlds of one service.
#[derive(Debug)]
pub struct Scaffold {
    /// Paths in the directory of the task, with texts that contain placeholders such as `{{title}}`.
    files: &'static [(&'static str, &'static str)],
}

impl Scaffold {
    /// Scaffold for services whose state is a directory tree: a task that counts files and writes a report.
    pub const DIRECTORY: Self = Self {
        files: &[
            ("description.md", include_str!("scaffold/description.md")),
            ("meta.json", include_str!("scaffold/meta.json")),
            ("Cargo.toml", include_str!("scaffold/Cargo.toml.txt")),
            ("verifier.rs", include_str!("scaffold/verifier.rs")),
            ("solution.rs", include_str!("scaffold/solution.rs")),
            ("counting.rs", include_str!("scaffold/counting.rs")),
            ("cheats/no-total.rs", include_str!("scaffold/no-total.rs")),
            (
                "cheats/counts-itself.rs",
                include_str!("scaffold/counts-itself.rs"),
            ),
            (
                "variants/folder-by-folder.rs",
                include_str!("scaffold/folder-by-folder.rs"),
            ),
        ],
    };
}

/// Writes the files of a new task from the scaffold of its service, and adds its package to `tasks/Cargo.toml`. Returns
/// the directory of the task.
///
/// # Errors
///
/// Returns an error if the title contains control characters, the task exists, the world does not exist or is invalid,
/// the service has no scaffold, or a file cannot be written. The directory of the new task is removed if writing fails.
pub fn scaffold(
    library: &Library,
    id: &TaskId,
    scaffold: Option<&Scaffold>,
    title: &str,
    date: &str,
) -> Result<PathBuf, Error> {
    // TOML, JSON and a heading cannot contain them as they are.
    if title.contains(char::is_control) {
        return Err(Error::Name {
            text: title.to_owned(),
            what: "title",
            reason: "expected one line without control characters".to_owned(),
        });
    }
    let world = WorldId::new(id.service(), id.group())?;
    library.world(&world)?;
    let dir = library
        .tasks_dir
        .join(id.service())
        .join(id.group())
        .join(id.name());
    let shown = dir.strip_prefix(&library.root).unwrap_or(&dir).to_owned();
    if dir.exists() {
        return Err(Error::Layout {
            place: shown,
            problem: "already exists; choose another name".to_owned(),
        });
    }
    let Some(scaffold) = scaffold else {
        return Err(Error::Layout {
            place: shown,
            problem: format!(
                "no template exists for tasks of the {} service",
                id.service()
            ),
        });
    };
    let workspace = library.tasks_dir.join("Cargo.toml");
    let manifest = fs::read_to_string(&workspace).map_err(|source| Error::Read {
        file: workspace.clone(),
        source,
    })?;
    let member = id.to_string();
    let manifest = with_member(&manifest, &member).ok_or_else(|| Error::Layout {
        place: workspace.clone(),
        problem: format!(
            "expected a list `members = [` with one member per line; add {member:?} to it"
        ),
    })?;
    let guest = id.to_string().replace('/', "-");
    let values = [
        ("{{title}}", title),
        ("{{name}}", id.name()),
        ("{{group}}", id.group()),
        ("{{service}}", id.service()),
        ("{{world}}", &world.to_string()),
        ("{{date}}", date),
        ("{{package}}", &format!("task-{guest}")),
        ("{{guest}}", &guest),
    ];
    let write = || {
        fs::create_dir_all(&dir)?;
        for (name, text) in scaffold.files {
            let file = dir.join(name);
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(file, filled(name, text, &values))?;
        }
        fs::write(&workspace, &manifest)
    };
    write().map_err(|source| {
        // An error here is ignored: the files are left in the directory that the returned error names.
        let _ = fs::remove_dir_all(&dir);
        Error::Write {
            place: shown,
            source,
        }
    })?;
    Ok(dir)
}

/// Returns a template file with values for its placeholders. In JSON and TOML, placeholders are within quotes.
fn filled(name: &str, text: &str, values: &[(&str, &str)]) -> String {
    let is_quoted = name.ends_with(".json") || name.ends_with(".toml");
    values
        .iter()
        .fold(text.to_owned(), |text, (placeholder, value)| {
            if !is_quoted {
                return text.replace(placeholder, value);
            }
            // TOML has the escape sequences that a JSON writer needs.
            let escaped = Value::from(*value).to_string();
            text.replace(placeholder, &escaped[1..escaped.len() - 1])
        })
}

/// Returns a workspace manifest with one more member, inserted in the sorted order of the list.
fn with_member(manifest: &str, member: &str) -> Option<String> {
    let start = manifest.find("members = [\n")? + "members = [\n".len();
    // The search starts at the preceding line end, because the list may be empty.
    let end = start + manifest[start - 1..].find("\n]")?;
    let line = format!("    {member:?},\n");
    let at = manifest[start..end]
        .split_inclusive('\n')
        .scan(start, |at, found| {
            let here = *at;
            *at += found.len();
            Some((here, found))
        })
        .find(|(_, found)| *found > line.as_str())
        .map_or(end, |(at, _)| at);
    Some([&manifest[..at], &line, &manifest[at..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(name: &str) -> &'static str {
        let files = Scaffold::DIRECTORY.files.iter();
        let mut texts = files.filter(|(other, _)| *other == name).map(|it| it.1);
        texts.next().unwrap()
    }

    #[test]
    fn values_are_escaped_where_they_are_quoted() {
        let values = [("{{title}}", "Say \"hi\" \\ twice")];
        let meta = filled("meta.json", template("meta.json"), &values);
        let meta: Value = serde_json::from_str(&meta).unwrap();
        assert_eq!(meta["task_name"], values[0].1);
        assert_eq!(meta["context"][0], values[0].1);
        let manifest = filled("Cargo.toml", template("Cargo.toml"), &values);
        let line = r#"description = "Say \"hi\" \\ twice""#;
        assert!(manifest.lines().any(|it| it == line), "{manifest}");
        let instruction = filled("description.md", template("description.md"), &values);
        assert!(instruction.starts_with("# Say \"hi\" \\ twice\n"));
    }

    #[test]
    fn titles_with_control_characters_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let library = Library::at(dir.path());
        let id: TaskId = "filesystem/garden/count".parse().unwrap();
        for title in ["Count\nthem", "Count\tthem", "Count\u{7f}", "\u{85}"] {
            let files = Some(&Scaffold::DIRECTORY);
            let error = scaffold(&library, &id, files, title, "2025-01-01").unwrap_err();
            let message = error.to_string();
            assert!(message.starts_with("invalid title \""), "{message}");
            assert!(!message.contains(char::is_control), "{message}");
        }
    }

    #[test]
    fn guests_of_the_template_have_targets_and_declarations() {
        let meta: Value = serde_json::from_str(template("meta.json")).unwrap();
        let manifest = template("Cargo.toml");
        for (path, _) in Scaffold::DIRECTORY.files {
            let is_guest = path.contains('/') || ["verifier.rs", "solution.rs"].contains(path);
            let target = format!("path = \"{path}\"\n");
            assert_eq!(manifest.contains(&target), is_guest, "{path}");
            if let Some(variant) = path.strip_prefix("variants/") {
                let name = variant.strip_suffix(".rs").unwrap();
                assert!(meta["variants"][name].is_string(), "{path}");
            }
        }
    }

    #[test]
    fn members_are_entered_in_their_order() {
        let manifest = "[workspace]\nmembers = [\n    \"a/b\",\n    \"a/d\",\n]\n";
        let with = |member| with_member(manifest, member).unwrap();
        assert!(with("a/c").contains("\"a/b\",\n    \"a/c\",\n    \"a/d\",\n]\n"));
        assert!(with("a/e").contains("\"a/d\",\n    \"a/e\",\n]\n"));
        assert!(with("a/a").contains("[\n    \"a/a\",\n    \"a/b\",\n"));
        assert_eq!(
            with_member("members = [\n]\n", "b").as_deref(),
            Some("members = [\n    \"b\",\n]\n")
        );
        assert_eq!(with_member("members = [\"a\"]\n", "b"), None);
    }
}
