//! Tests of opening bundles without a registry.

use std::fs;
use std::path::Path;

use super::*;
use crate::artifact::tests::bundle;
use crate::{CheckDepth, VerifierDigest};

fn silent() -> RegistryError {
    RegistryError::Silent {
        what: "manifest".to_owned(),
    }
}

fn open(path: &Path) -> Result<Opened, OpenError> {
    match Place::of(path)? {
        Place::Local(place) => place.open(),
        Place::Remote(_) => panic!("it is on this machine"),
    }
}

#[test]
fn a_bundle_opens_from_a_directory_and_through_its_lock() {
    let dir = tempfile::tempdir().unwrap();
    let (layout, root) = bundle(&|_, _| {});
    let place = dir.path().join("suite");
    layout.write_directory(&place).unwrap();
    let Ok(Place::Local(found)) = Place::of(&place) else {
        panic!("it is on this machine");
    };
    let opened = found.open().unwrap();
    assert_eq!(opened.bundle.root.digest, root.digest);
    assert_eq!(opened.names, ["office"]);
    assert!(opened.lock.is_none() && opened.transferred.is_none());
    assert_eq!(opened.layout().unwrap().bytes(), layout.bytes());

    let file = dir.path().join(Lock::FILE);
    let lock = Lock::of(
        &opened.bundle,
        LockFile::source(&place, &file).unwrap(),
        String::new(),
        Default::default(),
    );
    fs::write(&file, lock.text()).unwrap();
    assert_eq!(open(&file).ok().and_then(|it| it.lock), Some(lock));
    // Another suite at the same place is refused.
    crate::clear(&place).unwrap();
    let (other, _) = bundle(&|_, document| {
        if document["license"].is_string() {
            document["license"] = "CC-BY-4.0".into();
        }
    });
    other.write_directory(&place).unwrap();
    assert!(open(&place).is_ok());
    let Err(OpenError::Lock {
        file: named,
        source,
    }) = open(&file)
    else {
        panic!("it is another suite");
    };
    assert_eq!(named, file);
    assert!(matches!(source, crate::LockError::Suite { .. }));
    fs::remove_dir_all(&place).unwrap();
    assert!(matches!(open(&file), Err(OpenError::Bundle(_))));
}

#[test]
fn only_a_digest_is_served_from_the_cache() {
    let dir = tempfile::tempdir().unwrap();
    let cache = BundleCache::new(dir.path());
    let (layout, root) = bundle(&|_, _| {});
    let suite = Bundle::read(&layout, &root).unwrap();
    let tag: Reference = "oci://registry.example/office:v1".parse().unwrap();
    let exact = Reference {
        digest: Some(root.digest),
        ..tag.clone()
    };
    let found = |reference: &Reference, depth, error: &RegistryError| {
        let found = fetched_before(&cache, reference, depth, error);
        found.map(|(opened, outage)| (opened.names, outage))
    };
    let (documents, everything) = (FetchDepth::Documents, FetchDepth::Everything);
    assert_eq!(found(&exact, documents, &silent()), None);

    // The documents suffice for a review, but not for a run.
    suite.remember(&[], &layout, &cache.blobs()).unwrap();
    let names = vec!["office".to_owned(), "registry.example/office".to_owned()];
    let unreachable = Some((names.clone(), Outage::Unreachable));
    assert_eq!(found(&exact, documents, &silent()), unreachable);
    assert_eq!(found(&exact, everything, &silent()), None);
    assert_eq!(found(&tag, documents, &silent()), None);
    let missing = RegistryError::Missing {
        what: "manifest".to_owned(),
    };
    assert_eq!(found(&exact, documents, &missing), None);

    layout.write_directory(dir.path()).unwrap();
    let stopped = RegistryError::Stopped {
        what: "a blob".to_owned(),
        found: 1,
        wanted: None,
    };
    let interrupted = Some((names, Outage::Interrupted));
    assert_eq!(found(&exact, everything, &stopped), interrupted);
    let (opened, _) = fetched_before(&cache, &exact, everything, &silent()).unwrap();
    let present = suite.blobs().len() as u64;
    assert_eq!(opened.transferred.map(|it| it.present), Some(present));
}

#[test]
fn an_unpacked_bundle_holds_the_digests_of_its_tasks() {
    let dir = tempfile::tempdir().unwrap();
    let cache = BundleCache::new(dir.path().join("cache"));
    let (layout, root) = bundle(&|_, _| {});
    layout.write_directory(&dir.path().join("suite")).unwrap();
    let suite = Layout::open(&dir.path().join("suite")).unwrap();
    let opened = Opened::of_layout(suite).unwrap();
    let task = &opened.bundle.tasks[0];
    let digest = task.config.parts.digest();
    let given = HeldBackVerifiers::of(&opened.bundle);
    assert!(!cache.can_unpack(&opened.bundle, given.given()));
    let unpacked = cache.unpack(&opened, given.given()).unwrap();
    assert!(cache.can_unpack(&opened.bundle, given.given()));
    assert_eq!(
        (unpacked.digest, unpacked.corpus.is_none()),
        (root.digest, true)
    );
    unpacked.check_files(CheckDepth::Thorough).unwrap();
    unpacked.check_task(&task.id, &digest).unwrap();
    let VerifierDigest::Component(other) = task.judged_by else {
        panic!("its verifier is a component");
    };
    let refused = unpacked.check_task(&task.id, &other);
    assert!(matches!(refused, Err(OpenError::OtherTask(id)) if id == task.id));
    fs::write(unpacked.library.tasks_dir.join("more"), "").unwrap();
    let refused = unpacked.check_task(&task.id, &other);
    assert!(
        matches!(refused, Err(OpenError::Unpacked { dir, .. }) if dir == unpacked.library.root)
    );

    // A local bundle is remembered without its layers.
    assert!(cache.remembered(&root.digest).is_none());
    cache.try_to_remember(&opened);
    let from = Path::new("oci://registry.example/office");
    let remembered = cache.remembered_from(from, &root.digest).unwrap().unwrap();
    assert_eq!(remembered.names, ["office", "registry.example/office"]);
    let wrong = cache.remembered_from(Path::new("oci://registry.example"), &root.digest);
    assert!(matches!(wrong, Err(OpenError::Reference(_))));
}
