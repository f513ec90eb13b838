-- The stored circuit gets a shape of its own with a version. It was that of a package, whose next version could change it.
update geocoder set circuit = jsonb_build_object(
  'version', 1,
  'openedAt', case when circuit #>> '{ownState,value}' = '1' then coalesce(circuit #> '{ownState,openedAt}', '0') end,
  'failedCalls', coalesce(circuit -> 'failedCalls', circuit -> 'blamed', '[]'))
where circuit is not null;
