import { type ChartsReport, type ChartsStatus } from '@donorlens/charts';
import { counted, grouped } from '@donorlens/primitives';

export function chartsText(report: ChartsReport): string[] {
  if (report.outcome === 'unchanged')
    return [`charts: nothing has changed since version ${report.versionId ?? '(none)'}`];
  return [
    `charts: version ${report.versionId}, ${grouped(report.series)} series rebuilt, ` +
      `${grouped(report.donors)} donors looked at`,
  ];
}

export function statusText(status: ChartsStatus, isImporting: boolean): string[] {
  const { current, pairs, touched, linksAreOld } = status;
  return [
    current === null
      ? 'no charts yet: bin/donorlens import fec --cycle YEAR brings data'
      : `version ${current.id} of ${current.builtAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ` +
        `${grouped(pairs)} candidates and committees by cycle`,
    ...(touched > 0 ? [`${counted(touched, 'change')} wait for the next refresh`] : []),
    ...(linksAreOld ? ['candidates and committees have changed since; the next refresh takes that in'] : []),
    ...(isImporting ? ['an import is at work'] : []),
  ];
}
