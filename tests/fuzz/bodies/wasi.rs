//! Fuzz target of the wasi profile: a hostile interpreter passes paths, offsets, lengths, handles and pointers, and
//! returns a result. The input is the image of `wasi_guest.rs`.

use std::sync::{Arc, LazyLock};

use mcpmark_sandbox::{
    Interpreter, Limits, Mount, RunError, Sandbox, SandboxConfig, ScriptInput, ScriptRun,
    ScriptServices, ScriptSession, ServiceAnswer,
};
use mcpmark_snapshot::{File, MemoryBlobs, Snapshot, TreeBuilder, TreePath};

use super::wasi_guest::{END, Guest, IMAGE};

const LIMITS: Limits = Limits {
    fuel: 4_000_000,
    memory_bytes: 4 << 20,
    copy_bytes: 16 << 20,
    output_bytes: 4 << 10,
    checks: 50,
    ..Limits::SCRIPT
};

struct Arena {
    sandbox: Sandbox,
    guest: Interpreter,
    state: Snapshot,
    honest: Vec<u8>,
}

static ARENA: LazyLock<Arena> = LazyLock::new(|| {
    let config = SandboxConfig {
        slots: 1,
        ..SandboxConfig::default()
    };
    let sandbox = Sandbox::new(&config).unwrap().trusting();
    let guest = Guest::new();
    Arena {
        guest: sandbox.interpreter(&guest.component).unwrap(),
        sandbox,
        state: state(),
        honest: honest(&guest),
    }
});

pub(crate) fn run(bytes: &[u8]) {
    let arena = &*ARENA;
    let image = &bytes[..bytes.len().min(IMAGE)];
    let (first, second) = (arena.grade(image), arena.grade(image));
    assert_eq!(told(&first), told(&second));
    assert_eq!(first.written, second.written);
    assert_eq!(first.fuel, second.fuel);
    let printed = first.written.stdout.len() + first.written.stderr.len();
    assert!(printed as u64 <= LIMITS.output_bytes);
    match &first.result {
        Ok(_) => {}
        Err(RunError::Fault(fault)) => assert!(fault.message.len() <= 16 << 10),
        Err(RunError::World(message) | RunError::Host(message)) => {
            panic!("the host failed: {message}")
        }
    }
    let honest = arena.grade(&arena.honest);
    assert_eq!(honest.written.stdout, b"alpha", "{:?}", honest.result);
    assert!(honest.exit_code.is_some());
}

/// Returns the exit code and the result, which must be equal in repeated runs.
fn told(run: &ScriptRun) -> (Option<u8>, String) {
    let result = match &run.result {
        Ok(verdict) => format!("{verdict:?}"),
        Err(error) => error.to_string(),
    };
    (run.exit_code, result)
}

impl Arena {
    fn grade(&self, image: &[u8]) -> ScriptRun {
        let blobs = MemoryBlobs::new();
        let mut task = TreeBuilder::new();
        put(&mut task, &blobs, "image", image);
        let mount = |name: &str, snapshot| Mount {
            name: name.into(),
            snapshot,
        };
        let input = ScriptInput {
            script: "/task/image".into(),
            arguments: vec!["one".into()],
            environment: vec![("KEY".into(), "value \u{1f980}".into())],
            mounts: vec![
                mount("task", Snapshot::new(task.finish(), Arc::new(blobs))),
                mount("state", self.state.clone()),
            ],
            clock: 1_700_000_000,
            seed: 7,
            services: Some(Arc::new(Echo)),
        };
        self.sandbox.verify_script(&self.guest, &input, &LIMITS)
    }
}

fn put(tree: &mut TreeBuilder, blobs: &MemoryBlobs, path: &str, bytes: &[u8]) {
    let file = File {
        size: bytes.len() as u64,
        executable: path.ends_with(".sh"),
        modified: path.ends_with(".sh").then_some(-1),
        content: blobs.put(bytes),
    };
    tree.insert_file(&TreePath::parse(path).unwrap(), file)
        .unwrap();
}

/// Returns a state with small files, a file larger than one read, and all kinds of symlinks.
fn state() -> Snapshot {
    let blobs = MemoryBlobs::new();
    let mut tree = TreeBuilder::new();
    let large: Vec<u8> = (0..2_500_000_u32)
        .map(|number| (number % 251) as u8)
        .collect();
    put(&mut tree, &blobs, "a/b.txt", b"alpha");
    put(&mut tree, &blobs, "a/run.sh", b"");
    put(&mut tree, &blobs, "large", &large);
    put(&mut tree, &blobs, "\u{e9}\u{4e16}", b"\xff\xfe");
    for (path, target) in [
        ("link", "a/b.txt"),
        ("a/up", "../large"),
        ("dir", "a"),
        ("loop", "loop"),
        ("nowhere", "a/none"),
    ] {
        tree.insert_symlink(&TreePath::parse(path).unwrap(), target)
            .unwrap();
    }
    Snapshot::new(tree.finish(), Arc::new(blobs))
}

/// Service that echoes requests, with each variant of [`ServiceAnswer`].
#[derive(Debug)]
struct Echo;

impl ScriptServices for Echo {
    fn open(&self) -> Box<dyn ScriptSession> {
        Box::new(Self)
    }
}

impl ScriptSession for Echo {
    fn call(&mut self, service: &str, request: &str, _: i64) -> ServiceAnswer {
        match service {
            "http" => ServiceAnswer::Answer(request.to_owned()),
            "sql" => ServiceAnswer::Error(request.to_owned()),
            _ => ServiceAnswer::Absent,
        }
    }
}

/// Returns an image that prints `state/a/b.txt`. The guest itself opens the first handles: 1 is the root, 2 the image.
fn honest(guest: &Guest) -> Vec<u8> {
    const PATH: usize = 1024;
    /// Address at which the guest's allocator stores the bytes that are read: after the arguments and the image.
    const READ: u64 = 132_208;
    let path = b"state/link";
    let mut image = [
        guest.call(
            "[method]descriptor.open-at",
            &[1, 1, PATH as u64, path.len() as u64, 0, 1, 2000],
        ),
        guest.call("[method]descriptor.read", &[3, 99, 0, 2020]),
        guest.call("get-stdout", &[]),
        guest.call(
            "[method]output-stream.blocking-write-and-flush",
            &[4, READ, 5, 2040],
        ),
        vec![END, 0, 0, 0, 0],
    ]
    .concat();
    image.resize(PATH, 0);
    image.extend_from_slice(path);
    image
}
