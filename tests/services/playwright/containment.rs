//! Ways out of the world: each is refused and told, and the session goes on.

use std::net::TcpListener;

use serde_json::json;

use crate::support::World;

/// Checks that the browser still works.
async fn works(world: &World) {
    let page = world.navigate("http://forum.test/").await;
    assert!(page.contains("heading \"Forum\""), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_outside_of_the_world_cannot_be_reached() {
    let Some(world) = World::open().await else {
        return;
    };
    // A server of this machine, to which the browser would have access in the network of the machine.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let own = listener.local_addr().unwrap();
    for (url, problem) in [
        ("file:///etc/passwd", "is blocked"),
        ("view-source:file:///etc/passwd", "is blocked"),
        ("chrome://version", "is blocked"),
        ("http://example.com/", "ERR_NAME_NOT_RESOLVED"),
        ("http://10.0.0.1/", "ERR_NAME_NOT_RESOLVED"),
        ("http://127.0.0.1/", "ERR_NAME_NOT_RESOLVED"),
        ("http://[::1]/", "ERR_NAME_NOT_RESOLVED"),
        ("http://forum.test:9222/", "ERR_CONNECTION_REFUSED"),
        ("https://forum.test/", "ERR_CONNECTION_REFUSED"),
    ] {
        let answer = world.fails("browser_navigate", json!({ "url": url })).await;
        assert!(answer.contains(problem), "{url}: {answer}");
    }
    let port = format!("http://forum.test:{}/", own.port());
    let answer = world
        .fails("browser_navigate", json!({ "url": port }))
        .await;
    assert!(answer.contains("ERR_CONNECTION_REFUSED"), "{answer}");
    for (to, problem) in [
        ("file:///etc/passwd".to_owned(), "ERR_UNSAFE_REDIRECT"),
        ("chrome://version".to_owned(), "ERR_UNSAFE_REDIRECT"),
        ("http://example.com/".to_owned(), "ERR_NAME_NOT_RESOLVED"),
        (format!("http://{own}/"), "ERR_NAME_NOT_RESOLVED"),
        (port, "ERR_CONNECTION_REFUSED"),
    ] {
        let url = format!("http://forum.test/away?to={to}");
        let answer = world.fails("browser_navigate", json!({ "url": url })).await;
        assert!(answer.contains(problem), "{to}: {answer}");
    }
    works(&world).await;
    assert!(listener.accept().is_err(), "nobody has connected");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_of_pages_do_not_leave_the_world() {
    let Some(world) = World::open().await else {
        return;
    };
    works(&world).await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let own = listener.local_addr().unwrap();
    let code = format!(
        "async () => {{\n\
         const tried = ['http://{own}/', 'http://forum.test:{port}/', 'http://example.com/', 'file:///etc/passwd'];\n\
         const outcomes = [];\n\
         for (const url of tried) outcomes.push(await fetch(url, {{ mode: 'no-cors' }}).then(() => 'in', () => 'out'));\n\
         outcomes.push(await new Promise((resolve) => {{\n\
         const socket = new WebSocket('ws://forum.test:{port}/');\n\
         socket.onopen = () => resolve('in');\n\
         socket.onerror = () => resolve('out');\n\
         }}));\n\
         return outcomes.join(' ');\n\
         }}",
        port = own.port()
    );
    let answer = world
        .ok("browser_evaluate", json!({ "function": code }))
        .await;
    assert!(answer.contains("\"out out out out out\""), "{answer}");
    works(&world).await;
    assert!(listener.accept().is_err(), "nobody has connected");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_the_machine_cannot_be_uploaded_or_written() {
    let Some(world) = World::open().await else {
        return;
    };
    works(&world).await;
    let code = "() => { document.body.innerHTML = '<input type=file aria-label=File>'; \
                document.querySelector('input').click(); }";
    world
        .ok("browser_evaluate", json!({ "function": code }))
        .await;
    let listed = world.ok("browser_tabs", json!({ "action": "list" })).await;
    assert!(listed.contains("File chooser"), "{listed}");
    // A file of this machine that everyone may read.
    let secret = world.home.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let upload = json!({ "paths": [secret] });
    let answer = world.fails("browser_file_upload", upload).await;
    assert!(answer.contains("### Error"), "{answer}");
    // The path exists in the namespaces only, where it cannot be written.
    let escaped = json!({ "filename": "/usr/share/escaped.png" });
    let answer = world.fails("browser_take_screenshot", escaped).await;
    assert!(answer.contains("### Error"), "{answer}");
    assert!(!std::path::Path::new("/usr/share/escaped.png").exists());
    std::fs::remove_file(secret).unwrap();
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_takes_memory_fails_alone() {
    let Some(world) = World::open().await else {
        return;
    };
    works(&world).await;
    let buffers = "async () => { const all = []; for (;;) { all.push(new Uint8Array(64 << 20).fill(7)); \
                   await new Promise(resolve => setTimeout(resolve, 1)); } }";
    let answer = world
        .fails("browser_evaluate", json!({ "function": buffers }))
        .await;
    assert!(
        answer.contains("allocation failed") || answer.contains("crashed"),
        "{answer}"
    );
    world.ok("browser_close", json!({})).await;
    works(&world).await;
    let tail = world.capture().await;
    assert!(world.read(&tail, "browser.json").contains("forum.test"));
    world.close().await;
}
