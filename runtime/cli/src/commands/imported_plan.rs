//! Imported experiments: messages about plans that are not accepted yet.

use std::path::Path;

use mcpmark_experiment::journal::{ExperimentRow, ImportedPlanError, PlanAction};
use mcpmark_experiment::{Spec, TaskSource};

use crate::commands::bundle;
use crate::error::CommandError;
use crate::output::sanitise;

/// Refuses to continue an imported experiment until its plan is accepted. `code` is the code that the refusal prints.
/// `place` is the location of the tasks according to the plan, unless it is overridden. Returns true if the experiment
/// is imported and no part of its plan is left to accept.
pub(crate) fn require_approval(
    experiment: &ExperimentRow,
    spec: &Spec,
    place: Option<&TaskSource>,
    code: Option<&str>,
) -> Result<bool, CommandError> {
    let checked = experiment.check_plan(spec, place, code, may_exist);
    checked.map_err(|error| foreign_plan_error(&error, "`--tasks PLACE` uses your own tasks"))
}

/// Returns the location of an experiment's tasks. Refuses the location of an imported experiment if something exists
/// there.
pub(crate) fn place<'a>(
    experiment: &ExperimentRow,
    spec: &'a Spec,
    way_out: &str,
) -> Result<Option<&'a TaskSource>, CommandError> {
    let source = experiment.task_source(spec, may_exist);
    source.map_err(|error| foreign_plan_error(&error, way_out))
}

/// Reports whether tasks can be at a location: it exists, or is a reference to a registry.
fn may_exist(tasks: &Path) -> bool {
    bundle::is_reference(tasks) || tasks.exists()
}

fn foreign_plan_error(error: &ImportedPlanError, way_out: &str) -> CommandError {
    // Each action is one line, whatever its texts contain.
    let shown = |action: &PlanAction| sanitise::line(&action.to_string()).into_owned();
    match error {
        ImportedPlanError::NotAccepted {
            experiment,
            actions,
            code,
        } => {
            let name = sanitise::line(experiment);
            let list: String = actions
                .iter()
                .map(|action| format!("\n  {}", shown(action)))
                .collect();
            CommandError::usage(format!(
                "experiment {name:?} was imported, and its plan would{list}"
            ))
            .hint(format!(
                "to accept the plan, run `mcpmark resume {name} --accept-plan {code}`; {way_out}"
            ))
        }
        ImportedPlanError::ReadsTasks { experiment, action } => {
            let name = sanitise::line(experiment);
            CommandError::usage(format!(
                "experiment {name:?} was imported, and this would {}",
                shown(action)
            ))
            .hint(format!(
                "{way_out}; `mcpmark resume {name}` shows the plan and how to accept it"
            ))
        }
    }
}
