//! Refs, and resolution of revisions.

use gix::ObjectId;
use gix::hash::Prefix;

use super::{Git, GitError};
use crate::call;

/// Maximum length of a chain of tags. One tag is common, and longer chains than a few do not occur in practice.
const MAX_TAGS: usize = 100;

/// Checks a full ref name by the rules of git. Returns a message if it is invalid.
pub(crate) fn check_ref_name(name: &str) -> Result<(), String> {
    gix::validate::reference::name(name.into())
        .map(drop)
        .map_err(|_| format!("{name:?} is not a valid ref name"))
}

/// Checks the full name of a new ref. Refuses names that git or GitHub refuse because they are ambiguous: branches and
/// tags that begin with `-` or look like a full object id, and a branch `HEAD`.
pub(crate) fn check_new_ref_name(name: &str) -> Result<(), String> {
    check_ref_name(name)?;
    let (branch, tag) = (
        name.strip_prefix("refs/heads/"),
        name.strip_prefix("refs/tags/"),
    );
    let misleading = branch.is_some_and(|branch| branch.starts_with('-') || branch == "HEAD")
        || tag.is_some_and(|tag| tag.starts_with('-'))
        || branch.or(tag).is_some_and(is_full_id);
    if misleading {
        Err(format!("{name:?} is ambiguous as a ref name"))
    } else {
        Ok(())
    }
}

fn is_full_id(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Git {
    /// Returns the refs below a prefix, sorted, as the rest of the name and the target.
    pub fn refs_below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, ObjectId)> {
        self.refs
            .range(prefix.to_owned()..)
            .map_while(move |(name, id)| Some((name.strip_prefix(prefix)?, *id)))
    }

    /// Returns the target of a ref by its full name.
    pub fn find_ref(&self, name: &str) -> Option<ObjectId> {
        self.refs.get(name).copied()
    }

    /// Returns the tip of a branch.
    pub fn branch(&self, name: &str) -> Option<ObjectId> {
        self.find_ref(&format!("refs/heads/{name}"))
    }

    /// Sets or creates a ref.
    pub(crate) fn set_ref(&mut self, name: impl Into<String>, id: ObjectId) {
        call::changed();
        self.refs.insert(name.into(), id);
    }

    /// Removes a ref.
    pub(crate) fn remove_ref(&mut self, name: &str) {
        call::changed();
        self.refs.remove(name);
    }

    /// Returns true if a ref conflicts with another one as file and directory: one name is a parent directory of the
    /// other.
    pub(crate) fn ref_clashes(&self, name: &str) -> bool {
        self.ref_clashes_without(name, "")
    }

    /// Returns the same as [`ref_clashes`](Self::ref_clashes) would after the ref `removed` is removed.
    pub(crate) fn ref_clashes_without(&self, name: &str, removed: &str) -> bool {
        let below = format!("{name}/");
        let removed_below = removed.strip_prefix(&below);
        self.refs_below(&below)
            .any(|(rest, _)| Some(rest) != removed_below)
            || name.match_indices('/').any(|(end, _)| {
                let parent = &name[..end];
                parent != removed && self.refs.contains_key(parent)
            })
    }

    /// Resolves a text to a commit. Tries a full object id, then a branch, a tag and a full ref name, then an
    /// abbreviated id.
    pub fn resolve(&self, text: &str) -> Result<Option<ObjectId>, GitError> {
        let full = if is_full_id(text) {
            self.by_id(text)?
        } else {
            None
        };
        let id = full.or_else(|| self.named(text));
        match id.map_or_else(|| self.by_id(text), |id| Ok(Some(id)))? {
            Some(id) => self.peel(id),
            None => Ok(None),
        }
    }

    /// Returns the target of the branch, tag or ref with this name.
    pub(crate) fn named(&self, text: &str) -> Option<ObjectId> {
        let names = [
            format!("refs/heads/{text}"),
            format!("refs/tags/{text}"),
            format!("refs/{text}"),
            text.to_owned(),
        ];
        names.iter().find_map(|name| self.find_ref(name))
    }

    /// Finds an object by its id, or by a prefix of at least 7 hexadecimal digits. An ambiguous prefix finds nothing.
    pub(crate) fn by_id(&self, text: &str) -> Result<Option<ObjectId>, GitError> {
        let hex =
            text.len() >= 7 && text.len() <= 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
        if !hex {
            return Ok(None);
        }
        let text = text.to_ascii_lowercase();
        if let Ok(id) = ObjectId::from_hex(text.as_bytes()) {
            return Ok(self.repo.has_object(id).then_some(id));
        }
        let prefix = Prefix::from_hex(&text).map_err(GitError::objects)?;
        // An ambiguous prefix names no object.
        let stored = match self.repo.objects.lookup_prefix(prefix, None)? {
            Some(Err(())) => return Ok(None),
            Some(Ok(id)) => Some(id),
            None => None,
        };
        let written = self.written.iter().copied();
        let mut found = written
            .filter(|id| id.to_hex().to_string().starts_with(&text))
            .chain(stored);
        let first = found.next();
        Ok(first.filter(|first| found.all(|other| other == *first)))
    }

    /// Follows tags to a commit. Returns `None` for trees and blobs.
    pub fn peel(&self, id: ObjectId) -> Result<Option<ObjectId>, GitError> {
        let mut at = id;
        for _ in 0..MAX_TAGS {
            // Check the type before reading the object, because a blob can be large.
            match self.repo.try_find_header(at)?.map(|header| header.kind()) {
                Some(gix::objs::Kind::Commit) => return Ok(Some(at)),
                Some(gix::objs::Kind::Tag) => {
                    at = self.repo.find_tag(at)?.target_id()?.detach();
                }
                _ => return Ok(None),
            }
        }
        Err(GitError::objects(format!(
            "the chain of tags from {id} exceeds the limit of {MAX_TAGS}"
        )))
    }
}
