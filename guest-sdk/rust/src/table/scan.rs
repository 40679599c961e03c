//! CSV scanner: one pass over the bytes, without an allocation per cell.

/// Records of a CSV text, as ranges of that text.
///
/// A verifier pays for each instruction with fuel, so a cell is not copied: it is a range of the
/// text. Only a quoted cell with an escaped quote, or with text after its closing quote, is
/// rewritten; the result is appended to the text.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) text: String,
    /// Start and end of each cell in `text`, record after record.
    pub(super) cells: Vec<(u32, u32)>,
    pub(super) records: Vec<Record>,
}

/// Position of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Line on which the record begins, from 1.
    pub(super) line: u32,
    /// Index of its first cell.
    pub(super) first: u32,
    /// Index of the cell after its last.
    pub(super) end: u32,
}

/// Reads all records of a text. If `lenient` is true, blank lines are skipped, a quote inside an
/// unquoted cell is text, text after a closing quote belongs to the cell, an open quote is closed
/// by the end of the text, and a CR alone ends a line. Otherwise each of these is an error.
pub(super) fn scan(text: String, separator: u8, lenient: bool) -> Result<Records, String> {
    let bytes = text.as_bytes();
    let mut out = Builder {
        cells: Vec::new(),
        records: Vec::new(),
        first: 0,
        line: 1,
        begun: 1,
    };
    let mut rewritten = String::new();
    // Start of the current cell, and position of the first byte that was not scanned yet.
    let (mut start, mut at) = (0, 0);
    'words: loop {
        let (mut raised, step) = match bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(word) => (candidates(u64::from_le_bytes(*word), separator), 8),
            None => {
                let mut word = [b'a'; 8];
                let rest = bytes.get(at..).unwrap_or_default();
                word[..rest.len()].copy_from_slice(rest);
                (candidates(u64::from_le_bytes(word), separator), rest.len())
            }
        };
        while raised != 0 {
            let here = at + (raised.trailing_zeros() / 8) as usize;
            raised &= raised - 1;
            let Some(&byte) = bytes.get(here) else { break };
            if byte == separator {
                out.cell(start, here);
                start = here + 1;
                continue;
            }
            match byte {
                // The LF that follows ends the record.
                b'\r' if bytes.get(here + 1) == Some(&b'\n') => {}
                b'\r' if !lenient => {
                    return Err(format!(
                        "expected CSV, found a CR without LF in line {}",
                        out.line
                    ));
                }
                b'\n' | b'\r' => {
                    let is_pair = byte == b'\n' && here > start && bytes[here - 1] == b'\r';
                    let end = here - usize::from(is_pair);
                    if start < end || out.is_inside() {
                        out.cell(start, end);
                        out.end_record(text.len(), here);
                    } else if !lenient {
                        return Err(format!("expected CSV, found a blank line {}", out.line));
                    }
                    start = here + 1;
                    out.begin_line();
                }
                b'"' if here == start => {
                    let quoted = quoted(bytes, here + 1, separator, lenient, out.line)?;
                    if quoted.is_plain {
                        out.cell(here + 1, quoted.close);
                    } else {
                        let begin = text.len() + rewritten.len();
                        let inside = &text[here + 1..quoted.close];
                        rewritten.push_str(&inside.replace("\"\"", "\""));
                        rewritten.push_str(&text[quoted.after_close..quoted.end]);
                        out.cell(begin, text.len() + rewritten.len());
                    }
                    out.line += quoted.newlines;
                    at = quoted.end;
                    let end = bytes.get(at).copied();
                    if end == Some(separator) {
                        at += 1;
                        start = at;
                        continue 'words;
                    }
                    out.end_record(text.len(), at);
                    let is_pair = end == Some(b'\r') && bytes.get(at + 1) == Some(&b'\n');
                    at += usize::from(end.is_some()) + usize::from(is_pair);
                    start = at;
                    out.begin_line();
                    continue 'words;
                }
                b'"' if !lenient => {
                    return Err(format!(
                        "expected CSV, found a quote inside an unquoted field in line {}",
                        out.line
                    ));
                }
                _ => {}
            }
        }
        at += step;
        if step < 8 {
            break;
        }
    }
    if start < bytes.len() || out.is_inside() {
        out.cell(start, bytes.len());
        out.end_record(text.len(), bytes.len());
    }
    let (cells, records) = (out.cells, out.records);
    let mut text = text;
    text.push_str(&rewritten);
    Ok(Records {
        text,
        cells,
        records,
    })
}

/// Sets the high bit of each byte that is a separator or not above a quote. Every byte with a
/// meaning in CSV is among them. A borrow may set the bit of another byte as well, so each
/// candidate has to be checked again.
fn candidates(word: u64, separator: u8) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    const ABOVE_QUOTE: u64 = ONES * (b'"' as u64 + 1);
    let parted = word ^ (ONES * separator as u64);
    (word.wrapping_sub(ABOVE_QUOTE) & !word | parted.wrapping_sub(ONES) & !parted) & HIGH
}

struct Builder {
    cells: Vec<(u32, u32)>,
    records: Vec<Record>,
    /// Index of the first cell of the current record.
    first: usize,
    /// Current line. `begun` is the line on which the current record began.
    line: u32,
    begun: u32,
}

impl Builder {
    /// Adds a cell. There are no positions above 4 GiB, because a guest has 32-bit addresses.
    fn cell(&mut self, start: usize, end: usize) {
        self.cells.push((start as u32, end as u32));
    }

    fn is_inside(&self) -> bool {
        self.first < self.cells.len()
    }

    fn begin_line(&mut self) {
        self.line += 1;
        self.begun = self.line;
    }

    fn end_record(&mut self, length: usize, at: usize) {
        if self.records.is_empty() && at > 0 {
            // The first record is an estimate of the size of all others.
            let more = length / at + 1;
            self.cells.reserve(more.saturating_mul(self.cells.len()));
            self.records.reserve(more);
        }
        self.records.push(Record {
            line: self.begun,
            first: self.first as u32,
            end: self.cells.len() as u32,
        });
        self.first = self.cells.len();
    }
}

/// A quoted cell.
struct Quoted {
    /// Position of the closing quote, or the end of the text.
    close: usize,
    after_close: usize,
    /// Position of the separator or line end after the cell, or the end of the text.
    end: usize,
    /// Whether the quoted text is the value: no escaped quote, and nothing after the closing quote.
    is_plain: bool,
    newlines: u32,
}

fn quoted(
    bytes: &[u8],
    start: usize,
    separator: u8,
    lenient: bool,
    line: u32,
) -> Result<Quoted, String> {
    let (mut at, mut newlines, mut has_escapes) = (start, 0, false);
    let close = loop {
        match bytes.get(at) {
            Some(b'"') if bytes.get(at + 1) == Some(&b'"') => {
                has_escapes = true;
                at += 2;
            }
            Some(b'"') => break at,
            Some(byte) => {
                newlines += u32::from(*byte == b'\n');
                at += 1;
            }
            None if lenient => break at,
            None => {
                return Err(format!(
                    "expected CSV, found no closing quote for the one in line {line}"
                ));
            }
        }
    };
    let after_close = bytes.len().min(close + 1);
    let mut end = after_close;
    while let Some(byte) = bytes.get(end) {
        let is_end = match byte {
            b'\n' => true,
            b'\r' => lenient || bytes.get(end + 1) == Some(&b'\n'),
            byte => *byte == separator,
        };
        if is_end {
            break;
        }
        if !lenient {
            return Err(format!(
                "expected CSV, found text after a closing quote in line {}",
                line + newlines
            ));
        }
        end += 1;
    }
    Ok(Quoted {
        close,
        after_close,
        end,
        is_plain: !has_escapes && end == after_close,
        newlines,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str, lenient: bool) -> Result<Vec<Vec<String>>, String> {
        let read = scan(text.to_owned(), b',', lenient)?;
        Ok(read
            .records
            .iter()
            .map(|record| {
                read.cells[record.first as usize..record.end as usize]
                    .iter()
                    .map(|&(start, end)| read.text[start as usize..end as usize].to_owned())
                    .collect()
            })
            .collect())
    }

    /// Reads the same text with the `csv` crate, for comparison.
    fn peer(text: &str) -> Vec<Vec<String>> {
        csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes())
            .records()
            .map(|record| {
                let record = record.expect("flexible records are never an error");
                record.iter().map(str::to_owned).collect()
            })
            .collect()
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(4096))]

        #[test]
        fn the_csv_crate_reads_the_same(text in "[a,\"\r\n é]{0,24}") {
            proptest::prop_assert_eq!(cells(&text, true), Ok(peer(&text)));
            if let Ok(strict) = cells(&text, false) {
                proptest::prop_assert_eq!(strict, peer(&text));
            }
        }
    }

    #[test]
    fn a_separator_at_the_end_opens_an_empty_cell() {
        assert_eq!(
            cells("a,\n,", false),
            Ok(vec![
                vec!["a".into(), String::new()],
                vec![String::new(), String::new()]
            ])
        );
        assert_eq!(
            cells("a\rb\r\n", false).err().as_deref(),
            Some("expected CSV, found a CR without LF in line 1")
        );
    }
}
