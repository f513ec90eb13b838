import { type ImportContext } from '../import-context';
import { type ImportReport } from '../import-report';

export interface Reenrichment {
  readonly cycle: number;
  readonly releaseId: string;
}

export function reenrich(context: ImportContext, request: Reenrichment): Promise<ImportReport> {
  void context;
  return Promise.reject(new Error(request.releaseId));
}
