//! Classification of environment variables that may contain secrets.

use std::path::Path;

/// Environment variables that describe the machine.
const PLAIN: [&str; 15] = [
    "DISPLAY", "HOME", "HOSTNAME", "LANG", "LANGUAGE", "LOGNAME", "NODE_ENV", "PATH", "PWD",
    "SHELL", "TEMP", "TERM", "TMPDIR", "TZ", "USER",
];

/// Reports whether the value of an environment variable may be a secret. Exceptions are variables that describe the
/// machine, and existing paths, which a program may print.
pub fn may_be_secret(name: &str, value: &str) -> bool {
    let is_plain = PLAIN.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_");
    let is_place = value.starts_with('/') && Path::new(value).exists();
    !is_plain && !is_place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_machine_are_no_secrets() {
        for (name, value, secret) in [
            ("PATH", "/usr/bin:/bin", false),
            ("LC_ALL", "C.UTF-8", false),
            ("XDG_CACHE_HOME", "/nowhere", false),
            ("NOTES_DIR", "/", false),
            ("NOTES_DIR", "/nowhere/to/be/seen", true),
            ("NOTES_TOKEN", "t-123456", true),
            ("HOMELY", "t-123456", true),
        ] {
            assert_eq!(may_be_secret(name, value), secret, "{name}={value}");
        }
    }
}
