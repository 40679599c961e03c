//! HTTP server with a thread for each connection. It implements only the parts of HTTP that the clients use.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::Script;
use crate::wire::{Reaction, Request};

/// Maximum size of a request body, in bytes.
const MAX_REQUEST: usize = 256 * 1024 * 1024;

/// Server that runs until the process ends.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    script: Box<Script>,
    seen: Mutex<Vec<Request>>,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Server {
    /// Listens on a free port of the loopback interface.
    ///
    /// # Errors
    ///
    /// Returns an error if no port is available.
    pub fn start(
        script: impl Fn(&Request) -> Reaction + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Box::new(script),
            seen: Mutex::default(),
            now: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
        });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                // A client that disconnects is not an error of the server.
                std::thread::spawn(move || shared.serve(&stream));
            }
        });
        Ok(Self { address, shared })
    }

    /// Returns the base URL of all three APIs.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns the maximum number of concurrent requests so far.
    pub fn most_at_once(&self) -> usize {
        self.shared.most.load(Ordering::SeqCst)
    }
}

/// Guard of a request in progress.
struct Working<'s>(&'s Shared);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shared {
    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        let _ = stream.set_nodelay(true);
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream.try_clone()?;
        while let Some(raw) = read(&mut reader)? {
            if !self.answer(&mut stream, &raw, self.working())? {
                break;
            }
        }
        Ok(())
    }

    /// Counts a request in progress until the guard is dropped.
    fn working(&self) -> Working<'_> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        Working(self)
    }

    /// Answers one request. Returns true if the connection stays open.
    fn answer(
        &self,
        stream: &mut TcpStream,
        raw: &RawRequest,
        working: Working<'_>,
    ) -> io::Result<bool> {
        let body: Value = serde_json::from_slice(&raw.body).unwrap_or(Value::Null);
        let Some(request) = Request::read(&raw.path, raw.headers.clone(), body) else {
            write(
                stream,
                404,
                &[],
                b"{\"error\":{\"message\":\"no such interface\"}}",
            )?;
            return Ok(true);
        };
        let mut reaction = (self.script)(&request);
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request.clone());
        while let Reaction::After(wait, then) = reaction {
            std::thread::sleep(wait);
            reaction = *then;
        }
        // Ends the count before the client has the answer and may send the next request.
        drop(working);
        match reaction {
            Reaction::Say(saying) => {
                let reply = request.reply(&saying);
                match request.events(&reply) {
                    Some(events) => {
                        write_as(stream, "text/event-stream", 200, &[], events.as_bytes())?;
                    }
                    None => write(stream, 200, &[], reply.to_string().as_bytes())?,
                }
            }
            Reaction::Status {
                status,
                headers,
                body,
            } => write(stream, status, &headers, body.as_bytes())?,
            Reaction::Truncate(saying) => {
                let whole = request.reply(&saying).to_string();
                let head = head("application/json", 200, whole.len(), &[]);
                stream.write_all(head.as_bytes())?;
                stream.write_all(&whole.as_bytes()[..whole.len() / 2])?;
                return Ok(false);
            }
            Reaction::Drop => return Ok(false),
            Reaction::After(..) => {}
        }
        Ok(true)
    }
}

struct RawRequest {
    path: String,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

/// Reads one request. Returns `None` if the client has disconnected or the body is too large.
fn read(reader: &mut BufReader<TcpStream>) -> io::Result<Option<RawRequest>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 {
            return Ok(None);
        }
        let header = header.trim();
        if header.is_empty() {
            break;
        }
        let Some((name, value)) = header.split_once(':') else {
            continue;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length");
    let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
    if length > MAX_REQUEST {
        return Ok(None);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(RawRequest {
        path,
        headers,
        body,
    }))
}

fn head(kind: &str, status: u16, length: usize, headers: &[(String, String)]) -> String {
    let mut head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n"
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head + "\r\n"
}

fn write(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> io::Result<()> {
    write_as(stream, "application/json", status, headers, body)
}

fn write_as(
    stream: &mut TcpStream,
    kind: &str,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> io::Result<()> {
    let mut whole = head(kind, status, body.len(), headers).into_bytes();
    whole.extend_from_slice(body);
    stream.write_all(&whole)
}
