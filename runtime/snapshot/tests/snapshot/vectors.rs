//! Golden vectors of digests, which must never change, because they name stored objects.

use mcpmark_snapshot::{Blobs, Digest, LoadError, MemoryBlobs, Tree};

use crate::trees::{World, path};

#[test]
fn the_empty_tree() {
    let tree = Tree::empty();
    assert_eq!(tree.root().encode(), b"{\"directory\":[]}");
    assert_eq!(
        tree.digest().to_string(),
        "sha256:0a46677c30ae496fe43f21512d8fb27ef272f61212e16b79f8515a72e100b9a1"
    );
}

#[test]
fn one_of_each_kind() {
    let mut world = World::default()
        .directory("notes")
        .symlink("latest", "notes/\tx");
    world.add("run.sh", "abc", true, None).unwrap();
    world.add("naïve \"q\".txt", "", false, Some(-1)).unwrap();
    let tree = world.tree();
    // Computed with Python's json and hashlib.
    let expected = concat!(
        r#"{"directory":[{"type":"symlink","name":"latest","target":"notes/\tx"},"#,
        r#"{"type":"file","name":"naïve \"q\".txt","size":0,"executable":false,"modified":-1,"#,
        r#""digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},"#,
        r#"{"type":"directory","name":"notes","#,
        r#""digest":"sha256:0a46677c30ae496fe43f21512d8fb27ef272f61212e16b79f8515a72e100b9a1"},"#,
        r#"{"type":"file","name":"run.sh","size":3,"executable":true,"#,
        r#""digest":"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}]}"#,
    );
    assert_eq!(String::from_utf8(tree.root().encode()).unwrap(), expected);
    assert_eq!(
        tree.digest().to_string(),
        "sha256:1f335fb081fad7145326eec726188bacb5ad58d97740ac1ca404681af76c3fa6"
    );
    assert_eq!(
        tree.get(&path("latest")).unwrap().digest().to_string(),
        "sha256:f26f2ee710f432e12e5e8454b7c8cd78c71940746d6c97aeba4a7df25589f6fd"
    );
}

#[test]
fn walk_and_files_go_by_the_bytes_of_paths() {
    let tree = World::default()
        .file("a/b", "12")
        .file("a.txt", "3")
        .file("a-b/c", "")
        .symlink("a/a", "b")
        .directory("a/e")
        .tree();
    let order = |at: &str| {
        tree.walk(&path(at))
            .map(|(path, _)| path.to_string())
            .collect::<Vec<_>>()
    };
    let all = ["a", "a-b", "a-b/c", "a.txt", "a/a", "a/b", "a/e"];
    assert_eq!(order(""), all);
    assert!(all.is_sorted());
    assert_eq!(order("a"), ["a/a", "a/b", "a/e"]);
    assert!(order("a.txt").is_empty() && order("a/a").is_empty() && order("x").is_empty());
    let files: Vec<_> = tree.files().map(|(path, _)| path.to_string()).collect();
    assert_eq!(files, ["a-b/c", "a.txt", "a/b"]);
    assert_eq!((tree.len(), tree.total_size()), (7, 3));
}

/// Blobs that return chosen bytes for one digest.
struct Lying(MemoryBlobs, Digest, Vec<u8>);

impl Blobs for Lying {
    fn read(&self, digest: &Digest) -> std::io::Result<Vec<u8>> {
        if *digest == self.1 {
            return Ok(self.2.clone());
        }
        self.0.read(digest)
    }

    fn read_range(&self, digest: &Digest, _: u64, _: u64) -> std::io::Result<Vec<u8>> {
        self.read(digest)
    }

    fn contains(&self, _: &Digest) -> bool {
        true
    }
}

fn directory(name: &str, digest: Digest) -> String {
    format!("{{\"type\":\"directory\",\"name\":\"{name}\",\"digest\":\"{digest}\"}}")
}

fn encoding(entries: &[String]) -> String {
    format!("{{\"directory\":[{}]}}", entries.join(","))
}

#[test]
fn hostile_trees_are_refused_by_name() {
    let blobs = MemoryBlobs::new();
    let empty = blobs.put(encoding(&[]));
    let load = |root: Digest| Tree::load(&root, &blobs).unwrap_err();

    let gone = Digest::of(b"gone");
    let root = blobs.put(encoding(&[directory("d", gone)]));
    let error = load(root);
    assert!(matches!(&error, LoadError::Blob { path, digest, .. }
        if path.as_str() == "d" && *digest == gone));
    assert!(error.to_string().contains(&gone.to_string()));

    let text = blobs.put("just a file");
    let root = blobs.put(encoding(&[directory("d", text)]));
    assert!(matches!(load(root), LoadError::Encoding { path, .. } if path.as_str() == "d"));

    let up = "{\"type\":\"symlink\",\"name\":\"up\",\"target\":\"../../etc\"}".to_owned();
    let below = blobs.put(encoding(&[up]));
    let error = load(blobs.put(encoding(&[directory("d", below)])));
    assert_eq!(
        error.to_string(),
        "symlink \"d/up\" points outside the world (to \"../../etc\")"
    );

    // The maximum depth of a tree, and one more.
    let deep = (0..128).fold(empty, |at, _| blobs.put(encoding(&[directory("d", at)])));
    assert_eq!(Tree::load(&deep, &blobs).unwrap().len(), 128);
    let deeper = blobs.put(encoding(&[directory("d", deep)]));
    assert!(load(deeper).to_string().contains("more than 128 segments"));

    // Thirty small directories that describe about a thousand million entries.
    let bomb = (0..30).fold(empty, |at, _| {
        blobs.put(encoding(&[directory("a", at), directory("b", at)]))
    });
    assert!(load(bomb).to_string().contains("more than 1000000 entries"));

    let lie = encoding(&[directory("evil", empty)]).into_bytes();
    let lying = Lying(blobs, text, lie);
    let error = Tree::load(&text, &lying).unwrap_err();
    assert!(matches!(error, LoadError::Damaged { digest, .. } if digest == text));
}
