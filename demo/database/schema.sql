-- The records of the demo company. Run with search_path set to the schema; see load.py.

CREATE TABLE products (
    product_id text PRIMARY KEY,
    name text NOT NULL UNIQUE,
    kind text NOT NULL,
    price_eur numeric(10, 2) NOT NULL CHECK (price_eur > 0),
    capacity_l numeric(5, 2),
    power_w integer,
    warranty_years integer NOT NULL,
    released date NOT NULL,
    discontinued date
);
COMMENT ON TABLE products IS 'Everything the shop sells or has sold, with list price, size, power and warranty.';
COMMENT ON COLUMN products.product_id IS 'P- and three digits';
COMMENT ON COLUMN products.kind IS 'kettle, toaster, coffee maker, accessory, spare part and so on';
COMMENT ON COLUMN products.price_eur IS 'list price today, in euros, VAT included';
COMMENT ON COLUMN products.capacity_l IS 'in litres';
COMMENT ON COLUMN products.power_w IS 'in watts';
COMMENT ON COLUMN products.discontinued IS 'last day of sale; empty while it is sold';

CREATE TABLE warehouses (
    warehouse_id text PRIMARY KEY,
    name text NOT NULL,
    city text NOT NULL,
    country text NOT NULL
);
COMMENT ON TABLE warehouses IS 'Where goods are kept and sent from.';
COMMENT ON COLUMN warehouses.country IS 'two letters, such as NL';

CREATE TABLE stock (
    product_id text NOT NULL REFERENCES products,
    warehouse_id text NOT NULL REFERENCES warehouses,
    quantity integer NOT NULL CHECK (quantity >= 0),
    next_delivery date,
    PRIMARY KEY (product_id, warehouse_id)
);
COMMENT ON TABLE stock IS 'How many pieces of each product lie in each warehouse.';
COMMENT ON COLUMN stock.quantity IS 'pieces that can be sold now';
COMMENT ON COLUMN stock.next_delivery IS 'day on which more is expected; empty when none is on order';

CREATE TABLE customers (
    customer_id text PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL UNIQUE,
    phone text,
    street text NOT NULL,
    city text NOT NULL,
    country text NOT NULL,
    joined date NOT NULL,
    newsletter boolean NOT NULL,
    points integer NOT NULL DEFAULT 0,
    risk_note text
);
COMMENT ON TABLE customers IS 'The customer who is asking: one row.';
COMMENT ON COLUMN customers.customer_id IS 'C- and four digits';
COMMENT ON COLUMN customers.points IS 'loyalty points that can be spent';
COMMENT ON COLUMN customers.risk_note IS 'for the fraud team alone; the desk may not read it';

CREATE TABLE orders (
    order_id text PRIMARY KEY,
    customer_id text NOT NULL REFERENCES customers,
    placed_on date NOT NULL,
    status text NOT NULL CHECK (status IN ('paid', 'packed', 'shipped', 'delivered', 'cancelled')),
    delivery text NOT NULL CHECK (delivery IN ('standard', 'express')),
    payment text NOT NULL,
    goods_eur numeric(10, 2) NOT NULL,
    shipping_eur numeric(10, 2) NOT NULL,
    total_eur numeric(10, 2) NOT NULL CHECK (total_eur = goods_eur + shipping_eur),
    city text NOT NULL,
    country text NOT NULL
);
CREATE INDEX orders_by_customer ON orders (customer_id, placed_on DESC);
COMMENT ON TABLE orders IS 'Orders of the customer who is asking.';
COMMENT ON COLUMN orders.order_id IS 'O- and five digits';
COMMENT ON COLUMN orders.status IS 'paid, packed, shipped, delivered or cancelled';
COMMENT ON COLUMN orders.total_eur IS 'goods and shipping together';

CREATE TABLE order_lines (
    order_id text NOT NULL REFERENCES orders,
    line integer NOT NULL,
    product_id text NOT NULL REFERENCES products,
    quantity integer NOT NULL CHECK (quantity > 0),
    unit_price_eur numeric(10, 2) NOT NULL,
    PRIMARY KEY (order_id, line)
);
COMMENT ON TABLE order_lines IS 'What is in each order of the customer who is asking.';
COMMENT ON COLUMN order_lines.unit_price_eur IS 'price of one piece when it was ordered';

CREATE TABLE shipments (
    shipment_id text PRIMARY KEY,
    order_id text NOT NULL UNIQUE REFERENCES orders,
    carrier text NOT NULL,
    tracking_code text NOT NULL,
    shipped_on date NOT NULL,
    expected_on date NOT NULL,
    delivered_on date
);
COMMENT ON TABLE shipments IS 'Parcels of the customer who is asking; one for each order that has left.';
COMMENT ON COLUMN shipments.shipment_id IS 'S- and four digits or more';
COMMENT ON COLUMN shipments.delivered_on IS 'empty while it is under way';

CREATE TABLE refunds (
    refund_id text PRIMARY KEY,
    order_id text NOT NULL REFERENCES orders,
    customer_id text NOT NULL REFERENCES customers,
    product_id text NOT NULL REFERENCES products,
    amount_eur numeric(10, 2) NOT NULL,
    reason text NOT NULL,
    status text NOT NULL CHECK (status IN ('requested', 'received', 'paid', 'rejected')),
    requested_on date NOT NULL,
    received_on date,
    paid_on date
);
CREATE INDEX refunds_by_customer ON refunds (customer_id);
COMMENT ON TABLE refunds IS 'Money back for goods that the customer who is asking sent back.';
COMMENT ON COLUMN refunds.refund_id IS 'RF- and four digits';
COMMENT ON COLUMN refunds.status IS 'requested, received (the parcel is back), paid or rejected';
COMMENT ON COLUMN refunds.received_on IS 'day on which the goods arrived back';

CREATE TABLE tickets (
    ticket_id text PRIMARY KEY,
    customer_id text NOT NULL REFERENCES customers,
    product_id text REFERENCES products,
    order_id text REFERENCES orders,
    subject text NOT NULL,
    status text NOT NULL CHECK (status IN ('open', 'waiting for you', 'solved')),
    opened_on date NOT NULL,
    last_reply_on date,
    solved_on date,
    internal_note text
);
CREATE INDEX tickets_by_customer ON tickets (customer_id);
COMMENT ON TABLE tickets IS 'Support requests of the customer who is asking.';
COMMENT ON COLUMN tickets.ticket_id IS 'T- and four digits';
COMMENT ON COLUMN tickets.last_reply_on IS 'day of the support team''s last answer';
COMMENT ON COLUMN tickets.internal_note IS 'for staff alone; the desk may not read it';
