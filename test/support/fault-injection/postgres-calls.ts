import pg from 'pg';
import { type Call, type CallInterceptor } from './intercepted-call';
import { isWrite, nameOf, normalised, stepOf } from './statement';

type Done = (error: Error | null | undefined, result?: unknown) => void;
/** A stream of pg-copy-streams, with the methods that the driver calls. */
interface CopyStream {
  readonly text: string;
  readonly submit: unknown;
  flushChunk?: (piece: Buffer) => boolean;
  handleReadyForQuery?: () => void;
  handleCopyData?: (data: unknown) => void;
  cb_ReadyForQuery?: (error?: Error) => void;
}
interface Wire {
  readonly connection: { readonly stream: { destroy(): void } };
}

/** Writes since BEGIN; they are part of the name of the COMMIT. */
const written = new WeakMap<object, Set<string>>();

/** Passes every statement of every pool and client in this process to the interceptor. */
export function interceptPostgres(interceptor: CallInterceptor): void {
  const { prototype } = pg.Client as unknown as { prototype: { query: (...args: unknown[]) => unknown } };
  const { query } = prototype;
  prototype.query = function (this: object, config: unknown, values?: unknown, callback?: unknown): unknown {
    const call = callOf(this, config);
    interceptor.before(call);
    if (isCopy(config)) watch(config, call, interceptor);
    const done = [values, callback].find((one): one is Done => typeof one === 'function');
    if (done === undefined || isCopy(config)) return answered(query.call(this, config, values), call, interceptor);
    const told: Done = (error, result) => {
      const fault = error ?? interceptor.after(call);
      if (fault) done(fault);
      else done(null, result);
    };
    return typeof values === 'function' ? query.call(this, config, told) : query.call(this, config, values, told);
  };
}

const isCopy = (config: unknown): config is CopyStream =>
  typeof config === 'object' && config !== null && 'submit' in config && typeof config.submit === 'function';

async function told(answer: Promise<unknown>, call: Call, interceptor: CallInterceptor): Promise<unknown> {
  const result = await answer;
  const fault = interceptor.after(call);
  if (fault) throw fault;
  return result;
}

const answered = (answer: unknown, call: Call, interceptor: CallInterceptor): unknown =>
  answer instanceof Promise ? told(answer, call, interceptor) : answer;

function callOf(client: object, config: unknown): Call {
  const sql = typeof config === 'string' ? config : String((config as { text?: unknown }).text);
  const step = stepOf(sql);
  const cut = (): void => (client as Wire).connection.stream.destroy();
  if (step === 'begin') written.set(client, new Set());
  const writes = written.get(client);
  if (step === 'commit' || step === 'rollback') written.delete(client);
  if (step === 'commit') {
    const name = nameOf(`commit of ${[...(writes ?? [])].join(' and ')}`);
    return { server: 'postgres', name, writes: writes !== undefined && writes.size > 0, cut };
  }
  const text = normalised(sql);
  if (isWrite(sql)) writes?.add(text);
  return { server: 'postgres', name: nameOf(text), writes: isWrite(sql), cut };
}

/** Passes the parts and the end of a COPY to the interceptor. */
function watch(copy: CopyStream, call: Call, interceptor: CallInterceptor): void {
  const { flushChunk, handleReadyForQuery, handleCopyData } = copy;
  if (flushChunk)
    copy.flushChunk = (piece) => {
      const isRoom = flushChunk.call(copy, piece);
      interceptor.during(call);
      return isRoom;
    };
  if (handleCopyData)
    copy.handleCopyData = (data) => {
      handleCopyData.call(copy, data);
      interceptor.during(call);
    };
  if (flushChunk && handleReadyForQuery)
    copy.handleReadyForQuery = () => {
      const fault = interceptor.after(call);
      const { cb_ReadyForQuery: done } = copy;
      if (fault) copy.cb_ReadyForQuery = () => done?.(fault);
      handleReadyForQuery.call(copy);
    };
}
