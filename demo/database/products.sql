-- Functions over what has no owner: products, prices and stock. Anybody may ask these.

-- The products that a customer's words mean: the number, the whole name in any order, its last words, some of its
-- words, or a shared model number; only the best of these kinds is returned. A plural s is forgiven.
CREATE FUNCTION product_details(product text)
RETURNS TABLE (summary text, product_id text, name text, kind text, price_eur numeric, capacity_l numeric,
               power_w integer, warranty_years integer, released date, discontinued date)
LANGUAGE sql STABLE BEGIN ATOMIC
    WITH asked AS (
        SELECT array_agg(w) AS words, string_agg(w, ' ' ORDER BY n) AS text
        FROM (SELECT regexp_replace(w, '(?<=[a-z]{3})s$', '') AS w, n
              FROM regexp_split_to_table(lower(product), '[^a-z0-9-]+') WITH ORDINALITY AS t(w, n)
              WHERE w NOT IN ('', 'the', 'a', 'an', 'of', 'my', 'your')) q
    ), named AS (
        SELECT p.*, regexp_split_to_array(lower(p.name), ' ') AS words FROM products p
    ), scored AS (
        SELECT n.*, CASE
            WHEN n.product_id = upper(btrim(product)) THEN 100
            WHEN n.words <@ a.words THEN 50 + cardinality(n.words)
            WHEN lower(n.name) LIKE '% ' || a.text THEN 40
            WHEN a.words <@ (n.words || regexp_split_to_array(n.kind, ' ')) THEN 30
            WHEN EXISTS (SELECT FROM unnest(n.words) w WHERE w ~ '\d' AND w = ANY (a.words)) THEN 20
            ELSE 0 END AS score
        FROM named n CROSS JOIN asked a
    )
    SELECT 'The ' || s.name || ' (' || s.product_id || ') costs ' || euros(s.price_eur)
           || coalesce(', holds ' || trim_scale(s.capacity_l) || ' l', '')
           || coalesce(', has ' || s.power_w || ' W', '')
           || CASE s.warranty_years WHEN 0 THEN ' and has no warranty'
                   ELSE ' and has a warranty of ' || pieces(s.warranty_years, 'year') END
           || coalesce('; it is no longer sold since ' || day(s.discontinued), '') || '.',
           s.product_id, s.name, s.kind, s.price_eur, s.capacity_l, s.power_w, s.warranty_years, s.released,
           s.discontinued
    FROM scored s
    WHERE s.score > 0 AND s.score = (SELECT max(score) FROM scored)
    ORDER BY s.product_id;
END;
COMMENT ON FUNCTION product_details IS
'What a product is: price, capacity in litres, power in watts, length of warranty, day of release. Takes a name, a
part of it, a kind or a number.
Asked as: which kettles do you sell; what toasters do you have; show me your coffee machines; is the Kettle K1 still sold;
since when is the Kettle K3 on sale; what kind of product is P-304; list the spare parts in your range.
Example: product_details(''Kettle K3'').';

CREATE FUNCTION product_price(product text)
RETURNS TABLE (summary text, product_id text, name text, price_eur numeric)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT 'The ' || d.name || CASE WHEN d.discontinued IS NULL THEN ' costs '
                                    ELSE ' is no longer sold; its last price was ' END
           || euros(d.price_eur) || '.', d.product_id, d.name, d.price_eur
    FROM product_details(product) d;
END;
COMMENT ON FUNCTION product_price IS
'What a product costs today. Takes a name, a part of it, a kind or a number.
Asked as: how much is the Kettle K2; what does the Toaster T4 cost; price of the Blender B1;
how expensive is the Coffee Grinder N1; what do I pay for a Lid L-20; cost of P-303.
Example: product_price(''Kettle K2'').';

CREATE FUNCTION stock_of(product text)
RETURNS TABLE (summary text, product_id text, name text, quantity bigint, warehouses text, next_delivery date)
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT CASE
             WHEN s.quantity = 1 THEN 'There is 1 piece of the ' || d.name || ' in stock.'
             WHEN s.quantity > 1 THEN 'There are ' || s.quantity || ' pieces of the ' || d.name || ' in stock.'
             WHEN d.discontinued IS NOT NULL THEN 'The ' || d.name || ' is out of stock and no longer sold.'
             WHEN s.next_delivery IS NULL THEN 'The ' || d.name || ' is out of stock.'
             ELSE 'The ' || d.name || ' is out of stock; more is expected on ' || day(s.next_delivery) || '.' END,
           d.product_id, d.name, s.quantity, s.warehouses, s.next_delivery
    FROM product_details(product) d
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(k.quantity), 0) AS quantity, min(k.next_delivery) AS next_delivery,
               string_agg(w.name || ' ' || k.quantity, ', ' ORDER BY w.warehouse_id)
                   FILTER (WHERE k.quantity > 0) AS warehouses
        FROM stock k JOIN warehouses w ON w.warehouse_id = k.warehouse_id
        WHERE k.product_id = d.product_id) s;
END;
COMMENT ON FUNCTION stock_of IS
'How many pieces of a product are in stock, where, and when more is expected. Takes a name, a part of it, a kind or a
number.
Asked as: is the Kettle K3 in stock; how many of the K3 are left; how many Toaster T2 do you have;
do you have the Toaster T2 available;
when is the Espresso Machine E5 back in stock; can I still get a Kettle K1; is P-402 sold out;
are there any Lid L-30 in the warehouse.
Example: stock_of(''Kettle K3'').';

-- Asked by the desk itself; without a comment it is not offered to the model.
CREATE FUNCTION known_customer() RETURNS boolean LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM customers);
END;
