//! Verifier in the style of the published ones for GitHub: it calls `api.github.com` with `requests`, and the answers
//! come from a final state.

use std::fs;
use std::path::Path;

use mcpmark_github::builder::{Builder, Signature, Step};
use mcpmark_grading::{Graded, Script, ScriptJudge};
use mcpmark_journal::Outcome;
use mcpmark_kinds::{ScriptInvocation, Services};
use mcpmark_sandbox::{FaultKind, Limits, Snapshot};
use mcpmark_task::GuestRole;
use serde_json::json;

use crate::guest::{Guest, directory, guest};

/// Clock of the states: 2026-01-01T00:00:00Z.
const CLOCK: i64 = 1_767_225_600;

const VERIFIER: &str = r##"
import base64, os, sys, time
from typing import Dict, List, Optional, Tuple

import requests
from dotenv import load_dotenv

load_dotenv(".mcp_env")

REPO = "orchard"


def ask(endpoint: str, headers: Dict[str, str], org: str) -> Tuple[bool, Optional[Dict]]:
    url = f"https://api.github.com/repos/{org}/{REPO}/{endpoint}"
    try:
        response = requests.get(url, headers=headers, timeout=30)
        if response.status_code == 200:
            return True, response.json()
        if response.status_code == 404:
            return False, None
        print(f"API error for {endpoint}: {response.status_code}", file=sys.stderr)
    except Exception as error:
        print(f"Exception for {endpoint}: {error}", file=sys.stderr)
    return False, None


def text(path: str, headers, org, ref="main") -> Optional[str]:
    found, result = ask(f"contents/{path}?ref={ref}", headers, org)
    return base64.b64decode(result["content"]).decode("utf-8") if found else None


def search(title: str, headers, org) -> List[Dict]:
    url = f"https://api.github.com/search/issues?q=repo:{org}/{REPO} \"{title}\" is:issue&per_page=100"
    response = requests.get(url, headers=headers)
    return response.json()["items"] if response.status_code == 200 else []


def verify() -> bool:
    token, org = os.environ.get("MCP_GITHUB_TOKEN"), os.environ.get("GITHUB_EVAL_ORG")
    if not token or not org:
        print("the environment is not set", file=sys.stderr)
        return False
    headers = {"Authorization": f"token {token}", "Accept": "application/vnd.github.v3+json"}

    started = time.time()
    while time.time() - started < 90:
        found, runs = ask("actions/workflows/ci.yml/runs?per_page=5", headers, org)
        if found and runs["workflow_runs"]:
            break
        time.sleep(5)

    if ask("branches/none", headers, org)[0]:
        return False
    found, branch = ask("branches/fix/pears", headers, org)
    if not found or branch["commit"]["author"]["login"] != "ann":
        print("the branch is not there", file=sys.stderr)
        return False
    if text("docs/pears.md", headers, org, "fix/pears") != "# Pears\n":
        print("the file is another", file=sys.stderr)
        return False
    found, pulls = ask("pulls?state=all&per_page=100", headers, org)
    pull = next((it for it in pulls or [] if it["head"]["ref"] == "fix/pears"), None)
    issues = search("Pears are missing", headers, org)
    if pull is None or len(issues) != 1 or f"Closes #{issues[0]['number']}" not in (pull["body"] or ""):
        print("no pull request closes the issue", file=sys.stderr)
        return False
    found, issue = ask(f"issues/{issues[0]['number']}", headers, org)
    if {label["name"] for label in issue["labels"]} != {"bug", "fruit"}:
        print("the labels are others", file=sys.stderr)
        return False
    found, comments = ask(f"issues/{issue['number']}/comments?per_page=100", headers, org)
    if not any("PR #2" in it["body"] for it in comments):
        return False
    found, timeline = ask(f"issues/{issue['number']}/timeline?per_page=100", headers, org)
    sources = [it["source"]["issue"] for it in timeline or [] if it["event"] == "cross-referenced"]
    if [source["number"] for source in sources if "pull_request" in source] != [pull["number"]]:
        print("no pull request mentions the issue", file=sys.stderr)
        return False
    found, events = ask("issues/events", headers, org)
    if [(it["event"], it["issue"]["number"]) for it in events or []] != [("referenced", issue["number"])]:
        print("no commit mentions the issue", file=sys.stderr)
        return False
    # What is changed here is this script's own copy.
    change = requests.delete(f"https://api.github.com/repos/{org}/{REPO}/git/refs/heads/fix/pears", headers=headers)
    return change.status_code == 204 and not ask("branches/fix/pears", headers, org)[0]


sys.exit(0 if verify() else 1)
"##;

/// Returns a state that solves the task, apart from the content of the file and the labels in the arguments.
fn state(dir: &Path, file: &str, labels: &[&str]) -> Snapshot {
    let mut builder = Builder::new(dir).unwrap();
    let ann = Signature {
        name: "Ann Lee".to_owned(),
        email: "ann@example.org".to_owned(),
        time: CLOCK - 86_400,
        offset: 0,
    };
    let write = |path: &str, text: &str| Step::Write {
        path: path.to_owned(),
        content: text.as_bytes().to_vec(),
        executable: false,
    };
    let first = builder
        .commit(
            &[],
            vec![write("README.md", "# Orchard\n")],
            &ann,
            &ann,
            "Begin",
            &mut |_| true,
        )
        .unwrap();
    builder
        .set_reference("refs/heads/main", &first, &mut |_| true)
        .unwrap();
    let second = builder
        .commit(
            &[first],
            vec![write("docs/pears.md", file)],
            &ann,
            &ann,
            "Describe pears, see #1",
            &mut |_| true,
        )
        .unwrap();
    builder
        .set_reference("refs/heads/fix/pears", &second, &mut |_| true)
        .unwrap();
    let world = dir.join("world");
    for file in builder.finish(&mut |_| true).unwrap() {
        let path = world.join(file.path);
        match file.content {
            Some(bytes) => {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
            None => fs::create_dir_all(path).unwrap(),
        }
    }
    for (name, document) in [
        (
            "repository.json",
            json!({"owner": "acme", "name": "orchard", "default_branch": "main", "viewer": "ann"}),
        ),
        (
            "users.json",
            json!([{"login": "ann", "email": "ann@example.org"}]),
        ),
        (
            "issues.json",
            json!([{"number": 1, "title": "Pears are missing", "user": "ann", "labels": labels,
                    "created_at": "2025-12-01T00:00:00Z",
                    "comments": [{"user": "ann", "body": "See PR #2"}]}]),
        ),
        (
            "pulls.json",
            json!([{"number": 2, "title": "Pears", "body": "Closes #1", "head": "fix/pears", "base": "main", "user": "ann"}]),
        ),
    ] {
        fs::write(world.join(name), document.to_string()).unwrap();
    }
    Snapshot::of_directory(&world).unwrap()
}

fn judge(guest: &Guest, script: &str, state: Snapshot, invocation: ScriptInvocation) -> Graded {
    judge_with(guest, script, state, invocation, None)
}

/// Grades in a world with a guest that runs workflows.
fn judge_with(
    guest: &Guest,
    script: &str,
    state: Snapshot,
    invocation: ScriptInvocation,
    ci: Option<&str>,
) -> Graded {
    judge_of(Some("github"), guest, script, state, invocation, ci)
}

/// Grades a state of any service, or of an unknown one.
fn judge_of(
    service: Option<&str>,
    guest: &Guest,
    script: &str,
    state: Snapshot,
    invocation: ScriptInvocation,
    ci: Option<&str>,
) -> Graded {
    let services = Services::builtin();
    let component = ci.map(|file| wat::parse_file(directory("..").join(file)).unwrap());
    let guests = component
        .iter()
        .map(|component| (GuestRole::CI, component.as_slice()));
    let guests = services.load_guests(
        service.unwrap_or_default(),
        &guest.sandbox.trusting(),
        guests,
    );
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("verify.py");
    fs::write(&file, script).unwrap();
    let judge = ScriptJudge {
        script: Script::read(&file).unwrap(),
        interpreter: guest.interpreter.clone(),
        invocation,
        clock: CLOCK,
        kind: service.and_then(|name| services.kind(name)).cloned(),
        guests: guests.unwrap(),
    };
    judge.grade(&guest.sandbox, state, None, &Limits::SCRIPT)
}

#[track_caller]
fn verdict(guest: &Guest, file: &str, labels: &[&str]) -> (Option<bool>, String) {
    let dir = tempfile::tempdir().unwrap();
    let graded = judge(
        guest,
        VERIFIER,
        state(dir.path(), file, labels),
        ScriptInvocation::default(),
    );
    let stderr = graded.printed.unwrap().stderr;
    (graded.outcome.passed(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_published_style_verifier_passes_and_fails_rightly() {
    let Some(guest) = guest() else { return };
    assert_eq!(
        verdict(guest, "# Pears\n", &["bug", "fruit"]),
        (Some(true), String::new())
    );
    let failed = |words: &str| (Some(false), format!("{words}\n"));
    assert_eq!(
        verdict(guest, "# Pear\n", &["bug", "fruit"]),
        failed("the file is another")
    );
    assert_eq!(
        verdict(guest, "# Pears\n", &["bug"]),
        failed("the labels are others")
    );
}

#[test]
fn a_person_says_otherwise_and_other_hosts_are_not_there() {
    let Some(guest) = guest() else { return };
    let dir = tempfile::tempdir().unwrap();
    let state = state(dir.path(), "# Pears\n", &["bug", "fruit"]);
    let other = vec![("GITHUB_EVAL_ORG".to_owned(), "nobody".to_owned())];
    let told = ScriptInvocation::default().and(&[], &other);
    let graded = judge(guest, VERIFIER, state.clone(), told);
    assert_eq!(graded.outcome.passed(), Some(false));

    let script = "import requests\ntry:\n    requests.get('https://example.org/')\nexcept \
                  requests.exceptions.ConnectionError as error:\n    print(error)\n";
    let graded = judge(guest, script, state.clone(), ScriptInvocation::default());
    let said = String::from_utf8(graded.printed.unwrap().stdout).unwrap();
    assert!(
        said.starts_with("\"https://example.org\" cannot be reached from here"),
        "{said}"
    );

    let files = tempfile::tempdir().unwrap();
    let files = Snapshot::of_directory(files.path()).unwrap();
    // A repository in a world of another service was created by the agent and is not served.
    for (service, state) in [
        (Some("github"), files),
        (Some("filesystem"), state.clone()),
        (None, state),
    ] {
        let none = ScriptInvocation::default();
        let graded = judge_of(service, guest, script, state, none, None);
        match graded.outcome {
            Outcome::VerifierFault(fault) => assert_eq!(fault.kind, FaultKind::Link),
            other => panic!("{service:?}: {other:?}"),
        }
    }
}

#[test]
fn bytes_that_are_no_text_come_and_go_as_they_are() {
    let Some(guest) = guest() else { return };
    let dir = tempfile::tempdir().unwrap();
    let state = state(dir.path(), "# Pears\n", &["bug"]);
    let script = r##"
import base64, json, requests
API = "https://api.github.com/repos/acme/orchard"
picture = bytes(range(256)) * 3
put = {"message": "Draw", "content": base64.b64encode(picture).decode()}
# A body of bytes is sent as it is.
made = requests.put(f"{API}/contents/pear.png", data=json.dumps(put).encode())
assert made.status_code == 201, made.text
for place in [f"{API}/contents/pear.png", "https://raw.githubusercontent.com/acme/orchard/main/pear.png"]:
    got = requests.get(place, headers={"Accept": "application/vnd.github.raw"})
    assert got.status_code == 200 and got.content == picture, place
    assert "\ufffd" in got.text and got.text.startswith("\x00\x01")
text = requests.get("https://raw.githubusercontent.com/acme/orchard/main/README.md")
assert (text.text, text.content) == ("# Orchard\n", b"# Orchard\n")
def problem(answer):
    try:
        answer.raise_for_status()
    except requests.HTTPError as error:
        return str(error)

place = f"{API}/contents/none"
assert problem(requests.get(place)) == f"404 Client Error: Not Found for url: {place}"
place = f"{API}/issues"
assert problem(requests.post(place, json={"title": ""})) == f"422 Client Error: Unprocessable Entity for url: {place}"
# Nor does what is no text break the host.
assert requests.post(f"{API}/issues", data=b"\xff\xfe").status_code == 400
"##;
    let graded = judge(guest, script, state, ScriptInvocation::default());
    let printed = graded.printed.unwrap();
    let stderr = String::from_utf8(printed.stderr).unwrap();
    assert_eq!(graded.outcome.passed(), Some(true), "{stderr}");
}

/// Start of a script that writes files to a repository and ignores the answers.
const WRITES: &str = r##"
import base64, itertools, requests

API = "https://api.github.com/repos/acme/orchard"

def put(path, text):
    content = base64.b64encode(text.encode()).decode()
    try:
        return requests.put(f"{API}/contents/{path}", json={"message": path, "content": content})
    except BaseException:
        pass
"##;

#[test]
fn writes_of_a_script_have_bounds_and_are_discarded() {
    let Some(guest) = guest() else { return };
    let dir = tempfile::tempdir().unwrap();
    let state = state(dir.path(), "# Pears\n", &["bug"]);
    let lints = Some("end_to_end/guests/lints.wat");
    let grade = |script: &str, ci| {
        let script = format!("{WRITES}{script}");
        judge_with(
            guest,
            &script,
            state.clone(),
            ScriptInvocation::default(),
            ci,
        )
        .outcome
    };
    for (script, ci, kind, words) in [
        (
            "for n in itertools.count():\n    put(f'{n}.txt', str(n) * (4 << 20))",
            None,
            FaultKind::Memory,
            "add more than 64 MiB to the script's copy",
        ),
        (
            // An invalid workflow is not run by the guest, but it still counts as a run.
            "for n in itertools.count():\n    put(f'.github/workflows/{n}.yml', 'on: push\\njobs: {}')",
            lints,
            FaultKind::Fuel,
            "requests exceed the limit of 1000 workflow runs",
        ),
    ] {
        match grade(script, ci) {
            Outcome::VerifierFault(fault) => {
                assert_eq!(fault.kind, kind);
                assert!(fault.message.contains(words), "{fault}");
            }
            other => panic!("{words}: {other:?}"),
        }
    }
    // A guest that traps is an error of the world, which is independent of the state.
    let workflow =
        "put('.github/workflows/a.yml', 'on: push\\njobs:\\n  a:\\n    runs-on: any\\n')";
    let broken = grade(workflow, Some("hostile/unreachable.wat"));
    assert!(matches!(broken, Outcome::InfraError(_)), "{broken:?}");

    let once = format!("assert {workflow}.status_code == 201\n{workflow}\n");
    let looked = "assert requests.get(f'{API}/actions/runs').json()['total_count'] == 1";
    for _ in 0..2 {
        let outcome = grade(&format!("{once}{looked}"), lints);
        assert_eq!(outcome.passed(), Some(true), "{outcome:?}");
    }
}
