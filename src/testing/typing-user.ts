import type { Terminal } from '../main/cli/output';
import { createTurns } from '../main/cli/turns';

/** A user at a terminal who answers each question with the next line; then the input ends. */
export function createTypingUser(lines: readonly string[] = [], options: Partial<Terminal> = {}) {
  const left = [...lines];
  const logged: string[] = [];
  const out: string[] = [];
  const terminal: Terminal = {
    json: false,
    interactive: true,
    language: 'en',
    log: (said) => void logged.push(said),
    out: (said) => void out.push(said),
    readLine: (prompt) => {
      logged.push(prompt);
      return Promise.resolve(left.shift() ?? null);
    },
    onTyped: () => () => undefined,
    inTurn: createTurns(),
    onInterrupt: () => () => undefined,
    ...options,
  };
  return {
    terminal,
    /** The lines typed before a prompt. */
    left,
    /** The questions and everything else for people. */
    said: () => logged.join('\n'),
    out: () => out.join(''),
    json: (): unknown => JSON.parse(out.join('')),
  };
}
