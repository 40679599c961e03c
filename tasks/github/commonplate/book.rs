//! What the solutions on this book share.

use mcpmark_guest::github::RepoTools;

/// All recipes of main, each with its path and text, sorted by path.
pub fn recipes(site: &mut RepoTools<'_>) -> Vec<(String, String)> {
    let mut paths = site.files_in("main", "recipes");
    paths.extend(site.files_in("main", "recipes/bread"));
    paths.sort();
    let read = paths.into_iter().map(|path| {
        let text = site.file_at("main", &path);
        (path, text.expect("a file that is listed is there"))
    });
    read.collect()
}

/// A value of the front matter.
pub fn value<'a>(text: &'a str, key: &str) -> &'a str {
    let lines = text.lines().skip(1).take_while(|line| *line != "---");
    let mut values = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    values.next().expect("each recipe has it")
}
