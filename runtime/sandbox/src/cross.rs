//! Cross-check: comparison of the results of two engines.

use crate::{
    EngineKind, Fault, FaultKind, Limits, Run, RunError, Sandbox, Verdict, Verifier, VerifyInput,
};

impl Sandbox {
    /// Grades a final state. The same input gives the same verdict, byte for byte.
    ///
    /// With [`cross_check`](crate::SandboxConfig::cross_check) the other engine also grades it. If the verdicts differ,
    /// the result is a fault of kind `disagreement`. If an engine reaches the time limit, the fault is `time`.
    pub fn verify(&self, guest: &Verifier, input: VerifyInput, limits: &Limits) -> Run<Verdict> {
        let Some(peer) = self.peer() else {
            return self.verify_once(&guest.linked, guest.clock, input, limits);
        };
        let mut first = self.verify_once(&guest.linked, guest.clock, input.clone(), limits);
        let Some(twin) = &guest.twin else {
            let message = "the verifier was loaded by a sandbox without cross-check";
            first.result = Err(RunError::Host(message.to_owned()));
            return first;
        };
        let second = peer.verify_once(twin, guest.clock, input, limits);
        let kinds = (self.inner.kind, peer.inner.kind);
        let printed_same = first.printed == second.printed;
        first.result = match agree(kinds, first.result, second.result) {
            Ok(_) if !printed_same => Err(printed_differently(kinds)),
            agreed => agreed,
        };
        first
    }
}

/// Returns the fault of engines that agree on a verdict, but not on the output.
pub(crate) fn printed_differently(kinds: (EngineKind, EngineKind)) -> RunError {
    RunError::Fault(Fault::new(
        FaultKind::Disagreement,
        format!(
            "the engines disagree: the outputs of the verifier on {} and on {} differ",
            kinds.0, kinds.1
        ),
    ))
}

/// Returns the result of the first engine if the second engine has the same result.
pub(crate) fn agree(
    kinds: (EngineKind, EngineKind),
    first: Result<Verdict, RunError>,
    second: Result<Verdict, RunError>,
) -> Result<Verdict, RunError> {
    let same = match (&first, &second) {
        (Err(RunError::Host(_) | RunError::World(_)), _) => return first,
        (_, Err(RunError::Host(_) | RunError::World(_))) => return second,
        // Time depends on the load of the machine and not on what an engine computes. If it stopped one of the engines,
        // there is nothing to compare, and therefore no verdict.
        (Err(RunError::Fault(fault)), _) if fault.kind == FaultKind::Time => {
            return Err(unconfirmed(kinds.0, fault, kinds.1, &second));
        }
        (_, Err(RunError::Fault(fault))) if fault.kind == FaultKind::Time => {
            return Err(unconfirmed(kinds.1, fault, kinds.0, &first));
        }
        (Ok(first), Ok(second)) => first == second,
        // The message of a trap may differ between engines; the kind of the fault may not.
        (Err(RunError::Fault(first)), Err(RunError::Fault(second))) => first.kind == second.kind,
        _ => false,
    };
    if same {
        return first;
    }
    let detail = match (&first, &second) {
        (Ok(first), Ok(second)) => first_difference(first, second),
        _ => String::new(),
    };
    Err(RunError::Fault(Fault::new(
        FaultKind::Disagreement,
        format!(
            "the engines disagree: {}: {}; {}: {}{detail}",
            kinds.0,
            summary(&first),
            kinds.1,
            summary(&second),
        ),
    )))
}

/// Returns a `time` fault for the engine `late`, which reached its time limit.
fn unconfirmed(
    late: EngineKind,
    fault: &Fault,
    other: EngineKind,
    result: &Result<Verdict, RunError>,
) -> RunError {
    RunError::Fault(Fault::new(
        FaultKind::Time,
        format!(
            "{late}: {}; {other}: {}, not confirmed",
            fault.message,
            summary(result)
        ),
    ))
}

fn summary(result: &Result<Verdict, RunError>) -> String {
    match result {
        Ok(verdict) => {
            let passed = verdict.checks().iter().filter(|check| check.passed).count();
            format!("{passed} of {} checks passed", verdict.checks().len())
        }
        Err(error) => error.to_string(),
    }
}

fn first_difference(first: &Verdict, second: &Verdict) -> String {
    let mut pairs = first.checks().iter().zip(second.checks());
    match pairs.find(|(first, second)| first != second) {
        Some((first, second)) if first.name != second.name => {
            format!(
                "; first difference: check {:?} and check {:?}",
                first.name, second.name
            )
        }
        Some((check, _)) => format!("; first difference: check {:?}", check.name),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Check;

    const KINDS: (EngineKind, EngineKind) = (EngineKind::Cranelift, EngineKind::Pulley);

    fn verdict(checks: &[(&str, bool, &str)]) -> Result<Verdict, RunError> {
        let checks = checks.iter().map(|(name, passed, detail)| Check {
            name: (*name).into(),
            passed: *passed,
            detail: (*detail).into(),
        });
        Ok(Verdict::new(checks.collect(), &Limits::VERIFIER).unwrap())
    }

    fn fault(kind: FaultKind, message: &str) -> Result<Verdict, RunError> {
        Err(RunError::Fault(Fault::new(kind, message)))
    }

    fn message(first: Result<Verdict, RunError>, second: Result<Verdict, RunError>) -> String {
        match agree(KINDS, first, second) {
            Err(RunError::Fault(fault)) if fault.kind == FaultKind::Disagreement => fault.message,
            other => panic!("no disagreement: {other:?}"),
        }
    }

    #[test]
    fn agreeing_verdicts_are_the_result() {
        let one = || verdict(&[("a", false, "3 of 4")]);
        assert!(!agree(KINDS, one(), one()).unwrap().passed());
        // The interpreter words its message differently, but it is the same fault.
        let both = agree(
            KINDS,
            fault(FaultKind::Trap, "unreachable"),
            fault(FaultKind::Trap, "trapped"),
        );
        assert_eq!(both.unwrap_err().to_string(), "trap: unreachable");
    }

    #[test]
    fn a_difference_in_any_byte_is_a_disagreement() {
        let base = verdict(&[("a", true, ""), ("b", true, "1.5")]);
        assert_eq!(
            message(base, verdict(&[("a", true, ""), ("b", true, "1.50")])),
            "the engines disagree: cranelift: 2 of 2 checks passed; pulley: 2 of 2 checks passed; \
             first difference: check \"b\""
        );
        assert!(
            message(verdict(&[("a", true, "")]), verdict(&[("b", true, "")]))
                .ends_with("; first difference: check \"a\" and check \"b\"")
        );
        assert!(
            message(
                verdict(&[("a", true, "")]),
                verdict(&[("a", true, ""), ("b", false, "")])
            )
            .ends_with("pulley: 1 of 2 checks passed")
        );
        assert!(
            message(verdict(&[("a", true, "")]), fault(FaultKind::Fuel, "spent"))
                .ends_with("pulley: fuel: spent")
        );
        message(
            fault(FaultKind::Trap, "unreachable"),
            fault(FaultKind::Memory, "too much"),
        );
    }

    #[test]
    fn an_engine_that_was_too_slow_disagrees_with_nobody() {
        let late = || {
            fault(
                FaultKind::Time,
                "the guest ran longer than 30 s (limit `time_ms`)",
            )
        };
        let others = || [verdict(&[("a", true, "")]), fault(FaultKind::Fuel, "spent")];
        for other in others() {
            let said = summary(&other);
            match agree(KINDS, other, late()) {
                Err(RunError::Fault(fault)) => {
                    assert_eq!(fault.kind, FaultKind::Time);
                    assert_eq!(
                        fault.message,
                        format!(
                            "pulley: the guest ran longer than 30 s (limit `time_ms`); cranelift: {said}, not confirmed"
                        )
                    );
                }
                other => panic!("{other:?}"),
            }
        }
        for other in others() {
            match agree(KINDS, late(), other) {
                Err(RunError::Fault(fault)) => {
                    assert_eq!(fault.kind, FaultKind::Time);
                    assert!(fault.message.starts_with("cranelift: "), "{fault}");
                }
                other => panic!("{other:?}"),
            }
        }
        // A host error takes precedence.
        let lost = Err(RunError::Host("a blob is lost".into()));
        assert!(matches!(agree(KINDS, late(), lost), Err(RunError::Host(_))));
    }

    #[test]
    fn a_host_that_failed_is_no_disagreement() {
        let lost = || Err(RunError::Host("a blob is lost".into()));
        let fine = || verdict(&[("a", true, "")]);
        for (first, second) in [(lost(), fine()), (fine(), lost()), (lost(), lost())] {
            assert!(matches!(
                agree(KINDS, first, second),
                Err(RunError::Host(_))
            ));
        }
    }
}
