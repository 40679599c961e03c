//! Blobs of a layout that do not belong to a bundle, such as artifacts of others.

use std::collections::BTreeSet;
use std::fs;
use std::io;

use mcpmark_snapshot::Digest;
use serde_json::Value;

use super::{ARCHIVE, BLOBS, Content, Layout, copy, fetch};
use crate::BundleError;
use crate::oci::{self, Descriptor};

/// Media types of manifests and indexes, which are searched for references.
const DOCUMENTS: [&str; 4] = [
    oci::MANIFEST,
    oci::INDEX,
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
];

/// Blobs of a layout that do not belong to a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherBlobs {
    /// Blobs that no manifest or index of the layout references.
    pub unnamed: Vec<Digest>,
    /// Blobs that were not read because of the size limit, so their digests are not verified.
    pub unread: Vec<Digest>,
}

/// Maximum total size of other blobs that are read, in bytes.
pub(super) const MAX_BYTES: u64 = 4 << 30;

impl Layout {
    /// Reads and verifies the blobs that are not `known`, up to `most` bytes in total.
    pub(super) fn read_others(
        &self,
        known: &BTreeSet<Digest>,
        most: u64,
    ) -> Result<OtherBlobs, BundleError> {
        let mut unnamed = BTreeSet::new();
        let (mut unread, mut left) = (Vec::new(), most);
        for (digest, size) in self.blobs()? {
            if !known.contains(&digest) {
                unnamed.insert(digest);
                if size > left {
                    unread.push(digest);
                    continue;
                }
                left -= size;
                let descriptor = Descriptor {
                    digest,
                    size,
                    ..Descriptor::of("", b"")
                };
                copy(self, "blob", &descriptor, size, &mut |_| Ok(()))?;
            }
        }
        if !unnamed.is_empty() {
            for digest in self.named() {
                unnamed.remove(&digest);
            }
        }
        unread.sort_unstable();
        Ok(OtherBlobs {
            unnamed: unnamed.into_iter().collect(),
            unread,
        })
    }

    /// Lists all blobs with their sizes.
    fn blobs(&self) -> Result<Vec<(Digest, u64)>, BundleError> {
        let no_blob = |name: &str, problem: &str| BundleError::NoLayout {
            place: self.place.clone(),
            problem: format!("{BLOBS}/{name} is not a blob: {problem}"),
        };
        let no_digest = |name: &str| no_blob(name, "its name is not a digest");
        let dir = match &self.content {
            Content::Archive { blobs, odd, .. } => {
                return match odd {
                    Some(name) => Err(no_digest(name)),
                    None => Ok(blobs.iter().map(|(it, (_, size))| (*it, *size)).collect()),
                };
            }
            Content::Directory(blobs) => &blobs.root,
        };
        let read = |source: io::Error| BundleError::Read {
            place: dir.clone(),
            source,
        };
        let mut blobs = Vec::new();
        for entry in fs::read_dir(dir).map_err(read)? {
            let entry = entry.map_err(read)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let digest = format!("sha256:{name}").parse::<Digest>();
            let digest = digest.map_err(|_| no_digest(&name))?;
            let metadata = entry.metadata().map_err(read)?;
            if !metadata.is_file() {
                return Err(no_blob(&name, "it is not a regular file"));
            }
            blobs.push((digest, metadata.len()));
            if blobs.len() as u64 > ARCHIVE.entries {
                return Err(BundleError::NoLayout {
                    place: self.place.clone(),
                    problem: format!("{BLOBS} exceeds the limit of {} blobs", ARCHIVE.entries),
                });
            }
        }
        Ok(blobs)
    }

    /// Returns the digests that are reachable from the index.
    fn named(&self) -> BTreeSet<Digest> {
        let mut named = BTreeSet::new();
        let mut left = self.index.manifests.clone();
        while let Some(descriptor) = left.pop() {
            if !named.insert(descriptor.digest)
                || !DOCUMENTS.contains(&descriptor.media_type.as_str())
            {
                continue;
            }
            let bytes = fetch(self, "manifest", &descriptor, oci::MAX_MANIFEST);
            let document = bytes.and_then(|bytes| oci::parse::<Value>("manifest", &bytes));
            // An unreadable document references nothing.
            let document = document.unwrap_or_default();
            let lists = ["layers", "manifests", "blobs"].map(|key| document[key].as_array());
            let single = ["config", "subject"].map(|key| &document[key]);
            let all = lists.into_iter().flatten().flatten().chain(single);
            left.extend(
                all.filter_map(|one| serde_json::from_value::<Descriptor>(one.clone()).ok()),
            );
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mcpmark_archive::tar::Writer;

    use super::*;
    use crate::layout::{INDEX, LAYOUT, NewLayout, Source};

    /// Packs the layout of a directory as a tar archive.
    fn archive(dir: &Path, to: &Path) {
        let mut archive = Writer::new(fs::File::create(to).unwrap());
        let blobs = fs::read_dir(dir.join(BLOBS)).unwrap();
        let blobs = blobs.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let blobs = blobs.map(|name| format!("{BLOBS}/{name}"));
        for name in [LAYOUT.to_owned(), INDEX.to_owned()]
            .into_iter()
            .chain(blobs)
        {
            let bytes = fs::read(dir.join(&name)).unwrap();
            archive.file(&name, &bytes).unwrap();
        }
        archive.finish().unwrap();
    }

    #[test]
    fn blobs_beside_a_bundle_have_their_digests_for_names() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("layout");
        let mut new = NewLayout::default();
        let own = new.put("text/plain", b"own".to_vec());
        // An artifact of another owner, which the index lists.
        let theirs = new.put("text/plain", b"theirs".to_vec());
        let manifest = serde_json::json!({"config": theirs, "layers": [theirs]}).to_string();
        let manifest = new.put(oci::MANIFEST, manifest.into_bytes());
        new.list(manifest.clone());
        let stray = new.put("text/plain", b"stray".to_vec());
        new.write_directory(&dir).unwrap();
        let known = BTreeSet::from([own.digest]);
        let tar = home.path().join("layout.tar");
        let beside = || {
            archive(&dir, &tar);
            let [of_dir, of_tar] = [&dir, &tar].map(|place| {
                let layout = Layout::open(place).unwrap();
                let beside = layout.beside(&known).map_err(|error| error.to_string());
                beside.map_err(|error| error.replace(&place.display().to_string(), ""))
            });
            assert_eq!(of_dir, of_tar);
            of_dir
        };
        assert_eq!(beside().unwrap().unnamed, [stray.digest]);
        // Blobs beyond the size limit are reported as unread.
        let layout = Layout::open(&dir).unwrap();
        let (all, too_few) = (theirs.size + manifest.size + stray.size, theirs.size);
        assert!(layout.read_others(&known, all).unwrap().unread.is_empty());
        let unread = layout.read_others(&known, too_few).unwrap().unread;
        assert!(unread.contains(&manifest.digest), "{unread:?}");
        let blob = |digest: &Digest| dir.join(BLOBS).join(digest.hex());
        fs::write(blob(&stray.digest), b"other").unwrap();
        let told = beside().unwrap_err();
        let word = format!("blob {} does not match its digest", stray.digest);
        assert!(told.contains(&word), "{told}");
        fs::remove_file(blob(&stray.digest)).unwrap();
        assert!(beside().unwrap().unnamed.is_empty());
        for name in ["README", &stray.digest.hex().to_ascii_uppercase()] {
            let file = dir.join(BLOBS).join(name);
            fs::write(&file, b"stray").unwrap();
            let told = beside().unwrap_err();
            let word = format!("{BLOBS}/{name} is not a blob: its name is not a digest");
            assert!(told.contains(&word), "{told}");
            fs::remove_file(file).unwrap();
        }
        // A blob that is no longer listed is still verified.
        fs::write(blob(&theirs.digest), b"damaged").unwrap();
        assert!(beside().unwrap_err().contains("does not match its digest"));
    }
}
