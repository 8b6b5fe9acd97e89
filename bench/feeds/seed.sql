-- The peer: the tables of S2 §2.3–§2.6 as it has them, with text ids, keys of their own, and its fourteen indexes.
create schema seed;

create table seed.runs (id text primary key);

create table seed.source_products (
  id text primary key,
  source_id text not null,
  identity_type text not null,
  identity_value text not null,
  title text not null,
  url text not null,
  image_url text,
  impact_item_id text,
  sku text,
  normalized_url_hash text,
  created_by_run_id text,
  last_updated_by_run_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (source_id, identity_type, identity_value)
);
create index on seed.source_products (source_id);
create index on seed.source_products (impact_item_id);
create index on seed.source_products (sku);
create index on seed.source_products (source_id, id);

create table seed.source_product_presence (
  id text primary key,
  source_product_id text not null unique references seed.source_products on delete cascade,
  last_seen_at timestamptz not null,
  last_seen_success_at timestamptz,
  updated_at timestamptz not null default now()
);
create index on seed.source_product_presence (last_seen_success_at);

create table seed.source_product_seen (
  id text primary key,
  run_id text not null references seed.runs on delete cascade,
  source_product_id text not null references seed.source_products on delete cascade,
  created_at timestamptz not null default now(),
  unique (run_id, source_product_id)
);

create table seed.prices (
  id text primary key,
  source_product_id text references seed.source_products,
  price_amount numeric not null,
  currency text not null,
  promo_json jsonb,
  created_at timestamptz not null,
  affiliate_feed_run_id text references seed.runs on delete set null,
  price_signature_hash text
);
create index on seed.prices (source_product_id, created_at desc);
create unique index on seed.prices (source_product_id, affiliate_feed_run_id, price_signature_hash)
  where affiliate_feed_run_id is not null;
