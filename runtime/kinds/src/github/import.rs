//! Import of published templates as github worlds.

use mcpmark_github::GitError;
use mcpmark_github::world::{self, Importer, WorldError, is_login};

use crate::{ImportError, ImportRequest, Imported, SkippedEntry, TemplateImporter};

/// Importer that follows the set-up of the published harness.
#[derive(Debug)]
pub(super) struct RepositoryImporter;

impl TemplateImporter for RepositoryImporter {
    fn layout(&self) -> &'static str {
        "repo/, issues.json, pulls.json and meta.json"
    }

    fn check_login(&self, login: &str) -> Result<(), &'static str> {
        is_login(login)
            .then_some(())
            .ok_or("use at most 39 letters, digits, hyphens and underscores")
    }

    fn import(&self, request: ImportRequest<'_>) -> Result<Imported, ImportError> {
        let importer = Importer {
            owner: request.owner.to_owned(),
            viewer: request.viewer.to_owned(),
            clock: request.clock,
        };
        let imported = importer.import(request.template, request.store, request.scratch);
        let imported = imported.map_err(|error| match error {
            world::ImportError::World(
                WorldError::Git(GitError::Copy(_)) | WorldError::Read { .. },
            )
            | world::ImportError::Export(_) => ImportError::Host(error.into()),
            error => ImportError::Template(error.into()),
        })?;
        let skipped = imported.skipped.into_iter().map(|it| SkippedEntry {
            place: it.place,
            title: it.title,
            why: it.why,
        });
        Ok(Imported {
            tree: imported.tree,
            name: imported.repository,
            name_key: "repository",
            counts: vec![
                ("issues", "issue", imported.issues),
                ("pulls", "pull request", imported.pulls),
            ],
            skipped: skipped.collect(),
        })
    }
}
