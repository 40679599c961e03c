//! The reader of CSV text: one pass over the bytes, no allocation for a cell.

/// What is read: the records as ranges of one text.
///
/// A verifier pays for each instruction with fuel, so a cell is not copied: it is a range of the
/// text that was read. Only a quoted cell with an escaped quote in it is written anew, after the
/// end of that text.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) text: String,
    /// Start and end of each cell in `text`, record after record.
    pub(super) cells: Vec<(u32, u32)>,
    pub(super) records: Vec<Record>,
}

/// Where a record stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// The line on which it begins, from 1.
    pub(super) line: u32,
    /// Its first cell.
    pub(super) first: u32,
    /// The cell after its last.
    pub(super) end: u32,
}

/// Reads all records of a text. Where `lenient`, blank lines are skipped, a quote inside a bare
/// cell is text, text after a closing quote belongs to the cell, an open quote is closed by the
/// end of the text, and a CR alone ends a line; else each of these is an error.
pub(super) fn scan(text: &str, separator: u8, lenient: bool) -> Result<Records, String> {
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        separator,
        lenient,
        at: 0,
        line: 1,
        rewritten: String::new(),
    };
    // Ranges of more than 4 GiB do not exist: a guest has 32-bit addresses.
    let mut cells = Vec::with_capacity(text.len() / 8);
    let mut records: Vec<Record> = Vec::with_capacity(text.len() / 32);
    while scanner.at < scanner.bytes.len() {
        if scanner.skip_line_end() {
            if !lenient {
                return Err(format!(
                    "expected CSV, found a blank line {}",
                    scanner.line - 1
                ));
            }
            continue;
        }
        let (line, first) = (scanner.line, cells.len() as u32);
        loop {
            cells.push(scanner.cell(text)?);
            match scanner.bytes.get(scanner.at) {
                Some(byte) if *byte == separator => scanner.at += 1,
                _ => break,
            }
        }
        scanner.skip_line_end();
        records.push(Record {
            line,
            first,
            end: cells.len() as u32,
        });
    }
    let rewritten = scanner.rewritten;
    let mut text = text.to_owned();
    text.push_str(&rewritten);
    Ok(Records {
        text,
        cells,
        records,
    })
}

struct Scanner<'a> {
    bytes: &'a [u8],
    separator: u8,
    lenient: bool,
    at: usize,
    line: u32,
    rewritten: String,
}

impl Scanner<'_> {
    /// Reads the cell that begins here; what follows is a separator, a line end or the end.
    fn cell(&mut self, text: &str) -> Result<(u32, u32), String> {
        if self.bytes.get(self.at) == Some(&b'"') {
            self.quoted(text)
        } else {
            let start = self.at;
            self.bare()?;
            Ok((start as u32, self.at as u32))
        }
    }

    fn bare(&mut self) -> Result<(), String> {
        let mut at = self.at;
        while let Some(&byte) = self.bytes.get(at) {
            if byte == self.separator {
                break;
            }
            // Of the bytes that mean something, the quote is the greatest.
            if byte <= b'"' {
                match byte {
                    b'\n' => break,
                    b'\r' if self.lenient || self.bytes.get(at + 1) == Some(&b'\n') => break,
                    b'\r' => {
                        return Err(format!(
                            "expected CSV, found a CR without LF in line {}",
                            self.line
                        ));
                    }
                    b'"' if !self.lenient => {
                        return Err(format!(
                            "expected CSV, found a quote inside an unquoted field in line {}",
                            self.line
                        ));
                    }
                    _ => {}
                }
            }
            at += 1;
        }
        self.at = at;
        Ok(())
    }

    fn quoted(&mut self, text: &str) -> Result<(u32, u32), String> {
        let opened = self.line;
        let start = self.at + 1;
        let mut at = start;
        let mut has_escapes = false;
        let close = loop {
            match self.bytes.get(at) {
                Some(b'"') if self.bytes.get(at + 1) == Some(&b'"') => {
                    has_escapes = true;
                    at += 2;
                }
                Some(b'"') => break at,
                Some(b'\n') => {
                    self.line += 1;
                    at += 1;
                }
                Some(_) => at += 1,
                None if self.lenient => break at,
                None => {
                    return Err(format!(
                        "expected CSV, found no closing quote for the one in line {opened}"
                    ));
                }
            }
        };
        self.at = self.bytes.len().min(close + 1);
        let tail = self.at;
        if !self.is_at_end_of_cell() {
            if !self.lenient {
                return Err(format!(
                    "expected CSV, found text after a closing quote in line {}",
                    self.line
                ));
            }
            self.bare()?;
        }
        if !has_escapes && self.at == tail {
            return Ok((start as u32, close as u32));
        }
        let begin = text.len() + self.rewritten.len();
        self.rewritten
            .push_str(&text[start..close].replace("\"\"", "\""));
        self.rewritten.push_str(&text[tail..self.at]);
        Ok((begin as u32, (text.len() + self.rewritten.len()) as u32))
    }

    fn is_at_end_of_cell(&self) -> bool {
        match self.bytes.get(self.at) {
            None | Some(b'\n') => true,
            Some(b'\r') => self.lenient || self.bytes.get(self.at + 1) == Some(&b'\n'),
            Some(byte) => *byte == self.separator,
        }
    }

    /// Steps over LF, CRLF or, where lenient, CR; tells whether one was there.
    fn skip_line_end(&mut self) -> bool {
        let length = match self.bytes.get(self.at) {
            Some(b'\n') => 1,
            Some(b'\r') if self.bytes.get(self.at + 1) == Some(&b'\n') => 2,
            Some(b'\r') if self.lenient => 1,
            _ => return false,
        };
        self.at += length;
        self.line += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str, lenient: bool) -> Result<Vec<Vec<String>>, String> {
        let read = scan(text, b',', lenient)?;
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

    /// The same by a reader of many years' standing.
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
        fn the_csv_crate_reads_the_same(text in "[a,\"\r\n é]{0,16}") {
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
