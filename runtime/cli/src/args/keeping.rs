//! What `regrade`, `receipt` and `store` take: they work on what is kept.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::EngineArgs;

#[derive(Debug, Args)]
pub(crate) struct RegradeArgs {
    /// An experiment (`latest` is the one that began last), or an attempt's id or its first characters; may be repeated
    #[arg(value_name = "EXPERIMENT|ATTEMPT", required = true)]
    pub(crate) what: Vec<String>,
    /// Grade with the verifiers of this bundle
    #[arg(long, visible_alias = "tasks", value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
    pub(crate) bundle: Option<PathBuf>,
    /// Grades at the same time [default: one a core]
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
    /// Print the receipt of an attempt's last grade: an in-toto statement in canonical JSON
    Show(ShowReceiptArgs),
    /// Grade again what a receipt names, and say whether the verdict is the same
    Verify(VerifyReceiptArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowReceiptArgs {
    /// An attempt's id or its first characters; `latest` is the one that began last
    #[arg(value_name = "ATTEMPT")]
    pub(crate) attempt: String,
    /// That of an earlier grade: 1 is the first, and each regrade made one more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) grade: Option<u32>,
    /// Those of all grades with a verdict, one a line, the first grade first
    #[arg(long, conflicts_with = "grade")]
    pub(crate) all: bool,
    /// Write it to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Take the place of the file that is there
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Sign it with this private key, as bundles are: a sigstore bundle with the statement in it
    #[arg(long, value_name = "KEY", value_hint = ValueHint::FilePath)]
    pub(crate) sign: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyReceiptArgs {
    /// A receipt
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) receipt: PathBuf,
    /// The public key that must have signed it; a receipt that is signed needs one
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) key: Option<PathBuf>,
    /// The final state, where the store does not have it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) state: Option<PathBuf>,
    /// The verifier's component, where the store does not have it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) verifier: Option<PathBuf>,
    /// The agent's last message, where the store does not have it
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
    /// Say what uses space
    Stats {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Take experiments out of the journal; `gc` then frees what only they needed
    Remove {
        /// Their names
        #[arg(value_name = "EXPERIMENT", required = true)]
        experiments: Vec<String>,
        /// Only say what would be removed
        #[arg(long)]
        dry_run: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Remove what no attempt needs, and unpacked bundles that no experiment is of
    Gc {
        /// Only say what would be removed
        #[arg(long)]
        dry_run: bool,
        /// Go on although something that attempts need is lost, or the journal knows of no experiment: what
        /// nothing that is left names is removed too
        #[arg(long)]
        despite_loss: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Compare every blob with its digest, and look whether all that attempts need is there
    Check {
        /// Remove what is damaged, so that it can be written again
        #[arg(long)]
        remove_damaged: bool,
        /// Write what is damaged or missing again from a bundle or an exported experiment, as far as that has
        /// it; may be repeated
        #[arg(long, value_name = "BUNDLE|FILE", value_hint = ValueHint::AnyPath)]
        repair: Vec<PathBuf>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write an experiment with its states to one file, for another machine to go on with
    Export {
        /// Its name; `latest` is the one that began last
        #[arg(value_name = "EXPERIMENT")]
        experiment: String,
        /// The file
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: PathBuf,
        /// Take the place of the file that is there
        #[arg(long)]
        force: bool,
    },
    /// Take in an experiment that another machine exported
    Import {
        /// The file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
}
