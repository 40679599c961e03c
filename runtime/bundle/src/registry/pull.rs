//! Pulling of bundles. Blobs that exist locally are not downloaded, and interrupted downloads are resumed.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Add;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use mcpmark_snapshot::Digest;
use reqwest::header::{ACCEPT, CONTENT_RANGE, HeaderMap, RANGE};
use reqwest::{Method, StatusCode};
use serde_json::Value;
use url::Url;

use super::{Reference, Registry, RegistryError, body, piece};
use crate::layout::{BlobDirectory, fetch};
use crate::oci::{self, Descriptor, Index, Manifest};
use crate::{Bundle, BundleError, WorldArtifact};

/// Maximum number of requests for a blob or document. A request is repeated only if the previous one received data.
const TRIES: u32 = 5;

/// Statistics of a transfer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Transferred {
    /// Number of transferred blobs.
    pub blobs: u64,
    /// Number of transferred bytes.
    pub bytes: u64,
    /// Number of blobs that existed at the destination.
    pub present: u64,
}

impl Transferred {
    pub(super) fn count(&mut self, bytes: u64) {
        self.blobs += 1;
        self.bytes += bytes;
    }
}

impl Add for Transferred {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            blobs: self.blobs + other.blobs,
            bytes: self.bytes + other.bytes,
            present: self.present + other.present,
        }
    }
}

impl Registry {
    /// Downloads the manifests and configs of a bundle, but no other layers.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry does not have them, or if they are invalid.
    pub async fn review(
        &self,
        reference: &Reference,
        into: &BlobDirectory,
    ) -> Result<(Bundle, Transferred), RegistryError> {
        into.prepare()?;
        let mut sum = Transferred::default();
        let root = self.root(reference, into, &mut sum).await?;
        let what = "the manifest of the bundle";
        let bytes = fetch(into, what, &root, oci::MAX_MANIFEST)?;
        if root.media_type == oci::INDEX {
            let index: Index = oci::parse(what, &bytes)?;
            for descriptor in &index.manifests {
                self.documents(descriptor, into, &mut sum).await?;
            }
        } else {
            self.documents(&root, into, &mut sum).await?;
            // For a single task, the config references the world.
            let manifest: Manifest = oci::parse(what, &bytes)?;
            let config = fetch(into, what, &manifest.config, oci::MAX_MANIFEST)?;
            let config: Value = oci::parse(what, &config)?;
            if let Ok(world) = serde_json::from_value(config["world"].clone()) {
                self.documents(&world, into, &mut sum).await?;
            }
        }
        Ok((Bundle::read(into, &root)?, sum))
    }

    /// Downloads a whole bundle.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry does not have all blobs, or if one is invalid. Blobs received so far are kept
    /// for the next call.
    pub async fn pull(
        &self,
        reference: &Reference,
        into: &BlobDirectory,
    ) -> Result<(Bundle, Transferred), RegistryError> {
        let (bundle, mut sum) = self.review(reference, into).await?;
        for (what, descriptor) in bundle.blobs() {
            let is_document = what.ends_with("manifest")
                || what.ends_with("config")
                || descriptor.digest == bundle.root.digest;
            if !is_document {
                self.blob(&what, &descriptor, into, &mut sum).await?;
            }
        }
        Ok((bundle, sum))
    }

    /// Downloads the manifest that the reference names by tag or digest.
    async fn root(
        &self,
        reference: &Reference,
        into: &BlobDirectory,
        sum: &mut Transferred,
    ) -> Result<Descriptor, RegistryError> {
        let what = format!("manifest {}", reference.version());
        let bytes = self.manifest(&what, &reference.version(), None).await?;
        let digest = Digest::of(&bytes);
        if let Some(wanted) = reference.digest
            && wanted != digest
        {
            return Err(BundleError::Damaged {
                what,
                digest: wanted,
                found: digest,
            }
            .into());
        }
        let document: Value = oci::parse(&what, &bytes)?;
        let media_type = document["mediaType"].as_str().unwrap_or("");
        into.keep(&digest, &bytes)?;
        sum.count(bytes.len() as u64);
        Ok(Descriptor {
            artifact_type: document["artifactType"].as_str().map(str::to_owned),
            ..Descriptor::of(media_type, &bytes)
        })
    }

    /// Downloads a manifest, with its expected size if it is known.
    pub(super) async fn manifest(
        &self,
        what: &str,
        version: &str,
        wanted: Option<u64>,
    ) -> Result<Vec<u8>, RegistryError> {
        let url = self.url(what, &format!("manifests/{version}"))?;
        let document = self.document(what, &url, &types(), wanted).await;
        document.map(|(_, bytes)| bytes)
    }

    /// Downloads a document of one of the media types. If the transfer is interrupted, the whole document is requested
    /// again, because registries do not serve ranges of manifests; the limit of requests is that of a blob.
    pub(super) async fn document(
        &self,
        what: &str,
        url: &Url,
        types: &str,
        wanted: Option<u64>,
    ) -> Result<(HeaderMap, Vec<u8>), RegistryError> {
        let mut tries = 1;
        loop {
            let ask = |request: reqwest::RequestBuilder| request.header(ACCEPT, types);
            let response = self.send(what, Method::GET, url.clone(), ask).await?;
            let response = self.checked(what, response).await?;
            let headers = response.headers().clone();
            let read = body(what, response, oci::MAX_MANIFEST).await;
            let read = read.and_then(|bytes| {
                let found = bytes.len() as u64;
                match wanted {
                    Some(most) if found < most => Err(RegistryError::Stopped {
                        what: what.to_owned(),
                        found,
                        wanted,
                    }),
                    _ => Ok(bytes),
                }
            });
            match read {
                Err(RegistryError::Stopped { found: 1.., .. }) if tries < TRIES => tries += 1,
                read => return Ok((headers, read?)),
            }
        }
    }

    /// Downloads a manifest and its config.
    pub(super) async fn documents(
        &self,
        descriptor: &Descriptor,
        into: &BlobDirectory,
        sum: &mut Transferred,
    ) -> Result<(), RegistryError> {
        let what = format!("manifest {}", descriptor.digest);
        oci::expect(&what, &descriptor.media_type, oci::MANIFEST)?;
        if is_there(into, descriptor) {
            sum.present += 1;
        } else {
            let (version, wanted) = (descriptor.digest.to_string(), Some(descriptor.size));
            let bytes = self.manifest(&what, &version, wanted).await?;
            let found = Digest::of(&bytes);
            if found != descriptor.digest {
                return Err(BundleError::Damaged {
                    what,
                    digest: descriptor.digest,
                    found,
                }
                .into());
            }
            into.keep(&found, &bytes)?;
            sum.count(bytes.len() as u64);
        }
        let bytes = fetch(into, &what, descriptor, oci::MAX_MANIFEST)?;
        let manifest: Manifest = oci::parse(&what, &bytes)?;
        let what = format!("config {}", manifest.config.digest);
        if manifest.config.size > oci::MAX_MANIFEST {
            return Err(BundleError::TooLarge {
                what,
                size: manifest.config.size,
                limit: oci::MAX_MANIFEST,
            }
            .into());
        }
        self.blob(&what, &manifest.config, into, sum).await
    }

    pub(super) async fn blob(
        &self,
        what: &str,
        descriptor: &Descriptor,
        into: &BlobDirectory,
        sum: &mut Transferred,
    ) -> Result<(), RegistryError> {
        if is_there(into, descriptor) {
            sum.present += 1;
            return Ok(());
        }
        if descriptor.size > WorldArtifact::MAX_BYTES {
            return Err(BundleError::TooLarge {
                what: what.to_owned(),
                size: descriptor.size,
                limit: WorldArtifact::MAX_BYTES,
            }
            .into());
        }
        let place = into.partial().join(descriptor.digest.hex());
        let failed = |source| BundleError::Write {
            place: place.clone(),
            source,
        };
        let mut file = loop {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .read(true)
                .write(true)
                .open(&place)
                .map_err(failed)?;
            // Another process may be downloading the same blob.
            file.lock().map_err(failed)?;
            if is_there(into, descriptor) {
                sum.present += 1;
                return Ok(());
            }
            // If that process found the blob damaged, it has removed the file.
            if is_at(&file, &place).map_err(failed)? {
                break file;
            }
        };
        let stopped = |found| RegistryError::Stopped {
            what: what.to_owned(),
            found,
            wanted: Some(descriptor.size),
        };
        let (mut tries, mut goes_on) = (0, true);
        let length = loop {
            let before = file.seek(SeekFrom::End(0)).map_err(failed)?;
            if before == descriptor.size {
                break before;
            }
            if before > descriptor.size {
                file.set_len(0).map_err(failed)?;
                continue;
            }
            let from = if goes_on { before } else { 0 };
            let ended = self.part(what, descriptor, from, &mut file, &place).await;
            let after = file.seek(SeekFrom::End(0)).map_err(failed)?;
            sum.bytes += after.saturating_sub(before);
            tries += 1;
            match ended {
                Ok(()) if after == descriptor.size => break after,
                // The range is not satisfiable, so the download restarts from the beginning.
                Err(RegistryError::Status { status: 416, .. }) if goes_on && before > 0 => {
                    goes_on = false;
                }
                // The connection was lost, and may work again.
                Err(RegistryError::Http { .. } | RegistryError::Stopped { .. }) | Ok(())
                    if tries < TRIES && after > before => {}
                Err(RegistryError::Http { .. }) if after > 0 => return Err(stopped(after)),
                Ok(()) => return Err(stopped(after)),
                Err(error) => return Err(error),
            }
        };
        debug_assert_eq!(length, descriptor.size);
        let found = digest_of(&mut file).map_err(failed)?;
        if found != descriptor.digest {
            // Resuming cannot repair a wrong beginning.
            fs::remove_file(&place).map_err(failed)?;
            return Err(BundleError::Damaged {
                what: what.to_owned(),
                digest: descriptor.digest,
                found,
            }
            .into());
        }
        file.sync_data().map_err(failed)?;
        fs::rename(&place, into.path(&descriptor.digest)).map_err(failed)?;
        sum.blobs += 1;
        Ok(())
    }

    /// Downloads the rest of a blob from the offset `from` and appends it to the file. If the registry ignores the
    /// range, the file is rewritten.
    async fn part(
        &self,
        what: &str,
        descriptor: &Descriptor,
        from: u64,
        file: &mut File,
        place: &Path,
    ) -> Result<(), RegistryError> {
        let failed = |source| BundleError::Write {
            place: place.to_owned(),
            source,
        };
        let url = self.url(what, &format!("blobs/{}", descriptor.digest))?;
        let ask = |request: reqwest::RequestBuilder| match from {
            0 => request,
            from => request.header(RANGE, format!("bytes={from}-")),
        };
        let response = self.send(what, Method::GET, url, ask).await?;
        let mut response = self.checked(what, response).await?;
        let goes_on = response.status() == StatusCode::PARTIAL_CONTENT
            && begins_at(response.headers()) == Some(from);
        let mut length = from;
        if !goes_on {
            file.set_len(0).map_err(failed)?;
            length = 0;
        }
        file.seek(SeekFrom::Start(length)).map_err(failed)?;
        loop {
            let wanted = Some(descriptor.size);
            let Some(piece) = piece(what, &mut response, length, wanted).await? else {
                return Ok(());
            };
            let piece = piece.as_ref();
            length += piece.len() as u64;
            if length > descriptor.size {
                file.set_len(0).map_err(failed)?;
                return Err(BundleError::Length {
                    what: what.to_owned(),
                    digest: descriptor.digest,
                    wanted: descriptor.size,
                }
                .into());
            }
            file.write_all(piece).map_err(failed)?;
        }
    }
}

/// Returns the media types of manifests, for the header `Accept`.
pub(super) fn types() -> String {
    format!("{}, {}", oci::INDEX, oci::MANIFEST)
}

/// Parses the offset of a range, from `bytes 100-199/200`.
fn begins_at(headers: &HeaderMap) -> Option<u64> {
    let range = headers.get(CONTENT_RANGE)?.to_str().ok()?;
    let range = range.trim_start_matches("bytes").trim_start();
    range.split_once('-')?.0.parse().ok()
}

fn digest_of(file: &mut File) -> std::io::Result<Digest> {
    file.seek(SeekFrom::Start(0))?;
    let mut hasher = Digest::hasher();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finish()),
            read => hasher.update(&buffer[..read]),
        }
    }
}

/// Reports whether a path leads to this file, which may have been removed or replaced since it was opened.
fn is_at(file: &File, place: &Path) -> std::io::Result<bool> {
    let own = file.metadata()?;
    let found = fs::metadata(place);
    Ok(found.is_ok_and(|found| (found.dev(), found.ino()) == (own.dev(), own.ino())))
}

/// Reports whether a blob exists and is intact. A damaged one is removed, so that it is downloaded again.
fn is_there(into: &BlobDirectory, descriptor: &Descriptor) -> bool {
    let path = into.path(&descriptor.digest);
    let Ok(mut file) = File::open(&path) else {
        return false;
    };
    let length = file.metadata().map(|found| found.len());
    let whole = length.is_ok_and(|length| length == descriptor.size)
        && digest_of(&mut file).is_ok_and(|found| found == descriptor.digest);
    if !whole {
        // An error is ignored, because the later rename would fail as well.
        let _ = fs::remove_file(&path);
    }
    whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn a_part_begins_where_its_range_does() {
        for (range, place) in [
            ("bytes 100-199/200", Some(100)),
            ("bytes 0-1/*", Some(0)),
            ("bytes */200", None),
            ("bytes=", None),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT_RANGE, HeaderValue::from_static(range))]);
            assert_eq!(begins_at(&headers), place, "{range}");
        }
    }

    proptest! {
        #[test]
        fn any_content_range_of_a_registry_is_read_or_passed_over(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                begins_at(&HeaderMap::from_iter([(CONTENT_RANGE, value)]));
            }
        }
    }
}
