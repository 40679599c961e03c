//! Tests of the search for a compiler, on a fake machine.

use super::*;
use crate::process::Finished;

/// Fake machine. Running a command may change it.
#[derive(Debug, Clone)]
struct Pretended {
    rustup: bool,
    target_installed: bool,
    network: bool,
    root: bool,
    debian_installed: bool,
    offered: &'static str,
    offered_after_update: &'static str,
    active_release: &'static str,
    ran: Vec<String>,
    /// True if some call did not forbid rustup to install a toolchain.
    could_install: bool,
}

/// Debian as root, with an up-to-date rustup and no network.
const MACHINE: Pretended = Pretended {
    rustup: true,
    target_installed: false,
    network: false,
    root: true,
    debian_installed: false,
    offered: "1.96.0+dfsg1-1~deb12u2",
    offered_after_update: "1.96.0+dfsg1-1~deb12u2",
    active_release: "1.95.0",
    ran: Vec::new(),
    could_install: false,
};

impl Machine for Pretended {
    fn run(&mut self, call: &Call) -> Result<Finished, BuildError> {
        let typed = call.typed();
        let done = |success, stdout: String, stderr: &str| {
            Ok(Finished {
                success,
                stdout,
                stderr: stderr.to_owned(),
            })
        };
        let words: Vec<&str> = typed.split(' ').collect();
        self.could_install |= !call.env.contains(&("RUSTUP_AUTO_INSTALL", "0".into()));
        if !words[0].ends_with("rustc") {
            self.ran.push(typed.clone());
        }
        match words[..] {
            ["rustc", "-vV"] => {
                let release = self.active_release;
                done(
                    true,
                    format!("rustc\ncommit-hash: abc\nhost: h\nrelease: {release}\n"),
                    "",
                )
            }
            ["rustc", ..] => done(true, "/toolchain\n/toolchain/wasm\n".to_owned(), ""),
            [DEBIAN_RUSTC, "-vV"] => done(
                true,
                "rustc\ncommit-hash: unknown\nhost: h\nrelease: 1.96.0\n".to_owned(),
                "",
            ),
            [DEBIAN_RUSTC, ..] => done(true, "/usr\n/usr/wasm\n".to_owned(), ""),
            ["rustup", ..] if self.network => {
                self.target_installed = true;
                done(true, String::new(), "")
            }
            ["rustup", ..] => done(
                false,
                String::new(),
                "info: downloading\nerror: could not download file\n",
            ),
            ["apt-cache", ..] => done(
                true,
                format!("rustc-web:\n  Candidate: {}\n", self.offered),
                "",
            ),
            ["apt-get", "update"] => {
                self.offered = self.offered_after_update;
                done(true, String::new(), "")
            }
            ["apt-get", "install", ..] => {
                self.debian_installed = true;
                done(true, String::new(), "")
            }
            _ => done(false, String::new(), ""),
        }
    }

    fn is_file(&self, path: &Path) -> bool {
        match path.to_str() {
            Some(DEBIAN_RUSTC | "/usr/lib/rustlib/src/rust/library/std/src/lib.rs") => {
                self.debian_installed
            }
            Some("/toolchain/lib/rustlib/h/bin/rust-lld") => true,
            _ => false,
        }
    }

    fn on_path(&self, program: &str) -> Option<PathBuf> {
        (program != "wasm-ld" && (program != "rustup" || self.rustup))
            .then(|| Path::new("/bin").join(program))
    }

    fn is_root(&self) -> bool {
        self.root
    }

    fn has_std(&self, libdir: &Path) -> bool {
        self.target_installed && libdir == Path::new("/toolchain/wasm")
    }
}

/// Returns the toolchain, the commands that were run except those of rustc, and the reported events.
fn search(
    machine: &Pretended,
    change: impl FnOnce(&mut Options),
) -> (Result<Toolchain, String>, Vec<String>, Vec<String>) {
    let mut machine = machine.clone();
    let mut options = Options::new("/products");
    change(&mut options);
    let mut told = Vec::new();
    let found = find(&mut machine, &options, Path::new("/"), &mut |event| {
        told.push(event.to_string())
    });
    assert_eq!(machine.could_install, options.allow_install);
    (found.map_err(|error| error.to_string()), machine.ran, told)
}

#[test]
fn an_installed_target_is_taken_without_a_word() {
    let (found, ran, told) = search(
        &Pretended {
            target_installed: true,
            ..MACHINE
        },
        |_| {},
    );
    assert_eq!(found.unwrap().kind, Kind::Active);
    assert!(ran.is_empty() && told.is_empty(), "{ran:?} {told:?}");
}

#[test]
fn rustup_adds_the_target() {
    let (found, ran, told) = search(
        &Pretended {
            network: true,
            ..MACHINE
        },
        |_| {},
    );
    assert_eq!(found.unwrap().kind, Kind::Active);
    assert_eq!(ran, ["rustup target add wasm32-unknown-unknown"]);
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn debian_is_the_last_resort() {
    let install = "apt-get install -y --no-remove --no-install-recommends rustc-web rust-web-src";
    let (found, ran, told) = search(&MACHINE, |_| {});
    let found = found.unwrap();
    assert_eq!(found.kind, Kind::Debian);
    assert_eq!(
        found.linker.unwrap(),
        Path::new("/toolchain/lib/rustlib/h/bin/rust-lld")
    );
    assert_eq!(
        ran,
        [
            "rustup target add wasm32-unknown-unknown",
            "apt-cache policy rustc-web",
            install
        ]
    );
    assert_eq!(
        told,
        [
            "the active toolchain, rustc 1.95.0, has no target wasm32-unknown-unknown",
            "installing a compiler for wasm32-unknown-unknown: rustup target add wasm32-unknown-unknown",
            "`rustup target add wasm32-unknown-unknown` failed (error: could not download file)",
            &format!("installing a compiler for wasm32-unknown-unknown: {install}"),
        ]
    );

    let stale = Pretended {
        offered: "1.85.0+dfsg3-1~deb12u3",
        ..MACHINE
    };
    assert_eq!(
        search(&stale, |_| {}).1[2..],
        ["apt-get update", "apt-cache policy rustc-web", install]
    );

    let (found, ran, _) = search(
        &Pretended {
            debian_installed: true,
            ..MACHINE
        },
        |options| options.allow_install = false,
    );
    assert_eq!(found.unwrap().kind, Kind::Debian);
    assert!(ran.is_empty(), "{ran:?}");
}

#[test]
fn the_error_tells_every_way_that_was_closed() {
    let tail = "; to install one, run `rustup target add wasm32-unknown-unknown` or `apt-get install rustc-web rust-web-src`";
    let head = "no compiler for wasm32-unknown-unknown: ";
    let active = "the active toolchain, rustc 1.95.0, has no target wasm32-unknown-unknown; ";
    let rustup =
        "`rustup target add wasm32-unknown-unknown` failed (error: could not download file)";
    let debian = "; Debian's compiler is not usable: /usr/bin/rustc does not exist, and ";
    let closed =
        |machine: &Pretended, change: fn(&mut Options)| search(machine, change).0.unwrap_err();

    let forbidden = closed(&MACHINE, |options| options.allow_install = false);
    assert_eq!(
        forbidden,
        format!(
            "{head}{active}adding the target with rustup is not allowed\
             {debian}installing rustc-web rust-web-src is not allowed{tail}"
        )
    );
    let user = closed(
        &Pretended {
            root: false,
            ..MACHINE
        },
        |_| {},
    );
    assert_eq!(
        user,
        format!("{head}{active}{rustup}{debian}only root can install rustc-web rust-web-src{tail}")
    );
    let old = closed(
        &Pretended {
            offered: "(none)",
            offered_after_update: "1.85.0",
            rustup: false,
            ..MACHINE
        },
        |_| {},
    );
    let none = "apt does not offer rustc-web rust-web-src 1.95 or later";
    assert_eq!(
        old,
        format!(
            "{head}{active}rustup is not installed, so it cannot add the target{debian}{none}{tail}"
        )
    );
    let rustup_only = closed(&MACHINE, |options| {
        options.toolchain = ToolchainChoice::Rustup
    });
    assert_eq!(rustup_only, format!("{head}{active}{rustup}{tail}"));
    let aged = Pretended {
        active_release: "1.80.0",
        target_installed: true,
        ..MACHINE
    };
    let aged = closed(&aged, |options| options.toolchain = ToolchainChoice::Rustup);
    assert_eq!(
        aged,
        format!("{head}the active toolchain is not usable: rustc 1.80.0 is older than 1.95{tail}")
    );
}
