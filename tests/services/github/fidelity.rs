//! Details of answers that equal those of GitHub and its published server.

use std::path::Path;

use serde_json::{Value, json};

use crate::files;
use crate::rest::Site;
use crate::support::{Repo, World, standard, texts, write};

/// Standard world with other issues, pull requests and times.
fn with_more(world: &Path) {
    standard(world);
    write(
        world,
        "issues.json",
        &json!([
            {"number": 1, "title": "Talked about", "user": "bo", "created_at": "2024-02-01T00:00:00Z",
             "comments": [{"user": "ann", "body": "Later.", "created_at": "2024-05-02T00:00:00Z"}]},
            {"number": 2, "title": "Closed", "user": "bo", "created_at": "2024-02-01T00:00:00Z",
             "state": "closed", "closed_at": "2024-06-01T00:00:00Z"},
            {"number": 4, "title": "Told", "user": "bo", "created_at": "2024-02-01T00:00:00Z",
             "updated_at": "2024-02-03T00:00:00Z",
             "comments": [{"user": "ann", "body": "Later.", "created_at": "2024-05-02T00:00:00Z"}]},
            {"number": 5, "title": "Closed at some time", "user": "bo", "state": "closed",
             "created_at": "2024-02-01T00:00:00Z",
             "comments": [{"user": "ann", "body": "Done.", "created_at": "2024-05-03T00:00:00Z"}]},
        ]),
    );
    write(
        world,
        "pulls.json",
        &json!([
            {"number": 3, "title": "Change two", "head": "clash", "base": "main", "user": "bo",
             "created_at": "2024-03-01T00:00:00Z", "reviews": [
                {"user": "ann", "state": "APPROVED", "submitted_at": "2024-07-01T00:00:00Z"}]},
        ]),
    );
}

#[tokio::test]
async fn bytes_that_are_no_text_become_one_mark_each() {
    // Three bytes of a character of four bytes, an invalid byte, and a complete character.
    let bytes = b"a\xf0\x9f\x98\xffb\xe2\x82\xac\n";
    let make = |world: &Path| {
        let mut repo = Repo::new(world);
        repo.commit("main", "Begin", &[("a.txt", Some("x"))]);
        repo.commit_bytes("main", "Bytes", "odd.txt", bytes);
        write(
            world,
            "repository.json",
            &json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann"}),
        );
    };
    let world = World::of(make).await;
    let (_, resource) = files::read(&world, json!({"path": "odd.txt"})).await;
    let marks = "a\u{fffd}\u{fffd}\u{fffd}\u{fffd}b\u{20ac}\n";
    assert_eq!(resource["text"], marks);
}

#[tokio::test]
async fn a_file_that_is_asked_for_as_a_directory_is_null() {
    let world = World::new().await;
    let said = world
        .text("get_file_contents", json!({"path": "README.md/"}))
        .await;
    assert_eq!(said, "null");
}

#[tokio::test]
async fn teams_are_asked_of_people_and_organisations_that_are_there() {
    let site = Site::of(World::new().await).await;
    let ask = async |query: &str, variables: Value| {
        let body = json!({"query": query, "variables": variables}).to_string();
        let answer = site.send("POST", "/graphql", "", body.as_bytes()).await;
        answer.json()
    };
    let teams = "query($login:String!){user(login: $login){organizations(first: 100){nodes{login,teams(first: 100, \
                 userLogins: [$login]){nodes{name,slug,description}}}}}}";
    let own = ask(teams, json!({"login": "bo"})).await;
    assert_eq!(
        own,
        json!({"data": {"user": {"organizations": {"nodes": []}}}})
    );
    for login in ["nobody", "acme"] {
        let refused = ask(teams, json!({"login": login})).await;
        assert_eq!(refused["data"]["user"], Value::Null);
        assert_eq!(
            refused["errors"][0]["message"],
            format!("Could not resolve to a User with the login of '{login}'.")
        );
        let said = site
            .world
            .refusal("get_teams", json!({"user": login}))
            .await;
        assert!(
            said.starts_with("Failed to find teams: Could not resolve to a User"),
            "{said}"
        );
    }
    let members = "query($org:String!$teamSlug:String!){organization(login: $org){team(slug: $teamSlug){members(first: \
                   100){nodes{login}}}}}";
    let none = ask(members, json!({"org": "acme", "teamSlug": "core"})).await;
    assert_eq!(none, json!({"data": {"organization": {"team": null}}}));
    let refused = ask(members, json!({"org": "bo", "teamSlug": "core"})).await;
    assert_eq!(refused["errors"][0]["type"], "NOT_FOUND");
}

#[tokio::test]
async fn paths_with_empty_parts_are_not_written() {
    let site = Site::of(World::new().await).await;
    let body = json!({"message": "m", "content": "YQ=="});
    let errors = json!([{"resource": "Commit", "field": "path", "code": "invalid"}]);
    let malformed = "path contains a malformed path component";
    for (path, problem) in [
        ("/a", "path cannot start with a slash"),
        ("//a/b", "path cannot start with a slash"),
        ("a//b", malformed),
        ("new/", malformed),
        ("docs/", malformed),
        ("%2Fa", "path cannot start with a slash"),
    ] {
        let answer = site
            .ask("PUT", &format!("/contents/{path}"), body.clone())
            .await;
        let refusal = answer.json();
        assert_eq!(
            (answer.status, &refusal["message"]),
            (422, &json!(problem)),
            "{path}"
        );
        assert_eq!(refusal["errors"], errors, "{path}");
        let deleted = json!({"message": "m", "sha": "0".repeat(40)});
        let answer = site
            .ask("DELETE", &format!("/contents/{path}"), deleted)
            .await;
        assert_eq!(answer.status, 404, "{path}");
    }
    let made = site.ask("PUT", "/contents/new/a%20b", body).await;
    assert_eq!(made.json()["content"]["path"], "new/a b");
    let tree = json!({"tree": [{"path": "/a", "mode": "100644", "content": "a"}]});
    let refused = site.ask("POST", "/git/trees", tree).await;
    assert_eq!(
        refused.json()["message"],
        "tree.path cannot start with a slash"
    );
}

#[tokio::test]
async fn a_squash_sets_trailers_apart_unless_the_message_ends_in_some() {
    let message = async |text: &'static str| {
        let make = move |world: &Path| {
            standard(world);
            let mut repo = Repo::again(world);
            repo.branch("topic", "main");
            repo.commit_by(
                "topic",
                text,
                &[("new", Some("new\n"))],
                "Bo",
                "bo@example.org",
            );
        };
        let world = World::of(make).await;
        let made = json!({"title": "New", "head": "topic", "base": "main"});
        world.text("create_pull_request", made).await;
        let squash = json!({"pullNumber": 4, "merge_method": "squash"});
        world.text("merge_pull_request", squash).await;
        let tip = world.json("get_commit", json!({"sha": "main"})).await;
        tip["commit"]["message"].as_str().unwrap().to_owned()
    };
    let by = "Co-authored-by: Bo <bo@example.org>";
    assert_eq!(message("New").await, format!("New (#4)\n\n{by}"));
    assert_eq!(
        message("New\n\nIt is new.").await,
        format!("New (#4)\n\nIt is new.\n\n---------\n\n{by}")
    );
    assert_eq!(
        message("New\n\nIt is: new.\n\nSigned-off-by: Bo <bo@example.org>").await,
        format!("New (#4)\n\nIt is: new.\n\nSigned-off-by: Bo <bo@example.org>\n{by}")
    );
}

#[tokio::test]
async fn a_branch_cannot_stand_below_another() {
    let world = World::new().await;
    let refused = world
        .refusal(
            "create_branch",
            json!({"branch": "main/x", "from_branch": "main"}),
        )
        .await;
    assert!(refused.contains("422 Reference update failed"), "{refused}");
}

#[tokio::test]
async fn a_head_is_searched_for_by_how_it_begins() {
    let world = World::new().await;
    let found = async |query: &str| {
        let found = world
            .json("search_pull_requests", json!({"query": query}))
            .await;
        found["total_count"].as_u64().unwrap()
    };
    assert_eq!(found("head:cla").await, 1);
    assert_eq!(found("head:lash").await, 0);
    assert_eq!(found("base:mai").await, 0);
}

#[tokio::test]
async fn the_last_change_sets_the_update_time_of_an_issue() {
    let site = Site::of(World::of(with_more).await).await;
    let issue = async |number: u64| site.get(&format!("/issues/{number}")).await.json();
    for (number, updated) in [
        (1, "2024-05-02T00:00:00Z"),
        (2, "2024-06-01T00:00:00Z"),
        (3, "2024-07-01T00:00:00Z"),
        (4, "2024-02-03T00:00:00Z"),
        (5, "2024-05-03T00:00:00Z"),
    ] {
        assert_eq!(issue(number).await["updated_at"], updated, "#{number}");
    }
    assert_eq!(issue(5).await["closed_at"], "2024-05-03T00:00:00Z");
    let since = site
        .get("/issues?state=all&since=2024-05-02T00:00:00Z&sort=updated")
        .await
        .json();
    assert_eq!(
        texts(&since, "/title"),
        [
            "Change two",
            "Closed",
            "Closed at some time",
            "Talked about"
        ]
    );
}

#[tokio::test]
async fn a_conversation_is_locked_for_a_reason_that_there_is() {
    let site = Site::of(World::new().await).await;
    let lock = async |reason: Value| {
        let body = json!({"lock_reason": reason});
        site.ask("PUT", "/issues/2/lock", body).await
    };
    let refused = lock(json!("boring")).await;
    assert_eq!(refused.status, 422);
    assert_eq!(
        refused.json()["message"],
        "Invalid request.\n\n\"boring\" is not a member of [\"off-topic\", \"too heated\", \"resolved\", \"spam\"]."
    );
    assert_eq!(site.get("/issues/2").await.json()["locked"], false);
    for reason in [json!("too heated"), Value::Null] {
        assert_eq!(lock(reason).await.status, 204);
    }
    assert_eq!(site.get("/issues/2").await.json()["locked"], true);
}

#[tokio::test]
async fn the_language_of_the_repository_is_the_one_of_most_bytes() {
    let site = Site::of(World::new().await).await;
    assert_eq!(site.get("").await.json()["language"], "Rust");
    let body = json!({"message": "m", "content": "eA=="});
    site.ask("PUT", "/contents/short.py", body).await;
    assert_eq!(site.get("").await.json()["language"], "Rust");
    let long = json!({"path": "long.py", "content": "x = 1\n".repeat(100), "message": "m", "branch": "main"});
    site.world.text("create_or_update_file", long).await;
    assert_eq!(site.get("").await.json()["language"], "Python");
    let languages = site.get("/languages").await.json();
    let names: Vec<&String> = languages.as_object().unwrap().keys().collect();
    assert_eq!(names, ["Python", "Rust"]);
}
