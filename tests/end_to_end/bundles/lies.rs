//! Registries that send wrong content or stop half-way.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{elsewhere, files, pack, sample, there};
use crate::environment::{Environment, text};

/// Misbehaviour of a registry.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Lie {
    /// Blobs stop half-way, and range requests are answered.
    Half,
    /// Blobs stop half-way, and each answer begins at the first byte.
    HalfWithoutRanges,
    /// Blobs stop half-way, range requests fail (416), and a repeated request gets the whole blob.
    HalfThenWhole,
    /// Blobs stop half-way each time, and range requests fail (416).
    HalfEachTime,
    /// Blobs stop before the first byte, each time.
    Nothing,
    /// No misbehaviour.
    Honest,
    /// No misbehaviour, and the referrers API lists the signatures, in pages.
    Listing,
    /// No misbehaviour, but the referrers API lists only other kinds of artifacts; a tag lists the signatures.
    ListingOthers,
    /// No misbehaviour, but the referrers API answers with an error status.
    ListRefused(u16),
    /// No misbehaviour, but the referrers API answers with this body.
    ListOther(&'static str),
    /// No misbehaviour, but the next page of referrers is at another host.
    ListElsewhere,
    /// No misbehaviour, but each page of referrers links to itself.
    ListEndless,
    /// Other bytes of the same length.
    OtherBytes,
    /// A body without end.
    Endless,
    /// A `content-length` that is larger than the body.
    WrongLength,
    /// Manifests that are requested by digest have an additional byte.
    OtherManifest,
    /// Manifests stop half-way, and a repeated request gets the whole manifest.
    HalfManifest,
    /// The same as `HalfManifest`, without a `content-length`.
    HalfManifestUnsaid,
    /// Manifests stop half-way each time.
    HalfManifestEachTime,
    /// Redirects of blobs to themselves.
    Circle,
}

/// Starts a registry over an OCI layout that misbehaves as `lie` says. Blobs below 600 bytes are always served
/// correctly. Returns its host and a counter of requests.
fn lying(dir: &Path, root: &str, lie: Lie) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let (blobs, root) = (dir.join("blobs/sha256"), root.to_owned());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (blobs, root, count) = (blobs.clone(), root.clone(), Arc::clone(&count));
            // The client may have closed the connection.
            std::thread::spawn(move || drop(answer(stream.unwrap(), &blobs, &root, lie, &count)));
        }
    });
    (host, asked)
}

fn answer(
    mut stream: TcpStream,
    blobs: &Path,
    root: &str,
    lie: Lie,
    count: &AtomicUsize,
) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte)? == 1 {
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request).to_lowercase();
    let path = request.split(' ').nth(1).unwrap_or_default();
    let (kind, name) = path.rsplit_once('/').unwrap_or_default();
    let hex = match name {
        "latest" => root.strip_prefix("sha256:").unwrap(),
        name => name.strip_prefix("sha256:").unwrap_or_default(),
    };
    if kind.ends_with("referrers") && lie == Lie::Listing {
        let is_last = name.ends_with("&page=2");
        let page = (!is_last).then(|| next(&format!("{path}&page=2")));
        return stream.write_all(&referrers(blobs, is_last, &page.unwrap_or_default()));
    }
    if lie == Lie::ListingOthers && (kind.ends_with("referrers") || name.starts_with("sha256-")) {
        return stream.write_all(&referrers(blobs, kind.ends_with("manifests"), ""));
    }
    if let (true, Lie::ListRefused(status)) = (kind.ends_with("referrers"), lie) {
        let head = "connection: close\r\nretry-after: 0\r\ncontent-length: 0";
        return write!(stream, "HTTP/1.1 {status} No\r\n{head}\r\n\r\n");
    }
    let list = match lie {
        Lie::ListOther(body) => Some((body, String::new())),
        // Port 0 is reserved.
        Lie::ListElsewhere => Some((EMPTY, next("http://127.0.0.1:0/v2/x"))),
        Lie::ListEndless => Some((EMPTY, next(path))),
        _ => None,
    };
    if let (true, Some((body, link))) = (kind.ends_with("referrers"), list) {
        let length = body.len();
        let head = format!("connection: close\r\n{link}content-length: {length}");
        return write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}");
    }
    let Ok(mut bytes) = fs::read(blobs.join(hex)) else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n");
    };
    if kind.ends_with("manifests") {
        if lie == Lie::OtherManifest && name != "latest" {
            bytes.push(b'\n');
        }
        let half = match lie {
            Lie::HalfManifest => count.fetch_add(1, Ordering::SeqCst).is_multiple_of(2),
            // Without a length, only a manifest whose size is known from its descriptor is recognised as truncated.
            Lie::HalfManifestUnsaid => {
                name != "latest" && count.fetch_add(1, Ordering::SeqCst).is_multiple_of(2)
            }
            Lie::HalfManifestEachTime => true,
            _ => false,
        };
        write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n")?;
        if lie != Lie::HalfManifestUnsaid {
            write!(stream, "content-length: {}\r\n", bytes.len())?;
        }
        write!(stream, "\r\n")?;
        return stream.write_all(if half {
            &bytes[..bytes.len() / 2]
        } else {
            &bytes
        });
    }
    if bytes.len() < 600 {
        write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
        return stream.write_all(&bytes);
    }
    let is_range = request.contains("range: bytes=");
    if is_range && matches!(lie, Lie::HalfThenWhole | Lie::HalfEachTime) {
        return stream.write_all(
            b"HTTP/1.1 416 Range Not Satisfiable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        );
    }
    count.fetch_add(1, Ordering::SeqCst);
    let from: usize = request
        .split("range: bytes=")
        .nth(1)
        .and_then(|range| range.split('-').next()?.parse().ok())
        .filter(|_| lie != Lie::HalfWithoutRanges)
        .unwrap_or(0);
    let total = bytes.len();
    let status = match from {
        0 => "200 OK".to_owned(),
        from => format!(
            "206 Partial Content\r\ncontent-range: bytes {from}-{}/{total}",
            total - 1
        ),
    };
    let length = match lie {
        Lie::WrongLength => total - from + 100,
        _ => total - from,
    };
    match lie {
        Lie::Circle => {
            return write!(
                stream,
                "HTTP/1.1 307 Found\r\nconnection: close\r\nlocation: {path}\r\n\r\n"
            );
        }
        Lie::Endless => {
            write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
            loop {
                stream.write_all(&[b'x'; 4096])?;
            }
        }
        _ => write!(
            stream,
            "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        )?,
    }
    match lie {
        Lie::Nothing => Ok(()),
        Lie::Half | Lie::HalfWithoutRanges | Lie::HalfThenWhole | Lie::HalfEachTime => {
            let once = count.load(Ordering::SeqCst) % 2 == 1 || lie == Lie::HalfEachTime;
            let end = if once {
                from + (total - from) / 2
            } else {
                total
            };
            stream.write_all(&bytes[from..end])
        }
        Lie::OtherBytes => {
            bytes[total / 2] ^= 1;
            stream.write_all(&bytes[from..])
        }
        _ => stream.write_all(&bytes[from..]),
    }
}

/// An empty list of referrers.
const EMPTY: &str = "{\"schemaVersion\":2,\"manifests\":[]}";

/// Returns the `link` header of the next page.
fn next(place: &str) -> String {
    format!("link: <{place}>; rel=\"next\"\r\n")
}

/// Returns an answer of the referrers API: the signatures of the bundle, or other artifacts that refer to it.
fn referrers(blobs: &Path, signatures: bool, next: &str) -> Vec<u8> {
    let index = fs::read(blobs.join("../../index.json")).unwrap();
    let mut index: Value = serde_json::from_slice(&index).unwrap();
    let listed = index["manifests"].as_array_mut().unwrap();
    listed.retain(|one| text(&one["artifactType"]).contains("sigstore"));
    if !signatures {
        for one in listed.iter_mut() {
            one["artifactType"] = "application/spdx+json".into();
        }
        listed.push("of another kind".into());
    }
    let body = index.to_string();
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n{next}content-length: {length}");
    format!("{head}\r\n\r\n{body}").into_bytes()
}

#[test]
fn signatures_are_found_where_a_registry_lists_them_by_itself() {
    let environment = Environment::new();
    let library = sample(&environment);
    let dir = environment.path("suite");
    let packed = pack(&library, &dir, &[]);
    let (bundle, digest) = (dir.to_str().unwrap(), text(&packed["digest"]));
    let [private, public] = ["ours.pem", "ours.pub"].map(|name| environment.path(name));
    let [private, public] = [private.to_str().unwrap(), public.to_str().unwrap()];
    environment
        .run(["bundle", "keygen", "-o", private])
        .exits(0);
    let args = ["bundle", "sign", bundle, "--key", private];
    environment.run(args).exits(0);
    for (lie, code, is_known) in [
        (Lie::Listing, 0, true),
        (Lie::ListingOthers, 0, true),
        (Lie::Honest, 4, true),
        (Lie::ListRefused(405), 4, true),
        (Lie::ListRefused(501), 4, true),
        (Lie::ListOther(EMPTY), 4, true),
        // Signatures may exist.
        (Lie::ListRefused(401), 5, false),
        (Lie::ListRefused(403), 5, false),
        (Lie::ListRefused(429), 5, false),
        (Lie::ListRefused(400), 5, false),
        (Lie::ListRefused(500), 5, false),
        (Lie::ListOther("<html>"), 4, false),
        (Lie::ListOther("{\"errors\":[]}"), 4, false),
        (Lie::ListOther(""), 4, false),
        (Lie::ListElsewhere, 4, false),
        (Lie::ListEndless, 4, false),
    ] {
        let (host, _) = lying(&dir, &digest, lie);
        let reference = format!("oci://{host}/suite");
        let machine = Environment::bare();
        let args = ["bundle", "verify", &reference, "--key", public];
        let told = there(&machine, &args);
        assert_eq!(told.code, Some(code), "{lie:?}: {told:?}");
        let names_list = told.stderr.contains("the list of signatures: ");
        assert_eq!(names_list, !is_known, "{lie:?}: {told:?}");
        // A bundle whose signatures may be lost is not written as unsigned.
        let args = ["bundle", "pull", &reference, "-o", "copy.tar"];
        let told = there(&machine, &args);
        assert_eq!(told.code == Some(0), is_known, "{lie:?}: {told:?}");
        assert_eq!(machine.path("copy.tar").exists(), is_known, "{lie:?}");
    }
}

/// Asserts that bytes which arrived before a registry stopped are not fetched again, not even from another registry.
fn goes_on(dir: &Path, digest: &str) {
    let whole = Environment::bare();
    let fetched = |machine: &Environment, lie: Lie, code: i32| {
        let (host, _) = lying(dir, digest, lie);
        let reference = format!("oci://{host}/suite");
        let args = ["bundle", "pull", &reference, "--json"];
        there(machine, &args).exits(code)
    };
    let all = fetched(&whole, Lie::Honest, 0).json();
    let machine = Environment::bare();
    let told = fetched(&machine, Lie::HalfEachTime, 5);
    let told = told.says(&[" bytes", "received data is stored"]);
    let words: Vec<&str> = told.stderr.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "stopped").unwrap();
    let [found, wanted] = [2, 4].map(|next| words[at + next].parse::<u64>().unwrap());
    assert_eq!(found, wanted / 2, "{}", told.stderr);
    let rest = fetched(&machine, Lie::Honest, 0).json();
    let bytes = |told: &Value| told["transferred"]["bytes"].as_u64().unwrap();
    assert!(bytes(&rest) + found <= bytes(&all), "{rest} {all}");
}

#[test]
fn a_registry_that_lies_or_stops_is_found_out() {
    let environment = Environment::new();
    let library = sample(&environment);
    let dir = environment.path("suite");
    let packed = pack(&library, &dir, &[]);
    let digest = text(&packed["digest"]);
    for (lie, code, word) in [
        (Lie::Half, 0, ""),
        (Lie::HalfWithoutRanges, 0, ""),
        (Lie::HalfThenWhole, 0, ""),
        (Lie::HalfEachTime, 5, "the registry stopped after "),
        (Lie::Nothing, 5, "the registry stopped after 0 of "),
        (Lie::Honest, 0, ""),
        (Lie::OtherBytes, 4, "does not match its digest"),
        (Lie::Endless, 4, "does not have the expected length"),
        (Lie::WrongLength, 0, ""),
        (Lie::OtherManifest, 4, "does not match its digest"),
        (Lie::HalfManifest, 0, ""),
        (Lie::HalfManifestUnsaid, 0, ""),
        (
            Lie::HalfManifestEachTime,
            5,
            "manifest latest: the registry stopped after ",
        ),
        (Lie::Circle, 4, "too many redirects"),
    ] {
        let (host, asked) = lying(&dir, &digest, lie);
        let machine = Environment::bare();
        let reference = format!("oci://{host}/suite");
        let told = there(&machine, &["bundle", "pull", &reference, "--json"]);
        assert_eq!(told.code, Some(code), "{lie:?}: {told:?}");
        assert!(told.stderr.contains(word), "{lie:?}: {}", told.stderr);
        if code == 0 {
            assert_eq!(told.json()["digest"], packed["digest"]);
            let verified = there(&machine, &["bundle", "verify", &reference, "--json"]);
            assert_eq!(verified.exits(0).json()["digest"], packed["digest"]);
            assert!(asked.load(Ordering::SeqCst) >= 1, "{lie:?}");
        }
        // Each cached blob matches its digest.
        let kept = machine.path("cache/mcpmark/bundles/blobs/sha256");
        for entry in fs::read_dir(kept).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let found = mcpmark_snapshot::Digest::of(&fs::read(&path).unwrap());
                assert!(path.ends_with(found.hex()), "{lie:?}");
            }
        }
    }
    goes_on(&dir, &digest);
    // The reserved domain `invalid` does not resolve.
    environment
        .run(["bundle", "pull", "oci://registry.invalid/suite"])
        .exits(5)
        .says(&["cannot reach the registry"]);
}

/// Of two processes that download the same blob, the first may find that it received wrong bytes and remove their file,
/// while the second waits for the lock of that file.
#[test]
fn a_download_whose_file_was_removed_while_it_waited_begins_again() {
    let environment = Environment::new();
    let library = sample(&environment);
    let dir = environment.path("suite");
    let packed = pack(&library, &dir, &[]);
    let (host, _) = lying(&dir, &text(&packed["digest"]), Lie::Honest);
    // Manifests and configs are JSON.
    let is_layer = |path: &PathBuf| fs::read(path).unwrap().first() != Some(&b'{');
    let layer = files(&dir).into_iter().find(is_layer).unwrap();
    let length = fs::read(&layer).unwrap().len();

    let machine = Environment::bare();
    let name = Path::new("partial").join(layer.file_name().unwrap());
    let kept = machine.path("cache/mcpmark/bundles/blobs/sha256");
    let partial = kept.join(&name);
    fs::create_dir_all(partial.parent().unwrap()).unwrap();
    fs::write(&partial, vec![b'x'; length]).unwrap();
    let held = fs::File::open(&partial).unwrap();
    held.lock().unwrap();
    let reference = format!("oci://{host}/suite");
    let mut pull = elsewhere(&machine, &["bundle", "pull", &reference]);
    let pull = pull.stdout(Stdio::piped()).stderr(Stdio::piped());
    let pull = pull.spawn().unwrap();
    let descriptors = format!("/proc/{}/fd", pull.id());
    let is_waiting = || {
        let open = fs::read_dir(&descriptors).into_iter().flatten().flatten();
        let mut open = open.filter_map(|entry| fs::read_link(entry.path()).ok());
        open.any(|target| target.ends_with(&name))
    };
    let begun = Instant::now();
    while !is_waiting() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no download");
        std::thread::sleep(Duration::from_millis(10));
    }
    fs::remove_file(&partial).unwrap();
    drop(held);
    let pulled = pull.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&pulled.stderr);
    assert!(pulled.status.success(), "{told}");
    let found = fs::read(kept.join(layer.file_name().unwrap())).unwrap();
    assert_eq!(found, fs::read(&layer).unwrap());
}
