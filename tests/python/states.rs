//! Mutated states that a careless agent might leave, derived from a passing state.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Maximum number of files of a state that are mutated.
const MAX_FILES: usize = 4;

/// Directory of a state with a name for messages.
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) dir: PathBuf,
}

/// Returns the passing state and many mutated copies, each in a directory below `into`.
pub(crate) fn states(passing: &Path, into: &Path) -> Vec<State> {
    let mut files = Vec::new();
    collect(passing, Path::new(""), &mut files);
    files.sort();
    let mut states = vec![spoil(passing, into, "as it should be", |_| {})];
    states.push(spoil(passing, into, "empty", |dir| {
        fs::remove_dir_all(dir).unwrap();
        fs::create_dir(dir).unwrap();
    }));
    for file in files.iter().take(MAX_FILES) {
        let shown = file.display();
        let at = |dir: &Path| dir.join(file);
        states.push(spoil(passing, into, &format!("without {shown}"), |dir| {
            fs::remove_file(at(dir)).unwrap();
        }));
        states.push(spoil(
            passing,
            into,
            &format!("{shown} a directory"),
            |dir| {
                fs::remove_file(at(dir)).unwrap();
                fs::create_dir(at(dir)).unwrap();
            },
        ));
        type Change = fn(Vec<u8>) -> Vec<u8>;
        let changes: [(&str, Change); 4] = [
            ("cut in two", |mut bytes| {
                bytes.truncate(bytes.len() / 2);
                bytes
            }),
            ("with another digit", |bytes| {
                let digit = bytes.iter().rposition(u8::is_ascii_digit);
                replace(bytes, digit, |byte| b'0' + (byte - b'0' + 1) % 10)
            }),
            ("with another letter", |bytes| {
                let letter = bytes.iter().position(u8::is_ascii_lowercase);
                replace(bytes, letter, |byte| b'a' + (byte - b'a' + 1) % 26)
            }),
            ("not UTF-8", |mut bytes| {
                bytes.insert(bytes.len() / 2, 0xff);
                bytes
            }),
        ];
        for (name, change) in changes {
            states.push(spoil(passing, into, &format!("{shown} {name}"), |dir| {
                let bytes = change(fs::read(at(dir)).unwrap());
                fs::write(at(dir), bytes).unwrap();
            }));
        }
    }
    states
}

fn replace(mut bytes: Vec<u8>, at: Option<usize>, with: impl Fn(u8) -> u8) -> Vec<u8> {
    match at {
        Some(at) => bytes[at] = with(bytes[at]),
        None => bytes.push(b'!'),
    }
    bytes
}

fn spoil(passing: &Path, into: &Path, name: &str, change: impl FnOnce(&Path)) -> State {
    let number = fs::read_dir(into).unwrap().count();
    let dir = into.join(number.to_string());
    copy(passing, &dir);
    change(&dir);
    tell_apart(&dir);
    State {
        name: name.to_owned(),
        dir,
    }
}

/// Gives each file a different modification time. Files that are written within one tick of the clock have the same
/// time, and `filecmp` on native Python then does not compare their contents.
fn tell_apart(dir: &Path) {
    let mut files = Vec::new();
    collect(dir, Path::new(""), &mut files);
    let mut time = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    for file in files {
        time += Duration::from_micros(1);
        let open = fs::File::options()
            .write(true)
            .open(dir.join(file))
            .unwrap();
        open.set_modified(time).unwrap();
    }
}

/// Collects the regular files with paths relative to `root`.
fn collect(root: &Path, below: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect(root, &path, files);
        } else if kind.is_file() {
            files.push(path);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            copy(&source, &target);
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source).unwrap(), target).unwrap();
        } else {
            fs::copy(&source, target).unwrap();
        }
    }
}
