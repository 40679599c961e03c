//! Branches, tags and what a text names.

use gix::ObjectId;
use gix::hash::Prefix;

use super::{Git, GitError};
use crate::call;

/// The most tags on the way from a tag to what it is of. One is common, and nobody needs ten.
const MAX_TAGS: usize = 100;

/// Checks a full ref name by the rules of git; what is wrong with it otherwise.
pub(crate) fn check_ref_name(name: &str) -> Result<(), String> {
    gix::validate::reference::name(name.into())
        .map(drop)
        .map_err(|_| format!("{name:?} is no ref name"))
}

/// Checks the full name of a ref that is to be made: git makes no branch that looks like an option or like what
/// names a commit otherwise, and GitHub no tag either that is written like an id.
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
        Err(format!("{name:?} can be mistaken for something else"))
    } else {
        Ok(())
    }
}

fn is_full_id(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Git {
    /// The refs that begin with a prefix, as the rest of their names and what they point to, sorted.
    pub fn refs_below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, ObjectId)> {
        self.refs
            .range(prefix.to_owned()..)
            .map_while(move |(name, id)| Some((name.strip_prefix(prefix)?, *id)))
    }

    /// What a ref of this full name points to.
    pub fn find_ref(&self, name: &str) -> Option<ObjectId> {
        self.refs.get(name).copied()
    }

    /// The tip of a branch.
    pub fn branch(&self, name: &str) -> Option<ObjectId> {
        self.find_ref(&format!("refs/heads/{name}"))
    }

    /// Sets a ref, or makes it.
    pub(crate) fn set_ref(&mut self, name: impl Into<String>, id: ObjectId) {
        call::changed();
        self.refs.insert(name.into(), id);
    }

    /// Removes a ref.
    pub(crate) fn remove_ref(&mut self, name: &str) {
        call::changed();
        self.refs.remove(name);
    }

    /// Whether another ref stands where a directory would be needed for this one, or lies below it.
    pub(crate) fn ref_clashes(&self, name: &str) -> bool {
        let below = format!("{name}/");
        self.refs_below(&below).next().is_some()
            || name
                .match_indices('/')
                .any(|(end, _)| self.refs.contains_key(&name[..end]))
    }

    /// The commit that a text names: a commit by its id, a branch, a tag, a ref, or a commit by the beginning of its
    /// id.
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

    /// What a branch, a tag or a ref of this name points to.
    pub(crate) fn named(&self, text: &str) -> Option<ObjectId> {
        let names = [
            format!("refs/heads/{text}"),
            format!("refs/tags/{text}"),
            format!("refs/{text}"),
            text.to_owned(),
        ];
        names.iter().find_map(|name| self.find_ref(name))
    }

    /// The object of an id or of the beginning of one.
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

    /// The commit that an object is or leads to; none for trees and blobs.
    pub fn peel(&self, id: ObjectId) -> Result<Option<ObjectId>, GitError> {
        let mut at = id;
        for _ in 0..MAX_TAGS {
            // The kind first: a blob may be large.
            match self.repo.try_find_header(at)?.map(|header| header.kind()) {
                Some(gix::objs::Kind::Commit) => return Ok(Some(at)),
                Some(gix::objs::Kind::Tag) => {
                    at = self.repo.find_tag(at)?.target_id()?.detach();
                }
                _ => return Ok(None),
            }
        }
        Err(GitError::objects(format!(
            "tag {id} leads to more than {MAX_TAGS} others"
        )))
    }
}
