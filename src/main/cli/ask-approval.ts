import type { ApprovalDecision, TaintSource } from '#shared/approval';
import { parseJson } from '#shared/json';
import type { SessionEvent } from '#shared/session-event';
import type { App } from '../app';
import type { RunRef } from '../../core/session/run-controls';
import { describeError, type Terminal } from './output';
import type { GrantRequest } from '#shared/grant';

type Requested = Extract<SessionEvent, { type: 'approval-requested' }>;
type Shown = Pick<Requested, 'approvalId' | 'tool' | 'arguments' | 'hash' | 'origins'>;

function describe(shown: Shown, place: string): string {
  const untrusted = [
    ...new Set((shown.origins ?? []).filter(({ trusted }) => !trusted).map(({ source }) => source)),
  ];
  const mark =
    untrusted.length === 0 ? '' : `\n(may contain text from ${untrusted.join(', ')}, which is not trusted)`;
  return `${place}${shown.tool} wants to make this change:\n${JSON.stringify(shown.arguments, null, 2)}${mark}`;
}

/** The positions (from 0) that a person chose with `2` or `1,3`; undefined for anything else. */
function pickedIn(text: string, count: number): readonly number[] | undefined {
  if (!/^\d+([\s,]+\d+)*$/.test(text)) return undefined;
  const places = text.split(/[\s,]+/).map((number) => Number(number) - 1);
  return places.every((place) => place >= 0 && place < count) ? places : undefined;
}

function decisions(card: readonly Shown[], answer: string): readonly ApprovalDecision[] {
  const picked = card.length > 1 ? pickedIn(answer, card.length) : undefined;
  const all = /^y(es)?$/i.test(answer);
  return card.map(({ approvalId, hash }, place) => ({
    approvalId,
    hash,
    approved: picked ? picked.includes(place) : all,
  }));
}

function outcomeOf(given: readonly ApprovalDecision[], remembered: boolean): string {
  const yes = given.filter(({ approved }) => approved).length;
  if (yes > 0 && yes < given.length) return `Approved ${yes} of ${given.length}.`;
  const words = yes > 0 ? 'Approved' : 'Not approved';
  return remembered ? `${words}. The permission is saved; list it with patina tools --grants.` : `${words}.`;
}

/** Answers the calls of a card and describes the outcome. */
function answerCard(app: Pick<App, 'runs'>, place: RunRef, card: readonly Shown[], answer: string): string {
  const wish = wishIn(card, answer);
  const given = decisions(card, wish?.decision === 'allow' ? 'yes' : answer);
  const answered = app.runs.answer(place, given, wish);
  return answered.ok ? outcomeOf(given, wish !== undefined) : describeError(answered.error);
}

/**
 * Shows pending calls together, with their exact arguments. Any answer other than yes means no, and so does
 * the end of the input.
 */
export function createApprovalPrompts(app: Pick<App, 'editApproval' | 'runs'>, terminal: Terminal) {
  const closed = new AbortController();
  const open = new Map<string, Shown>();

  const read = async (prompt: string): Promise<string> => {
    const answer = await terminal.readLine(prompt, { signal: closed.signal, fresh: true });
    return answer?.trim() ?? '';
  };
  /** Edits one call; false when the answer was not a request to edit. */
  const edited = async (card: readonly Shown[], answer: string): Promise<boolean> => {
    const match = /^e(?:dit)?(?:\s+(\d+))?$/i.exec(answer);
    const shown = match ? card[Number(match[1] ?? 1) - 1] : undefined;
    if (!shown) return false;
    const value = parseJson(await read('Arguments, as JSON: '));
    if (!value.ok) terminal.log(value.error);
    else {
      const { approvalId, hash } = shown;
      const taken = app.editApproval({ approvalId, hash, arguments: value.value });
      if (!taken.ok) terminal.log(describeError(taken.error));
    }
    return true;
  };
  const ask = async (place: RunRef, ids: readonly string[]): Promise<void> => {
    if (closed.signal.aborted) return;
    const card = ids.flatMap((id) => open.get(id) ?? []);
    const count = (index: number): string => (card.length > 1 ? `${index + 1}. ` : '');
    terminal.log(`\n${card.map((shown, index) => describe(shown, count(index))).join('\n\n')}`);
    const some = card.length > 1 ? `, some of them (1,2)` : '';
    const answer = await read(
      `Approve exactly this? [y/N]${some}, e to change, or run, session, always, never `,
    );
    if (closed.signal.aborted) return;
    if (await edited(card, answer)) return ask(place, ids);
    terminal.log(answerCard(app, place, card, answer));
  };
  return {
    hear(events: readonly SessionEvent[]): void {
      const cards = new Map<string, { readonly place: RunRef; readonly ids: string[] }>();
      for (const event of events) {
        if (event.type === 'approval-edited') {
          const before = open.get(event.approvalId);
          if (before) open.set(event.approvalId, { ...before, arguments: event.arguments, hash: event.hash });
        }
        if (event.type !== 'approval-requested') continue;
        open.set(event.approvalId, event);
        const key = event.card ?? event.approvalId;
        const { sessionId, runId } = event;
        const ids = [...(cards.get(key)?.ids ?? []), event.approvalId];
        cards.set(key, { place: { sessionId, runId }, ids });
      }
      for (const { place, ids } of cards.values()) void terminal.inTurn(() => ask(place, ids));
    },
    /** Withdraws open questions because the run has ended. */
    close: (): void => closed.abort(),
  };
}
interface AskedCall {
  readonly tool: string;
  readonly origins?: readonly TaintSource[] | undefined;
}

/** Answers that also decide calls beyond those shown: their scope and decision. */
const standing: ReadonlyMap<string, Omit<GrantRequest, 'where'>> = new Map([
  ['run', { reach: 'run', decision: 'allow' }],
  ['session', { reach: 'session', decision: 'allow' }],
  ['always', { reach: 'always', decision: 'allow' }],
  ['never', { reach: 'always', decision: 'never' }],
]);
const mayHoldUntrusted = (card: readonly AskedCall[]): boolean =>
  card.some(({ origins = [] }) => origins.some(({ trusted }) => !trusted));
/** The saved permission that an answer requests; never includes text from an untrusted source. */
function wishIn(card: readonly AskedCall[], answer: string): GrantRequest | undefined {
  const wish = standing.get(answer.toLowerCase());
  const asked = card.every(({ tool }) => tool.startsWith('mcp://'));
  if (!wish || !asked || (wish.decision === 'allow' && mayHoldUntrusted(card))) return undefined;
  return { ...wish, where: {} };
}
