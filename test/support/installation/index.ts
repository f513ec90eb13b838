export {
  builtApp,
  Installation,
  type InstallationOptions,
  KEY,
  type QueueBackend,
  QUEUES,
  ROOT,
  type Role,
  SAMPLE,
} from './installation';
export { SupervisedProcess, type ProcessEnd } from './supervised-process';
export { SupervisedServer } from './supervised-server';
export { TcpProxy, type NetworkCondition } from '../servers/tcp-proxy';
export { until } from '../until';
