import type { Origin } from '#shared/approval';
import type { GrantWish } from '#shared/grant';

interface AskedCall {
  readonly tool: string;
  readonly origins?: readonly Origin[] | undefined;
}

/** Words that answer for more than the calls shown: how far, and which way. */
const standing: ReadonlyMap<string, Omit<GrantWish, 'where'>> = new Map([
  ['run', { reach: 'run', decision: 'allow' }],
  ['session', { reach: 'session', decision: 'allow' }],
  ['always', { reach: 'always', decision: 'allow' }],
  ['never', { reach: 'always', decision: 'never' }],
]);

const mayHoldUntrusted = (card: readonly AskedCall[]): boolean =>
  card.some(({ origins = [] }) => origins.some(({ trusted }) => !trusted));

/** The standing answer a word asks for; text nobody vouches for is never part of one. */
export function wishIn(card: readonly AskedCall[], answer: string): GrantWish | undefined {
  const wish = standing.get(answer.toLowerCase());
  const asked = card.every(({ tool }) => tool.startsWith('mcp://'));
  if (!wish || !asked || (wish.decision === 'allow' && mayHoldUntrusted(card))) return undefined;
  return { ...wish, where: {} };
}
