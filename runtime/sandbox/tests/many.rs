//! Batch grading: order of the outcomes, streaming, and bounded look-ahead.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Barrier};

use mcpmark_sandbox::{
    Cancel, FaultKind, GradeRequest, Limits, Run, RunError, Sandbox, SandboxConfig, Verdict,
    Verifier, VerifyInput, in_order,
};
use mcpmark_snapshot::{Blobs, Digest, MemoryBlobs, Snapshot, Tree, TreeBuilder, TreePath};

fn threads(count: usize) -> Option<NonZeroUsize> {
    NonZeroUsize::new(count)
}

fn sandbox(slots: u32) -> Sandbox {
    let config = SandboxConfig {
        slots,
        ..SandboxConfig::default()
    };
    Sandbox::new(&config).unwrap().trusting()
}

fn verifier(sandbox: &Sandbox, name: &str) -> Verifier {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let bytes = wat::parse_file(root.join(name).with_extension("wat")).unwrap();
    sandbox.verifier(&bytes).unwrap()
}

fn request(verifier: &Verifier, blobs: Arc<dyn Blobs>) -> GradeRequest {
    let empty = Snapshot::new(Tree::empty(), blobs);
    GradeRequest {
        verifier: verifier.clone(),
        input: VerifyInput::new(empty.clone(), empty),
        limits: Limits::VERIFIER,
    }
}

/// Returns a request whose check has these parameters as its detail.
fn echo(verifier: &Verifier, text: usize) -> GradeRequest {
    let mut request = request(verifier, Arc::new(MemoryBlobs::new()));
    request.input.parameters = text.to_string();
    request
}

fn detail(run: Run<Verdict>) -> usize {
    run.result.unwrap().checks()[0].detail.parse().unwrap()
}

fn fault(run: &Run<Verdict>) -> FaultKind {
    match &run.result {
        Err(RunError::Fault(fault)) => fault.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn outcomes_come_in_the_order_of_the_requests() {
    let sandbox = sandbox(4);
    let quick = verifier(&sandbox, "end_to_end/guests/reads-parameters");
    let slow = verifier(&sandbox, "hostile/endless-loop");
    let requests = (0..2_000).map(move |number| match number % 100 {
        // Takes a hundred times as long as the others.
        7 => {
            let mut request = echo(&slow, number);
            request.limits.fuel = 2_000_000;
            request
        }
        _ => echo(&quick, number),
    });
    let mut seen = 0;
    for (number, run) in sandbox
        .grade_many(requests, threads(4))
        .unwrap()
        .enumerate()
    {
        match number % 100 {
            7 => assert_eq!(fault(&run), FaultKind::Fuel),
            _ => assert_eq!(detail(run), number),
        }
        seen += 1;
    }
    assert_eq!(seen, 2_000);
}

#[test]
fn an_outcome_is_there_before_the_next_request_is() {
    let sandbox = sandbox(2);
    let quick = verifier(&sandbox, "end_to_end/guests/reads-parameters");
    for count in [1, 2, 3] {
        let (send, source) = mpsc::channel();
        let mut grades = sandbox.grade_many(source, threads(count)).unwrap();
        for number in 0..50 {
            send.send(echo(&quick, number)).unwrap();
            assert_eq!(grades.next().map(detail), Some(number));
        }
        drop(send);
        assert!(grades.next().is_none());
        assert!(grades.next().is_none());
    }
}

#[test]
fn requests_are_not_taken_far_ahead() {
    let sandbox = sandbox(2);
    let quick = verifier(&sandbox, "end_to_end/guests/reads-parameters");
    let taken = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&taken);
    let endless =
        std::iter::repeat_with(move || echo(&quick, counter.fetch_add(1, Ordering::Relaxed)));
    let mut grades = sandbox.grade_many(endless, threads(2)).unwrap();
    for number in 0..10_000 {
        assert_eq!(grades.next().map(detail), Some(number));
        let ahead = taken.load(Ordering::Relaxed) - number;
        assert!(ahead <= 4200, "{ahead} requests ahead");
    }
    drop(grades);
    // The threads take no further requests after the drop.
    let end = taken.load(Ordering::Relaxed);
    assert!(end <= 14_200, "{end}");
}

/// Blobs that panic when they are read.
struct Broken;

impl Blobs for Broken {
    fn read(&self, _: &Digest) -> io::Result<Vec<u8>> {
        panic!("the shelf is empty")
    }

    fn read_range(&self, _: &Digest, _: u64, _: u64) -> io::Result<Vec<u8>> {
        panic!("the shelf is empty")
    }

    fn contains(&self, _: &Digest) -> bool {
        true
    }
}

#[test]
fn a_panic_is_the_outcome_of_one_request() {
    let sandbox = sandbox(2);
    let reads = verifier(&sandbox, "end_to_end/guests/reads-start");
    let quick = verifier(&sandbox, "end_to_end/guests/reads-parameters");
    let mut builder = TreeBuilder::new();
    let content = mcpmark_snapshot::File {
        size: 3,
        executable: false,
        modified: None,
        content: Digest::of(b"abc"),
    };
    let path = TreePath::parse("note.txt").unwrap();
    builder.insert_file(&path, content).unwrap();
    let tree = builder.finish();
    let requests = (0..100).map(move |number| {
        if number % 10 == 3 {
            let mut request = request(&reads, Arc::new(Broken));
            request.input.start.tree = tree.clone();
            request
        } else {
            echo(&quick, number)
        }
    });
    let grades = sandbox.grade_many(requests, threads(2)).unwrap();
    for (number, run) in grades.enumerate() {
        if number % 10 == 3 {
            let error = run.result.unwrap_err();
            assert!(matches!(&error, RunError::Host(_)), "{error:?}");
            assert!(error.to_string().contains("the shelf is empty"), "{error}");
        } else {
            assert_eq!(detail(run), number);
        }
    }
}

#[test]
fn a_source_that_breaks_ends_the_stream_with_its_panic() {
    let sandbox = sandbox(2);
    let quick = verifier(&sandbox, "end_to_end/guests/reads-parameters");
    let requests = (0..).map(move |number| {
        assert!(number < 5, "line {number} is torn");
        echo(&quick, number)
    });
    let runs: Vec<_> = sandbox.grade_many(requests, threads(3)).unwrap().collect();
    assert_eq!(runs.len(), 6);
    for (number, run) in runs.into_iter().enumerate() {
        if number < 5 {
            assert_eq!(detail(run), number);
        } else {
            let error = run.result.unwrap_err().to_string();
            assert_eq!(error, "the host panicked: line 5 is torn");
        }
    }
}

#[test]
fn dropping_it_stops_the_guests_that_run() {
    let sandbox = Sandbox::new(&SandboxConfig {
        slots: 2,
        ceiling: Limits {
            fuel: u64::MAX,
            ..Limits::CEILING
        },
        ..SandboxConfig::default()
    });
    let sandbox = sandbox.unwrap().trusting();
    let endless = verifier(&sandbox, "hostile/endless-loop");
    let blobs: Arc<dyn Blobs> = Arc::new(MemoryBlobs::new());
    let held = Arc::clone(&blobs);
    let requests = std::iter::repeat_with(move || GradeRequest {
        // One hour: if the drop waited for the time limit, this test would hang.
        limits: Limits {
            fuel: u64::MAX,
            ..Limits::CEILING
        },
        ..request(&endless, Arc::clone(&held))
    });
    let grades = sandbox.grade_many(requests, threads(2)).unwrap();
    // References: this test, the source, and two of each of the two running grades.
    while Arc::strong_count(&blobs) < 6 {
        std::thread::yield_now();
    }
    drop(grades);
    // Both slots are free for other grades at the same time.
    let quick = verifier(&sandbox, "end_to_end/guests/reads-parameters");
    let both = Barrier::new(2);
    let check = in_order(0..2, threads(2), Cancel::new(), move |number| {
        both.wait();
        let request = echo(&quick, number);
        sandbox.verify(&request.verifier, request.input, &request.limits)
    });
    let details: Vec<_> = check.unwrap().map(|run| detail(run.unwrap())).collect();
    assert_eq!(details, [0, 1]);
}

#[test]
fn a_cancelled_handle_ends_its_runs_and_no_others() {
    let sandbox = sandbox(1);
    let endless = verifier(&sandbox, "hostile/endless-loop");
    let quick = verifier(&sandbox, "end_to_end/guests/reads-parameters");
    let parent = Cancel::new();
    let child = parent.child();
    child.cancel();
    assert!(!parent.is_cancelled());
    assert!(!parent.child().is_cancelled());
    let cancelled = sandbox.cancelled_by(child);
    let input = echo(&endless, 0).input;
    let error = cancelled.verify(&endless, input, &Limits::CEILING);
    let error = error.result.unwrap_err();
    assert_eq!(error.to_string(), "the run was cancelled");
    let GradeRequest { input, limits, .. } = echo(&quick, 5);
    assert_eq!(detail(sandbox.verify(&quick, input, &limits)), 5);
}

#[test]
fn a_run_that_waits_for_its_slot_can_be_cancelled() {
    let sandbox = Sandbox::new(&SandboxConfig {
        slots: 1,
        ceiling: Limits {
            fuel: u64::MAX,
            ..Limits::CEILING
        },
        ..SandboxConfig::default()
    });
    let sandbox = sandbox.unwrap().trusting();
    let endless = verifier(&sandbox, "hostile/endless-loop");
    let quick = verifier(&sandbox, "end_to_end/guests/reads-parameters");
    let (long, waiting) = (Cancel::new(), Cancel::new());
    let blobs: Arc<dyn Blobs> = Arc::new(MemoryBlobs::new());
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| {
            let GradeRequest { input, .. } = request(&endless, Arc::clone(&blobs));
            let limits = Limits {
                fuel: u64::MAX,
                ..Limits::CEILING
            };
            let sandbox = sandbox.cancelled_by(long.clone());
            sandbox.verify(&endless, input, &limits)
        });
        // References: this test, and two of the grade. The grade has its slot, or is about to take it.
        while Arc::strong_count(&blobs) < 3 {
            std::thread::yield_now();
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        let waiter = scope.spawn(|| {
            let GradeRequest { input, limits, .. } = echo(&quick, 1);
            let sandbox = sandbox.cancelled_by(waiting.clone());
            sandbox.verify(&quick, input, &limits)
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        waiting.cancel();
        // The wait ends although the slot is still taken.
        let error = waiter.join().unwrap().result.unwrap_err();
        assert_eq!(error.to_string(), "the run was cancelled");
        assert!(!holder.is_finished());
        long.cancel();
        assert!(holder.join().unwrap().result.is_err());
    });
    let GradeRequest { input, limits, .. } = echo(&quick, 5);
    assert_eq!(detail(sandbox.verify(&quick, input, &limits)), 5);
}

#[test]
fn the_time_limit_holds_for_a_handle_that_may_be_cancelled() {
    let sandbox = sandbox(1);
    let endless = verifier(&sandbox, "hostile/endless-loop");
    let mut request = echo(&endless, 0);
    request.limits = Limits::CEILING;
    request.limits.time_ms = 30;
    let watched = sandbox.cancelled_by(Cancel::new());
    let mut kinds = [&sandbox, &watched].map(|sandbox| {
        let run = sandbox.verify(&endless, request.input.clone(), &request.limits);
        match run.result {
            Err(RunError::Fault(fault)) => fault.to_string(),
            other => panic!("{other:?}"),
        }
    });
    kinds.sort();
    assert_eq!(kinds[0], kinds[1]);
    assert!(kinds[0].starts_with("time: "), "{}", kinds[0]);
}
