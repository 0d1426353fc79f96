import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface RotatingFileOptions {
  /** A file that has grown beyond this becomes an older one. */
  readonly bytesEach: number;
  /** The newest file and those before it. */
  readonly files: number;
}

/** Makes room: `NAME.jsonl` becomes `NAME-1.jsonl`, that one `NAME-2.jsonl`, and the oldest is written over. */
function rotate(folder: string, name: string, files: number): void {
  const nameOf = (age: number): string => join(folder, age === 0 ? `${name}.jsonl` : `${name}-${age}.jsonl`);
  for (let age = files - 2; age >= 0; age -= 1) {
    if (existsSync(nameOf(age))) renameSync(nameOf(age), nameOf(age + 1));
  }
}

/**
 * Appends whole lines to `FOLDER/NAME.jsonl`, which with its older files never grows beyond its bound. The folder is the
 * user's alone, the files too (0600). Throws what the disk refuses.
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
