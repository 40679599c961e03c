//! Kind of the till: all methods of the trait to which a till gives a meaning.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcpmark_kinds::{
    Availability, Block, Cell, ImportError, ImportRequest, Imported, InvocationError, MutableText,
    MutateError, Mutation, ScriptBackend, ScriptInvocation, ScriptVariables, ServiceKind,
    SkippedEntry, Solved, StateMutant, StateMutator, Summary, TemplateImporter, WorldGuest,
    WorldGuests, text_of_file,
};
use mcpmark_sandbox::wasmtime::{self, StoreContextMut};
use mcpmark_sandbox::{
    GradeData, Interface, LoadError, Sandbox, ScriptServices, ScriptSession, ServiceAnswer,
    VerifierHost,
};
use mcpmark_service::{Service, ServiceError};
use mcpmark_snapshot::{Blobs, File, Snapshot, Store, StoreError, Tree, TreeBuilder, TreePath};
use mcpmark_task::scaffold::Scaffold;
use mcpmark_task::{GuestRole, TaskId};
use serde_json::{Value, json};

use super::{NAME, Till};

/// Interface for verifiers: the number of coins that fit into a till.
pub(crate) const CAPACITY: &str = "till:desk/capacity@0.1.0";

/// Number of coins that fit into a till.
pub(crate) const COINS: u64 = 1000;

/// Mutation of a till: one coin too many or too few.
pub(crate) const MISCOUNT: Mutation = Mutation::new("miscount");

/// True after the tills were shut down.
pub(crate) static IS_SHUT: AtomicBool = AtomicBool::new(false);

/// Returns the balance of a state.
pub(crate) fn balance(tree: &Tree, blobs: &dyn Blobs) -> Option<u64> {
    let (_, file) = tree.files().find(|(path, _)| path.as_str() == "balance")?;
    let bytes = blobs.read(&file.content).ok()?;
    String::from_utf8(bytes).ok()?.trim().parse().ok()
}

/// Stores the state of a till whose file has this text.
pub(crate) fn state_of(text: &str, store: &Store) -> Result<Tree, StoreError> {
    let file = File {
        size: text.len() as u64,
        executable: false,
        content: store.put(text.as_bytes())?,
        modified: None,
    };
    let mut tree = TreeBuilder::from(Tree::empty());
    let path = TreePath::parse("balance").unwrap();
    tree.insert_file(&path, file).unwrap();
    let tree = tree.finish();
    store.put_tree(&tree)?;
    Ok(tree)
}

/// Engine of the interface [`CAPACITY`].
struct Desk {
    coins: u64,
}

/// Loaded form of a world's guest, with which each deposit counts twice.
struct Doubling;

pub(crate) struct TillKind;

impl ServiceKind for TillKind {
    fn name(&self) -> &'static str {
        NAME
    }

    fn availability(&self) -> Availability {
        Availability::Programs("a drawer".to_owned())
    }

    fn shutdown(&self) {
        IS_SHUT.store(true, Ordering::Relaxed);
    }

    fn service(&self, guests: &WorldGuests) -> Option<Arc<dyn Service>> {
        let guest = guests.get(GuestRole::CI);
        let has_guest = guest.is_some_and(|guest| guest.loaded::<Doubling>().is_some());
        Some(Arc::new(Till { has_guest }))
    }

    fn guest_roles(&self) -> &'static [GuestRole] {
        &[GuestRole::CI]
    }

    fn load_guest(
        &self,
        role: GuestRole,
        sandbox: &Sandbox,
        component: &[u8],
    ) -> Result<WorldGuest, LoadError> {
        assert_eq!(role, GuestRole::CI);
        sandbox.verifier(component)?;
        Ok(WorldGuest::new(component, Doubling))
    }

    fn documents(&self) -> &'static [&'static str] {
        &["balance"]
    }

    fn schema(&self, document: &str) -> Option<Value> {
        (document == "balance").then(|| json!({"type": "integer", "minimum": 0}))
    }

    fn resembles_world(&self, tree: &Tree) -> bool {
        tree.files().any(|(path, _)| path.as_str() == "balance")
    }

    fn summarize(
        &self,
        tree: &Tree,
        blobs: &dyn Blobs,
        _scratch: &Path,
    ) -> Result<Option<Summary>, ServiceError> {
        let balance = balance(tree, blobs);
        Ok(balance.map(|balance| Summary {
            key: NAME,
            value: json!({"balance": balance}),
            blocks: vec![Block::Line(vec![Cell::plain(format!("{balance} coins"))])],
            opaque: &[],
        }))
    }

    fn text_at(
        &self,
        state: &Snapshot,
        _scratch: &Path,
        place: &str,
    ) -> Result<Option<String>, ServiceError> {
        let path = place.strip_prefix("drawer/").unwrap_or(place);
        text_of_file(state, path).map_err(|source| ServiceError::set_up(NAME, source))
    }

    fn importer(&self) -> Option<&dyn TemplateImporter> {
        Some(&Rolls)
    }

    fn lacks(&self, dir: &Path) -> Option<&'static str> {
        (!dir.join("balance").is_file()).then_some("has no balance")
    }

    fn starts_from_nothing(&self) -> bool {
        true
    }

    fn script_invocation(
        &self,
        task: &TaskId,
        _start: Option<&Snapshot>,
    ) -> Result<ScriptInvocation, InvocationError> {
        Ok(ScriptInvocation {
            arguments: vec![task.to_string()],
            environment: vec![("TILL_DESK".to_owned(), "desk".to_owned())],
        })
    }

    fn script_variables(&self) -> ScriptVariables {
        ScriptVariables {
            names: &["TILL_DESK", "TILL_BALANCE"],
            modules: &[],
        }
    }

    fn guest_interfaces(&self) -> Vec<Interface> {
        let link = |linker: &mut wasmtime::component::Linker<VerifierHost>| {
            let at = |mut store: StoreContextMut<'_, VerifierHost>, (_,): (u32,)| {
                let host = store.data_mut();
                host.charge(8)?;
                Ok((host.data::<Desk>()?.coins,))
            };
            linker.instance(CAPACITY)?.func_wrap("at", at)
        };
        vec![Interface::new(
            CAPACITY,
            "read the capacity of the till",
            link,
        )]
    }

    fn guest_engines(&self, data: GradeData, _scratch: &Path) -> GradeData {
        data.with(Desk { coins: COINS })
    }

    fn script_backend(
        &self,
        state: &Snapshot,
        clock: i64,
        _guests: &WorldGuests,
    ) -> Option<ScriptBackend> {
        let text = text_of_file(state, "balance").ok()??;
        let balance = text.trim().parse().ok()?;
        Some(ScriptBackend {
            services: Arc::new(Counter { balance, clock }),
            environment: vec![("TILL_BALANCE".to_owned(), balance.to_string())],
        })
    }

    fn mutations(&self) -> &'static [Mutation] {
        &[MISCOUNT]
    }

    fn mutator<'a>(
        &self,
        solved: Solved<'a>,
    ) -> Result<Option<Box<dyn StateMutator + 'a>>, MutateError> {
        let no_till = || MutateError::new("the state is no till");
        let before = balance(solved.start, solved.blobs).ok_or_else(no_till)?;
        let after = balance(solved.end, solved.blobs).ok_or_else(no_till)?;
        Ok(Some(Box::new(Miscounting {
            before,
            after,
            store: solved.store,
        })))
    }

    fn is_noise(&self, path: &TreePath) -> bool {
        path.as_str() == "balance.lock"
    }

    fn scaffold(&self) -> Option<&'static Scaffold> {
        Some(&Scaffold::DIRECTORY)
    }
}

/// Backend of scripts, which answers with the balance and the time of the till.
#[derive(Debug, Clone, Copy)]
struct Counter {
    balance: u64,
    clock: i64,
}

impl ScriptServices for Counter {
    fn open(&self) -> Box<dyn ScriptSession> {
        Box::new(*self)
    }
}

impl ScriptSession for Counter {
    fn call(&mut self, service: &str, _request: &str, _now: i64) -> ServiceAnswer {
        if service == NAME {
            let answer = json!({"balance": self.balance, "clock": self.clock});
            ServiceAnswer::Answer(answer.to_string())
        } else {
            ServiceAnswer::Absent
        }
    }
}

/// Mutator of a till.
struct Miscounting<'a> {
    before: u64,
    after: u64,
    store: &'a Store,
}

impl StateMutator for Miscounting<'_> {
    fn mutants(&mut self) -> Result<Vec<StateMutant>, MutateError> {
        let counts = [self.after + 1, self.after.saturating_sub(1)];
        let mutants = counts.into_iter().map(|count| {
            Ok(StateMutant {
                mutation: MISCOUNT,
                place: "balance".to_owned(),
                what: format!("{count} coins"),
                tree: self.with_text(0, &count.to_string())?,
            })
        });
        mutants.collect()
    }

    fn texts(&self) -> Result<Vec<MutableText>, MutateError> {
        Ok(vec![MutableText {
            place: "balance".to_owned(),
            path: "balance.txt".to_owned(),
            before: Some(self.before.to_string()),
            text: self.after.to_string(),
        }])
    }

    fn with_text(&self, index: usize, text: &str) -> Result<Tree, MutateError> {
        assert_eq!(index, 0, "a till has one text");
        state_of(text, self.store).map_err(MutateError::new)
    }
}

/// Importer of rolls of coins: a file with one number of coins in each line.
struct Rolls;

impl TemplateImporter for Rolls {
    fn layout(&self) -> &'static str {
        "rolls"
    }

    fn check_login(&self, login: &str) -> Result<(), &'static str> {
        if login.chars().all(char::is_alphanumeric) {
            Ok(())
        } else {
            Err("has letters and digits only")
        }
    }

    fn import(&self, request: ImportRequest<'_>) -> Result<Imported, ImportError> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let mut files = request.template.files();
        let rolls = files.find(|(path, _)| path.as_str() == "rolls");
        let (_, file) = rolls.ok_or_else(|| ImportError::Template(missing().into()))?;
        let bytes = request.store.read(&file.content);
        let bytes = bytes.map_err(|error| ImportError::Host(error.into()))?;
        let (mut coins, mut rolls, mut skipped) = (0, 0, Vec::new());
        for (index, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            match line.parse::<u64>() {
                Ok(roll) => (coins, rolls) = (coins + roll, rolls + 1),
                Err(error) => skipped.push(SkippedEntry {
                    place: format!("rolls line {}", index + 1),
                    title: line.to_owned(),
                    why: error.to_string(),
                }),
            }
        }
        let tree = state_of(&coins.to_string(), request.store);
        Ok(Imported {
            tree: tree.map_err(|error| ImportError::Host(error.into()))?,
            name: format!("{}/till", request.owner),
            name_key: NAME,
            counts: vec![("rolls", "roll", rolls)],
            skipped,
        })
    }
}

/// Writes a directory with the state of a till.
pub(crate) fn write_state(dir: &Path, balance: u64) {
    fs::create_dir_all(dir).unwrap();
    fs::write(dir.join("balance"), format!("{balance}\n")).unwrap();
}
