//! The pages of the handbook: what they say in each language, and the values that change.

/// The languages, the source first.
pub const LOCALES: [&str; 5] = ["en", "de", "fr", "it", "es"];

/// A value that stands in a line of a page: where it begins, by how much it changes, and its bounds.
#[derive(Clone, Copy)]
pub struct Range {
    pub first: i64,
    pub step: i64,
    pub low: i64,
    pub high: i64,
    /// Whether it is a time of the day, in minutes.
    pub is_time: bool,
}

/// A line of a page.
pub struct Line {
    /// What the value is, for who reads the log; empty where there is no value.
    pub about: &'static str,
    pub range: Range,
    /// By language; `{}` is the value.
    pub texts: [&'static str; 5],
}

pub struct Page {
    pub name: &'static str,
    pub titles: [&'static str; 5],
    pub lines: &'static [Line],
}

const fn number(first: i64, step: i64, low: i64, high: i64) -> Range {
    Range {
        first,
        step,
        low,
        high,
        is_time: false,
    }
}

const fn time(hour: i64, minute: i64, low: i64, high: i64) -> Range {
    Range {
        first: 60 * hour + minute,
        step: 15,
        low: 60 * low,
        high: 60 * high,
        is_time: true,
    }
}

const fn line(about: &'static str, range: Range, texts: [&'static str; 5]) -> Line {
    Line {
        about,
        range,
        texts,
    }
}

const fn plain(texts: [&'static str; 5]) -> Line {
    line("", number(0, 0, 0, 0), texts)
}

impl Range {
    /// A value as it is written.
    pub fn write(&self, value: i64) -> String {
        if self.is_time {
            format!("{:02}:{:02}", value / 60, value % 60)
        } else {
            value.to_string()
        }
    }
}

pub const PAGES: &[Page] = &[
    Page {
        name: "arrival",
        titles: ["Arrival", "Ankunft", "Arrivée", "Arrivo", "Llegada"],
        lines: &[
            line(
                "when guests are registered until",
                time(21, 0, 20, 22),
                [
                    "Guests sign the hut book until {}.",
                    "Gäste tragen sich bis {} ins Hüttenbuch ein.",
                    "Les hôtes signent le livre du refuge jusqu'à {}.",
                    "Gli ospiti firmano il libro del rifugio fino alle {}.",
                    "Los huéspedes firman el libro del refugio hasta las {}.",
                ],
            ),
            line(
                "for how long a bed is kept",
                time(18, 30, 17, 20),
                [
                    "A bed that is booked is kept until {}.",
                    "Ein bestelltes Bett wird bis {} freigehalten.",
                    "Un lit réservé est gardé jusqu'à {}.",
                    "Un letto prenotato si tiene fino alle {}.",
                    "Una cama reservada se guarda hasta las {}.",
                ],
            ),
            plain([
                "Boots stay in the rack by the door.",
                "Die Schuhe bleiben im Regal an der Tür.",
                "Les chaussures restent sur le rayon près de la porte.",
                "Gli scarponi restano sullo scaffale vicino alla porta.",
                "Las botas se quedan en el estante junto a la puerta.",
            ]),
            line(
                "the slippers",
                number(40, 4, 24, 60),
                [
                    "There are {} pairs of slippers for everybody.",
                    "Für alle gibt es {} Paar Hausschuhe.",
                    "Il y a {} paires de pantoufles pour tous.",
                    "Ci sono {} paia di pantofole per tutti.",
                    "Hay {} pares de zapatillas para todos.",
                ],
            ),
            plain([
                "The warden shows the dormitory and the way out at night.",
                "Der Hüttenwart zeigt das Lager und den Ausgang bei Nacht.",
                "Le gardien montre le dortoir et la sortie de nuit.",
                "Il gestore mostra la camerata e l'uscita di notte.",
                "El guarda enseña el dormitorio y la salida de noche.",
            ]),
        ],
    },
    Page {
        name: "dormitory",
        titles: ["Dormitory", "Lager", "Dortoir", "Camerata", "Dormitorio"],
        lines: &[
            line(
                "the places in the dormitory",
                number(36, 2, 28, 44),
                [
                    "The dormitory has {} places.",
                    "Das Lager hat {} Plätze.",
                    "Le dortoir a {} places.",
                    "La camerata ha {} posti.",
                    "El dormitorio tiene {} plazas.",
                ],
            ),
            line(
                "how often blankets are aired",
                number(10, 1, 5, 14),
                [
                    "Blankets are aired every {} days.",
                    "Decken werden alle {} Tage gelüftet.",
                    "Les couvertures sont aérées tous les {} jours.",
                    "Le coperte si arieggiano ogni {} giorni.",
                    "Las mantas se airean cada {} días.",
                ],
            ),
            plain([
                "Nobody sleeps without a liner of their own.",
                "Niemand schläft ohne eigenen Hüttenschlafsack.",
                "Personne ne dort sans son propre drap de sac.",
                "Nessuno dorme senza il proprio sacco lenzuolo.",
                "Nadie duerme sin su propia sábana saco.",
            ]),
            line(
                "the price of a liner",
                number(6, 1, 4, 9),
                [
                    "A liner costs {} euros at the counter.",
                    "Ein Hüttenschlafsack kostet an der Theke {} Euro.",
                    "Un drap de sac coûte {} euros au comptoir.",
                    "Un sacco lenzuolo costa {} euro al banco.",
                    "Una sábana saco cuesta {} euros en la barra.",
                ],
            ),
            line(
                "the lamps",
                number(12, 1, 8, 18),
                [
                    "The warden counts the {} lamps every evening.",
                    "Der Hüttenwart zählt jeden Abend die {} Lampen.",
                    "Le gardien compte chaque soir les {} lampes.",
                    "Il gestore conta ogni sera le {} lampade.",
                    "El guarda cuenta cada noche las {} lámparas.",
                ],
            ),
        ],
    },
    Page {
        name: "fees",
        titles: ["Fees", "Preise", "Tarifs", "Prezzi", "Precios"],
        lines: &[
            line(
                "a night for members",
                number(16, 1, 12, 22),
                [
                    "A night costs members {} euros.",
                    "Eine Nacht kostet für Mitglieder {} Euro.",
                    "La nuit coûte {} euros aux membres.",
                    "Una notte costa ai soci {} euro.",
                    "Una noche cuesta a los socios {} euros.",
                ],
            ),
            line(
                "a night for others",
                number(30, 2, 24, 40),
                [
                    "A night costs everybody else {} euros.",
                    "Eine Nacht kostet für alle anderen {} Euro.",
                    "La nuit coûte {} euros à tous les autres.",
                    "Una notte costa a tutti gli altri {} euro.",
                    "Una noche cuesta a los demás {} euros.",
                ],
            ),
            line(
                "until what age children sleep for nothing",
                number(6, 1, 4, 9),
                [
                    "Children below {} years sleep for nothing.",
                    "Kinder unter {} Jahren schlafen umsonst.",
                    "Les enfants de moins de {} ans dorment gratuitement.",
                    "I bambini sotto i {} anni dormono gratis.",
                    "Los niños menores de {} años duermen gratis.",
                ],
            ),
            line(
                "the deposit of a group",
                number(80, 10, 50, 120),
                [
                    "A group leaves a deposit of {} euros.",
                    "Eine Gruppe hinterlegt {} Euro.",
                    "Un groupe laisse {} euros d'arrhes.",
                    "Un gruppo lascia una caparra di {} euro.",
                    "Un grupo deja una fianza de {} euros.",
                ],
            ),
            plain([
                "The warden takes cash only.",
                "Der Hüttenwart nimmt nur Bargeld.",
                "Le gardien ne prend que des espèces.",
                "Il gestore accetta solo contanti.",
                "El guarda solo acepta efectivo.",
            ]),
        ],
    },
    Page {
        name: "meals",
        titles: ["Meals", "Mahlzeiten", "Repas", "Pasti", "Comidas"],
        lines: &[
            line(
                "when breakfast begins",
                time(6, 30, 5, 8),
                [
                    "Breakfast is served from {} on.",
                    "Frühstück gibt es ab {}.",
                    "Le petit-déjeuner est servi dès {}.",
                    "La colazione è servita dalle {}.",
                    "El desayuno se sirve desde las {}.",
                ],
            ),
            line(
                "when supper is",
                time(18, 45, 18, 20),
                [
                    "Supper is on the table at {}.",
                    "Das Abendessen steht um {} auf dem Tisch.",
                    "Le souper est sur la table à {}.",
                    "La cena è in tavola alle {}.",
                    "La cena está en la mesa a las {}.",
                ],
            ),
            line(
                "the price of the soup",
                number(7, 1, 5, 11),
                [
                    "The soup of the day costs {} euros.",
                    "Die Tagessuppe kostet {} Euro.",
                    "La soupe du jour coûte {} euros.",
                    "La zuppa del giorno costa {} euro.",
                    "La sopa del día cuesta {} euros.",
                ],
            ),
            line(
                "the tea for the way",
                number(2, 1, 1, 5),
                [
                    "A litre of tea for the way costs {} euros.",
                    "Ein Liter Tee für unterwegs kostet {} Euro.",
                    "Un litre de thé pour la route coûte {} euros.",
                    "Un litro di tè per il cammino costa {} euro.",
                    "Un litro de té para el camino cuesta {} euros.",
                ],
            ),
            plain([
                "Who carries wood up eats for nothing.",
                "Wer Holz heraufträgt, isst umsonst.",
                "Qui monte du bois mange gratuitement.",
                "Chi porta su la legna mangia gratis.",
                "Quien sube leña come gratis.",
            ]),
        ],
    },
    Page {
        name: "quiet-hours",
        titles: [
            "Quiet hours",
            "Hüttenruhe",
            "Heures de silence",
            "Ore di silenzio",
            "Horas de silencio",
        ],
        lines: &[
            line(
                "when it is quiet from",
                time(22, 0, 21, 23),
                [
                    "It is quiet from {} on.",
                    "Hüttenruhe ist ab {}.",
                    "Le silence commence à {}.",
                    "Il silenzio comincia alle {}.",
                    "El silencio empieza a las {}.",
                ],
            ),
            line(
                "when it is quiet until",
                time(5, 0, 4, 6),
                [
                    "It ends at {}, for early ropes too.",
                    "Sie endet um {}, auch für frühe Seilschaften.",
                    "Il finit à {}, aussi pour les cordées matinales.",
                    "Finisce alle {}, anche per le cordate mattiniere.",
                    "Termina a las {}, también para las cordadas madrugadoras.",
                ],
            ),
            line(
                "when the generator stops",
                time(21, 45, 21, 23),
                [
                    "The generator stops at {}.",
                    "Das Aggregat wird um {} abgestellt.",
                    "Le groupe électrogène s'arrête à {}.",
                    "Il generatore si spegne alle {}.",
                    "El generador se apaga a las {}.",
                ],
            ),
            plain([
                "The warden may send loud guests outside, never in a storm.",
                "Der Hüttenwart darf laute Gäste hinausschicken, nie bei Sturm.",
                "Le gardien peut faire sortir les hôtes bruyants, jamais par la tempête.",
                "Il gestore può far uscire gli ospiti rumorosi, mai con la bufera.",
                "El guarda puede sacar a los huéspedes ruidosos, nunca con tormenta.",
            ]),
        ],
    },
    Page {
        name: "rescue",
        titles: ["Rescue", "Bergrettung", "Secours", "Soccorso", "Rescate"],
        lines: &[
            line(
                "the channel of the radio",
                number(12, 1, 9, 16),
                [
                    "The radio listens on channel {}.",
                    "Das Funkgerät hört auf Kanal {}.",
                    "La radio écoute sur le canal {}.",
                    "La radio ascolta sul canale {}.",
                    "La radio escucha en el canal {}.",
                ],
            ),
            line(
                "when the valley is called",
                time(19, 0, 18, 21),
                [
                    "The warden calls the valley at {} every evening.",
                    "Der Hüttenwart ruft jeden Abend um {} das Tal.",
                    "Le gardien appelle la vallée chaque soir à {}.",
                    "Il gestore chiama la valle ogni sera alle {}.",
                    "El guarda llama al valle cada noche a las {}.",
                ],
            ),
            line(
                "after how many hours a party is missing",
                number(3, 1, 2, 6),
                [
                    "A party is missing when it is {} hours late.",
                    "Eine Gruppe gilt als vermisst, wenn sie {} Stunden zu spät ist.",
                    "Un groupe est porté disparu quand il a {} heures de retard.",
                    "Un gruppo è disperso quando ha {} ore di ritardo.",
                    "Un grupo se da por perdido cuando lleva {} horas de retraso.",
                ],
            ),
            line(
                "the stretchers",
                number(2, 1, 1, 4),
                [
                    "There are {} stretchers under the stairs.",
                    "Unter der Treppe liegen {} Tragen.",
                    "Il y a {} brancards sous l'escalier.",
                    "Ci sono {} barelle sotto la scala.",
                    "Hay {} camillas debajo de la escalera.",
                ],
            ),
            plain([
                "Nobody goes out alone, the warden neither.",
                "Niemand geht allein hinaus, auch der Hüttenwart nicht.",
                "Personne ne sort seul, le gardien non plus.",
                "Nessuno esce da solo, nemmeno il gestore.",
                "Nadie sale solo, el guarda tampoco.",
            ]),
        ],
    },
    Page {
        name: "waste",
        titles: ["Waste", "Abfall", "Déchets", "Rifiuti", "Basura"],
        lines: &[
            plain([
                "What came up in a rucksack goes down in it.",
                "Was im Rucksack heraufkam, geht darin hinunter.",
                "Ce qui est monté dans un sac redescend dedans.",
                "Ciò che è salito nello zaino scende nello zaino.",
                "Lo que subió en la mochila baja en ella.",
            ]),
            line(
                "the price of a bag",
                number(3, 1, 1, 6),
                [
                    "A bag that is left behind costs {} euros.",
                    "Ein zurückgelassener Sack kostet {} Euro.",
                    "Un sac abandonné coûte {} euros.",
                    "Un sacco abbandonato costa {} euro.",
                    "Una bolsa abandonada cuesta {} euros.",
                ],
            ),
            line(
                "how often the cable car takes glass",
                number(14, 1, 7, 28),
                [
                    "The material lift takes glass every {} days.",
                    "Die Materialbahn nimmt alle {} Tage Glas mit.",
                    "Le monte-charge emporte le verre tous les {} jours.",
                    "La teleferica porta giù il vetro ogni {} giorni.",
                    "El montacargas baja el vidrio cada {} días.",
                ],
            ),
            line(
                "the weight of a load",
                number(120, 10, 80, 160),
                [
                    "A load weighs {} kilograms at most.",
                    "Eine Fuhre wiegt höchstens {} Kilogramm.",
                    "Une charge pèse {} kilogrammes au plus.",
                    "Un carico pesa al massimo {} chili.",
                    "Una carga pesa como mucho {} kilos.",
                ],
            ),
        ],
    },
    Page {
        name: "water",
        titles: ["Water", "Wasser", "Eau", "Acqua", "Agua"],
        lines: &[
            line(
                "how long water is boiled",
                number(5, 1, 3, 10),
                [
                    "Water from the tank is boiled for {} minutes.",
                    "Wasser aus dem Tank wird {} Minuten gekocht.",
                    "L'eau de la citerne bout pendant {} minutes.",
                    "L'acqua della cisterna si fa bollire {} minuti.",
                    "El agua del depósito se hierve {} minutos.",
                ],
            ),
            line(
                "the litres for a guest",
                number(12, 1, 6, 18),
                [
                    "There are {} litres a day for each guest.",
                    "Für jeden Gast gibt es {} Liter am Tag.",
                    "Il y a {} litres par jour pour chaque hôte.",
                    "Ci sono {} litri al giorno per ogni ospite.",
                    "Hay {} litros al día para cada huésped.",
                ],
            ),
            line(
                "the price of the shower",
                number(4, 1, 2, 8),
                [
                    "The shower costs {} euros.",
                    "Die Dusche kostet {} Euro.",
                    "La douche coûte {} euros.",
                    "La doccia costa {} euro.",
                    "La ducha cuesta {} euros.",
                ],
            ),
            line(
                "how long the shower runs",
                number(3, 1, 2, 6),
                [
                    "It runs for {} minutes and no longer.",
                    "Sie läuft {} Minuten und nicht länger.",
                    "Elle coule {} minutes, pas plus.",
                    "Scorre per {} minuti e non di più.",
                    "Corre {} minutos y no más.",
                ],
            ),
        ],
    },
    Page {
        name: "weather",
        titles: ["Weather", "Wetter", "Météo", "Meteo", "Tiempo"],
        lines: &[
            line(
                "when the forecast is put up",
                time(17, 30, 16, 20),
                [
                    "The forecast hangs by the stove from {} on.",
                    "Die Vorhersage hängt ab {} am Ofen.",
                    "La prévision est affichée près du poêle dès {}.",
                    "La previsione è appesa vicino alla stufa dalle {}.",
                    "El pronóstico cuelga junto a la estufa desde las {}.",
                ],
            ),
            line(
                "at what wind the flag goes up",
                number(60, 5, 45, 80),
                [
                    "The red flag goes up at {} kilometres an hour.",
                    "Die rote Fahne weht ab {} Kilometern in der Stunde.",
                    "Le drapeau rouge monte à {} kilomètres à l'heure.",
                    "La bandiera rossa sale a {} chilometri all'ora.",
                    "La bandera roja sube a {} kilómetros por hora.",
                ],
            ),
            line(
                "at what snow the terrace is closed",
                number(30, 5, 15, 60),
                [
                    "The terrace is closed from {} centimetres of snow.",
                    "Die Terrasse ist ab {} Zentimetern Schnee gesperrt.",
                    "La terrasse est fermée dès {} centimètres de neige.",
                    "La terrazza è chiusa da {} centimetri di neve.",
                    "La terraza se cierra desde {} centímetros de nieve.",
                ],
            ),
            plain([
                "The warden never says that it will hold.",
                "Der Hüttenwart sagt nie, dass es hält.",
                "Le gardien ne dit jamais que cela tiendra.",
                "Il gestore non dice mai che terrà.",
                "El guarda nunca dice que aguantará.",
            ]),
        ],
    },
    Page {
        name: "winter-room",
        titles: [
            "Winter room",
            "Winterraum",
            "Local d'hiver",
            "Locale invernale",
            "Refugio de invierno",
        ],
        lines: &[
            line(
                "the places in the winter room",
                number(10, 1, 6, 14),
                [
                    "The winter room has {} places and is never locked.",
                    "Der Winterraum hat {} Plätze und ist nie abgesperrt.",
                    "Le local d'hiver a {} places et n'est jamais fermé.",
                    "Il locale invernale ha {} posti e non è mai chiuso.",
                    "El refugio de invierno tiene {} plazas y nunca se cierra.",
                ],
            ),
            line(
                "the wood for a night",
                number(8, 1, 5, 14),
                [
                    "A night takes {} logs, not more.",
                    "Eine Nacht braucht {} Scheite, nicht mehr.",
                    "Une nuit demande {} bûches, pas plus.",
                    "Una notte richiede {} ceppi, non di più.",
                    "Una noche pide {} leños, no más.",
                ],
            ),
            line(
                "what a night in winter costs",
                number(10, 1, 6, 16),
                [
                    "Put {} euros into the box.",
                    "Legt {} Euro in die Kasse.",
                    "Mettez {} euros dans la caisse.",
                    "Mettete {} euro nella cassetta.",
                    "Dejad {} euros en la caja.",
                ],
            ),
            plain([
                "Sweep, shut the stove, and leave a blanket for the next one.",
                "Fegt, schließt den Ofen und lasst eine Decke für den Nächsten da.",
                "Balayez, fermez le poêle et laissez une couverture au suivant.",
                "Spazzate, chiudete la stufa e lasciate una coperta al prossimo.",
                "Barred, cerrad la estufa y dejad una manta al siguiente.",
            ]),
        ],
    },
];

pub fn page(name: &str) -> &'static Page {
    let found = PAGES.iter().find(|it| it.name == name);
    found.unwrap_or_else(|| panic!("there is no page {name}"))
}

/// The place of a language among the texts.
pub fn column(locale: &str) -> usize {
    let found = LOCALES.iter().position(|it| *it == locale);
    found.unwrap_or_else(|| panic!("nobody writes {locale}"))
}

pub fn path(locale: &str, page: &str) -> String {
    format!("handbook/{locale}/{page}.md")
}

impl Page {
    /// The values with which the handbook begins.
    pub fn first_values(&self) -> Vec<i64> {
        self.lines.iter().map(|it| it.range.first).collect()
    }

    /// The whole file in a language. The source has a revision, a translation follows one.
    pub fn write(&self, column: usize, revision: u64, values: &[i64]) -> String {
        let key = if column == 0 { "revision" } else { "follows" };
        let title = self.titles[column];
        let lines: String = self
            .lines
            .iter()
            .zip(values)
            .map(|(line, value)| format!("- {}\n", line.write(column, *value)))
            .collect();
        format!("---\ntitle: {title}\n{key}: {revision}\n---\n\n{lines}")
    }

    /// The revision that a file has or follows, and its values.
    ///
    /// # Panics
    /// When it is not what `write` writes.
    pub fn read(&self, column: usize, text: &str) -> (u64, Vec<i64>) {
        let revision = text
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| matches!(*key, "revision" | "follows"))
            .and_then(|(_, value)| value.parse().ok())
            .expect("a page has its revision");
        let lines = text.lines().filter_map(|line| line.strip_prefix("- "));
        let values = self.lines.iter().zip(lines);
        let values: Vec<i64> = values.map(|(it, text)| it.read(column, text)).collect();
        assert_eq!(values.len(), self.lines.len(), "{text}");
        (revision, values)
    }
}

impl Line {
    pub fn write(&self, column: usize, value: i64) -> String {
        self.texts[column].replace("{}", &self.range.write(value))
    }

    fn read(&self, column: usize, text: &str) -> i64 {
        let Some((head, tail)) = self.texts[column].split_once("{}") else {
            return self.range.first;
        };
        let value = text
            .strip_prefix(head)
            .and_then(|rest| rest.strip_suffix(tail));
        let value = value.unwrap_or_else(|| panic!("{text:?} is another line"));
        let number = match value.split_once(':') {
            Some((hours, minutes)) => hours
                .parse::<i64>()
                .and_then(|hours| Ok(60 * hours + minutes.parse::<i64>()?)),
            None => value.parse(),
        };
        number.expect("values are numbers")
    }
}
