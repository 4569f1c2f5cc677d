-- What a desk reads. Views are security_invoker and functions run with the caller's rights, so that row-level
-- security applies through them. Each row carries a summary, a full sentence for the customer. The comments are
-- read by the desk: one sentence of meaning, then how customers ask for it, then an example call.

CREATE FUNCTION day(at date) RETURNS text LANGUAGE sql IMMUTABLE
RETURN to_char(at, 'FMDD FMMonth YYYY');
CREATE FUNCTION euros(amount numeric) RETURNS text LANGUAGE sql IMMUTABLE
RETURN '€' || to_char(amount, 'FM999,999,990.00');
CREATE FUNCTION pieces(quantity bigint, one text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE WHEN quantity = 1 THEN '1 ' || one ELSE quantity || ' ' || one || 's' END;
-- Customers write O-20017, o20017 or 20017.
CREATE FUNCTION numbered(prefix text, given text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN prefix || '-' || regexp_replace(given, '\D', '', 'g');

CREATE VIEW my_orders WITH (security_invoker = true) AS
SELECT CASE o.status
         WHEN 'delivered' THEN 'Order ' || o.order_id || ' of ' || day(o.placed_on) || ' for '
              || euros(o.total_eur) || ' was delivered on ' || day(s.delivered_on) || '.'
         WHEN 'shipped' THEN 'Order ' || o.order_id || ' of ' || day(o.placed_on) || ' for '
              || euros(o.total_eur) || ' was shipped on ' || day(s.shipped_on) || ' and is expected on '
              || day(s.expected_on) || '.'
         ELSE 'Order ' || o.order_id || ' of ' || day(o.placed_on) || ' for ' || euros(o.total_eur)
              || ' is ' || o.status || '.'
       END AS summary,
       o.order_id, o.status, o.placed_on, o.total_eur, i.items, s.shipped_on, s.expected_on, s.delivered_on
FROM orders o
LEFT JOIN shipments s USING (order_id)
CROSS JOIN LATERAL (
    SELECT string_agg(l.quantity || ' × ' || p.name, ', ' ORDER BY l.line) AS items
    FROM order_lines l JOIN products p USING (product_id) WHERE l.order_id = o.order_id) i
ORDER BY o.placed_on DESC, o.order_id DESC;
COMMENT ON VIEW my_orders IS
'All orders of the customer who is asking, newest first.
Asked as: what have I ordered; list my orders; show me my order history; which orders are still open;
how many orders have I placed; what did I buy from you; when did I buy my toaster.';

CREATE VIEW my_refunds WITH (security_invoker = true) AS
SELECT 'Refund ' || r.refund_id || ' of ' || euros(r.amount_eur) || ' for the ' || p.name || ' from order '
       || r.order_id || CASE r.status
         WHEN 'paid' THEN ' was paid on ' || day(r.paid_on)
         WHEN 'received' THEN ' is being processed: the goods arrived on ' || day(r.received_on)
         WHEN 'rejected' THEN ' was rejected: ' || r.reason
         ELSE ' was requested on ' || day(r.requested_on) || ' and waits for the goods to arrive' END
       || '.' AS summary,
       r.refund_id, r.order_id, p.name AS product, r.status, r.amount_eur, r.reason, r.requested_on,
       r.received_on, r.paid_on
FROM refunds r JOIN products p USING (product_id)
ORDER BY r.requested_on DESC, r.refund_id DESC;
COMMENT ON VIEW my_refunds IS
'All refunds of the customer who is asking, newest first.
Asked as: where is my refund; have you paid me back yet; when do I get my money back; list my refunds;
did you receive what I sent back; how much was refunded to me; is my return being processed.';

CREATE VIEW my_tickets WITH (security_invoker = true) AS
SELECT 'Ticket ' || t.ticket_id || ' "' || t.subject || '" '
       || CASE t.status
         WHEN 'solved' THEN 'was solved on ' || day(t.solved_on)
         WHEN 'open' THEN 'has been open since ' || day(t.opened_on)
         ELSE 'has been waiting for your reply since ' || day(t.last_reply_on) END
       || '.' AS summary,
       t.ticket_id, t.subject, t.status, p.name AS product, t.order_id, t.opened_on, t.last_reply_on, t.solved_on
FROM tickets t LEFT JOIN products p USING (product_id)
ORDER BY t.opened_on DESC, t.ticket_id DESC;
COMMENT ON VIEW my_tickets IS
'All support requests of the customer who is asking, newest first.
Asked as: has anybody answered my support request; what is happening with my complaint; list my tickets;
do I have an open case with you; is my problem report solved; when did you last reply to me;
is anybody dealing with the problem I reported.';

CREATE VIEW my_open_tickets WITH (security_invoker = true) AS
SELECT * FROM my_tickets WHERE status <> 'solved';
COMMENT ON VIEW my_open_tickets IS
'The support requests of the customer who is asking that are not solved yet, newest first.
Asked as: which of my tickets are still open; which of my support requests are not solved yet;
do I have tickets that wait for my reply; show me my unsolved tickets; how many of my tickets are open.';

CREATE VIEW my_profile WITH (security_invoker = true) AS
SELECT 'Your account ' || c.customer_id || ' is in the name of ' || c.name || ', with the e-mail address '
       || c.email || ' and the address ' || c.street || ', ' || c.city || '; you have '
       || pieces(c.points, 'loyalty point') || '.' AS summary,
       c.customer_id, c.name, c.email, c.phone, c.street, c.city, c.country, c.joined, c.newsletter, c.points
FROM customers c;
COMMENT ON VIEW my_profile IS
'What is stored about the customer who is asking: name, e-mail, phone, address, loyalty points, newsletter.
Asked as: which e-mail address do you have for me; what is my delivery address; how many loyalty points have I collected;
what is my customer number; am I subscribed to the newsletter; since when am I a customer;
which phone number is on my account.';

CREATE VIEW my_products WITH (security_invoker = true) AS
SELECT 'The ' || p.name || ' from order ' || o.order_id || ' was delivered on ' || day(s.delivered_on)
       || CASE WHEN p.warranty_years = 0 THEN '; it has no warranty'
               ELSE '; its warranty ends on '
                    || day((s.delivered_on + make_interval(years => p.warranty_years))::date) END
       || '.' AS summary,
       p.name AS product, p.product_id, o.order_id, l.quantity, s.delivered_on,
       CASE WHEN p.warranty_years > 0
            THEN (s.delivered_on + make_interval(years => p.warranty_years))::date END AS warranty_until
FROM orders o
JOIN order_lines l USING (order_id)
JOIN products p USING (product_id)
JOIN shipments s USING (order_id)
WHERE s.delivered_on IS NOT NULL
ORDER BY s.delivered_on DESC, l.line;
COMMENT ON VIEW my_products IS
'Every product that was delivered to the customer who is asking, with the day its warranty ends.
Asked as: is my machine still under warranty; until when is my purchase covered; which of your products do I own;
when does my guarantee end; do I still have warranty on what I bought last year.';

CREATE FUNCTION order_status(order_number text)
RETURNS TABLE (summary text, order_id text, status text, placed_on date, shipped_on date, expected_on date,
               delivered_on date, carrier text, tracking_code text)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT CASE o.status
             WHEN 'delivered' THEN 'Order ' || o.order_id || ' was delivered on ' || day(s.delivered_on)
             WHEN 'shipped' THEN 'Order ' || o.order_id || ' was shipped on ' || day(s.shipped_on) || ' with '
                  || s.carrier || ' and is expected on ' || day(s.expected_on)
             WHEN 'cancelled' THEN 'Order ' || o.order_id || ' was cancelled'
             ELSE 'Order ' || o.order_id || ' is ' || o.status || ' and has not been shipped yet' END || '.',
           o.order_id, o.status, o.placed_on, s.shipped_on, s.expected_on, s.delivered_on, s.carrier,
           s.tracking_code
    FROM orders o LEFT JOIN shipments s ON s.order_id = o.order_id
    WHERE o.order_id = numbered('O', order_number);
END;
COMMENT ON FUNCTION order_status IS
'Where one order is: status, carrier, tracking code, day of delivery.
Asked as: where is order O-20017; has order O-20017 been shipped; when will O-20017 arrive;
what is the status of order O-20017; track O-20017; who delivers order O-20017;
what is the tracking code of my order O-20017; any update on O-20017.
Example: order_status(''O-20017'').';

CREATE FUNCTION order_items(order_number text)
RETURNS TABLE (summary text, order_id text, product text, product_id text, quantity integer,
               unit_price_eur numeric)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT 'Order ' || l.order_id || ' contains ' || l.quantity || ' × ' || p.name || ' at '
           || euros(l.unit_price_eur) || CASE WHEN l.quantity > 1 THEN ' each' ELSE '' END || '.',
           l.order_id, p.name, p.product_id, l.quantity, l.unit_price_eur
    FROM order_lines l JOIN products p ON p.product_id = l.product_id
    WHERE l.order_id = numbered('O', order_number)
    ORDER BY l.line;
END;
COMMENT ON FUNCTION order_items IS
'What is in one order: products, quantities and prices paid.
Asked as: what is in order O-20017; which products did I order with O-20017; how many pieces are in O-20017;
what did each item in O-20017 cost; show me the contents of order O-20017.
Example: order_items(''O-20017'').';

CREATE FUNCTION order_cost(order_number text)
RETURNS TABLE (summary text, order_id text, goods_eur numeric, shipping_eur numeric, total_eur numeric,
               payment text)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT 'Order ' || o.order_id || ' came to ' || euros(o.total_eur) || ': ' || euros(o.goods_eur)
           || ' for the goods and ' || CASE WHEN o.shipping_eur = 0 THEN 'free shipping'
                                            ELSE euros(o.shipping_eur) || ' for shipping' END
           || ', paid by ' || o.payment || '.',
           o.order_id, o.goods_eur, o.shipping_eur, o.total_eur, o.payment
    FROM orders o WHERE o.order_id = numbered('O', order_number);
END;
COMMENT ON FUNCTION order_cost IS
'What one order came to: goods, shipping, total and how it was paid.
Asked as: how much did I pay for order O-20017; what was the total of O-20017; how did I pay for O-20017;
what did shipping cost me on O-20017; how much was order O-20017.
Example: order_cost(''O-20017'').';

CREATE FUNCTION my_last_order()
RETURNS TABLE (summary text, order_id text, status text, placed_on date, total_eur numeric, items text,
               shipped_on date, expected_on date, delivered_on date)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT m.summary, m.order_id, m.status, m.placed_on, m.total_eur, m.items, m.shipped_on, m.expected_on,
           m.delivered_on
    FROM my_orders m ORDER BY m.placed_on DESC, m.order_id DESC LIMIT 1;
END;
COMMENT ON FUNCTION my_last_order IS
'The newest order of the customer who is asking, and where it is.
Asked as: where is my order; where is my parcel; when will my package arrive; has my order been shipped yet;
what was my last order; what did I order most recently; is my delivery on its way; has my parcel left yet.
Example: my_last_order().';

CREATE FUNCTION my_spending(in_year integer)
RETURNS TABLE (summary text, orders bigint, total_eur numeric)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT 'In ' || in_year || ' you placed ' || pieces(count(*), 'order') || ' that '
           || CASE WHEN count(*) = 1 THEN 'was' ELSE 'were' END || ' not cancelled, for '
           || euros(coalesce(sum(o.total_eur), 0)) || ' in total.',
           count(*), coalesce(sum(o.total_eur), 0)
    FROM orders o
    WHERE o.status <> 'cancelled' AND o.placed_on >= make_date(in_year, 1, 1)
      AND o.placed_on < make_date(in_year + 1, 1, 1)
    HAVING citedesk.customer() IS NOT NULL;
END;
COMMENT ON FUNCTION my_spending IS
'How many orders the customer who is asking placed in a year, and for how much.
Asked as: how much did I spend in 2025; what was my total for 2026; how many orders did I place in 2024;
how much money have I spent with you this year; sum of my purchases in 2025.
Example: my_spending(2025).';

CREATE FUNCTION my_spending_this_year()
RETURNS TABLE (summary text, orders bigint, total_eur numeric)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT s.summary, s.orders, s.total_eur FROM my_spending(extract(year FROM current_date)::integer) s;
END;
COMMENT ON FUNCTION my_spending_this_year IS
'How many orders the customer who is asking placed this year, and for how much.
Asked as: how many orders did I place this year; how often have I ordered from you this year;
what did I spend this year so far; my total for this year; how many times did I buy something this year.
Example: my_spending_this_year().';

CREATE FUNCTION my_shipping_last_month()
RETURNS TABLE (summary text, orders bigint, shipping_eur numeric)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT 'For shipping you paid ' || euros(coalesce(sum(o.shipping_eur), 0)) || ' last month, for '
           || pieces(count(*), 'order') || '.', count(*), coalesce(sum(o.shipping_eur), 0)
    FROM orders o
    WHERE o.status <> 'cancelled' AND o.placed_on >= date_trunc('month', current_date) - interval '1 month'
      AND o.placed_on < date_trunc('month', current_date)
    HAVING citedesk.customer() IS NOT NULL;
END;
COMMENT ON FUNCTION my_shipping_last_month IS
'What the customer who is asking paid for shipping last month.
Asked as: how much did I pay for shipping last month; what were my delivery costs of last month;
shipping costs of my orders last month; what did delivery cost me last month; my postage of last month.
Example: my_shipping_last_month().';

CREATE FUNCTION refund_status(refund_number text)
RETURNS TABLE (summary text, refund_id text, order_id text, product text, status text, amount_eur numeric,
               requested_on date, received_on date, paid_on date)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT m.summary, m.refund_id, m.order_id, m.product, m.status, m.amount_eur, m.requested_on, m.received_on,
           m.paid_on
    FROM my_refunds m WHERE m.refund_id = numbered('RF', refund_number);
END;
COMMENT ON FUNCTION refund_status IS
'How far one refund is, by its own number.
Asked as: what is the status of refund RF-3001; has RF-3001 been paid; how much is refund RF-3001;
when was RF-3001 paid; why was RF-3001 rejected; was the money of RF-3001 sent to my account;
any update on RF-3001.
Example: refund_status(''RF-3001'').';

CREATE FUNCTION refund_of_order(order_number text)
RETURNS TABLE (summary text, refund_id text, order_id text, product text, status text, amount_eur numeric,
               paid_on date)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT m.summary, m.refund_id, m.order_id, m.product, m.status, m.amount_eur, m.paid_on
    FROM my_refunds m WHERE m.order_id = numbered('O', order_number);
END;
COMMENT ON FUNCTION refund_of_order IS
'Refunds that belong to one order.
Asked as: was order O-20017 refunded; did I get my money back for O-20017; how much of O-20017 was paid back;
is there a refund for order O-20017; where is the refund for O-20017.
Example: refund_of_order(''O-20017'').';

CREATE FUNCTION ticket_status(ticket_number text)
RETURNS TABLE (summary text, ticket_id text, subject text, status text, product text, opened_on date,
               last_reply_on date, solved_on date)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT m.summary, m.ticket_id, m.subject, m.status, m.product, m.opened_on, m.last_reply_on, m.solved_on
    FROM my_tickets m WHERE m.ticket_id = numbered('T', ticket_number);
END;
COMMENT ON FUNCTION ticket_status IS
'How far one support request is, by its own number.
Asked as: what is the status of ticket T-5001; has somebody answered T-5001; is T-5001 solved;
when was ticket T-5001 opened; what was ticket T-5001 about; any update on T-5001; what is the latest on T-5001.
Example: ticket_status(''T-5001'').';
