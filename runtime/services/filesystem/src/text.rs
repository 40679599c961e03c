//! Texts that the tools make: parts of files, sizes, times.

use std::io::Read;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::profile::Profile;

/// The real server reads the first and last lines of a file in pieces of so many bytes.
const PIECE: usize = 1024;

/// The first lines of a file, whatever their number is to JavaScript: 1.5 gives two, -1 none.
pub(crate) fn head(mut file: impl Read, lines: f64, profile: Profile) -> std::io::Result<String> {
    let mut text = Vec::new();
    let mut ends = 0_u64;
    let mut at = 0;
    let mut piece = [0; PIECE];
    if lines <= 0.0 {
        return Ok(String::new());
    }
    loop {
        let Some(end) = text[at..].iter().position(|byte| *byte == b'\n') else {
            let read = fill(&mut file, &mut piece)?;
            if read == 0 {
                break;
            }
            at = text.len();
            match profile.decodes_pieces() {
                true => text.extend(String::from_utf8_lossy(&piece[..read]).bytes()),
                false => text.extend(&piece[..read]),
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
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn fill(file: &mut impl Read, piece: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The last lines of a file. What follows the last line feed counts as a line, also when it is
/// empty.
pub(crate) fn tail(bytes: &[u8], lines: f64, profile: Profile) -> String {
    match profile.decodes_pieces() {
        true => tail_by_pieces(bytes, lines),
        false => tail_by_lines(bytes, lines),
    }
}

/// Reads back until there are enough line feeds, and takes the lines as JavaScript's `slice`
/// counts them: of 0.5 lines it makes all that was read.
fn tail_by_lines(bytes: &[u8], lines: f64) -> String {
    let mut start = bytes.len();
    let mut ends = 0_usize;
    while start > 0 && (ends as f64) < lines {
        let end = start;
        start = end.saturating_sub(PIECE);
        let piece = &bytes[start..end];
        ends += piece.iter().filter(|byte| **byte == b'\n').count();
    }
    let text = normalise_line_ends(&String::from_utf8_lossy(&bytes[start..]));
    let found: Vec<&str> = text.split('\n').collect();
    let taken = match lines.trunc() as usize {
        0 => found.len(),
        taken => taken.min(found.len()),
    };
    found[found.len() - taken..].join("\n")
}

fn tail_by_pieces(bytes: &[u8], lines: f64) -> String {
    let mut found: Vec<String> = Vec::new();
    let mut rest = String::new();
    let mut end = bytes.len();
    while end > 0 && (found.len() as f64) < lines {
        let start = end.saturating_sub(PIECE);
        let text = String::from_utf8_lossy(&bytes[start..end]) + rest.as_str();
        let text = normalise_line_ends(&text);
        let mut pieces: Vec<&str> = text.split('\n').collect();
        let first = if start > 0 { pieces.remove(0) } else { "" };
        for line in pieces.iter().rev() {
            if found.len() as f64 >= lines {
                break;
            }
            found.push((*line).to_owned());
        }
        rest = first.to_owned();
        end = start;
    }
    found.reverse();
    found.join("\n")
}

pub(crate) fn normalise_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A size with the unit that suits it, two decimals from a kibibyte on.
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

/// A time as JavaScript writes a date in UTC.
pub(crate) fn date(seconds: i64) -> String {
    match Timestamp::from_second(seconds) {
        Ok(time) => time
            .to_zoned(TimeZone::UTC)
            .strftime("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)")
            .to_string(),
        Err(_) => "Invalid Date".to_owned(),
    }
}
