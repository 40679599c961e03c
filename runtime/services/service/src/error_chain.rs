//! Messages of errors with their causes.

use std::error::Error;

/// Joins the messages of an error and its causes in one line. A cause that is already part of the text is not repeated,
/// because many messages contain their cause.
pub fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let message = cause.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Failure {
        #[error("cannot read a.json")]
        Read(#[source] Box<Failure>),
        #[error("line {line}: {source}")]
        Line { line: u32, source: Box<Failure> },
        #[error("{0}; remove the file")]
        Hint(#[source] Box<Failure>),
        #[error("unknown key \"b\"")]
        Key,
    }

    #[test]
    fn each_cause_is_printed_once() {
        let line = || {
            Box::new(Failure::Line {
                line: 3,
                source: Box::new(Failure::Key),
            })
        };
        assert_eq!(error_chain(&Failure::Key), "unknown key \"b\"");
        assert_eq!(error_chain(&*line()), "line 3: unknown key \"b\"");
        assert_eq!(
            error_chain(&Failure::Read(line())),
            "cannot read a.json: line 3: unknown key \"b\""
        );
        let hint = Box::new(Failure::Hint(line()));
        let expected = "line 3: unknown key \"b\"; remove the file";
        assert_eq!(error_chain(&*hint), expected);
        assert_eq!(
            error_chain(&Failure::Read(hint)),
            format!("cannot read a.json: {expected}")
        );
    }
}
