//! The shipped world, and requests to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcpmark_notion::api::{Body, Engine, Method, Request};
use mcpmark_notion::world::{self, Opening, WorldError};
use mcpmark_snapshot::{Blobs, File, MemoryBlobs, Snapshot, TreeBuilder, TreePath};
use serde_json::Value;

/// Clock of the shipped world: 2025-01-27T08:00:00Z.
pub(crate) const CLOCK: i64 = 1_737_964_800;

pub(crate) type Documents = Vec<(String, Vec<u8>)>;

pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds/notion/vet-clinic/files")
}

/// Returns the documents of the shipped world, ordered by path.
pub(crate) fn shipped() -> Documents {
    let state = Snapshot::of_directory(directory()).unwrap();
    let mut documents = Vec::new();
    for (path, node) in state.tree.walk(&TreePath::root()) {
        if node.as_file().is_some() {
            documents.push((path.as_str().to_owned(), state.read(&path).unwrap()));
        }
    }
    documents.sort();
    documents
}

/// Opens a world of documents.
pub(crate) fn open(documents: &Documents) -> Result<Engine, WorldError> {
    let blobs = Arc::new(MemoryBlobs::new());
    let mut tree = TreeBuilder::new();
    for (path, bytes) in documents {
        let file = File {
            size: bytes.len() as u64,
            executable: false,
            modified: None,
            content: blobs.put(bytes.clone()),
        };
        tree.insert_file(&TreePath::parse(path).unwrap(), file)
            .unwrap();
    }
    let blobs: Arc<dyn Blobs> = blobs;
    let opening = Opening {
        seed: 7,
        clock: CLOCK,
    };
    world::read(&tree.finish(), &blobs, opening).map(Engine::new)
}

pub(crate) fn engine() -> Engine {
    open(&shipped()).unwrap()
}

/// Makes a request. Returns the status and the body of the response.
pub(crate) fn send(engine: &mut Engine, method: &str, target: &str, body: Value) -> (u16, Value) {
    let body = match body {
        Value::Null => Body::Absent,
        body => Body::Json(body),
    };
    let request = Request::new(Method::parse(method).unwrap(), target, body);
    let response = engine.answer(&request);
    (response.status, response.body)
}

/// Makes a request that is answered.
pub(crate) fn done(engine: &mut Engine, method: &str, target: &str, body: Value) -> Value {
    let (status, body) = send(engine, method, target, body);
    assert_eq!(status, 200, "{method} {target}: {body}");
    body
}

/// Makes a request that is refused. Returns the code and the message.
pub(crate) fn refused(
    engine: &mut Engine,
    method: &str,
    target: &str,
    body: Value,
) -> (String, String) {
    let before = world::write(&engine.workspace);
    let (status, body) = send(engine, method, target, body);
    assert_ne!(status, 200, "{method} {target}: {body}");
    assert_eq!(body["status"], status);
    assert_eq!(body["object"], "error");
    assert!(
        before == world::write(&engine.workspace),
        "a refused request changed the world"
    );
    let text = |key: &str| body[key].as_str().unwrap().to_owned();
    (text("code"), text("message"))
}

/// Returns the id of the page or database with a title.
pub(crate) fn id_of(engine: &mut Engine, title: &str) -> String {
    let found = done(
        engine,
        "POST",
        "/v1/search",
        serde_json::json!({"query": title}),
    );
    let result = found["results"].as_array().unwrap().iter().find(|it| {
        let text = match it["object"].as_str() {
            Some("database") => it["title"][0]["plain_text"].as_str(),
            _ => it["properties"]
                .as_object()
                .unwrap()
                .values()
                .find_map(|it| it["title"][0]["plain_text"].as_str()),
        };
        text == Some(title)
    });
    result.unwrap_or_else(|| panic!("no {title}"))["id"]
        .as_str()
        .unwrap()
        .to_owned()
}
