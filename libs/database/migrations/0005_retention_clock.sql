-- What the leader's monotonic clock has counted, so that a wrong clock of the server erases nothing.
create table retention_clock (
  one boolean primary key default true check (one),
  at timestamptz, -- null until the first run of the retention task
  ahead_seconds double precision not null default 0 -- for how long the server's clock has been ahead of it
);
insert into retention_clock default values;
