//! Files of the states of playwright worlds: tables with their rows, and the log of requests.
//!
//! Setup guests write tables with [`Table`]. Verifiers read them from the starting and the final state.

use serde_json::Value as Json;

use crate::Value;

/// Content of the file `format` of a state.
pub const FORMAT: &str = "mcpmark playwright state 1\n";

/// Rows of a table, as in `sites/HOST/rows/TABLE.jsonl`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Json>>,
}

/// Row of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record<'a> {
    columns: &'a [String],
    values: &'a [Json],
}

/// Request of the file `requests.jsonl`.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedRequest(Json);

impl Table {
    /// Creates a table without rows.
    pub fn new(columns: &[&str]) -> Self {
        Self {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row with one value for each column.
    ///
    /// # Panics
    ///
    /// Panics if the number of values is not that of the columns.
    pub fn push(&mut self, values: impl IntoIterator<Item = Value>) {
        let values: Vec<Json> = values.into_iter().map(json).collect();
        assert_eq!(
            values.len(),
            self.columns.len(),
            "a row needs one value for each of {:?}",
            self.columns
        );
        self.rows.push(values);
    }

    /// Returns the content of the file.
    pub fn text(&self) -> String {
        let columns = self.columns.iter().map(|name| Json::from(name.as_str()));
        let mut text = Json::Array(columns.collect()).to_string() + "\n";
        for row in &self.rows {
            text.push_str(&Json::Array(row.clone()).to_string());
            text.push('\n');
        }
        text
    }

    /// Parses the content of a file.
    ///
    /// # Errors
    ///
    /// Returns the first line that is not a row of the table.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default();
        let columns: Option<Vec<String>> =
            serde_json::from_str::<Vec<Json>>(header)
                .ok()
                .and_then(|names| {
                    names
                        .iter()
                        .map(|name| Some(name.as_str()?.to_owned()))
                        .collect()
                });
        let columns = columns.ok_or_else(|| header.to_owned())?;
        let rows = lines.map(|line| {
            let row = serde_json::from_str::<Vec<Json>>(line).ok();
            let row = row.filter(|row| row.len() == columns.len());
            row.ok_or_else(|| line.to_owned())
        });
        let rows = rows.collect::<Result<_, String>>()?;
        Ok(Self { columns, rows })
    }

    /// Returns the rows.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = Record<'_>> + ExactSizeIterator {
        self.rows.iter().map(|values| Record {
            columns: &self.columns,
            values,
        })
    }

    /// Returns the first row whose column has this integer.
    pub fn find(&self, column: &str, value: i64) -> Option<Record<'_>> {
        self.records()
            .find(|record| record.integer(column) == Some(value))
    }
}

fn json(value: Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Integer(number) => number.into(),
        Value::Real(number) if number.is_finite() => number.into(),
        Value::Real(number) => serde_json::json!({ "real": number.to_string() }),
        Value::Text(text) => text.into(),
        Value::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            serde_json::json!({ "blob": digits })
        }
    }
}

impl<'a> Record<'a> {
    /// Returns the value of a column as JSON, or `None` if there is no such column.
    pub fn get(&self, column: &str) -> Option<&'a Json> {
        let index = self.columns.iter().position(|name| name == column)?;
        self.values.get(index)
    }

    /// Returns the text of a column, or `None` if it has no text.
    pub fn text(&self, column: &str) -> Option<&'a str> {
        self.get(column)?.as_str()
    }

    /// Returns the integer of a column, or `None` if it has none.
    pub fn integer(&self, column: &str) -> Option<i64> {
        self.get(column)?.as_i64()
    }
}

impl LoggedRequest {
    /// Parses the content of `requests.jsonl`.
    ///
    /// # Errors
    ///
    /// Returns the first line that is not JSON.
    pub fn parse(text: &str) -> Result<Vec<Self>, String> {
        let lines = text.lines().map(|line| {
            let request = serde_json::from_str(line).map(Self);
            request.map_err(|_| line.to_owned())
        });
        lines.collect()
    }

    fn text(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or_default()
    }

    /// Returns the method.
    pub fn method(&self) -> &str {
        self.text("method")
    }

    /// Returns the host name.
    pub fn host(&self) -> &str {
        self.text("host")
    }

    /// Returns the decoded path.
    pub fn path(&self) -> &str {
        self.text("path")
    }

    /// Returns the status code.
    pub fn status(&self) -> u64 {
        self.0["status"].as_u64().unwrap_or_default()
    }

    /// Returns the account that made the request; empty if none was signed in.
    pub fn account(&self) -> &str {
        self.text("session")
    }

    /// Returns the first value of the form with this name.
    pub fn field(&self, name: &str) -> Option<&str> {
        let form = self.0["form"].as_array()?;
        let pair = form.iter().find(|pair| pair[0] == name)?;
        pair[1].as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_survive_writing_and_parsing() {
        let mut table = Table::new(&["id", "name", "share", "icon", "note"]);
        table.push([
            1.into(),
            "Ann \"A\"".into(),
            0.5.into(),
            vec![0_u8, 255].into(),
            Value::Null,
        ]);
        let text = table.text();
        assert_eq!(
            text,
            "[\"id\",\"name\",\"share\",\"icon\",\"note\"]\n[1,\"Ann \\\"A\\\"\",0.5,{\"blob\":\"00ff\"},null]\n"
        );
        let parsed = Table::parse(&text).unwrap();
        assert_eq!(parsed, table);
        let record = parsed.find("id", 1).unwrap();
        assert_eq!(
            (record.text("name"), record.text("note")),
            (Some("Ann \"A\""), None)
        );
        assert_eq!(record.get("absent"), None);
        assert_eq!(Table::parse("[\"id\"]\n[1,2]\n"), Err("[1,2]".to_owned()));
    }

    #[test]
    fn requests_are_read() {
        let line = r#"{"form":[["name","ann"]],"host":"desk.test","method":"POST","number":3,"path":"/login","session":"ann","status":303}"#;
        let requests = LoggedRequest::parse(line).unwrap();
        let [request] = requests.as_slice() else {
            panic!("{requests:?}");
        };
        assert_eq!(
            (request.method(), request.host(), request.path()),
            ("POST", "desk.test", "/login")
        );
        assert_eq!((request.status(), request.account()), (303, "ann"));
        assert_eq!(
            (request.field("name"), request.field("password")),
            (Some("ann"), None)
        );
    }
}
