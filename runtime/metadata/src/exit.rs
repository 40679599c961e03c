//! Exit codes. Scripts rely on their numbers.

use std::process;

/// Exit code of a command. Batches report the highest code, so the order of the numbers is a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ExitCode {
    /// All attempts were graded and passed; or success of a command that does not grade.
    Passed = 0,
    /// All attempts were graded, and some failed.
    Failed = 1,
    /// Invalid command line.
    Usage = 2,
    /// At least one attempt has no grade, because its verifier failed or is held back.
    NotGraded = 3,
    /// Invalid task, world or component.
    Invalid = 4,
    /// Failure of the host, such as a full disk, a missing compiler or a locked store.
    Infrastructure = 5,
    /// An experiment reached its limit of cost, tokens or time; `mcpmark resume` continues with a higher limit.
    Limit = 6,
    /// Interrupted by Ctrl-C; `mcpmark resume` continues.
    Interrupted = 130,
}

impl ExitCode {
    /// All exit codes, in ascending order.
    pub const ALL: [Self; 8] = [
        Self::Passed,
        Self::Failed,
        Self::Usage,
        Self::NotGraded,
        Self::Invalid,
        Self::Infrastructure,
        Self::Limit,
        Self::Interrupted,
    ];

    /// Returns the number that the operating system sees.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Returns the exit code with a number, as [`std::process::ExitStatus::code`] reports it. Returns `None` for a
    /// number that `mcpmark` does not use.
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|code| i32::from(*code) == number)
    }
}

impl From<ExitCode> for i32 {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

impl From<ExitCode> for process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

#[cfg(test)]
mod tests {
    use super::ExitCode;

    #[test]
    fn numbers_are_those_of_the_documentation() {
        let numbers = ExitCode::ALL.map(ExitCode::number);
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 130]);
        assert!(ExitCode::ALL.is_sorted());
    }

    #[test]
    fn codes_are_found_by_their_number() {
        for code in ExitCode::ALL {
            assert_eq!(ExitCode::from_number(i32::from(code.number())), Some(code));
        }
        assert_eq!(ExitCode::from_number(101), None);
        assert_eq!(ExitCode::from_number(-1), None);
    }
}
