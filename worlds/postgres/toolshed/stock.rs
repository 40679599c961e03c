//! Tools, their moves between branches, and customers.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::{Random, World};

use crate::rows::{Rows, Value, amount};
use crate::shops::{SHOPS, branches};

/// Day on which attempts begin.
pub const TODAY: Date = date(2026, 5, 11);

/// A tool. Its id is its position from 1.
pub struct Tool {
    pub shop: usize,
    /// Branches with the day on which the tool came to them, from the first to that of today.
    pub places: Vec<(Date, usize)>,
    pub label: String,
    pub kind: &'static str,
    pub rate: u32,
    pub deposit: Option<u32>,
    pub added: Date,
    pub sold: Option<Date>,
    pub state: &'static str,
}

/// A customer. The id is the position from 1.
pub struct Customer {
    pub shop: usize,
    pub name: String,
    pub blocked: bool,
    pub since: Date,
}

pub struct Stock {
    pub tools: Vec<Tool>,
    pub customers: Vec<Customer>,
}

/// Kind, daily rate and deposit in cents; 0 for none.
const KINDS: [(&str, u32, u32); 14] = [
    ("hedge trimmer", 1400, 5000),
    ("lawnmower", 1800, 8000),
    ("floor sander", 3600, 15000),
    ("tile cutter", 1200, 4000),
    ("ladder", 700, 0),
    ("pressure washer", 2200, 10000),
    ("chainsaw", 2600, 15000),
    ("cement mixer", 2400, 10000),
    ("wheelbarrow", 400, 0),
    ("breaker", 3200, 20000),
    ("generator", 4500, 30000),
    ("scaffold tower", 5200, 40000),
    ("drain rods", 500, 0),
    ("wallpaper steamer", 900, 2500),
];

const FIRST: [&str; 20] = [
    "Anna", "Bilal", "Carys", "Dmitri", "Esme", "Fergus", "Grace", "Hamid", "Ida", "Joseph",
    "Kerstin", "Lewis", "Mona", "Niall", "Olga", "Pedro", "Rosa", "Sunil", "Tess", "Yusuf",
];
const LAST: [&str; 24] = [
    "Abbot", "Baird", "Coyle", "Drury", "Ekman", "Fisk", "Gower", "Hanley", "Ibbot", "Jarvis",
    "Kemble", "Lund", "Mercer", "Nash", "Osei", "Pryor", "Quill", "Reeve", "Sorley", "Tully",
    "Usher", "Vance", "Weir", "Yeo",
];

pub fn stock(random: &mut Random) -> Stock {
    let mut stock = Stock {
        tools: Vec::new(),
        customers: Vec::new(),
    };
    let all = branches();
    for (at, shop) in SHOPS.iter().enumerate() {
        let id = at + 1;
        let own: Vec<usize> = (1..=all.len()).filter(|it| all[it - 1].0 == id).collect();
        for number in 0..shop.size {
            let (kind, rate, deposit) = *random.pick(&KINDS);
            let age = (TODAY - shop.signed_up).get_days();
            let mut added = shop.signed_up;
            if random.chance(3, 5) {
                added = shop.signed_up + random.between(0, i64::from(age) - 20).days();
            }
            let mut places = vec![(added, *random.pick(&own))];
            while own.len() > 1 && places.len() < 4 && random.chance(1, 2) {
                let (since, here) = places[places.len() - 1];
                let span = (TODAY - since).get_days();
                if span < 30 {
                    break;
                }
                let others: Vec<usize> = own.iter().copied().filter(|it| *it != here).collect();
                let on = since + random.between(5, i64::from(span) - 5).days();
                places.push((on, *random.pick(&others)));
            }
            stock.tools.push(Tool {
                shop: id,
                places,
                label: format!("{} {:02}", kind, number + 1),
                kind,
                rate: rate + 100 * u32::try_from(random.below(4)).unwrap_or(0),
                deposit: (deposit > 0).then_some(deposit),
                added,
                sold: None,
                state: "in",
            });
        }
        for _ in 0..40 + shop.size {
            let name = format!("{} {}", random.pick(&FIRST), random.pick(&LAST));
            let age = (TODAY - shop.signed_up).get_days();
            let since = shop.signed_up + random.between(0, i64::from(age) - 1).days();
            stock.customers.push(Customer {
                shop: id,
                name,
                blocked: random.chance(1, 40),
                since,
            });
        }
    }
    sell(random, &mut stock);
    stock
}

/// Sells some tools. Three of Hollis go in April, one of them on the last day.
fn sell(random: &mut Random, stock: &mut Stock) {
    let mut of_hollis = 0;
    for tool in &mut stock.tools {
        let since = tool.places.last().map_or(tool.added, |(on, _)| *on);
        let days = [date(2026, 4, 9), date(2026, 4, 30), date(2026, 4, 17)];
        if tool.shop == 3 && of_hollis < days.len() && since < date(2026, 3, 1) {
            tool.sold = Some(days[of_hollis]);
            of_hollis += 1;
        } else if tool.shop != 3 && random.chance(1, 18) {
            let span = (TODAY - since).get_days();
            if span > 10 {
                tool.sold = Some(since + random.between(5, i64::from(span) - 1).days());
            }
        }
        if tool.sold.is_some() {
            tool.state = "sold";
        } else if random.chance(1, 22) {
            tool.state = "repair";
        }
    }
}

impl Tool {
    /// Branch of today.
    pub fn branch(&self) -> usize {
        self.places.last().map_or(1, |(_, branch)| *branch)
    }
}

impl Stock {
    /// Number of tools of a shop that were in its inventory at the end of a day.
    pub fn tools_on(&self, shop: usize, day: Date) -> usize {
        let own = self.tools.iter().filter(|tool| tool.shop == shop);
        own.filter(|tool| tool.added <= day && tool.sold.is_none_or(|sold| sold > day))
            .count()
    }

    pub fn write(&self, world: &mut World) {
        let mut tools = Rows::new(
            "tools",
            "id,tenant_id,branch_id,label,kind,daily_rate,deposit,added_on,sold_on,state",
        );
        let mut moves = Rows::new("tool_moves", "tool_id,moved_on,from_branch,to_branch");
        for (at, tool) in self.tools.iter().enumerate() {
            tools.add([
                (at + 1).into(),
                tool.shop.into(),
                tool.branch().into(),
                (&tool.label).into(),
                tool.kind.into(),
                amount(tool.rate),
                Value::from(tool.deposit.map(amount)),
                tool.added.into(),
                tool.sold.into(),
                tool.state.into(),
            ]);
            for pair in tool.places.windows(2) {
                moves.add([
                    (at + 1).into(),
                    pair[1].0.into(),
                    pair[0].1.into(),
                    pair[1].1.into(),
                ]);
            }
        }
        tools.write(world);
        moves.write(world);
        let mut table = Rows::new(
            "customers",
            "id,tenant_id,full_name,email,phone,is_blocked,since",
        );
        for (at, customer) in self.customers.iter().enumerate() {
            let handle = customer.name.to_lowercase().replace(' ', ".");
            // Counters leave the address out when there is a queue.
            let email = (at % 4 != 3).then(|| format!("{handle}{}@mail.example", at % 90));
            let phone = (at % 7 != 2)
                .then(|| format!("07{:03} {:06}", 100 + at % 800, (at * 7919) % 1_000_000));
            table.add([
                (at + 1).into(),
                customer.shop.into(),
                (&customer.name).into(),
                email.into(),
                phone.into(),
                customer.blocked.into(),
                customer.since.into(),
            ]);
        }
        table.write(world);
    }
}
