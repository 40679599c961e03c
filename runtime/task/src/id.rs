//! Ids of tasks and worlds, and the rules for their names.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Id of a task: `<service>/<world>/<task>`, its path below `tasks/`. Ids in published corpora have two to four parts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId {
    service: String,
    group: String,
    name: String,
}

impl TaskId {
    /// Creates an id from three names.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them violates the rules for names.
    pub fn new(service: &str, group: &str, name: &str) -> Result<Self, Error> {
        for part in [service, group, name] {
            check_name(part).map_err(|reason| Error::Name {
                text: format!("{service}/{group}/{name}"),
                what: "task id",
                reason,
            })?;
        }
        Ok(Self {
            service: service.to_owned(),
            group: group.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Parses the id of a published task, its path below `tasks/`.
    ///
    /// # Errors
    ///
    /// Returns an error if it has too few or too many parts, or if one violates the rules for names.
    pub fn published(text: &str) -> Result<Self, Error> {
        let parts: Vec<String> = text.split('/').map(str::to_owned).collect();
        if parts.len() > crate::published::MAX_DEPTH {
            return Err(Error::Name {
                text: text.to_owned(),
                what: "task id",
                reason: format!("expected at most {} parts", crate::published::MAX_DEPTH),
            });
        }
        Self::of_directories(&parts)
    }

    /// Creates an id from the directories of a published task: service, optional suite and category, and task. Each
    /// must follow the rules for names.
    pub(crate) fn of_directories(parts: &[String]) -> Result<Self, Error> {
        let wrong = |reason| Error::Name {
            text: parts.join("/"),
            what: "task id",
            reason,
        };
        let [service, between @ .., name] = parts else {
            return Err(wrong("expected <service>/…/<task>".into()));
        };
        for part in parts {
            check_name(part).map_err(wrong)?;
        }
        Ok(Self {
            service: service.clone(),
            group: between.join("/"),
            name: name.clone(),
        })
    }

    /// Returns the service, such as `filesystem`.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Returns the directories between service and task. In a library, this is by convention the name of the world. In
    /// a published corpus it may be `<suite>/<category>`, one directory, or empty.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// Returns the parent directory of the task, which is its category in a published corpus. Returns `None` if the
    /// parent is the directory of the service.
    pub fn category(&self) -> Option<&str> {
        let last = self.group.rsplit('/').next();
        last.filter(|category| !category.is_empty())
    }

    /// Returns the last part, the name of the task.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            service,
            group,
            name,
        } = self;
        match group.as_str() {
            "" => write!(f, "{service}/{name}"),
            group => write!(f, "{service}/{group}/{name}"),
        }
    }
}

impl FromStr for TaskId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.split('/').collect::<Vec<_>>()[..] {
            [service, group, name] => Self::new(service, group, name),
            _ => Err(Error::Name {
                text: text.to_owned(),
                what: "task id",
                reason: "expected <service>/<world>/<task>".to_owned(),
            }),
        }
    }
}

/// Id of a world: `<service>/<world>`, its path below `worlds/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorldId {
    service: String,
    name: String,
}

impl WorldId {
    /// Creates an id from two names.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them violates the rules for names.
    pub fn new(service: &str, name: &str) -> Result<Self, Error> {
        for part in [service, name] {
            check_name(part).map_err(|reason| Error::Name {
                text: format!("{service}/{name}"),
                what: "world id",
                reason,
            })?;
        }
        Ok(Self {
            service: service.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Returns the service, such as `filesystem`.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Returns the last part, the name of the world.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for WorldId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.service, self.name)
    }
}

impl FromStr for WorldId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.split('/').collect::<Vec<_>>()[..] {
            [service, name] => Self::new(service, name),
            _ => Err(Error::Name {
                text: text.to_owned(),
                what: "world id",
                reason: "expected <service>/<world>".to_owned(),
            }),
        }
    }
}

/// Checks that a name is a portable directory name that needs no quoting in a shell or a glob.
fn check_name(name: &str) -> Result<(), String> {
    const LONGEST: usize = 100;
    if name.is_empty() {
        return Err("a part is empty".to_owned());
    }
    if name.len() > LONGEST {
        return Err(format!("a part exceeds the limit of {LONGEST} bytes"));
    }
    if name.starts_with(['.', '-']) {
        return Err(format!("{name:?} must not begin with {:?}", &name[..1]));
    }
    match name
        .chars()
        .find(|c| !c.is_ascii_alphanumeric() && !"._-".contains(*c))
    {
        Some(bad) => Err(format!(
            "{name:?} contains {bad:?}; expected letters, digits, '-', '_' and '.'"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_names_that_leave_the_directory() {
        for text in [
            "a/../b", "a/./b", "/a/b", "a//b", "a/b/", "a/b", "a/b/c/d", "", "a/b/c\\d", "a/b/-x",
            "a/b/c d", "a/b/ü",
        ] {
            assert!(text.parse::<TaskId>().is_err(), "{text:?}");
        }
        for text in ["a", "a/b/c", "../b", "a/..", "", "/"] {
            assert!(text.parse::<WorldId>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn ids_are_written_as_they_are_read(text in "[a-z0-9/._-]{0,12}") {
            if let Ok(id) = text.parse::<TaskId>() {
                prop_assert_eq!(id.to_string(), text.clone());
            }
            if let Ok(id) = text.parse::<WorldId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
