//! Fuzz target of the documents of a bundle (manifests, configs, an index, signatures), whose digests are always
//! correct. Each line is a blob, or the hexadecimal digits of a blob after `hex:`. `@3` in a line stands for the digest
//! of line 3 and `#3` for its length, so that references survive mutations of other lines. The last artifact that is
//! not a signature is the root.

use std::collections::BTreeSet;

use mcpmark_bundle::oci::Descriptor;
use mcpmark_bundle::trust::SIGNATURE;
use mcpmark_bundle::{Bundle, Layout, NewLayout, Source, fetch};
use mcpmark_snapshot::{Scratch, scratch_parent};
use serde_json::Value;

use super::bundle::judge;

pub(crate) fn run(bytes: &[u8]) {
    let mut layout = NewLayout::default();
    let mut named: Vec<Descriptor> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').take(64) {
        let blob = blob(line, &named);
        let document: Value = serde_json::from_slice(&blob).unwrap_or_default();
        let text = |key: &str| document[key].as_str();
        let descriptor = Descriptor {
            artifact_type: text("artifactType").map(str::to_owned),
            ..layout.put(text("mediaType").unwrap_or_default(), blob.clone())
        };
        if descriptor.artifact_type.is_some() {
            layout.list(descriptor.clone());
        }
        named.push(descriptor);
    }
    let is_root = |it: &&Descriptor| {
        it.artifact_type
            .as_deref()
            .is_some_and(|it| it != SIGNATURE)
    };
    let Some(root) = named.iter().rev().find(is_root) else {
        return;
    };
    let home = Scratch::new(&scratch_parent(None)).unwrap();
    let dir = home.path().join("layout");
    layout.write_directory(&dir).unwrap();
    let opened = Layout::open(&dir).unwrap();
    let all: BTreeSet<_> = named.iter().map(|it| it.digest).collect();
    let beside = opened.beside(&BTreeSet::new()).unwrap();
    assert!(beside.unnamed.iter().all(|digest| all.contains(digest)));
    for attached in opened.signatures(&root.digest).unwrap_or_default() {
        for descriptor in attached.all() {
            fetch(&opened, "a signature", descriptor, descriptor.size).unwrap();
        }
    }
    let told = |source: &dyn Source| match Bundle::read(source, root) {
        Ok(bundle) => bundle.blobs().len().to_string(),
        Err(error) => {
            assert!(!error.is_infrastructure(), "{error}");
            error.to_string()
        }
    };
    assert_eq!(told(&layout), told(&opened));
    if let Ok(bundle) = Bundle::read(&opened, root) {
        judge(&bundle, &opened, home.path());
    }
}

fn blob(line: &[u8], named: &[Descriptor]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(line) else {
        return line.to_vec();
    };
    let digit = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    if let Some(digits) = text.strip_prefix("hex:") {
        return digits.as_bytes().chunks(2).map_while(digit).collect();
    }
    let mut text = text.to_owned();
    // Replaces `@12` before `@1`.
    for (number, of) in named.iter().enumerate().rev() {
        text = text
            .replace(&format!("@{number}"), &of.digest.to_string())
            .replace(&format!("#{number}"), &of.size.to_string());
    }
    text.into_bytes()
}
