//! Registry of services.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcpmark_sandbox::{Interface, Sandbox, SandboxConfig};
use mcpmark_service::Service;
use mcpmark_task::{GuestRole, GuestSource};

use crate::filesystem::FilesystemKind;
use crate::github::GitHubKind;
use crate::notion::NotionKind;
use crate::playwright::PlaywrightKind;
use crate::postgres::PostgresKind;
use crate::{Availability, ScriptVariables, ServiceKind, WorldGuestError, WorldGuests, published};

/// Errors of using a service on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceUnavailable {
    /// The program does not implement the service.
    #[error("service {0:?} is not supported")]
    Unknown(String),
    /// Something that the service needs is missing.
    #[error("service {service} cannot run on this machine: {reason}")]
    Missing {
        /// Name of the service.
        service: String,
        /// Missing requirement, and how to install it.
        reason: String,
    },
}

/// Settings of the built-in services.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceSettings {
    /// Directory for data that can be made again. Each service has a directory in it.
    pub cache: PathBuf,
}

impl Default for ServiceSettings {
    /// Returns the settings with the cache directory of the user, or one for temporary files if there is none.
    fn default() -> Self {
        let var = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let cache = var("XDG_CACHE_HOME").or_else(|| var("HOME").map(|home| home.join(".cache")));
        Self {
            cache: cache.unwrap_or_else(std::env::temp_dir).join("mcpmark"),
        }
    }
}

/// Registry of the services that the program knows, by name.
#[derive(Clone, Default)]
pub struct Services(BTreeMap<&'static str, Arc<dyn ServiceKind>>);

impl Services {
    /// Creates a registry of the built-in services: those that the program serves, and those of which it knows only
    /// published tasks. They have the default settings.
    pub fn builtin() -> Self {
        Self::builtin_with(&ServiceSettings::default())
    }

    /// Creates a registry of the built-in services with these settings.
    pub fn builtin_with(settings: &ServiceSettings) -> Self {
        let mut services = Self::default();
        services.register(FilesystemKind);
        services.register(GitHubKind);
        services.register(NotionKind);
        services.register(PlaywrightKind::new(&settings.cache));
        services.register(PostgresKind::new(&settings.cache));
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

    /// Returns the service with this name.
    ///
    /// # Errors
    ///
    /// Returns [`ServiceUnavailable::Unknown`] if the program cannot serve worlds of it.
    pub fn served(&self, name: &str) -> Result<&Arc<dyn ServiceKind>, ServiceUnavailable> {
        self.kind(name)
            .filter(|kind| kind.service(&WorldGuests::default()).is_some())
            .ok_or_else(|| ServiceUnavailable::Unknown(name.to_owned()))
    }

    /// Checks that a service can run on this machine.
    ///
    /// # Errors
    ///
    /// Returns an error if the program does not implement the service, or if the service lacks something that it needs.
    pub fn check_available(&self, name: &str) -> Result<(), ServiceUnavailable> {
        match self.served(name)?.availability() {
            Availability::InProcess | Availability::Programs(_) | Availability::Weakened(_) => {
                Ok(())
            }
            Availability::Missing(reason) => Err(ServiceUnavailable::Missing {
                service: name.to_owned(),
                reason,
            }),
        }
    }

    /// Stops what the services keep between sessions. Called once, when no session is open.
    pub fn shutdown(&self) {
        for kind in self.iter() {
            kind.shutdown();
        }
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// The filesystem service under another name, on a machine that lacks something.
    struct Lacking(Arc<AtomicU32>);

    impl ServiceKind for Lacking {
        fn name(&self) -> &'static str {
            "lacking"
        }

        fn service(&self, guests: &WorldGuests) -> Option<Arc<dyn Service>> {
            FilesystemKind.service(guests)
        }

        fn availability(&self) -> Availability {
            Availability::Missing("libmissing is not installed".to_owned())
        }

        fn shutdown(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn unavailable_services_are_named_with_the_reason() {
        let mut services = Services::builtin();
        services.register(Lacking(Arc::default()));
        assert_eq!(services.check_available("filesystem"), Ok(()));
        let error = |name| services.check_available(name).unwrap_err().to_string();
        assert_eq!(
            error("lacking"),
            "service lacking cannot run on this machine: libmissing is not installed"
        );
        for name in ["supabase", "nowhere"] {
            assert_eq!(error(name), format!("service {name:?} is not supported"));
        }
    }

    #[test]
    fn shutdown_reaches_each_service_once() {
        let calls = Arc::new(AtomicU32::new(0));
        let mut services = Services::builtin();
        services.register(Lacking(Arc::clone(&calls)));
        services.shutdown();
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }
}
