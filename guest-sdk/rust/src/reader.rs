//! Access to files, common to verifiers and solutions.

use crate::{Kind, Tools, Tree};

/// Source of files: the tree of a verifier, or the tools of a solution.
///
/// Code that computes the answer of a task from its files takes a reader, so that the verifier and
/// the solution can share it. The methods panic if something cannot be read. They are meant for the
/// starting tree, whose files are known, and for correct solutions.
pub trait Reader {
    /// Returns the text of a file as stored, with its byte order mark and its line ends.
    fn raw(&mut self, path: &str) -> String;

    /// Returns the texts of many files as stored, with one call if the reader calls tools.
    fn raw_all(&mut self, paths: &[String]) -> Vec<String>;

    /// Returns the text of a file without its byte order mark, and with LF instead of CRLF.
    fn text(&mut self, path: &str) -> String {
        plain(&self.raw(path))
    }

    /// Returns the names of the files directly in a directory, sorted by their bytes.
    fn names(&mut self, directory: &str) -> Vec<String>;

    /// Returns the names of the directories directly in a directory, sorted by their bytes.
    fn folders(&mut self, directory: &str) -> Vec<String>;

    /// Returns the paths of all files below a directory, sorted by their bytes.
    fn below(&mut self, directory: &str) -> Vec<String>;
}

/// Removes the byte order mark of a text and replaces CRLF with LF.
pub fn plain(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.replace("\r\n", "\n")
}

impl Reader for Tree {
    #[track_caller]
    fn raw(&mut self, path: &str) -> String {
        self.file(path).text().required()
    }

    #[track_caller]
    fn raw_all(&mut self, paths: &[String]) -> Vec<String> {
        // Not a closure: a panic in it would report its own line instead of the caller's.
        let mut texts = Vec::with_capacity(paths.len());
        for path in paths {
            texts.push(self.raw(path));
        }
        texts
    }

    #[track_caller]
    fn names(&mut self, directory: &str) -> Vec<String> {
        entries(self, directory, Kind::File)
    }

    #[track_caller]
    fn folders(&mut self, directory: &str) -> Vec<String> {
        entries(self, directory, Kind::Directory)
    }

    #[track_caller]
    fn below(&mut self, directory: &str) -> Vec<String> {
        self.files(directory).required()
    }
}

#[track_caller]
fn entries(tree: &Tree, directory: &str, kind: Kind) -> Vec<String> {
    let listed = tree.list(directory).required();
    let meant = listed.iter().filter(|entry| entry.kind == kind);
    meant
        .map(|entry| {
            let at = entry.path.rfind('/').map_or(0, |slash| slash + 1);
            entry.path[at..].to_owned()
        })
        .collect()
}

impl Reader for Tools {
    #[track_caller]
    fn raw(&mut self, path: &str) -> String {
        self.read_text(path)
    }

    #[track_caller]
    fn raw_all(&mut self, paths: &[String]) -> Vec<String> {
        self.read_many(paths)
    }

    #[track_caller]
    fn names(&mut self, directory: &str) -> Vec<String> {
        listed(self, directory, false)
    }

    #[track_caller]
    fn folders(&mut self, directory: &str) -> Vec<String> {
        listed(self, directory, true)
    }

    #[track_caller]
    fn below(&mut self, directory: &str) -> Vec<String> {
        let mut paths = self.files(directory);
        paths.sort();
        paths
    }
}

#[track_caller]
fn listed(tools: &mut Tools, directory: &str, directories: bool) -> Vec<String> {
    let listing = tools.list(directory).into_iter();
    let mut names: Vec<String> = listing
        .filter_map(|(name, is_directory)| (is_directory == directories).then_some(name))
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, MemoryTree};
    use crate::{Content, Output};

    fn look(reader: &mut dyn Reader) -> Vec<Vec<String>> {
        vec![
            vec![reader.raw("d/b.txt"), reader.text("d/b.txt")],
            reader.raw_all(&["d/b.txt".to_owned(), "d/a.txt".to_owned()]),
            reader.raw_all(&[]),
            reader.names("d"),
            reader.folders("d"),
            reader.below("d"),
        ]
    }

    #[test]
    fn a_tree_and_tools_read_alike() {
        let files = [
            ("d/b.txt", "\u{feff}one\r\ntwo\n"),
            ("d/a.txt", "no end"),
            ("d/e/c.txt", ""),
        ];
        let expected = vec![
            vec!["\u{feff}one\r\ntwo\n".to_owned(), "one\ntwo\n".to_owned()],
            vec!["\u{feff}one\r\ntwo\n".to_owned(), "no end".to_owned()],
            vec![],
            vec!["a.txt".to_owned(), "b.txt".to_owned()],
            vec!["e".to_owned()],
            vec![
                "d/a.txt".to_owned(),
                "d/b.txt".to_owned(),
                "d/e/c.txt".to_owned(),
            ],
        ];

        let start = MemoryTree::from(files);
        testing::verify(
            |task| assert_eq!(look(&mut task.start()), expected),
            &start,
            &start,
            None,
        );

        testing::solve(
            |tools| {
                assert_eq!(look(tools), expected);
                String::new()
            },
            move |name, arguments| {
                let content = |path: &str| {
                    let found = files.iter().find(|(at, _)| *at == path);
                    found.map(|(_, content)| *content).unwrap_or_default()
                };
                let text = match name {
                    "read_text_file" => content(arguments["path"].as_str().unwrap()).to_owned(),
                    "read_multiple_files" => {
                        let paths = arguments["paths"].as_array().unwrap().iter();
                        let texts = paths.map(|path| {
                            let path = path.as_str().unwrap();
                            format!("{path}:\n{}\n", content(path))
                        });
                        texts.collect::<Vec<_>>().join("\n---\n")
                    }
                    "list_directory" => "[FILE] b.txt\n[DIR] e\n[FILE] a.txt".to_owned(),
                    _ => concat!(
                        r#"[{"name":"b.txt","type":"file"},{"name":"e","type":"directory","#,
                        r#""children":[{"name":"c.txt","type":"file"}]},"#,
                        r#"{"name":"a.txt","type":"file"}]"#
                    )
                    .to_owned(),
                };
                Ok(Output {
                    content: vec![Content::Text(text)],
                    structured: None,
                    is_error: false,
                })
            },
        );
    }
}
