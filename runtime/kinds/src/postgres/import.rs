//! Import of dumps as postgres worlds.

use mcpmark_postgres::import::{DumpImporter, DumpRequest, check_role};
use mcpmark_postgres::state::{Overview, RelationKind, TreeFiles};
use mcpmark_service::SessionLimits;
use mcpmark_snapshot::Blobs;

use crate::{ImportError, ImportRequest, Imported, SkippedEntry, TemplateImporter};

/// Importer that executes a dump in a private cluster.
#[derive(Debug)]
pub(super) struct DatabaseImporter(pub(super) DumpImporter);

impl TemplateImporter for DatabaseImporter {
    fn layout(&self) -> &'static str {
        "a dump by pg_dump, in plain SQL or in the custom format"
    }

    fn takes_file(&self) -> bool {
        true
    }

    fn check_login(&self, login: &str) -> Result<(), &'static str> {
        check_role(login)
    }

    fn import(&self, request: ImportRequest<'_>) -> Result<Imported, ImportError> {
        let Some((path, file)) = request.template.files().next() else {
            return Err(ImportError::Template(
                "expected a dump, found no file".into(),
            ));
        };
        let dump = request
            .store
            .read(&file.content)
            .map_err(|error| ImportError::Host(error.into()))?;
        let dump_request = DumpRequest {
            dump,
            owner: request.owner,
            clock: request.clock,
            store: request.store,
            scratch: request.scratch,
            limits: SessionLimits::default(),
        };
        let imported = self.0.import(dump_request).map_err(|error| {
            if error.is_infrastructure() {
                ImportError::Host(error.into())
            } else {
                ImportError::Template(error.into())
            }
        })?;
        let overview = Overview::read(&TreeFiles::new(&imported.tree, request.store))
            .map_err(|error| ImportError::Host(error.into()))?;
        let is_table = |kind| matches!(kind, RelationKind::Table | RelationKind::Partitioned);
        let tables = overview.relations.values().filter(|it| is_table(it.kind));
        let tables = tables.count();
        let skipped = imported.skipped.into_iter().map(|it| SkippedEntry {
            place: format!("line {}", it.line),
            title: it.text,
            why: it.reason,
        });
        Ok(Imported {
            name: path.as_str().to_owned(),
            name_key: "dump",
            counts: vec![
                ("tables", "table", tables),
                ("roles", "role", imported.roles.len()),
            ],
            skipped: skipped.collect(),
            tree: imported.tree,
        })
    }
}
