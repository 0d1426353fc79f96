import { spawn } from 'node:child_process';
import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/**
 * One run of git: an argument list (never a shell command line), its working folder, and the output limit.
 */
export interface GitRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Maximum number of output bytes; one more byte stops git. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

export interface GitOutput {
  readonly stdout: Buffer;
  /** Whether the output exceeded `maxBytes`. */
  readonly truncated: boolean;
}

const TIMEOUT_MS = 20_000;
const MAX_ERROR_BYTES = 4_000;

/**
 * Runs git and waits for its exit. TOOL/TIMEOUT, TOOL/UNAVAILABLE (git cannot be started), TOOL/FAILED with
 * git's own message.
 */
export async function runGit(run: GitRun): Promise<Result<GitOutput>> {
  run.signal.throwIfAborted();
  const ended = await new Promise<Result<GitOutput>>((resolve) => watch(run, resolve));
  run.signal.throwIfAborted();
  return ended;
}

function watch(run: GitRun, ended: (result: Result<GitOutput>) => void): void {
  const child = spawn(run.program, ['--no-pager', '--literal-pathspecs', ...run.args], {
    cwd: run.folder,
    env: run.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: false,
    windowsHide: true,
  });
  const stop = (): void => void child.kill('SIGKILL');
  const errorText = collectOutput(run.maxBytes, stop);
  const complaint = collectOutput(MAX_ERROR_BYTES, () => undefined);
  const late = { timedOut: false };
  const timeoutMs = run.timeoutMs ?? TIMEOUT_MS;
  const timer = setTimeout(() => {
    late.timedOut = true;
    stop();
  }, timeoutMs);
  run.signal.addEventListener('abort', stop, { once: true });
  child.stdout.on('data', errorText.take);
  child.stderr.on('data', complaint.take);
  const finish = (result: Result<GitOutput>): void => {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', stop);
    ended(result);
  };
  child.once('error', (error) => finish(err(notStarted(error))));
  child.once('close', (code) => {
    const output = { stdout: errorText.bytes(), truncated: errorText.overflowed() };
    if (late.timedOut) finish(err(tooSlow(timeoutMs)));
    else if (code === 0 || output.truncated) finish(ok(output));
    else finish(err(refusedByGit(complaint.bytes().toString('utf8'))));
  });
}

/** Keeps the first `limit` bytes and reports an overflow once. */
function collectOutput(limit: number, onOverflow: () => void) {
  const chunks: Buffer[] = [];
  let bytesLeft = limit;
  let overflowed = false;
  return {
    take: (chunk: Buffer): void => {
      if (overflowed) return;
      chunks.push(chunk.subarray(0, bytesLeft));
      bytesLeft -= chunk.length;
      if (bytesLeft >= 0) return;
      overflowed = true;
      onOverflow();
    },
    bytes: () => Buffer.concat(chunks),
    overflowed: () => overflowed,
  };
}

function notStarted(error: Error): AppError {
  return appError('TOOL', 'UNAVAILABLE', `Git could not be started: ${error.message}.`);
}

function tooSlow(timeoutMs: number): AppError {
  const message = `Git took longer than ${timeoutMs / 1000} s. Ask for less: a path, fewer commits or fewer lines.`;
  return appError('TOOL', 'TIMEOUT', message);
}

function refusedByGit(stderr: string): AppError {
  const line = stderr.split('\n').find((text) => /^(fatal|error):/.test(text)) ?? stderr.trim();
  const firstLine = line.replace(/^(fatal|error):\s*/, '').slice(0, 500);
  if (/not a git repository|must be run in a work tree/.test(firstLine)) {
    return appError('TOOL', 'NOT_FOUND', 'The project folder is not in a git repository.');
  }
  return appError('TOOL', 'FAILED', `Git refused: ${firstLine === '' ? 'it gave no reason' : firstLine}`);
}
