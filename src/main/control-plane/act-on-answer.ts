import type { Action, Question } from '#shared/route';
import type { Answer } from './read-answer';
import type { RouteContext } from './route-context';

/**
 * What follows from an answer to a question, given by a line or on its card: a yes runs exactly what was shown,
 * a choice that leads to a side effect still asks (AGN-000037 §8). Nothing for `no-answer`: the line is routed as usual.
 */
export function actOnAnswer(_answer: Answer, _question: Question, _context: RouteContext): Action | null {
  return null;
}
