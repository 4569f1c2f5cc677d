-- Who sees what. The customer comes from citedesk.customer(), which no statement can change.
-- FORCE makes the policies hold for the tables' owner as well, so this runs after the rows are in.

ALTER TABLE customers ENABLE ROW LEVEL SECURITY;
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
ALTER TABLE order_lines ENABLE ROW LEVEL SECURITY;
ALTER TABLE shipments ENABLE ROW LEVEL SECURITY;
ALTER TABLE refunds ENABLE ROW LEVEL SECURITY;
ALTER TABLE tickets ENABLE ROW LEVEL SECURITY;
ALTER TABLE customers FORCE ROW LEVEL SECURITY;
ALTER TABLE orders FORCE ROW LEVEL SECURITY;
ALTER TABLE order_lines FORCE ROW LEVEL SECURITY;
ALTER TABLE shipments FORCE ROW LEVEL SECURITY;
ALTER TABLE refunds FORCE ROW LEVEL SECURITY;
ALTER TABLE tickets FORCE ROW LEVEL SECURITY;

-- The inner SELECT makes PostgreSQL ask for the customer once, not once for each row.
CREATE POLICY own ON customers FOR SELECT USING (customer_id = (SELECT citedesk.customer()));
CREATE POLICY own ON orders FOR SELECT USING (customer_id = (SELECT citedesk.customer()));
CREATE POLICY own ON refunds FOR SELECT USING (customer_id = (SELECT citedesk.customer()));
CREATE POLICY own ON tickets FOR SELECT USING (customer_id = (SELECT citedesk.customer()));
-- These have no customer of their own and follow their order, whose policy applies here too.
CREATE POLICY own ON order_lines FOR SELECT USING (order_id IN (SELECT o.order_id FROM orders o));
CREATE POLICY own ON shipments FOR SELECT USING (order_id IN (SELECT o.order_id FROM orders o));
