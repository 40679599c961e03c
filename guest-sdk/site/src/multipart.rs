//! Forms with files, in the encoding `multipart/form-data` (RFC 7578).
//!
//! The whole body is in memory, so the parser is a few lines. The crates for this encoding read from streams and need an
//! async runtime.

/// File of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Name of the field.
    pub field: String,
    /// Name of the file, as the browser gave it; empty if no file was chosen.
    pub file: String,
    /// Media type, as the browser gave it.
    pub media_type: String,
    /// Content.
    pub content: Vec<u8>,
}

/// Fields and files of a form.
type Parts = (Vec<(String, String)>, Vec<Upload>);

/// Returns the boundary in the parameters of a content type.
pub(crate) fn boundary(parameters: &str) -> Option<&str> {
    let value = parameter(parameters, "boundary")?;
    Some(value).filter(|value| !value.is_empty())
}

/// Returns the fields and files of a form, or `None` if it is malformed.
pub(crate) fn parse(body: &[u8], boundary: &str) -> Option<Parts> {
    let delimiter = format!("--{boundary}");
    let mut rest = body.strip_prefix(delimiter.as_bytes())?;
    let next = format!("\r\n{delimiter}");
    let (mut fields, mut uploads) = (Vec::new(), Vec::new());
    loop {
        if rest.starts_with(b"--") {
            return Some((fields, uploads));
        }
        rest = rest.strip_prefix(b"\r\n")?;
        let end = find(rest, next.as_bytes())?;
        let (part, after) = rest.split_at(end);
        rest = &after[next.len()..];
        let split = find(part, b"\r\n\r\n")?;
        let (head, content) = (&part[..split], &part[split + 4..]);
        let head = std::str::from_utf8(head).ok()?;
        let disposition = header(head, "content-disposition")?;
        let field = parameter(disposition, "name")?.to_owned();
        match parameter(disposition, "filename") {
            Some(file) => uploads.push(Upload {
                field,
                file: file.to_owned(),
                media_type: header(head, "content-type").unwrap_or_default().to_owned(),
                content: content.to_owned(),
            }),
            None => fields.push((field, String::from_utf8(content.to_owned()).ok()?)),
        }
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(key, _)| key.trim().eq_ignore_ascii_case(name))?;
    Some(value.trim())
}

/// Returns a parameter of a header, such as `name` of `form-data; name="title"`. Browsers encode quotes in values as
/// `%22`, so a quoted value ends at the next quote.
fn parameter<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = header;
    loop {
        let (key, after) = rest.split_once('=')?;
        let key = key.rsplit(';').next().unwrap_or(key).trim();
        let value;
        (value, rest) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => after.split_once(';').unwrap_or((after, "")),
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(value.trim());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_files_are_separated() {
        let body = b"--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA; b\r\n--b\r\n\
            content-disposition: form-data; name=\"file\"; filename=\"a;b.png\"\r\nContent-Type: image/png\r\n\r\n\
            \x89PNG\r\n--c\r\n--b--\r\n";
        let (fields, uploads) = parse(body, "b").unwrap();
        assert_eq!(fields, [("title".to_owned(), "A; b".to_owned())]);
        assert_eq!(
            uploads,
            [Upload {
                field: "file".to_owned(),
                file: "a;b.png".to_owned(),
                media_type: "image/png".to_owned(),
                content: b"\x89PNG\r\n--c".to_vec(),
            }]
        );
    }

    #[test]
    fn boundaries_are_found() {
        assert_eq!(boundary(" boundary=abc"), Some("abc"));
        assert_eq!(boundary("charset=utf-8; boundary=\"a b\""), Some("a b"));
        assert_eq!(boundary("charset=utf-8"), None);
    }

    #[test]
    fn every_prefix_of_a_form_is_malformed() {
        let body = b"--b\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n";
        assert!(parse(body, "b").is_some());
        for end in 0..body.len() - 4 {
            assert_eq!(parse(&body[..end], "b"), None, "{end}");
        }
    }
}
