//! Messages of errors as psycopg words them: the text of libpq without the severity.

use icu_properties::CodePointMapData;
use icu_properties::props::EastAsianWidth;

use super::wire::{QueryError, ServerError};

/// Width of the excerpt of a statement, in columns, and the columns that it shows right of the position.
const EXCERPT_WIDTH: usize = 60;
const RIGHT_MARGIN: usize = 10;

/// Returns the message of an error of a query. `sql` is the text of the query.
pub(crate) fn describe(error: &QueryError, sql: &str) -> String {
    match error {
        QueryError::Server(error) | QueryError::Ended(error) => server_error(error, sql),
        other => other.to_string(),
    }
}

/// Formats an error with the fields that libpq shows by default.
fn server_error(error: &ServerError, sql: &str) -> String {
    let mut text = error.field(b'M').unwrap_or_default().to_owned();
    let position = |letter| error.field(letter).and_then(|it| it.parse::<usize>().ok());
    let excerpt = match position(b'P') {
        Some(position) => Some((sql, position)),
        None => error.field(b'q').zip(position(b'p')),
    };
    text.push('\n');
    if let Some((statement, position)) = excerpt {
        push_excerpt(&mut text, statement, position);
    }
    for (letter, label) in [
        (b'D', "DETAIL"),
        (b'H', "HINT"),
        (b'q', "QUERY"),
        (b'W', "CONTEXT"),
    ] {
        if let Some(value) = error.field(letter) {
            text.push_str(label);
            text.push_str(":  ");
            text.push_str(value);
            text.push('\n');
        }
    }
    text.trim().to_owned()
}

/// Characters of a statement with their columns.
struct Layout {
    characters: Vec<char>,
    /// Column of each character, and of the end.
    columns: Vec<usize>,
}

fn width(character: char) -> usize {
    let wide = CodePointMapData::<EastAsianWidth>::new().get(character);
    // Characters without width count as one column here, as in libpq.
    if matches!(wide, EastAsianWidth::Wide | EastAsianWidth::Fullwidth) {
        2
    } else {
        1
    }
}

/// Appends the line of the statement that contains a position, and a caret below it. The rules are those of libpq.
fn push_excerpt(text: &mut String, statement: &str, position: usize) {
    let Some(place) = position.checked_sub(1) else {
        return;
    };
    let mut layout = Layout {
        characters: Vec::new(),
        columns: Vec::new(),
    };
    let mut column = 0;
    let mut line = 1_usize;
    let mut start = 0;
    let mut end = None;
    for (index, character) in statement.chars().enumerate() {
        layout.columns.push(column);
        if character == '\r' || character == '\n' {
            if index >= place {
                end = Some(index);
                break;
            }
            let ends_pair = index > 0 && layout.characters[index - 1] == '\r';
            if character == '\r' || !ends_pair {
                line += 1;
            }
            start = index + 1;
        }
        layout
            .characters
            .push(if character == '\t' { ' ' } else { character });
        column += width(character);
    }
    let mut end = end.unwrap_or_else(|| {
        layout.columns.push(column);
        layout.characters.len()
    });
    if place > end {
        return;
    }
    let columns = &layout.columns;
    let (mut cut_left, mut cut_right) = (false, false);
    if columns[end] - columns[start] > EXCERPT_WIDTH {
        if columns[start] + EXCERPT_WIDTH >= columns[place] + RIGHT_MARGIN {
            while columns[end] - columns[start] > EXCERPT_WIDTH {
                end -= 1;
            }
            cut_right = true;
        } else {
            while columns[place] + RIGHT_MARGIN < columns[end] {
                end -= 1;
                cut_right = true;
            }
            while columns[end] - columns[start] > EXCERPT_WIDTH {
                start += 1;
                cut_left = true;
            }
        }
    }
    let label = format!("LINE {line}: {}", if cut_left { "..." } else { "" });
    text.push_str(&label);
    text.extend(&layout.characters[start..end]);
    if cut_right {
        text.push_str("...");
    }
    text.push('\n');
    let caret = label.len() + columns[place] - columns[start];
    text.extend(std::iter::repeat_n(' ', caret));
    text.push_str("^\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(fields: &[(u8, &str)], sql: &str) -> String {
        describe(&QueryError::Server(ServerError::of(fields)), sql)
    }

    #[test]
    fn the_position_is_shown_below_its_line() {
        assert_eq!(
            text(&[(b'M', "wrong"), (b'P', "10")], "select 1,\nx from t"),
            "wrong\nLINE 1: select 1,\n                 ^"
        );
        assert_eq!(
            text(
                &[(b'M', "wrong"), (b'P', "11"), (b'H', "mend it")],
                "select 1,\nx from t"
            ),
            "wrong\nLINE 2: x from t\n        ^\nHINT:  mend it"
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_position() {
        let sql = format!("select {} missing {}", "a,".repeat(60), "b,".repeat(60));
        let shown = text(&[(b'M', "wrong"), (b'P', "129")], &sql);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].starts_with("LINE 1: ..."), "{shown}");
        assert!(lines[1].ends_with("..."), "{shown}");
        let place = lines[2].find('^').unwrap();
        assert_eq!(&lines[1][place..place + 7], "missing");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(
            text(&[(b'M', "wrong"), (b'P', "12")], "select '日本'x"),
            "wrong\nLINE 1: select '日本'x\n                     ^"
        );
    }

    #[test]
    fn errors_within_functions_show_their_query() {
        let fields = [
            (b'M', "wrong"),
            (b'p', "8"),
            (b'q', "select x"),
            (b'W', "a function"),
        ];
        assert_eq!(
            text(&fields, "select f()"),
            "wrong\nLINE 1: select x\n               ^\nQUERY:  select x\nCONTEXT:  a function"
        );
    }
}
