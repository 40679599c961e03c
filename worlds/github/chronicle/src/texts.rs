//! A code base of plain texts, whose edits replace, add and move parts of them.

use std::collections::BTreeMap;

use crate::code::Code;

const CHANGELOG: &str = "CHANGELOG.md";
const CHANGELOG_HEAD: &str = "# Changelog\n";
const VERSION: &str = "VERSION";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// A file that is new.
    New(String, String),
    /// A file that is there, with another text.
    Whole(String, String),
    /// The one place of a file where the first text stands gets the second.
    Part(String, String, String),
    /// Lines at the end of a file.
    End(String, String),
    Remove(String),
    /// From one path to another.
    Move(String, String),
    /// A release: the number, and the section of the change log.
    Release(String, String),
}

impl Write {
    pub fn new(path: &str, text: &str) -> Self {
        Self::New(path.to_owned(), text.to_owned())
    }

    pub fn part(path: &str, old: &str, new: &str) -> Self {
        Self::Part(path.to_owned(), old.to_owned(), new.to_owned())
    }

    pub fn end(path: &str, lines: &str) -> Self {
        Self::End(path.to_owned(), lines.to_owned())
    }

    pub fn moved(from: &str, to: &str) -> Self {
        Self::Move(from.to_owned(), to.to_owned())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    files: BTreeMap<String, String>,
}

impl Texts {
    /// The text of a file, if it is there.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// The paths below a directory, sorted.
    pub fn below<'a>(&'a self, directory: &'a str) -> impl Iterator<Item = &'a str> {
        self.files
            .keys()
            .map(String::as_str)
            .filter(move |path| path.starts_with(directory))
    }

    fn file(&mut self, path: &str) -> &mut String {
        match self.files.get_mut(path) {
            Some(text) => text,
            None => panic!("{path} is not there"),
        }
    }

    fn take(&mut self, path: &str) -> String {
        match self.files.remove(path) {
            Some(text) => text,
            None => panic!("{path} is not there"),
        }
    }
}

impl Code for Texts {
    type Edit = Write;

    /// # Panics
    /// When the edit does not fit: the history is wrong then.
    fn apply(&mut self, edit: &Write) {
        match edit {
            Write::New(path, text) => {
                let before = self.files.insert(path.clone(), text.clone());
                assert!(before.is_none(), "{path} is there already");
            }
            Write::Whole(path, text) => self.file(path).clone_from(text),
            Write::Part(path, old, new) => {
                let text = self.file(path);
                let places = text.matches(old.as_str()).count();
                assert_eq!(places, 1, "{path} has {old:?} {places} times:\n{text}");
                *text = text.replacen(old, new, 1);
            }
            Write::End(path, lines) => self.file(path).push_str(lines),
            Write::Remove(path) => {
                self.take(path);
            }
            Write::Move(from, to) => {
                let text = self.take(from);
                let before = self.files.insert(to.clone(), text);
                assert!(before.is_none(), "{to} is there already");
            }
            Write::Release(number, section) => {
                self.files.insert(VERSION.to_owned(), format!("{number}\n"));
                let before = self.files.get(CHANGELOG).map_or("", String::as_str);
                let earlier = before.strip_prefix(CHANGELOG_HEAD).unwrap_or_default();
                let text = format!("{CHANGELOG_HEAD}\n{section}{earlier}");
                self.files.insert(CHANGELOG.to_owned(), text);
            }
        }
    }

    fn tree(&self) -> BTreeMap<String, String> {
        self.files.clone()
    }

    fn keys(edit: &Write) -> Vec<&str> {
        match edit {
            Write::New(path, _)
            | Write::Whole(path, _)
            | Write::Part(path, _, _)
            | Write::End(path, _)
            | Write::Remove(path) => vec![path],
            Write::Move(from, to) => vec![from, to],
            Write::Release(..) => Vec::new(),
        }
    }

    fn release(number: &str, section: &str) -> Write {
        Write::Release(number.to_owned(), section.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_follow_each_other() {
        let mut code = Texts::default();
        for edit in [
            Write::new("a.txt", "one\ntwo\n"),
            Write::part("a.txt", "two", "2"),
            Write::end("a.txt", "three\n"),
            Write::moved("a.txt", "b/a.txt"),
            Write::Release("1.0".into(), "## 1.0\n".into()),
            Write::Release("1.1".into(), "## 1.1\n".into()),
        ] {
            code.apply(&edit);
        }
        assert_eq!(code.get("b/a.txt"), Some("one\n2\nthree\n"));
        assert_eq!(code.get("a.txt"), None);
        assert_eq!(
            code.get(CHANGELOG),
            Some("# Changelog\n\n## 1.1\n\n## 1.0\n")
        );
        assert_eq!(code.get(VERSION), Some("1.1\n"));
        assert_eq!(code.below("b/").collect::<Vec<_>>(), ["b/a.txt"]);
    }

    #[test]
    #[should_panic(expected = "has \"x\" 2 times")]
    fn a_part_stands_in_one_place() {
        let mut code = Texts::default();
        code.apply(&Write::new("a.txt", "x x\n"));
        code.apply(&Write::part("a.txt", "x", "y"));
    }
}
