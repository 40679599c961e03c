//! Messages of the server.

use bytes::Bytes;

/// Message of the server: its tag and its content.
#[derive(Debug)]
pub(crate) enum Frame {
    Message {
        tag: u8,
        body: Bytes,
    },
    /// Message whose content was skipped: a notice, or one that is larger than the reader accepts.
    Skipped {
        tag: u8,
        /// Size of the content.
        bytes: usize,
    },
}

/// Column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: Vec<u8>,
    /// Object identifier of the type. The server replaces domains by their base types.
    pub(crate) type_oid: u32,
}

/// Error of a malformed message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed message of the server")]
pub(crate) struct Malformed;

/// Reader of the fields of a message.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn u16(&mut self) -> Result<u16, Malformed> {
        let bytes = self.take(2)?.try_into().map_err(|_| Malformed)?;
        Ok(u16::from_be_bytes(bytes))
    }

    fn u32(&mut self) -> Result<u32, Malformed> {
        let bytes = self.take(4)?.try_into().map_err(|_| Malformed)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn text(&mut self) -> Result<&'a [u8], Malformed> {
        let end = self.0.iter().position(|byte| *byte == 0).ok_or(Malformed)?;
        let text = self.take(end)?;
        self.take(1)?;
        Ok(text)
    }
}

/// Parses the content of `RowDescription`.
pub(crate) fn columns(body: &[u8]) -> Result<Vec<Column>, Malformed> {
    let mut reader = Reader(body);
    let count = reader.u16()?;
    (0..count)
        .map(|_| {
            let name = reader.text()?.to_vec();
            // Table and number of the column.
            reader.take(6)?;
            let type_oid = reader.u32()?;
            // Size of the type, modifier and format.
            reader.take(8)?;
            Ok(Column { name, type_oid })
        })
        .collect()
}

/// Values of one row in text format. `None` is null.
#[derive(Debug)]
pub(crate) struct RowValues<'a> {
    reader: Reader<'a>,
    left: u16,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} bytes", self.0.len())
    }
}

impl<'a> RowValues<'a> {
    /// Parses the content of `DataRow`.
    pub(crate) fn parse(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(body);
        let left = reader.u16()?;
        Ok(Self { reader, left })
    }
}

impl<'a> Iterator for RowValues<'a> {
    type Item = Result<Option<&'a [u8]>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.reader.u32().and_then(|length| match length {
            u32::MAX => Ok(None),
            length => self.reader.take(length as usize).map(Some),
        }))
    }
}

/// Parses the name and the value of `ParameterStatus`.
pub(crate) fn parameter(body: &[u8]) -> Result<(String, String), Malformed> {
    let mut reader = Reader(body);
    let mut text = || Ok(String::from_utf8_lossy(reader.text()?).into_owned());
    Ok((text()?, text()?))
}

/// Parses the process and the secret of `BackendKeyData`.
pub(crate) fn key_data(body: &[u8]) -> Result<(i32, i32), Malformed> {
    let mut reader = Reader(body);
    Ok((reader.u32()?.cast_signed(), reader.u32()?.cast_signed()))
}

/// Error or notice of the server, by the letters of its fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ServerError(Vec<(u8, String)>);

impl ServerError {
    /// Parses the content of `ErrorResponse`.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(body);
        let mut fields = Vec::new();
        loop {
            match reader.take(1)? {
                [0] => return Ok(Self(fields)),
                letter => {
                    let text = String::from_utf8_lossy(reader.text()?).into_owned();
                    fields.push((letter[0], text));
                }
            }
        }
    }

    /// Returns the field with a letter, such as `M` for the message.
    pub(crate) fn field(&self, letter: u8) -> Option<&str> {
        let (_, text) = self.0.iter().find(|(field, _)| *field == letter)?;
        Some(text)
    }

    /// Returns true if the server has ended the connection with this error.
    pub(crate) fn is_fatal(&self) -> bool {
        matches!(self.field(b'V'), Some("FATAL" | "PANIC"))
    }

    #[cfg(test)]
    pub(crate) fn of(fields: &[(u8, &str)]) -> Self {
        Self(
            fields
                .iter()
                .map(|(letter, text)| (*letter, (*text).to_owned()))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_nulls_and_empty_values() {
        let body = [0, 3, 0, 0, 0, 1, b'x', 255, 255, 255, 255, 0, 0, 0, 0];
        let values: Result<Vec<_>, _> = RowValues::parse(&body).unwrap().collect();
        assert_eq!(values.unwrap(), [Some(&b"x"[..]), None, Some(&b""[..])]);
    }

    #[test]
    fn truncated_messages_are_refused() {
        let values: Result<Vec<_>, _> = RowValues::parse(&[0, 1, 0, 0, 0, 9, b'x'])
            .unwrap()
            .collect();
        assert_eq!(values, Err(Malformed));
        assert_eq!(columns(&[0, 1, b'a']), Err(Malformed));
        assert_eq!(ServerError::parse(b"Mtext"), Err(Malformed));
        assert_eq!(parameter(b"name\0value"), Err(Malformed));
    }

    #[test]
    fn errors_have_fields_by_letter() {
        let error = ServerError::parse(b"VFATAL\0Mgone\0\0").unwrap();
        assert_eq!(error.field(b'M'), Some("gone"));
        assert_eq!(error.field(b'D'), None);
        assert!(error.is_fatal());
    }
}
