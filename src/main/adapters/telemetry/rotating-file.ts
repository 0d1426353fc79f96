import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface RotatingFileOptions {
  /** A larger file is rotated. */
  readonly bytesEach: number;
  /** The newest file plus the older ones. */
  readonly files: number;
}

/**
 * Rotates: `NAME.jsonl` becomes `NAME-1.jsonl`, `NAME-1.jsonl` becomes `NAME-2.jsonl`, and the oldest is
 * overwritten.
 */
function rotate(folder: string, name: string, files: number): void {
  const nameOf = (age: number): string => join(folder, age === 0 ? `${name}.jsonl` : `${name}-${age}.jsonl`);
  for (let age = files - 2; age >= 0; age -= 1) {
    if (existsSync(nameOf(age))) renameSync(nameOf(age), nameOf(age + 1));
  }
}

/**
 * Appends complete lines to `FOLDER/NAME.jsonl`; that file and its older ones never exceed the limit. Only
 * the user can access the folder and the files (0600). Throws disk errors.
 */
export function createRotatingFile(folder: string, name: string, { bytesEach, files }: RotatingFileOptions) {
  const file = join(folder, `${name}.jsonl`);
  return {
    file,
    append(lines: string): void {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (existsSync(file) && statSync(file).size + Buffer.byteLength(lines) > bytesEach)
        rotate(folder, name, files);
      appendFileSync(file, lines, { mode: 0o600 });
    },
  };
}
