import { fork } from 'node:child_process';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { ReadPdf } from '../../../core/ports/context-items';
import type { PdfAnswer } from './pdf-text';

/** A process that reads one PDF. */
export interface PdfProcess {
  readonly send: (bytes: Uint8Array) => void;
  readonly onAnswer: (listener: (answer: PdfAnswer) => void) => void;
  readonly onExit: (listener: () => void) => void;
  readonly kill: () => void;
}
export type StartPdfProcess = () => PdfProcess;

/** In MB, of the script engine in the process. */
export const pdfHeapMb = 512;
const maxMs = 30_000;

const problems = {
  damaged: ['is damaged, or no PDF.', 'Open it in a PDF viewer and save it again.'],
  password: ['is protected by a password.', 'Save a copy without the password, then attach that.'],
  'no-text': ['contains no text: its pages are probably pictures.', 'Attach pictures of the pages.'],
  'too-long': ['has more text than can be attached.', 'Attach a part of it.'],
  slow: ['took too long to read.', 'Attach a part of it.'],
  died: ['could not be read: its reader ended.', 'Attach a part of it, or its text.'],
} as const;

const failed = (problem: keyof typeof problems): Result<never> =>
  err(appError('HOST', 'INVALID_INPUT', `This PDF ${problems[problem][0]}`, { hint: problems[problem][1] }));

/** Reads each PDF in a process of its own, which is killed when it is done, hangs or ends early. */
export function createPdfReader(
  start: StartPdfProcess,
  after: (ms: number, call: () => void) => () => void,
): ReadPdf {
  return (bytes) =>
    new Promise((resolve) => {
      const reader = start();
      const end = (result: Result<string>): void => {
        cancel();
        resolve(result);
        reader.kill();
      };
      const cancel = after(maxMs, () => end(failed('slow')));
      reader.onAnswer((answer) => end('text' in answer ? ok(answer.text) : failed(answer.problem)));
      reader.onExit(() => end(failed('died')));
      reader.send(bytes);
    });
}

/** The process of the command line; `bundle` is the built `pdf-process.js`. */
export const startChildPdfProcess =
  (bundle: string): StartPdfProcess =>
  () => {
    const child = fork(bundle, [], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${pdfHeapMb}`],
      env: { TZ: 'UTC', LANG: 'C.UTF-8' },
      stdio: 'ignore',
    });
    child.on('error', () => undefined);
    return {
      send: (bytes) => void child.send(bytes),
      onAnswer: (listener) => void child.once('message', (answer: PdfAnswer) => listener(answer)),
      onExit: (listener) => void child.once('exit', listener),
      kill: () => void child.kill('SIGKILL'),
    };
  };
