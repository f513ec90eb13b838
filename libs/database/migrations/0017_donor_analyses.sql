-- Donors of candidates are folded from those of committees whenever they are needed; donors are found by their key, across
-- committees and cycles. The aggregator builds the charts again, so the rows need not be moved.
truncate donor_first;
alter table donor_first drop constraint donor_first_pkey;
alter table donor_first add primary key (donor_key, cycle, entity_id);

-- The party of the candidate in the cycle: a party's field is made of these links.
alter table chart_link add column party text not null default '';
