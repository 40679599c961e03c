use std::ffi::OsString;
use std::path::PathBuf;

/// Variables that cargo, rustc and rustup see. All others are withheld, so that a guest is a function of
/// its sources: flags, wrappers, targets and directories that are set for the host's own build, or
/// by the `cargo run` around us, would change it; and what builds other people's guests learns no secret.
///
/// `RUSTUP_TOOLCHAIN` stays: it is how people choose a compiler, also through `cargo +x`, and where
/// no default is set it is the only one. The compiler's identity is part of every stamp.
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

/// How cargo reaches registries. Build scripts see them too, so those that hold a secret
/// are left out; cargo takes tokens from its credentials file as well.
const KEPT_PREFIXES: &[&str] = &[
    "CARGO_NET_",
    "CARGO_HTTP_",
    "CARGO_REGISTRY_",
    "CARGO_REGISTRIES_",
    "CARGO_SOURCE_",
    "NIX_",
];

/// Variables that choose the compiler, which a stamp therefore records.
pub(crate) const CHOOSING: &[&str] = &["RUSTUP_TOOLCHAIN", "RUSTUP_HOME", "CARGO_HOME", "HOME"];

/// The environment for cargo, rustc and rustup.
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

/// Cargo's home directory, by cargo's own rule.
pub(crate) fn cargo_home() -> Option<PathBuf> {
    home("CARGO_HOME", ".cargo")
}

/// Rustup's home directory, by rustup's own rule.
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

/// The file that a program name stands for on the search path.
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
    fn what_cargo_run_and_people_set_for_the_host_is_withheld() {
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
