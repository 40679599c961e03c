//! Pack file of all objects of a repository with its index, with the same bytes on every machine.

use gix::ObjectId;
use gix::objs::Kind;

use super::loose::stored;
use super::reach::Object;
use super::{Git, GitError};

/// Pack and its index, in the file formats of git.
pub(crate) struct Pack {
    /// Checksum of the pack, from which git forms the file names.
    pub(crate) name: ObjectId,
    pub(crate) pack: Vec<u8>,
    pub(crate) index: Vec<u8>,
}

impl Git {
    /// Packs the reachable objects that the base does not contain, sorted by id, in stored blocks and without deltas.
    pub(crate) fn pack(&self) -> Result<Pack, GitError> {
        Pack::of(&self.added(&[])?)
    }
}

impl Pack {
    /// Packs objects that are sorted by id.
    ///
    /// # Errors
    ///
    /// Returns an error if an object would begin beyond 2 GiB, the limit of 31-bit offsets in the index.
    pub(super) fn of(objects: &[Object]) -> Result<Self, GitError> {
        let count = u32::try_from(objects.len()).map_err(GitError::objects)?;
        let mut pack = b"PACK".to_vec();
        pack.extend_from_slice(&2u32.to_be_bytes());
        pack.extend_from_slice(&count.to_be_bytes());
        let mut places = Vec::new();
        for object in objects {
            let offset = u32::try_from(pack.len())
                .ok()
                .filter(|offset| offset >> 31 == 0)
                .ok_or_else(|| GitError::objects("the repository exceeds the limit of 2 GiB"))?;
            let start = pack.len();
            put_header(&mut pack, object.kind, object.data.len() as u64);
            pack.extend_from_slice(&stored(&object.data));
            places.push((offset, crc32fast::hash(&pack[start..])));
        }
        let name = checksum(&pack)?;
        pack.extend_from_slice(name.as_slice());
        let index = index(objects, &places, name)?;
        Ok(Self { name, pack, index })
    }
}

/// Appends the header of an entry: the kind with the lowest four bits of the size, then seven bits of the size per
/// byte.
fn put_header(pack: &mut Vec<u8>, kind: Kind, size: u64) {
    let kind: u8 = match kind {
        Kind::Commit => 1,
        Kind::Tree => 2,
        Kind::Blob => 3,
        Kind::Tag => 4,
    };
    let mut byte = (kind << 4) | (size & 0x0f) as u8;
    let mut rest = size >> 4;
    while rest > 0 {
        pack.push(byte | 0x80);
        byte = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    pack.push(byte);
}

/// Returns the index of a pack, in version 2 of the format.
fn index(objects: &[Object], places: &[(u32, u32)], pack: ObjectId) -> Result<Vec<u8>, GitError> {
    let mut index = b"\xfftOc".to_vec();
    index.extend_from_slice(&2u32.to_be_bytes());
    let mut at = 0;
    for first in 0..=u8::MAX {
        while objects
            .get(at)
            .is_some_and(|it| it.id.first_byte() <= first)
        {
            at += 1;
        }
        index.extend_from_slice(&(at as u32).to_be_bytes());
    }
    for object in objects {
        index.extend_from_slice(object.id.as_slice());
    }
    for (_, crc) in places {
        index.extend_from_slice(&crc.to_be_bytes());
    }
    for (offset, _) in places {
        index.extend_from_slice(&offset.to_be_bytes());
    }
    index.extend_from_slice(pack.as_slice());
    let sum = checksum(&index)?;
    index.extend_from_slice(sum.as_slice());
    Ok(index)
}

/// Computes the SHA-1 checksum at the end of packs and indices.
pub(crate) fn checksum(bytes: &[u8]) -> Result<ObjectId, GitError> {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(bytes);
    hasher.try_finalize().map_err(GitError::objects)
}
