//! Batch grading on several threads: [`Sandbox::grade_many`].

use std::io;
use std::num::NonZeroUsize;

use crate::order::Panicked;
use crate::{
    InOrder, InterfaceVersions, Limits, Log, Run, RunError, Sandbox, Verdict, Verifier,
    VerifyInput, in_order,
};

/// One grade of a batch.
#[derive(Clone)]
pub struct GradeRequest {
    /// Verifier that grades the state.
    pub verifier: Verifier,
    /// States, answer, parameters and data of the grade.
    pub input: VerifyInput,
    /// Limits of the verifier.
    pub limits: Limits,
}

/// Outcomes of [`Sandbox::grade_many`], in the order of the requests. Dropping it stops the guests that run and waits
/// for them to end.
pub struct Grades(InOrder<Run<Verdict>>);

impl Sandbox {
    /// Grades a stream of requests on `threads` threads and yields the outcomes in the order of the requests. The
    /// default is one thread per core.
    ///
    /// A thread takes a request only when it is free. The threads are at most a few dozen requests each, or the
    /// requests of a few milliseconds, ahead of the next outcome, so that a million requests need no more memory than a
    /// thousand. All verifiers share the threads and the slots of the sandbox, and requests are graded in their order.
    /// An error of one request, including a panic of the host, is the outcome of that request.
    ///
    /// ```no_run
    /// use mcpmark_sandbox::{GradeRequest, Limits, Sandbox, Verifier, VerifyInput};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (sandbox, verifier, inputs): (Sandbox, Verifier, Vec<VerifyInput>) = unimplemented!();
    /// let requests = inputs.into_iter().map(move |input| GradeRequest {
    ///     verifier: verifier.clone(),
    ///     input,
    ///     limits: Limits::VERIFIER,
    /// });
    /// for run in sandbox.grade_many(requests, None)? {
    ///     println!("{:?}", run.result.map(|verdict| verdict.score()));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if not even one thread can be started.
    pub fn grade_many<I>(&self, requests: I, threads: Option<NonZeroUsize>) -> io::Result<Grades>
    where
        I: IntoIterator<Item = GradeRequest>,
        I::IntoIter: Send + 'static,
    {
        let cancel = self.cancel.clone().unwrap_or_default().child();
        let sandbox = self.cancelled_by(cancel.clone());
        let grade = move |request: GradeRequest| {
            sandbox.verify(&request.verifier, request.input, &request.limits)
        };
        in_order(requests, threads, cancel, grade).map(Grades)
    }
}

impl Iterator for Grades {
    type Item = Run<Verdict>;

    fn next(&mut self) -> Option<Run<Verdict>> {
        let run = self.0.next()?;
        Some(run.unwrap_or_else(|Panicked(message)| Run {
            result: Err(RunError::Host(format!("the host panicked: {message}"))),
            log: Log::default(),
            printed: None,
            interfaces: InterfaceVersions::default(),
            fuel: 0,
        }))
    }
}
