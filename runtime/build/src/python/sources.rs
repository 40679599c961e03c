//! Sources of the interpreter, embedded in this program.

/// Path and content of a source file.
pub(crate) type Source = (&'static str, &'static str);

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../guest-sdk/python/", $path)))),*]
    };
}

/// All files in `guest-sdk/python`. The tool runs in a directory with them.
pub(crate) const SOURCES: &[Source] = sources![
    "wit/script.wit",
    "mcpmark_script/__init__.py",
    "mcpmark_script/gaps.py",
    "mcpmark_script/guest.py",
    "mcpmark_script/lacks.py",
    "mcpmark_script/links.py",
    "mcpmark_script/loop.py",
    "mcpmark_script/null.py",
    "mcpmark_script/preload.py",
    "mcpmark_script/services.py",
    "mcpmark_script/tls.py",
    "shims/dotenv.py",
    "shims/notion_client/__init__.py",
    "shims/notion_client/errors.py",
    "shims/notion_client/helpers.py",
    "shims/psycopg2/__init__.py",
    "shims/psycopg2/errors.py",
    "shims/psycopg2/extensions.py",
    "shims/psycopg2/extras.py",
    "shims/requests/__init__.py",
    "shims/requests/exceptions.py",
    "shims/tasks/__init__.py",
    "shims/tasks/utils/__init__.py",
    "shims/tasks/utils/notion_utils.py",
    "steady.c",
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn files(dir: &Path, prefix: &str, found: &mut Vec<String>) {
        for entry in fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if !entry.file_type().unwrap().is_dir() {
                found.push(name);
            } else if !name.ends_with("__pycache__") {
                files(&entry.path(), &format!("{name}/"), found);
            }
        }
    }

    #[test]
    fn no_file_of_the_guest_is_left_out() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest-sdk/python");
        let mut found = Vec::new();
        files(&dir, "", &mut found);
        found.sort();
        let mut carried: Vec<&str> = SOURCES.iter().map(|(path, _)| *path).collect();
        carried.sort_unstable();
        assert_eq!(found, carried);
    }
}
