import { LOG_LINES } from '#shared/sandbox-protocol';

/** The lines of one unit's `log(…)`: so many are kept, then one line says that there were more. */
export function createScriptLog(): { add(line: string): void; take(): string[] } {
  let kept: string[] = [];
  let count = 0;
  return {
    add(line) {
      count += 1;
      if (count <= LOG_LINES) kept.push(line);
      else if (count === LOG_LINES + 1) kept.push(`[more than ${LOG_LINES} lines]`);
    },
    take() {
      const lines = kept;
      kept = [];
      return lines;
    },
  };
}
