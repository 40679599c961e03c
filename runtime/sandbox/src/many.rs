use std::io;
use std::num::NonZeroUsize;

use crate::order::Panicked;
use crate::{
    InOrder, Limits, Log, Run, RunError, Sandbox, Verdict, Verifier, VerifyInput, in_order,
};

/// One grade of many.
#[derive(Clone)]
pub struct GradeRequest {
    /// What judges.
    pub verifier: Verifier,
    /// What is judged.
    pub input: VerifyInput,
    /// What judging may use.
    pub limits: Limits,
}

/// The outcomes of [`Sandbox::grade_many`], in the order of the requests. Dropping it
/// stops the guests that run and waits for that.
pub struct Grades(InOrder<Run<Verdict>>);

impl Sandbox {
    /// Grades a stream of requests on `threads` threads, one for each core unless it says
    /// otherwise, and yields the outcomes in the order of the requests.
    ///
    /// Requests are taken as threads come free, and no more than a few dozen for each
    /// thread, or what it grades in a few milliseconds, ahead of the outcome that comes next:
    /// a million of them need no more memory than a thousand. Any mixture of verifiers shares the threads and the sandbox's slots,
    /// whatever comes next is graded next. What goes wrong with one request, a panic of
    /// the host included, is the outcome of that one.
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
    /// When not even one thread can be started.
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
            fuel: 0,
        }))
    }
}
