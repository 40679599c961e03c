//! Interfaces that an embedder offers to verifiers beside ours.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use wasmtime::component::Linker;

use crate::EngineError;
use crate::host::{Stop, VerifierHost};

/// The namespace that no embedder can have: a later release may use any name in it.
const RESERVED: &str = "mcpmark:";

type Link = dyn Fn(&mut Linker<VerifierHost>) -> wasmtime::Result<()> + Send + Sync;

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
    link: Arc<Link>,
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
            link: Arc::new(link),
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
        linker: &mut Linker<VerifierHost>,
        earlier: &[Self],
    ) -> Result<(), EngineError> {
        let refused = |message: String| EngineError::Interface {
            name: self.name.to_string(),
            message,
        };
        if self.name.starts_with(RESERVED) {
            return Err(refused(format!(
                "names that start with `{RESERVED}` are kept for the contract of guests"
            )));
        }
        if earlier.iter().any(|other| other.name == self.name) {
            return Err(refused("it is there twice".into()));
        }
        // First where nothing is defined yet: a linker takes each name once, unless it is told
        // to let names be shadowed, and `link` may tell it so.
        let mut alone = Linker::new(linker.engine());
        self.link_to(&mut alone)?;
        let mut is_defined = |name: &str| {
            let again = alone.allow_shadowing(false).root();
            { again }.func_wrap(name, |_, (): ()| Ok(())).is_err()
        };
        if !is_defined(&self.name) {
            return Err(refused("its `link` defines nothing of that name".into()));
        }
        let taken = crate::component::verifier_imports()
            .chain(earlier.iter().map(|other| other.name.to_string()))
            .find(|name| is_defined(name));
        if let Some(name) = taken {
            return Err(refused(format!(
                "its `link` defines `{name}` too, which is not its own"
            )));
        }
        let linked = self.link_to(linker);
        linker.allow_shadowing(false);
        linked
    }

    fn link_to(&self, linker: &mut Linker<VerifierHost>) -> Result<(), EngineError> {
        (self.link)(linker).map_err(|error| EngineError::Interface {
            name: self.name.to_string(),
            message: crate::component::one_line(&error),
        })
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

/// What an embedder's host functions can use. An error that they return as it comes stops
/// the guest with a `trap` fault and is the guest's fault; one with an [`std::io::Error`] in it
/// blames the host, and so does [`host_error`](Self::host_error).
impl VerifierHost {
    /// The value of this type that the grade was given
    /// ([`VerifyInput::with`](crate::VerifyInput::with)).
    ///
    /// # Errors
    ///
    /// When it was given none: the grade then has no result, and the host is to blame.
    pub fn data<D: Any + Send + Sync>(&self) -> wasmtime::Result<Arc<D>> {
        self.data.get().ok_or_else(|| {
            Self::host_error(format!(
                "an interface answers from a `{}`, and this grade was given none (`VerifyInput::with`)",
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
}
