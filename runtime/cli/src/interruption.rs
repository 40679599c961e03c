//! Handling of Ctrl-C while nothing else listens for it: during builds, while waiting for a lock, and during preflight.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use mcpmark_metadata::ExitCode;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::output;

/// Message printed when a signal ends the process.
static WORDS: Mutex<String> = Mutex::new(String::new());
/// Number of active listeners.
static LISTENING: AtomicUsize = AtomicUsize::new(0);
static ENDING: AtomicBool = AtomicBool::new(false);

/// Starts the default handler: a signal stops the child processes of builds and the programs of external servers,
/// prints a message and ends the process.
///
/// Commands that neither build nor run anything do not start it. Signals end them at once.
pub(crate) fn watch() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // Without threads or signals, the default action of the system applies.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        let Ok(mut signals) = runtime.block_on(async { Signals::new() }) else {
            return;
        };
        std::thread::spawn(move || runtime.block_on(signals.end_process()));
    });
}

/// Sets the message printed when a signal ends the process.
pub(crate) fn say(words: impl Into<String>) {
    *WORDS.lock().unwrap_or_else(PoisonError::into_inner) = words.into();
}

/// Listener that replaces the default handler as long as it exists.
pub(crate) struct Listening(Option<Signals>);

/// Creates a listener. Must be called within a Tokio runtime. No signal is lost, because the listener is registered
/// before it disables the default handler.
pub(crate) fn listen() -> Listening {
    let signals = Signals::new().ok();
    if signals.is_some() {
        LISTENING.fetch_add(1, Ordering::SeqCst);
    }
    Listening(signals)
}

impl Listening {
    /// Waits for the next signal that asks the process to stop.
    pub(crate) async fn asked_to_stop(&mut self) {
        match &mut self.0 {
            Some(signals) => signals.recv().await,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if self.0.is_some() {
            LISTENING.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Blocks forever if a signal is ending the process, so that the errors of stopped child processes are not printed.
pub(crate) fn settle() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// Signals that ask to stop: SIGINT (Ctrl-C), SIGTERM (`timeout`, service managers, CI) and SIGHUP (closed terminal).
struct Signals([Signal; 3]);

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn recv(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }

    /// Waits for a signal, and exits without waiting for other threads, which may take minutes.
    async fn end_process(&mut self) {
        loop {
            self.recv().await;
            if LISTENING.load(Ordering::SeqCst) == 0 {
                break;
            }
        }
        ENDING.store(true, Ordering::SeqCst);
        mcpmark_build::stop();
        mcpmark_experiment::stop_programs();
        let words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
        output::last_note(if words.is_empty() {
            "interrupted"
        } else {
            &words
        });
        std::process::exit(ExitCode::Interrupted.into());
    }
}
