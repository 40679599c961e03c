//! Signatures of bundles in a registry, from the referrers API or from the tag that replaces it.

use mcpmark_snapshot::Digest;
use reqwest::header::{HeaderMap, LINK};
use serde_json::{Value, json};
use url::Url;

use super::{Registry, RegistryError, Transferred};
use crate::BundleError;
use crate::layout::{BlobDirectory, fetch};
use crate::oci::{self, Descriptor, Manifest};
use crate::trust::{self, Attached};

const LIST: &str = "the list of signatures";

/// Maximum number of pages of the list of signatures.
const PAGES: usize = 10;

impl Registry {
    /// Downloads the signatures of a bundle, from the referrers API or from the tag that is derived from its digest.
    /// Skips other artifacts that refer to the bundle, and signatures of unsupported kinds.
    ///
    /// # Errors
    ///
    /// Returns an error if the registry cannot be reached, or if a response or blob is invalid.
    pub async fn signatures(
        &self,
        bundle: &Digest,
        into: &BlobDirectory,
    ) -> Result<Vec<Attached>, RegistryError> {
        into.prepare()?;
        let is_signature = |it: &Descriptor| it.artifact_type.as_deref() == Some(trust::SIGNATURE);
        let mut listed = self.referrers(bundle).await?;
        // Signatures that were pushed before the registry supported the referrers API are listed only under the tag.
        if !listed.iter().any(is_signature) {
            listed = match self.manifest(LIST, &tag_of(bundle), None).await {
                Ok(bytes) => descriptors(&bytes)?,
                Err(RegistryError::Missing { .. }) => Vec::new(),
                Err(error) => return Err(error),
            };
        }
        let mut found = Vec::new();
        let signatures = listed.iter().filter(|it| is_signature(it));
        for descriptor in signatures.take(trust::MAX_SIGNATURES) {
            match self.signature(descriptor, bundle, into).await {
                Ok(attached) => found.extend(attached),
                Err(error) if error.is_foreign() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    async fn signature(
        &self,
        descriptor: &Descriptor,
        bundle: &Digest,
        into: &BlobDirectory,
    ) -> Result<Option<Attached>, RegistryError> {
        let mut sum = Transferred::default();
        self.documents(descriptor, into, &mut sum).await?;
        let what = "the manifest of a signature";
        let bytes = fetch(into, what, descriptor, oci::MAX_MANIFEST)?;
        let manifest: Manifest = oci::parse(what, &bytes)?;
        let what = "a signature";
        for layer in manifest.layers.iter().take(1) {
            let (size, limit) = (layer.size, trust::MAX_SIGNATURE_BYTES);
            if size > limit {
                let what = what.to_owned();
                return Err(BundleError::TooLarge { what, size, limit }.into());
            }
            self.blob(what, layer, into, &mut sum).await?;
        }
        Ok(Attached::read(into, descriptor, bundle)?)
    }

    /// Lists the manifests that refer to a manifest, from the referrers API. Returns an empty list if the registry does
    /// not support it.
    async fn referrers(&self, digest: &Digest) -> Result<Vec<Descriptor>, RegistryError> {
        let mut url = self.url(LIST, &format!("referrers/{digest}"))?;
        url.query_pairs_mut()
            .append_pair("artifactType", trust::SIGNATURE);
        let mut found = Vec::new();
        for _ in 0..PAGES {
            let (headers, bytes) = match self.document(LIST, &url, oci::INDEX, None).await {
                // The registry does not support the API. After any other error it may have signatures, so the bundle
                // must not be treated as unsigned.
                Err(
                    RegistryError::Missing { .. }
                    | RegistryError::Status {
                        status: 405 | 501, ..
                    },
                ) => return Ok(found),
                page => page?,
            };
            found.append(&mut descriptors(&bytes)?);
            match next_page(&headers, &url) {
                Some(next) if next.origin() == url.origin() => url = next,
                // The list must come from the registry itself, not from another host.
                Some(next) => {
                    let [there, here] = [&next, &url].map(|url| url.origin().ascii_serialization());
                    return Err(useless(format!(
                        "its next page is at {there}, but the request went to {here}; configure the registry with the name that clients use"
                    )));
                }
                None => return Ok(found),
            }
        }
        Err(useless(format!("it exceeds the limit of {PAGES} pages")))
    }

    /// Returns the index of the manifests that refer to a manifest, from the tag that is derived from its digest.
    /// Returns an empty index if the tag does not exist. The document is not converted to [`oci::Index`], because it is
    /// written back, and other programs add entries with other fields and other algorithms of digests.
    pub(super) async fn referring(&self, digest: &Digest) -> Result<Value, RegistryError> {
        match self.manifest(LIST, &tag_of(digest), None).await {
            Ok(bytes) => index(&bytes),
            Err(RegistryError::Missing { .. }) => {
                Ok(json!({"schemaVersion": 2, "mediaType": oci::INDEX, "manifests": []}))
            }
            Err(error) => Err(error),
        }
    }
}

/// Parses an index. Returns an error if the document is not an index, because the bundle must not be treated as
/// unsigned.
fn index(bytes: &[u8]) -> Result<Value, RegistryError> {
    let index: Value = mcpmark_json::from_unique(bytes)
        .map_err(|error| useless(format!("not valid JSON: {error}")))?;
    match index.get("manifests") {
        // Some registries write an empty list as null.
        Some(Value::Array(_) | Value::Null) => Ok(index),
        _ => Err(useless("expected an array \"manifests\"".to_owned())),
    }
}

/// Returns the descriptors in an index. Skips invalid ones, because others may attach any artifact.
fn listed(index: &Value) -> impl Iterator<Item = Descriptor> {
    let entries = index["manifests"].as_array().into_iter().flatten();
    entries.filter_map(|entry| serde_json::from_value(entry.clone()).ok())
}

/// Parses the descriptors in an index.
fn descriptors(bytes: &[u8]) -> Result<Vec<Descriptor>, RegistryError> {
    Ok(listed(&index(bytes)?).collect())
}

/// Adds a descriptor to the index of [`referring`](Registry::referring), and keeps everything else in it. Returns false
/// if the descriptor is in it already.
pub(super) fn add_to_index(index: &mut Value, descriptor: &Descriptor) -> bool {
    if listed(index).any(|known| known == *descriptor) {
        return false;
    }
    let entry = json!(descriptor);
    match &mut index["manifests"] {
        Value::Array(entries) => entries.push(entry),
        absent => *absent = Value::Array(vec![entry]),
    }
    true
}

/// Creates the error of an invalid list of signatures.
fn useless(problem: String) -> RegistryError {
    RegistryError::Answer {
        what: LIST.to_owned(),
        problem,
    }
}

/// Parses the URL of the next page, from `</v2/…?last=x>; rel="next"`.
fn next_page(headers: &HeaderMap, from: &Url) -> Option<Url> {
    let link = headers.get(LINK)?.to_str().ok()?;
    let (target, relation) = link.trim().strip_prefix('<')?.split_once('>')?;
    let next = from.join(target).ok()?;
    relation.contains("next").then_some(next)
}

/// Returns the tag for the manifests that refer to a manifest, in registries without the referrers API.
pub(super) fn tag_of(digest: &Digest) -> String {
    format!("sha256-{}", digest.hex())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn a_list_is_read_as_far_as_it_can_be() {
        let own = serde_json::to_string(&Descriptor::of("text/plain", b"own")).unwrap();
        let list = |manifests: &str| format!("{{\"manifests\":[{manifests}]}}");
        for (text, found) in [
            (list(&own), Some(1)),
            (list(&format!("1, {own}, {{}}, null")), Some(1)),
            (list(""), Some(0)),
            ("{\"manifests\":null}".to_owned(), Some(0)),
            (format!("{{\"manifests\":{own}}}"), None),
            // With a duplicate key, it is ambiguous which list is valid.
            (list(&own).replace('{', "{\"manifests\":[],"), None),
            ("[".to_owned(), None),
            ("[]".to_owned(), None),
            ("{\"errors\":[]}".to_owned(), None),
            ("<html>".to_owned(), None),
        ] {
            let read = descriptors(text.as_bytes()).ok();
            assert_eq!(read.map(|read| read.len()), found, "{text}");
        }
    }

    #[test]
    fn entries_of_other_programs_are_kept() {
        let entries = json!([
            {
                "mediaType": oci::MANIFEST, "digest": Digest::of(b"image").to_string(), "size": 5,
                "urls": ["https://example.org/image"], "data": "aW1hZ2U=", "x-own": {"a": [1, null]},
                "platform": {"os": "linux", "architecture": "arm64", "os.features": []},
            },
            {"mediaType": oci::MANIFEST, "digest": format!("sha512:{}", "0".repeat(128)), "size": 5},
            "not a descriptor",
        ]);
        let text = json!({"schemaVersion": 2, "subject": {"size": 3}, "manifests": entries});
        let mut list = index(text.to_string().as_bytes()).unwrap();
        let own = Descriptor {
            artifact_type: Some(trust::SIGNATURE.to_owned()),
            ..Descriptor::of(oci::MANIFEST, b"own")
        };
        assert!(add_to_index(&mut list, &own));
        let mut expected = text;
        expected["manifests"]
            .as_array_mut()
            .unwrap()
            .push(json!(own));
        assert_eq!(list, expected);
        assert!(!add_to_index(&mut list, &own));
        assert_eq!(list, expected);
        let found: Vec<Descriptor> = listed(&list).collect();
        assert_eq!((found.len(), &found[1]), (2, &own));

        let mut empty = index(b"{\"manifests\":null}").unwrap();
        assert!(add_to_index(&mut empty, &own));
        assert_eq!(empty, json!({"manifests": [own]}));
    }

    proptest! {
        #[test]
        fn any_reply_of_a_registry_is_read_or_passed_over(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            target in "[ -~]{0,40}",
        ) {
            let _ = descriptors(&bytes);
            let from = Url::parse("http://127.0.0.1:5000/v2/a/referrers/b").unwrap();
            let link = HeaderValue::from_str(&format!("<{target}>; rel=\"next\"")).unwrap();
            if let Some(next) = next_page(&HeaderMap::from_iter([(LINK, link)]), &from) {
                prop_assert_eq!(from.join(target.split('>').next().unwrap()).unwrap(), next);
            }
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                next_page(&HeaderMap::from_iter([(LINK, value)]), &from);
            }
        }
    }
}
