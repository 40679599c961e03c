//! What was decided in common: the recipes as they came, the page, the move, the clean-up and what is open.

use github_chronicle::Section::{Added, Changed, Internal};
use github_chronicle::Way::{Closed, Direct, Draft, Merge, Open, Squash};
use github_chronicle::{Report, Work, Write};

use crate::recipes::{RECIPES, Recipe, TOO_COLD};

/// When the bread got a directory of its own, and when the front matter was tidied.
const MOVE: i64 = 300;
const TIDY: i64 = 510;

pub fn story() -> Vec<Work<Write>> {
    let mut all = beginnings();
    all.extend(RECIPES.iter().filter(|it| it.day > 1).map(addition));
    all.push(bread_moves());
    all.push(tidy());
    all.extend(site());
    all.extend(after_the_tidy());
    all.extend(unfinished());
    all
}

fn beginnings() -> Vec<Work<Write>> {
    let first: Vec<Write> = RECIPES
        .iter()
        .filter(|it| it.day <= 1)
        .map(|it| Write::new(&it.path(), &it.text()))
        .collect();
    vec![
        Work::new(0, "hbramwell", Direct, "", "").step(
            "Begin the book",
            vec![
                Write::new("README.md", include_str!("texts/README.md")),
                Write::new("docs/writing.md", include_str!("texts/writing.md")),
            ],
        ),
        Work::new(0, "hbramwell", Direct, "", "").step("The first three", first),
        Work::new(3, "larkspur-j", Squash, "page", "A page for each recipe")
            .step(
                "A page for each recipe",
                vec![
                    Write::new("templates/recipe.html", include_str!("texts/recipe.html")),
                    Write::new("css/site.css", include_str!("texts/site.css")),
                ],
            )
            .section(Internal)
            .label("site"),
        Work::new(70, "hbramwell", Direct, "", "").step(
            "docs: how an issue of the book is made",
            vec![Write::new(
                "docs/releasing.md",
                include_str!("texts/releasing.md"),
            )],
        ),
    ]
}

/// Where a recipe lies on a day: the bread moves.
fn path_on(recipe: &Recipe, day: i64) -> String {
    if is_bread(recipe) && (day > MOVE || recipe.day > MOVE) {
        format!("recipes/bread/{}.md", recipe.slug)
    } else {
        recipe.path()
    }
}

fn is_bread(recipe: &Recipe) -> bool {
    recipe.tags.starts_with("bread")
}

fn addition(recipe: &Recipe) -> Work<Write> {
    let title = format!("Add {}", recipe.title.to_lowercase());
    let way = if recipe.day % 2 == 0 { Squash } else { Merge };
    let path = path_on(recipe, recipe.day);
    Work::new(
        recipe.day,
        recipe.by,
        way,
        &format!("add/{}", recipe.slug),
        &title,
    )
    .body("Cooked twice on a Thursday.")
    .step(&title, vec![Write::new(&path, &recipe.text())])
    .section(Added)
    .label("new recipe")
}

fn bread_moves() -> Work<Write> {
    let moves = RECIPES
        .iter()
        .filter(|it| is_bread(it) && it.day < MOVE)
        .map(|it| Write::moved(&it.path(), &path_on(it, MOVE + 1)))
        .collect();
    Work::new(
        MOVE,
        "odunsi",
        Merge,
        "bread-shelf",
        "A shelf for the bread",
    )
    .body("All that is kneaded lies in `recipes/bread` from now on.")
    .step("A shelf for the bread", moves)
    .section(Internal)
    .label("chore")
}

/// The clean-up that did more than its title says.
fn tidy() -> Work<Write> {
    let there = || RECIPES.iter().filter(|it| it.day < TIDY - 20);
    let tags = there()
        .filter(|it| it.tags.contains(", "))
        .map(|it| {
            let mut sorted: Vec<&str> = it.tags.split(", ").collect();
            sorted.reverse();
            let new = sorted.join(", ");
            Write::part(
                &path_on(it, TIDY),
                &format!("tags: {}\n", it.tags),
                &format!("tags: {new}\n"),
            )
        })
        .collect();
    let ovens = there()
        .filter(|it| it.oven > 0)
        .map(|it| {
            Write::part(
                &path_on(it, TIDY),
                &format!("oven: {}\n", it.oven),
                &format!("oven: {}\n", it.oven - TOO_COLD),
            )
        })
        .collect();
    Work::new(
        TIDY,
        "larkspur-j",
        Squash,
        "tidy-front-matter",
        "Tidy the front matter",
    )
    .body("What a dish is comes last in its tags, so that pages can be grouped.")
    .step("The kind of dish comes last", tags)
    .step("Bring the numbers into line", ovens)
    .section(Internal)
    .label("chore")
}

fn site() -> Vec<Work<Write>> {
    let css = "css/site.css";
    vec![
        Work::new(130, "larkspur-j", Merge, "print", "A style for the printer")
            .step("A style for the printer", vec![Write::end(css, "\n@media print {\n  nav, footer { display: none; }\n}\n")])
            .section(Added)
            .label("site"),
        Work::new(240, "larkspur-j", Squash, "dark", "Dark pages at night")
            .step("Dark pages at night", vec![Write::end(css, "\n@media (prefers-color-scheme: dark) {\n  body { background: #1b1a17; color: #efe9dd; }\n}\n")])
            .section(Added)
            .label("site"),
        Work::new(390, "rafiq-s", Squash, "wider", "Wider lines")
            .step("Wider lines", vec![Write::part(css, "max-width: 34em", "max-width: 40em")])
            .section(Changed)
            .label("site"),
        Work::new(398, "larkspur-j", Direct, "", "").step(
            "Revert \"Wider lines\"\n\nNobody could read it on the wall of the kitchen.",
            vec![Write::part(css, "max-width: 40em", "max-width: 34em")],
        ),
        Work::new(600, "tcoole", Squash, "allergens-rules", "docs: what may make people ill")
            .step(
                "docs: what may make people ill",
                vec![Write::new("docs/allergens.md", include_str!("texts/allergens.md"))],
            )
            .section(Internal)
            .label("allergens"),
    ]
}

/// What was set on purpose after the clean-up, and must stay.
fn after_the_tidy() -> Vec<Work<Write>> {
    let find = |slug: &str| {
        let found = RECIPES.iter().find(|it| it.slug == slug);
        found.unwrap_or_else(|| panic!("there is no {slug}"))
    };
    let set = |day, by, way, slug: &str, degrees: u32| {
        let recipe = find(slug);
        let cold = recipe.oven - TOO_COLD;
        let title = format!("{}: {degrees} degrees", recipe.title);
        Work::new(day, by, way, &format!("{slug}-oven"), &title)
            .step(
                &title,
                vec![Write::part(
                    &path_on(recipe, day),
                    &format!("oven: {cold}\n"),
                    &format!("oven: {degrees}\n"),
                )],
            )
            .section(Changed)
            .label("change")
    };
    vec![
        set(548, "tcoole", Squash, "potato-gratin", 175),
        set(570, "mvandam", Merge, "apple-crumble", 185),
        set(628, "odunsi", Direct, "soda-bread", 200),
    ]
}

fn unfinished() -> Vec<Work<Write>> {
    let gratin = "recipes/potato-gratin.md";
    vec![
        Work::new(585, "rafiq-s", Open, "add/ginger-parkin", "Add ginger parkin")
            .body("Not sure about the oven.")
            .step(
                "Add ginger parkin",
                vec![Write::new(
                    "recipes/ginger-parkin.md",
                    "---\ntitle: Ginger parkin\nserves: 12\nminutes: 90\noven: 160\nseason: winter\ntags: pudding\n---\n\n## Ingredients\n\n- 200 g oatmeal\n- 200 g treacle\n- 12 g ginger\n\n## Method\n\n1. Melt, stir, bake.\n2. Wait a week.\n",
                )],
            )
            .label("new recipe")
            .remark("spoonbill", "A week!"),
        Work::new(610, "tcoole", Open, "gratin-for-twelve", "Potato gratin for twelve")
            .overtaken()
            .report(
                Report::new("thursday-regular", "The gratin is never enough", "We are twelve now.")
                    .labels(&["correction"]),
            )
            .body("Fixes #{issue}\n\nThe large dish, and what goes into it.")
            .step("Potato gratin: serves twelve", vec![Write::part(gratin, "serves: 8\n", "serves: 12\n")])
            .step(
                "Potato gratin: say how to know that it is done",
                vec![Write::part(
                    gratin,
                    "3. Cheese on top, then the oven.\n",
                    "3. Cheese on top, then the oven, until a knife goes through all layers.\n",
                )],
            )
            .label("change"),
        Work::new(640, "hbramwell", Squash, "gratin-tin", "Potato gratin: for the tin that we have")
            .step(
                "Potato gratin: for the tin that we have",
                vec![
                    Write::part(gratin, "serves: 8\n", "serves: 9\n"),
                    Write::part(gratin, "1. Slice the potatoes as thin as you can.\n", "1. Butter the tin. Slice the potatoes as thin as you can.\n"),
                ],
            )
            .section(Changed)
            .label("change"),
        Work::new(630, "larkspur-j", Draft, "photographs", "Photographs")
            .body("One for each recipe. Needs somebody with a camera.")
            .step(
                "A place for photographs",
                vec![Write::part("templates/recipe.html", "  <h1>{title}</h1>\n", "  <h1>{title}</h1>\n  <img src=\"{photograph}\" alt=\"\">\n")],
            )
            .label("site"),
        Work::new(420, "rafiq-s", Closed, "try/vegan-only", "Only vegetables from now on")
            .step(
                "Only vegetables from now on",
                vec![Write::end("docs/writing.md", "\nNo meat and no fish.\n")],
            )
            .remark("rafiq-s", "It was the third bottle that wrote this. Closing."),
    ]
}
