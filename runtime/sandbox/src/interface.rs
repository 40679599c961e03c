//! Interfaces that an embedder offers to guests in addition to those of this crate.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use wasmtime::component::Linker;

use crate::bindings::mcpmark::guest::builder;
use crate::component::{SETUP, VERIFIER, imports};
use crate::host::{SetupHost, Stop, VerifierHost};
use crate::{EngineError, FaultKind, GuestKind, Meter};

/// Namespace of the guest contract. A later release may use any name in it.
const RESERVED: &str = "mcpmark:";

type LinkTo<H> = dyn Fn(&mut Linker<H>) -> wasmtime::Result<()> + Send + Sync;

/// Function that adds an interface to the linker of one kind of guest.
#[derive(Clone)]
enum Link {
    Verifier(Arc<LinkTo<VerifierHost>>),
    Setup(Arc<LinkTo<SetupHost>>),
}

/// Interface of an embedder, which verifiers ([`new`](Self::new)) or setup guests ([`for_setup`](Self::for_setup)) may
/// import in addition to those of their world.
///
/// Add it to [`SandboxConfig::interfaces`](crate::SandboxConfig::interfaces). Imports must match the name exactly; any
/// other name is still refused. Implement it with [`wasmtime`](crate::wasmtime): with `bindgen!` from WIT and its
/// `Host` trait on [`VerifierHost`], or with closures through `func_wrap`.
///
/// A verdict must follow from the state and the data of its grade alone. So answer from [`VerifierHost::data`], change
/// nothing, and use no clock and no network. [`cross_check`](crate::SandboxConfig::cross_check) gives the guests of
/// both engines the same data, and reveals answers that differ.
///
/// ```
/// use mcpmark_sandbox::wasmtime::{self, component::HasSelf};
/// use mcpmark_sandbox::{Interface, Sandbox, SandboxConfig, VerifierHost};
///
/// wasmtime::component::bindgen!({
///     inline: "
///         package bakery:orders@1.0.0;
///         interface today { loaves: func(shop: string) -> option<u32>; }
///         world offered { import today; }
///     ",
///     imports: { default: trappable },
///     wasmtime_crate: mcpmark_sandbox::wasmtime,
/// });
/// use bakery::orders::today;
///
/// /// Orders of the day in one grade.
/// struct Orders(std::collections::BTreeMap<String, u32>);
///
/// impl today::Host for VerifierHost {
///     fn loaves(&mut self, shop: String) -> wasmtime::Result<Option<u32>> {
///         self.charge(shop.len() as u64)?;
///         Ok(self.data::<Orders>()?.0.get(&shop).copied())
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let interface = Interface::new(
///     "bakery:orders/today@1.0.0",
///     "read the orders of the day",
///     |linker| today::add_to_linker::<_, HasSelf<VerifierHost>>(linker, |host| host),
/// );
/// let config = SandboxConfig { interfaces: vec![interface], ..SandboxConfig::default() };
/// let sandbox = Sandbox::new(&config)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Interface {
    name: Arc<str>,
    allows: Arc<str>,
    link: Link,
    is_of_contract: bool,
}

impl Interface {
    /// Defines an interface for verifiers. `allows` describes it as a phrase that follows “can”, such as "read …".
    /// `link` adds an instance of that name, and nothing else, to a linker. It is called more than once.
    pub fn new(
        name: impl Into<String>,
        allows: impl Into<String>,
        link: impl Fn(&mut Linker<VerifierHost>) -> wasmtime::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into().into(),
            allows: allows.into().into(),
            link: Link::Verifier(Arc::new(link)),
            is_of_contract: false,
        }
    }

    /// Defines an interface for setup guests. See [`new`](Self::new).
    pub fn for_setup(
        name: impl Into<String>,
        allows: impl Into<String>,
        link: impl Fn(&mut Linker<SetupHost>) -> wasmtime::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into().into(),
            allows: allows.into().into(),
            link: Link::Setup(Arc::new(link)),
            is_of_contract: false,
        }
    }

    /// Allows a name that begins with `mcpmark:`, for an interface of the guest contract that another crate implements.
    /// Embedders must use other names: a later release may offer an interface of any name in that namespace.
    #[must_use]
    pub fn of_contract(mut self) -> Self {
        self.is_of_contract = true;
        self
    }

    /// Returns the kind of guest that may import the interface.
    pub fn guest(&self) -> GuestKind {
        match &self.link {
            Link::Verifier(_) => GuestKind::Verifier,
            Link::Setup(_) => GuestKind::Setup,
        }
    }

    /// Returns the name under which guests import the interface.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description of what the interface allows.
    pub fn allows(&self) -> &str {
        &self.allows
    }

    /// Links the interface after the `earlier` ones.
    pub(crate) fn add_to(
        &self,
        (verifier, setup): (&mut Linker<VerifierHost>, &mut Linker<SetupHost>),
        earlier: &[Self],
    ) -> Result<(), EngineError> {
        if self.name.starts_with(RESERVED) && !self.is_of_contract {
            return Err(self.refused(format!(
                "names that start with `{RESERVED}` are reserved for the contract of guests"
            )));
        }
        let of_same_guests = || earlier.iter().filter(|it| it.guest() == self.guest());
        if of_same_guests().any(|other| other.name == self.name) {
            return Err(self.refused("it is configured twice".into()));
        }
        let taken = |kind| {
            let earlier = of_same_guests().map(|other| other.name.to_string());
            imports(kind).chain(earlier).collect::<Vec<_>>()
        };
        match &self.link {
            Link::Verifier(link) => self.link_to(&**link, verifier, taken(&VERIFIER)),
            Link::Setup(link) => self.link_to(&**link, setup, taken(&SETUP)),
        }
    }

    /// Links the interface if it defines its own name and none of the names in `taken`.
    fn link_to<H: 'static>(
        &self,
        link: &LinkTo<H>,
        linker: &mut Linker<H>,
        taken: Vec<String>,
    ) -> Result<(), EngineError> {
        let link = |linker: &mut Linker<H>| {
            link(linker).map_err(|error| self.refused(crate::component::one_line(&error)))
        };
        // Link first into an empty linker, to find the names that it defines. A linker accepts each name once unless
        // shadowing is allowed, and `link` may allow it.
        let mut alone = Linker::new(linker.engine());
        link(&mut alone)?;
        let mut is_defined = |name: &str| {
            let again = alone.allow_shadowing(false).root();
            { again }.func_wrap(name, |_, (): ()| Ok(())).is_err()
        };
        if !is_defined(&self.name) {
            return Err(self.refused("its `link` does not define that name".into()));
        }
        if let Some(name) = taken.into_iter().find(|name| is_defined(name)) {
            return Err(self.refused(format!(
                "its `link` also defines `{name}`, which belongs to another interface"
            )));
        }
        let linked = link(linker);
        linker.allow_shadowing(false);
        linked
    }

    fn refused(&self, message: String) -> EngineError {
        EngineError::Interface {
            name: self.name.to_string(),
            message,
        }
    }
}

impl fmt::Debug for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interface")
            .field("name", &self.name)
            .field("allows", &self.allows)
            .finish_non_exhaustive()
    }
}

/// Data from which the interfaces of an embedder answer in one grade: one value per type.
///
/// Values are shared and read-only. A cross-check uses the same values for both engines.
#[derive(Clone, Default)]
pub struct GradeData(Vec<Arc<dyn Any + Send + Sync>>);

impl GradeData {
    /// Returns data without values, for a sandbox without interfaces of an embedder.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a value, which replaces an earlier one of the same type.
    #[must_use]
    pub fn with<D: Any + Send + Sync>(mut self, data: impl Into<Arc<D>>) -> Self {
        self.0.retain(|kept| !kept.as_ref().is::<D>());
        self.0.push(data.into());
        self
    }

    /// Adds the values of `other`, which replace earlier ones of the same types.
    pub(crate) fn and(mut self, other: Self) -> Self {
        let types: Vec<_> = other
            .0
            .iter()
            .map(|value| value.as_ref().type_id())
            .collect();
        self.0
            .retain(|value| !types.contains(&value.as_ref().type_id()));
        self.0.extend(other.0);
        self
    }

    /// Returns the value of this type, if there is one.
    #[must_use]
    pub fn get<D: Any + Send + Sync>(&self) -> Option<Arc<D>> {
        let kept = self.0.iter().find(|kept| kept.as_ref().is::<D>())?;
        Arc::clone(kept).downcast().ok()
    }
}

impl fmt::Debug for GradeData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GradeData({} values)", self.0.len())
    }
}

macro_rules! host_functions {
    ($host:ty) => {
/// Functions for the host functions of an embedder. An ordinary error that they return stops the guest with a `trap`
/// fault. An error with an [`std::io::Error`] in its chain is an error of the host, and so is
/// [`host_error`](Self::host_error).
impl $host {
    /// Returns the value of this type, from the grade ([`VerifyInput::with`](crate::VerifyInput::with)) or from the
    /// sandbox ([`SandboxConfig::data`](crate::SandboxConfig::data)).
    ///
    /// # Errors
    ///
    /// Returns an error if there is no value of this type. The grade then has no result, and the host is the cause.
    pub fn data<D: Any + Send + Sync>(&self) -> wasmtime::Result<Arc<D>> {
        self.data.get().ok_or_else(|| {
            Self::host_error(format!(
                "an interface requires a value of type `{}`; set it with `SandboxConfig::data` or `VerifyInput::with`",
                std::any::type_name::<D>()
            ))
        })
    }

    /// Charges one call and the bytes that pass with it, in either direction, to the `copy_bytes` of the guest. Call it
    /// in every host function: otherwise only fuel limits the number of calls.
    ///
    /// # Errors
    ///
    /// Returns a `copy` fault, which the caller must return immediately.
    pub fn charge(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.common.charge(bytes)
    }

    /// Charges work other than copying bytes to the `fuel` of the guest. A unit corresponds to about one instruction.
    /// Charge before the work, by a measure that is the same on every machine, such as the number of rows that are
    /// read.
    ///
    /// # Errors
    ///
    /// Returns a `fuel` fault, which the caller must return immediately, if the charges exceed the limit of the guest.
    /// If only the sum of the charges and of the guest's own instructions exceeds it, the guest gets the fault when it
    /// ends.
    pub fn charge_fuel(&mut self, units: u64) -> wasmtime::Result<()> {
        self.common.charge_fuel(units)
    }

    /// Returns an error that ends the grade without a result, as an error of the host and not of the guest. For a
    /// function that cannot answer.
    pub fn host_error(message: impl fmt::Display) -> wasmtime::Error {
        Stop::host(message)
    }

    /// Charges only bytes to `copy_bytes`, in addition to those of [`charge`](Self::charge).
    ///
    /// # Errors
    ///
    /// Returns a `copy` fault, which the caller must return immediately.
    pub fn charge_bytes(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.common.charge_bytes(bytes)
    }

    /// Returns a meter with the remaining fuel and bytes of the guest, for an engine that charges its own work. Nothing
    /// is charged to the guest before [`settle`](Self::settle).
    pub fn meter(&self) -> Meter {
        self.common.meter()
    }

    /// Charges the fuel that an engine used. Charge the bytes that it handed out with
    /// [`charge_bytes`](Self::charge_bytes).
    ///
    /// # Errors
    ///
    /// Returns a `fuel` fault, which the caller must return immediately.
    pub fn settle(&mut self, meter: &Meter) -> wasmtime::Result<()> {
        self.common.charge_fuel(meter.fuel())
    }

    /// Returns the fault of a guest for which an engine stopped with [`Exhausted`](crate::Exhausted).
    pub fn exhausted(&mut self, meter: &Meter) -> wasmtime::Error {
        self.common.exhausted(meter)
    }

    /// Returns state of an interface that lasts for one run: one value per type, initialised with its default.
    pub fn state<T: Any + Default>(&mut self) -> &mut T {
        self.state.get()
    }

    /// Returns an error that stops the guest with a fault of this kind.
    pub fn fault(kind: FaultKind, message: impl Into<String>) -> wasmtime::Error {
        Stop::fault(kind, message.into())
    }

    /// Records the server that answers the guest through an interface, such as `postgres 15`, for
    /// [`Run::interfaces`](crate::Run::interfaces).
    pub fn record_interface(&mut self, interface: &str, server: impl Into<String>) {
        self.common.interfaces.record(interface, server);
    }

    /// Returns an error that ends the grade without a result, as an error of the world.
    pub fn world_error(message: impl fmt::Display) -> wasmtime::Error {
        Stop::world(message)
    }
}
    };
}

host_functions!(VerifierHost);
host_functions!(SetupHost);

impl SetupHost {
    /// Returns the maximum size of the files of the world, in bytes.
    pub fn max_bytes(&self) -> u64 {
        self.world.max_bytes
    }

    /// Adds a file to the world.
    ///
    /// # Errors
    ///
    /// Returns the rule that the file violates.
    pub fn put_file(
        &mut self,
        path: &str,
        content: Vec<u8>,
        executable: bool,
    ) -> Result<(), String> {
        let put = self.world.put(path, content, executable, None);
        put.map_err(error_message)
    }

    /// Adds a directory to the world, and its parents if they are missing.
    ///
    /// # Errors
    ///
    /// Returns the rule that the directory violates.
    pub fn make_directory(&mut self, path: &str) -> Result<(), String> {
        self.world.make_directory(path).map_err(error_message)
    }

    /// Registers a function that runs after the guest has ended.
    pub fn at_end(&mut self, step: fn(&mut Self) -> wasmtime::Result<()>) {
        self.at_end.push(step);
    }
}

fn error_message(error: builder::Error) -> String {
    match error {
        builder::Error::InvalidPath(words)
        | builder::Error::Exists(words)
        | builder::Error::TooLarge(words) => words,
    }
}
