//! Registry of services.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use mcpmark_sandbox::{Interface, Sandbox, SandboxConfig};
use mcpmark_service::Service;
use mcpmark_task::{GuestRole, GuestSource};

use crate::filesystem::FilesystemKind;
use crate::github::GitHubKind;
use crate::{ScriptVariables, ServiceKind, WorldGuestError, WorldGuests, published};

/// Registry of the services that the program knows, by name.
#[derive(Clone, Default)]
pub struct Services(BTreeMap<&'static str, Arc<dyn ServiceKind>>);

impl Services {
    /// Creates a registry of the built-in services: those that the program serves, and those of which it knows only
    /// published tasks.
    pub fn builtin() -> Self {
        let mut services = Self::default();
        services.register(FilesystemKind);
        services.register(GitHubKind);
        for kind in published::KINDS {
            services.register(*kind);
        }
        services
    }

    /// Registers a service. A service of the same name is replaced.
    pub fn register(&mut self, kind: impl ServiceKind) {
        self.0.insert(kind.name(), Arc::new(kind));
    }

    /// Returns the service with this name.
    pub fn kind(&self, name: &str) -> Option<&Arc<dyn ServiceKind>> {
        self.0.get(name)
    }

    /// Returns the service with this name for worlds without guests. Returns `None` if the program cannot serve it.
    pub fn service(&self, name: &str) -> Option<Arc<dyn Service>> {
        self.kind(name)?.service(&WorldGuests::default())
    }

    /// Returns the interfaces that guests may import, for all services.
    pub fn guest_interfaces(&self) -> Vec<Interface> {
        self.iter()
            .flat_map(|kind| kind.guest_interfaces())
            .collect()
    }

    /// Adds the guest interfaces and engines of all services to a sandbox configuration. The engines create temporary
    /// files in `scratch`.
    #[must_use]
    pub fn offer(&self, config: SandboxConfig, scratch: &Path) -> SandboxConfig {
        let mut interfaces = config.interfaces;
        interfaces.extend(self.guest_interfaces());
        let data = self
            .iter()
            .fold(config.data, |data, kind| kind.guest_engines(data, scratch));
        SandboxConfig {
            interfaces,
            data,
            ..config
        }
    }

    /// Checks that worlds of a service may have guests in these roles, before any guest is compiled.
    ///
    /// # Errors
    ///
    /// Returns an error for the first role that the service does not have.
    pub fn check_roles(
        &self,
        service: &str,
        guests: &BTreeMap<GuestRole, GuestSource>,
    ) -> Result<(), WorldGuestError> {
        for (role, source) in guests {
            self.with_role(service, *role, Some(source.path()))?;
        }
        Ok(())
    }

    fn with_role(
        &self,
        service: &str,
        role: GuestRole,
        file: Option<&Path>,
    ) -> Result<&Arc<dyn ServiceKind>, WorldGuestError> {
        let kind = self.kind(service);
        let kind = kind.filter(|kind| kind.guest_roles().contains(&role));
        kind.ok_or_else(|| WorldGuestError::UnknownRole {
            role,
            service: service.to_owned(),
            file: file.map(Path::to_owned),
        })
    }

    /// Loads the guests of a world of this service.
    ///
    /// # Errors
    ///
    /// Returns an error if the service does not have one of the roles, or if a component cannot be loaded.
    pub fn load_guests<'a>(
        &self,
        service: &str,
        sandbox: &Sandbox,
        components: impl IntoIterator<Item = (GuestRole, &'a [u8])>,
    ) -> Result<WorldGuests, WorldGuestError> {
        let mut guests = WorldGuests::default();
        for (role, component) in components {
            let kind = self.with_role(service, role, None)?;
            let guest = kind.load_guest(role, sandbox, component);
            let guest = guest.map_err(|source| WorldGuestError::Load {
                role,
                source: Box::new(source),
            })?;
            guests.insert(role, guest);
        }
        Ok(guests)
    }

    /// Returns all registered services, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn ServiceKind>> {
        self.0.values()
    }

    /// Returns the environment variables that published harnesses set for scripts, for each service.
    pub fn script_variables(&self) -> impl Iterator<Item = ScriptVariables> {
        self.iter().map(|kind| kind.script_variables())
    }

    /// Returns the names of the services whose published tasks may start from an empty state.
    pub fn starting_from_nothing(&self) -> impl Iterator<Item = &'static str> {
        let kinds = self.iter().filter(|kind| kind.starts_from_nothing());
        kinds.map(|kind| kind.name())
    }

    /// Returns the default service of a directory that is given as a world without a service name.
    pub fn of_any_directory(&self) -> Option<&Arc<dyn ServiceKind>> {
        self.iter().find(|kind| kind.takes_any_directory())
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Services")
            .field(&self.0.keys().collect::<Vec<_>>())
            .finish()
    }
}
