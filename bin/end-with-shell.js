'use strict';
const LOOK_MS = 250;

/** npm sends SIGTERM only to the shell that runs this process. When the shell ends, this process stops itself. */
exports.endWithShell = () => {
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
};
