//! Python wheel that installs the program, the tasks and the documents.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::DistError;
use crate::content::{Content, Entry};
use crate::glibc::Glibc;
use crate::packages::Package;

/// Name of the distribution in package indexes, where another project has the name of the program.
const NAME: &str = "mcpmark_runner";

/// Writes the wheel into a directory. Returns its path.
pub(crate) fn write(
    dir: &Path,
    program: &Package,
    target: &str,
    required: Glibc,
    compression: u32,
    content: &Content,
) -> Result<PathBuf, DistError> {
    let tag = format!("py3-none-{}", platform(target, required)?);
    let stem = format!("{NAME}-{}", program.version);
    let path = dir.join(format!("{stem}-{tag}.whl"));
    let files = files(&stem, &tag, program, content);
    let write = || -> io::Result<()> {
        let file = BufWriter::new(File::create(&path)?);
        let mut archive = ZipWriter::new(file);
        let time = time(content)?;
        for (name, entry) in files {
            let mode = if entry.is_executable { 0o755 } else { 0o644 };
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .compression_level(Some(compression.into()))
                .last_modified_time(time)
                .unix_permissions(mode);
            archive.start_file(name, options)?;
            archive.write_all(&entry.bytes)?;
        }
        archive.finish()?.flush()
    };
    write().map_err(|e| DistError::write(&path, e))?;
    Ok(path)
}

/// Returns the platform tag: the program runs with this version of the C library or a newer one.
fn platform(target: &str, required: Glibc) -> Result<String, DistError> {
    let machine = match target {
        "x86_64-unknown-linux-gnu" => "x86_64",
        "aarch64-unknown-linux-gnu" => "aarch64",
        _ => return Err(DistError::Platform(target.to_owned())),
    };
    let Glibc { major, minor } = required;
    Ok(format!("manylinux_{major}_{minor}_{machine}"))
}

/// Returns the files of the wheel. The last one lists the others with their digests.
fn files(stem: &str, tag: &str, program: &Package, content: &Content) -> Vec<(String, Entry)> {
    let text = |text: String| Entry {
        bytes: text.into_bytes(),
        is_executable: false,
    };
    let info = format!("{stem}.dist-info");
    let mut files = Vec::new();
    for (path, entry) in &content.entries {
        let name = match path.strip_prefix("bin/") {
            Some(program) => format!("{stem}.data/scripts/{program}"),
            None => format!("{stem}.data/data/{path}"),
        };
        files.push((name, entry.clone()));
    }
    files.push((format!("{info}/METADATA"), text(metadata(program, content))));
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: mcpmark-xtask\nRoot-Is-Purelib: false\nTag: {tag}\n"
    );
    files.push((format!("{info}/WHEEL"), text(wheel)));
    if let Some(license) = content.entries.get("share/doc/mcpmark/LICENSE") {
        files.push((format!("{info}/licenses/LICENSE"), license.clone()));
    }
    let mut record = String::new();
    for (name, Entry { bytes, .. }) in &files {
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
        let _ = writeln!(record, "{name},sha256={digest},{}", bytes.len());
    }
    let _ = writeln!(record, "{info}/RECORD,,");
    files.push((format!("{info}/RECORD"), text(record)));
    files
}

fn metadata(program: &Package, content: &Content) -> String {
    let mut text = String::from("Metadata-Version: 2.4\n");
    let _ = writeln!(text, "Name: {}", NAME.replace('_', "-"));
    let _ = writeln!(text, "Version: {}", program.version);
    let _ = writeln!(text, "Summary: {}", program.description);
    if let Some(license) = &program.license {
        let _ = writeln!(text, "License-Expression: {license}");
    }
    text.push_str("License-File: LICENSE\nRequires-Python: >=3.8\n");
    text.push_str("Description-Content-Type: text/markdown\n\n");
    if let Some(readme) = content.entries.get("share/doc/mcpmark/README.md") {
        text.push_str(&String::from_utf8_lossy(&readme.bytes));
    }
    text
}

/// Returns the time of the files, which has a resolution of two seconds.
fn time(content: &Content) -> io::Result<DateTime> {
    let time = content.timestamp.instant().to_zoned(TimeZone::UTC);
    let part = |number: i8| number.unsigned_abs();
    DateTime::from_date_and_time(
        time.year().unsigned_abs(),
        part(time.month()),
        part(time.day()),
        part(time.hour()),
        part(time.minute()),
        part(time.second()),
    )
    .map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_has_the_version_of_its_c_library() {
        let required = Glibc {
            major: 2,
            minor: 34,
        };
        let of = |target| platform(target, required);
        assert_eq!(
            of("aarch64-unknown-linux-gnu").unwrap(),
            "manylinux_2_34_aarch64"
        );
        let error = of("x86_64-apple-darwin").unwrap_err();
        assert!(matches!(error, DistError::Platform(target) if target == "x86_64-apple-darwin"));
    }
}
