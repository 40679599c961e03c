//! Text of tool results: parts of files, sizes and times.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use mcpmark_service::checkpoint;

use crate::failure::Failure;
use crate::profile::Profile;

/// Size of the pieces in which the published server reads the first and last lines of a file, in bytes.
const PIECE: usize = 1024;

/// Returns the first lines of a file. The number of lines is interpreted as by JavaScript: 1.5 gives two lines, -1
/// none. Fails if they exceed `limit` bytes.
pub(crate) fn head(
    mut file: impl Read,
    lines: f64,
    profile: Profile,
    limit: u64,
) -> Result<String, Failure> {
    let mut text = Vec::new();
    let mut ends = 0_u64;
    let mut at = 0;
    let mut piece = [0; PIECE];
    if lines <= 0.0 {
        return Ok(String::new());
    }
    loop {
        let Some(end) = text[at..].iter().position(|byte| *byte == b'\n') else {
            checkpoint()?;
            // Everything except a line feed at the end is part of the result.
            if text.len() as u64 > limit.saturating_add(1) {
                return Err(Failure::too_long(limit));
            }
            let read = fill(&mut file, &mut piece).map_err(|error| Failure::io(&error, "read"))?;
            if read == 0 {
                break;
            }
            at = text.len();
            if profile.decodes_pieces() {
                text.extend(String::from_utf8_lossy(&piece[..read]).bytes())
            } else {
                text.extend(&piece[..read])
            }
            continue;
        };
        at += end + 1;
        ends += 1;
        if ends as f64 >= lines {
            text.truncate(at);
            break;
        }
    }
    if text.ends_with(b"\n") {
        text.pop();
    }
    Ok(decoded(text))
}

/// Decodes bytes as UTF-8 and replaces invalid sequences.
pub(crate) fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn fill(file: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the last lines of a file. The text after the last line feed counts as a line, even if it is empty. Fails if
/// they exceed `limit` bytes.
pub(crate) fn tail(
    file: &File,
    lines: f64,
    profile: Profile,
    limit: u64,
) -> Result<String, Failure> {
    let size = file.metadata().map_err(|e| Failure::io(&e, "fstat"))?.len();
    if profile.decodes_pieces() {
        tail_by_pieces(file, size, lines, limit)
    } else {
        tail_by_lines(file, size, lines, limit)
    }
}

/// Reads backwards until there are enough line feeds, and takes the lines like JavaScript's `slice(-lines)`, which
/// returns everything that was read for 0.5 lines.
fn tail_by_lines(file: &File, size: u64, lines: f64, limit: u64) -> Result<String, Failure> {
    let taken = lines.trunc() as usize;
    let mut start = size;
    let mut ends = 0_usize;
    let mut piece = [0; PIECE];
    while lines > 0.0 && start > 0 && ends < taken.max(1) {
        checkpoint()?;
        // Everything that was read so far is part of the result, except carriage returns, which are at most half of it.
        if (size - start) / 2 > limit {
            return Err(Failure::too_long(limit));
        }
        let piece = read_before(file, &mut start, &mut piece)?;
        ends += piece.iter().filter(|byte| **byte == b'\n').count();
    }
    let mut bytes = vec![0; (size - start) as usize];
    file.read_exact_at(&mut bytes, start)
        .map_err(|error| Failure::io(&error, "read"))?;
    let text = decoded(bytes);
    let mut text = normalise_line_ends(&text);
    let before = taken.checked_sub(1);
    if let Some((end, _)) = before.and_then(|lines| text.rmatch_indices('\n').nth(lines)) {
        text = Cow::Owned(text[end + 1..].to_owned());
    }
    if text.len() as u64 > limit {
        Err(Failure::too_long(limit))
    } else {
        Ok(text.into_owned())
    }
}

/// Reads backwards in pieces, and decodes each piece separately.
fn tail_by_pieces(file: &File, size: u64, lines: f64, limit: u64) -> Result<String, Failure> {
    let mut found: Vec<String> = Vec::new();
    let mut length = 0_u64;
    let mut ends = 0_u64;
    let mut start = size;
    let mut piece = [0; PIECE];
    while start > 0 && (ends as f64) < lines {
        checkpoint()?;
        let text = String::from_utf8_lossy(read_before(file, &mut start, &mut piece)?);
        let text = normalise_line_ends(&text);
        let mut from = 0;
        for (end, _) in text.rmatch_indices('\n') {
            ends += 1;
            if ends as f64 >= lines {
                from = end + 1;
                break;
            }
        }
        length += (text.len() - from) as u64;
        if length > limit {
            return Err(Failure::too_long(limit));
        }
        found.push(text[from..].to_owned());
    }
    found.reverse();
    Ok(found.concat())
}

/// Reads the piece that ends at `place`, and moves `place` to its start.
fn read_before<'p>(
    file: &File,
    place: &mut u64,
    piece: &'p mut [u8; PIECE],
) -> Result<&'p [u8], Failure> {
    let start = place.saturating_sub(PIECE as u64);
    let piece = &mut piece[..(*place - start) as usize];
    file.read_exact_at(piece, start)
        .map_err(|error| Failure::io(&error, "read"))?;
    *place = start;
    Ok(piece)
}

pub(crate) fn normalise_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Formats a size with a suitable unit, and with two decimals from one KiB on.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let power = match bytes {
        0 => 0,
        _ => (bytes.ilog2() as usize / 10).min(UNITS.len() - 1),
    };
    if power == 0 {
        return format!("{bytes} B");
    }
    let unit = 1_u128 << (10 * power);
    let hundredths = (u128::from(bytes) * 200 + unit) / (2 * unit);
    format!(
        "{}.{:02} {}",
        hundredths / 100,
        hundredths % 100,
        UNITS[power]
    )
}

/// Formats a time like JavaScript's `Date` in UTC.
pub(crate) fn date(seconds: i64) -> String {
    match Timestamp::from_second(seconds) {
        Ok(time) => time
            .to_zoned(TimeZone::UTC)
            .strftime("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)")
            .to_string(),
        Err(_) => "Invalid Date".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use proptest::prelude::*;

    /// Returns the last lines by the slow algorithms of the published servers.
    fn expected_tail(bytes: &[u8], lines: f64, profile: Profile) -> String {
        let mut pieces: Vec<&[u8]> = bytes.rchunks(PIECE).collect();
        if profile.decodes_pieces() {
            let mut text = String::new();
            let mut found: Vec<String> = Vec::new();
            while !pieces.is_empty() && (found.len() as f64) < lines {
                let piece = String::from_utf8_lossy(pieces.remove(0));
                text = (piece + text.as_str()).replace("\r\n", "\n");
                let mut all: Vec<String> = text.split('\n').map(str::to_owned).collect();
                text = if pieces.is_empty() {
                    String::new()
                } else {
                    all.remove(0)
                };
                let wanted = all.into_iter().rev();
                for line in wanted {
                    if (found.len() as f64) < lines {
                        found.push(line);
                    }
                }
            }
            found.reverse();
            return found.join("\n");
        }
        let mut read: Vec<u8> = Vec::new();
        let ends = |read: &[u8]| read.iter().filter(|byte| **byte == b'\n').count() as f64;
        while !pieces.is_empty() && ends(&read) < lines {
            read = [pieces.remove(0), &read].concat();
        }
        let text = String::from_utf8_lossy(&read).replace("\r\n", "\n");
        let found: Vec<&str> = text.split('\n').collect();
        let taken = match lines.trunc() as usize {
            0 => found.len(),
            taken => taken.min(found.len()),
        };
        found[found.len() - taken..].join("\n")
    }

    proptest! {
        #[test]
        fn the_last_lines_are_those_of_the_real_server(
            parts in prop::collection::vec(("[ab\u{e9}\r]{0,3}", prop::sample::select(vec!["\n", "\r\n", ""]), 1..700_usize), 0..6),
            lines in prop::sample::select(vec![-1.0, 0.5, 1.0, 1.5, 2.0, 3.0, 40.0, 1e9]),
        ) {
            let text: String = parts.iter().map(|(line, end, times)| format!("{line}{end}").repeat(*times)).collect();
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            for profile in [Profile::V2025_12_18, Profile::V2026_8_31] {
                let found = tail(&file, lines, profile, u64::MAX).unwrap();
                prop_assert_eq!(found, expected_tail(text.as_bytes(), lines, profile));
            }
        }
    }
}
