//! All objects of a repository as one pack with its index, the same bytes on every machine.

use gix::ObjectId;
use gix::objs::Kind;

use super::loose::stored;
use super::reach::Object;
use super::{Git, GitError};

/// A pack and its index, as git names and writes them.
pub(crate) struct Pack {
    /// The checksum of the pack, which its files are named by.
    pub(crate) name: ObjectId,
    pub(crate) pack: Vec<u8>,
    pub(crate) index: Vec<u8>,
}

impl Git {
    /// Packs what the refs reach and the world has not: whole objects in the order of their ids,
    /// in stored blocks, without deltas.
    pub(crate) fn pack(&self) -> Result<Pack, GitError> {
        Pack::of(&self.added(&[])?)
    }
}

impl Pack {
    /// Packs objects that are sorted by id.
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
                .ok_or_else(|| GitError::objects("the repository has more than 2 GiB"))?;
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

/// The kind and size of an entry: four bits of the size with the kind, then seven bits a byte.
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

/// The index in version 2 of its format.
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

/// The checksum that packs and indices end in.
pub(crate) fn checksum(bytes: &[u8]) -> Result<ObjectId, GitError> {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(bytes);
    hasher.try_finalize().map_err(GitError::objects)
}
