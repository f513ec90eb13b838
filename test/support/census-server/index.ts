export { type Address } from './address';
export { type CallKind } from './call-kind';
export { type Call, CallLog } from './call-log';
export { CensusServer, type CensusServerOptions } from './census-server';
export { FAULT_NAMES, type FaultName, Faults, type Poison, type Strike } from './faults';
export { type Spot } from './spot';
export { type Planted, type Truth } from './truth';
