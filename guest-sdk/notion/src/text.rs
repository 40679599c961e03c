//! Rich text: runs of characters with one style, links and mentions.

use mcpmark_guest::serde_json::Value;

use crate::shape::Object;

/// Keys of a run that is an object, in the order in which the service writes them.
const KEYS: [&str; 13] = [
    "text",
    "equation",
    "user",
    "page",
    "database",
    "date",
    "link",
    "bold",
    "italic",
    "strikethrough",
    "underline",
    "code",
    "color",
];

/// Text. Neighbouring runs of one style are one run, and no run is empty, so that equal texts are
/// equal whatever pieces an agent wrote them in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(Vec<Run>);

/// Part of a text with one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Content.
    pub span: Span,
    /// Style.
    pub style: Style,
}

/// Content of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Characters, with the address of their link.
    Text(String, Option<String>),
    /// Equation.
    Equation(String),
    /// Mention of a user, by id.
    User(String),
    /// Mention of a page, by id.
    Page(String),
    /// Mention of a database, by id.
    Database(String),
    /// Mention of a date, or of a range from a date to another one.
    Date(String, Option<String>),
}

/// Style of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "these are the switches of the API"
)]
pub struct Style {
    /// Bold.
    pub bold: bool,
    /// Italic.
    pub italic: bool,
    /// Crossed out.
    pub strikethrough: bool,
    /// Underlined.
    pub underline: bool,
    /// Code.
    pub code: bool,
    /// Colour, unless it is the default.
    pub color: Option<String>,
}

impl Text {
    /// Creates a text without a style.
    pub fn plain(text: &str) -> Self {
        let mut all = Self::default();
        all.push(Run {
            span: Span::Text(text.to_owned(), None),
            style: Style::default(),
        });
        all
    }

    /// Returns the runs.
    pub fn runs(&self) -> &[Run] {
        &self.0
    }

    /// Returns the characters of the text, with the words that `name` returns for the ids of users,
    /// pages and databases.
    pub fn characters(&self, name: impl Fn(&Span) -> String) -> String {
        let of = |run: &Run| match &run.span {
            Span::Text(text, _) => text.clone(),
            Span::Equation(text) => text.clone(),
            Span::Date(start, None) => start.clone(),
            Span::Date(start, Some(end)) => format!("{start} → {end}"),
            span => name(span),
        };
        self.0.iter().map(of).collect()
    }

    /// Returns whether no run has a style or a link.
    pub fn is_unstyled(&self) -> bool {
        let is_plain = |run: &Run| run.style == Style::default();
        self.0.iter().all(is_plain)
    }

    fn push(&mut self, run: Run) {
        if let (Span::Text(new, link), Some(last)) = (&run.span, self.0.last_mut())
            && let Span::Text(text, last_link) = &mut last.span
            && link == last_link
            && run.style == last.style
        {
            text.push_str(new);
            return;
        }
        if run.span != Span::Text(String::new(), None) {
            self.0.push(run);
        }
    }

    pub(crate) fn read(value: Option<&Value>, place: &str) -> Result<Self, String> {
        match value {
            None => Ok(Self::default()),
            Some(Value::String(text)) => Ok(Self::plain(text)),
            Some(Value::Array(pieces)) => {
                let mut all = Self::default();
                for piece in pieces {
                    all.push(read_run(piece, place)?);
                }
                Ok(all)
            }
            Some(_) => Err(format!("{place}: expected a text")),
        }
    }
}

fn read_run(value: &Value, place: &str) -> Result<Run, String> {
    if let Value::String(text) = value {
        let span = Span::Text(text.clone(), None);
        let style = Style::default();
        return Ok(Run { span, style });
    }
    let object = Object::read(value, place, &KEYS)?;
    let Some((kind, content)) = object.map.iter().next() else {
        return Err(format!("{place}: expected a run of text, found nothing"));
    };
    let content = || {
        let text = content.as_str().map(str::to_owned);
        text.ok_or_else(|| format!("{place}: expected a string {kind:?}"))
    };
    let link = object.map.get("link").map(|_| object.string("link"));
    let link = link.transpose()?.map(str::to_owned);
    let span = match kind.as_str() {
        "text" => Span::Text(content()?, link),
        "equation" => Span::Equation(content()?),
        "user" => Span::User(content()?),
        "page" => Span::Page(content()?),
        "database" => Span::Database(content()?),
        "date" => {
            let (start, end) = read_date(object.map.get("date"), place)?;
            Span::Date(start, end)
        }
        other => return Err(format!("{place}: unexpected key {other:?}")),
    };
    let style = Style {
        bold: object.is_set("bold")?,
        italic: object.is_set("italic")?,
        strikethrough: object.is_set("strikethrough")?,
        underline: object.is_set("underline")?,
        code: object.is_set("code")?,
        color: match object.map.get("color") {
            None => None,
            Some(_) => Some(object.string("color")?.to_owned()),
        },
    };
    Ok(Run { span, style })
}

/// Reads the start and the end of a date.
pub(crate) fn read_date(
    value: Option<&Value>,
    place: &str,
) -> Result<(String, Option<String>), String> {
    match value {
        Some(Value::String(start)) => Ok((start.clone(), None)),
        Some(value) => {
            let object = Object::read(value, place, &["start", "end", "time_zone"])?;
            let end = object.map.get("end").map(|_| object.string("end"));
            let end = end.transpose()?.map(str::to_owned);
            Ok((object.string("start")?.to_owned(), end))
        }
        None => Err(format!("{place}: expected a date")),
    }
}
