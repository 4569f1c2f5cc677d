-- The smallest set of records that a desk can serve. Run it after `desk database prepare`, which makes the role
-- desk_reader and the function citedesk.customer(): the id of whoever is asking, or null.

CREATE SCHEMA desk;

CREATE TABLE desk.bookings (
    booking_id text PRIMARY KEY,
    customer_id text NOT NULL,
    bike text NOT NULL,
    starts date NOT NULL,
    price_eur numeric(8, 2) NOT NULL
);
CREATE INDEX ON desk.bookings (customer_id);

-- The lock: every row belongs to one customer, and nobody else sees it.
ALTER TABLE desk.bookings ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON desk.bookings FOR SELECT USING (customer_id = citedesk.customer());

-- A view must be security_invoker, or it reads with its owner's rights and shows everybody's rows.
-- A column `summary` is a whole sentence for the customer; it is what the desk says.
CREATE VIEW desk.my_bookings WITH (security_invoker = true) AS
SELECT 'Your booking ' || booking_id || ' of the ' || bike || ' starts on '
       || to_char(starts, 'FMDD FMMonth YYYY') || '.' AS summary,
       booking_id, bike, starts, price_eur
FROM desk.bookings
ORDER BY starts;

-- The comment is what the desk routes by: what it holds, then how customers ask for it.
COMMENT ON VIEW desk.my_bookings IS
'All bookings of the customer who is asking. Asked as: when does my booking start; list my bookings; which bike did I book.';

-- Whether the id that the caller gave exists.
CREATE FUNCTION desk.known_customer() RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM desk.bookings WHERE customer_id = citedesk.customer());

GRANT USAGE ON SCHEMA desk TO desk_reader;
GRANT SELECT ON desk.bookings, desk.my_bookings TO desk_reader;
