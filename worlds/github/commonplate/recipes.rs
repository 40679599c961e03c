//! What is cooked.

/// A recipe as it came into the book.
pub struct Recipe {
    /// The day on which somebody began to write it down, counted from the first.
    pub day: i64,
    pub by: &'static str,
    pub slug: &'static str,
    pub title: &'static str,
    pub serves: u32,
    pub minutes: u32,
    /// Degrees Celsius; 0 where none is needed.
    pub oven: u32,
    pub season: &'static str,
    pub tags: &'static str,
    /// Grams or pieces, and of what.
    pub ingredients: &'static [(u32, &'static str)],
    pub method: &'static [&'static str],
}

impl Recipe {
    pub fn path(&self) -> String {
        format!("recipes/{}.md", self.slug)
    }

    pub fn text(&self) -> String {
        let mut text = format!(
            "---\ntitle: {}\nserves: {}\nminutes: {}\noven: {}\nseason: {}\ntags: {}\n---\n\n## Ingredients\n\n",
            self.title, self.serves, self.minutes, self.oven, self.season, self.tags
        );
        for (amount, name) in self.ingredients {
            text.push_str(&format!("- {amount} {name}\n"));
        }
        text.push_str("\n## Method\n\n");
        for (at, step) in self.method.iter().enumerate() {
            text.push_str(&format!("{}. {step}\n", at + 1));
        }
        text
    }
}

type Basics = (u32, u32, u32);

const fn recipe(
    (day, by): (i64, &'static str),
    (slug, title): (&'static str, &'static str),
    (serves, minutes, oven): Basics,
    (season, tags): (&'static str, &'static str),
    ingredients: &'static [(u32, &'static str)],
    method: &'static [&'static str],
) -> Recipe {
    Recipe {
        day,
        by,
        slug,
        title,
        serves,
        minutes,
        oven,
        season,
        tags,
        ingredients,
        method,
    }
}

pub const RECIPES: &[Recipe] = &[
    recipe(
        (0, "hbramwell"),
        ("leek-barley-soup", "Leek and barley soup"),
        (6, 55, 0),
        ("winter", "soup, vegetable"),
        &[
            (600, "g leeks"),
            (150, "g pearl barley"),
            (40, "g butter"),
            (1400, "ml stock"),
        ],
        &[
            "Wash the leeks twice and slice them.",
            "Soften them in the butter with a lid on.",
            "Add barley and stock; simmer until the barley is soft.",
        ],
    ),
    recipe(
        (0, "odunsi"),
        ("oat-bread", "Oat bread"),
        (10, 190, 220),
        ("all", "bread"),
        &[
            (500, "g wheat flour"),
            (120, "g rolled oats"),
            (9, "g salt"),
            (5, "g dry yeast"),
            (400, "ml milk"),
        ],
        &[
            "Mix, wait an hour, fold.",
            "Shape it and let it rise in the tin.",
            "Bake until it sounds hollow.",
        ],
    ),
    recipe(
        (1, "mvandam"),
        ("apple-crumble", "Apple crumble"),
        (8, 70, 190),
        ("autumn", "pudding"),
        &[
            (1200, "g apples"),
            (200, "g wheat flour"),
            (120, "g butter"),
            (110, "g sugar"),
        ],
        &[
            "Rub flour, butter and sugar to crumbs.",
            "Slice the apples into a dish and cover them.",
            "Bake until the juice comes through.",
        ],
    ),
    recipe(
        (6, "rafiq-s"),
        ("chickpea-stew", "Chickpea stew"),
        (8, 60, 0),
        ("all", "stew, vegetable"),
        &[
            (500, "g dried chickpeas"),
            (300, "g onions"),
            (800, "g tinned tomatoes"),
            (12, "g cumin"),
        ],
        &[
            "Soak the chickpeas over night.",
            "Fry onions and cumin.",
            "Add the rest and give it an hour.",
        ],
    ),
    recipe(
        (20, "tcoole"),
        ("potato-gratin", "Potato gratin"),
        (8, 95, 180),
        ("winter", "bake, vegetable"),
        &[
            (1500, "g potatoes"),
            (500, "ml cream"),
            (200, "g hard cheese"),
            (2, "cloves of garlic"),
        ],
        &[
            "Slice the potatoes as thin as you can.",
            "Layer with garlic and cream.",
            "Cheese on top, then the oven.",
        ],
    ),
    recipe(
        (34, "hbramwell"),
        ("nettle-soup", "Nettle soup"),
        (6, 40, 0),
        ("spring", "soup, vegetable"),
        &[
            (400, "g nettle tops"),
            (350, "g potatoes"),
            (60, "g celery"),
            (1200, "ml stock"),
        ],
        &[
            "Pick the nettles with gloves on.",
            "Cook potatoes and celery in the stock.",
            "Nettles in, five minutes, blend.",
        ],
    ),
    recipe(
        (47, "odunsi"),
        ("rye-crackers", "Rye crackers"),
        (12, 80, 200),
        ("all", "bread"),
        &[
            (300, "g rye flour"),
            (60, "g sesame seeds"),
            (6, "g salt"),
            (160, "ml water"),
        ],
        &[
            "Knead and rest for half an hour.",
            "Roll it out thin.",
            "Bake until the rims are brown.",
        ],
    ),
    recipe(
        (66, "mvandam"),
        ("rhubarb-fool", "Rhubarb fool"),
        (6, 45, 0),
        ("spring", "pudding"),
        &[(600, "g rhubarb"), (140, "g sugar"), (300, "ml cream")],
        &[
            "Stew the rhubarb with the sugar.",
            "Whip the cream.",
            "Fold them together when the fruit is cold.",
        ],
    ),
    recipe(
        (90, "rafiq-s"),
        ("friday-fried-rice", "Friday fried rice"),
        (6, 30, 0),
        ("all", "leftovers"),
        &[
            (600, "g cold rice"),
            (4, "eggs"),
            (40, "ml soy sauce"),
            (200, "g peas"),
        ],
        &[
            "Fry the rice hard.",
            "Make room and scramble the eggs.",
            "Peas and soy sauce at the end.",
        ],
    ),
    recipe(
        (111, "tcoole"),
        ("broad-bean-salad", "Broad bean salad"),
        (6, 35, 0),
        ("summer", "salad, vegetable"),
        &[
            (800, "g broad beans"),
            (120, "g hard cheese"),
            (50, "ml oil"),
            (20, "g mint"),
        ],
        &[
            "Pod the beans twice.",
            "Dress them warm.",
            "Cheese and mint at the table.",
        ],
    ),
    recipe(
        (133, "odunsi"),
        ("seeded-rolls", "Seeded rolls"),
        (12, 150, 230),
        ("all", "bread"),
        &[
            (700, "g wheat flour"),
            (50, "g sesame seeds"),
            (13, "g salt"),
            (7, "g dry yeast"),
        ],
        &[
            "Knead until it is smooth.",
            "Shape twelve rolls.",
            "Seeds on top; a hot oven.",
        ],
    ),
    recipe(
        (150, "hbramwell"),
        ("smoked-haddock-chowder", "Smoked haddock chowder"),
        (6, 50, 0),
        ("autumn", "soup, fish"),
        &[
            (600, "g smoked haddock"),
            (500, "g potatoes"),
            (600, "ml milk"),
            (150, "g leeks"),
        ],
        &[
            "Poach the fish in the milk.",
            "Cook potatoes and leeks in the same milk.",
            "Flake the fish in.",
        ],
    ),
    recipe(
        (174, "mvandam"),
        ("plum-tart", "Plum tart"),
        (8, 85, 200),
        ("autumn", "pudding"),
        &[
            (900, "g plums"),
            (250, "g wheat flour"),
            (125, "g butter"),
            (60, "g ground almonds"),
        ],
        &[
            "Make the crust and let it rest in the cold.",
            "Almonds below, plums above.",
            "Bake until it is dark at the rim.",
        ],
    ),
    recipe(
        (196, "rafiq-s"),
        ("squash-curry", "Squash curry"),
        (8, 65, 0),
        ("autumn", "stew, vegetable"),
        &[
            (1000, "g squash"),
            (400, "ml coconut milk"),
            (30, "g mustard seeds"),
            (200, "g onions"),
        ],
        &[
            "Mustard seeds into hot oil, lid on.",
            "Onions, then squash.",
            "Coconut milk until it is soft.",
        ],
    ),
    recipe(
        (221, "tcoole"),
        ("celeriac-pie", "Celeriac pie"),
        (6, 120, 190),
        ("winter", "bake, vegetable"),
        &[
            (700, "g celery root"),
            (300, "g wheat flour"),
            (160, "g butter"),
            (2, "eggs"),
        ],
        &[
            "Roast the root whole.",
            "Line the tin and fill it.",
            "Egg on the lid, and the oven.",
        ],
    ),
    recipe(
        (246, "odunsi"),
        ("stollen", "Stollen"),
        (14, 240, 180),
        ("winter", "bread, pudding"),
        &[
            (500, "g wheat flour"),
            (200, "g butter"),
            (150, "g raisins"),
            (100, "g ground almonds"),
        ],
        &[
            "Soak the raisins.",
            "Two rises, both slow.",
            "Bake, and butter it while it is hot.",
        ],
    ),
    recipe(
        (271, "hbramwell"),
        ("split-pea-soup", "Split pea soup"),
        (8, 110, 0),
        ("winter", "soup, vegetable"),
        &[
            (500, "g split peas"),
            (200, "g celery"),
            (200, "g onions"),
            (1800, "ml stock"),
        ],
        &[
            "Everything into the pot.",
            "Wait.",
            "Stir more often than you want to.",
        ],
    ),
    recipe(
        (318, "mvandam"),
        ("lemon-rice-pudding", "Lemon rice pudding"),
        (6, 75, 160),
        ("winter", "pudding"),
        &[
            (150, "g pudding rice"),
            (1000, "ml milk"),
            (70, "g sugar"),
            (1, "lemon"),
        ],
        &[
            "Rice, milk and sugar into a dish.",
            "A low oven, stirring twice.",
            "Lemon at the end.",
        ],
    ),
    recipe(
        (352, "rafiq-s"),
        ("bread-dumplings", "Bread dumplings"),
        (6, 50, 0),
        ("all", "leftovers"),
        &[
            (400, "g old bread"),
            (3, "eggs"),
            (250, "ml milk"),
            (150, "g onions"),
        ],
        &[
            "Soak the bread in the milk.",
            "Add eggs and fried onions.",
            "Poach for fifteen minutes.",
        ],
    ),
    recipe(
        (380, "tcoole"),
        ("cauliflower-cheese", "Cauliflower cheese"),
        (6, 60, 210),
        ("spring", "bake, vegetable"),
        &[
            (1200, "g cauliflower"),
            (600, "ml milk"),
            (250, "g hard cheese"),
            (15, "g mustard"),
        ],
        &[
            "Boil the cauliflower short of done.",
            "A sauce of milk, cheese and mustard.",
            "Brown it in the oven.",
        ],
    ),
    recipe(
        (412, "odunsi"),
        ("soda-bread", "Soda bread"),
        (8, 60, 210),
        ("all", "bread"),
        &[
            (450, "g wheat flour"),
            (12, "g baking soda"),
            (420, "ml buttermilk"),
            (8, "g salt"),
        ],
        &["Mix with one hand.", "Cut a cross.", "Bake at once."],
    ),
    recipe(
        (437, "hbramwell"),
        ("white-fish-stew", "White fish stew"),
        (6, 45, 0),
        ("summer", "stew, fish"),
        &[
            (800, "g white fish"),
            (600, "g tinned tomatoes"),
            (200, "g fennel"),
            (50, "ml oil"),
        ],
        &[
            "Fennel first, slowly.",
            "Tomatoes, twenty minutes.",
            "Fish, five.",
        ],
    ),
    recipe(
        (470, "mvandam"),
        ("hazelnut-biscuits", "Hazelnut biscuits"),
        (20, 50, 170),
        ("all", "pudding"),
        &[
            (200, "g wheat flour"),
            (150, "g ground hazelnuts"),
            (140, "g butter"),
            (90, "g sugar"),
        ],
        &[
            "Rub it all together.",
            "Roll, chill, slice.",
            "Bake until just golden.",
        ],
    ),
    recipe(
        (560, "rafiq-s"),
        ("bubble-and-squeak", "Bubble and squeak"),
        (4, 25, 0),
        ("winter", "leftovers"),
        &[
            (700, "g cold potatoes"),
            (300, "g cold greens"),
            (30, "g butter"),
        ],
        &[
            "Crush them together.",
            "Fry without moving it.",
            "Turn it once.",
        ],
    ),
    recipe(
        (575, "odunsi"),
        ("malt-loaf", "Malt loaf"),
        (10, 100, 160),
        ("all", "bread"),
        &[
            (300, "g wheat flour"),
            (180, "g malt syrup"),
            (150, "g raisins"),
            (2, "eggs"),
        ],
        &[
            "Warm the malt.",
            "Stir in the rest.",
            "Bake low; wait two days.",
        ],
    ),
    recipe(
        (590, "tcoole"),
        ("runner-bean-pickle", "Runner bean pickle"),
        (12, 90, 0),
        ("summer", "preserve, vegetable"),
        &[
            (1000, "g runner beans"),
            (400, "ml vinegar"),
            (25, "g mustard"),
            (300, "g sugar"),
        ],
        &[
            "Slice the beans.",
            "Boil the rest to a syrup.",
            "Ten minutes together, then jars.",
        ],
    ),
    recipe(
        (634, "mvandam"),
        ("quince-jelly", "Quince jelly"),
        (10, 140, 0),
        ("autumn", "preserve"),
        &[(1500, "g quinces"), (900, "g sugar"), (1, "lemon")],
        &[
            "Cook the quinces whole and strain them.",
            "Sugar and lemon to the juice.",
            "Boil until it sets.",
        ],
    ),
];

/// The degrees that a recipe has after the clean-up of the front matter.
pub const TOO_COLD: u32 = 20;
