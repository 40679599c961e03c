//! The playwright service, whose worlds are web sites.

mod mutants;
mod site;
mod summary;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use mcpmark_playwright::{
    BROWSER_VARIABLE, Installation, MissingPrograms, PACKAGE_VARIABLE, PlaywrightService,
    SERVER_VERSION, Site, check_isolation,
};
use mcpmark_sandbox::{LoadError, Sandbox};
use mcpmark_service::{Service, ServiceError, error_chain};
use mcpmark_snapshot::{Blobs, Tree, TreePath};
use mcpmark_task::GuestRole;

use self::mutants::{MUTATIONS, SiteMutator};
use self::site::WasmSite;
use crate::install::is_set;
use crate::{
    Availability, MutateError, Mutation, NpmPackage, NpmPackages, Requirement, ServiceKind, Solved,
    StateMutator, Summary, WorldGuest, WorldGuests,
};

/// Directory of the MCP server within the cache.
const PROGRAMS: &str = "playwright";

/// The MCP server with the packages that it needs.
const SERVER_PACKAGES: &[NpmPackage] = &[
    NpmPackage {
        name: "@playwright/mcp",
        version: SERVER_VERSION,
        integrity: "sha512-oP9I9ghXKuQEBo4xaC7HgsS2gRTxyMzlBm3UEhYj4VqqrqbPQUX2shATPaNA/am9joBzq9v0OXISzeIgP+zmHA==",
    },
    NpmPackage {
        name: "playwright",
        version: "1.59.0-alpha-1771104257000",
        integrity: "sha512-6SCMMMJaDRsSqiKVLmb2nhtLES7iTYawTWWrQK6UdIGNzXi8lka4sLKRec3L4DnTWwddAvCuRn8035dhNiHzbg==",
    },
    NpmPackage {
        name: "playwright-core",
        version: "1.59.0-alpha-1771104257000",
        integrity: "sha512-YiXup3pnpQUCBMSIW5zx8CErwRx4K6O5Kojkw2BzJui8MazoMUDU6E3xGsb1kzFviEAE09LFQ+y1a0RhIJQ5SA==",
    },
];

/// The playwright service, with what it has found out about this machine.
#[derive(Debug)]
pub(crate) struct PlaywrightKind {
    cache: PathBuf,
    availability: OnceLock<Availability>,
}

impl PlaywrightKind {
    /// Creates the service with a cache directory.
    pub(crate) fn new(cache: &Path) -> Self {
        Self {
            cache: cache.join(PROGRAMS),
            availability: OnceLock::new(),
        }
    }

    fn of_guests(&self, guests: &WorldGuests) -> PlaywrightService {
        let guest = guests.get(GuestRole::SITE);
        let guest = guest.and_then(|guest| guest.loaded::<WasmSite>());
        let guest = guest.map(|guest| Arc::new(guest.clone()) as Arc<dyn Site>);
        PlaywrightService::new(self.cache.clone(), guest)
    }
}

impl ServiceKind for PlaywrightKind {
    fn name(&self) -> &'static str {
        "playwright"
    }

    fn availability(&self) -> Availability {
        let found = self.availability.get_or_init(|| availability(&self.cache));
        found.clone()
    }

    fn missing_programs(&self) -> Vec<Requirement> {
        let debian = |name, debian, chosen_by| Requirement {
            name,
            is_optional: false,
            debian,
            npm: None,
            chosen_by,
        };
        let server = Requirement {
            name: "@playwright/mcp",
            is_optional: false,
            debian: &[],
            npm: Some(NpmPackages {
                dir: self.cache.clone(),
                packages: SERVER_PACKAGES,
                links: None,
            }),
            chosen_by: is_set(PACKAGE_VARIABLE),
        };
        let missing = MissingPrograms::of_machine(&self.cache);
        let programs = [
            (
                missing.node,
                debian("Node.js with npm", &["nodejs", "npm"], None),
            ),
            (
                missing.browser,
                debian(
                    "Chromium",
                    &["chromium-headless-shell"],
                    is_set(BROWSER_VARIABLE),
                ),
            ),
            (missing.server, server),
        ];
        let missing = programs.into_iter().filter(|(is_missing, _)| *is_missing);
        missing.map(|(_, program)| program).collect()
    }

    fn service(&self, guests: &WorldGuests) -> Option<Arc<dyn Service>> {
        Some(Arc::new(self.of_guests(guests)))
    }

    fn guest_roles(&self) -> &'static [GuestRole] {
        &[GuestRole::SITE]
    }

    fn load_guest(
        &self,
        _role: GuestRole,
        sandbox: &Sandbox,
        component: &[u8],
    ) -> Result<WorldGuest, LoadError> {
        let guest = WasmSite::load(sandbox, component)?;
        Ok(WorldGuest::new(component, guest))
    }

    fn resembles_world(&self, tree: &Tree) -> bool {
        let has = |path| TreePath::parse(path).is_ok_and(|path| tree.get(&path).is_some());
        has("format") && has("sites")
    }

    fn summarize(
        &self,
        tree: &Tree,
        blobs: &dyn Blobs,
        _scratch: &Path,
    ) -> Result<Option<Summary>, ServiceError> {
        let summary = summary::summary(tree, blobs);
        let summary = summary.map_err(|source| ServiceError::set_up(self.name(), source))?;
        Ok(Some(summary))
    }

    /// Returns true: published tasks ask questions about the web, and the verifier judges the last message.
    fn starts_from_nothing(&self) -> bool {
        true
    }

    fn mutations(&self) -> &'static [Mutation] {
        MUTATIONS
    }

    fn mutator<'a>(
        &self,
        solved: Solved<'a>,
    ) -> Result<Option<Box<dyn StateMutator + 'a>>, MutateError> {
        Ok(Some(Box::new(SiteMutator::new(solved))))
    }

    /// Returns true for the version of the form, which is the same in all states.
    fn is_noise(&self, path: &TreePath) -> bool {
        path.as_str() == "format"
    }
}

fn availability(cache: &Path) -> Availability {
    if let Err(problem) = check_isolation() {
        return Availability::Missing(format!("the browser cannot be isolated: {problem}"));
    }
    match Installation::find(cache) {
        Err(error) => Availability::Missing(error_chain(&error)),
        Ok(installation) => Availability::Programs(format!(
            "{} in {}, driven by @playwright/mcp {SERVER_VERSION} in {}, in namespaces",
            installation.browser_version(),
            installation.browser().display(),
            installation.packages().display()
        )),
    }
}
