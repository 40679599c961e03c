//! Types of blocks, and the fields of each.

use super::{Color, FileSource, Icon, Id, RichText};

/// Field of the object under the type of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockField {
    /// `rich_text`.
    RichText,
    /// `caption`.
    Caption,
    /// `color`.
    Color,
    /// `checked`.
    Checked,
    /// `is_toggleable`.
    Toggleable,
    /// `icon`.
    Icon,
    /// `language`.
    Language,
    /// `url`.
    Url,
    /// `expression`.
    Expression,
    /// `type` with `external` or `file`.
    Source,
    /// `name` of a file.
    Name,
    /// `type` with `page_id` or `database_id`.
    Target,
    /// `table_width`.
    TableWidth,
    /// `has_column_header`.
    ColumnHeader,
    /// `has_row_header`.
    RowHeader,
    /// `cells`.
    Cells,
    /// `synced_from`.
    SyncedFrom,
    /// `width_ratio`.
    WidthRatio,
}

/// Blocks that a block may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nesting {
    /// None.
    Leaf,
    /// Any but columns and table rows.
    Any,
    /// Columns.
    Columns,
    /// Table rows.
    Rows,
}

macro_rules! block_types {
    ($($variant:ident $name:literal [$($field:ident)*] $nesting:ident,)*) => {
        /// Type of a block. `child_page` and `child_database` are not among them: such blocks are the pages and
        /// databases themselves.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum BlockType {
            $(#[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl BlockType {
            /// All types, in the order in which the API lists them in validation errors.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name in the API.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the fields, in the order of responses.
            pub fn fields(self) -> &'static [BlockField] {
                match self { $(Self::$variant => &[$(BlockField::$field),*],)* }
            }

            /// Returns the blocks that it may contain.
            pub fn nesting(self) -> Nesting {
                match self { $(Self::$variant => Nesting::$nesting,)* }
            }
        }
    };
}

// The order is that of the list in validation errors; fields are those of the SDK types of `@notionhq/client` 2.3.0, and
// `width_ratio` of version 4.
block_types! {
    Embed "embed" [Caption Url] Leaf,
    Bookmark "bookmark" [Caption Url] Leaf,
    Image "image" [Caption Source] Leaf,
    Video "video" [Caption Source] Leaf,
    Pdf "pdf" [Caption Source] Leaf,
    File "file" [Caption Source Name] Leaf,
    Audio "audio" [Caption Source] Leaf,
    Code "code" [Caption RichText Language] Leaf,
    Equation "equation" [Expression] Leaf,
    Divider "divider" [] Leaf,
    Breadcrumb "breadcrumb" [] Leaf,
    TableOfContents "table_of_contents" [Color] Leaf,
    LinkToPage "link_to_page" [Target] Leaf,
    TableRow "table_row" [Cells] Leaf,
    Table "table" [TableWidth ColumnHeader RowHeader] Rows,
    ColumnList "column_list" [] Columns,
    Column "column" [WidthRatio] Any,
    Heading1 "heading_1" [RichText Toggleable Color] Any,
    Heading2 "heading_2" [RichText Toggleable Color] Any,
    Heading3 "heading_3" [RichText Toggleable Color] Any,
    Paragraph "paragraph" [RichText Color] Any,
    BulletedListItem "bulleted_list_item" [RichText Color] Any,
    NumberedListItem "numbered_list_item" [RichText Color] Any,
    Quote "quote" [RichText Color] Any,
    ToDo "to_do" [RichText Checked Color] Any,
    Toggle "toggle" [RichText Color] Any,
    Template "template" [RichText] Any,
    Callout "callout" [RichText Icon Color] Any,
    SyncedBlock "synced_block" [SyncedFrom] Any,
}

impl BlockType {
    /// Parses the name of a type.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Reports whether a block of this type may contain one of another type.
    pub fn may_contain(self, child: Self) -> bool {
        match self.nesting() {
            Nesting::Leaf => false,
            Nesting::Columns => child == Self::Column,
            Nesting::Rows => child == Self::TableRow,
            Nesting::Any => !matches!(child, Self::Column | Self::TableRow),
        }
    }
}

/// Values of the [`fields`](BlockType::fields) of a block. Fields that its type does not have keep their default values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BlockBody {
    /// Text.
    pub rich_text: Vec<RichText>,
    /// Caption.
    pub caption: Vec<RichText>,
    /// Colour.
    pub color: Color,
    /// Whether a to-do is done.
    pub checked: bool,
    /// Whether a heading can be toggled.
    pub toggleable: bool,
    /// Icon of a callout.
    pub icon: Option<Icon>,
    /// Language of code, expression of an equation, address of a link, or name of a file.
    pub text: String,
    /// File of a media block.
    pub source: Option<FileSource>,
    /// Target of a link to a page.
    pub target: Option<Target>,
    /// Number of columns of a table.
    pub table_width: u64,
    /// Whether the first row of a table is a header.
    pub column_header: bool,
    /// Whether the first column of a table is a header.
    pub row_header: bool,
    /// Cells of a table row.
    pub cells: Vec<Vec<RichText>>,
    /// Original of a synced copy. `None` for an original.
    pub synced_from: Option<Id>,
    /// Share of a column in the width of its list, from 0 to 1. Without one, all columns are equally wide.
    pub width_ratio: Option<f64>,
}

/// Target of a link to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Page.
    Page(Id),
    /// Database.
    Database(Id),
}

/// Languages of code blocks (documentation of the block object).
pub const LANGUAGES: &[&str] = &[
    "abap",
    "abc",
    "agda",
    "arduino",
    "ascii art",
    "assembly",
    "bash",
    "basic",
    "bnf",
    "c",
    "c#",
    "c++",
    "clojure",
    "coffeescript",
    "coq",
    "css",
    "dart",
    "dhall",
    "diff",
    "docker",
    "ebnf",
    "elixir",
    "elm",
    "erlang",
    "f#",
    "flow",
    "fortran",
    "gherkin",
    "glsl",
    "go",
    "graphql",
    "groovy",
    "haskell",
    "hcl",
    "html",
    "idris",
    "java",
    "javascript",
    "json",
    "julia",
    "kotlin",
    "latex",
    "less",
    "lisp",
    "livescript",
    "llvm ir",
    "lua",
    "makefile",
    "markdown",
    "markup",
    "matlab",
    "mathematica",
    "mermaid",
    "nix",
    "notion formula",
    "objective-c",
    "ocaml",
    "pascal",
    "perl",
    "php",
    "plain text",
    "powershell",
    "prolog",
    "protobuf",
    "purescript",
    "python",
    "r",
    "racket",
    "reason",
    "ruby",
    "rust",
    "sass",
    "scala",
    "scheme",
    "scss",
    "shell",
    "smalltalk",
    "solidity",
    "sql",
    "swift",
    "toml",
    "typescript",
    "vb.net",
    "verilog",
    "vhdl",
    "visual basic",
    "webassembly",
    "xml",
    "yaml",
    "java/c/c++/c#",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_parse() {
        for kind in BlockType::ALL {
            assert_eq!(BlockType::parse(kind.name()), Some(*kind));
        }
        assert_eq!(BlockType::parse("child_page"), None);
    }

    #[test]
    fn nesting_follows_the_types() {
        use BlockType::{Column, ColumnList, Divider, Paragraph, Table, TableRow};
        assert!(Paragraph.may_contain(Paragraph) && Column.may_contain(Table));
        assert!(ColumnList.may_contain(Column) && Table.may_contain(TableRow));
        for (parent, child) in [
            (Paragraph, TableRow),
            (ColumnList, Paragraph),
            (Divider, Paragraph),
        ] {
            assert!(!parent.may_contain(child), "{parent:?} {child:?}");
        }
    }
}
