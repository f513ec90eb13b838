export const PROCESS_ROLES = ['api', 'worker', 'aggregator'] as const;
export type ProcessRole = (typeof PROCESS_ROLES)[number];
