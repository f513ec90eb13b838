export {
  Installation,
  type InstallationOptions,
  KEY,
  type QueueBackend,
  QUEUES,
  ROOT,
  type Role,
  SAMPLE,
} from './installation';
export { KeptProcess, type ProcessEnd } from './kept-process';
export { KeptServer } from './kept-server';
export { TcpProxy, type Weather } from './tcp-proxy';
export { until } from './until';
