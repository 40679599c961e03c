//! What published scripts expect to be told, by the service of their task.
//!
//! The published harness starts them with arguments and variables that name its servers and
//! accounts. Here they name what stands behind the interfaces of the sandbox, so that none is
//! a secret: a token is asked for only to be handed on.

use mcpmark_snapshot::Digest;
use mcpmark_task::TaskId;

/// The most bytes of a database's name.
const DATABASE_BYTES: usize = 63;
/// Stands where scripts want a key, a token or a password.
const NO_SECRET: &str = "mcpmark";

/// Arguments and environment of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// What follows the script in its list of arguments.
    pub arguments: Vec<String>,
    /// Variables beside those that every script gets, or in their place.
    pub environment: Vec<(String, String)>,
}

impl Told {
    /// What the script of a published task is told.
    pub fn of(task: &TaskId) -> Self {
        let variables = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            let pairs = pairs.iter();
            pairs
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect()
        };
        match task.service() {
            "github" => Self {
                arguments: Vec::new(),
                // Whose repository it is follows from the state.
                environment: variables(&[("MCP_GITHUB_TOKEN", NO_SECRET)]),
            },
            "notion" => Self {
                arguments: vec![page(task)],
                environment: variables(&[("EVAL_NOTION_API_KEY", NO_SECRET)]),
            },
            "postgres" | "supabase" | "insforge" => {
                let database = database(task);
                let url = format!("postgresql://postgres@localhost:5432/{database}");
                Self {
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
            "playwright_webarena" => Self {
                arguments: Vec::new(),
                environment: variables(&[("WEBARENA_BASE_URL", webarena(task))]),
            },
            _ => Self::default(),
        }
    }

    /// The same with more arguments, and with variables that go before its own.
    pub fn and(mut self, arguments: &[String], environment: &[(String, String)]) -> Self {
        self.arguments.extend_from_slice(arguments);
        self.environment
            .retain(|(name, _)| environment.iter().all(|(given, _)| given != name));
        self.environment.extend_from_slice(environment);
        self
    }
}

/// The id of the page that a task works on, which follows from the task.
fn page(task: &TaskId) -> String {
    let hex = Digest::of(task.to_string().as_bytes()).hex();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(
        "{}-{}-{}-{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32)
    )
}

/// The name of the database that a task works on.
fn database(task: &TaskId) -> String {
    let category = task.category().unwrap_or("task");
    let mut name = format!("mcpmark_{category}_{}", task.name());
    name.truncate(DATABASE_BYTES);
    name
}

/// Where the site of a category is published to stand.
fn webarena(task: &TaskId) -> &'static str {
    match task.category() {
        Some("reddit") => "http://localhost:9999",
        Some("shopping") => "http://localhost:7770",
        _ => "http://localhost:7780/admin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(task: &str) -> Told {
        Told::of(&task.parse().unwrap())
    }

    #[test]
    fn each_service_has_its_own_arguments_and_variables() {
        assert_eq!(told("filesystem/desktop/sort"), Told::default());
        let notion = told("notion/resume/lessons");
        assert_eq!(notion, told("notion/resume/lessons"));
        assert_eq!(notion.arguments[0].len(), 36);
        assert_ne!(notion, told("notion/resume/other"));
        let long = "postgres/dvdrental/customer_analytics_optimization_with_a_long_name";
        let postgres = told(long);
        assert_eq!(postgres.arguments[0].len(), DATABASE_BYTES);
        let (name, value) = &postgres.environment[0];
        assert_eq!(
            (name.as_str(), value),
            ("POSTGRES_DATABASE", &postgres.arguments[0])
        );
    }

    #[test]
    fn what_a_person_gives_goes_before_it() {
        let more = [("GITHUB_EVAL_ORG".to_owned(), "mine".to_owned())];
        let told = told("github/harmony/fix").and(&["x".to_owned()], &more);
        assert_eq!(told.arguments, ["x"]);
        let organisations = told
            .environment
            .iter()
            .filter(|(name, _)| name == &more[0].0);
        assert_eq!(organisations.collect::<Vec<_>>(), [&more[0]]);
    }
}
