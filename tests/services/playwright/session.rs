//! Actions of an agent on sites, and the final states.

use mcpmark_service::{Session, ToolClient};
use mcpmark_snapshot::Tree;
use serde_json::json;

use crate::support::{CALL_LIMIT, World, open, programs, reference};

/// Logs in and replies to a thread, as a model does.
async fn reply(world: &World) {
    let page = world.navigate("http://forum.test/").await;
    assert!(page.contains("Signed in: nobody"), "{page}");
    let login = reference(&page, "link \"Log in\"");
    let page = world
        .ok(
            "browser_click",
            json!({ "element": "Log in", "ref": login }),
        )
        .await;
    let fields = json!([
        { "name": "Name", "type": "textbox", "ref": reference(&page, "textbox \"Name\""), "value": "ann" },
        { "name": "Password", "type": "textbox", "ref": reference(&page, "textbox \"Password\""), "value": "tulip" },
    ]);
    world
        .ok("browser_fill_form", json!({ "fields": fields }))
        .await;
    let button = reference(&page, "button \"Log in\"");
    let page = world
        .ok(
            "browser_click",
            json!({ "element": "Log in", "ref": button }),
        )
        .await;
    assert!(page.contains("Signed in: ann"), "{page}");
    let page = world.navigate("http://forum.test/thread/1").await;
    assert!(page.contains("ben: Which flour?"), "{page}");
    let text = reference(&page, "textbox \"Reply\"");
    world
        .ok(
            "browser_type",
            json!({ "element": "Reply", "ref": text, "text": "Rye & <wheat>" }),
        )
        .await;
    let button = reference(&page, "button \"Post\"");
    let page = world
        .ok("browser_click", json!({ "element": "Post", "ref": button }))
        .await;
    assert!(page.contains("ann: Rye & <wheat>"), "{page}");
}

async fn replied(world: &World) -> Tree {
    reply(world).await;
    world.capture().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_final_state_has_rows_requests_and_the_address() {
    let Some(world) = World::open().await else {
        return;
    };
    let state = replied(&world).await;
    assert_eq!(
        world.read(&state, "sites/forum.test/rows/posts.jsonl"),
        "[\"id\",\"thread\",\"author\",\"text\",\"time\"]\n\
         [1,1,\"ben\",\"Which flour?\",1769930000]\n\
         [2,1,\"ann\",\"Rye & <wheat>\",1769936406]\n"
    );
    let log = world.read(&state, "requests.jsonl");
    let requests: Vec<&str> = log.lines().collect();
    assert_eq!(requests.len(), 7, "{log}");
    assert_eq!(
        requests[2],
        "{\"form\":[[\"name\",\"ann\"],[\"password\",\"tulip\"]],\"host\":\"forum.test\",\"method\":\"POST\",\
         \"number\":3,\"path\":\"/login\",\"session\":\"ann\",\"status\":303}"
    );
    assert_eq!(
        world.read(&state, "browser.json"),
        "{\"address\":\"http://forum.test/thread/1\"}\n"
    );
    assert_eq!(
        world.read(&state, "sites/forum.test/static/style.css"),
        "h1 { color: navy }\n"
    );
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_requests_leave_equal_states() {
    let (Some(first), Some(second)) = (World::open().await, World::open().await) else {
        return;
    };
    let states = (replied(&first).await, replied(&second).await);
    assert_eq!(states.0.digest(), states.1.digest());
    // The random numbers of sessions are seeded too.
    let sessions = first.read(&states.0, "sites/forum.test/rows/sessions.jsonl");
    assert_eq!(sessions.lines().count(), 2, "{sessions}");
    first.close().await;
    second.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_final_state_is_a_world() {
    let Some(world) = World::open().await else {
        return;
    };
    let state = replied(&world).await;
    let home = tempfile::tempdir().unwrap();
    let session = open(&programs().unwrap(), &state, &world.store, home.path()).await;
    let session = session.unwrap();
    let again = session.capture().await.unwrap();
    let rows = "sites/forum.test/rows/posts.jsonl";
    assert_eq!(world.read(&again, rows), world.read(&state, rows));
    assert_eq!(world.read(&again, "requests.jsonl"), "");
    assert_eq!(world.read(&again, "browser.json"), "{\"address\":null}\n");
    session.close().await.unwrap();
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_page_changes_nothing_and_is_recorded() {
    let Some(world) = World::open().await else {
        return;
    };
    let page = world.navigate("http://forum.test/broken").await;
    assert!(page.contains("The site has failed."), "{page}");
    let state = world.capture().await;
    let posts = world.read(&state, "sites/forum.test/rows/posts.jsonl");
    assert!(posts.contains("Which flour?"), "{posts}");
    let log = world.read(&state, "requests.jsonl");
    assert!(
        log.contains("\"fault\":\"this page is broken\"") && log.contains("\"status\":500"),
        "{log}"
    );
    // Such a session cannot be graded.
    let error = world.session.finish(CALL_LIMIT).await.unwrap_err();
    let error = mcpmark_service::error_chain(&error);
    assert!(
        error.contains("the playwright world is not valid")
            && error.contains("failed to answer GET /broken"),
        "{error}"
    );
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_have_the_clock_and_the_zone_of_the_world() {
    let Some(world) = World::open().await else {
        return;
    };
    let page = world.navigate("http://forum.test/clock").await;
    assert!(page.contains("2026-02-01T09"), "{page}");
    let code = "() => [new Date(0).toString(), new Date(2000, 0, 2, 3).toISOString(), typeof Date(), \
                new Date() instanceof Date, new Date().constructor === Date, Date.UTC(1970, 0, 1)]";
    let result = world
        .ok("browser_evaluate", json!({ "function": code }))
        .await;
    assert!(
        result.contains("Thu Jan 01 1970 00:00:00 GMT+0000"),
        "{result}"
    );
    assert!(result.contains("2000-01-02T03:00:00.000Z"), "{result}");
    assert_eq!(result.matches("true").count(), 2, "{result}");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sites_without_a_guest_are_static_files() {
    let Some(world) = World::open().await else {
        return;
    };
    let page = world.navigate("http://help.test/").await;
    assert!(page.contains("heading \"Help\""), "{page}");
    let link = reference(&page, "link \"Forum\"");
    let page = world
        .ok("browser_click", json!({ "element": "Forum", "ref": link }))
        .await;
    assert!(page.contains("heading \"Forum\""), "{page}");
    let missing = world.navigate("http://help.test/missing.html").await;
    assert!(missing.contains("heading \"404\""), "{missing}");
    let state = world.capture().await;
    // Static files are not recorded.
    assert_eq!(world.read(&state, "requests.jsonl").lines().count(), 1);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_is_known_behind_a_dialog_and_without_a_page() {
    let Some(world) = World::open().await else {
        return;
    };
    world.navigate("http://forum.test/alert").await;
    world.ok("browser_wait_for", json!({ "time": 1 })).await;
    let state = world.capture().await;
    assert_eq!(
        world.read(&state, "browser.json"),
        "{\"address\":\"http://forum.test/alert\"}\n"
    );
    world
        .ok("browser_handle_dialog", json!({ "accept": true }))
        .await;
    world.ok("browser_close", json!({})).await;
    let state = world.capture().await;
    assert_eq!(world.read(&state, "browser.json"), "{\"address\":null}\n");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_those_of_the_published_server_without_programs() {
    let Some(world) = World::open().await else {
        return;
    };
    let server = world.client.server().unwrap();
    assert_eq!(server, ("Playwright".to_owned(), "0.0.68".to_owned()));
    let tools: Vec<&str> = world
        .client
        .tools()
        .iter()
        .map(|tool| &*tool.name)
        .collect();
    assert_eq!(tools.len(), 20);
    let tool = world.client.tools().first().unwrap();
    assert!(
        tool.description.is_some(),
        "descriptions are passed through"
    );
    for excluded in ["browser_run_code", "browser_install"] {
        assert!(!tools.contains(&excluded));
        let answer = world
            .fails(excluded, json!({ "code": "async page => 1" }))
            .await;
        let unknown = world.fails("browser_unknown", json!({})).await;
        assert_eq!(answer, unknown.replace("browser_unknown", excluded));
    }
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_share_nothing() {
    let (Some(first), Some(second)) = (World::open().await, World::open().await) else {
        return;
    };
    reply(&first).await;
    let page = second.navigate("http://forum.test/").await;
    assert!(page.contains("Signed in: nobody"), "{page}");
    let state = second.capture().await;
    let posts = second.read(&state, "sites/forum.test/rows/posts.jsonl");
    assert_eq!(posts.lines().count(), 2, "{posts}");
    first.close().await;
    second.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_client_leaves_the_session_open() {
    let Some(world) = World::open().await else {
        return;
    };
    world.navigate("http://forum.test/").await;
    let session: &dyn Session = &*world.session;
    let other = ToolClient::connect(session).await.unwrap();
    other.close().await.unwrap();
    let snapshot = world.ok("browser_snapshot", json!({})).await;
    assert!(snapshot.contains("heading \"Forum\""), "{snapshot}");
    world.close().await;
}
