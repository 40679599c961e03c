//! Sessions as the program opens them.

use std::sync::Arc;
use std::time::Duration;

use mcpmark_notion::NotionService;
use mcpmark_service::{Service, SessionLimits, ToolClient, WorldState};
use mcpmark_snapshot::{CaptureOptions, ScratchSpace, Store, capture};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{CLOCK, directory};

async fn state(home: &std::path::Path) -> WorldState {
    let store = Arc::new(Store::open(home.join("store")).unwrap());
    let tree = capture(&directory(), &store, &CaptureOptions::default()).unwrap();
    WorldState {
        tree,
        store,
        seed: 3,
        clock: CLOCK,
        profile: None,
        limits: SessionLimits::default(),
        scratch: ScratchSpace::plain(home),
    }
}

#[tokio::test]
async fn a_session_serves_tools_and_http_on_one_world() {
    let home = tempfile::tempdir().unwrap();
    let world = state(home.path()).await;
    let store = Arc::clone(&world.store);
    let session = NotionService.open(world).await.unwrap();
    let client = ToolClient::connect(&*session).await.unwrap();
    assert_eq!(client.tools().len(), 19);
    assert_eq!(
        client.server(),
        Some(("Notion API".to_owned(), "1.0.0".to_owned()))
    );

    let call = |tool: &'static str, arguments: Value| {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        client.call(tool, arguments, Duration::from_secs(60))
    };
    let found = call("API-post-search", json!({"query": "rota notes"}))
        .await
        .unwrap()
        .text();
    let found: Value = serde_json::from_str(&found).unwrap();
    let page = found["results"][0]["id"].as_str().unwrap().to_owned();
    let comment =
        json!({"parent": {"page_id": page}, "rich_text": [{"text": {"content": "Agreed."}}]});
    let answer = call("API-create-a-comment", comment).await.unwrap().text();
    assert!(answer.contains("\"plain_text\":\"Agreed.\""), "{answer}");

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = session.serve_http(listener).unwrap();
    let get = |headers: &'static str, path: String| async move {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (
            head.to_owned(),
            serde_json::from_str::<Value>(body).unwrap(),
        )
    };
    let comments = format!("/v1/comments?block_id={page}");
    let (head, body) = get(
        "authorization: Bearer x\r\nnotion-version: 2022-06-28\r\n",
        comments.clone(),
    )
    .await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert_eq!(body["results"].as_array().unwrap().len(), 3);
    let (head, body) = get("notion-version: 2022-06-28\r\n", comments.clone()).await;
    assert!(head.starts_with("HTTP/1.1 401"), "{head}");
    assert_eq!(body["message"], "API token is invalid.");
    let (_, body) = get("authorization: Bearer x\r\n", comments).await;
    assert_eq!(body["code"], "missing_version");
    server.abort();

    let tree = session.finish(Duration::from_secs(10)).await.unwrap();
    assert!(tree.len() > 20);
    // Grading loads the final state by its digest.
    assert_eq!(store.load_tree(&tree.digest()).unwrap(), tree);
    client.close().await.unwrap();
    session.close().await.unwrap();
}

#[tokio::test]
async fn an_unchanged_session_leaves_the_starting_state() {
    let home = tempfile::tempdir().unwrap();
    let world = state(home.path()).await;
    let files = |tree: &mcpmark_snapshot::Tree| {
        let all = tree.walk(&mcpmark_snapshot::TreePath::root());
        all.filter_map(|(path, node)| Some((path.as_str().to_owned(), node.as_file()?.content)))
            .collect::<Vec<_>>()
    };
    let before = files(&world.tree);
    let session = NotionService.open(world).await.unwrap();
    let tree = session.finish(Duration::from_secs(10)).await.unwrap();
    assert_eq!(files(&tree), before);
    session.close().await.unwrap();
}
