-- The server and schema in which this data was written. Data loaded from a dump has another server or another table:
-- then no API key is valid until an operator has checked the keys (bin/donorlens keys confirm).
create table installation (
  one boolean primary key default true check (one),
  server_id bigint not null,        -- system_identifier of the Postgres cluster
  key_table oid not null,           -- oid of api_key
  confirmed_at timestamptz not null default now()
);
insert into installation (server_id, key_table)
select system_identifier, 'api_key'::regclass from pg_control_system();
