import { type JobsOptions, type WorkerOptions } from 'bullmq';

/** One queue per kind of work, because each kind has its own limit. */
export const QUEUES = { enrich: 'enrich', geocode: 'geocode' } as const;
export type QueueName = (typeof QUEUES)[keyof typeof QUEUES];

/** A chunk of a batch, by reference. Rows, names and addresses stay in Postgres. */
export interface ChunkRef {
  readonly batchId: string;
  readonly seq: number;
}

/** A call to the geocoder, by reference. */
export interface CallRef {
  readonly callId: string;
}

/** The contract between producers and processors: each job's name and what it carries. */
export interface JobData {
  'enrich-chunk': ChunkRef;
  'geocode-call': CallRef;
}
export type JobName = keyof JobData;

const REFERENCES: { readonly [J in JobName]: (data: JobData[J]) => string } = {
  'enrich-chunk': ({ batchId, seq }) => `${batchId}.${seq}`,
  'geocode-call': ({ callId }) => callId,
};

/** The same work has the same id, so a job that is added twice exists once. BullMQ rejects ':' and bare integers. */
export const jobId = <J extends JobName>(job: J, data: JobData[J]): string => `${job}.${REFERENCES[job](data)}`;

/** Braces keep all keys in one slot of a Redis Cluster. */
export const PREFIX = '{donorlens}';

/** Maximum of jobs that wait in a queue; the rest of the backlog stays in Postgres. About 0.4 MB of Redis. */
export const MAX_WAITING_JOBS = 1000;

/** Jobs per call: a larger call blocks Redis for all clients. */
export const MAX_JOBS_PER_CALL = 500;

export const JOB_OPTIONS = {
  attempts: 1, // a failed job is removed: the reconciler adds it again, and attempts are counted in Postgres
  removeOnComplete: true, // a finished job that stayed would swallow the next one with its id
  removeOnFail: true,
  sizeLimit: 1024, // bytes; a reference is about 60
} satisfies JobsOptions;

export const WORKER_OPTIONS = {
  lockDuration: 8_000, // a killed worker's job is free again after 8 to 12 s, not after BullMQ's 60 s
  stalledInterval: 2_000, // milliseconds between checks; two workers may check at the same time
  maxStalledCount: 1_000_000, // deploys stall healthy jobs; crashes are counted in chunk.runs
  drainDelay: 5, // seconds; a lost wake-up costs at most this
  runRetryDelay: 1_000, // while the server is away; BullMQ's 15 s would delay every recovery
} satisfies Partial<WorkerOptions>;
