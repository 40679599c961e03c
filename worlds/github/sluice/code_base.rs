//! The code base at a moment, and the edits that make the next one of it.
//!
//! An edit says what it is about, not which lines it changes. So the edits of a branch can be made on
//! whatever the main branch has become: that is how merges, rebases and backports come about.

use std::collections::BTreeMap;

use github_chronicle::Code;

use crate::files;
use crate::layers::{at_stage, fill};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A file comes into being.
    Add(&'static str),
    /// A file is taken to a stage of its layers.
    Stage(&'static str, u8),
    /// A setting of a file gets a value.
    Set(&'static str, &'static str, String),
    /// A file gets another path.
    Move(&'static str, &'static str),
    /// A file with a text of its own.
    Write(String, String),
    /// A release: the number, the day and the sections of the change log.
    Release(String, String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Placed {
    path: String,
    stage: u8,
    settings: BTreeMap<&'static str, String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeBase {
    files: BTreeMap<&'static str, Placed>,
    written: BTreeMap<String, String>,
}

const CHANGELOG: &str = "CHANGELOG.md";
const CHANGELOG_HEAD: &str = "# Changes\n";

impl Code for CodeBase {
    type Edit = Edit;

    fn apply(&mut self, edit: &Edit) {
        match edit {
            Edit::Add(key) => {
                let source = files::source(key);
                let settings = source
                    .settings
                    .iter()
                    .map(|(name, value)| (*name, (*value).to_owned()));
                let placed = Placed {
                    path: source.path.to_owned(),
                    stage: 1,
                    settings: settings.collect(),
                };
                assert!(
                    self.files.insert(key, placed).is_none(),
                    "{key} is there already"
                );
            }
            Edit::Stage(key, stage) => self.file(key).stage = *stage,
            Edit::Set(key, name, value) => {
                let set = self.file(key).settings.insert(name, value.clone());
                assert!(set.is_some(), "{key} has no {name}");
            }
            Edit::Move(key, path) => self.file(key).path = (*path).to_owned(),
            Edit::Write(path, text) => {
                self.written.insert(path.clone(), text.clone());
            }
            Edit::Release(number, section) => self.add_release(number, section),
        }
    }

    fn tree(&self) -> BTreeMap<String, String> {
        let mut tree = self.written.clone();
        for (key, placed) in &self.files {
            tree.insert(placed.path.clone(), render(key, placed));
        }
        tree
    }

    fn keys(edit: &Edit) -> Vec<&str> {
        match edit {
            Edit::Add(key) | Edit::Stage(key, _) | Edit::Set(key, _, _) | Edit::Move(key, _) => {
                vec![key]
            }
            Edit::Write(..) | Edit::Release(..) => Vec::new(),
        }
    }

    fn release(number: &str, section: &str) -> Edit {
        Edit::Release(number.to_owned(), section.to_owned())
    }
}

impl CodeBase {
    /// What a setting is.
    pub fn setting(&self, key: &str, name: &str) -> &str {
        &self.files[key].settings[name]
    }

    pub fn has(&self, key: &str) -> bool {
        self.files.contains_key(key)
    }

    /// Whether a setting stands in its file as it is now.
    pub fn shows(&self, key: &str, name: &str) -> bool {
        self.files.get(key).is_some_and(|file| {
            let text = at_stage(files::source(key).layers, file.stage);
            text.contains(&format!("{{{{{name}}}}}"))
        })
    }

    /// The name of a file without directory and ending.
    pub fn stem(&self, key: &str) -> &str {
        let path = &self.files[key].path;
        let name = path.rsplit('/').next().unwrap_or(path);
        name.split('.').next().unwrap_or(name)
    }

    fn file(&mut self, key: &str) -> &mut Placed {
        match self.files.get_mut(key) {
            Some(file) => file,
            None => panic!("{key} is not there yet"),
        }
    }

    fn add_release(&mut self, number: &str, section: &str) {
        let version = format!("\"\"\"Waters allotments.\"\"\"\n\n__version__ = \"{number}\"\n");
        self.written
            .insert("sluice/__init__.py".to_owned(), version);
        let before = self.written.get(CHANGELOG).cloned();
        let before = before.unwrap_or_else(|| CHANGELOG_HEAD.to_owned());
        let earlier = before
            .strip_prefix(CHANGELOG_HEAD)
            .expect("the change log has its head");
        let text = format!("{CHANGELOG_HEAD}\n{section}{earlier}");
        self.written.insert(CHANGELOG.to_owned(), text);
    }
}

fn render(key: &str, placed: &Placed) -> String {
    let source = files::source(key);
    let text = at_stage(source.layers, placed.stage);
    let text = fill(&text, "[[", "]]", |name| {
        let word = source.words.iter().find(|(word, _)| *word == name);
        word.map(|(_, value)| *value)
    });
    fill(&text, "{{", "}}", |name| {
        placed.settings.get(name).map(String::as_str)
    })
}

#[cfg(test)]
mod tests {
    use github_chronicle::difference;

    use super::*;

    #[test]
    fn edits_can_be_made_on_another_base() {
        let mut main = CodeBase::default();
        main.apply(&Edit::Add("tomato"));
        main.apply(&Edit::Add("leek"));
        let mut branch = main.clone();
        let edit = Edit::Set("tomato", "max_minutes", "21".to_owned());
        branch.apply(&edit);
        main.apply(&Edit::Move("leek", "crops/winter/leek.toml"));
        main.apply(&edit);
        let (written, removed) = difference(&branch.tree(), &main.tree());
        assert_eq!(written.len(), 1);
        assert_eq!(written[0].0, "crops/winter/leek.toml");
        assert_eq!(removed, ["crops/leek.toml"]);
        assert!(main.tree()["crops/tomato.toml"].contains("max_minutes = 21\n"));
    }

    #[test]
    fn releases_stand_above_each_other() {
        let mut main = CodeBase::default();
        main.apply(&Edit::Release("1.0".into(), "## 1.0\n\n- A\n".into()));
        main.apply(&Edit::Release("1.1".into(), "## 1.1\n\n- B\n".into()));
        assert_eq!(
            main.tree()[CHANGELOG],
            "# Changes\n\n## 1.1\n\n- B\n\n## 1.0\n\n- A\n"
        );
    }

    #[test]
    fn every_stage_of_every_file_is_whole() {
        for source in files::SOURCES {
            let mut main = CodeBase::default();
            main.apply(&Edit::Add(source.key));
            for stage in 1..=6 {
                main.apply(&Edit::Stage(source.key, stage));
                let text = &main.tree()[source.path];
                assert!(!text.contains("%%") && !text.contains("{{"), "{text}");
                assert!(!text.ends_with("\n\n"), "{} at {stage}", source.key);
            }
        }
    }
}
