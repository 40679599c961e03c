//! Databases as tables with typed cells.

use mcpmark_guest::Found;
use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::serde_json::{Map, Value};

use crate::text::{Text, read_date};
use crate::workspace::{Kind, Node, Property, Schema, Workspace, missing};

/// Database of a workspace.
#[derive(Clone, Copy, Debug)]
pub struct Database<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) node: &'a Node,
}

/// Row of a database.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    database: Database<'a>,
    node: &'a Node,
    values: &'a Map<String, Value>,
}

/// Value of a row under a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value, or a box that is not checked.
    Empty,
    /// Characters of a title or a text.
    Text(String),
    /// Number.
    Number(Decimal),
    /// Name of the option of a select or a status.
    Option(String),
    /// Names of the options of a multi-select.
    Options(Vec<String>),
    /// Date.
    Date(DateCell),
    /// Names of users.
    People(Vec<String>),
    /// Titles of related rows.
    Related(Vec<String>),
    /// Checked box.
    Checked,
    /// Address, e-mail address or telephone number.
    Line(String),
    /// Number that the database counts.
    Serial(u64),
    /// Files, as they are written in the document.
    Files(Value),
}

/// Date, or a range from a date to another one, as ISO 8601.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateCell {
    /// Start.
    pub start: String,
    /// End of a range.
    pub end: Option<String>,
}

impl DateCell {
    /// Returns the day of the start.
    pub fn day(&self) -> Option<Date> {
        self.start.get(..10)?.parse().ok()
    }
}

impl Cell {
    /// Returns the day on which a date starts.
    pub fn day(&self) -> Option<Date> {
        match self {
            Self::Date(date) => date.day(),
            _ => None,
        }
    }

    /// Returns the value as a person reads it, with a comma between several names.
    pub fn shown(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Option(text) | Self::Line(text) => text.clone(),
            Self::Number(number) => number.normalize().to_string(),
            Self::Options(all) | Self::People(all) | Self::Related(all) => all.join(", "),
            Self::Date(DateCell { start, end: None }) => start.clone(),
            Self::Date(DateCell {
                start,
                end: Some(end),
            }) => format!("{start} → {end}"),
            Self::Checked => "yes".to_owned(),
            Self::Serial(number) => number.to_string(),
            Self::Files(files) => files.to_string(),
        }
    }
}

impl<'a> Database<'a> {
    /// Returns the node of the database.
    pub fn node(&self) -> &'a Node {
        self.node
    }

    /// Returns the title, description and properties.
    pub fn schema(&self) -> &'a Schema {
        match &self.node.kind {
            Kind::Database(schema) => schema,
            _ => unreachable!("only a database is opened as one"),
        }
    }

    /// Returns the property with a name.
    pub fn property(&self, name: &str) -> Option<&'a Property> {
        let mut properties = self.schema().properties.iter();
        properties.find(|property| property.name == name)
    }

    /// Returns the rows in the order of their creation, without those in the trash.
    pub fn rows(&self) -> Vec<Row<'a>> {
        let nodes = self.workspace.children(&self.node.id).into_iter();
        nodes.filter_map(|node| self.open(node)).collect()
    }

    /// Returns the row with a title.
    pub fn row(&self, title: &str) -> Found<Row<'a>> {
        let rows = self.rows().into_iter();
        let all: Vec<Row<'a>> = rows.filter(|row| row.title() == title).collect();
        let found = match all.as_slice() {
            [row] => Ok(*row),
            all => Err(format!("expected one of this title, found {}", all.len())),
        };
        Found::new(format!("row {title:?}"), found)
    }

    /// Returns the row with an id, unless it is in the trash.
    pub fn row_by_id(&self, id: &str) -> Result<Row<'a>, String> {
        let row = self.rows().into_iter().find(|row| row.node.id == id);
        row.ok_or_else(|| format!("row {id}: {}", missing()))
    }

    /// Returns the rows as people read them, with these columns.
    ///
    /// # Errors
    /// Returns the name of a property that the database does not have.
    pub fn table(&self, columns: &[&str]) -> Result<Vec<Vec<String>>, String> {
        let line = |row: Row<'a>| {
            let cells = columns.iter().map(|name| Ok(row.cell(name)?.shown()));
            cells.collect()
        };
        self.rows().into_iter().map(line).collect()
    }

    fn open(&self, node: &'a Node) -> Option<Row<'a>> {
        match &node.kind {
            Kind::Row(values) => Some(Row {
                database: *self,
                node,
                values,
            }),
            _ => None,
        }
    }
}

impl<'a> Row<'a> {
    /// Returns the node of the row.
    pub fn node(&self) -> &'a Node {
        self.node
    }

    /// Returns the id.
    pub fn id(&self) -> &'a str {
        &self.node.id
    }

    /// Returns the title.
    pub fn title(&self) -> String {
        self.database.workspace.title(self.node).unwrap_or_default()
    }

    /// Returns the value of a property.
    ///
    /// # Errors
    /// Returns the name of a property that the database does not have.
    pub fn cell(&self, name: &str) -> Result<Cell, String> {
        let property = self.database.property(name);
        let property = property.ok_or_else(|| format!("the database has no property {name:?}"))?;
        match self.values.get(name) {
            None => Ok(Cell::Empty),
            Some(value) => self.read(property, value),
        }
    }

    /// Returns the ids of the users or rows of a property.
    pub fn ids(&self, name: &str) -> Vec<&'a str> {
        let ids = self.values.get(name).and_then(Value::as_array);
        let ids = ids.into_iter().flatten();
        ids.filter_map(Value::as_str).collect()
    }

    /// Returns the value of a property as a person reads it. A property that does not exist is
    /// empty.
    pub fn shown(&self, name: &str) -> String {
        self.cell(name).map(|it| it.shown()).unwrap_or_default()
    }

    fn read(&self, property: &Property, value: &Value) -> Result<Cell, String> {
        let workspace = self.database.workspace;
        let place = format!("{:?} of {:?}", property.name, self.title());
        let wrong = || format!("{place}: unexpected value {value}");
        let string = || value.as_str().map(str::to_owned).ok_or_else(wrong);
        let strings = || {
            let items = value.as_array().ok_or_else(wrong)?.iter();
            let items = items.map(|it| it.as_str().map(str::to_owned));
            items.collect::<Option<Vec<String>>>().ok_or_else(wrong)
        };
        Ok(match property.kind.as_str() {
            "title" | "rich_text" => {
                let text = Text::read(Some(value), &place)?;
                Cell::Text(workspace.plain(&text))
            }
            "number" => {
                let number = value.as_number().ok_or_else(wrong)?.to_string();
                let decimal = Decimal::from_str_exact(&number);
                let decimal = decimal.or_else(|_| Decimal::from_scientific(&number));
                Cell::Number(decimal.map_err(|_| wrong())?)
            }
            "select" | "status" => Cell::Option(string()?),
            "multi_select" => Cell::Options(strings()?),
            "date" => {
                let (start, end) = read_date(Some(value), &place)?;
                Cell::Date(DateCell { start, end })
            }
            "people" => {
                let name = |id: String| {
                    let user = workspace.users.iter().find(|it| it.id == id);
                    user.map_or(id, |it| it.name.clone())
                };
                Cell::People(strings()?.into_iter().map(name).collect())
            }
            "relation" => {
                let live = strings()?.into_iter().filter(|id| workspace.is_live(id));
                let nodes = live.filter_map(|id| workspace.nodes.get(&id));
                Cell::Related(nodes.filter_map(|it| workspace.title(it)).collect())
            }
            "checkbox" => Cell::Checked,
            "unique_id" => Cell::Serial(value.as_u64().ok_or_else(wrong)?),
            "files" => Cell::Files(value.clone()),
            _ => Cell::Line(string()?),
        })
    }
}
