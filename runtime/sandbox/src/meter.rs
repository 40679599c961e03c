//! Fuel and byte budget for work that the host does for a guest.

/// Remaining fuel and bytes that the host may spend for a guest. A unit of fuel corresponds to about one instruction;
/// the parts of a list are counted in bytes while it grows. Charge only quantities that are the same on every machine.
///
/// An engine that implements an [`Interface`](crate::Interface) gets a meter from
/// [`VerifierHost::meter`](crate::VerifierHost::meter) and charges it before it works. Afterwards
/// [`VerifierHost::settle`](crate::VerifierHost::settle) charges the used fuel to the guest. Bytes only bound the
/// answer here; [`VerifierHost::charge_bytes`](crate::VerifierHost::charge_bytes) charges them when it is handed out.
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

/// Error of a guest that has too little fuel or too few bytes left for some work.
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

    /// Charges fuel for work, before the work is done.
    ///
    /// # Errors
    ///
    /// Returns an error if the guest has less fuel left. The engine must then stop.
    pub fn charge_fuel(&mut self, units: u64) -> Result<(), Exhausted> {
        self.fuel.take(units)
    }

    /// Charges the bytes of one more element of an answer, so that no answer grows beyond the bytes that the guest may
    /// receive.
    ///
    /// # Errors
    ///
    /// Returns an error if the guest has fewer bytes left. The engine must then stop.
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
