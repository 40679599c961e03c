//! Environment variables for cargo, rustc and rustup.

use std::ffi::OsString;
use std::path::PathBuf;

/// Variables that cargo, rustc and rustup inherit. All others are withheld, so that a guest depends only on its
/// sources. Flags, wrappers, targets and directories that are set for the build of the host, or by a surrounding
/// `cargo run`, would change it. Also, build code of third-party guests must not see secrets.
///
/// `RUSTUP_TOOLCHAIN` is kept: it is how users choose a compiler, also through `cargo +x`, and without a default
/// toolchain it is the only choice. Every stamp records the compiler.
const KEPT: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "TERM",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_DIST_SERVER",
    "RUSTUP_UPDATE_ROOT",
    "RUSTUP_AUTO_INSTALL",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SDKROOT",
    "DEVELOPER_DIR",
];

/// Prefixes of variables that configure the access of cargo to registries. Build scripts see them as well, so variables
/// with a secret are excluded; cargo also reads tokens from its credentials file.
const KEPT_PREFIXES: &[&str] = &[
    "CARGO_NET_",
    "CARGO_HTTP_",
    "CARGO_REGISTRY_",
    "CARGO_REGISTRIES_",
    "CARGO_SOURCE_",
    "NIX_",
];

/// Variables that determine the compiler. Stamps record them.
pub(crate) const CHOOSING: &[&str] = &["RUSTUP_TOOLCHAIN", "RUSTUP_HOME", "CARGO_HOME", "HOME"];

/// Returns the environment for cargo, rustc and rustup.
pub(crate) fn clean() -> Vec<(OsString, OsString)> {
    std::env::vars_os()
        .filter(|(name, _)| is_kept(&name.to_string_lossy()))
        .collect()
}

fn is_kept(name: &str) -> bool {
    let is_secret = ["_TOKEN", "_SECRET_KEY", "_PASSWORD", "_CREDENTIAL_PROVIDER"]
        .iter()
        .any(|ending| name.ends_with(ending));
    !is_secret
        && (KEPT.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

/// Returns the home directory of cargo, by cargo's rule.
pub(crate) fn cargo_home() -> Option<PathBuf> {
    home("CARGO_HOME", ".cargo")
}

/// Returns the home directory of rustup, by rustup's rule.
pub(crate) fn rustup_home() -> Option<PathBuf> {
    home("RUSTUP_HOME", ".rustup")
}

fn home(variable: &str, below_home: &str) -> Option<PathBuf> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    set(variable).or_else(|| Some(set("HOME")?.join(below_home)))
}

/// Finds a program in the directories of `PATH`.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::is_kept;

    #[test]
    fn variables_for_builds_of_the_host_are_withheld() {
        for name in [
            "CARGO",
            "CARGO_BUILD_TARGET",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_INCREMENTAL",
            "CARGO_MAKEFLAGS",
            "CARGO_MANIFEST_DIR",
            "CARGO_PROFILE_RELEASE_LTO",
            "CARGO_TARGET_DIR",
            "LD_LIBRARY_PATH",
            "OPENAI_API_KEY",
            "RUSTC",
            "RUSTC_BOOTSTRAP",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTC_WRAPPER",
            "RUSTFLAGS",
        ] {
            assert!(!is_kept(name), "{name}");
        }
        for name in [
            "PATH",
            "RUSTUP_TOOLCHAIN",
            "CARGO_HOME",
            "CARGO_NET_OFFLINE",
            "https_proxy",
        ] {
            assert!(is_kept(name), "{name}");
        }
    }
}
