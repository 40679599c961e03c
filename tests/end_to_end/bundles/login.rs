//! Authentication at registries: user and password, or a bearer token that is exchanged for them.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::json;

use super::registry::Registry;
use super::{elsewhere, pack, there};
use crate::environment::{Environment, Output, text};
use crate::library::Library;

const USER: &str = "reader";
const PASSWORD: &str = "open-sesame-7";
/// `reader:open-sesame-7` in base64.
const PAIR: &str = "cmVhZGVyOm9wZW4tc2VzYW1lLTc=";
/// Line of an `htpasswd` file with the bcrypt hash of the password.
const KEPT: &str = "reader:$2b$04$O94Esdbtfo63dT5BKD8Y.uh75jrReXZIrRLLNvRGwDBsbD3L6FOcK\n";
const TOKEN: &str = "a-token-for-an-hour";

/// Heads of the requests that a server has received.
pub(super) type Heads = Arc<Mutex<Vec<String>>>;

/// Starts a server on loopback that answers each request with `answer`. Returns its host and the heads of its requests.
pub(super) fn listen(
    answer: impl Fn(&str, TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
) -> (String, Heads) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let heads = Heads::default();
    let seen = Arc::clone(&heads);
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                let (mut head, mut byte) = (Vec::new(), [0]);
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
                    head.push(byte[0]);
                }
                let head = String::from_utf8(head).unwrap();
                seen.lock().unwrap().push(head.clone());
                // The client may have closed the connection.
                drop(answer(&head, stream));
            });
        }
    });
    (host, heads)
}

pub(super) fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim())
}

pub(super) fn reply(
    mut stream: &TcpStream,
    status: &str,
    headers: &str,
    body: &str,
) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
}

/// Reads the body of a request, because closing the connection with unread data would cut off the answer.
pub(super) fn drain(head: &str, stream: &TcpStream) -> std::io::Result<()> {
    let length = header(head, "content-length").map_or(0, |it| it.parse().unwrap());
    std::io::copy(&mut stream.take(length), &mut std::io::sink()).map(drop)
}

/// Forwards a request to a registry, and the answer to the client.
pub(super) fn forward(head: &str, mut stream: TcpStream, registry: &str) -> std::io::Result<()> {
    let mut far = TcpStream::connect(registry)?;
    let mut lines = head.trim_end().lines();
    let mut asked = format!("{}\r\nconnection: close\r\n", lines.next().unwrap());
    for line in lines {
        let name = line.split(':').next().unwrap().to_ascii_lowercase();
        if !["connection", "authorization"].contains(&&*name) {
            asked.push_str(&format!("{line}\r\n"));
        }
    }
    far.write_all(format!("{asked}\r\n").as_bytes())?;
    let length = header(head, "content-length").map_or(0, |it| it.parse().unwrap());
    std::io::copy(&mut (&mut stream).take(length), &mut far)?;
    std::io::copy(&mut far, &mut stream)?;
    stream.shutdown(Shutdown::Both)
}

/// Starts a registry that requires bearer tokens, and a server that issues them for the user and password. If
/// `elsewhere` is set, downloads of blobs are redirected to that host. Returns the host of the registry, the requests
/// to it, and the requests for tokens.
fn guarded(registry: String, elsewhere: Option<String>) -> (String, Heads, Heads) {
    let (tokens, asked) = listen(|head, stream| {
        let allowed = header(head, "authorization") == Some(&format!("Basic {PAIR}"));
        let target = head.split(' ').nth(1).unwrap();
        // The scope contains a comma.
        let whole = target.contains("service=us") && target.contains("suite%3Apull%2Cpush");
        if allowed && whole {
            reply(&stream, "200 OK", "", &json!({"token": TOKEN}).to_string())
        } else {
            reply(&stream, "401 Unauthorized", "", "")
        }
    });
    let challenge = format!(
        "www-authenticate: Bearer realm=\"http://{tokens}/token\",service=\"us\",\
         scope=\"repository:suite:pull,push\"\r\n"
    );
    let (host, seen) = listen(move |head, stream| {
        let blob = head.starts_with("GET") && head.contains("/blobs/");
        match (header(head, "authorization"), &elsewhere) {
            (Some(value), Some(host)) if value == format!("Bearer {TOKEN}") && blob => {
                let path = head.split(' ').nth(1).unwrap();
                let location = format!("location: http://{host}{path}\r\n");
                reply(&stream, "307 Temporary Redirect", &location, "")
            }
            (Some(value), _) if value == format!("Bearer {TOKEN}") => {
                forward(head, stream, &registry)
            }
            _ => reply(&stream, "401 Unauthorized", &challenge, ""),
        }
    });
    (host, seen, asked)
}

/// Returns a command with the credentials in its environment.
fn asking(environment: &Environment, args: &[&str], password: &str) -> Command {
    let mut command = elsewhere(environment, args);
    let reference = args.iter().find_map(|it| it.strip_prefix("oci://"));
    command
        .env(
            "MCPMARK_REGISTRY_HOST",
            reference.unwrap().split('/').next().unwrap(),
        )
        .env("MCPMARK_REGISTRY_USER", USER)
        .env("MCPMARK_REGISTRY_PASSWORD", password);
    command
}

#[test]
fn a_registry_that_wants_a_password_gets_it_from_the_environment_or_from_dockers_file() {
    let environment = Environment::new();
    let file = environment.path("htpasswd");
    fs::write(&file, KEPT).unwrap();
    let auth = format!(
        "auth: {{htpasswd: {{realm: ours, path: {}}}}}\n",
        file.display()
    );
    let Some(registry) = Registry::start_with(&environment, &auth) else {
        return;
    };
    let library = Library::new(&environment);
    library.easy_task("easy");
    let tar = environment.path("suite.tar");
    let packed = pack(&library, &tar, &[]);
    let tar = tar.to_str().unwrap();
    let reference = format!("oci://{}/suite", registry.host);
    let push = ["bundle", "push", tar, &reference, "--json"];
    let pull = ["bundle", "pull", &reference, "--json"];
    let refused = there(&environment, &push).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    error: oci://127.0.0.1:[port]/suite: task filesystem/office/easy: config: the registry refused access (401)
    hint: log in with `docker login`, or set MCPMARK_REGISTRY_USER, MCPMARK_REGISTRY_PASSWORD and MCPMARK_REGISTRY_HOST
    ");
    let told = Output::of(&mut asking(&environment, &push, "close-sesame-8")).exits(5);
    assert!(!told.stderr.contains("sesame"), "{}", told.stderr);
    let sent = Output::of(&mut asking(&environment, &push, PASSWORD)).exits(0);
    assert_eq!(sent.json()["digest"], packed["digest"]);

    // The password of another host is not sent.
    let other = Environment::bare();
    let mut command = asking(&other, &pull, PASSWORD);
    command.env("MCPMARK_REGISTRY_HOST", "registry.example");
    let refused = Output::of(&mut command).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    error: oci://127.0.0.1:[port]/suite: manifest latest: the registry refused access (401)
    hint: log in with `docker login`, or set MCPMARK_REGISTRY_USER, MCPMARK_REGISTRY_PASSWORD and MCPMARK_REGISTRY_HOST
    ");
    Output::of(&mut asking(&other, &pull, PASSWORD)).exits(0);
    // A foreign lock may name any registry, so the host of the password is required.
    let mut command = asking(&other, &pull, PASSWORD);
    command.env_remove("MCPMARK_REGISTRY_HOST");
    let refused = Output::of(&mut command).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: MCPMARK_REGISTRY_USER and MCPMARK_REGISTRY_PASSWORD are set, but MCPMARK_REGISTRY_HOST is not
    hint: set it to the registry that they are for, such as `registry.example:5000`
    ");
    let mut command = asking(&other, &pull, PASSWORD);
    command.env_remove("MCPMARK_REGISTRY_USER");
    let refused = Output::of(&mut command).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: only one of MCPMARK_REGISTRY_USER and MCPMARK_REGISTRY_PASSWORD is set, but both are required");

    // Configuration as `docker login` writes it.
    let machine = Environment::bare();
    let docker = machine.path("docker");
    fs::create_dir(&docker).unwrap();
    let with = |config: &str| {
        fs::write(docker.join("config.json"), config).unwrap();
        let mut command = elsewhere(&machine, &pull);
        Output::of(command.env("DOCKER_CONFIG", &docker))
    };
    let auths = |host: &str, auth: &str| json!({"auths": {host: {"auth": auth}}}).to_string();
    with(&auths("registry.example", PAIR)).exits(5);
    let refused = with("{\"auths\": open-sesame-7").exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/docker/config.json: not valid JSON (line 1, column 11)
    hint: MCPMARK_REGISTRY_USER, MCPMARK_REGISTRY_PASSWORD and MCPMARK_REGISTRY_HOST take precedence over this file
    ");
    let told = with(&auths(&registry.host, "b3Blbi1zZXNhbWUtNw==")).exits(2);
    assert!(!told.stderr.contains("sesame"), "{}", told.stderr);
    let helped = json!({"credHelpers": {&registry.host: "ours"}}).to_string();
    let refused = with(&helped).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: [dir]/docker/config.json: a credential helper stores the password for "127.0.0.1:[port]", and mcpmark does not run credential helpers
    hint: MCPMARK_REGISTRY_USER, MCPMARK_REGISTRY_PASSWORD and MCPMARK_REGISTRY_HOST take precedence over this file
    "#);
    let pulled = with(&auths(&format!("http://{}/v2/", registry.host), PAIR));
    assert_eq!(pulled.exits(0).json()["digest"], packed["digest"]);
}

#[test]
fn a_password_is_exchanged_for_a_token_and_goes_nowhere_else() {
    let environment = Environment::new();
    let Some(registry) = Registry::start(&environment) else {
        return;
    };
    let library = Library::new(&environment);
    library.easy_task("easy");
    let tar = environment.path("suite.tar");
    let packed = pack(&library, &tar, &[]);
    let tar = tar.to_str().unwrap();
    let behind = registry.host.clone();
    let (aside, received) = listen(move |head, stream| forward(head, stream, &behind));
    let (host, seen, asked) = guarded(registry.host.clone(), Some(aside));
    let reference = format!("oci://{host}/suite");
    let push = ["bundle", "push", tar, &reference, "--json"];
    let refused = there(&environment, &push).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    error: oci://127.0.0.1:[port]/suite: task filesystem/office/easy: config: the registry refused access (401)
    hint: log in with `docker login`, or set MCPMARK_REGISTRY_USER, MCPMARK_REGISTRY_PASSWORD and MCPMARK_REGISTRY_HOST
    ");
    let told = Output::of(&mut asking(&environment, &push, "close-sesame-8")).exits(5);
    assert!(!told.stderr.contains("sesame"), "{}", told.stderr);
    let sent = Output::of(&mut asking(&environment, &push, PASSWORD)).exits(0);
    assert_eq!(sent.json()["digest"], packed["digest"]);
    asked.lock().unwrap().clear();
    let machine = Environment::bare();
    let pull = ["bundle", "pull", &reference, "--json"];
    let pulled = Output::of(&mut asking(&machine, &pull, PASSWORD)).exits(0);
    assert_eq!(pulled.json()["digest"], packed["digest"]);
    // One token serves all requests.
    assert_eq!(asked.lock().unwrap().len(), 1);

    // The registry never receives the password, and the target of the redirect receives neither the password nor the
    // token.
    let encoded = [PAIR, PASSWORD];
    for head in &*seen.lock().unwrap() {
        assert!(!encoded.iter().any(|it| head.contains(it)), "{head}");
    }
    let received = received.lock().unwrap();
    assert!(!received.is_empty());
    for head in &*received {
        assert_eq!(header(head, "authorization"), None, "{head}");
    }
    for file in [machine.path("cache"), environment.path("cache")] {
        let found = Command::new("grep")
            .args(["-rl", "sesame"])
            .arg(file)
            .output();
        assert_eq!(
            text(&String::from_utf8(found.unwrap().stdout).unwrap().into()),
            ""
        );
    }
}

/// Starts a server that requires authentication and issues tokens to any client that asks for one.
fn curious() -> (String, Heads) {
    listen(|head, stream| {
        drain(head, &stream)?;
        let host = header(head, "host").unwrap();
        let challenge = format!(
            "www-authenticate: Bearer realm=\"http://{host}/token\",service=\"theirs\"\r\n"
        );
        if head.contains("/token") {
            reply(
                &stream,
                "200 OK",
                "",
                &json!({"token": "theirs"}).to_string(),
            )
        } else {
            reply(&stream, "401 Unauthorized", &challenge, "")
        }
    })
}

#[test]
fn hosts_that_a_registry_redirects_to_get_no_credentials() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let tar = environment.path("suite.tar");
    pack(&library, &tar, &[]);
    let tar = tar.to_str().unwrap();
    let told_nothing = |args: &[&str], theirs: &Heads| {
        let refused = Output::of(&mut asking(&Environment::bare(), args, PASSWORD)).exits(5);
        let theirs = theirs.lock().unwrap();
        assert_eq!(theirs.len(), 1, "{theirs:?}");
        assert_eq!(header(&theirs[0], "authorization"), None);
        refused.message()
    };
    // Redirect of an upload.
    let (aside, theirs) = curious();
    let (host, _) = listen(move |head, stream| {
        let location = format!("location: http://{aside}/upload\r\n");
        match (header(head, "authorization"), head.split(' ').next()) {
            (None, _) => {
                let headers = "www-authenticate: Basic realm=\"ours\"\r\n";
                reply(&stream, "401 Unauthorized", headers, "")
            }
            (_, Some("HEAD")) => reply(&stream, "404 Not Found", "", ""),
            _ => reply(&stream, "202 Accepted", &location, ""),
        }
    });
    let reference = format!("oci://{host}/suite");
    let refused = told_nothing(&["bundle", "push", tar, &reference], &theirs);
    insta::assert_snapshot!(refused, @"error: oci://127.0.0.1:[port]/suite: task filesystem/office/easy: config: the registry redirects to 127.0.0.1, which requires authentication, but credentials are sent only to the registry");
    // Redirect of a download.
    let Some(registry) = Registry::start(&environment) else {
        return;
    };
    let reference = format!("oci://{}/suite", registry.host);
    there(&environment, &["bundle", "push", tar, &reference]).exits(0);
    let (aside, theirs) = curious();
    let (host, _, asked) = guarded(registry.host.clone(), Some(aside));
    let reference = format!("oci://{host}/suite");
    let refused = told_nothing(&["bundle", "pull", &reference], &theirs);
    insta::assert_snapshot!(refused, @"error: oci://127.0.0.1:[port]/suite: config sha256:[digest]: the registry redirects to 127.0.0.1, which requires authentication, but credentials are sent only to the registry");
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[test]
fn a_registry_that_sends_to_where_others_read_along_is_not_followed() {
    let environment = Environment::bare();
    let mut transcript = String::new();
    for (headers, status) in [
        (
            "www-authenticate: Bearer realm=\"http://tokens.example/\"\r\n",
            "401 Unauthorized",
        ),
        (
            "location: http://blobs.example/\r\n",
            "307 Temporary Redirect",
        ),
        ("location: file:///etc/passwd\r\n", "307 Temporary Redirect"),
        (
            "www-authenticate: Bearer scope=\"all\"\r\n",
            "401 Unauthorized",
        ),
    ] {
        let (host, heads) = listen(move |_, stream| reply(&stream, status, headers, ""));
        let reference = format!("oci://{host}/suite");
        let args = ["bundle", "pull", &reference];
        let refused = Output::of(&mut asking(&environment, &args, PASSWORD)).exits(4);
        transcript += &refused.transcript();
        for head in &*heads.lock().unwrap() {
            assert_eq!(header(head, "authorization"), None);
        }
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark bundle pull oci://127.0.0.1:[port]/suite
    error: oci://127.0.0.1:[port]/suite: manifest latest: invalid response from the registry: it refers to tokens.example, but the connection would not be encrypted

    $ mcpmark bundle pull oci://127.0.0.1:[port]/suite
    error: oci://127.0.0.1:[port]/suite: manifest latest: invalid response from the registry: it refers to blobs.example, but the connection would not be encrypted

    $ mcpmark bundle pull oci://127.0.0.1:[port]/suite
    error: oci://127.0.0.1:[port]/suite: manifest latest: invalid response from the registry: it refers to a host without a name, but the connection would not be encrypted

    $ mcpmark bundle pull oci://127.0.0.1:[port]/suite
    error: oci://127.0.0.1:[port]/suite: manifest latest: invalid response from the registry: the challenge has no valid realm
    ");
    // Credentials that a registry echoes are redacted.
    let (host, _) = listen(|head, stream| match header(head, "authorization") {
        Some(value) => reply(
            &stream,
            "500 Internal Server Error",
            "",
            &format!("{value} and {PASSWORD}"),
        ),
        None => {
            let headers = "www-authenticate: Basic realm=\"ours\"\r\n";
            reply(&stream, "401 Unauthorized", headers, "")
        }
    });
    let reference = format!("oci://{host}/suite");
    let args = ["bundle", "pull", &reference];
    let told = Output::of(&mut asking(&environment, &args, PASSWORD)).exits(5);
    assert!(told.stderr.contains("[redacted]"), "{}", told.stderr);
    assert!(
        !told.stderr.contains(PAIR) && !told.stderr.contains(PASSWORD),
        "{}",
        told.stderr
    );
}
