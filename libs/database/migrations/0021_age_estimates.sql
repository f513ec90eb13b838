-- From which age distribution the results of a batch take their ages; null: ages are those of the name, with min_age.
alter table batch add column age_basis text check (age_basis in ('donors', 'group'));

-- Age distributions by year from which results of a batch take their ages: of donors as they were when the batch was
-- accepted, of the batch itself once it has ended.
create table batch_ages (
  batch_id uuid primary key references batch on delete cascade,
  groups jsonb not null
);

-- First name as a key of the birth files. Rows stored before are enriched again.
alter table contribution add column first_name text;
alter table donor_first add column first_name text;
update enrichment_release set release_id = release_id || '/names-2';

-- Donors by first name and quarter of their first contribution (4 * year + 0 to 3), of committees and candidates, and of
-- whole offices (`office:P`) and cycles (`cycle:all`), where a donor counts once per candidate or committee.
create table donor_name (
  entity_id text not null,
  cycle smallint not null,
  first_name text not null,
  quarter smallint not null,
  donors int not null,
  primary key (entity_id, cycle, first_name, quarter)
);

-- Age distributions estimated from these names, by version of the charts.
create table age_estimate (
  entity_id text not null,
  cycle smallint not null,
  version_id bigint not null,
  estimate jsonb not null,
  primary key (entity_id, cycle, version_id)
);
