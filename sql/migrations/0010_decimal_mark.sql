-- Which mark a feed's prices have before their cents: `12.990` is twelve in one country and twelve thousand in another.
create type freshet.feed_decimal_mark as enum ('POINT', 'COMMA');

-- Null: it is found out from each file.
alter table freshet.feeds add column decimal_mark freshet.feed_decimal_mark;
