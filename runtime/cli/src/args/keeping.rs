//! Arguments of `mcpmark regrade`, `receipt` and `store`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::EngineArgs;

#[derive(Debug, Args)]
pub(crate) struct RegradeArgs {
    /// Name of an experiment (`latest` is the one that began last), or id of an attempt or its first characters; may be
    /// repeated
    #[arg(value_name = "EXPERIMENT|ATTEMPT", required = true)]
    pub(crate) what: Vec<String>,
    /// Bundle with the verifiers [default: the place of the experiment's tasks]
    #[arg(long, visible_alias = "tasks", value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
    pub(crate) bundle: Option<PathBuf>,
    /// Number of concurrent grades, 1 to 1024 [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReceiptCommand {
    /// Print the receipt of a grade: an in-toto statement in canonical JSON
    Show(ShowReceiptArgs),
    /// Verify a receipt: grade again and compare the verdicts
    Verify(VerifyReceiptArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowReceiptArgs {
    /// Id of the attempt or its first characters; `latest` is the one that began last
    #[arg(value_name = "ATTEMPT")]
    pub(crate) attempt: String,
    /// Number of the grade: 1 is the first, and each regrade adds one [default: the last]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) grade: Option<u32>,
    /// Print the receipts of all grades that have one, one per line, the first grade first
    #[arg(long, conflicts_with = "grade")]
    pub(crate) all: bool,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Sign the receipt with this private key, and print a sigstore bundle that contains it
    #[arg(long, value_name = "KEY", value_hint = ValueHint::FilePath)]
    pub(crate) sign: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyReceiptArgs {
    /// Receipt to verify
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) receipt: PathBuf,
    /// Public key that must have signed the receipt; required if the receipt is signed
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) key: Option<PathBuf>,
    /// Final state, if it is not in the store
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) state: Option<PathBuf>,
    /// Component of the verifier, if it is not in the store
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) verifier: Option<PathBuf>,
    /// Agent's last message, if it is not in the store
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) answer: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Show the space that experiments and the store use
    Stats {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Remove experiments from the journal; `store gc` then deletes data that no other experiment uses
    Remove {
        /// Names of the experiments
        #[arg(value_name = "EXPERIMENT", required = true)]
        experiments: Vec<String>,
        /// Only print what would be removed
        #[arg(long)]
        dry_run: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Remove data and unpacked bundles that no experiment needs, and shrink the journal
    Gc {
        /// Only print what would be removed
        #[arg(long)]
        dry_run: bool,
        /// Collect even if objects that attempts need are missing or damaged, or if the journal has never had an
        /// experiment; removes everything that no remaining object refers to
        #[arg(long)]
        despite_loss: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Check all blobs and all rows of the journal for damage, and find missing blobs
    Check {
        /// Remove damaged blobs, so that they can be written again
        #[arg(long)]
        remove_damaged: bool,
        /// Restore damaged or missing blobs from a bundle or an exported experiment; may be repeated
        #[arg(long, value_name = "BUNDLE|FILE", value_hint = ValueHint::AnyPath)]
        repair: Vec<PathBuf>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Export an experiment with its states to a file, for another machine
    Export {
        /// Name of the experiment; `latest` is the one that began last
        #[arg(value_name = "EXPERIMENT")]
        experiment: String,
        /// File to write
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: PathBuf,
        /// Overwrite the file if it exists
        #[arg(long)]
        force: bool,
    },
    /// Import an experiment that another machine exported
    Import {
        /// File to import
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
}
