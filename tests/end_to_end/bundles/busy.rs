//! Registries that limit the rate of requests (429, 503).

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::login::{drain, forward, listen, reply};
use super::registry::Registry;
use super::{pack, there};
use crate::environment::Environment;
use crate::library::Library;

/// Starts a proxy of a registry that refuses each request `times` times before it forwards it.
fn busy(registry: String, times: usize) -> String {
    let seen = Mutex::new(BTreeMap::<String, usize>::new());
    let (host, _) = listen(move |head, stream| {
        let line = head.lines().next().unwrap().to_owned();
        let count = {
            let mut seen = seen.lock().unwrap();
            let count = seen.entry(line).or_default();
            *count += 1;
            *count
        };
        if count > times {
            return forward(head, stream, &registry);
        }
        drain(head, &stream)?;
        let status = match count % 2 {
            1 => "429 Too Many Requests",
            _ => "503 Service Unavailable",
        };
        reply(&stream, status, "retry-after: 0\r\n", "slow down")
    });
    host
}

#[test]
fn a_registry_that_has_too_many_requests_is_asked_again_a_few_times() {
    let environment = Environment::new();
    let Some(registry) = Registry::start(&environment) else {
        return;
    };
    let library = Library::new(&environment);
    library.easy_task("easy");
    let tar = environment.path("suite.tar");
    let packed = pack(&library, &tar, &[]);
    let tar = tar.to_str().unwrap();
    let reference = |times: usize| format!("oci://{}/suite", busy(registry.host.clone(), times));
    let pushed = reference(2);
    let sent = there(&environment, &["bundle", "push", tar, &pushed, "--json"]);
    assert_eq!(sent.exits(0).json()["digest"], packed["digest"]);
    let machine = Environment::bare();
    let pulled = there(&machine, &["bundle", "pull", &reference(2), "--json"]);
    assert_eq!(pulled.exits(0).json()["digest"], packed["digest"]);
    let mut transcript = String::new();
    for args in [
        &["bundle", "pull", &reference(99)][..],
        &["bundle", "push", tar, &reference(99)],
    ] {
        let machine = Environment::bare();
        let refused = there(&machine, args).exits(5);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark bundle pull oci://127.0.0.1:[port]/suite
    error: oci://127.0.0.1:[port]/suite: manifest latest: the registry returned 429: slow down
    hint: the request was retried; received data is stored, so repeat the command later to continue

    $ mcpmark bundle push [dir]/suite.tar oci://127.0.0.1:[port]/suite
    error: oci://127.0.0.1:[port]/suite: task filesystem/office/easy: config: the registry returned 429: no message
    hint: the request was retried; received data is stored, so repeat the command later to continue
    ");
}
