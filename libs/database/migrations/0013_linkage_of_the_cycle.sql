-- Only a linkage of the cycle attributes a row: the charts look at all linkages again.
alter table chart_link drop column linkage_cycle;
update chart_version set detail = detail - 'masters';
