//! The REST interface from outside: equal results over HTTP and MCP, error responses and pages.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{World, git, standard, texts, write};

/// HTTP response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{}: {}", self.status, String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// REST interface of a world on a loopback address.
pub(crate) struct Site {
    pub(crate) world: World,
    address: std::net::SocketAddr,
    handle: mcpmark_service::ServeHandle,
}

impl Site {
    async fn new() -> Self {
        Self::of(World::new().await).await
    }

    pub(crate) async fn of(world: World) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let handle = world.session.serve_http(listener).unwrap();
        Self {
            world,
            address,
            handle,
        }
    }

    /// Sends one request on a new connection and returns the response.
    pub(crate) async fn send(
        &self,
        method: &str,
        target: &str,
        headers: &str,
        body: &[u8],
    ) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head,
            body: bytes[end + 4..].to_vec(),
        }
    }

    pub(crate) async fn get(&self, below: &str) -> Answer {
        self.send("GET", &format!("/repos/acme/demo{below}"), "", b"")
            .await
    }

    pub(crate) async fn ask(&self, method: &str, below: &str, body: Value) -> Answer {
        let target = format!("/api/v3/repos/acme/demo{below}");
        self.send(method, &target, "", body.to_string().as_bytes())
            .await
    }

    #[track_caller]
    fn refused(answer: &Answer, status: u16, message: &str) {
        let body = answer.json();
        assert_eq!(answer.status, status, "{body}");
        assert_eq!(body["message"], message);
        assert_eq!(body["status"], status.to_string());
        assert!(body["documentation_url"].is_string());
    }
}

#[tokio::test]
async fn tools_and_rest_see_one_world() {
    let site = Site::new().await;
    site.world
        .text(
            "create_issue",
            json!({"title": "From a tool", "body": "see #2"}),
        )
        .await;
    let issue = site.get("/issues/4").await.json();
    assert_eq!(issue["title"], "From a tool");
    let made = site
        .ask(
            "POST",
            "/issues",
            json!({"title": "From REST", "labels": ["bug"], "assignees": ["bo"]}),
        )
        .await;
    assert_eq!(
        (made.status, made.json()["number"].as_u64()),
        (201, Some(5))
    );
    let seen = site
        .world
        .json("get_issue", json!({"issue_number": 5}))
        .await;
    assert_eq!(seen["labels"][0]["name"], "bug");
    assert_eq!(seen["assignees"][0]["login"], "bo");
    let closed = site
        .ask(
            "PATCH",
            "/issues/5",
            json!({"state": "closed", "state_reason": "not_planned", "labels": []}),
        )
        .await
        .json();
    assert_eq!(closed["state_reason"], "not_planned");
    assert_eq!(closed["labels"], json!([]));
    // The handle owns the HTTP server. The session continues without it.
    site.handle.abort();
    assert!(site.world.text("get_me", json!({})).await.contains("ann"));
}

#[tokio::test]
async fn equal_changes_over_rest_and_by_tools_leave_equal_states() {
    let site = Site::new().await;
    let world = World::new().await;
    world.text("create_branch", json!({"branch": "work"})).await;
    world
        .text(
            "push_files",
            json!({"branch": "work", "message": "Add", "files": [{"path": "a/b.txt", "content": "x\n"}]}),
        )
        .await;
    world
        .text(
            "create_pull_request",
            json!({"title": "Add b", "head": "work", "base": "main", "body": "Closes #2"}),
        )
        .await;
    world
        .text(
            "merge_pull_request",
            json!({"pullNumber": 4, "merge_method": "squash"}),
        )
        .await;

    let main = site.get("/git/ref/heads/main").await.json()["object"]["sha"].clone();
    let made = site
        .ask(
            "POST",
            "/git/refs",
            json!({"ref": "refs/heads/work", "sha": main}),
        )
        .await;
    assert_eq!(made.status, 201);
    let commit = site
        .get(&format!("/git/commits/{}", main.as_str().unwrap()))
        .await
        .json();
    let tree = site
        .ask(
            "POST",
            "/git/trees",
            json!({"base_tree": commit["tree"]["sha"],
                   "tree": [{"path": "a/b.txt", "mode": "100644", "type": "blob", "content": "x\n"}]}),
        )
        .await
        .json();
    let commit = site
        .ask(
            "POST",
            "/git/commits",
            json!({"message": "Add", "tree": tree["sha"], "parents": [main]}),
        )
        .await
        .json();
    let moved = site
        .ask(
            "PATCH",
            "/git/refs/heads/work",
            json!({"sha": commit["sha"], "force": false}),
        )
        .await;
    assert_eq!(moved.status, 200);
    let pull = site
        .ask(
            "POST",
            "/pulls",
            json!({"title": "Add b", "head": "acme:work", "base": "main", "body": "Closes #2"}),
        )
        .await;
    assert_eq!(pull.json()["mergeable_state"], "clean");
    let merged = site
        .ask("PUT", "/pulls/4/merge", json!({"merge_method": "squash"}))
        .await;
    assert_eq!(
        (merged.status, merged.json()["merged"].as_bool()),
        (200, Some(true))
    );
    assert_eq!(site.get("/issues/2").await.json()["state"], "closed");
    assert_eq!(
        site.world.state().await.digest(),
        world.state().await.digest()
    );
}

#[tokio::test]
async fn files_come_in_all_their_forms() {
    let site = Site::new().await;
    let file = site.get("/contents/docs/moved.txt?ref=v1").await.json();
    assert_eq!(file["content"], "Zmlyc3QKc2Vjb25kCg==\n");
    assert_eq!(
        file["url"],
        "https://api.github.com/repos/acme/demo/contents/docs/moved.txt?ref=v1"
    );
    let raw = site
        .send(
            "GET",
            "/repos/acme/demo/contents/README.md",
            "Accept: application/vnd.github.raw\r\n",
            b"",
        )
        .await;
    assert_eq!(raw.body, b"# Demo\n\nA demo.\n");
    let raw = site
        .send("GET", "/raw/acme/demo/feature/README.md", "", b"")
        .await;
    assert_eq!(raw.body, b"# Demo\n\nA demo of three.\n");
    assert_eq!(
        raw.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    let head = site
        .send("HEAD", "/repos/acme/demo/contents/README.md", "", b"")
        .await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    let listed = site.get("/contents").await.json();
    let names = texts(&listed, "/name");
    assert_eq!(names, ["README.md", "docs", "src"]);
    let diff = site
        .send(
            "GET",
            "/repos/acme/demo/pulls/3",
            "Accept: application/vnd.github.v3.diff\r\n",
            b"",
        )
        .await;
    assert!(
        diff.body
            .starts_with(b"diff --git a/src/lib.rs b/src/lib.rs\n")
    );

    let made = site
        .ask(
            "PUT",
            "/contents/new.txt",
            json!({"message": "New", "content": "aGk=", "branch": "feature"}),
        )
        .await;
    assert_eq!(made.status, 201);
    let sha = made.json()["content"]["sha"].clone();
    let gone = site
        .ask(
            "DELETE",
            "/contents/new.txt",
            json!({"message": "Old", "sha": sha, "branch": "feature"}),
        )
        .await;
    assert_eq!((gone.status, gone.json()["content"].is_null()), (200, true));
    Site::refused(
        &site.get("/contents/new.txt?ref=feature").await,
        404,
        "Not Found",
    );
}

#[tokio::test]
async fn lists_come_in_pages_that_link_to_each_other() {
    let site = Site::new().await;
    let first = site.get("/issues?state=all&per_page=1").await;
    let base = format!(
        "http://{}/repos/acme/demo/issues?state=all&per_page=1&page=",
        site.address
    );
    assert_eq!(
        first.header("link").unwrap(),
        format!("<{base}2>; rel=\"next\", <{base}3>; rel=\"last\"")
    );
    assert_eq!(first.json()[0]["number"], 3);
    assert!(first.json()[0]["pull_request"].is_object());
    let last = site.get("/issues?state=all&per_page=1&page=3").await;
    assert_eq!(
        last.header("link").unwrap(),
        format!("<{base}2>; rel=\"prev\", <{base}1>; rel=\"first\"")
    );
    assert_eq!(site.get("/issues").await.header("link"), None);
    let commits = site.get("/commits?per_page=3").await;
    assert!(
        commits
            .header("link")
            .unwrap()
            .contains("page=2>; rel=\"last\"")
    );
    let compared = site.get("/compare/main...feature").await.json();
    assert_eq!(
        (
            &compared["status"],
            &compared["ahead_by"],
            &compared["behind_by"]
        ),
        (&json!("diverged"), &json!(2), &json!(2))
    );
}

#[tokio::test]
async fn refusals_are_worded_as_github_words_them() {
    let site = Site::new().await;
    let other = site.send("GET", "/repos/acme/other/issues", "", b"").await;
    Site::refused(&other, 404, "Not Found");
    Site::refused(&site.get("/issues/99").await, 404, "Not Found");
    Site::refused(&site.get("/issues/x").await, 404, "Not Found");
    Site::refused(&site.get("/branches/none").await, 404, "Branch not found");
    Site::refused(&site.get("/nothing/of/that/kind").await, 404, "Not Found");
    let broken = site.send("POST", "/repos/acme/demo/issues", "", b"{").await;
    Site::refused(&broken, 400, "Problems parsing JSON");
    let many = format!(r#"{{"title":[{}]}}"#, vec!["0"; 1_000_000].join(","));
    let many = site
        .send("POST", "/repos/acme/demo/issues", "", many.as_bytes())
        .await;
    let problem = "The body has 1000002 JSON values, and may have 1000000";
    Site::refused(&many, 413, problem);
    let list = site.ask("POST", "/issues", json!([1])).await;
    Site::refused(&list, 400, "Body should be a JSON object");
    let untitled = site.ask("POST", "/issues", json!({"body": "x"})).await;
    Site::refused(
        &untitled,
        422,
        "Invalid request.\n\n\"title\" wasn't supplied.",
    );
    let wrong = site
        .ask("POST", "/issues", json!({"title": "x", "labels": "bug"}))
        .await;
    Site::refused(
        &wrong,
        422,
        "Invalid request.\n\nFor 'properties/labels', \"bug\" is not an array.",
    );
    let nobody = site
        .ask(
            "POST",
            "/issues",
            json!({"title": "x", "assignees": ["nobody"]}),
        )
        .await;
    Site::refused(&nobody, 422, "Validation Failed");
    assert_eq!(
        nobody.json()["errors"],
        json!([{"resource": "Issue", "field": "assignees", "code": "invalid"}])
    );
    let twice = site
        .ask(
            "POST",
            "/pulls",
            json!({"title": "x", "head": "clash", "base": "main"}),
        )
        .await;
    assert_eq!(
        twice.json()["errors"],
        json!([{"resource": "PullRequest", "code": "custom", "message": "A pull request already exists for acme:clash."}])
    );
    site.ask(
        "PUT",
        "/contents/src/lib.rs",
        json!({"message": "x", "content": "", "sha": "0".repeat(40)}),
    )
    .await;
    let stale = site
        .ask(
            "PUT",
            "/contents/src/lib.rs",
            json!({"message": "x", "content": "", "sha": "0".repeat(40)}),
        )
        .await;
    let words = format!("src/lib.rs does not match {}", "0".repeat(40));
    Site::refused(&stale, 409, &words);
    Site::refused(
        &site
            .ask(
                "PATCH",
                "/git/refs/heads/main",
                json!({"sha": "0".repeat(40)}),
            )
            .await,
        422,
        "Object does not exist",
    );
    let feature = site.get("/git/ref/heads/feature").await.json()["object"]["sha"].clone();
    Site::refused(
        &site
            .ask("PATCH", "/git/refs/heads/main", json!({"sha": feature}))
            .await,
        422,
        "Update is not a fast forward",
    );
    Site::refused(
        &site.ask("DELETE", "/git/refs/heads/main", json!({})).await,
        422,
        "Cannot delete the default branch",
    );
    let own = site
        .ask(
            "POST",
            "/pulls",
            json!({"title": "Three", "head": "feature", "base": "main"}),
        )
        .await
        .json();
    let below = format!("/pulls/{}/reviews", own["number"]);
    let approved = site.ask("POST", &below, json!({"event": "APPROVE"})).await;
    Site::refused(&approved, 422, "Unprocessable Entity");
    assert_eq!(
        approved.json()["errors"],
        json!(["Can not approve your own pull request"])
    );
    Site::refused(
        &site.ask("PUT", "/pulls/3/merge", json!({})).await,
        405,
        "Pull Request is not mergeable",
    );
    let missing = site.send("GET", "/search/issues", "", b"").await;
    Site::refused(&missing, 422, "Validation Failed");
}

#[tokio::test]
async fn a_branch_cannot_be_created_at_an_annotated_tag() {
    let site = Site::new().await;
    let main = site.get("/git/ref/heads/main").await.json()["object"]["sha"].clone();
    let tag = json!({"tag": "v2", "message": "Two", "object": main, "type": "commit"});
    let tag = site.ask("POST", "/git/tags", tag).await.json()["sha"].clone();
    let new = |name: &str| json!({"ref": name, "sha": tag});
    let refused = site.ask("POST", "/git/refs", new("refs/heads/x")).await;
    Site::refused(&refused, 422, "Object is not a commit");
    let made = site.ask("POST", "/git/refs", new("refs/tags/x")).await;
    assert_eq!(made.status, 201);
    // A branch at the tag would be refused here.
    let world = site.world.again().await;
    let branches = world.json("list_branches", json!({})).await;
    assert_eq!(texts(&branches, "/name"), ["clash", "feature", "main"]);
}

#[tokio::test]
async fn labels_milestones_and_trees_are_refused_that_github_refuses() {
    let site = Site::new().await;
    let (long, longer) = ("x".repeat(51), "x".repeat(101));
    let milestone = json!({"resource": "Milestone", "field": "title", "code": "missing_field"});
    let label =
        |field: &str, code: &str| json!({"resource": "Label", "field": field, "code": code});
    let too_long = |field: &str, most: u32| {
        let mut error = label(field, "custom");
        error["message"] = format!("{field} is too long (maximum is {most} characters)").into();
        error
    };
    for (method, below, body, error) in [
        (
            "POST",
            "/milestones",
            json!({"title": "  "}),
            milestone.clone(),
        ),
        ("PATCH", "/milestones/1", json!({"title": ""}), milestone),
        (
            "POST",
            "/labels",
            json!({"name": long}),
            too_long("name", 50),
        ),
        (
            "POST",
            "/labels",
            json!({"name": "y", "description": longer}),
            too_long("description", 100),
        ),
        (
            "POST",
            "/labels",
            json!({"name": "y", "color": "#ffffff"}),
            label("color", "invalid"),
        ),
        (
            "POST",
            "/issues",
            json!({"title": "x", "labels": [long]}),
            label("name", "invalid"),
        ),
        (
            "POST",
            "/issues/2/labels",
            json!({"labels": [long]}),
            label("name", "invalid"),
        ),
        (
            "PATCH",
            "/issues/2",
            json!({"labels": [long]}),
            label("name", "invalid"),
        ),
    ] {
        let refused = site.ask(method, below, body).await;
        Site::refused(&refused, 422, "Validation Failed");
        assert_eq!(refused.json()["errors"], json!([error]), "{method} {below}");
    }
    let part = json!({"sub_issue_id": 3_000_000_003_u64});
    let part = site.ask("POST", "/issues/2/sub_issues", part).await;
    Site::refused(&part, 404, "The provided sub-issue does not exist");
    let site = Site::of(
        World::of(|dir| {
            standard(dir);
            let kinds = json!([
                {"number": 1, "title": "One", "type": "Bug"},
                {"number": 2, "title": "Two"},
            ]);
            write(dir, "issues.json", &kinds);
        })
        .await,
    )
    .await;
    for (wanted, expected) in [("Bug", vec![1]), ("*", vec![1]), ("Task", vec![])] {
        let list = site.get(&format!("/issues?type={wanted}")).await.json();
        let numbers = list.as_array().unwrap().iter();
        let numbers: Vec<u64> = numbers.map(|it| it["number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, expected, "{wanted}");
    }
}

#[tokio::test]
async fn the_server_bears_what_is_no_request_of_its_own() {
    let site = Site::new().await;
    let other = site
        .send("GET", "/user", "Host: example.org\r\n", b"")
        .await;
    // A request with two hosts is refused.
    assert_eq!(other.status, 421);
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01"[..],
        b"GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n",
        b"POST /repos/acme/demo/issues HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n",
        b"GET /repos/acme/demo/contents/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /raw/acme/demo/main/../../x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let text = String::from_utf8_lossy(&answer).into_owned();
        assert!(!text.starts_with("HTTP/1.1 2"), "{text}");
    }
    let deep = json!({"query": format!("{{viewer{}", "{a".repeat(9_000))}).to_string();
    let deep = site.send("POST", "/graphql", "", deep.as_bytes()).await;
    assert!(deep.json()["errors"][0]["message"].is_string());
    assert_eq!(
        site.send("GET", "/user", "", b"").await.json()["login"],
        "ann"
    );
}

#[tokio::test]
async fn lines_are_blamed_as_git_blames_them() {
    let site = Site::new().await;
    let pushed = json!({
        "branch": "feature",
        "message": "Write more",
        "files": [{"path": "src/lib.rs", "content": "//! One and two.\n\npub fn one() -> u32 {\n    1\n}\n\npub fn two() -> u32 {\n    2 * 1\n}\n"}],
    });
    site.world.text("push_files", pushed).await;
    let dir = site.world.export().await;
    for (reference, path) in [
        ("feature", "src/lib.rs"),
        ("main", "src/lib.rs"),
        ("main", "docs/moved.txt"),
        ("feature", "README.md"),
    ] {
        let query = "query($ref: String!, $path: String!) { repository(owner: \"acme\", name: \"demo\") { \
                     defaultBranchRef { name } object(expression: $ref) { __typename ... on Commit { \
                     blame(path: $path) { ranges { startingLine endingLine age commit { oid author { user { \
                     login } } } } } } ... on Tag { target { __typename } } } } }";
        let body = json!({"query": query, "variables": {"ref": reference, "path": path}});
        let answer = site
            .send("POST", "/api/graphql", "", body.to_string().as_bytes())
            .await
            .json();
        assert_eq!(answer.get("errors"), None, "{answer}");
        let found = &answer["data"]["repository"]["object"];
        assert_eq!(found["__typename"], "Commit");
        let mut ours = Vec::new();
        for range in found["blame"]["ranges"].as_array().unwrap() {
            assert!(range["commit"]["author"]["user"]["login"].is_string());
            assert!((1..=10).contains(&range["age"].as_u64().unwrap()));
            let lines =
                range["startingLine"].as_u64().unwrap()..=range["endingLine"].as_u64().unwrap();
            let id = range["commit"]["oid"].as_str().unwrap();
            ours.extend(lines.map(|line| format!("{id} {line}")));
        }
        let arguments = ["blame", "--line-porcelain", reference, "--", path];
        let Some((true, said)) = git(&dir.join("repo"), &arguments) else {
            return;
        };
        // The header of a line has its commit, the original line number and the present one.
        let theirs: Vec<String> = said
            .lines()
            .filter_map(|line| {
                let mut words = line.split(' ');
                let id = words.next().filter(|id| id.len() == 40)?;
                let (_, now) = (words.next()?, words.next()?);
                now.parse::<u64>().ok().map(|now| format!("{id} {now}"))
            })
            .collect();
        assert_eq!(ours, theirs, "{reference} {path}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_are_refused() {
    let site = Site::new().await;
    let own = format!("http://{}", site.address);
    let issue = br#"{"title": "From a page"}"#;
    // Requests that browsers send for `fetch(address, {method: "POST", mode: "no-cors", headers: {"content-type":
    // "text/plain"}, body})` from a page of another site, from one of another port, and from a file.
    let fetched = |origin: &str, from: &str| {
        format!(
            "Content-Type: text/plain\r\nOrigin: {origin}\r\nSec-Fetch-Site: {from}\r\n\
             Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: empty\r\n"
        )
    };
    for (headers, status) in [
        (fetched("https://evil.example", "cross-site"), 403),
        (fetched("http://127.0.0.1:1", "same-site"), 403),
        (fetched("null", "cross-site"), 403),
        // Each header alone causes the refusal, for any body.
        ("Origin: https://evil.example\r\n".to_owned(), 403),
        (
            "Origin: null\r\nContent-Type: application/json\r\n".to_owned(),
            403,
        ),
        (
            format!("Origin: {own}\r\nOrigin: https://evil.example\r\n"),
            403,
        ),
        ("Sec-Fetch-Site: cross-site\r\n".to_owned(), 403),
        ("Sec-Fetch-Site: same-site\r\n".to_owned(), 403),
        // Content types that pages may send without a preflight request.
        ("Content-Type: text/plain;charset=UTF-8\r\n".to_owned(), 415),
        (
            "Content-Type: application/x-www-form-urlencoded\r\n".to_owned(),
            415,
        ),
        (
            "Content-Type: multipart/form-data; boundary=x\r\n".to_owned(),
            415,
        ),
        (
            "Content-Type: Text/Plain\r\nContent-Type: application/json\r\n".to_owned(),
            415,
        ),
    ] {
        for target in ["/repos/acme/demo/issues", "/graphql"] {
            let answer = site.send("POST", target, &headers, issue).await;
            assert_eq!(answer.status, status, "{headers}");
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            let way = if status == 415 {
                "application/json"
            } else {
                "program"
            };
            assert!(text.contains(way), "{text}");
        }
    }
    // Reads are refused as well, and no page gets CORS permissions.
    let from_page = "Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n";
    for method in ["GET", "HEAD", "DELETE", "OPTIONS"] {
        let answer = site.send(method, "/user", from_page, b"").await;
        assert_eq!(answer.status, 403, "{method}");
    }
    let preflight =
        "Access-Control-Request-Method: PATCH\r\nAccess-Control-Request-Headers: content-type\r\n";
    for origin in [format!("Origin: {own}\r\n"), String::new()] {
        let answer = site
            .send("OPTIONS", "/user", &(origin + preflight), b"")
            .await;
        assert_ne!(answer.status, 200);
        let permission = "access-control-";
        assert!(
            !answer.head.to_lowercase().contains(permission),
            "{}",
            answer.head
        );
    }
    let before = site.get("/issues?state=all").await.json();
    assert_eq!(before.as_array().unwrap().len(), 3);
    // Octokit sends this content type with an empty body.
    let plain = "Content-Type: text/plain;charset=UTF-8\r\n";
    let answer = site
        .send("PUT", "/repos/acme/demo/issues/1/lock", plain, b"")
        .await;
    assert_eq!(answer.status, 204);
    // Programs are served, with any JSON content type.
    for headers in [
        "",
        "Content-Type: application/json\r\n",
        "Content-Type: application/json; charset=utf-8\r\n",
        "Content-Type: application/vnd.github+json\r\n",
        "Sec-Fetch-Site: none\r\n",
        &format!("Origin: {own}\r\nSec-Fetch-Site: same-origin\r\n"),
    ] {
        let answer = site
            .send("POST", "/repos/acme/demo/issues", headers, issue)
            .await;
        assert_eq!(answer.status, 201, "{headers}");
    }
}
