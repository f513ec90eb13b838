-- Keys, batches with their chunks and results, data releases, and the rows that let one process lead.

create table api_key (
  id uuid primary key,
  name text not null,
  prefix text not null unique,
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  scopes text[] not null,
  requests_per_minute int,           -- null: no limit
  batch_rows_per_day bigint,         -- null: no limit
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  previous_prefix text unique,       -- the secret before the last rotation, good until previous_until
  previous_hash bytea,
  previous_until timestamptz
);

create table key_usage (
  api_key_id uuid not null references api_key on delete cascade,
  day date not null,
  batch_rows bigint not null default 0,
  primary key (api_key_id, day)
);

create table batch (
  id uuid primary key,
  api_key_id uuid not null references api_key,
  idempotency_key text,
  request_sha256 bytea,
  type text not null,
  input_format text not null check (input_format in ('csv', 'json')),
  columns jsonb,                     -- header of a csv, in order
  mapping jsonb,                     -- our field to the caller's column
  min_age smallint,
  state text not null default 'accepted'
    check (state in ('accepted', 'running', 'completed', 'cancelling', 'cancelled', 'expired', 'failed')),
  rows_total int not null default 0,
  chunks_total int not null default 0,
  chunks_done int not null default 0,
  ok_rows int not null default 0,
  partial_rows int not null default 0,
  not_found_rows int not null default 0,
  invalid_rows int not null default 0,
  failed_rows int not null default 0,
  data_release text,
  error_code text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz,
  unique (api_key_id, idempotency_key)
);
create index batch_by_key on batch (api_key_id, created_at desc, id);
create index batch_final_by_expiry on batch (expires_at) where state in ('completed', 'cancelled', 'failed');
create index batch_open on batch (state) where state in ('accepted', 'running', 'cancelling');

create table chunk (
  batch_id uuid not null references batch on delete cascade,
  stage text not null default 'enrich',
  seq int not null,
  state text not null default 'pending' check (state in ('pending', 'queued', 'leased', 'done', 'cancelled')),
  first_row int not null,
  rows int not null,
  runs int not null default 0,
  lease_id uuid,
  lease_until timestamptz,
  not_before timestamptz,
  enqueued_at timestamptz,
  suspect_row int,                   -- the row at work when a suspect chunk's process last died
  suspected_rows int[] not null default '{}', -- rows that a process died on once, for whatever reason
  poison_rows int[] not null default '{}', -- rows that a process died on again: they fail without being read
  input bytea,                       -- deflated records; null once the chunk is done
  primary key (batch_id, stage, seq)
);
alter table chunk alter column input set storage external; -- compressed already
create index chunk_queued on chunk (stage, enqueued_at) where state = 'queued';
create index chunk_pending on chunk (stage, seq) where state = 'pending';
create index chunk_leased on chunk (lease_until) where state = 'leased';

-- No foreign key: written by COPY, erased with its batch by the repository.
create table result (
  batch_id uuid not null,
  row_no int not null,
  outcome smallint not null,         -- index into ok, partial, not_found, invalid, failed
  error_code text,
  source text,                       -- the caller's item as sent: one CSV record or one JSON object
  age smallint,
  gender text,
  race text,
  pct_white smallint,                -- hundredths of a percent, as the five below
  pct_black smallint,
  pct_api smallint,
  pct_aian smallint,
  pct_2prace smallint,
  pct_hispanic smallint,
  fips text,
  hh_income_median int,
  address_key bytea,
  primary key (batch_id, row_no)
);
create index result_bad on result (batch_id, row_no) where outcome in (3, 4);

create table data_release (
  id text primary key,
  label text not null check (label in ('official', 'sample', 'folder')),
  sha256 bytea not null,
  bytes int not null,
  created_at timestamptz not null default now(),
  provenance jsonb not null default '[]',
  checks jsonb not null default '[]',
  state text not null default 'stored'
);

create table data_release_part (
  release_id text not null references data_release on delete cascade,
  seq int not null,
  body bytea not null,
  primary key (release_id, seq)
);
alter table data_release_part alter column body set storage external;

create table source_file (
  url text primary key,
  etag text,
  last_modified text,
  sha256 bytea,
  bytes bigint,
  retrieved_at timestamptz
);

create table pointer (
  name text primary key,
  version_id text,
  previous_id text,
  epoch bigint not null default 0,
  moved_at timestamptz not null default now()
);

create table lease (
  name text primary key,
  holder text not null,
  epoch bigint not null default 0,
  expires_at timestamptz not null
);

create table job_run (
  id bigserial primary key,
  kind text not null,
  scheduled_for timestamptz not null,
  epoch bigint,
  state text not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  detail jsonb,
  unique (kind, scheduled_for)
);

create table audit (
  id bigserial primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  detail jsonb
);
create index audit_by_time on audit (at);
