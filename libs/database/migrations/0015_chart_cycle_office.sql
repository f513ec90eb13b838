-- The newest day of a cycle, for each office: a series of a presidential candidate ends with the newest presidential row.
alter table chart_cycle add column office text not null default 'P';
alter table chart_cycle drop constraint chart_cycle_pkey;
alter table chart_cycle add primary key (cycle, version_id, office);
