//! Search with GitHub's syntax.

use serde_json::json;

use crate::support::{Repo, World, standard, write};

#[tokio::test]
async fn issues_are_found_by_words_and_qualifiers() {
    let world = World::new().await;
    for (query, expected) in [
        ("three", vec![2]),
        ("thr", vec![]),
        ("comments:0 \"please adding\"", vec![]),
        ("\"please adding\"", vec![2]),
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
    // Qualifiers do not count towards the maximum length of a query.
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

#[tokio::test]
async fn reviews_count_by_what_each_reviewer_said_last() {
    let world = World::of(|dir| {
        standard(dir);
        write(
            dir,
            "repository.json",
            &json!({"owner": "acme", "name": "demo", "viewer": "ann", "protected_branches": {"clash": {"required_approvals": 1}}}),
        );
        let review = |user: &str, state: &str| {
            let submitted = (state != "PENDING").then_some("2024-04-01T00:00:00Z");
            json!({"user": user, "state": state, "body": "b", "submitted_at": submitted})
        };
        let (no, yes) = (review("bo", "CHANGES_REQUESTED"), review("bo", "APPROVED"));
        let reviews = [
            json!([no, yes]),
            json!([yes, no]),
            json!([yes, review("ann", "CHANGES_REQUESTED"), review("bo", "COMMENTED")]),
            json!([review("acme", "CHANGES_REQUESTED")]),
            json!([review("ann", "PENDING")]),
            json!([review("bo", "COMMENTED")]),
            json!([]),
            json!([yes]),
        ];
        let repo = Repo::again(dir);
        let pulls = reviews.iter().enumerate().map(|(index, reviews)| {
            let head = format!("topic{index}");
            repo.branch(&head, "feature");
            let base = if index < 6 { "main" } else { "clash" };
            json!({"number": 10 + index, "title": "T", "user": "acme", "head": head, "base": base, "reviews": reviews})
        });
        write(dir, "pulls.json", &pulls.collect());
    })
    .await;
    for (asked, expected) in [
        ("review:approved", vec![10, 17]),
        ("review:changes_requested", vec![11, 12]),
        ("review:required", vec![16]),
        ("review:none", vec![14, 16]),
        ("review:other", vec![]),
        ("reviewed-by:acme", vec![13]),
        // The pending review of #14 does not count.
        ("reviewed-by:ann", vec![12]),
    ] {
        let query = json!({"query": format!("sort:created-asc {asked}")});
        let found = world.json("search_pull_requests", query).await;
        let items = found["items"].as_array().cloned().unwrap_or_default();
        let numbers: Vec<u64> = items
            .iter()
            .map(|it| it["number"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, expected, "{asked}");
    }
}
