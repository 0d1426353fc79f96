import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/** Runs `code` as a Node process: its output, and milliseconds from its start to its first output. */
async function runCode(code: string): Promise<{ said: string; firstWordMs: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  let firstWordMs = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    firstWordMs ||= performance.now() - began;
    said += chunk.toString();
  });
  await new Promise((resolve) => child.once('close', resolve));
  return { said, firstWordMs };
}

/** The cost of starting a process that writes a word and does nothing else. Milliseconds. */
export async function bareStart(): Promise<number> {
  return (await runCode("process.stdout.write('x')")).firstWordMs;
}

/** How much longer than `ms` a process takes here to use `ms` of compute, when nobody stops it. Milliseconds. */
export async function burnPast(ms: number): Promise<number> {
  const burn = `
    const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
    const until = spent() + ${ms};
    const began = performance.now();
    while (spent() < until);
    process.stdout.write(String(performance.now() - began - ${ms}));`;
  return Math.max(0, Number((await runCode(burn)).said));
}
