//! Eight props have their scenes again, and a ninth one is not needed.

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_notion::{Allowed, Cell, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

/// Props with the blue numbers of their scenes, converted by hand from the list of white ones.
const PROPS: [(&str, &[&str]); 9] = [
    ("Silver spoons", &["048", "070"]),
    ("Postbag with seal", &["018", "060"]),
    ("Iodine bottle", &["074"]),
    ("School slate", &["005"]),
    ("Inspector's cane", &[]),
    ("Conductor's whistle", &["026", "051"]),
    ("Bread peel", &["046", "059"]),
    ("Ledger of the salt works", &["064"]),
    ("Hymn book, worn", &["007", "033"]),
];
const UNUSED: &str = "Inspector's cane";

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let end = Workspace::read(&task.end());
    let props = start.database("Props").required();
    let scenes = start.database("Scenes").required();
    let mut allowed = Allowed::new();
    let mut links = Vec::new();
    for (name, numbers) in PROPS {
        let prop = props.row(name).required().id().to_owned();
        allowed = allowed.value(&prop, "Scenes");
        for number in numbers {
            let mut rows = scenes.rows().into_iter();
            let scene = rows.find(|row| row.title().starts_with(number));
            let scene = scene.expect("the scene is in the table");
            assert_ne!(scene.shown("Status"), "Dropped", "the scene is in the film");
            allowed = allowed.value(scene.id(), "Props");
        }
        links.push(end.satisfies(|end| -> Result<(), String> {
            let cell = end
                .database("Props")
                .get()?
                .row_by_id(&prop)?
                .cell("Scenes")?;
            let titles = match cell {
                Cell::Related(titles) => titles,
                _ => Vec::new(),
            };
            let mut found: Vec<&str> = titles.iter().filter_map(|it| it.get(..3)).collect();
            found.sort_unstable();
            if found == numbers {
                Ok(())
            } else {
                Err(format!(
                    "{name}: expected the scenes {numbers:?}, found {found:?}"
                ))
            }
        }));
    }
    task.check("the scenes of the props", Condition::all(links));
    let unused = props.row(UNUSED).required().id().to_owned();
    let status = end.try_map(|end| {
        end.database("Props")
            .get()?
            .row_by_id(&unused)?
            .cell("Status")
    });
    task.check(
        "what nobody needs",
        status.is(Cell::Option("Not needed".to_owned())),
    );
    nothing_else_changed(task, &start, &end, &allowed.value(&unused, "Status"));
}
