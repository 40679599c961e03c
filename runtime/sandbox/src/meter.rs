//! The budget of work that the host does for a guest.

/// The fuel and the bytes that the host may still spend for a guest: a unit of fuel stands for about an instruction,
/// and the parts of a list are counted in bytes while it grows. Only what is the same on every machine may be counted.
///
/// An engine behind an [`Interface`](crate::Interface) gets one ([`VerifierHost::meter`](crate::VerifierHost::meter))
/// and charges it before it works. The fuel that it used is charged to the guest afterwards
/// ([`VerifierHost::settle`](crate::VerifierHost::settle)); bytes only bound the answer, and are charged when it is
/// handed out ([`VerifierHost::charge_bytes`](crate::VerifierHost::charge_bytes)).
#[derive(Debug)]
pub struct Meter {
    fuel: Account,
    bytes: Account,
}

#[derive(Debug)]
struct Account {
    used: u64,
    limit: u64,
}

/// Error: the guest has too little fuel, or too few bytes, left for some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted;

impl Meter {
    pub(crate) fn new(fuel: u64, bytes: u64) -> Self {
        let account = |limit| Account { used: 0, limit };
        Self {
            fuel: account(fuel),
            bytes: account(bytes),
        }
    }

    /// Charges work, before it is done.
    ///
    /// # Errors
    ///
    /// When the guest has less fuel left: the engine stops then.
    pub fn charge_fuel(&mut self, units: u64) -> Result<(), Exhausted> {
        self.fuel.take(units)
    }

    /// Charges the bytes of one more element of an answer, so that no answer grows past what may be handed out.
    ///
    /// # Errors
    ///
    /// When the guest may have fewer bytes: the engine stops then.
    pub fn charge_bytes(&mut self, bytes: u64) -> Result<(), Exhausted> {
        self.bytes.take(bytes)
    }

    pub(crate) fn fuel(&self) -> u64 {
        self.fuel.used
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.used
    }
}

impl Account {
    fn take(&mut self, amount: u64) -> Result<(), Exhausted> {
        self.used = self.used.saturating_add(amount);
        if self.used > self.limit {
            Err(Exhausted)
        } else {
            Ok(())
        }
    }
}
