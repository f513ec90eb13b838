-- Clock of Postgres less that of the process, as of its heartbeat before the last. Null: not known yet.
alter table process add column clock_difference_seconds double precision;
