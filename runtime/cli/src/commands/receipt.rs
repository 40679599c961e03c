//! `receipt`: prints receipts of grades and verifies them by grading again.

use std::path::Path;

use mcpmark_bundle::trust::{PrivateKey, PublicKey, Signature};
use mcpmark_experiment::journal::{AttemptRow, GradeRow};
use mcpmark_experiment::{Start, capture_state};
use mcpmark_grading::receipt::{Receipt, ReceiptError};
use mcpmark_grading::{Baselines, GradeInput, Graded, Terms, TermsError, grade};
use mcpmark_kinds::WorldGuests;
use mcpmark_sandbox::Sandbox;
use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{Blobs, Digest, Needed, Store, StoreError};
use mcpmark_task::{TaskId, WorldId};
use serde_json::json;

use crate::args::{ReceiptCommand, ShowReceiptArgs, VerifyReceiptArgs};
use crate::commands::task_selection::{self, Chosen, NoJudge};
use crate::commands::{bundle, judge, runs};
use crate::context::Context;
use crate::diagnosis::capture_error;
use crate::error::{CommandError, chain, journal_error};
use crate::output::{self, sanitise};
use crate::{engine, exit, files};

/// Maximum size of a receipt or of an answer, in bytes. The verdict in a receipt has at most 16 MiB.
const MAX_BYTES: u64 = 64 << 20;

/// Hint for a missing starting state.
const START_HINT: &str = "run in a library with the world of the task, or name the home directory whose store has it with --home";

pub(crate) fn receipt(context: &Context, command: ReceiptCommand) -> Result<u8, CommandError> {
    match command {
        ReceiptCommand::Show(args) => show(context, &args),
        ReceiptCommand::Verify(args) => verify(context, &args),
    }
}

fn show(context: &Context, args: &ShowReceiptArgs) -> Result<u8, CommandError> {
    if let Some(path) = &args.output {
        output::may_write(path, args.force)?;
    }
    let journal = context.journal()?;
    let store = context.store()?;
    let attempt = runs::named_attempt(&journal, &args.attempt)?;
    let row = journal.attempt(&attempt).map_err(journal_error)?;
    let receipts = if args.all || args.grade.is_some() {
        let grades = journal.grades(&row.id).map_err(journal_error)?;
        of_grades(args, &row, &grades, &store)?
    } else {
        vec![Receipt::of_attempt(&row, &store).map_err(receipt_error)?]
    };
    let mut text = String::new();
    for receipt in receipts {
        match &args.sign {
            None => text.push_str(&receipt.text()),
            Some(key) => {
                let key: PrivateKey = bundle::read_key(key)?;
                let signed = key.sign(&receipt.statement());
                text.push_str(&(signed.map_err(CommandError::infrastructure)? + "\n"));
            }
        }
    }
    match &args.output {
        None => output::print(&text)?,
        Some(path) => files::write(path, text.as_bytes()).map_err(|error| {
            CommandError::infrastructure(format!("cannot write {}: {error}", path.display()))
        })?,
    }
    Ok(exit::PASSED)
}

/// Returns the receipts of all grades of an attempt that have a verdict, or of one grade.
fn of_grades(
    args: &ShowReceiptArgs,
    row: &AttemptRow,
    grades: &[GradeRow],
    store: &Store,
) -> Result<Vec<Receipt>, CommandError> {
    let receipt = |grade| Receipt::of_grade(row, grade, store);
    let Some(number) = args.grade else {
        let mut receipts = Vec::new();
        for grade in grades {
            match receipt(grade) {
                Err(ReceiptError::NotGraded(_) | ReceiptError::NotKept(_)) => {}
                other => receipts.push(other.map_err(receipt_error)?),
            }
        }
        return if receipts.is_empty() {
            Err(receipt_error(ReceiptError::NotGraded(row.id.clone())))
        } else {
            Ok(receipts)
        };
    };
    let grade = grades.get(number as usize - 1).ok_or_else(|| {
        let grades = output::count(grades.len(), "grade");
        CommandError::usage(format!(
            "attempt {} has {grades}, but grade {number} was requested",
            row.id
        ))
    })?;
    match receipt(grade) {
        Ok(receipt) => Ok(vec![receipt]),
        Err(ReceiptError::NotGraded(id)) => Err(CommandError::usage(format!(
            "grade {number} of attempt {id} has no verdict, and therefore no receipt"
        ))),
        Err(error) => Err(receipt_error(error)),
    }
}

fn receipt_error(error: ReceiptError) -> CommandError {
    match error {
        ReceiptError::NotGraded(_) | ReceiptError::NotKept(_) => CommandError::usage(error),
        _ => CommandError::infrastructure(chain(&error)),
    }
}

fn verify(context: &Context, args: &VerifyReceiptArgs) -> Result<u8, CommandError> {
    let named = args.receipt.display();
    let text = unwrapped(read(&args.receipt, "a receipt")?, args)?;
    let receipt = Receipt::parse(&text)
        .map_err(|error| CommandError::invalid(sanitise::line(&format!("{named}: {error}"))))?;
    let store = context.store()?;
    let sandbox = context.sandbox_for_one(args.engine)?;
    take_in(context, args, &receipt, &sandbox, &store)?;
    let answer = match &receipt.answer {
        Some(digest) => Some(read_answer(&store, digest)?),
        None => None,
    };
    let service = receipt.task.split('/').next().unwrap_or_default();
    let judge = task_selection::judge(context, service, &receipt.terms, &sandbox, &store);
    let judge = judge.map_err(|error| match error {
        NoJudge::Terms(TermsError::Missing { .. }) => CommandError::from(error).hint(
            "pass it with --verifier, or name the home directory whose store has it with --home",
        ),
        error => error.into(),
    })?;
    let task = compare(context, &receipt, &sandbox, &store)?;
    let input = GradeInput {
        start: receipt.start,
        state: receipt.state,
        answer,
        parameters: mcpmark_json::canonical(&receipt.terms.parameters),
    };
    let graded = grade(
        &sandbox,
        &store,
        &judge,
        input,
        &receipt.terms.limits,
        &Baselines::default(),
    );
    let engine = judge.engine(&sandbox);
    tell(&receipt, &graded, &task, &engine, args.json)
}

/// Comparison of a receipt with the task that it names.
enum Compared {
    /// The task has the digest and the terms of the receipt. `start` is its starting state, which may differ from that
    /// of the receipt if a later version of the task graded the attempt.
    Same { start: Digest },
    /// The task is not available, or has another digest.
    Not { reason: String },
}

impl Compared {
    /// Returns the starting state of the task.
    fn start(&self) -> Option<Digest> {
        match self {
            Self::Same { start } => Some(*start),
            Self::Not { .. } => None,
        }
    }

    /// Returns the reason why the task was not compared.
    fn reason(&self) -> Option<&str> {
        match self {
            Self::Same { .. } => None,
            Self::Not { reason } => Some(reason),
        }
    }
}

/// Compares the digest and the terms in a receipt with those of the task, if it is available, because the digests that
/// determine the verdict do not prove which task they belong to.
fn compare(
    context: &Context,
    receipt: &Receipt,
    sandbox: &Sandbox,
    store: &Store,
) -> Result<Compared, CommandError> {
    let not = |reason: String| Ok(Compared::Not { reason });
    let is_bundle = match context.is_bundle() {
        Ok(is_bundle) => is_bundle,
        // A registry may be unavailable.
        Err(error) if error.code == exit::INFRASTRUCTURE => return not(error.message),
        Err(error) => return Err(error),
    };
    // Guests of the library may have to be built, but no compiler is installed for that.
    let context = context.without_install();
    let ids = [receipt.task.clone()];
    let mut lacking = String::new();
    let lacks = &mut |_: &str, error: CommandError| {
        lacking = error.message;
        Ok(())
    };
    let prepared = Chosen::known(&context, None, &ids, lacks).and_then(|chosen| {
        let tasks = match chosen.ids().next() {
            Some(_) => chosen.prepare(sandbox, store)?,
            None => Vec::new(),
        };
        Ok(tasks.into_iter().next())
    });
    let task = match prepared {
        Ok(Some(task)) => task,
        // The message without its list of other tasks.
        Ok(None) => {
            let reason = lacking.split("; available: ").next();
            return not(reason.unwrap_or_default().to_owned());
        }
        Err(error) if is_bundle => return Err(error),
        Err(error) => return not(error.message),
    };
    let told = |problem: String| {
        let message = format!("task {} of the receipt: {problem}", task.id);
        CommandError::invalid(sanitise::line(&message))
    };
    if task.bundle != receipt.bundle {
        let here = task.bundle;
        return if is_bundle {
            Err(told(format!(
                "expected the digest {}, but the task of this bundle has {here}",
                receipt.bundle
            ))
            .hint("name the bundle of the receipt with --root"))
        } else {
            not(format!("the task of this library has the digest {here}"))
        };
    }
    let terms = Terms::read(store, &task.terms)
        .map_err(|error| CommandError::infrastructure(chain(&error)))?;
    let differing = receipt.terms.differences(&terms);
    if differing.is_empty() {
        Ok(Compared::Same {
            start: task.start.digest,
        })
    } else {
        let keys = differing.join(", ");
        Err(told(format!("the terms differ: {keys}")))
    }
}

fn read(file: &Path, what: &str) -> Result<Vec<u8>, CommandError> {
    engine::read(file, MAX_BYTES)?.map_err(|_| {
        let most = output::bytes(MAX_BYTES);
        CommandError::invalid(format!(
            "{}: exceeds the limit of {most} for {what}",
            file.display()
        ))
    })
}

/// Returns the statement of a receipt. The signature of a signed receipt is verified with `--key`.
fn unwrapped(text: Vec<u8>, args: &VerifyReceiptArgs) -> Result<Vec<u8>, CommandError> {
    let named = args.receipt.display();
    let invalid = |problem: &str| CommandError::invalid(format!("{named}: {problem}"));
    let signature = match (Signature::parse(&text), &args.key) {
        (Ok(signature), _) => signature,
        (Err(_), None) => return Ok(text),
        (Err(error), Some(_)) => {
            let problem = format!("not signed: {}", chain(&error));
            return Err(invalid(&sanitise::line(&problem)));
        }
    };
    let Some(key) = &args.key else {
        return Err(invalid("the receipt is signed")
            .hint("name the public key of its signer with --key FILE"));
    };
    let key: PublicKey = bundle::read_key(key)?;
    let statement = signature.verified(&key);
    let statement = statement.ok_or_else(|| invalid("not signed by the given key"))?;
    Ok(statement.to_vec())
}

/// Stores the objects given on the command line if they have the digests of the receipt. Also prepares the task of a
/// bundle, if the store lacks objects.
fn take_in(
    context: &Context,
    args: &VerifyReceiptArgs,
    receipt: &Receipt,
    sandbox: &Sandbox,
    store: &Store,
) -> Result<(), CommandError> {
    let lacks = |store: &Store| {
        let mut references = receipt.terms.references();
        !store.contains(&receipt.start) || references.any(|it| !it.is_complete(store))
    };
    if lacks(store) && context.is_bundle()? {
        // Preparation stores the objects of the task. The receipt's objects are then looked up in the store.
        let task = [receipt.task.clone()];
        Chosen::by_id(context, None, &task)?.prepare(sandbox, store)?;
    }
    if !store.contains(&receipt.start) {
        make_start(context, receipt, store)?;
    }
    let tree = store.load_tree(&receipt.start).map_err(|error| {
        let message = format!("starting state {}: {}", receipt.start, chain(&error));
        CommandError::invalid(message).hint(START_HINT)
    })?;
    if let Some(dir) = &args.state {
        let start = Start {
            tree,
            digest: receipt.start,
            seed: 0,
            clock: receipt.terms.clock,
            kind: None,
            guests: WorldGuests::default(),
        };
        let tree = capture_state(dir, &start, &SessionLimits::default(), store)
            .map_err(|error| capture_error(dir, &error))?;
        let service = receipt.task.split('/').next();
        let service = service.and_then(|name| context.services().service(name));
        let tree = match service {
            Some(service) if tree.digest() != receipt.state => {
                let tree = service.as_captured(tree);
                store.put_tree(&tree).map_err(|error| store_error(&error))?;
                tree
            }
            _ => tree,
        };
        is_named(dir, "state", tree.digest(), receipt.state)?;
    }
    has_state(receipt, store)?;
    if let Some(file) = &args.verifier {
        let bytes = engine::read_component(file)?;
        is_named(file, "verifier", Digest::of(&bytes), receipt.verifier())?;
        store.put(&bytes).map_err(|error| store_error(&error))?;
    }
    match (&args.answer, receipt.answer) {
        (Some(file), Some(answer)) => {
            let bytes = read(file, "an answer")?;
            is_named(file, "answer", Digest::of(&bytes), answer)?;
            store.put(&bytes).map_err(|error| store_error(&error))?;
        }
        (Some(_), None) => {
            return Err(CommandError::usage(
                "the receipt is of a grade without an answer",
            ));
        }
        (None, _) => {}
    }
    Ok(())
}

/// Checks that the final state is complete in the store.
fn has_state(receipt: &Receipt, store: &Store) -> Result<(), CommandError> {
    let mut needed = Needed::new();
    let known = needed.add_tree(store, &receipt.state);
    let problem = match known {
        Err(_) if !store.contains(&receipt.state) => "is not in the store".to_owned(),
        Err(error) => format!("cannot be read: {}", chain(&error)),
        Ok(()) => match needed.blobs().find(|digest| !store.contains(digest)) {
            Some(digest) => format!("is incomplete in the store: {digest} is missing"),
            None => return Ok(()),
        },
    };
    Err(
        CommandError::invalid(format!("final state {} {problem}", receipt.state)).hint(
            "pass it with --state DIR, or name the home directory whose store has it with --home",
        ),
    )
}

/// Builds the starting state of a receipt, if the library has its world.
fn make_start(context: &Context, receipt: &Receipt, store: &Store) -> Result<(), CommandError> {
    let missing = || {
        CommandError::invalid(format!(
            "starting state {} is not in the store",
            receipt.start
        ))
        .hint(START_HINT)
    };
    let task: TaskId = receipt.task.parse().map_err(|_| missing())?;
    let library = context.library().map_err(|_| missing())?;
    let world = WorldId::new(task.service(), task.group()).map_err(|_| missing())?;
    if !library.world_ids().is_ok_and(|ids| ids.contains(&world)) {
        return Err(missing());
    }
    let start = context.start_world(&library, &world, store)?;
    if start.digest == receipt.start {
        Ok(())
    } else {
        Err(missing().hint(format!(
            "world {world} of this library starts from {}",
            start.digest
        )))
    }
}

fn is_named(path: &Path, what: &str, found: Digest, named: Digest) -> Result<(), CommandError> {
    if found == named {
        Ok(())
    } else {
        Err(CommandError::invalid(format!(
            "{}: not the {what} of the receipt: expected {named}, found {found}",
            path.display()
        )))
    }
}

fn store_error(error: &StoreError) -> CommandError {
    CommandError::infrastructure(chain(error))
}

fn read_answer(store: &Store, digest: &Digest) -> Result<String, CommandError> {
    // An empty answer is not stored.
    if *digest == Digest::of(b"") {
        return Ok(String::new());
    }
    let bytes = store.read(digest).map_err(|error| {
        CommandError::invalid(format!("the agent's last message: {error}")).hint(
            "pass it with --answer, or name the home directory whose store has it with --home",
        )
    })?;
    String::from_utf8(bytes)
        .map_err(|_| CommandError::invalid("the agent's last message is not valid UTF-8"))
}

fn tell(
    receipt: &Receipt,
    graded: &Graded,
    task: &Compared,
    engine: &str,
    json: bool,
) -> Result<u8, CommandError> {
    let as_json = |differences: &[String]| {
        json!({
            "same": differences.is_empty(),
            "differences": differences,
            "bundle": {
                "receipt": receipt.bundle,
                "compared": task.reason().is_none(),
                "reason": task.reason(),
            },
            "start": {
                "receipt": receipt.start,
                "task": task.start(),
            },
            "engine": {"receipt": receipt.engine, "here": engine},
        })
    };
    let Some(now) = receipt.with_verdict(&graded.outcome, engine) else {
        let fault = graded.outcome.fault();
        let message = fault.map_or_else(|| graded.outcome.to_string(), |fault| fault.message);
        if json {
            output::print_json(&as_json(&[format!("no verdict: {message}")]))?;
        } else {
            output::note(&format!(
                "{} {}",
                output::paint(output::WARN, "no verdict:"),
                sanitise::line(&message)
            ));
        }
        return Ok(judge::exit_code(&graded.outcome));
    };
    let differences = receipt.differences(&now);
    if json {
        output::print_json(&as_json(&differences))?;
    } else {
        output::print(&text(receipt, &differences, task, engine))?;
    }
    Ok(if differences.is_empty() {
        exit::PASSED
    } else {
        exit::FAILED
    })
}

fn text(receipt: &Receipt, differences: &[String], task: &Compared, engine: &str) -> String {
    let mut text = String::new();
    let bundle = match task.reason() {
        None => receipt.bundle.to_string(),
        Some(reason) => format!("{} not compared: {reason}", receipt.bundle),
    };
    let start = match task.start().filter(|start| *start != receipt.start) {
        None => receipt.start.to_string(),
        Some(other) => format!("{} (the task starts from {other})", receipt.start),
    };
    for (key, value) in [
        ("task", receipt.task.clone()),
        ("bundle", bundle),
        ("start", start),
        ("state", receipt.state.to_string()),
        ("verifier", receipt.verifier().to_string()),
    ] {
        text.push_str(&format!("{key:<10}{}\n", sanitise::line(&value)));
    }
    let judged_by = if receipt.engine == engine {
        sanitise::line(engine).into_owned()
    } else {
        format!("{engine} (receipt: {})", sanitise::line(&receipt.engine))
    };
    text.push_str(&format!("{:<10}{judged_by}\n", "engine"));
    for difference in differences {
        text.push_str(&format!(
            "{} {}\n",
            output::mark(false),
            sanitise::line(difference)
        ));
    }
    let word = if receipt.passed() { "passed" } else { "failed" };
    let checks = match receipt.fault {
        Some(kind) => format!("the state stops the verifier ({kind})"),
        None => output::count(receipt.checks.len(), "check"),
    };
    text.push_str(
        &(if differences.is_empty() {
            format!(
                "{} the same verdict: {word}, {checks}\n",
                output::mark(true)
            )
        } else {
            format!("{}\n", output::paint(output::BAD, "different verdict"))
        }),
    );
    text
}
