//! Pushing of bundles. Blobs that the registry has are not uploaded.

use std::io::Read;

use mcpmark_snapshot::Digest;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, LOCATION};
use reqwest::{Method, Response, StatusCode};
use url::Url;

use super::pull::types;
use super::signatures::{add_to_index, tag_of};
use super::{Reference, Registry, RegistryError, Transferred, answer, sends_to_readable};
use crate::layout::{Source, fetch};
use crate::oci::{self, Descriptor};
use crate::trust::Attached;
use crate::{Bundle, BundleError, WorldArtifact};

/// Maximum size of an upload request, in bytes.
const PIECE: usize = 8 << 20;

impl Registry {
    /// Uploads a bundle and assigns the tag of the reference to it.
    ///
    /// # Errors
    ///
    /// Returns an error if a blob is missing or damaged, or if the registry refuses a request.
    pub async fn push(
        &self,
        reference: &Reference,
        bundle: &Bundle,
        source: &dyn Source,
    ) -> Result<Transferred, RegistryError> {
        let mut sum = Transferred::default();
        let (manifests, blobs): (Vec<_>, Vec<_>) =
            bundle.blobs().into_iter().partition(|(_, descriptor)| {
                [oci::MANIFEST, oci::INDEX].contains(&descriptor.media_type.as_str())
            });
        for (what, descriptor) in &blobs {
            self.send_blob(what, descriptor, source, &mut sum).await?;
        }
        // Referenced manifests must exist before the root, which is the first in the list.
        for (what, descriptor) in manifests.iter().rev() {
            let is_root = descriptor.digest == bundle.root.digest;
            let version = if is_root {
                reference.version()
            } else {
                descriptor.digest.to_string()
            };
            let bytes = fetch(source, what, descriptor, oci::MAX_MANIFEST)?;
            if self
                .has_manifest(what, &version, &descriptor.digest)
                .await?
            {
                sum.present += 1;
                continue;
            }
            sum.count(bytes.len() as u64);
            let media_type = &descriptor.media_type;
            self.send_manifest(what, &version, media_type, bytes)
                .await?;
        }
        Ok(sum)
    }

    /// Uploads the signatures of a bundle that the registry has, and adds them to its list of signatures.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub async fn push_signatures(
        &self,
        bundle: &Digest,
        signatures: &[Attached],
        source: &dyn Source,
    ) -> Result<Transferred, RegistryError> {
        let mut sum = Transferred::default();
        if signatures.is_empty() {
            return Ok(sum);
        }
        let what = "a signature";
        let mut listed = self.referring(bundle).await?;
        let mut is_longer = false;
        for attached in signatures {
            for descriptor in &attached.blobs {
                self.send_blob(what, descriptor, source, &mut sum).await?;
            }
            let descriptor = &attached.descriptor;
            let bytes = fetch(source, what, descriptor, oci::MAX_MANIFEST)?;
            let version = descriptor.digest.to_string();
            if self
                .has_manifest(what, &version, &descriptor.digest)
                .await?
            {
                sum.present += 1;
            } else {
                sum.count(bytes.len() as u64);
                self.send_manifest(what, &version, oci::MANIFEST, bytes)
                    .await?;
            }
            is_longer |= add_to_index(&mut listed, descriptor);
        }
        if !is_longer {
            return Ok(sum);
        }
        let bytes = mcpmark_json::canonical(&listed).into_bytes();
        sum.count(bytes.len() as u64);
        self.send_manifest(what, &tag_of(bundle), oci::INDEX, bytes)
            .await?;
        Ok(sum)
    }

    /// Reports whether a tag or digest in the registry already refers to the manifest.
    async fn has_manifest(
        &self,
        what: &str,
        version: &str,
        digest: &Digest,
    ) -> Result<bool, RegistryError> {
        let url = self.url(what, &format!("manifests/{version}"))?;
        let ask = |request: reqwest::RequestBuilder| request.header(ACCEPT, types());
        let known = self.send(what, Method::HEAD, url, ask).await?;
        let digest = digest.to_string();
        let found = known.headers().get("docker-content-digest");
        let is_same = found.map_or(version == digest, |found| {
            found.as_bytes() == digest.as_bytes()
        });
        Ok(known.status().is_success() && is_same)
    }

    async fn send_manifest(
        &self,
        what: &str,
        version: &str,
        media_type: &str,
        bytes: Vec<u8>,
    ) -> Result<(), RegistryError> {
        let url = self.url(what, &format!("manifests/{version}"))?;
        let put = |request: reqwest::RequestBuilder| {
            request.header(CONTENT_TYPE, media_type).body(bytes.clone())
        };
        let response = self.send(what, Method::PUT, url, put).await?;
        self.checked(what, response).await?;
        Ok(())
    }

    async fn send_blob(
        &self,
        what: &str,
        descriptor: &Descriptor,
        source: &dyn Source,
        sum: &mut Transferred,
    ) -> Result<(), RegistryError> {
        let url = self.url(what, &format!("blobs/{}", descriptor.digest))?;
        let known = self.send(what, Method::HEAD, url, |it| it).await?;
        if known.status().is_success() {
            sum.present += 1;
            return Ok(());
        }
        if known.status() != StatusCode::NOT_FOUND {
            self.checked(what, known).await?;
        }
        if descriptor.size > WorldArtifact::MAX_BYTES {
            return Err(BundleError::TooLarge {
                what: what.to_owned(),
                size: descriptor.size,
                limit: WorldArtifact::MAX_BYTES,
            }
            .into());
        }
        let url = self.url(what, "blobs/uploads/")?;
        let empty = |request: reqwest::RequestBuilder| request.header(CONTENT_LENGTH, 0);
        let response = self.send(what, Method::POST, url, empty).await?;
        let mut place = self.location(what, self.checked(what, response).await?)?;
        let missing = |source| BundleError::Missing {
            what: what.to_owned(),
            digest: descriptor.digest,
            source,
        };
        let mut stream = source.open(&descriptor.digest).map_err(missing)?;
        let mut hasher = Digest::hasher();
        let mut sent = 0;
        loop {
            let mut piece = Vec::new();
            let mut part = (&mut stream).take(PIECE as u64);
            part.read_to_end(&mut piece).map_err(missing)?;
            if piece.is_empty() {
                break;
            }
            hasher.update(&piece);
            let end = sent + piece.len() as u64;
            let range = format!("{sent}-{}", end - 1);
            let patch = |request: reqwest::RequestBuilder| {
                request
                    .header(CONTENT_TYPE, "application/octet-stream")
                    .header(CONTENT_RANGE, &range)
                    .body(piece.clone())
            };
            let response = self.send(what, Method::PATCH, place, patch).await?;
            place = self.location(what, self.checked(what, response).await?)?;
            sent = end;
        }
        let found = hasher.finish();
        if sent != descriptor.size || found != descriptor.digest {
            return Err(BundleError::Damaged {
                what: what.to_owned(),
                digest: descriptor.digest,
                found,
            }
            .into());
        }
        let digest = descriptor.digest.to_string();
        place.query_pairs_mut().append_pair("digest", &digest);
        let response = self.send(what, Method::PUT, place, empty).await?;
        self.checked(what, response).await?;
        sum.count(sent);
        Ok(())
    }

    /// Returns the URL for the next request of an upload.
    fn location(&self, what: &str, response: Response) -> Result<Url, RegistryError> {
        let location = response.headers().get(LOCATION);
        let url = location
            .and_then(|location| location.to_str().ok())
            .and_then(|location| self.base.join(location).ok())
            .ok_or_else(|| answer(what, "it has no valid location for the upload"))?;
        if self.may_go(&url) {
            Ok(url)
        } else {
            Err(sends_to_readable(what, &url))
        }
    }
}
