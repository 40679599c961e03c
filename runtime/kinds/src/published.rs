//! Services of which the program knows only published tasks: arguments and variables of their scripts.

use std::sync::Arc;

use mcpmark_service::Service;
use mcpmark_snapshot::Snapshot;
use mcpmark_task::TaskId;

use crate::invocation::{InvocationError, NO_SECRET, ScriptInvocation, ScriptVariables, variables};
use crate::{ServiceKind, WorldGuests};

/// Maximum length of a database name, in bytes.
const DATABASE_BYTES: usize = 63;

/// Service that is not implemented, only described for its published scripts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PublishedKind {
    name: &'static str,
    invocation: fn(&TaskId) -> ScriptInvocation,
    variables: ScriptVariables,
}

pub(crate) const KINDS: &[PublishedKind] = &[
    PublishedKind::new(
        "supabase",
        postgres,
        ScriptVariables::named(&["SUPABASE_DB_URL"]),
    ),
    PublishedKind::new("insforge", postgres, ScriptVariables::named(POSTGRES)),
    PublishedKind::new(
        "playwright_webarena",
        webarena,
        ScriptVariables::named(&["WEBARENA_BASE_URL"]),
    ),
];

/// Variables of scripts of the published workspaces.
pub(crate) const NOTION: ScriptVariables = ScriptVariables {
    names: &["EVAL_NOTION_API_KEY"],
    modules: &[("notion_utils", "EVAL_NOTION_API_KEY")],
};

/// Variables of scripts of the published databases.
pub(crate) const POSTGRES: &[&str] = &[
    "DATABASE_URL",
    "POSTGRES_DATABASE",
    "POSTGRES_HOST",
    "POSTGRES_PASSWORD",
    "POSTGRES_PORT",
    "POSTGRES_USERNAME",
];

impl PublishedKind {
    const fn new(
        name: &'static str,
        invocation: fn(&TaskId) -> ScriptInvocation,
        variables: ScriptVariables,
    ) -> Self {
        Self {
            name,
            invocation,
            variables,
        }
    }
}

impl ServiceKind for PublishedKind {
    fn name(&self) -> &'static str {
        self.name
    }

    fn service(&self, _guests: &WorldGuests) -> Option<Arc<dyn Service>> {
        None
    }

    fn script_invocation(
        &self,
        task: &TaskId,
        _start: Option<&Snapshot>,
    ) -> Result<ScriptInvocation, InvocationError> {
        Ok((self.invocation)(task))
    }

    fn script_variables(&self) -> ScriptVariables {
        self.variables
    }
}

/// Returns the invocation that the published harness gives to scripts of workspaces, with the id of the task's page.
pub(crate) fn notion(page: String) -> ScriptInvocation {
    ScriptInvocation {
        arguments: vec![page],
        environment: variables(&[("EVAL_NOTION_API_KEY", NO_SECRET)]),
    }
}

/// Returns the invocation with the connection that the published harness gives to scripts of databases.
pub(crate) fn postgres(task: &TaskId) -> ScriptInvocation {
    let database = database(task);
    let url = format!("postgresql://postgres@localhost:5432/{database}");
    ScriptInvocation {
        environment: variables(&[
            ("POSTGRES_DATABASE", &database),
            ("DATABASE_URL", &url),
            ("POSTGRES_HOST", "localhost"),
            ("POSTGRES_PORT", "5432"),
            ("POSTGRES_USERNAME", "postgres"),
            ("POSTGRES_PASSWORD", NO_SECRET),
        ]),
        arguments: vec![database],
    }
}

/// Returns the invocation with the address at which the published set-up serves the site of the category.
fn webarena(task: &TaskId) -> ScriptInvocation {
    let address = match task.category() {
        Some("reddit") => "http://localhost:9999",
        Some("shopping") => "http://localhost:7770",
        _ => "http://localhost:7780/admin",
    };
    ScriptInvocation {
        arguments: Vec::new(),
        environment: variables(&[("WEBARENA_BASE_URL", address)]),
    }
}

/// Returns the name of the database that a task works on, truncated to [`DATABASE_BYTES`].
fn database(task: &TaskId) -> String {
    let category = task.category().unwrap_or("task");
    let mut name = format!("mcpmark_{category}_{}", task.name());
    name.truncate(DATABASE_BYTES);
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Services;

    fn invocation(task: &str) -> ScriptInvocation {
        let task: TaskId = task.parse().unwrap();
        let services = Services::builtin();
        let kind = services.kind(task.service()).unwrap();
        kind.script_invocation(&task, None).unwrap()
    }

    #[test]
    fn each_service_has_its_own_arguments_and_variables() {
        assert_eq!(
            invocation("filesystem/desktop/sort"),
            ScriptInvocation::default()
        );
        let github = invocation("github/harmony/fix");
        assert_eq!(
            github.environment,
            variables(&[("MCP_GITHUB_TOKEN", NO_SECRET)])
        );
        let supabase = invocation("supabase/edu/levels");
        assert_eq!(supabase.arguments, ["mcpmark_edu_levels"]);
        let shop = invocation("playwright_webarena/shopping/cart");
        let address = ("WEBARENA_BASE_URL", "http://localhost:7770");
        assert_eq!(shop.environment, variables(&[address]));
        let long = "postgres/dvdrental/customer_analytics_optimization_with_a_long_name";
        let postgres = invocation(long);
        assert_eq!(postgres.arguments[0].len(), DATABASE_BYTES);
        let (name, value) = &postgres.environment[0];
        assert_eq!(
            (name.as_str(), value),
            ("POSTGRES_DATABASE", &postgres.arguments[0])
        );
    }
}
