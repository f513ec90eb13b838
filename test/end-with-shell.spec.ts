import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const PROGRAM = `
  require(${JSON.stringify(join(__dirname, '../bin/end-with-shell.js'))}).endWithShell();
  process.on('SIGTERM', () => { console.log('ended cleanly'); process.exit(0); });
  setInterval(() => {}, 1000);
  console.log('runs');`;

describe('a command that npm runs in a shell', () => {
  it('receives SIGTERM when the shell ends', async () => {
    // `:` keeps the shell from replacing itself with the program
    const shell = spawn('sh', ['-c', '"$0" -e "$1"; :', process.execPath, PROGRAM], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    shell.stdout.on('data', (text: Buffer) => (said += text.toString()));
    await once(shell.stdout, 'data');
    shell.kill('SIGTERM');
    await once(shell.stdout, 'close');
    expect(said).toBe('runs\nended cleanly\n');
  });
});
