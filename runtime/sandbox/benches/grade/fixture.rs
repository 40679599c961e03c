//! Benchmark input: a register in CSV and the report that an agent made of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use mcpmark_build::{Builder, Options};
use mcpmark_sandbox::VerifyInput;
use mcpmark_snapshot::{CaptureOptions, MemoryBlobs, Snapshot, Store, capture};
use mcpmark_task::GuestSource;

pub(crate) struct Fixture {
    pub(crate) memory: VerifyInput,
    pub(crate) disk: VerifyInput,
    pub(crate) root: tempfile::TempDir,
}

impl Fixture {
    /// Returns a fixture whose register has at least this many bytes, up to a line more.
    pub(crate) fn of(bytes: usize) -> Self {
        let mut register = "day,name,minutes,task\n".to_owned();
        let mut minutes: BTreeMap<String, usize> = BTreeMap::new();
        for number in 0_usize.. {
            if register.len() >= bytes {
                break;
            }
            let (name, spent) = (
                format!("helper-{:02}", number * 7 % 40),
                15 + number * 13 % 90,
            );
            let day = 1 + number % 28;
            writeln!(register, "2025-03-{day:02},{name},{spent},sorting").unwrap();
            *minutes.entry(name).or_default() += spent;
        }
        let rows = minutes
            .iter()
            .map(|(name, minutes)| format!("{name},{minutes}\n"));
        let report = "name,minutes\n".to_owned() + &rows.collect::<String>();

        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path().join("store")).unwrap();
        let memory = Arc::new(MemoryBlobs::new());
        let world = |name: &str, files: &[(&str, &str)]| {
            let dir = root.path().join(name);
            fs::create_dir(&dir).unwrap();
            for (file, content) in files {
                fs::write(dir.join(file), content).unwrap();
                memory.put(*content);
            }
            capture(&dir, &store, &CaptureOptions::default()).unwrap()
        };
        let before = [
            ("register.csv", register.as_str()),
            ("notes.txt", "to do\n"),
        ];
        let after = [before[0], before[1], ("report.csv", report.as_str())];
        let (start, end) = (world("start", &before), world("end", &after));
        let input = |blobs: Arc<dyn mcpmark_snapshot::Blobs>| {
            let start = Snapshot::new(start.clone(), Arc::clone(&blobs));
            VerifyInput::new(start, Snapshot::new(end.clone(), blobs))
        };
        Self {
            memory: input(memory.clone()),
            disk: input(Arc::new(store.clone())),
            root,
        }
    }
}

/// Returns a guest of the hostile corpus.
pub(crate) fn wat(name: &str) -> Vec<u8> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile");
    wat::parse_file(directory.join(name).with_extension("wat")).unwrap()
}

/// Builds a guest of `benches/guests`.
pub(crate) fn guest(source: &str) -> Vec<u8> {
    let package_dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/guests");
    let source = GuestSource::Rust {
        source: package_dir.join(source),
        package_dir,
    };
    let options = Options::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join("guests"));
    let built = Builder::new(options).build(&[source], &mut |_| {}).unwrap();
    fs::read(&built[0].path).unwrap()
}

/// Returns the path of the interpreter itself: `python3` in `PATH` may be a script that searches for it.
pub(crate) fn python() -> PathBuf {
    let asked = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .expect("python3 is there to compare with");
    PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim())
}

/// Returns the memory of this process that is not backed by files, in KiB.
pub(crate) fn resident_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}
