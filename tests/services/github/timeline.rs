//! Timelines and events of issues and pull requests, which are derived from the state.

use mcpmark_github::rest::Rest;
use mcpmark_service::HttpRequest;
use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{CLOCK, World, standard, texts, write};

/// World in which issues, comments, reviews and commits mention each other.
///
/// #1 is closed, #2 is closed by a commit, #4 by the text of the pull request #5, and #6 by a commit of that pull
/// request.
async fn story() -> Site {
    let world = World::of(|dir| {
        standard(dir);
        let made = |day: u64| format!("2024-03-{day:02}T00:00:00Z");
        write(
            dir,
            "pulls.json",
            &json!([
                {"number": 3, "title": "Change two #1", "head": "clash", "base": "main", "user": "bo", "created_at": made(1),
                 "body": "Not `#1`, not #3, not other/demo#2.",
                 "reviews": [
                    {"id": 1, "user": "ann", "state": "COMMENTED", "body": "As GH-1 said", "submitted_at": made(3)},
                    {"id": 2, "user": "bo", "state": "PENDING", "body": "#4"}],
                 "review_comments": [
                    {"id": 7, "user": "bo", "body": "#2?", "path": "src/lib.rs", "line": 5, "created_at": made(2)},
                    {"id": 8, "user": "ann", "body": "#2!", "path": "src/lib.rs", "line": 5, "created_at": made(4), "in_reply_to": 7}]},
            ]),
        );
    })
    .await;
    let call = async |tool: &str, arguments: Value| world.text(tool, arguments).await;
    let file = |name: &str| json!([{"path": name, "content": "x\n"}]);
    call("create_issue", json!({"title": "Four", "body": "Like #2"})).await;
    call("create_branch", json!({"branch": "work"})).await;
    let pushed = |message: &str, branch: &str, file: Value| json!({"branch": branch, "message": message, "files": file});
    call("push_files", pushed("Prepare #1", "work", file("a"))).await;
    let opened =
        json!({"title": "Five", "head": "work", "base": "main", "body": "Fixes #4 and #2"});
    call("create_pull_request", opened).await;
    call("create_issue", json!({"title": "Six"})).await;
    call("push_files", pushed("Fixes #6", "work", file("b"))).await;
    call(
        "push_files",
        pushed("Mend\n\nFixes #2; see #1", "main", file("c")),
    )
    .await;
    let comment =
        json!({"issue_number": 1, "body": "https://github.com/acme/demo/pull/5#issuecomment-1"});
    call("add_issue_comment", comment).await;
    call("merge_pull_request", json!({"pullNumber": 5})).await;
    let site = Site::of(world).await;
    let gone = site.ask("DELETE", "/git/refs/heads/work", json!({})).await;
    assert_eq!(gone.status, 204);
    site
}

/// Formats an event as one line: its kind, its actor, and the title of its commit or the number of its issue.
async fn told(site: &Site, event: &Value) -> String {
    let by = ["actor", "user"]
        .iter()
        .find_map(|key| event[key]["login"].as_str());
    let sha = event["commit_id"].as_str().or(event["sha"].as_str());
    let about = match (sha, event["source"]["issue"]["number"].as_u64()) {
        (Some(sha), _) => {
            let commit = site.get(&format!("/commits/{sha}")).await.json();
            let message = commit["commit"]["message"].as_str().unwrap();
            message.lines().next().unwrap().to_owned()
        }
        (None, Some(number)) => format!("#{number}"),
        (None, None) => "-".to_owned(),
    };
    let name = event["event"].as_str().unwrap();
    format!("{name} {} {about}", by.unwrap_or("-"))
}

async fn all_told(site: &Site, below: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for event in site.get(below).await.json().as_array().unwrap() {
        lines.push(told(site, event).await);
    }
    lines
}

#[tokio::test]
async fn a_timeline_tells_who_mentions_an_issue_and_what_closed_it() {
    let site = story().await;
    let merge = "Merge pull request #5 from acme/work";
    let merged = [
        format!("referenced ann {merge}"),
        format!("merged ann {merge}"),
        "closed ann -".to_owned(),
    ];
    let expected: [(u64, Vec<&str>); 6] = [
        (
            1,
            vec![
                "closed - -",
                "cross-referenced ann #3",
                "referenced ann Prepare #1",
                "referenced ann Mend",
                "commented ann -",
            ],
        ),
        (
            2,
            vec![
                "commented ann -",
                "cross-referenced bo #3",
                "cross-referenced ann #4",
                "cross-referenced ann #5",
                "referenced ann Mend",
                "closed ann Mend",
            ],
        ),
        (
            3,
            vec![
                "committed - Change two",
                "line-commented - -",
                "reviewed ann Change two",
            ],
        ),
        (4, vec!["cross-referenced ann #5", "closed ann -"]),
        (
            5,
            vec![
                "committed - Prepare #1",
                "committed - Fixes #6",
                "cross-referenced ann #1",
                &merged[0],
                &merged[1],
                &merged[2],
            ],
        ),
        (6, vec!["referenced ann Fixes #6", "closed ann Fixes #6"]),
    ];
    for (number, expected) in expected {
        let below = format!("/issues/{number}/timeline");
        assert_eq!(all_told(&site, &below).await, expected, "#{number}");
    }
    // A final state gives the same answers.
    let (tree, store) = (site.world.state().await, &site.world.store);
    let mut rest = Rest::open(&tree, &**store, site.world.home.path(), CLOCK).unwrap();
    for below in [
        "/issues/1/timeline",
        "/issues/2/timeline",
        "/issues/5/timeline",
        "/issues/events",
    ] {
        let request = HttpRequest {
            method: "GET".to_owned(),
            target: format!("/repos/acme/demo{below}"),
            ..HttpRequest::default()
        };
        let answer: Value =
            serde_json::from_slice(&rest.answer(&request, CLOCK).unwrap().body).unwrap();
        let ours = site.get(below).await.json();
        assert_eq!(texts(&answer, "/event"), texts(&ours, "/event"), "{below}");
        // Cross-references in timelines contain the repository, whose `updated_at` is the present time.
        if below.ends_with("/events") {
            assert_eq!(answer, ours);
        }
    }
}

#[tokio::test]
async fn events_have_ids_and_pages() {
    let site = story().await;
    assert_eq!(
        all_told(&site, "/issues/2/events").await,
        ["referenced ann Mend", "closed ann Mend"]
    );
    let all = site.get("/issues/events?per_page=100").await.json();
    let times = texts(&all, "/created_at");
    assert!(times.is_sorted_by(|one, next| one >= next), "{times:?}");
    let mut ids: Vec<u64> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids.len(), 11);
    for (id, event) in ids.iter().zip(all.as_array().unwrap()) {
        let one = site.get(&format!("/issues/events/{id}")).await;
        assert_eq!((one.status, &one.json()), (200, event));
        assert_eq!(
            event["url"],
            format!("https://api.github.com/repos/acme/demo/issues/events/{id}")
        );
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 11);
    let mut paged = Vec::new();
    for page in 1..=2 {
        let answer = site
            .get(&format!("/issues/events?per_page=6&page={page}"))
            .await;
        assert!(answer.header("link").is_some());
        paged.extend(answer.json().as_array().unwrap().clone());
    }
    assert_eq!(Value::from(paged), all);
    let second = site.get("/issues/1/timeline?per_page=2&page=2").await;
    assert_eq!(second.json()[0]["event"], "referenced");
    for below in [
        "/issues/99/timeline",
        "/issues/99/events",
        "/issues/x/timeline",
        "/issues/events/1",
        "/issues/events/x",
    ] {
        let answer = site.get(below).await;
        assert_eq!(
            (answer.status, &answer.json()["message"]),
            (404, &json!("Not Found")),
            "{below}"
        );
    }
}

#[tokio::test]
async fn events_have_the_fields_of_github_in_its_order() {
    let site = story().await;
    let issue_event =
        "id node_id url actor event commit_id commit_url created_at performed_via_github_app";
    let closed = "id node_id url actor event commit_id commit_url created_at state_reason performed_via_github_app";
    for (below, name, expected) in [
        (
            "/issues/2/timeline",
            "commented",
            "url html_url issue_url id node_id user created_at updated_at body \
          author_association reactions performed_via_github_app event actor",
        ),
        (
            "/issues/2/timeline",
            "cross-referenced",
            "actor created_at updated_at source event",
        ),
        ("/issues/2/timeline", "referenced", issue_event),
        ("/issues/2/timeline", "closed", closed),
        ("/issues/2/events", "closed", closed),
        ("/issues/5/timeline", "merged", issue_event),
        (
            "/issues/5/timeline",
            "committed",
            "sha node_id url html_url author committer tree message parents \
          verification event",
        ),
        (
            "/issues/3/timeline",
            "reviewed",
            "id node_id user body commit_id submitted_at state html_url \
          pull_request_url author_association _links event",
        ),
        (
            "/issues/3/timeline",
            "line-commented",
            "event node_id comments",
        ),
        (
            "/issues/events",
            "merged",
            "id node_id url actor event commit_id commit_url created_at issue \
          performed_via_github_app",
        ),
    ] {
        let all = site.get(below).await.json();
        let event = all
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["event"] == name);
        let keys: Vec<&String> = event.unwrap().as_object().unwrap().keys().collect();
        let expected: Vec<&str> = expected.split_whitespace().collect();
        assert_eq!(keys, expected, "{below} {name}");
    }
    let all = site.get("/issues/4/timeline").await.json();
    let source = &all[0]["source"];
    assert_eq!(source["type"], "issue");
    assert_eq!(source["issue"]["repository"]["full_name"], "acme/demo");
    assert!(source["issue"]["pull_request"].is_object());
    let reviewed = site.get("/issues/3/timeline").await.json();
    assert_eq!(reviewed[2]["state"], "commented");
    let thread = reviewed[1]["comments"].as_array().unwrap();
    assert_eq!(thread.len(), 2);
}

#[tokio::test]
async fn a_thread_has_the_same_node_id_in_a_timeline_and_in_the_tools() {
    let make = |dir: &std::path::Path| {
        standard(dir);
        let comment = |id: u64, answered: Option<u64>| json!({"id": id, "user": "bo", "body": "?", "path": "src/lib.rs", "line": 5, "in_reply_to": answered});
        let pull = json!({"number": 3, "title": "Change two", "head": "clash", "base": "main", "user": "bo",
                          "review_comments": [comment(7, None), comment(8, Some(7))]});
        write(dir, "pulls.json", &json!([pull]));
    };
    let site = Site::of(World::as_of("v1.10.1", make, None).await).await;
    let timeline = site.get("/issues/3/timeline").await.json();
    let mut events = timeline.as_array().unwrap().iter();
    let event = events.find(|it| it["event"] == "line-commented").unwrap();
    let read = json!({"pullNumber": 3, "method": "get_review_comments"});
    let threads = site.world.json("pull_request_read", read).await;
    assert_eq!(event["node_id"], threads["review_threads"][0]["id"]);
    let resolve =
        json!({"pullNumber": 3, "method": "resolve_thread", "threadId": event["node_id"]});
    let said = site.world.text("pull_request_review_write", resolve).await;
    assert_eq!(said, "review thread resolved successfully");
}

/// Sends a GraphQL query about the repository and returns the answer.
async fn asked(site: &Site, inside: &str) -> Value {
    let query = format!("{{ repository(owner: \"acme\", name: \"demo\") {{ {inside} }} }}");
    let body = json!({"query": query}).to_string();
    site.send("POST", "/api/graphql", "", body.as_bytes())
        .await
        .json()
}

#[tokio::test]
async fn graphql_tells_the_same_in_pages_and_by_types() {
    let site = story().await;
    let subject = "__typename ... on Issue { number } ... on PullRequest { number merged }";
    let issue = |number: u64| json!({"__typename": "Issue", "number": number});
    let pull = |number: u64, merged: bool| json!({"__typename": "PullRequest", "number": number, "merged": merged});
    let mentioned =
        |source: Value, closes: bool| json!({"source": source, "willCloseTarget": closes});
    let closed_by = |closer: Value| json!([{"actor": {"login": "ann"}, "stateReason": "COMPLETED", "closer": closer}]);
    let cross = format!("... on CrossReferencedEvent {{ source {{ {subject} }} willCloseTarget }}");
    let closed = format!(
        "... on ClosedEvent {{ actor {{ login }} stateReason closer {{ {subject} ... on Commit {{ messageHeadline }} }} }}"
    );
    for (what, arguments, nodes, expected) in [
        (
            "issue(number: 2)",
            "first: 9, itemTypes: [CROSS_REFERENCED_EVENT]",
            &cross,
            json!([
                mentioned(pull(3, false), false),
                mentioned(issue(4), false),
                mentioned(pull(5, true), false)
            ]),
        ),
        (
            "issue(number: 4)",
            "last: 9, itemTypes: CROSS_REFERENCED_EVENT",
            &cross,
            json!([mentioned(pull(5, true), true)]),
        ),
        (
            "issue(number: 2)",
            "last: 1, itemTypes: [CROSS_REFERENCED_EVENT]",
            &cross,
            json!([mentioned(pull(5, true), false)]),
        ),
        (
            "issue(number: 2)",
            "first: 9, itemTypes: [LABELED_EVENT]",
            &cross,
            json!([]),
        ),
        (
            "issue(number: 1)",
            "first: 9, since: \"2025-01-01T00:00:00Z\", skip: 1",
            &"__typename".to_owned(),
            json!([{"__typename": "ReferencedEvent"}, {"__typename": "IssueComment"}]),
        ),
        (
            "issue(number: 2)",
            "first: 9, itemTypes: [CLOSED_EVENT]",
            &closed,
            closed_by(json!({"__typename": "Commit", "messageHeadline": "Mend"})),
        ),
        (
            "issue(number: 4)",
            "first: 9, itemTypes: [CLOSED_EVENT]",
            &closed,
            closed_by(pull(5, true)),
        ),
        (
            "pullRequest(number: 5)",
            "first: 9",
            &"__typename".to_owned(),
            json!(
                [
                    "PullRequestCommit",
                    "PullRequestCommit",
                    "CrossReferencedEvent",
                    "ReferencedEvent",
                    "MergedEvent",
                    "ClosedEvent"
                ]
                .map(|name| json!({"__typename": name}))
            ),
        ),
        (
            "pullRequest(number: 5)",
            "first: 9, itemTypes: [MERGED_EVENT, PULL_REQUEST_COMMIT]",
            &"... on MergedEvent { mergeRefName } ... on PullRequestCommit { commit { message } }"
                .to_owned(),
            json!([{"commit": {"message": "Prepare #1"}}, {"commit": {"message": "Fixes #6"}}, {"mergeRefName": "main"}]),
        ),
        (
            "pullRequest(number: 3)",
            "first: 9, itemTypes: [PULL_REQUEST_REVIEW, ISSUE_COMMENT]",
            &"... on PullRequestReview { state body }".to_owned(),
            json!([{"state": "COMMENTED", "body": "As GH-1 said"}]),
        ),
    ] {
        let query =
            format!("{what} {{ timelineItems({arguments}) {{ totalCount nodes {{ {nodes} }} }} }}");
        let answer = asked(&site, &query).await;
        assert_eq!(answer.get("errors"), None, "{query}: {answer}");
        let repository = answer["data"]["repository"].as_object().unwrap();
        let items = &repository.values().next().unwrap()["timelineItems"];
        assert_eq!(items["nodes"], expected, "{query}");
    }
    for (place, connection, numbers) in [
        (
            "pullRequest(number: 5)",
            "closingIssuesReferences(first: 9)",
            json!([4]),
        ),
        (
            "pullRequest(number: 3)",
            "closingIssuesReferences(first: 9)",
            json!([]),
        ),
        (
            "issue(number: 4)",
            "closedByPullRequestsReferences(first: 9)",
            json!([]),
        ),
        (
            "issue(number: 4)",
            "closedByPullRequestsReferences(last: 9, includeClosedPrs: true)",
            json!([5]),
        ),
    ] {
        let nodes = "nodes { number repository { nameWithOwner owner { login } } }";
        let query = format!("{place} {{ found: {connection} {{ totalCount {nodes} }} }}");
        let answer = asked(&site, &query).await;
        assert_eq!(answer.get("errors"), None, "{query}: {answer}");
        let repository = answer["data"]["repository"].as_object();
        let found = &repository.unwrap().values().next().unwrap()["found"];
        let nodes = found["nodes"].as_array().unwrap();
        let found: Vec<&Value> = nodes.iter().map(|node| &node["number"]).collect();
        assert_eq!(json!(found), numbers, "{query}");
        let here = |node: &Value| node["repository"]["nameWithOwner"] == "acme/demo";
        assert!(nodes.iter().all(here), "{query}");
    }
    let (mut after, mut seen) = (String::new(), Vec::new());
    loop {
        let query = format!(
            "issue(number: 2) {{ timelineItems(first: 4{after}) {{ pageInfo {{ hasNextPage endCursor }} edges {{ node {{ \
             __typename id }} }} }} }}"
        );
        let answer = asked(&site, &query).await;
        let items = &answer["data"]["repository"]["issue"]["timelineItems"];
        seen.extend(items["edges"].as_array().unwrap().clone());
        if items["pageInfo"]["hasNextPage"] == false {
            break;
        }
        after = format!(", after: {}", items["pageInfo"]["endCursor"]);
    }
    assert_eq!(seen.len(), 6);
    for (arguments, words) in [
        (
            "",
            "You must provide a `first` or `last` value to properly paginate the `timelineItems` connection.",
        ),
        (
            "(first: 101)",
            "Requesting 101 records on the `timelineItems` connection exceeds the `first` limit of 100 records.",
        ),
        (
            "(first: 1, itemTypes: [NOTHING])",
            "Argument 'itemTypes' on Field 'timelineItems' has an invalid value (\"NOTHING\").",
        ),
        (
            "(first: 1, after: \"x\")",
            "`x` does not appear to be a valid cursor.",
        ),
    ] {
        let answer = asked(
            &site,
            &format!("issue(number: 2) {{ timelineItems{arguments} {{ totalCount }} }}"),
        )
        .await;
        assert_eq!(answer["errors"][0]["message"], words);
    }
}

#[tokio::test]
async fn the_commit_that_closed_many_issues_in_one_second_is_found() {
    const MANY: usize = 2_000;
    let at = "2024-04-01T00:00:00Z";
    let world = World::of(|dir| {
        standard(dir);
        let filling = "so it is said\n".repeat(600);
        let issue = |number: usize| json!({"number": number, "title": "x", "user": "ann", "state": "closed", "created_at": "2024-03-01T00:00:00Z", "closed_at": at});
        let pull = |number: usize| json!({"number": MANY + number, "title": "x", "head": "clash", "base": "main", "user": "bo", "state": "closed",
            "created_at": "2024-03-01T00:00:00Z", "closed_at": at, "merged_at": at, "body": format!("{filling}\nFixes #{number}")});
        let issues: Vec<Value> = (1..=MANY).map(issue).collect();
        let pulls: Vec<Value> = (1..=MANY).map(pull).collect();
        write(dir, "issues.json", &json!(issues));
        write(dir, "pulls.json", &json!(pulls));
    })
    .await;
    let site = Site::of(world).await;
    let events = site.get("/issues/events?per_page=100").await.json();
    assert_eq!(events.as_array().unwrap().len(), 100);
    for number in [1, MANY] {
        let query = format!(
            "issue(number: {number}) {{ timelineItems(last: 1, itemTypes: [CLOSED_EVENT]) {{ nodes {{ \
             ... on ClosedEvent {{ closer {{ ... on PullRequest {{ number }} }} }} }} }} }}"
        );
        let answer = asked(&site, &query).await;
        let items = &answer["data"]["repository"]["issue"]["timelineItems"];
        assert_eq!(
            items["nodes"][0]["closer"]["number"],
            MANY + number,
            "{answer}"
        );
    }
}
