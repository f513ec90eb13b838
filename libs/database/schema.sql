-- What the migrations add up to. Written by: UPDATE_SCHEMA=1 npx jest libs/database/src/schema

create table api_key (
  id uuid not null,
  name text not null,
  prefix text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  requests_per_minute integer,
  batch_rows_per_day bigint,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  previous_prefix text,
  previous_hash bytea,
  previous_until timestamp with time zone,
  constraint api_key_prefix_key UNIQUE (prefix),
  constraint api_key_previous_prefix_key UNIQUE (previous_prefix),
  constraint api_key_secret_hash_key UNIQUE (secret_hash),
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);

create table audit (
  id bigint not null default nextval('audit_id_seq'::regclass),
  at timestamp with time zone not null default now(),
  actor text not null,
  action text not null,
  detail jsonb,
  constraint audit_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_by_time ON audit USING btree (at);

create table batch (
  id uuid not null,
  api_key_id uuid not null,
  idempotency_key text,
  request_sha256 bytea,
  type text not null,
  input_format text not null,
  columns jsonb,
  mapping jsonb,
  min_age smallint,
  state text not null default 'accepted'::text,
  rows_total integer not null default 0,
  chunks_total integer not null default 0,
  chunks_done integer not null default 0,
  ok_rows integer not null default 0,
  partial_rows integer not null default 0,
  not_found_rows integer not null default 0,
  invalid_rows integer not null default 0,
  failed_rows integer not null default 0,
  data_release text,
  error_code text,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  expires_at timestamp with time zone,
  constraint batch_api_key_id_idempotency_key_key UNIQUE (api_key_id, idempotency_key),
  constraint batch_pkey PRIMARY KEY (id),
  constraint batch_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(id),
  constraint batch_input_format_check CHECK ((input_format = ANY (ARRAY['csv'::text, 'json'::text]))),
  constraint batch_state_check CHECK ((state = ANY (ARRAY['accepted'::text, 'running'::text, 'completed'::text, 'cancelling'::text, 'cancelled'::text, 'expired'::text, 'failed'::text])))
);
CREATE INDEX batch_by_key ON batch USING btree (api_key_id, created_at DESC, id);
CREATE INDEX batch_final_by_expiry ON batch USING btree (expires_at) WHERE (state = ANY (ARRAY['completed'::text, 'cancelled'::text, 'failed'::text]));
CREATE INDEX batch_open ON batch USING btree (state) WHERE (state = ANY (ARRAY['accepted'::text, 'running'::text, 'cancelling'::text]));

create table chunk (
  batch_id uuid not null,
  stage text not null default 'enrich'::text,
  seq integer not null,
  state text not null default 'pending'::text,
  first_row integer not null,
  rows integer not null,
  runs integer not null default 0,
  lease_id uuid,
  lease_until timestamp with time zone,
  not_before timestamp with time zone,
  enqueued_at timestamp with time zone,
  suspect_row integer,
  suspected_rows integer[] not null default '{}'::integer[],
  poison_rows integer[] not null default '{}'::integer[],
  input bytea,
  constraint chunk_pkey PRIMARY KEY (batch_id, stage, seq),
  constraint chunk_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batch(id) ON DELETE CASCADE,
  constraint chunk_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'queued'::text, 'leased'::text, 'done'::text, 'cancelled'::text])))
);
alter table chunk alter column input set storage external;
CREATE INDEX chunk_leased ON chunk USING btree (lease_until) WHERE (state = 'leased'::text);
CREATE INDEX chunk_pending ON chunk USING btree (stage, seq) WHERE (state = 'pending'::text);
CREATE INDEX chunk_queued ON chunk USING btree (stage, enqueued_at) WHERE (state = 'queued'::text);

create table data_release (
  id text not null,
  label text not null,
  sha256 bytea not null,
  bytes integer not null,
  created_at timestamp with time zone not null default now(),
  provenance jsonb not null default '[]'::jsonb,
  checks jsonb not null default '[]'::jsonb,
  state text not null default 'stored'::text,
  constraint data_release_pkey PRIMARY KEY (id),
  constraint data_release_label_check CHECK ((label = ANY (ARRAY['official'::text, 'sample'::text, 'folder'::text])))
);

create table data_release_part (
  release_id text not null,
  seq integer not null,
  body bytea not null,
  constraint data_release_part_pkey PRIMARY KEY (release_id, seq),
  constraint data_release_part_release_id_fkey FOREIGN KEY (release_id) REFERENCES data_release(id) ON DELETE CASCADE
);
alter table data_release_part alter column body set storage external;

create table job_run (
  id bigint not null default nextval('job_run_id_seq'::regclass),
  kind text not null,
  scheduled_for timestamp with time zone not null,
  epoch bigint,
  state text not null,
  started_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  detail jsonb,
  constraint job_run_kind_scheduled_for_key UNIQUE (kind, scheduled_for),
  constraint job_run_pkey PRIMARY KEY (id)
);

create table key_usage (
  api_key_id uuid not null,
  day date not null,
  batch_rows bigint not null default 0,
  constraint key_usage_pkey PRIMARY KEY (api_key_id, day),
  constraint key_usage_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(id) ON DELETE CASCADE
);

create table lease (
  name text not null,
  holder text not null,
  epoch bigint not null default 0,
  expires_at timestamp with time zone not null,
  constraint lease_pkey PRIMARY KEY (name)
);

create table pointer (
  name text not null,
  version_id text,
  previous_id text,
  epoch bigint not null default 0,
  moved_at timestamp with time zone not null default now(),
  constraint pointer_pkey PRIMARY KEY (name)
);

create table result (
  batch_id uuid not null,
  row_no integer not null,
  outcome smallint not null,
  error_code text,
  source text,
  age smallint,
  gender text,
  race text,
  pct_white smallint,
  pct_black smallint,
  pct_api smallint,
  pct_aian smallint,
  pct_2prace smallint,
  pct_hispanic smallint,
  fips text,
  hh_income_median integer,
  address_key bytea,
  constraint result_pkey PRIMARY KEY (batch_id, row_no)
);
CREATE INDEX result_bad ON result USING btree (batch_id, row_no) WHERE (outcome = ANY (ARRAY[3, 4]));

create table source_file (
  url text not null,
  etag text,
  last_modified text,
  sha256 bytea,
  bytes bigint,
  retrieved_at timestamp with time zone,
  constraint source_file_pkey PRIMARY KEY (url)
);
