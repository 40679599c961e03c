//! `receipt`: prints receipts of grades and verifies them by grading again.

use std::collections::BTreeMap;
use std::path::Path;

use mcpmark_bundle::trust::{PrivateKey, PublicKey, Signature};
use mcpmark_experiment::journal::{AttemptRow, GradeRow};
use mcpmark_experiment::{Start, capture_state};
use mcpmark_grading::TermsError;
use mcpmark_grading::receipt::{Receipt, ReceiptError, TaskComparison, Verified, VerifyError};
use mcpmark_kinds::WorldGuests;
use mcpmark_metadata::{
    ExitCode, ReceiptEngine, ReceiptServer, ReceiptStart, ReceiptTaskDigest, ReceiptVerification,
};
use mcpmark_sandbox::{InterfaceVersions, Sandbox};
use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{Blobs, Store};

use crate::args::{ReceiptCommand, ShowReceiptArgs, VerifyReceiptArgs};
use crate::commands::task_selection::{self, LoadVerifierError, TaskSelection};
use crate::commands::{bundle, judge, runs};
use crate::context::Context;
use crate::diagnosis::capture_error;
use crate::error::{CommandError, error_chain, journal_error};
use crate::output::{self, sanitise};
use crate::{engine, files};

/// Maximum size of a receipt or of an answer, in bytes. The verdict in a receipt has at most 16 MiB.
const MAX_BYTES: u64 = 64 << 20;

/// Hint for a missing starting state.
const START_HINT: &str = "run in a library with the world of the task, or name the home directory whose store has it with --home";

pub(crate) fn receipt(
    context: &Context,
    command: ReceiptCommand,
) -> Result<ExitCode, CommandError> {
    match command {
        ReceiptCommand::Show(args) => show(context, &args),
        ReceiptCommand::Verify(args) => verify(context, &args),
    }
}

fn show(context: &Context, args: &ShowReceiptArgs) -> Result<ExitCode, CommandError> {
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
    Ok(ExitCode::Passed)
}

/// Returns the receipts of all grades of an attempt that have a verdict, or of one grade.
fn of_grades(
    args: &ShowReceiptArgs,
    row: &AttemptRow,
    grades: &[GradeRow],
    store: &Store,
) -> Result<Vec<Receipt>, CommandError> {
    match args.grade {
        None => Receipt::of_grades(row, grades, store).map_err(receipt_error),
        Some(number) => Receipt::of_numbered_grade(row, grades, number as usize, store)
            .map(|receipt| vec![receipt])
            .map_err(receipt_error),
    }
}

fn receipt_error(error: ReceiptError) -> CommandError {
    match error {
        ReceiptError::NotGraded(_)
        | ReceiptError::NotKept(_)
        | ReceiptError::NoGrade { .. }
        | ReceiptError::NoVerdict { .. } => CommandError::usage(error),
        _ => CommandError::infrastructure(error_chain(&error)),
    }
}

fn verify(context: &Context, args: &VerifyReceiptArgs) -> Result<ExitCode, CommandError> {
    let named = args.receipt.display();
    let text = unwrapped(read(&args.receipt, "a receipt")?, args)?;
    let receipt = Receipt::parse(&text)
        .map_err(|error| CommandError::invalid(sanitise::line(&format!("{named}: {error}"))))?;
    let store = context.store()?;
    let sandbox = context.sandbox_for_one(args.engine)?;
    import_objects(context, args, &receipt, &sandbox, &store)?;
    let answer = receipt
        .answer_text(&store)
        .map_err(|error| verify_error(&error))?;
    let judge = task_selection::judge(context, receipt.service(), &receipt.terms, &sandbox, &store);
    let judge = judge.map_err(|error| match error {
        LoadVerifierError::Terms(TermsError::Missing { .. }) => CommandError::from(error).hint(
            "pass it with --verifier, or name the home directory whose store has it with --home",
        ),
        error => error.into(),
    })?;
    let task = compare(context, &receipt, &sandbox, &store)?;
    let verified = receipt.verify(&judge, answer, &sandbox, &store);
    tell(&receipt, &verified, &task, args.json)
}

/// Converts an error of the verification.
fn verify_error(error: &VerifyError) -> CommandError {
    use VerifyError as E;
    let message = error_chain(error);
    match error {
        E::NoAnswer => CommandError::usage(message),
        E::OtherObject { .. } | E::AnswerNotText => CommandError::invalid(message),
        E::Start { .. } => CommandError::invalid(message).hint(START_HINT),
        E::MissingState(_) | E::UnreadableState { .. } | E::IncompleteState { .. } => {
            CommandError::invalid(message).hint(
                "pass it with --state DIR, or name the home directory whose store has it with --home",
            )
        }
        E::MissingAnswer(_) => CommandError::invalid(message).hint(
            "pass it with --answer, or name the home directory whose store has it with --home",
        ),
        E::OtherTask { .. } => CommandError::invalid(sanitise::line(&message))
            .hint("name the bundle of the receipt with --root"),
        E::OtherTerms { .. } => CommandError::invalid(sanitise::line(&message)),
        E::Terms(_) | E::Store(_) => CommandError::infrastructure(message),
    }
}

/// Converts an error of importing the object at a path.
fn import_error(path: &Path, error: &VerifyError) -> CommandError {
    match error {
        VerifyError::OtherObject { .. } => {
            CommandError::invalid(format!("{}: {error}", path.display()))
        }
        error => verify_error(error),
    }
}

/// Compares a receipt with the task that it names, if the task is available.
fn compare(
    context: &Context,
    receipt: &Receipt,
    sandbox: &Sandbox,
    store: &Store,
) -> Result<TaskComparison, CommandError> {
    let not = |reason: String| Ok(TaskComparison::Unavailable(reason));
    let is_bundle = match context.is_bundle() {
        Ok(is_bundle) => is_bundle,
        // A registry may be unavailable.
        Err(error) if error.code == ExitCode::Infrastructure => return not(error.message),
        Err(error) => return Err(error),
    };
    // Guests of the library may have to be built, but no compiler is installed for that.
    let context = context.without_install();
    let ids = [receipt.task.clone()];
    let mut lacking = String::new();
    let lacks = &mut |_: &str, error: CommandError| {
        lacking = error.into_brief();
        Ok(())
    };
    let prepared = TaskSelection::known(&context, None, &ids, lacks).and_then(|chosen| {
        let tasks = match chosen.ids().next() {
            Some(_) => chosen.prepare(sandbox, store)?,
            None => Vec::new(),
        };
        Ok(tasks.into_iter().next())
    });
    let task = match prepared {
        Ok(Some(task)) => task,
        Ok(None) => return not(lacking),
        Err(error) if is_bundle => return Err(error),
        Err(error) => return not(error.message),
    };
    let local = task.to_local_task(is_bundle);
    receipt
        .compare(&local, store)
        .map_err(|error| verify_error(&error))
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
            let problem = format!("not signed: {}", error_chain(&error));
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
fn import_objects(
    context: &Context,
    args: &VerifyReceiptArgs,
    receipt: &Receipt,
    sandbox: &Sandbox,
    store: &Store,
) -> Result<(), CommandError> {
    if !receipt.has_task_objects(store) && context.is_bundle()? {
        // Preparation stores the objects of the task. The receipt's objects are then looked up in the store.
        let task = [receipt.task.clone()];
        TaskSelection::by_id(context, None, &task)?.prepare(sandbox, store)?;
    }
    if !store.contains(&receipt.start) {
        make_start(context, receipt, store)?;
    }
    let tree = receipt
        .start_tree(store)
        .map_err(|error| verify_error(&error))?;
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
        receipt
            .import_state(tree, context.services(), store)
            .map_err(|error| import_error(dir, &error))?;
    }
    receipt
        .check_state(store)
        .map_err(|error| verify_error(&error))?;
    if let Some(file) = &args.verifier {
        let bytes = engine::read_component(file)?;
        receipt
            .import_verifier(&bytes, store)
            .map_err(|error| import_error(file, &error))?;
    }
    if let Some(file) = &args.answer {
        if receipt.answer.is_none() {
            return Err(verify_error(&VerifyError::NoAnswer));
        }
        let bytes = read(file, "an answer")?;
        receipt
            .import_answer(&bytes, store)
            .map_err(|error| import_error(file, &error))?;
    }
    Ok(())
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
    let world = receipt.world().ok_or_else(missing)?;
    let library = context.library().map_err(|_| missing())?;
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

fn tell(
    receipt: &Receipt,
    verified: &Verified,
    task: &TaskComparison,
    json: bool,
) -> Result<ExitCode, CommandError> {
    let Verified {
        outcome,
        engine,
        interfaces,
        differences,
    } = verified;
    let document = |differences: &[String]| {
        let reason = task.reason();
        ReceiptVerification {
            same: differences.is_empty(),
            differences: differences.to_vec(),
            task_digest: ReceiptTaskDigest {
                receipt: receipt.task_digest.to_string(),
                compared: reason.is_none(),
                reason,
            },
            start: ReceiptStart {
                receipt: receipt.start.to_string(),
                task: task.start().map(|start| start.to_string()),
            },
            engine: ReceiptEngine {
                receipt: receipt.engine.clone(),
                here: engine.clone(),
            },
            interfaces: servers(receipt, interfaces),
        }
    };
    let Some(differences) = differences else {
        let message = outcome
            .fault()
            .map_or_else(|| outcome.to_string(), |fault| fault.message);
        if json {
            output::print_json(&document(&[format!("no verdict: {message}")]))?;
        } else {
            output::note(&format!(
                "{} {}",
                output::paint(output::WARN, "no verdict:"),
                sanitise::line(&message)
            ));
        }
        return Ok(judge::exit_code(outcome));
    };
    if json {
        output::print_json(&document(differences))?;
    } else {
        output::print(&text(receipt, differences, task, verified))?;
    }
    Ok(if differences.is_empty() {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

/// Returns the servers that answered the verifier in the grade of a receipt and in the repeated grade, by interface.
fn servers(receipt: &Receipt, here: &InterfaceVersions) -> BTreeMap<String, ReceiptServer> {
    let names = receipt.interfaces.iter().chain(here.iter());
    let servers = names.map(|(interface, _)| {
        let server = |of: &InterfaceVersions| of.get(interface).map(str::to_owned);
        let servers = ReceiptServer {
            receipt: server(&receipt.interfaces),
            here: server(here),
        };
        (interface.to_owned(), servers)
    });
    servers.collect()
}

fn text(
    receipt: &Receipt,
    differences: &[String],
    task: &TaskComparison,
    verified: &Verified,
) -> String {
    let engine = &verified.engine;
    let mut text = String::new();
    let digest = match task.reason() {
        None => receipt.task_digest.to_string(),
        Some(reason) => format!("{} not compared: {reason}", receipt.task_digest),
    };
    let start = match task.start().filter(|start| *start != receipt.start) {
        None => receipt.start.to_string(),
        Some(other) => format!("{} (the task starts from {other})", receipt.start),
    };
    for (key, value) in [
        ("task", receipt.task.clone()),
        ("bundle", digest),
        ("start", start),
        ("state", receipt.state.to_string()),
        ("verifier", receipt.verifier().to_string()),
    ] {
        text.push_str(&format!("{key:<10}{}\n", sanitise::line(&value)));
    }
    let judged_by = if receipt.engine == *engine {
        sanitise::line(engine).into_owned()
    } else {
        format!("{engine} (receipt: {})", sanitise::line(&receipt.engine))
    };
    text.push_str(&format!("{:<10}{judged_by}\n", "engine"));
    for (interface, ReceiptServer { receipt, here }) in servers(receipt, &verified.interfaces) {
        let here = here.unwrap_or_else(|| "not used".to_owned());
        let before = receipt.unwrap_or_else(|| "not recorded".to_owned());
        let server = if here == before {
            here
        } else {
            format!("{here} (receipt: {before})")
        };
        text.push_str(&format!(
            "{:<10}{}\n",
            sanitise::line(&interface),
            sanitise::line(&server)
        ));
    }
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
