//! Identifiers of pages, databases, blocks, users and comments.

use std::fmt;

use mcpmark_snapshot::Digest;

/// UUID, written with or without dashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u128);

/// Positions of the dashes of a UUID.
const DASHES: [usize; 4] = [8, 13, 18, 23];

/// Bits in which the ids of a database and of its first data source differ. The bits of the version and the variant
/// are equal.
const DATA_SOURCE: u128 = 0x5f1d_2c84_91b7_0e3a_16c9_d0a5_73f2_4b68;

impl Id {
    /// Parses 32 hexadecimal digits, with all four dashes of a UUID or without any.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = match text.len() {
            32 => text.to_owned(),
            36 => {
                let bytes = text.as_bytes();
                if DASHES.iter().any(|at| bytes[*at] != b'-') {
                    return None;
                }
                text.replace('-', "")
            }
            _ => return None,
        };
        let is_hex = digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u128::from_str_radix(&digits, 16)
            .ok()
            .filter(|_| is_hex)
            .map(Self)
    }

    /// Returns the 32 digits without dashes, as in URLs.
    pub fn simple(self) -> String {
        format!("{:032x}", self.0)
    }

    /// Returns the id of the first data source of the database with this id. Data sources of the real service have
    /// ids of their own; here one follows from the other, so that worlds need not state it.
    pub fn data_source(self) -> Self {
        Self(self.0 ^ DATA_SOURCE)
    }

    /// Returns the id of the database whose first data source has this id.
    pub fn database(self) -> Self {
        Self(self.0 ^ DATA_SOURCE)
    }

    /// Derives an id from a text: a UUID of version 4 whose random bits are those of a digest.
    fn derived(text: &str) -> Self {
        let digest = Digest::of(text.as_bytes());
        let mut bits = [0; 16];
        bits.copy_from_slice(&digest.as_bytes()[..16]);
        let bits = u128::from_be_bytes(bits);
        let version = bits & !(0xf << 76) | (4 << 76);
        Self(version & !(0b11 << 62) | (0b10 << 62))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.simple();
        write!(
            f,
            "{}-{}-{}-{}-{}",
            &digits[..8],
            &digits[8..12],
            &digits[12..16],
            &digits[16..20],
            &digits[20..]
        )
    }
}

/// Source of new ids: a function of a seed and the number of earlier ids.
#[derive(Debug, Clone)]
pub struct IdSource {
    seed: u64,
    count: u64,
}

impl IdSource {
    /// Creates the source of a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, count: 0 }
    }

    /// Returns the next id of a kind that is not taken. Ids of different kinds are never equal, so only those of the
    /// same kind can be taken.
    pub fn next(&mut self, kind: &str, mut is_taken: impl FnMut(Id) -> bool) -> Id {
        loop {
            self.count += 1;
            let id = Id::derived(&format!("notion {kind} {} {}", self.seed, self.count));
            if !is_taken(id) {
                return id;
            }
        }
    }

    /// Returns the id of the request with this number. It is separate from the sequence of other ids, because requests
    /// that only read must not change the ids of later objects.
    pub fn of_request(&self, number: u64) -> Id {
        Id::derived(&format!("notion request {} {number}", self.seed))
    }

    /// Returns the next short id, such as that of a property, that is not taken.
    pub fn next_short(&mut self, mut is_taken: impl FnMut(&str) -> bool) -> String {
        const LETTERS: &[u8; 62] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        loop {
            self.count += 1;
            let digest =
                Digest::of(format!("notion short {} {}", self.seed, self.count).as_bytes());
            let letter = |byte: &u8| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]);
            let text: String = digest.as_bytes()[..4].iter().map(letter).collect();
            if !is_taken(&text) {
                return text;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_in_both_forms() {
        let text = "0f4e2b1a-1111-4222-8333-0123456789ab";
        let id = Id::parse(text).unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(Id::parse(&id.simple()), Some(id));
        for bad in [
            "",
            "abc",
            "0f4e2b1a11114-222-8333-0123456789ab",
            "+f4e2b1a1111422283330123456789ab",
        ] {
            assert_eq!(Id::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn data_sources_have_another_id_of_the_same_version() {
        let id = Id::parse("0f4e2b1a-1111-4222-8333-0123456789ab").unwrap();
        let source = id.data_source();
        assert_ne!(source, id);
        assert_eq!(source.database(), id);
        assert_eq!(source.to_string(), "5053079e-80a6-4c18-95fa-d1863695c2c3");
    }

    #[test]
    fn new_ids_follow_from_the_seed() {
        let mut source = IdSource::new(7);
        let first = source.next("block", |_| false);
        assert_eq!(IdSource::new(7).next("block", |_| false), first);
        assert_ne!(IdSource::new(7).next("block", |id| id == first), first);
        assert_ne!(IdSource::new(8).next("block", |_| false), first);
        assert_eq!(&first.to_string()[14..15], "4");
        assert!(matches!(&first.to_string()[19..20], "8" | "9" | "a" | "b"));
    }
}
