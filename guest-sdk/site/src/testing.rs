//! Backend of the unit tests: it records statements and answers one of them.

use crate::{Backend, Row, Rows, StoreError, Value};

/// Backend that records statements. Random numbers count up from 1.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    statements: Vec<String>,
    answer: Option<(&'static str, Vec<Row>)>,
    random: u64,
}

impl Recorded {
    /// Creates a backend that answers statements with this beginning.
    pub(crate) fn answering(beginning: &'static str, rows: Vec<Row>) -> Self {
        Self {
            answer: Some((beginning, rows)),
            ..Self::default()
        }
    }

    /// Returns true if a statement with this beginning was run.
    pub(crate) fn ran(&self, beginning: &str) -> bool {
        let mut statements = self.statements.iter();
        statements.any(|statement| statement.starts_with(beginning))
    }
}

impl Backend for Recorded {
    fn execute(&mut self, statement: &str, _parameters: Vec<Value>) -> Result<Rows, StoreError> {
        self.statements.push(statement.to_owned());
        let rows = match &self.answer {
            Some((beginning, rows)) if statement.starts_with(beginning) => rows.clone(),
            _ => Vec::new(),
        };
        Ok(Rows {
            rows,
            ..Rows::default()
        })
    }

    fn now(&mut self) -> i64 {
        0
    }

    fn random(&mut self) -> u64 {
        self.random += 1;
        self.random
    }
}
