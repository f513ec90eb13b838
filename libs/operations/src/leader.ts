/** Name of the lease of the aggregator that leads. */
export const LEADER_LEASE = 'aggregator';
