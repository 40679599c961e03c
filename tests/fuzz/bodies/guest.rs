//! Fuzz target of the memory of a hostile guest: arguments and return pointers of host functions, and the verdict. The
//! first byte selects a string encoding; the rest is the image of `guest.wat`.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use mcpmark_sandbox::{
    Limits, Run, RunError, Sandbox, SandboxConfig, Verdict, Verifier, VerifyInput,
};
use mcpmark_snapshot::{File, MemoryBlobs, Snapshot, Tree, TreeBuilder, TreePath};

const ENCODINGS: [&str; 3] = ["utf8", "utf16", "latin1+utf16"];
const IMAGE: usize = 65_536;

const LIMITS: Limits = Limits {
    fuel: 200_000,
    memory_bytes: 1 << 20,
    copy_bytes: 1 << 20,
    log_bytes: 1 << 10,
    output_bytes: 4 << 10,
    checks: 50,
    ..Limits::VERIFIER
};

struct Arena {
    sandbox: Sandbox,
    guests: [Verifier; 3],
    honest: Vec<u8>,
}

static ARENA: LazyLock<Arena> = LazyLock::new(|| {
    let config = SandboxConfig {
        slots: 1,
        ..SandboxConfig::default()
    };
    let sandbox = Sandbox::new(&config).unwrap().trusting();
    let guests = ENCODINGS.map(|encoding| {
        let text = include_str!("guest.wat");
        let text = text.replace("ENCODING", &format!("string-encoding={encoding}"));
        sandbox.verifier(&wat::parse_str(text).unwrap()).unwrap()
    });
    Arena {
        sandbox,
        guests,
        honest: honest(),
    }
});

pub(crate) fn run(bytes: &[u8]) {
    let Some((encoding, image)) = bytes.split_first() else {
        return;
    };
    let arena = &*ARENA;
    let guest = &arena.guests[usize::from(*encoding) % arena.guests.len()];
    let image = &image[..image.len().min(IMAGE)];
    let (first, second) = (arena.grade(guest, image), arena.grade(guest, image));
    assert_eq!(told(&first), told(&second));
    assert_eq!((&first.log, first.fuel), (&second.log, second.fuel));
    let kept: usize = first.log.text().len();
    assert!(kept as u64 <= LIMITS.log_bytes);
    match &first.result {
        Ok(verdict) => well_formed(verdict),
        Err(RunError::Fault(fault)) => assert!(fault.message.len() <= 16 << 10),
        Err(RunError::World(message) | RunError::Host(message)) => {
            panic!("the host failed: {message}")
        }
    }
    let honest = arena.grade(&arena.guests[0], &arena.honest);
    assert!(honest.result.is_ok_and(|verdict| verdict.passed()));
}

fn told(run: &Run<Verdict>) -> Result<&Verdict, String> {
    run.result.as_ref().map_err(ToString::to_string)
}

fn well_formed(verdict: &Verdict) {
    let checks = verdict.checks();
    assert!(!checks.is_empty() && checks.len() as u64 <= LIMITS.checks);
    let names: HashSet<&str> = checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names.len(), checks.len());
    assert!(names.iter().all(|name| !name.trim().is_empty()));
    let sizes = checks.iter().map(|it| it.name.len() + it.detail.len());
    assert!(sizes.sum::<usize>() as u64 <= LIMITS.output_bytes);
}

impl Arena {
    fn grade(&self, guest: &Verifier, image: &[u8]) -> Run<Verdict> {
        let blobs = MemoryBlobs::new();
        let tree = |files: &[(&str, &[u8])]| -> Tree {
            let mut tree = TreeBuilder::new();
            for (path, content) in files {
                let file = File {
                    size: content.len() as u64,
                    executable: path.ends_with(".sh"),
                    modified: path.ends_with(".sh").then_some(-1),
                    content: blobs.put(*content),
                };
                tree.insert_file(&TreePath::parse(path).unwrap(), file)
                    .unwrap();
            }
            let link = TreePath::parse("link").unwrap();
            tree.insert_symlink(&link, "a/b.txt").unwrap();
            tree.finish()
        };
        let start = tree(&[("a/b.txt", b"before"), ("a/gone.sh", b""), ("image", b"")]);
        let end = tree(&[
            ("a/b.txt", b"after"),
            ("\u{e9}\u{4e16}/c", b"\xff"),
            ("image", image),
        ]);
        let blobs = Arc::new(blobs);
        let input = VerifyInput {
            answer: Some("done \u{1f980}".into()),
            ..VerifyInput::new(
                Snapshot::new(start, blobs.clone()),
                Snapshot::new(end, blobs),
            )
        };
        self.sandbox.verify(guest, input, &LIMITS)
    }
}

/// Returns an image that makes every call and returns one passed check.
fn honest() -> Vec<u8> {
    let mut image = vec![0; 1024];
    let mut set = |at: usize, bytes: &[u8]| image[at..at + bytes.len()].copy_from_slice(bytes);
    set(0, &900_u32.to_le_bytes());
    set(24, &[9]);
    set(800, b"a/b.txt");
    for call in 0..9_u32 {
        let at = 32 + 40 * call as usize;
        let length = if matches!(call, 1 | 2) { 1_u32 } else { 7 };
        for (index, field) in [call, 1, 800, length].into_iter().enumerate() {
            set(at + 4 * index, &field.to_le_bytes());
        }
        set(at + 24, &100_u64.to_le_bytes());
        set(at + 32, &1000_u32.to_le_bytes());
    }
    // One passed check at 912, with its name at 800 and no detail.
    for (at, word) in [(900, 912), (904, 1), (912, 800), (916, 7), (920, 1)] {
        set(at, &u32::to_le_bytes(word));
    }
    // Extends the image, so that the results of the calls do not overlap it.
    image.resize(2048, 0);
    image
}
