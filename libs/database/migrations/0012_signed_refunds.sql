-- A refund with a negative amount, as of a void check, gives money back (count_reason 3: refund).
with changed as (
  update contribution set money_cents = -money_cents
  where count_reason = 3 and money_cents < 0 and ltrim(split_part(record, chr(28), 15)) like '-%'
  returning committee_id, cycle, donor_key
)
insert into donor_touched (committee_id, cycle, donor_key)
select distinct committee_id, cycle, donor_key from changed;
