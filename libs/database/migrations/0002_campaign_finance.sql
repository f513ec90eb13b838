-- Presidential candidates, committees and contributions, and the charts made of them.

create table fec_import (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('masters', 'contributions', 'filing', 'reenrich')),
  cycle smallint not null,           -- of the file; of a filing, of its report
  label text not null check (label in ('official', 'folder', 'sample')),
  source text not null,              -- address or name of the file
  sha256 bytea,                      -- of the file as published
  state text not null default 'loading' check (state in ('loading', 'done', 'failed', 'abandoned')),
  epoch bigint not null,             -- of the lease under which it runs; a former holder cannot go on
  bytes_total bigint,
  bytes_read bigint not null default 0, -- of the unpacked text: where to go on
  prefix_sha256 bytea,               -- of that much of the text
  lines_read bigint not null default 0,
  rows_kept bigint not null default 0,
  rows_rejected bigint not null default 0,
  detail jsonb not null default '{}', -- other counts, and at the end the summary
  error_code text,
  started_at timestamptz not null default now(),
  finished_at timestamptz
);
create index fec_import_by_kind on fec_import (kind, cycle, id desc);

-- What a file holds that cannot be read, as it stands there.
create table fec_reject (
  import_id bigint not null references fec_import on delete cascade,
  line bigint not null,
  code text not null,
  record text not null,
  primary key (import_id, line)
);

alter table batch alter column api_key_id drop not null;
alter table batch add column import_id bigint references fec_import on delete cascade; -- null: a client sent it
alter table batch drop constraint batch_input_format_check;
alter table batch add constraint batch_input_format_check check (input_format in ('csv', 'json', 'fec'));
alter table batch add constraint batch_owner check ((api_key_id is null) = (import_id is not null));
create index batch_by_import on batch (import_id) where import_id is not null;

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
  name_folded text not null,         -- upper case without accents: what name_part is looked for in
  primary key (cand_id, cycle)
);

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
  primary key (cmte_id, cycle)
);

create table linkage (
  cand_id text not null,
  cmte_id text not null,
  cycle smallint not null,
  cand_election_yr text not null,
  cmte_tp text not null,
  cmte_dsgn text not null,
  linkage_id text not null,
  primary key (cand_id, cmte_id, cycle)
);
create index linkage_by_committee on linkage (cmte_id, cycle);

create table filing (
  file_num bigint primary key,       -- negative where the number is not known: from the file's checksum
  import_id bigint not null references fec_import on delete cascade,
  cmte_id text not null,             -- who filed it
  form_type text not null,
  version text not null,
  original bigint not null,          -- first filing of its chain: its own number where it amends nothing
  amendment int not null default 0,
  report_code text not null,
  coverage_from date,
  coverage_to date,
  state text not null check (state in ('loading', 'current', 'superseded')),
  reconciliation jsonb not null default '{}' -- sums of rows beside the summary lines, in cents
);
create index filing_chain on filing (cmte_id, original);

-- Releases that rows were enriched with; numbers stay when a release is removed.
create table enrichment_release (
  no smallint generated always as identity primary key,
  release_id text not null unique
);

-- All rows of a cycle are known to be what this release gives.
create table cycle_enrichment (
  cycle smallint primary key,
  release_no smallint not null references enrichment_release
);

create table contribution (
  cycle smallint not null,
  row_id bigint not null,            -- SUB_ID; negative for a row of an electronic filing: from its identity
  committee_id text not null,        -- whom it is for: the filer, or the committee a conduit passes it on to
  donor_key bigint not null,         -- 0: nobody
  donor_key_v2 bigint not null,
  received_on date,
  money_cents bigint not null,       -- what it adds to money; 0 where it does not count as such
  counts_money boolean not null,
  counts_donor boolean not null,
  count_reason smallint not null,    -- index into COUNT_REASONS
  earmark smallint not null,         -- 0 none, 1 earmarked gift at its committee, 2 a conduit's copy
  is_copy boolean not null default false, -- a conduit's copy of a gift that stands at the committee: counts nothing
  state text not null,
  file_num bigint,
  tran_id text not null,
  age smallint,
  age_adult smallint,                -- on the condition of having reached 18
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
  has_street boolean not null,
  release_no smallint not null,      -- the release whose values these are
  file_cycle smallint,               -- the bulk file it stands in; null for a row of an electronic filing
  record text not null,              -- the 21 columns as filed, separated by character 28
  primary key (cycle, row_id)
) partition by list (cycle);
create index contribution_by_donor on contribution (committee_id, donor_key, row_id);
create index contribution_filed on contribution (file_num) where row_id < 0;
create index contribution_conduit on contribution (committee_id, donor_key) where earmark = 2 or is_copy;
create index contribution_by_day on contribution (received_on); -- the newest day of a cycle without reading it all

-- Streets are kept only until they are geocoded.
create table contribution_street (
  cycle smallint not null,
  row_id bigint not null,
  street_1 text not null,
  street_2 text not null,
  primary key (cycle, row_id)
);

-- Rows of the file being read, by the identity they are stored under. What a crash of the server empties is not compared.
create unlogged table import_seen (
  import_id bigint not null,
  cycle smallint not null,
  row_id bigint not null
);

-- Donors whose rows have changed since the charts were last built.
create table donor_touched (
  committee_id text not null,
  cycle smallint not null,
  donor_key bigint not null
);

-- Which candidate a committee's money and donors of a cycle belong to.
create table chart_link (
  cmte_id text not null,
  cycle smallint not null,
  cand_id text not null,
  cmte_dsgn text not null,
  linkage_cycle smallint not null,   -- the cycle of the linkage used: the nearest where the committee has none in this one
  primary key (cmte_id, cycle, cand_id)
);
create index chart_link_by_candidate on chart_link (cand_id, cycle);

-- One row for each donor of a committee or a candidate in a cycle.
create table donor_first (
  entity_id text not null,           -- a committee (C...) or a candidate (P...)
  cycle smallint not null,
  donor_key bigint not null,
  donor_key_v2 bigint not null,
  first_on date,                     -- of the first counted contribution; null: money without a donor
  first_row bigint,                  -- its row_id: among several of one day the least is the first
  age smallint,                      -- these as of that contribution
  age_adult smallint,
  gender text,
  race text,
  state text not null,
  income int,
  contributions int not null,
  amount_cents bigint not null,
  primary key (entity_id, cycle, donor_key)
);

create table donor_day (
  entity_id text not null,
  cycle smallint not null,
  first_on date not null,
  donors int not null,
  primary key (entity_id, cycle, first_on)
);

create table chart_version (
  id bigint generated always as identity primary key,
  built_at timestamptz not null default now(),
  series int not null,               -- (entity, cycle) pairs that it rebuilt
  detail jsonb not null default '{}'
);

-- Which version holds a pair's rows: the newest that is not newer than the one being read.
create table chart_pair (
  entity_id text not null,
  cycle smallint not null,
  version_id bigint not null references chart_version on delete cascade,
  primary key (entity_id, cycle, version_id)
);
create index chart_pair_by_version on chart_pair (version_id);

create table cumulative_donors (
  cand_id text not null,
  cycle smallint not null,
  version_id bigint not null,
  donors int[] not null,             -- cumulative, one for each day from the first of the cycle to the last that adds one
  primary key (cand_id, cycle, version_id)
);

create table donor_breakdown (
  entity_id text not null,
  cycle smallint not null,
  version_id bigint not null,
  by text not null,                  -- age, age_adult, gender, ethnicity, state, income
  value text not null,               -- '' is unknown; ages in completed years, incomes in dollars, both cut into bands when read
  donors int not null,
  contributions int not null,
  amount_cents bigint not null,
  primary key (entity_id, cycle, version_id, by, value)
);

-- The newest date of a cycle's contributions: as far as series reach.
create table chart_cycle (
  cycle smallint not null,
  version_id bigint not null references chart_version on delete cascade,
  newest_on date not null,
  primary key (cycle, version_id)
);
