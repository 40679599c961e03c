//! Search with GitHub's syntax.

use serde_json::json;

use crate::support::World;

#[tokio::test]
async fn issues_are_found_by_words_and_qualifiers() {
    let world = World::new().await;
    for (query, expected) in [
        ("three", vec![2]),
        ("\"is missing\" is:open", vec![2]),
        ("is:closed", vec![1]),
        ("label:bug author:bo", vec![2]),
        ("-label:bug", vec![1]),
        ("will in:title", vec![]),
        ("will in:comments", vec![2]),
        ("created:>=2024-02-01", vec![2]),
        ("created:2024-01-01..2024-01-31", vec![1]),
        ("commenter:@me", vec![2]),
        ("comments:>0", vec![2]),
        ("repo:acme/other repo:acme/demo is:closed", vec![1]),
        ("label:bug OR is:closed", vec![2, 1]),
        ("(label:bug)", vec![2]),
        ("-(label:bug OR label:none)", vec![1]),
        ("is:open AND (label:none OR author:bo)", vec![2]),
        ("sort:created-asc", vec![1, 2]),
        ("sort:created-desc", vec![2, 1]),
        ("foo:bar", vec![]),
        ("status:success", vec![]),
    ] {
        let found = world.json("search_issues", json!({"query": query})).await;
        let items = found.get("items").cloned().unwrap_or(json!([]));
        let numbers: Vec<u64> = items
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["number"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, expected, "{query}");
        assert_eq!(found["total_count"], expected.len(), "{query}");
    }
    assert_eq!(
        world
            .text("search_issues", json!({"query": "nothing at all"}))
            .await,
        r#"{"total_count":0,"incomplete_results":false}"#
    );
    let url = "https://api.github.com/search/issues?page=1&per_page=30&q=";
    let long = "x".repeat(257);
    for (query, encoded, message) in [
        (
            "repo:acme/other",
            "is%3Aissue+repo%3Aacme%2Fother".to_owned(),
            "The listed users and repositories cannot be searched either because the resources do not exist or you \
             do not have permission to view them.",
        ),
        (
            long.as_str(),
            format!("repo%3Aacme%2Fdemo+is%3Aissue+{long}"),
            "The search is longer than 256 characters.",
        ),
    ] {
        let refused = world.error("search_issues", json!({"query": query})).await;
        let expected = format!(
            "failed to search issues: GET {url}{encoded}: 422 Validation Failed [{{Resource:Search Field:q \
             Code:invalid Message:{message}}}]"
        );
        assert!(refused.contains(&expected), "{refused}");
    }
    // Qualifiers do not count.
    let many = format!("{} three", "label:bug ".repeat(40));
    let found = world.json("search_issues", json!({"query": many})).await;
    assert_eq!(found["total_count"], 1);
    let pulls = world
        .json(
            "search_pull_requests",
            json!({"query": "head:clash is:unmerged"}),
        )
        .await;
    assert_eq!(pulls["items"][0]["number"], 3);
}

#[tokio::test]
async fn code_users_and_repositories_are_found() {
    let world = World::new().await;
    let code = world
        .json(
            "search_code",
            json!({"query": "pub fn two extension:rs repo:acme/demo"}),
        )
        .await;
    assert_eq!(code["items"][0]["path"], "src/lib.rs");
    let code = world
        .json("search_code", json!({"query": "path:docs second"}))
        .await;
    assert_eq!(code["items"][0]["name"], "moved.txt");
    for (query, expected) in [
        ("std::fs", 0),
        ("http://x.y", 0),
        ("foo:bar", 0),
        ("fn AND nowhere", 0),
        ("second OR nowhere", 1),
        ("(second OR two) extension:rs", 1),
    ] {
        let found = world.json("search_code", json!({"query": query})).await;
        assert_eq!(found["total_count"], expected, "{query}");
    }
    let users = world.json("search_users", json!({"query": "lee"})).await;
    assert_eq!(users["items"][0]["login"], "ann");
    let found = world
        .text("search_repositories", json!({"query": "demo"}))
        .await;
    assert!(found.contains(r#""full_name":"acme/demo""#), "{found}");
    let me = world.text("get_me", json!({})).await;
    assert!(me.starts_with(r#"{"login":"ann","id":"#), "{me}");
}
