import type { Question } from '#shared/route';

/** What a line is to an open question; a choice is the position in `options`. */
export type Answer = 'yes' | 'no' | 'weak-yes' | 'no-answer' | { readonly choice: number };

/** Reads a line as an answer: only a line that is nothing but the answer is one. */
export function readAnswer(_text: string, _question: Question): Answer {
  return 'no-answer';
}
