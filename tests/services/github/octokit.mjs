// A whole story by GitHub's own client, at the address that is its only argument. Throws where something is not as
// on GitHub; says what it has seen otherwise.

import assert from "node:assert/strict";
import { Octokit } from "@octokit/rest";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const octokit = new Octokit({ baseUrl: process.argv[2], auth: "none", log });
const at = { owner: "acme", repo: "demo" };
const { rest } = octokit;
const text = (content) => Buffer.from(content, "base64").toString("utf8");
const base64 = (content) => Buffer.from(content, "utf8").toString("base64");

let checked = 0;
async function refused(status, message, call) {
  await assert.rejects(call, (error) => {
    assert.equal(error.status, status, error.message);
    assert.match(error.message, message);
    return true;
  });
  checked += 1;
}

// The repository and its history.
const { data: repository } = await rest.repos.get(at);
assert.equal(repository.full_name, "acme/demo");
assert.equal((await rest.users.getAuthenticated()).data.login, "ann");
const branches = await octokit.paginate(rest.repos.listBranches, { ...at, per_page: 1 });
assert.deepEqual(branches.map((it) => it.name), ["clash", "feature", "main"]);
const commits = await octokit.paginate(rest.repos.listCommits, { ...at, per_page: 2 });
assert.equal(commits.length, 4);
assert.equal(commits[3].commit.message, "Begin");
const { data: compared } = await rest.repos.compareCommitsWithBasehead({ ...at, basehead: "main...feature" });
assert.equal(compared.status, "diverged");
assert.deepEqual(compared.files.map((it) => it.filename), ["README.md", "src/three.rs"]);
const { data: tree } = await rest.git.getTree({ ...at, tree_sha: "main", recursive: "1" });
assert.deepEqual(tree.tree.map((it) => it.path), ["README.md", "docs", "docs/moved.txt", "src", "src/lib.rs"]);
const { data: commit } = await rest.repos.getCommit({ ...at, ref: "v1" });
assert.equal(commit.files[0].previous_filename, "docs/notes.txt");
assert.equal((await rest.repos.listTags(at)).data[0].name, "v1");

// Branches and files.
const main = (await rest.git.getRef({ ...at, ref: "heads/main" })).data.object.sha;
await rest.git.createRef({ ...at, ref: "refs/heads/work/four", sha: main });
const { data: readme } = await rest.repos.getContent({ ...at, path: "README.md" });
assert.equal(text(readme.content), "# Demo\n\nA demo.\n");
const file = { ...at, path: "README.md", branch: "work/four", message: "Tell of four" };
await rest.repos.createOrUpdateFileContents({ ...file, content: base64("# Demo\n\nFour.\n"), sha: readme.sha });
await refused(409, /does not match/, rest.repos.createOrUpdateFileContents({ ...file, content: "", sha: "0".repeat(40) }));
await refused(422, /"sha" wasn't supplied/, rest.repos.createOrUpdateFileContents({ ...file, content: "" }));
const { data: made } = await rest.repos.createOrUpdateFileContents({
  ...file, path: "src/four \u00e9.rs", content: base64("pub fn four() -> u32 {\n    4\n}\n"), message: "Add four",
});
assert.equal(made.content.path, "src/four \u00e9.rs");
const raw = await rest.repos.getContent({
  ...at, path: "src/four \u00e9.rs", ref: "work/four", mediaType: { format: "raw" },
});
assert.match(raw.data, /four/);
await rest.repos.deleteFile({ ...at, path: "docs/moved.txt", branch: "work/four", message: "No notes", sha:
  (await rest.repos.getContent({ ...at, path: "docs/moved.txt" })).data.sha });

// Issues, labels and milestones.
await rest.issues.createLabel({ ...at, name: "good first issue", color: "7057ff", description: "For beginners" });
await refused(422, /already_exists/, rest.issues.createLabel({ ...at, name: "BUG", color: "000000" }));
const { data: milestone } = await rest.issues.createMilestone({ ...at, title: "Later", due_on: "2025-03-01T00:00:00Z" });
const { data: issue } = await rest.issues.create({
  ...at, title: "Four is missing", body: "Add it.", labels: ["good first issue"], assignees: ["bo"],
  milestone: milestone.number,
});
assert.equal(issue.number, 4);
assert.equal(issue.milestone.title, "Later");
await rest.issues.addLabels({ ...at, issue_number: 4, labels: ["bug"] });
await rest.issues.removeLabel({ ...at, issue_number: 4, name: "good first issue" });
assert.deepEqual((await rest.issues.listLabelsOnIssue({ ...at, issue_number: 4 })).data.map((it) => it.name), ["bug"]);
const { data: comment } = await rest.issues.createComment({ ...at, issue_number: 4, body: "On it." });
await rest.issues.updateComment({ ...at, comment_id: comment.id, body: "On it now." });
await rest.reactions.createForIssueComment({ ...at, comment_id: comment.id, content: "rocket" });
assert.equal((await rest.issues.getComment({ ...at, comment_id: comment.id })).data.reactions.rocket, 1);
await rest.issues.addSubIssue({ ...at, issue_number: 2, sub_issue_id: issue.id });
assert.equal((await rest.issues.listSubIssues({ ...at, issue_number: 2 })).data[0].number, 4);
const all = await octokit.paginate(rest.issues.listForRepo, { ...at, state: "all", per_page: 1 });
assert.deepEqual(all.map((it) => it.number), [4, 3, 2, 1]);
await refused(404, /Not Found/, rest.issues.get({ ...at, issue_number: 99 }));
await refused(422, /"title" wasn't supplied/, octokit.request("POST /repos/{owner}/{repo}/issues", at));

// A pull request, its review and its merge.
const { data: pull } = await rest.pulls.create({
  ...at, title: "Add four", head: "work/four", base: "main", body: "Fixes #4", draft: true,
});
assert.equal(pull.draft, true);
await refused(422, /A pull request already exists for acme:work\/four/, rest.pulls.create({
  ...at, title: "Again", head: "work/four", base: "main",
}));
const number = { ...at, pull_number: pull.number };
await refused(405, /still a draft/, rest.pulls.merge(number));
await octokit.graphql(
  "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }",
  { id: pull.node_id },
);
const files = await octokit.paginate(rest.pulls.listFiles, { ...number, per_page: 1 });
assert.deepEqual(files.map((it) => it.status), ["modified", "removed", "added"]);
assert.equal((await rest.pulls.listCommits(number)).data.length, 3);
await rest.pulls.requestReviewers({ ...number, reviewers: ["bo"] });
assert.equal((await rest.pulls.get(number)).data.requested_reviewers[0].login, "bo");
await refused(422, /Can not approve your own pull request/, rest.pulls.createReview({ ...number, event: "APPROVE" }));
const { data: review } = await rest.pulls.createReview({
  ...number, body: "Looks right", comments: [{ path: "README.md", line: 3, side: "RIGHT", body: "Say more?" }],
});
assert.equal(review.state, "PENDING");
await rest.pulls.submitReview({ ...number, review_id: review.id, event: "COMMENT", body: "Looks right" });
const { data: [line] } = await rest.pulls.listReviewComments(number);
const { data: answer } = await rest.pulls.createReplyForReviewComment({ ...number, comment_id: line.id, body: "Yes." });
assert.equal(answer.in_reply_to_id, line.id);
const diff = await rest.pulls.get({ ...number, mediaType: { format: "diff" } });
assert.match(diff.data, /^diff --git a\/README\.md b\/README\.md/);
await refused(404, /Not Found/, rest.pulls.checkIfMerged(number));
await refused(409, /Head branch was modified/, rest.pulls.merge({ ...number, sha: main }));
await rest.pulls.merge({ ...number, merge_method: "squash", commit_title: "Four (#5)" });
assert.equal((await rest.pulls.checkIfMerged(number)).status, 204);
const { data: closed } = await rest.issues.get({ ...at, issue_number: 4 });
assert.equal(closed.state, "closed");
assert.equal(closed.state_reason, "completed");
await rest.git.deleteRef({ ...at, ref: "heads/work/four" });
await refused(404, /Branch not found/, rest.repos.getBranch({ ...at, branch: "work/four" }));

// A conflicting pull request, a release, a search.
await refused(405, /not mergeable/, rest.pulls.merge({ ...at, pull_number: 3 }));
assert.equal((await rest.pulls.get({ ...at, pull_number: 3 })).data.mergeable_state, "dirty");
const { data: approval } = await rest.pulls.createReview({ ...at, pull_number: 3, event: "REQUEST_CHANGES", body: "Rebase" });
await rest.pulls.dismissReview({ ...at, pull_number: 3, review_id: approval.id, message: "Done elsewhere" });
await rest.pulls.update({ ...at, pull_number: 3, state: "closed" });
await rest.issues.update({ ...at, issue_number: 2, state: "closed", state_reason: "not_planned" });
const { data: release } = await rest.repos.createRelease({ ...at, tag_name: "v2", name: "Two", body: "Four is in." });
assert.equal((await rest.repos.getLatestRelease(at)).data.id, release.id);
assert.ok((await rest.git.getRef({ ...at, ref: "tags/v2" })).data.object.sha);
const issues = await octokit.paginate(rest.search.issuesAndPullRequests, {
  q: "repo:acme/demo is:closed four", per_page: 1, advanced_search: "true",
});
assert.deepEqual(issues.map((it) => it.number).sort(), [4, 5]);
const { data: code } = await rest.search.code({ q: "repo:acme/demo four extension:rs" });
assert.equal(code.items[0].path, "src/four \u00e9.rs");
const { data: history } = await rest.search.commits({ q: "repo:acme/demo four" });
assert.equal(history.total_count, 1);

// What happened to issues and pull requests.
await rest.issues.createComment({ ...at, issue_number: 2, body: "As in #4 and acme/demo#5, not `#1`." });
const four = await octokit.paginate(rest.issues.listEventsForTimeline, { ...at, issue_number: 4, per_page: 1 });
assert.deepEqual(four.map((it) => it.event), ["commented", "cross-referenced", "closed", "cross-referenced"]);
assert.deepEqual(four.flatMap((it) => it.source?.issue.number ?? []), [5, 2]);
const five = await octokit.paginate(rest.issues.listEventsForTimeline, { ...at, issue_number: 5, per_page: 2 });
assert.equal(five.filter((it) => it.event === "committed").length, 3);
assert.equal(five.at(-1).source.issue.number, 2);
const events = await octokit.paginate(rest.issues.listEvents, { ...at, issue_number: 5, per_page: 1 });
assert.deepEqual(events.map((it) => it.event), ["referenced", "merged", "closed"]);
const { data: event } = await rest.issues.getEvent({ ...at, event_id: events[1].id });
assert.equal(event.issue.number, 5);
assert.equal((await rest.repos.getCommit({ ...at, ref: event.commit_id })).data.commit.message.split("\n")[0], "Four (#5)");
const ofAll = await octokit.paginate(rest.issues.listEventsForRepo, { ...at, per_page: 2 });
assert.ok(ofAll.some((it) => it.id === event.id));
assert.equal((await rest.issues.listEventsForTimeline({ ...at, issue_number: 1 })).data.length, 1);
await refused(404, /Not Found/, rest.issues.listEventsForTimeline({ ...at, issue_number: 99 }));
const { repository: { issue: told } } = await octokit.graphql(
  `query($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) { issue(number: 4) {
    timelineItems(first: 10, itemTypes: [CROSS_REFERENCED_EVENT, CLOSED_EVENT]) { totalCount nodes {
      ... on CrossReferencedEvent { willCloseTarget source { ... on Issue { number } ... on PullRequest { number } } }
      ... on ClosedEvent { closer { ... on PullRequest { number mergedAt } ... on Commit { oid } } } } } } } }`,
  at,
);
assert.equal(told.timelineItems.totalCount, 3);
assert.deepEqual(told.timelineItems.nodes.map((it) => it.source?.number ?? it.closer.number), [5, 5, 2]);
assert.deepEqual(told.timelineItems.nodes.map((it) => it.willCloseTarget), [true, undefined, false]);

// Settings, statuses, comments on commits, notes, archives, patches, and an answer that did not change.
await rest.repos.update({ ...at, description: "Demo", allow_rebase_merge: false });
await rest.repos.replaceAllTopics({ ...at, names: ["demo"] });
assert.deepEqual((await rest.repos.getAllTopics(at)).data.names, ["demo"]);
await rest.repos.renameBranch({ ...at, branch: "feature", new_name: "features/three" });
const { data: renamed } = await rest.repos.getBranch({ ...at, branch: "features/three" });
const { sha } = renamed.commit;
await rest.repos.createCommitStatus({ ...at, sha, state: "success", context: "build" });
assert.equal((await rest.repos.getCombinedStatusForRef({ ...at, ref: sha })).data.state, "success");
await refused(403, /GitHub App/, rest.checks.create({ ...at, name: "build", head_sha: sha }));
const { data: remark } = await rest.repos.createCommitComment({ ...at, commit_sha: sha, body: "Well." });
assert.equal((await rest.repos.listCommentsForCommit({ ...at, commit_sha: sha })).data[0].id, remark.id);
assert.match((await rest.repos.generateReleaseNotes({ ...at, tag_name: "v3" })).data.body, /\*\*Full Changelog\*\*/);
const { data: zip } = await rest.repos.downloadZipballArchive({ ...at, ref: "main" });
assert.equal(new TextDecoder().decode(zip.slice(0, 2)), "PK");
const patch = await rest.pulls.get({ ...number, mediaType: { format: "patch" } });
assert.match(patch.data, /^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\n/);
const { headers: { etag } } = await rest.repos.get(at);
await refused(304, /Not modified/i, rest.repos.get({ ...at, headers: { "if-none-match": etag } }));
assert.equal((await rest.rateLimit.get()).data.rate.limit, 5000);
assert.equal((await rest.orgs.get({ org: "acme" })).data.type, "Organization");
await refused(404, /Not Found/, rest.repos.get({ owner: "acme", repo: "other" }));
await refused(403, /Resource not accessible/, rest.repos.createForAuthenticatedUser({ name: "new" }));
console.log(`${checked} refusals, ${all.length + 1} issues and pull requests`);
