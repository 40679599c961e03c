//! The shipped site answers requests over HTTP, without a browser.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use mcpmark_build::{Builder, Options};
use mcpmark_playwright::sites::{ServedSites, SiteContext, SiteFault, SiteRequest, SiteResponse};
use mcpmark_sandbox::{Limits, Sandbox, SandboxConfig, SetupInput, Snapshot};
use mcpmark_service::{SessionLimits, WorldState};
use mcpmark_snapshot::{Blobs, Node, ScratchSpace, Store, Tree, TreePath};
use mcpmark_task::{Library, World};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

const HOST: &str = "repairs.test";

/// Shipped world with its guest.
struct Shipped {
    snapshot: Snapshot,
    site: Arc<dyn Site>,
    clock: i64,
    seed: u64,
}

fn shipped() -> Shipped {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap();
    let library = Library::discover(&root).unwrap();
    let world = library.world(&"playwright/millrace".parse().unwrap());
    let world: World = world.unwrap();
    let sources: Vec<_> = world.sources().cloned().collect();
    let mut builder = Builder::new(Options::new(library.guests_dir(&root)));
    let built = builder.build(&sources, &mut |_| {}).unwrap();
    let component = |stem: &str| {
        let found = built.iter().find(|it| it.source.path().ends_with(stem));
        std::fs::read(&found.unwrap().path).unwrap()
    };
    let sandbox = Sandbox::new(&SandboxConfig::default()).unwrap().trusting();
    let setup = sandbox.setup(&component("setup.rs")).unwrap();
    let limits = SessionLimits::default();
    let input = SetupInput {
        seed: world.manifest.seed,
        clock: world.manifest.clock.as_second(),
        parameters: "{}".to_owned(),
        max_bytes: limits.max_bytes,
        max_entries: limits.max_files,
    };
    let run = sandbox.build_world(&setup, input, &Limits::SETUP);
    Shipped {
        snapshot: run.result.unwrap(),
        site: Arc::new(WasmSite::load(&sandbox, &component("site.rs")).unwrap()),
        clock: world.manifest.clock.as_second(),
        seed: world.manifest.seed,
    }
}

/// Sites that are served, with the cookies of a browser.
struct Visit {
    served: ServedSites,
    address: std::net::SocketAddr,
    store: Arc<Store>,
    cookies: BTreeMap<String, String>,
    _home: tempfile::TempDir,
}

struct Reply {
    status: u16,
    location: Option<String>,
    body: String,
}

impl Visit {
    async fn start(shipped: &Shipped, site: Arc<dyn Site>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(home.path().join("store")).unwrap());
        store.put_snapshot(&shipped.snapshot).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let world = WorldState {
            tree: shipped.snapshot.tree.clone(),
            store: Arc::clone(&store),
            seed: shipped.seed,
            clock: shipped.clock,
            profile: None,
            limits: SessionLimits::default(),
            scratch: ScratchSpace::plain(home.path()),
        };
        let served = ServedSites::start(world, Some(&site), listener).unwrap();
        Self {
            served,
            address,
            store,
            cookies: BTreeMap::new(),
            _home: home,
        }
    }

    async fn send(&mut self, method: &str, target: &str, form: &str) -> Reply {
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut request = format!(
            "{method} {target} HTTP/1.1\r\nhost: {HOST}\r\nconnection: close\r\ncookie: {}\r\n",
            cookies.join("; ")
        );
        if method == "POST" {
            request.push_str("content-type: application/x-www-form-urlencoded\r\n");
            request.push_str(&format!("content-length: {}\r\n", form.len()));
        }
        request.push_str("\r\n");
        request.push_str(form);
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let mut reply = Reply {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            location: None,
            body: body.to_owned(),
        };
        for line in head.lines().skip(1) {
            let (name, value) = line.split_once(": ").unwrap();
            match name {
                "location" => reply.location = Some(value.to_owned()),
                "set-cookie" => {
                    let pair = value.split(';').next().unwrap();
                    let (name, value) = pair.split_once('=').unwrap();
                    self.cookies.insert(name.to_owned(), value.to_owned());
                }
                _ => {}
            }
        }
        reply
    }

    async fn get(&mut self, target: &str) -> Reply {
        self.send("GET", target, "").await
    }

    /// Sends a form with the CSRF token of a page.
    async fn submit(&mut self, page: &str, target: &str, fields: &str) -> Reply {
        let page = self.get(page).await;
        let token = page.body.split("name=\"csrf\" value=\"").nth(1).unwrap();
        let token = token.split('"').next().unwrap().to_owned();
        self.send("POST", target, &format!("csrf={token}&{fields}"))
            .await
    }

    async fn sign_in(&mut self) {
        let fields = "login=ines.okoro&password=heron-42-lattice";
        let reply = self.submit("/login", "/login", fields).await;
        assert_eq!((reply.status, reply.location.as_deref()), (303, Some("/")));
    }

    fn read(&self, tree: &Tree, path: &str) -> String {
        let Some(Node::File(file)) = tree.get(&TreePath::parse(path).unwrap()) else {
            panic!("{path} is not a file of the state");
        };
        String::from_utf8(self.store.read(&file.content).unwrap()).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_answers_from_its_database_and_changes_it() {
    let shipped = shipped();
    let mut digests = Vec::new();
    for _ in 0..2 {
        let mut visit = Visit::start(&shipped, Arc::clone(&shipped.site)).await;
        let start = visit.get("/").await;
        assert_eq!(start.status, 200);
        assert!(
            start.body.contains("<h1>Repairs desk</h1>"),
            "{}",
            start.body
        );
        assert_eq!(visit.get("/style.css").await.status, 200);
        for (target, status) in [("/jobs/100000", 404), ("/jobs/new", 403), ("/logout", 405)] {
            assert_eq!(visit.get(target).await.status, status, "{target}");
        }
        // Without the token of a session nothing changes.
        let forged = visit.send("POST", "/jobs/750/comments", "text=x").await;
        assert_eq!(forged.status, 403);
        visit.sign_in().await;
        let welcome = visit.get("/").await.body;
        assert!(welcome.contains("Welcome, Ines Okoro."), "{welcome}");
        assert!(!visit.get("/").await.body.contains("Welcome"));
        let job = "/jobs/750";
        let text = "text=%3Cb%3EHello%3C%2Fb%3E+you";
        let reply = visit.submit(job, "/jobs/750/comments", text).await;
        assert_eq!(reply.location.as_deref(), Some(job));
        let page = visit.get(job).await.body;
        assert!(page.contains("&lt;b&gt;Hello&lt;/b&gt; you"), "{page}");
        let state = visit.served.capture(None).unwrap();
        let comments = visit.read(&state, "sites/repairs.test/rows/comments.jsonl");
        assert!(comments.contains("750,\"ines.okoro\",\"<b>Hello</b> you\",0,"));
        let log = visit.read(&state, "requests.jsonl");
        assert!(log.contains("\"session\":\"ines.okoro\"") && !log.contains("\"fault\""));
        digests.push(state.digest());
    }
    assert_eq!(digests[0], digests[1], "equal requests leave equal states");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_that_links_reach_is_complete_and_accessible() {
    let shipped = shipped();
    let mut visit = Visit::start(&shipped, Arc::clone(&shipped.site)).await;
    visit.sign_in().await;
    let mut waiting = vec!["/".to_owned()];
    let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(target) = waiting.pop() {
        let reply = visit.get(&target).await;
        assert_eq!(reply.status, 200, "{target}");
        if target.starts_with("/jobs.csv") {
            assert!(reply.body.starts_with("id,title,house,"), "{target}");
            continue;
        }
        check_accessible(&target, &reply.body);
        for link in reply.body.split("href=\"").skip(1) {
            let link = link.split('"').next().unwrap().replace("&amp;", "&");
            let path = link.split('?').next().unwrap().to_owned();
            let kind = path.split('/').nth(1).unwrap_or_default().to_owned();
            let is_page = link.starts_with('/') && !link.ends_with(".css");
            // A few pages of each kind are enough.
            if is_page && !seen.contains(&link) && *kinds.get(&kind).unwrap_or(&0) < 12 {
                *kinds.entry(kind).or_default() += 1;
                seen.insert(link.clone());
                waiting.push(link);
            }
        }
    }
    assert!(seen.len() > 40, "{seen:?}");
    for kind in ["jobs", "jobs.csv", "people", "houses", "firms", "handbook"] {
        assert!(kinds.contains_key(kind), "{kind}: {kinds:?}");
    }
}

/// Checks rules of accessibility that a text can show: one heading of the first level, a language, a title, unique ids,
/// and labels of fields.
fn check_accessible(target: &str, page: &str) {
    assert_eq!(page.matches("<h1>").count(), 1, "{target}");
    assert!(
        page.contains("<html lang=\"en\">") && page.contains("<title>"),
        "{target}"
    );
    let values = |attribute: &str| -> Vec<String> {
        let parts = page.split(attribute).skip(1);
        parts
            .map(|part| part.split('"').next().unwrap().to_owned())
            .collect()
    };
    let ids = values(" id=\"");
    let unique: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "{target}: {ids:?}");
    let labels = values(" for=\"");
    for tag in ["<input", "<select", "<textarea"] {
        for field in page.split(tag).skip(1) {
            let field = field.split('>').next().unwrap();
            let id = field
                .split(" id=\"")
                .nth(1)
                .and_then(|id| id.split('"').next());
            let is_labelled = id.is_some_and(|id| labels.iter().any(|label| label == id));
            assert!(
                is_labelled || field.contains("type=\"hidden\""),
                "{target}: {tag}{field}"
            );
        }
    }
}

/// Site that fails in a certain way for certain requests.
struct Failing(Arc<dyn Site>);

impl Site for Failing {
    fn answer(
        &self,
        request: SiteRequest,
        context: SiteContext,
    ) -> Result<SiteResponse, SiteFault> {
        let fault = SiteFault::Host("the host is out of memory".to_owned());
        if request.path == "/fails" {
            Err(fault)
        } else {
            self.0.answer(request, context)
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_answers_500_and_is_recorded() {
    let shipped = shipped();
    let failing = Arc::new(Failing(Arc::clone(&shipped.site)));
    let mut visit = Visit::start(&shipped, failing).await;
    assert_eq!(visit.get("/fails").await.status, 500);
    assert_eq!(visit.get("/").await.status, 200);
    let state = visit.served.capture(None).unwrap();
    let log = visit.read(&state, "requests.jsonl");
    assert!(
        log.contains("\"fault\":\"the host is out of memory\""),
        "{log}"
    );
}

#[test]
fn a_component_of_another_kind_is_refused() {
    let component = wat::parse_str(
        r#"(component
            (import "wasi:http/types@0.2.0" (instance))
            (core module $m (func (export "f")))
            (core instance $i (instantiate $m))
            (func $f (canon lift (core func $i "f")))
            (export "answer" (func $f)))"#,
    );
    let sandbox = Sandbox::new(&SandboxConfig::default()).unwrap().trusting();
    let services = crate::Services::builtin();
    let component = component.unwrap();
    let load = |role| services.load_guests("playwright", &sandbox, [(role, component.as_slice())]);
    let error = load(GuestRole::SITE).unwrap_err().to_string();
    assert!(
        error.contains("`site` guest: imports `wasi:http/types@0.2.0`"),
        "{error}"
    );
    let error = load(GuestRole::CI).unwrap_err().to_string();
    assert!(
        error.contains("cannot have a guest with the role `ci`"),
        "{error}"
    );
}
