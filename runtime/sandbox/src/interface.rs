//! Interfaces that an embedder offers to guests beside those of this crate.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use wasmtime::component::Linker;

use crate::bindings::mcpmark::guest::builder;
use crate::component::{SETUP, VERIFIER, imports};
use crate::host::{SetupHost, Stop, VerifierHost};
use crate::{EngineError, FaultKind, GuestKind, Meter};

/// The namespace of the contract of guests: a later release may use any name in it.
const RESERVED: &str = "mcpmark:";

type LinkTo<H> = dyn Fn(&mut Linker<H>) -> wasmtime::Result<()> + Send + Sync;

/// What adds an interface to the linker of one kind of guest.
#[derive(Clone)]
enum Link {
    Verifier(Arc<LinkTo<VerifierHost>>),
    Setup(Arc<LinkTo<SetupHost>>),
}

/// An interface of an embedder's own, which verifiers may import beside `state`.
///
/// It goes into [`SandboxConfig::interfaces`](crate::SandboxConfig::interfaces). A verifier
/// that imports it by exactly this name loads, and every other name is refused as before.
/// The implementation is made with [`wasmtime`](crate::wasmtime): `bindgen!` from WIT, with
/// its `Host` trait implemented for [`VerifierHost`], or closures through `func_wrap`.
///
/// A verdict has to follow from the state and the data of its grade alone. So take what the
/// interface answers from [`VerifierHost::data`], change nothing, and ask no clock and no
/// network. [`cross_check`](crate::SandboxConfig::cross_check) asks both engines' guests
/// with the same data, and shows when answers differ.
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
/// /// What one grade knows of the day's orders.
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
    /// Names an interface, says what it lets a verifier do ("read …", in words that follow
    /// “can”), and defines it: `link` adds an instance of that name, and nothing else, to a
    /// linker. It is called more than once.
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

    /// The same for setup guests.
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

    /// Lets the name begin with `mcpmark:`, for an interface of the contract of guests that is implemented beside this
    /// crate. Embedders take other names: a later release may offer an interface of any name in that namespace.
    #[must_use]
    pub fn of_contract(mut self) -> Self {
        self.is_of_contract = true;
        self
    }

    /// The kind of guests that may import it.
    pub fn guest(&self) -> GuestKind {
        match &self.link {
            Link::Verifier(_) => GuestKind::Verifier,
            Link::Setup(_) => GuestKind::Setup,
        }
    }

    /// The name under which it is imported.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it lets a verifier do, in words.
    pub fn allows(&self) -> &str {
        &self.allows
    }

    /// Links it after the `earlier` ones.
    pub(crate) fn add_to(
        &self,
        (verifier, setup): (&mut Linker<VerifierHost>, &mut Linker<SetupHost>),
        earlier: &[Self],
    ) -> Result<(), EngineError> {
        if self.name.starts_with(RESERVED) && !self.is_of_contract {
            return Err(self.refused(format!(
                "names that start with `{RESERVED}` are kept for the contract of guests"
            )));
        }
        let of_same_guests = || earlier.iter().filter(|it| it.guest() == self.guest());
        if of_same_guests().any(|other| other.name == self.name) {
            return Err(self.refused("it is there twice".into()));
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

    /// Links it where it defines its own name, and none of those that are `taken`.
    fn link_to<H: 'static>(
        &self,
        link: &LinkTo<H>,
        linker: &mut Linker<H>,
        taken: Vec<String>,
    ) -> Result<(), EngineError> {
        let link = |linker: &mut Linker<H>| {
            link(linker).map_err(|error| self.refused(crate::component::one_line(&error)))
        };
        // First where nothing is defined yet: a linker takes each name once, unless it is told
        // to let names be shadowed, and `link` may tell it so.
        let mut alone = Linker::new(linker.engine());
        link(&mut alone)?;
        let mut is_defined = |name: &str| {
            let again = alone.allow_shadowing(false).root();
            { again }.func_wrap(name, |_, (): ()| Ok(())).is_err()
        };
        if !is_defined(&self.name) {
            return Err(self.refused("its `link` defines nothing of that name".into()));
        }
        if let Some(name) = taken.into_iter().find(|name| is_defined(name)) {
            return Err(self.refused(format!(
                "its `link` defines `{name}` too, which is not its own"
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

/// What the interfaces of an embedder answer from in one grade: one value for each type.
///
/// Values are shared and read-only; a cross-check asks the same ones twice.
#[derive(Clone, Default)]
pub struct GradeData(Vec<Arc<dyn Any + Send + Sync>>);

impl GradeData {
    /// None, as for a sandbox that offers no interface of an embedder.
    pub fn none() -> Self {
        Self::default()
    }

    /// This and a value more, which takes the place of an earlier one of its type.
    #[must_use]
    pub fn with<D: Any + Send + Sync>(mut self, data: impl Into<Arc<D>>) -> Self {
        self.0.retain(|kept| !kept.as_ref().is::<D>());
        self.0.push(data.into());
        self
    }

    /// These values, and those of `other`, which take the places of earlier ones of their types.
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

    fn get<D: Any + Send + Sync>(&self) -> Option<Arc<D>> {
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
/// What an embedder's host functions can use. An error that they return as it comes stops
/// the guest with a `trap` fault and is the guest's fault; one with an [`std::io::Error`] in it
/// blames the host, and so does [`host_error`](Self::host_error).
impl $host {
    /// The value of this type, of the grade ([`VerifyInput::with`](crate::VerifyInput::with)) or of the sandbox
    /// ([`SandboxConfig::data`](crate::SandboxConfig::data)).
    ///
    /// # Errors
    ///
    /// When it was given none: the grade then has no result, and the host is to blame.
    pub fn data<D: Any + Send + Sync>(&self) -> wasmtime::Result<Arc<D>> {
        self.data.get().ok_or_else(|| {
            Self::host_error(format!(
                "an interface answers from a `{}`, and there is none: set `SandboxConfig::data` or `VerifyInput::with`",
                std::any::type_name::<D>()
            ))
        })
    }

    /// Charges one call and the bytes that pass with it, in either direction, to the
    /// guest's `copy_bytes`. Call it in every function, or a guest can call it for as long
    /// as its fuel lasts.
    ///
    /// # Errors
    ///
    /// A `copy` fault, to be returned at once.
    pub fn charge(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.common.charge(bytes)
    }

    /// Charges work beyond the copying of bytes to the guest's `fuel`: a unit stands for
    /// about an instruction. Charge before the work, by a measure that is the same on every
    /// machine, such as the rows that were looked at.
    ///
    /// # Errors
    ///
    /// A `fuel` fault, to be returned at once, when what was charged is more than the guest
    /// may use. A guest whose own instructions and this together are more than that gets
    /// the fault when it ends.
    pub fn charge_fuel(&mut self, units: u64) -> wasmtime::Result<()> {
        self.common.charge_fuel(units)
    }

    /// An error that ends the grade without a result and blames the host, not the guest: for
    /// a function that cannot answer.
    pub fn host_error(message: impl fmt::Display) -> wasmtime::Error {
        Stop::host(message)
    }

    /// Charges bytes alone, beside those of [`charge`](Self::charge).
    ///
    /// # Errors
    ///
    /// A `copy` fault, to be returned at once.
    pub fn charge_bytes(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.common.charge_bytes(bytes)
    }

    /// What is left to the guest, for an engine that charges its own work. Nothing is charged before
    /// [`settle`](Self::settle).
    pub fn meter(&self) -> Meter {
        self.common.meter()
    }

    /// Charges the fuel that an engine used. Bytes that it handed out are charged with
    /// [`charge_bytes`](Self::charge_bytes).
    ///
    /// # Errors
    ///
    /// A `fuel` fault, to be returned at once.
    pub fn settle(&mut self, meter: &Meter) -> wasmtime::Result<()> {
        self.common.charge_fuel(meter.fuel())
    }

    /// The fault of a guest for which an engine stopped with [`Exhausted`](crate::Exhausted).
    pub fn exhausted(&mut self, meter: &Meter) -> wasmtime::Error {
        self.common.exhausted(meter)
    }

    /// What an interface keeps from call to call within one run: one value for each type, made where there is none.
    pub fn state<T: Any + Default>(&mut self) -> &mut T {
        self.state.get()
    }

    /// An error that stops the guest with a fault of its own.
    pub fn fault(kind: FaultKind, message: impl Into<String>) -> wasmtime::Error {
        Stop::fault(kind, message.into())
    }

    /// An error that ends the grade without a result and blames the world.
    pub fn world_error(message: impl fmt::Display) -> wasmtime::Error {
        Stop::world(message)
    }
}
    };
}

host_functions!(VerifierHost);
host_functions!(SetupHost);

impl SetupHost {
    /// The most bytes that the files of the world may have.
    pub fn max_bytes(&self) -> u64 {
        self.world.max_bytes
    }

    /// Adds a file to the world.
    ///
    /// # Errors
    ///
    /// With the rule that it breaks.
    pub fn put_file(
        &mut self,
        path: &str,
        content: Vec<u8>,
        executable: bool,
    ) -> Result<(), String> {
        let put = self.world.put(path, content, executable, None);
        put.map_err(in_words)
    }

    /// Adds a directory to the world, and those above it.
    ///
    /// # Errors
    ///
    /// With the rule that it breaks.
    pub fn make_directory(&mut self, path: &str) -> Result<(), String> {
        self.world.make_directory(path).map_err(in_words)
    }

    /// Runs a function when the guest is done.
    pub fn at_end(&mut self, step: fn(&mut Self) -> wasmtime::Result<()>) {
        self.at_end.push(step);
    }
}

fn in_words(error: builder::Error) -> String {
    match error {
        builder::Error::InvalidPath(words)
        | builder::Error::Exists(words)
        | builder::Error::TooLarge(words) => words,
    }
}
