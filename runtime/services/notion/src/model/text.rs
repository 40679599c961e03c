//! Rich text, colours, icons and files.

use super::{DateValue, Id};

/// Names of the colours of text and blocks (documentation of the rich text object).
const COLORS: [&str; 20] = [
    "default",
    "gray",
    "brown",
    "orange",
    "yellow",
    "green",
    "blue",
    "purple",
    "pink",
    "red",
    "default_background",
    "gray_background",
    "brown_background",
    "orange_background",
    "yellow_background",
    "green_background",
    "blue_background",
    "purple_background",
    "pink_background",
    "red_background",
];

/// Number of leading [`COLORS`] that options of selects may have.
const OPTION_COLORS: usize = 10;

/// Colour of text or of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color(&'static str);

impl Default for Color {
    fn default() -> Self {
        Self(COLORS[0])
    }
}

impl Color {
    /// Parses the name of a colour.
    pub fn parse(name: &str) -> Option<Self> {
        COLORS
            .iter()
            .find(|known| **known == name)
            .map(|known| Self(known))
    }

    /// Parses the name of a colour of an option.
    pub fn parse_option(name: &str) -> Option<Self> {
        let known = &COLORS[..OPTION_COLORS];
        known
            .iter()
            .find(|known| **known == name)
            .map(|known| Self(known))
    }

    /// Returns the colour of a new option that has `count` options before it. The real service draws one.
    pub fn of_option(count: usize) -> Self {
        Self(COLORS[1 + count % (OPTION_COLORS - 1)])
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Returns the names of all colours.
    pub fn names() -> &'static [&'static str] {
        &COLORS
    }

    /// Returns the names of the colours of options.
    pub fn option_names() -> &'static [&'static str] {
        &COLORS[..OPTION_COLORS]
    }
}

/// Style of a piece of rich text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Annotations {
    /// Bold.
    pub bold: bool,
    /// Italic.
    pub italic: bool,
    /// Struck through.
    pub strikethrough: bool,
    /// Underlined.
    pub underline: bool,
    /// Code.
    pub code: bool,
    /// Colour.
    pub color: Color,
}

impl Annotations {
    /// Returns the switches with their names, in the order of the API.
    pub fn switches(&mut self) -> [(&'static str, &mut bool); 5] {
        [
            ("bold", &mut self.bold),
            ("italic", &mut self.italic),
            ("strikethrough", &mut self.strikethrough),
            ("underline", &mut self.underline),
            ("code", &mut self.code),
        ]
    }
}

/// Piece of rich text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RichText {
    /// Content.
    pub span: Span,
    /// Style.
    pub annotations: Annotations,
}

/// Content of a piece of rich text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// Text, which may be a link.
    Text {
        /// Text.
        content: String,
        /// Address of the link.
        link: Option<String>,
    },
    /// Equation in KaTeX.
    Equation(String),
    /// Mention of an object.
    Mention(Mention),
}

/// Mentioned object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mention {
    /// User.
    User(Id),
    /// Page.
    Page(Id),
    /// Database.
    Database(Id),
    /// Date.
    Date(DateValue),
}

impl RichText {
    /// Creates text without style.
    pub fn plain(content: impl Into<String>) -> Self {
        Self {
            span: Span::Text {
                content: content.into(),
                link: None,
            },
            annotations: Annotations::default(),
        }
    }

    /// Returns the text if it has neither style nor link.
    pub fn as_plain(&self) -> Option<&str> {
        match &self.span {
            Span::Text {
                content,
                link: None,
            } if self.annotations == Annotations::default() => Some(content),
            _ => None,
        }
    }
}

/// Icon of a page, database or callout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Icon {
    /// Emoji.
    Emoji(String),
    /// Image.
    File(FileSource),
}

/// Place of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FileSource {
    /// Address on the web.
    External(String),
    /// Address of an uploaded file in the service's own storage. Files are described by worlds only.
    Hosted(String),
}

impl FileSource {
    /// Returns the address.
    pub fn url(&self) -> &str {
        match self {
            Self::External(url) | Self::Hosted(url) => url,
        }
    }
}

/// File of a files property.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamedFile {
    /// Name.
    pub name: String,
    /// Place.
    pub source: FileSource,
}
