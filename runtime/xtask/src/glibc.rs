//! Version of the C library that a program needs.

use std::fs;
use std::path::Path;

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::FileHeader;

use crate::DistError;

/// Version of glibc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Glibc {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

/// Returns the lowest version of glibc that has all symbols which a program takes from it. It is 2.17, the first one
/// with wheels, if the program takes none.
pub(crate) fn required(binary: &Path) -> Result<Glibc, DistError> {
    let bytes = fs::read(binary).map_err(|e| DistError::read(binary, e))?;
    let names = version_names(&bytes).map_err(|source| DistError::Elf {
        path: binary.to_owned(),
        source,
    })?;
    let oldest = Glibc {
        major: 2,
        minor: 17,
    };
    let versions = names.iter().filter_map(|name| version(name));
    Ok(versions.fold(oldest, Glibc::max))
}

/// Returns the names of the versions of symbols that an ELF file takes from libraries.
fn version_names(bytes: &[u8]) -> Result<Vec<String>, object::read::Error> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let mut names = Vec::new();
    if let Some((mut libraries, link)) = sections.gnu_verneed(endian, bytes)? {
        let strings = sections.strings(endian, bytes, link)?;
        while let Some((_, mut versions)) = libraries.next()? {
            while let Some(version) = versions.next()? {
                let name = version.name(endian, strings)?;
                names.push(String::from_utf8_lossy(name).into_owned());
            }
        }
    }
    Ok(names)
}

/// Parses names such as `GLIBC_2.34` and `GLIBC_2.2.5`.
fn version(name: &str) -> Option<Glibc> {
    let mut numbers = name.strip_prefix("GLIBC_")?.split('.');
    let major = numbers.next()?.parse().ok()?;
    let minor = numbers.next()?.parse().ok()?;
    Some(Glibc { major, minor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        let of = |name| version(name).map(|it| (it.major, it.minor));
        assert_eq!(of("GLIBC_2.34"), Some((2, 34)));
        assert_eq!(of("GLIBC_2.2.5"), Some((2, 2)));
        assert_eq!(of("GLIBC_PRIVATE"), None);
        assert_eq!(of("GCC_3.0"), None);
    }

    #[test]
    fn this_program_needs_a_version() {
        let required = required(&std::env::current_exe().unwrap()).unwrap();
        assert!(
            required
                >= Glibc {
                    major: 2,
                    minor: 17
                }
        );
        assert!(required < Glibc { major: 3, minor: 0 });
    }

    #[test]
    fn a_text_is_no_program() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("script");
        fs::write(&path, "#!/bin/sh\n").unwrap();
        assert!(matches!(required(&path), Err(DistError::Elf { .. })));
    }
}
