-- Occupation and employer of a donor as filed, and the sums by their normalized values, of which the charts show the largest.
alter table donor_first add column occupation text;
alter table donor_first add column employer text;
create table donor_value (
  entity_id text not null,
  cycle smallint not null,
  by text not null,
  value text collate "C" not null,
  donors int not null,
  contributions int not null,
  amount_cents bigint not null,
  primary key (entity_id, cycle, by, value)
);
create index donor_value_largest on donor_value (entity_id, cycle, by, donors desc, value);
