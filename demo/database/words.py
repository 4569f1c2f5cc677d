"""What the rows of the demo company are made of: names, places and what people write."""

from __future__ import annotations

FIRST_NAMES = (
    *(
        "Anna",
        "Bas",
        "Carla",
        "Daan",
        "Eva",
        "Finn",
        "Greta",
        "Hugo",
        "Iris",
        "Jonas",
        "Karin",
        "Lars",
        "Mila",
    ),
    *("Noor", "Oscar", "Paula", "Quinten", "Rosa", "Sven", "Thea", "Umar", "Vera", "Wout", "Yara", "Zeno"),
    *("Aline", "Bruno", "Celine", "Dirk", "Elena", "Fabian", "Gwen", "Hanna", "Ivo", "Jana", "Koen", "Lotte"),
)
LAST_NAMES = (
    *(
        "Bakker",
        "Claes",
        "Dekker",
        "Engel",
        "Faber",
        "Groen",
        "Huber",
        "Ivens",
        "Jansen",
        "Keller",
        "Lambert",
    ),
    *(
        "Maes",
        "Nowak",
        "Oliveira",
        "Peters",
        "Rossi",
        "Smit",
        "Torres",
        "Ubach",
        "Vermeer",
        "Weber",
        "Ziegler",
    ),
    *("Aerts", "Brandt", "Costa", "Dubois", "Eriksen", "Fischer"),
)
STREETS = ("Havenstraat", "Lindenlaan", "Kerkweg", "Molenpad", "Stationsplein", "Parkallee", "Rue du Moulin")
CITIES = (
    *[("Rotterdam", "NL"), ("Utrecht", "NL"), ("Groningen", "NL"), ("Eindhoven", "NL"), ("Antwerp", "BE")],
    *[
        ("Ghent", "BE"),
        ("Cologne", "DE"),
        ("Hamburg", "DE"),
        ("Leipzig", "DE"),
        ("Lyon", "FR"),
        ("Vienna", "AT"),
    ],
    *[("Porto", "PT"), ("Bologna", "IT"), ("Aarhus", "DK"), ("Gdansk", "PL")],
)
NEAR = ("NL", "BE", "DE")
WAREHOUSES = (("W-1", "Rotterdam Main", "Rotterdam", "NL"), ("W-2", "Leipzig East", "Leipzig", "DE"))
PAYMENTS = ("iDEAL", "credit card", "PayPal", "bank transfer")
CARRIERS = ("PostNL", "DHL", "DPD")
RETURN_REASONS = ("arrived damaged", "changed my mind", "wrong item was sent")
MACHINE_REASONS = ("does not work", "too loud")
REJECTIONS = ("the goods came back after the return period", "the goods came back used and not clean")
SUBJECTS = (
    "Question about the {}",
    "Invoice for the {}",
    "{} arrived with a dent",
    "Missing part for my {}",
)
MACHINE_SUBJECTS = ("{} makes a rattling noise", "{} shows an error", "{} switches off too early")
NOTES = ("goodwill voucher possible", "second complaint this year", "asked for a call back", None, None)
