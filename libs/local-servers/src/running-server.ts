import { type ServerExit } from './server-process';

/** A server of our own that answers. */
export interface RunningServer {
  /** Holds the password: never to be printed. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  stop(): Promise<void>;
  onExit(listener: (exit: ServerExit) => void): void;
  /** The same server again, at the same URL, after it ended. */
  restart(): Promise<RunningServer>;
}
