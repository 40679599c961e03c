//! Checks of new objects by the rules of `git fsck --strict`, for which GitHub would reject a push.

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::config::parse::Events;
use gix::config::{File, file::Metadata};
use gix::validate::path::component;

use super::{Edit, EntryKind, Git, GitError, MAX_OBJECT, MAX_RECORD};

/// Maximum size of a file on GitHub, in bytes.
pub(super) const MAX_FILE: usize = 100 << 20;
/// Exclusive upper bound of the length of a line in `.gitattributes`, in bytes.
const MAX_ATTRIBUTES_LINE: usize = 2048;
/// Maximum length of the message of a commit or a tag in bytes, such that the whole object stays below [`MAX_RECORD`].
const MAX_MESSAGE: usize = MAX_RECORD as usize - (16 << 10);

/// Refuses a file that exceeds the limit of GitHub.
pub(super) fn check_size(bytes: &[u8]) -> Result<(), GitError> {
    if bytes.len() > MAX_FILE {
        Err(GitError::Refused(
            "Sorry, your input was too large to process. Consider creating the blob in a local clone of the \
             repository and then pushing it to GitHub."
                .to_owned(),
        ))
    } else {
        Ok(())
    }
}

/// Refuses a directory that is too large for verifiers to read, because a final state with it could not be graded.
pub(super) fn check_tree_size(bytes: u64) -> Result<(), GitError> {
    if bytes > MAX_OBJECT {
        Err(GitError::Refused(format!(
            "the names in one directory take {bytes} bytes, and at most {MAX_OBJECT} are allowed; spread its files \
             over several directories"
        )))
    } else {
        Ok(())
    }
}

/// Refuses a message that would exceed the size limit of commits and tags.
pub(super) fn check_message(message: &str) -> Result<(), GitError> {
    if message.len() > MAX_MESSAGE {
        Err(GitError::Refused(format!(
            "message is too long (maximum is {MAX_MESSAGE} bytes)"
        )))
    } else {
        Ok(())
    }
}

/// Refuses a time before 1970, which git does not accept.
pub(super) fn check_time(seconds: i64) -> Result<(), GitError> {
    if seconds < 0 {
        Err(GitError::Refused(
            "badDate: a date before 1970 is none that git reads".to_owned(),
        ))
    } else {
        Ok(())
    }
}

impl Git {
    /// Refuses invalid or dangerous `.gitmodules` and `.gitattributes` entries, as `git fsck` does.
    pub(super) fn check_git_config_files(&self, edit: &Edit) -> Result<(), GitError> {
        let Edit::Put { path, kind, id } = edit else {
            return Ok(());
        };
        let mut above = path.split('/');
        let name = above.next_back().unwrap_or_default();
        let is_blob = matches!(kind, EntryKind::File | EntryKind::Executable);
        let refused = |problem: String| Err(GitError::Refused(format!("object {id}: {problem}")));
        if above.clone().any(is_modules) || (is_modules(name) && kind.object() != "blob") {
            return refused("gitmodulesBlob: non-blob found at .gitmodules".to_owned());
        }
        if above.any(is_attributes) || (is_attributes(name) && kind.object() != "blob") {
            return refused("gitattributesBlob: non-blob found at .gitattributes".to_owned());
        }
        let problem = if is_blob && is_modules(name) {
            modules_problem(&self.blob(*id)?)
        } else if is_blob && is_attributes(name) {
            attributes_problem(&self.blob(*id)?)
        } else {
            None
        };
        problem.map_or(Ok(()), refused)
    }

    /// Returns true if an entry of this kind may refer to the object. The commit of a submodule need not exist.
    pub(crate) fn fits(&self, kind: EntryKind, id: ObjectId) -> Result<bool, GitError> {
        Ok(match self.kind(id)? {
            Some(known) => known == kind.object(),
            None => kind == EntryKind::Submodule,
        })
    }
}

/// Returns true if a name is `.gitmodules` on any operating system.
fn is_modules(name: &str) -> bool {
    let options = component::Options {
        protect_windows: false,
        protect_hfs: true,
        protect_ntfs: true,
    };
    // `gix` checks this name only for symlinks.
    let named =
        gix::validate::path::component(name.into(), Some(component::Mode::Symlink), options);
    matches!(named, Err(component::Error::SymlinkedGitModules))
}

/// Returns true if a name is `.gitattributes` on systems that ignore case and trailing dots and spaces.
fn is_attributes(name: &str) -> bool {
    let name = name.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    name == ".gitattributes" || matches!(name.strip_prefix("gitatt~"), Some("1" | "2" | "3" | "4"))
}

fn attributes_problem(bytes: &[u8]) -> Option<String> {
    // Git reads up to the first null byte.
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let long = text
        .split(|byte| *byte == b'\n')
        .any(|line| line.len() >= MAX_ATTRIBUTES_LINE);
    long.then(|| "gitattributesLineLength: .gitattributes has too long lines to parse".to_owned())
}

fn modules_problem(bytes: &[u8]) -> Option<String> {
    let file = as_far_as_it_goes(bytes)?;
    for section in file.sections() {
        let header = section.header();
        let Some(name) = header.subsection_name() else {
            continue;
        };
        if !header.name().eq_ignore_ascii_case(b"submodule")
            || section.value_names().next().is_none()
        {
            continue;
        }
        if gix::validate::submodule::name(name).is_err() {
            return Some(format!("gitmodulesName: disallowed submodule name: {name}"));
        }
        let bad = |key: &str, is_bad: fn(&[u8]) -> bool| {
            let mut values = section.values(key).into_iter();
            values.find(|value| is_bad(value.as_slice()))
        };
        if let Some(url) = bad("url", is_bad_url) {
            return Some(format!("gitmodulesUrl: disallowed submodule url: {url}"));
        }
        if let Some(path) = bad("path", |path| path.starts_with(b"-")) {
            return Some(format!("gitmodulesPath: disallowed submodule path: {path}"));
        }
        if let Some(update) = bad("update", |update| update.starts_with(b"!")) {
            return Some(format!(
                "gitmodulesUpdate: disallowed submodule update setting: {update}"
            ));
        }
    }
    None
}

/// Returns the URL of the submodule at a path, if `.gitmodules` has one.
pub(super) fn submodule_url(modules: &[u8], path: &str) -> Option<String> {
    let file = as_far_as_it_goes(modules)?;
    let mut sections = file.sections();
    let own = sections.find(|section| {
        section.header().name().eq_ignore_ascii_case(b"submodule")
            && section
                .value("path")
                .is_some_and(|it| it.as_slice() == path.as_bytes())
    })?;
    let url = own.value("url")?;
    Some(String::from_utf8_lossy(&url).into_owned())
}

/// Parses a configuration up to the first syntax error, because git ignores the rest but uses what precedes it.
fn as_far_as_it_goes(bytes: &[u8]) -> Option<File> {
    let events = match Events::from_bytes(bytes, None) {
        Ok(events) => events,
        Err(error) => {
            let good = bytes.len().saturating_sub(error.remaining_data().len());
            Events::from_bytes(&bytes[..good], None).ok()?
        }
    };
    Some(File::from_parse_events_no_includes(events, Metadata::api()))
}

/// Returns true if git refuses to clone a submodule from a URL.
fn is_bad_url(url: &[u8]) -> bool {
    let lower = url.to_ascii_lowercase();
    let has_line_feed = lower.contains(&b'\n') || lower.contains_str("%0a");
    if url.starts_with(b"-") {
        return true;
    }
    if let Some(rest) = below(url, 1).or_else(|| below(url, 2)) {
        let mut climbs = below(url, 2).is_some();
        let mut rest = rest;
        while let Some((further, dots)) = below(rest, 2)
            .map(|it| (it, true))
            .or_else(|| below(rest, 1).map(|it| (it, false)))
        {
            climbs |= dots;
            rest = further;
        }
        return has_line_feed
            || (climbs && rest.first().is_some_and(|first| b":/\\".contains(first)));
    }
    let schemes: [&[u8]; 4] = [b"http", b"https", b"ftp", b"ftps"];
    let to_curl = schemes.iter().find_map(|scheme| {
        let rest = lower.strip_prefix(*scheme)?;
        let helped = rest.strip_prefix(b"::").and_then(|it| {
            let end = it.find("://")?;
            Some(&it[end + 3..])
        });
        match rest.strip_prefix(b"://") {
            Some(host) => Some(Some(host)),
            None if rest.starts_with(b"::") => Some(helped),
            None => None,
        }
    });
    match to_curl {
        None => false,
        Some(None) => true,
        Some(Some(host)) => {
            let end = host.find_byteset(b"/?#").unwrap_or(host.len());
            let host = host[..end].rsplit(|byte| *byte == b'@').next();
            has_line_feed || host.is_none_or(|host| host.is_empty() || host.starts_with(b":"))
        }
    }
}

/// Strips the given number of dots and a slash or backslash.
fn below(url: &[u8], dots: usize) -> Option<&[u8]> {
    let rest = url.strip_prefix(&b".."[..dots])?;
    rest.strip_prefix(b"/").or_else(|| rest.strip_prefix(b"\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_config_files_are_recognised_by_any_name() {
        for name in [
            ".gitmodules",
            ".GitModules",
            "gitmod~1",
            ".gitmodules .",
            ".git\u{200c}modules",
        ] {
            assert!(is_modules(name), "{name}");
        }
        for name in [
            ".gitattributes",
            ".GITATTRIBUTES",
            ".gitattributes. ",
            "gitatt~2",
        ] {
            assert!(is_attributes(name), "{name}");
        }
        for name in ["gitmodules", ".gitmodules2", ".gitignore", "gitattributes"] {
            assert!(!is_modules(name) && !is_attributes(name), "{name}");
        }
    }

    #[test]
    fn addresses_that_git_does_not_clone_are_bad() {
        for url in [
            "-u./evil",
            "./a%0ab",
            "../:x",
            ".././/x",
            "..\\..\\/x",
            "http:///x",
            "https://user@/x",
            "https://example.org/%0ahost=x",
            "https::example.org/x",
        ] {
            assert!(is_bad_url(url.as_bytes()), "{url}");
        }
        for url in [
            "./-x",
            "../a.git",
            "../../a/b",
            "/srv/a.git",
            "git@github.com:a/b.git",
            "ssh://git@example.org/a",
            "https://example.org:8080/a/b.git",
            "https://user:word@example.org/a",
            "file:///a",
        ] {
            assert!(!is_bad_url(url.as_bytes()), "{url}");
        }
    }

    #[test]
    fn a_file_of_modules_is_read_as_far_as_it_goes() {
        let good = "[submodule \"x\"]\n\tpath = x\n\turl = https://example.org/x\n";
        assert_eq!(modules_problem(good.as_bytes()), None);
        assert_eq!(modules_problem(b"no configuration [["), None);
        assert_eq!(modules_problem(&[0xff, 0, 0xfe]), None);
        for (text, expected) in [
            ("[submodule \"../x\"]\nurl = y\n", "gitmodulesName"),
            (
                "[submodule \"x\"]\nurl = \"-u./evil\"\n[[[",
                "gitmodulesUrl",
            ),
            ("[submodule \"x\"]\nurl = y\npath = -x\n", "gitmodulesPath"),
            ("[submodule \"x\"]\nupdate = !rm\n", "gitmodulesUpdate"),
        ] {
            let problem = modules_problem(text.as_bytes());
            assert!(
                problem
                    .as_deref()
                    .is_some_and(|it| it.starts_with(expected)),
                "{text}: {problem:?}"
            );
        }
    }
}
