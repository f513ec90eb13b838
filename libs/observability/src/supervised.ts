/** Longest time a process that lost its supervisor may take to close before it is ended. */
const CLOSING_MS = 10_000;

/** Tells the supervisor of `npm start` that this process serves. Nothing happens where there is none. */
export function announceReady(): void {
  process.send?.({ type: 'ready' });
}

/**
 * Ends this process when its supervisor is gone, also after a kill -9: the IPC channel breaks and the process takes
 * the same way out as on SIGTERM. Call it once in main.ts; nothing happens where there is no supervisor.
 */
export function endWithSupervisor(): void {
  if (!process.send) return;
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), CLOSING_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  process.channel?.unref();
}
