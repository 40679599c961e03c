//! What `bundle` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use mcpmark_bundle::trust::Kind;

use super::{PublishedArgs, Selection};

#[derive(Debug, Subcommand)]
pub(crate) enum BundleCommand {
    /// Pack tasks with their guests and worlds
    Pack(PackArgs),
    /// Say what is in a bundle and what its guests can do; of one in a registry no layer is fetched
    Inspect {
        /// A directory, a tar archive, or `oci://HOST/REPOSITORY[:TAG][@DIGEST]`
        #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
        bundle: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Read all of a bundle: every digest, every world, and what is said of its guests
    Verify {
        /// A directory, a tar archive, or `oci://HOST/REPOSITORY[:TAG][@DIGEST]`
        #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
        bundle: PathBuf,
        /// Insist on a signature by this public key; may be repeated, and then any will do
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        key: Vec<PathBuf>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Sign a bundle: its signatures lie beside it, and go with it to a registry
    Sign {
        /// A directory or a tar archive
        #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
        bundle: PathBuf,
        /// A private key of Ed25519 or ECDSA P-256 in PEM, as `bundle keygen` and `openssl genpkey` make it
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        key: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Make a pair of keys: one that signs, and one that others know its signatures by
    Keygen {
        /// The private key, which must be new; the public one goes beside it, with `.pub` at its end
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: PathBuf,
        /// What kind of keys
        #[arg(long, value_enum, default_value_t = Algorithm::Ed25519)]
        algorithm: Algorithm,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Lock a suite: it stays what it is now until it is updated
    Lock(LockArgs),
    /// Show what became of a locked suite, and lock that if you accept it
    Update(UpdateArgs),
    /// Say how two bundles differ: tasks, instructions, verifiers, and what guests can do
    Diff {
        /// The bundle before
        #[arg(value_name = "BEFORE", value_hint = ValueHint::AnyPath)]
        before: PathBuf,
        /// The bundle after
        #[arg(value_name = "AFTER", value_hint = ValueHint::AnyPath)]
        after: PathBuf,
        /// Show every line that differs
        #[arg(long)]
        full: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Send a bundle to a registry; what that has is not sent
    Push {
        /// A directory or a tar archive
        #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
        bundle: PathBuf,
        /// `oci://HOST/REPOSITORY[:TAG]`
        #[arg(value_name = "REFERENCE")]
        reference: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Get a bundle from a registry; what is here is not fetched
    Pull {
        /// `oci://HOST/REPOSITORY[:TAG][@DIGEST]`
        #[arg(value_name = "REFERENCE")]
        reference: String,
        /// Write it to a directory that is new or empty, or to a new file that ends with `.tar`
        #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
        output: Option<PathBuf>,
        /// Take the place of the bundle that is there
        #[arg(long, requires = "output")]
        force: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// Kinds of keys.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Algorithm {
    /// Ed25519
    Ed25519,
    /// ECDSA over P-256 with SHA-256, as cosign has it
    EcdsaP256,
}

impl Algorithm {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Ed25519 => Kind::Ed25519,
            Self::EcdsaP256 => Kind::EcdsaP256,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) published: PublishedArgs,
    /// Where it goes: a directory that is new or empty, or a new file that ends with `.tar`
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) output: PathBuf,
    /// Take the place of the bundle that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// The name of the suite
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Leave the verifiers out: their digests are told, and whoever holds them can grade
    #[arg(long)]
    pub(crate) without_verifier: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LockArgs {
    /// A directory, a tar archive, or `oci://HOST/REPOSITORY[:TAG]`
    #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
    pub(crate) bundle: PathBuf,
    /// The lock, which must be new
    #[arg(short, long, value_name = "FILE", default_value = "mcpmark.lock", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Print the lock
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// The lock
    #[arg(value_name = "LOCK", default_value = "mcpmark.lock", value_hint = ValueHint::FilePath)]
    pub(crate) lock: PathBuf,
    /// Take another bundle than the one that the lock comes from
    #[arg(long, value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
    pub(crate) to: Option<PathBuf>,
    /// Accept what is new without being asked
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Show every line that differs
    #[arg(long)]
    pub(crate) full: bool,
    /// Print one JSON object; nobody is asked
    #[arg(long)]
    pub(crate) json: bool,
}
