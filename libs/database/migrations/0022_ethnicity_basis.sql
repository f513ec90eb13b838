-- Whether the results of a batch give ethnicity by surname (null) or by surname and place.
alter table batch add column ethnicity_basis text;
