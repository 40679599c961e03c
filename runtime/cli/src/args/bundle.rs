//! Arguments of `mcpmark bundle`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use mcpmark_bundle::trust::Kind;

use super::{PublishedArgs, Selection};

#[derive(Debug, Subcommand)]
pub(crate) enum BundleCommand {
    /// Pack tasks with their guests and worlds into a bundle
    Pack(PackArgs),
    /// Show the content of a bundle and what its guests can do, without fetching layers
    Inspect {
        /// Directory, tar archive, lock file, or `oci://HOST/REPOSITORY[:TAG][@DIGEST]`
        #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
        bundle: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Verify a whole bundle: all digests, worlds, descriptions of guests, and signatures
    Verify {
        /// Directory, tar archive, lock file, or `oci://HOST/REPOSITORY[:TAG][@DIGEST]`
        #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
        bundle: PathBuf,
        /// Require a signature by this public key instead of the trust policy; if repeated, by any of the keys
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        key: Vec<PathBuf>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Sign a local bundle; `push` and `pull` transfer the signatures with it
    Sign {
        /// Directory or tar archive
        #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
        bundle: PathBuf,
        /// Private key in PEM (Ed25519 or ECDSA P-256), from `bundle keygen` or `openssl genpkey`
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        key: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Generate a key pair for signing bundles and receipts
    Keygen {
        /// New file for the private key; the public key gets the same name with the extension `.pub`
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: PathBuf,
        /// Algorithm of the keys
        #[arg(long, value_enum, default_value_t = Algorithm::Ed25519)]
        algorithm: Algorithm,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Pin a suite to its current digests in a lock file
    Lock(LockArgs),
    /// Show the changes of a locked suite, and update the lock if you accept them
    Update(UpdateArgs),
    /// Compare two bundles: tasks, instructions, verifiers, and what guests can do
    Diff {
        /// Earlier bundle, in any form that `bundle inspect` accepts
        #[arg(value_name = "BEFORE", value_hint = ValueHint::AnyPath)]
        before: PathBuf,
        /// Later bundle, in the same forms
        #[arg(value_name = "AFTER", value_hint = ValueHint::AnyPath)]
        after: PathBuf,
        /// Show all differing lines
        #[arg(long)]
        full: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Upload a bundle to a registry; skips blobs that the registry has
    Push {
        /// Directory or tar archive
        #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
        bundle: PathBuf,
        /// `oci://HOST/REPOSITORY[:TAG]`
        #[arg(value_name = "REFERENCE")]
        reference: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Download a bundle from a registry; skips blobs in the local cache
    Pull {
        /// `oci://HOST/REPOSITORY[:TAG][@DIGEST]`
        #[arg(value_name = "REFERENCE")]
        reference: String,
        /// Write the bundle to a new or empty directory, or to a new file that ends with `.tar` [default: only to the
        /// cache]
        #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
        output: Option<PathBuf>,
        /// Replace an existing bundle
        #[arg(long, requires = "output")]
        force: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// Algorithms of keys.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Algorithm {
    /// Ed25519
    Ed25519,
    /// ECDSA over P-256 with SHA-256, the algorithm of cosign's keys
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
    /// New or empty directory, or new file that ends with `.tar`
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) output: PathBuf,
    /// Replace an existing bundle
    #[arg(long)]
    pub(crate) force: bool,
    /// Name of the suite [default: none]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Omit the verifiers but keep their digests, so that only their owner can grade
    #[arg(long)]
    pub(crate) without_verifier: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LockArgs {
    /// Directory, tar archive, or `oci://HOST/REPOSITORY[:TAG]`
    #[arg(value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
    pub(crate) bundle: PathBuf,
    /// New lock file; its name ends with `.lock`
    #[arg(short, long, value_name = "FILE", default_value = "mcpmark.lock", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Print the lock as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// Lock file to update
    #[arg(value_name = "LOCK", default_value = "mcpmark.lock", value_hint = ValueHint::FilePath)]
    pub(crate) lock: PathBuf,
    /// Take the suite from this bundle instead of the source in the lock
    #[arg(long, value_name = "BUNDLE", value_hint = ValueHint::AnyPath)]
    pub(crate) to: Option<PathBuf>,
    /// Accept the changes without confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Show all differing lines
    #[arg(long)]
    pub(crate) full: bool,
    /// Print one JSON object, without asking; only --yes accepts the changes
    #[arg(long)]
    pub(crate) json: bool,
}
