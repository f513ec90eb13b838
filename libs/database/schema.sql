-- What the migrations add up to. Written by: UPDATE_SCHEMA=1 npm test -- libs/database/src/schema

create table age_estimate (
  entity_id text not null,
  cycle smallint not null,
  version_id bigint not null,
  estimate jsonb not null,
  constraint age_estimate_pkey PRIMARY KEY (entity_id, cycle, version_id)
);

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
  api_key_id uuid,
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
  import_id bigint,
  match_rows integer not null default 0,
  no_match_rows integer not null default 0,
  tie_rows integer not null default 0,
  skipped_rows integer not null default 0,
  pending_rows integer not null default 0,
  enriched_at timestamp with time zone,
  located_at timestamp with time zone,
  name text,
  webhook_url text,
  webhook_told integer not null default 0,
  age_basis text,
  ethnicity_basis text,
  constraint batch_api_key_id_idempotency_key_key UNIQUE (api_key_id, idempotency_key),
  constraint batch_pkey PRIMARY KEY (id),
  constraint batch_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(id),
  constraint batch_import_id_fkey FOREIGN KEY (import_id) REFERENCES fec_import(id) ON DELETE CASCADE,
  constraint batch_age_basis_check CHECK ((age_basis = ANY (ARRAY['donors'::text, 'group'::text]))),
  constraint batch_input_format_check CHECK ((input_format = ANY (ARRAY['csv'::text, 'json'::text, 'fec'::text]))),
  constraint batch_owner CHECK (((api_key_id IS NULL) = (import_id IS NOT NULL))),
  constraint batch_state_check CHECK ((state = ANY (ARRAY['accepted'::text, 'running'::text, 'completed'::text, 'cancelling'::text, 'cancelled'::text, 'expired'::text, 'failed'::text])))
);
CREATE INDEX batch_by_import ON batch USING btree (import_id) WHERE (import_id IS NOT NULL);
CREATE INDEX batch_by_key ON batch USING btree (api_key_id, created_at DESC, id);
CREATE INDEX batch_final_by_expiry ON batch USING btree (expires_at) WHERE (state = ANY (ARRAY['completed'::text, 'cancelled'::text, 'failed'::text]));
CREATE INDEX batch_locating ON batch USING btree (enriched_at) WHERE ((state = 'running'::text) AND (pending_rows > 0));
CREATE INDEX batch_open ON batch USING btree (state) WHERE (state = ANY (ARRAY['accepted'::text, 'running'::text, 'cancelling'::text]));
CREATE INDEX batch_to_tell ON batch USING btree (finished_at) WHERE ((webhook_url IS NOT NULL) AND (((webhook_told = 0) AND (state = ANY (ARRAY['completed'::text, 'cancelled'::text, 'failed'::text]))) OR ((webhook_told = 1) AND (state = 'completed'::text) AND (pending_rows = 0) AND (located_at > finished_at))));

create table batch_ages (
  batch_id uuid not null,
  groups jsonb not null,
  constraint batch_ages_pkey PRIMARY KEY (batch_id),
  constraint batch_ages_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batch(id) ON DELETE CASCADE
);

create table batch_summary (
  batch_id uuid not null,
  pending_rows integer not null,
  summary jsonb not null,
  constraint batch_summary_pkey PRIMARY KEY (batch_id),
  constraint batch_summary_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batch(id) ON DELETE CASCADE
);

create table candidate (
  cand_id text not null,
  cycle smallint not null,
  cand_name text not null,
  cand_pty_affiliation text not null,
  cand_election_yr text not null,
  cand_office_st text not null,
  cand_office text not null,
  cand_office_district text not null,
  cand_ici text not null,
  cand_status text not null,
  cand_pcc text not null,
  cand_st1 text not null,
  cand_st2 text not null,
  cand_city text not null,
  cand_st text not null,
  cand_zip text not null,
  name_folded text not null,
  constraint candidate_pkey PRIMARY KEY (cand_id, cycle)
);

create table chart_cycle (
  cycle smallint not null,
  version_id bigint not null,
  newest_on date not null,
  office text not null default 'P'::text,
  constraint chart_cycle_pkey PRIMARY KEY (cycle, version_id, office),
  constraint chart_cycle_version_id_fkey FOREIGN KEY (version_id) REFERENCES chart_version(id) ON DELETE CASCADE
);

create table chart_link (
  cmte_id text not null,
  cycle smallint not null,
  cand_id text not null,
  cmte_dsgn text not null,
  party text not null default ''::text,
  constraint chart_link_pkey PRIMARY KEY (cmte_id, cycle, cand_id)
);
CREATE INDEX chart_link_by_candidate ON chart_link USING btree (cand_id, cycle);

create table chart_pair (
  entity_id text not null,
  cycle smallint not null,
  version_id bigint not null,
  constraint chart_pair_pkey PRIMARY KEY (entity_id, cycle, version_id),
  constraint chart_pair_version_id_fkey FOREIGN KEY (version_id) REFERENCES chart_version(id) ON DELETE CASCADE
);
CREATE INDEX chart_pair_by_version ON chart_pair USING btree (version_id);

create table chart_version (
  id bigint not null,
  built_at timestamp with time zone not null default now(),
  series integer not null,
  detail jsonb not null default '{}'::jsonb,
  constraint chart_version_pkey PRIMARY KEY (id)
);

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

create table committee (
  cmte_id text not null,
  cycle smallint not null,
  cmte_nm text not null,
  tres_nm text not null,
  cmte_st1 text not null,
  cmte_st2 text not null,
  cmte_city text not null,
  cmte_st text not null,
  cmte_zip text not null,
  cmte_dsgn text not null,
  cmte_tp text not null,
  cmte_pty_affiliation text not null,
  cmte_filing_freq text not null,
  org_tp text not null,
  connected_org_nm text not null,
  cand_id text not null,
  constraint committee_pkey PRIMARY KEY (cmte_id, cycle)
);

create table contribution (
  cycle smallint not null,
  row_id bigint not null,
  committee_id text not null,
  donor_key bigint not null,
  donor_key_v2 bigint not null,
  received_on date,
  money_cents bigint not null,
  counts_money boolean not null,
  counts_donor boolean not null,
  count_reason smallint not null,
  earmark smallint not null,
  is_copy boolean not null default false,
  state text not null,
  file_num bigint,
  tran_id text not null,
  age smallint,
  age_adult smallint,
  gender text,
  race text,
  pct_white smallint,
  pct_black smallint,
  pct_api smallint,
  pct_aian smallint,
  pct_2prace smallint,
  pct_hispanic smallint,
  hh_income_median integer,
  address_key bytea,
  release_no smallint not null,
  file_cycle smallint,
  record text not null,
  zip_income integer,
  first_name text,
  constraint contribution_pkey PRIMARY KEY (cycle, row_id)
);
CREATE INDEX contribution_by_address ON ONLY public.contribution USING btree (address_key) WHERE (address_key IS NOT NULL);
CREATE INDEX contribution_by_day ON ONLY public.contribution USING btree (received_on);
CREATE INDEX contribution_by_donor ON ONLY public.contribution USING btree (committee_id, donor_key, row_id);
CREATE INDEX contribution_conduit ON ONLY public.contribution USING btree (committee_id, donor_key) WHERE ((earmark = 2) OR is_copy);
CREATE INDEX contribution_filed ON ONLY public.contribution USING btree (file_num) WHERE (row_id < 0);

create table cumulative_donors (
  cand_id text not null,
  cycle smallint not null,
  version_id bigint not null,
  donors integer[] not null,
  constraint cumulative_donors_pkey PRIMARY KEY (cand_id, cycle, version_id)
);

create table cycle_enrichment (
  cycle smallint not null,
  release_no smallint not null,
  constraint cycle_enrichment_pkey PRIMARY KEY (cycle),
  constraint cycle_enrichment_release_no_fkey FOREIGN KEY (release_no) REFERENCES enrichment_release(no)
);

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

create table donor_breakdown (
  entity_id text not null,
  cycle smallint not null,
  version_id bigint not null,
  by text not null,
  value text not null,
  donors integer not null,
  contributions integer not null,
  amount_cents bigint not null,
  constraint donor_breakdown_pkey PRIMARY KEY (entity_id, cycle, version_id, by, value)
);

create table donor_day (
  entity_id text not null,
  cycle smallint not null,
  first_on date not null,
  donors integer not null,
  constraint donor_day_pkey PRIMARY KEY (entity_id, cycle, first_on)
);

create table donor_first (
  entity_id text not null,
  cycle smallint not null,
  donor_key bigint not null,
  donor_key_v2 bigint not null,
  first_on date,
  first_row bigint,
  age smallint,
  age_adult smallint,
  gender text,
  race text,
  state text not null,
  income integer,
  contributions integer not null,
  amount_cents bigint not null,
  occupation text,
  employer text,
  first_name text,
  constraint donor_first_pkey PRIMARY KEY (donor_key, cycle, entity_id)
);

create table donor_name (
  entity_id text not null,
  cycle smallint not null,
  first_name text not null,
  quarter smallint not null,
  donors integer not null,
  constraint donor_name_pkey PRIMARY KEY (entity_id, cycle, first_name, quarter)
);

create table donor_touched (
  committee_id text not null,
  cycle smallint not null,
  donor_key bigint not null
);

create table donor_value (
  entity_id text not null,
  cycle smallint not null,
  by text not null,
  value text not null,
  donors integer not null,
  contributions integer not null,
  amount_cents bigint not null,
  constraint donor_value_pkey PRIMARY KEY (entity_id, cycle, by, value)
);
CREATE INDEX donor_value_largest ON donor_value USING btree (entity_id, cycle, by, donors DESC, value);

create table enrichment_release (
  no smallint not null,
  release_id text not null,
  constraint enrichment_release_release_id_key UNIQUE (release_id),
  constraint enrichment_release_pkey PRIMARY KEY (no)
);

create table fec_import (
  id bigint not null,
  kind text not null,
  cycle smallint not null,
  label text not null,
  source text not null,
  sha256 bytea,
  state text not null default 'loading'::text,
  epoch bigint not null,
  bytes_total bigint,
  bytes_read bigint not null default 0,
  prefix_sha256 bytea,
  lines_read bigint not null default 0,
  rows_kept bigint not null default 0,
  rows_rejected bigint not null default 0,
  detail jsonb not null default '{}'::jsonb,
  error_code text,
  started_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  constraint fec_import_pkey PRIMARY KEY (id),
  constraint fec_import_kind_check CHECK ((kind = ANY (ARRAY['masters'::text, 'contributions'::text, 'filing'::text, 'reenrich'::text]))),
  constraint fec_import_label_check CHECK ((label = ANY (ARRAY['official'::text, 'folder'::text, 'sample'::text]))),
  constraint fec_import_state_check CHECK ((state = ANY (ARRAY['loading'::text, 'done'::text, 'failed'::text, 'abandoned'::text])))
);
CREATE INDEX fec_import_by_kind ON fec_import USING btree (kind, cycle, id DESC);

create table fec_reject (
  import_id bigint not null,
  line bigint not null,
  code text not null,
  record text not null,
  constraint fec_reject_pkey PRIMARY KEY (import_id, line),
  constraint fec_reject_import_id_fkey FOREIGN KEY (import_id) REFERENCES fec_import(id) ON DELETE CASCADE
);

create table filing (
  file_num bigint not null,
  import_id bigint not null,
  cmte_id text not null,
  form_type text not null,
  version text not null,
  original bigint not null,
  amendment integer not null default 0,
  report_code text not null,
  coverage_from date,
  coverage_to date,
  state text not null,
  reconciliation jsonb not null default '{}'::jsonb,
  constraint filing_pkey PRIMARY KEY (file_num),
  constraint filing_import_id_fkey FOREIGN KEY (import_id) REFERENCES fec_import(id) ON DELETE CASCADE,
  constraint filing_state_check CHECK ((state = ANY (ARRAY['loading'::text, 'current'::text, 'superseded'::text])))
);
CREATE INDEX filing_chain ON filing USING btree (cmte_id, original);

create table geocode_address (
  address_key bytea not null,
  asked_by uuid,
  ask_order integer not null,
  asked_at timestamp with time zone not null default now(),
  street text not null,
  city text not null,
  state text not null,
  zip text not null,
  benchmark text not null,
  vintage text not null,
  call_id bigint,
  is_tie boolean not null default false,
  failures smallint not null default 0,
  error_code text,
  retry_at timestamp with time zone,
  constraint geocode_address_pkey PRIMARY KEY (address_key),
  constraint geocode_address_call_id_fkey FOREIGN KEY (call_id) REFERENCES geocode_call(id) ON DELETE SET NULL
);
CREATE INDEX geocode_address_by_batch ON geocode_address USING btree (asked_by) WHERE (asked_by IS NOT NULL);
CREATE INDEX geocode_address_by_call ON geocode_address USING btree (call_id) WHERE (call_id IS NOT NULL);
CREATE INDEX geocode_address_failed ON geocode_address USING btree (retry_at) WHERE (error_code IS NOT NULL);
CREATE INDEX geocode_address_waiting ON geocode_address USING btree (is_tie, ask_order, asked_at) WHERE ((call_id IS NULL) AND (error_code IS NULL));

create table geocode_call (
  id bigint not null,
  kind text not null,
  benchmark text not null,
  vintage text not null,
  state text not null default 'pending'::text,
  rows integer not null,
  failures integer not null default 0,
  probes integer not null default 0,
  lease_id uuid,
  lease_until timestamp with time zone,
  not_before timestamp with time zone,
  enqueued_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone not null default now(),
  constraint geocode_call_pkey PRIMARY KEY (id),
  constraint geocode_call_kind_check CHECK ((kind = ANY (ARRAY['batch'::text, 'tie'::text]))),
  constraint geocode_call_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'queued'::text, 'leased'::text])))
);
CREATE INDEX geocode_call_open ON geocode_call USING btree (state, not_before, id);

create table geocoder (
  one boolean not null default true,
  circuit jsonb,
  probed_at timestamp with time zone,
  closed_until timestamp with time zone,
  refused_reason text,
  refused_benchmark text,
  refused_vintage text,
  tokens double precision not null default 0,
  refilled_at timestamp with time zone not null default now(),
  calls_per_minute double precision,
  last_answer_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  last_error text,
  calls bigint not null default 0,
  calls_failed bigint not null default 0,
  rows_sent bigint not null default 0,
  rows_answered bigint not null default 0,
  tie_calls bigint not null default 0,
  hits bigint not null default 0,
  misses bigint not null default 0,
  constraint geocoder_pkey PRIMARY KEY (one),
  constraint geocoder_one_check CHECK (one)
);

create table installation (
  one boolean not null default true,
  server_id bigint not null,
  key_table oid not null,
  confirmed_at timestamp with time zone not null default now(),
  timeline integer,
  constraint installation_pkey PRIMARY KEY (one),
  constraint installation_one_check CHECK (one)
);

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

create table linkage (
  cand_id text not null,
  cmte_id text not null,
  cycle smallint not null,
  cand_election_yr text not null,
  cmte_tp text not null,
  cmte_dsgn text not null,
  linkage_id text not null,
  constraint linkage_pkey PRIMARY KEY (cand_id, cmte_id, cycle)
);
CREATE INDEX linkage_by_committee ON linkage USING btree (cmte_id, cycle);

create table location (
  address_key bytea not null,
  outcome smallint not null,
  is_exact boolean,
  fips text,
  tract text,
  block text,
  address_id bytea,
  located_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  constraint location_pkey PRIMARY KEY (address_key),
  constraint location_outcome_check CHECK (((outcome >= 0) AND (outcome <= 2)))
);

create table location_wait (
  address_key bytea not null,
  batch_id uuid not null,
  rows integer not null,
  ok_rows integer not null,
  constraint location_wait_pkey PRIMARY KEY (address_key, batch_id)
);
CREATE INDEX location_wait_by_batch ON location_wait USING btree (batch_id);

create table ops_request (
  id bigint not null,
  action text not null,
  target jsonb not null default '{}'::jsonb,
  actor text not null,
  asked_at timestamp with time zone not null default now(),
  state text not null default 'asked'::text,
  epoch bigint,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  detail jsonb,
  constraint ops_request_pkey PRIMARY KEY (id),
  constraint ops_request_state_check CHECK ((state = ANY (ARRAY['asked'::text, 'running'::text, 'done'::text, 'failed'::text])))
);
CREATE INDEX ops_request_open ON ops_request USING btree (id) WHERE (state = ANY (ARRAY['asked'::text, 'running'::text]));

create table pointer (
  name text not null,
  version_id text,
  previous_id text,
  epoch bigint not null default 0,
  moved_at timestamp with time zone not null default now(),
  constraint pointer_pkey PRIMARY KEY (name)
);

create table process (
  id uuid not null,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  queues text[] not null default '{}'::text[],
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  in_work integer not null default 0,
  clock_difference_seconds double precision,
  constraint process_pkey PRIMARY KEY (id),
  constraint process_role_check CHECK ((role = ANY (ARRAY['api'::text, 'worker'::text, 'aggregator'::text])))
);

create table queue_minute (
  queue text not null,
  minute timestamp with time zone not null,
  done integer not null default 0,
  failed integer not null default 0,
  rows bigint not null default 0,
  waiting bigint,
  oldest_seconds integer,
  constraint queue_minute_pkey PRIMARY KEY (queue, minute)
);

create table queue_state (
  queue text not null,
  paused_at timestamp with time zone,
  paused_by text,
  constraint queue_state_pkey PRIMARY KEY (queue),
  constraint queue_state_queue_check CHECK ((queue = ANY (ARRAY['enrich'::text, 'geocode'::text])))
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
  first_name integer,
  given_day integer,
  constraint result_pkey PRIMARY KEY (batch_id, row_no)
);
CREATE INDEX result_bad ON result USING btree (batch_id, row_no) WHERE (outcome = ANY (ARRAY[3, 4]));

create table retention_clock (
  one boolean not null default true,
  at timestamp with time zone,
  ahead_seconds double precision not null default 0,
  constraint retention_clock_pkey PRIMARY KEY (one),
  constraint retention_clock_one_check CHECK (one)
);

create table source_file (
  url text not null,
  etag text,
  last_modified text,
  sha256 bytea,
  bytes bigint,
  retrieved_at timestamp with time zone,
  constraint source_file_pkey PRIMARY KEY (url)
);

create table webhook_delivery (
  id uuid not null,
  batch_id uuid not null,
  event text not null,
  host text not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  next_at timestamp with time zone not null default now(),
  last_status integer,
  last_error text,
  created_at timestamp with time zone not null default now(),
  delivered_at timestamp with time zone,
  wait_seconds double precision default 0,
  constraint webhook_delivery_batch_id_event_key UNIQUE (batch_id, event),
  constraint webhook_delivery_pkey PRIMARY KEY (id),
  constraint webhook_delivery_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batch(id) ON DELETE CASCADE,
  constraint webhook_delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);
CREATE INDEX webhook_delivery_due ON webhook_delivery USING btree (next_at) INCLUDE (host) WHERE (state = 'pending'::text);

create table work_total (
  kind text not null,
  label text not null,
  value bigint not null default 0,
  constraint work_total_pkey PRIMARY KEY (kind, label)
);
