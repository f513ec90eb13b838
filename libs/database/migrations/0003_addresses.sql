-- Addresses: what is known of them, what is still to be asked, and the calls that ask.

-- What the geocoder said of an address. Neither the address nor its coordinates are here.
create table location (
  address_key bytea primary key,     -- 16 bytes: keyed hash of the normalised address, benchmark and vintage
  outcome smallint not null check (outcome between 0 and 2), -- index into MATCH, NO_MATCH, TIE
  is_exact boolean,                  -- of a match
  fips text,                         -- county, five digits; of a tie where all candidates are in one
  tract text,                        -- six digits
  block text,                        -- four digits
  address_id bytea,                  -- 16 bytes: keyed hash of the matched address
  located_at timestamptz not null default now(),
  expires_at timestamptz             -- asked again when it comes after this; null: kept
);

-- Calls to the geocoder: each carries addresses of any number of batches.
create table geocode_call (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('batch', 'tie')),
  benchmark text not null,           -- those of its addresses: it is asked under them, whatever the settings are by then
  vintage text not null,
  state text not null default 'pending' check (state in ('pending', 'queued', 'leased')),
  rows int not null,
  failures int not null default 0,   -- tries that failed while the geocoder answered others
  probes int not null default 0,     -- tries that failed as the one probe of an open circuit
  lease_id uuid,
  lease_until timestamptz,
  not_before timestamptz,
  enqueued_at timestamptz,
  last_error text,                   -- a code
  created_at timestamptz not null default now()
);
create index geocode_call_open on geocode_call (state, not_before, id);

-- Addresses without an outcome, as they were written; a row is erased in the transaction that stores its location.
create table geocode_address (
  address_key bytea primary key,
  asked_by uuid,                     -- the batch that asked first; the nil uuid: single requests; null: an import, or nobody any more
  ask_order int not null,            -- row number there: the n-th addresses of all who ask come before the next ones
  asked_at timestamptz not null default now(),
  street text not null,
  city text not null,
  state text not null,
  zip text not null,
  benchmark text not null,           -- its key is made of these two, so it is asked under them
  vintage text not null,
  call_id bigint references geocode_call on delete set null, -- the call it travels in; null: waits for one
  is_tie boolean not null default false, -- the batch answer was a tie: its candidates are asked for one by one
  failures smallint not null default 0,  -- of itself, apart from its call's
  error_code text,                   -- set: it failed while standing alone (ERROR), and waits for retry_at
  retry_at timestamptz
);
create index geocode_address_waiting on geocode_address (is_tie, ask_order, asked_at) where call_id is null and error_code is null;
create index geocode_address_by_call on geocode_address (call_id) where call_id is not null;
create index geocode_address_failed on geocode_address (retry_at) where error_code is not null;
create index geocode_address_by_batch on geocode_address (asked_by) where asked_by is not null;

-- One row: what all replicas know of the geocoder, and what they may ask of it.
create table geocoder (
  one boolean primary key default true check (one),
  circuit jsonb,                     -- state of the circuit breaker, null: closed and new
  probed_at timestamptz,             -- when an open circuit last let a call through
  closed_until timestamptz,          -- the geocoder asked to be left alone until then
  refused_reason text,               -- this benchmark or vintage is not among the geocoder's; null: all is well
  refused_benchmark text,
  refused_vintage text,
  tokens double precision not null default 0,
  refilled_at timestamptz not null default now(),
  calls_per_minute double precision, -- rate in force: lowered where the geocoder says too many; null: as configured
  last_answer_at timestamptz,        -- null: it has never answered
  last_failure_at timestamptz,
  last_error text,                   -- a code
  calls bigint not null default 0,   -- answered
  calls_failed bigint not null default 0,
  rows_sent bigint not null default 0,     -- addresses in calls that were answered, each as often as it was sent
  rows_answered bigint not null default 0, -- addresses that got their outcome by them
  tie_calls bigint not null default 0,
  hits bigint not null default 0,    -- addresses that were known when they came
  misses bigint not null default 0
);
insert into geocoder default values;

-- How many rows of a batch wait for an address. A row here goes in the transaction that stores the location.
create table location_wait (
  address_key bytea not null,
  batch_id uuid not null,
  rows int not null,
  ok_rows int not null,              -- of them, those whose outcome is ok: partial where there is no match
  primary key (address_key, batch_id)
);
create index location_wait_by_batch on location_wait (batch_id);

-- Rows of a contributions batch by what became of their address. Together they are the rows that could be read.
alter table batch add column match_rows int not null default 0;
alter table batch add column no_match_rows int not null default 0;
alter table batch add column tie_rows int not null default 0;
alter table batch add column skipped_rows int not null default 0;
alter table batch add column pending_rows int not null default 0;
alter table batch add column enriched_at timestamptz; -- when its last chunk was done
alter table batch add column located_at timestamptz;  -- when the last of its addresses so far got its outcome
update batch set enriched_at = finished_at where state = 'completed';
update batch set skipped_rows = ok_rows + partial_rows + not_found_rows
where type = 'contributions' and import_id is null; -- no row of theirs has an address key
create index batch_locating on batch (enriched_at) where state = 'running' and pending_rows > 0;

-- The street is no part of a contribution any more: its address waits in geocode_address until it has an outcome.
-- Filings that left streets here are read once more when they are imported again, though their bytes are known.
update fec_import set detail = detail || '{"readAgain": true}'
where id in (
  select f.import_id from contribution_street join contribution c using (cycle, row_id) join filing f using (file_num));
update job_run set detail = detail - 'days' where kind = 'import-filings'; -- the hourly run passes over days it knows
drop table contribution_street;
alter table contribution drop column has_street;
alter table contribution drop column fips;
create index contribution_by_address on contribution (address_key) where address_key is not null;
