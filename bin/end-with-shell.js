'use strict';
const LOOK_MS = 250;

/** npm hands a SIGTERM to the shell it runs us in; that one ends without a word to us, so its loss is the signal. */
exports.endWithShell = () => {
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
};
