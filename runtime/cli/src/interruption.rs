//! Ctrl-C while nobody else listens for it: while guests are built, a lock is awaited, models are
//! asked for a sign of life.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::{exit, output};

/// What is said when the process ends.
static WORDS: Mutex<String> = Mutex::new(String::new());
/// How many listen for themselves.
static LISTENING: AtomicUsize = AtomicUsize::new(0);
static ENDING: AtomicBool = AtomicBool::new(false);

/// From now on a signal ends this process with a word and without orphans.
///
/// Commands that neither build nor run anything do without, and are gone at once.
pub(crate) fn watch() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // Without threads or signals the system does what it always does.
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

/// Sets what is said when a signal ends this process.
pub(crate) fn say(words: impl Into<String>) {
    *WORDS.lock().unwrap_or_else(PoisonError::into_inner) = words.into();
}

/// Hears signals in the place of the one that ends the process, for as long as it lives.
pub(crate) struct Listening(Option<Signals>);

/// Must be called within a Tokio runtime. No signal is lost between the two: this one hears
/// before the other is deaf.
pub(crate) fn listen() -> Listening {
    let signals = Signals::new().ok();
    if signals.is_some() {
        LISTENING.fetch_add(1, Ordering::SeqCst);
    }
    Listening(signals)
}

impl Listening {
    /// Waits until somebody asks this process to stop, for the first time or once more.
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

/// Lets a process that is being ended say and do nothing else: what the end does to the programs
/// that it waits for is no news.
pub(crate) fn settle() {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// Ctrl-C, a closed terminal, and what `timeout`, service managers and CI send.
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

    /// Waits for nothing: what the other threads do may take minutes.
    async fn end_process(&mut self) {
        loop {
            self.recv().await;
            if LISTENING.load(Ordering::SeqCst) == 0 {
                break;
            }
        }
        ENDING.store(true, Ordering::SeqCst);
        mcpmark_task::build::stop();
        let words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
        output::last_note(if words.is_empty() {
            "interrupted"
        } else {
            &words
        });
        std::process::exit(i32::from(exit::INTERRUPTED));
    }
}
