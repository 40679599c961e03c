//! Path handling by text, without access to the disk.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::failure::Failure;
use crate::profile::Profile;

/// Root directory of the world as agents see it, the same on every machine.
pub const ROOT: &str = "/workspace";

/// Expansion of `~`. It is outside the world.
const HOME: &str = "/home/agent";

/// Returns the absolute form of a path in the world. Fails if the path is outside.
pub(crate) fn absolute(requested: &str, profile: Profile) -> Result<String, Failure> {
    if profile.refuses_drives() && names_drive(requested) {
        return Err(Failure::tool_error(format!(
            "Access denied - Windows-style path received on a POSIX host: {requested}"
        )));
    }
    let expanded = match requested.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{HOME}{rest}"),
        _ => requested.to_owned(),
    };
    let absolute = resolve(&expanded);
    if !allowed(&absolute) {
        return Err(outside("path", &absolute));
    }
    // `allowed` ignores white space and a quotation mark at the end. So only a sibling such as `/workspace ` gets here,
    // which the later version of the published server would accept.
    if below_root(&absolute).is_none() {
        return Err(if profile.matches_unicode_forms() {
            outside("path", &absolute)
        } else {
            no_parent("/")
        });
    }
    Ok(absolute)
}

/// Reports whether a path begins with a Windows drive, such as `C:\`.
fn names_drive(path: &str) -> bool {
    match path.as_bytes() {
        [letter, b':', rest @ ..] => {
            letter.is_ascii_alphabetic() && matches!(rest.first(), None | Some(b'/' | b'\\'))
        }
        _ => false,
    }
}

/// Characters that are percent-encoded in a `file:` URL.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b'-')
    .remove(b'.')
    .remove(b'/')
    .remove(b':')
    .remove(b';')
    .remove(b'=')
    .remove(b'@')
    .remove(b'_');

/// Returns the path as a `file:` URL.
pub(crate) fn url(absolute: &str) -> String {
    format!("file://{}", utf8_percent_encode(absolute, ENCODED))
}

/// Creates the error of a path or symlink target outside the world.
pub(crate) fn outside(what: &str, absolute: &str) -> Failure {
    Failure::tool_error(format!(
        "Access denied - {what} outside allowed directories: {absolute} not in {ROOT}"
    ))
}

/// Creates the error of a path whose parent directory does not exist.
pub(crate) fn no_parent(parent: &str) -> Failure {
    Failure::tool_error(format!("Parent directory does not exist: {parent}"))
}

/// Returns the part of an absolute path below the root, which is empty for the root itself, or `None` if the path is
/// outside.
pub(crate) fn below_root(absolute: &str) -> Option<&str> {
    let rest = absolute.strip_prefix(ROOT)?;
    match rest {
        "" => Some(""),
        _ => rest.strip_prefix('/'),
    }
}

/// Returns the absolute form of a path below the root.
pub(crate) fn shown(below_root: &str) -> String {
    match below_root {
        "" => ROOT.to_owned(),
        _ => format!("{ROOT}/{below_root}"),
    }
}

/// Returns the parent directory of an absolute path.
pub(crate) fn parent(absolute: &str) -> &str {
    match absolute.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &absolute[..at],
    }
}

/// Returns the extension of the last name in lower case with its dot, or an empty string if it has none.
pub(crate) fn extension(absolute: &str) -> String {
    let name = absolute.rsplit('/').next().unwrap_or_default();
    match name.rfind('.') {
        None | Some(0) => String::new(),
        Some(at) => name[at..].to_lowercase(),
    }
}

/// Makes a path absolute and removes `.`, `..` and repeated slashes.
pub(crate) fn resolve(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    if !path.starts_with('/') {
        names.extend(ROOT.split('/').filter(|name| !name.is_empty()));
    }
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            _ => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

/// Reports whether a path is in the world. Like the published server, it ignores white space and one quotation mark at
/// the end.
fn allowed(absolute: &str) -> bool {
    let trimmed = absolute.trim_matches(is_js_space);
    let trimmed = trimmed.strip_suffix(['"', '\'']).unwrap_or(trimmed);
    !trimmed.contains('\0') && below_root(&resolve(trimmed)).is_some()
}

/// Reports whether JavaScript treats the character as white space.
pub(crate) fn is_js_space(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absolute(path: &str) -> Result<String, Failure> {
        super::absolute(path, Profile::V2025_12_18)
    }

    fn refusal(path: &str) -> String {
        match absolute(path) {
            Err(Failure::ToolError(text)) => text,
            other => panic!("{path:?}: {other:?}"),
        }
    }

    #[test]
    fn paths_inside() {
        for (path, expected) in [
            ("", "/workspace"),
            (".", "/workspace"),
            ("a.txt", "/workspace/a.txt"),
            ("/workspace", "/workspace"),
            ("/workspace/", "/workspace"),
            ("//workspace//a//b/", "/workspace/a/b"),
            ("a/../../workspace/b", "/workspace/b"),
            ("/etc/../workspace/./b", "/workspace/b"),
            ("~x", "/workspace/~x"),
            ("a b ", "/workspace/a b "),
            ("\"a\"", "/workspace/\"a\""),
            ("C:\\x", "/workspace/C:\\x"),
            ("...", "/workspace/..."),
            ("ａ․txt", "/workspace/ａ․txt"),
        ] {
            assert_eq!(absolute(path).unwrap(), expected, "{path:?}");
        }
    }

    #[test]
    fn paths_outside() {
        for (path, shown) in [
            ("..", "/"),
            ("../x", "/x"),
            ("a/../../x", "/x"),
            ("/", "/"),
            ("/etc/passwd", "/etc/passwd"),
            ("/workspacex", "/workspacex"),
            ("/workspace/../etc", "/etc"),
            ("~", "/home/agent"),
            ("~/x", "/home/agent/x"),
            ("a\0b", "/workspace/a\0b"),
            (".. ", "/workspace/.. "),
        ] {
            assert_eq!(
                refusal(path),
                format!(
                    "Access denied - path outside allowed directories: {shown} not in /workspace"
                ),
                "{path:?}"
            );
        }
        for path in [
            "/workspace ",
            "/workspace\"",
            "/workspace'",
            "/workspace\u{feff}",
        ] {
            assert_eq!(refusal(path), "Parent directory does not exist: /");
        }
    }

    #[test]
    fn drives() {
        for (path, expected) in [
            ("C:", true),
            ("c:/x", true),
            ("C:\\x", true),
            ("C:x", false),
            ("CC:\\x", false),
            ("é:\\x", false),
            ("1:/", false),
            (":", false),
        ] {
            assert_eq!(names_drive(path), expected, "{path}");
        }
    }

    #[test]
    fn urls() {
        assert_eq!(url("/w/a-b_c.txt"), "file:///w/a-b_c.txt");
        assert_eq!(url("/w/é ~%[x]\n"), "file:///w/%C3%A9%20%7E%25%5Bx%5D%0A");
    }

    #[test]
    fn extensions() {
        for (path, expected) in [
            ("/workspace/a.PNG", ".png"),
            ("/workspace/.png", ""),
            ("/workspace/a.", "."),
            ("/workspace/a.b/c", ""),
            ("/workspace/a.tar.gz", ".gz"),
        ] {
            assert_eq!(extension(path), expected);
        }
    }
}
