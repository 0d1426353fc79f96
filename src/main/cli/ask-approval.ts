import type { ApprovalDecision } from '#shared/approval';
import { coveragesOf, type Coverage, type GrantRequest } from '#shared/grant';
import { describeCoverage } from '#shared/grant-labels';
import { parseJson } from '#shared/json';
import type { SessionEvent } from '#shared/session-event';
import type { RunState } from '#shared/session-state';
import type { App } from '../app';
import type { RunRef } from '../../core/session/run-controls';
import {
  callLines,
  exactLines,
  isQuestion,
  questionLines,
  scopeLines,
  targetLine,
  type ShownCall,
  type TextLine,
} from './approval-text';
import { yesOrNo, yesOrNoHint } from './ask-question';
import { describeError, type Terminal } from './output';

/** The positions (from 0) that a person chose with `2`, `1,3` or `2-5`; undefined for anything else. */
function pickedIn(text: string, count: number): readonly number[] | undefined {
  if (!/^\d{1,6}(-\d{1,6})?([\s,]+\d{1,6}(-\d{1,6})?)*$/.test(text)) return undefined;
  const ranges = text.split(/[\s,]+/).map((part) => part.split('-').map(Number));
  const inside = ranges.every(([from = 0, to = from]) => from >= 1 && to <= count && from <= to);
  if (!inside) return undefined;
  return ranges.flatMap(([from = 0, to = from]) =>
    Array.from({ length: to - from + 1 }, (_, at) => from - 1 + at),
  );
}

/** The words after `n:` or `no, instead:`; undefined for any other answer. */
const insteadIn = (answer: string): string | undefined =>
  /^(?:n|no)\b(?:,?\s*instead)?\s*:\s*(\S.*)/is.exec(answer)?.[1];

/** Whether an answer is one of a card's choices; the empty one and anything that begins with “no” mean no. */
function isChoice(card: readonly ShownCall[], answer: string): boolean {
  const isPlain = answer === '' || /^(?:y(?:es)?$|no?\b)/i.test(answer);
  const isPicked = card.length > 1 && pickedIn(answer, card.length) !== undefined;
  return isPlain || isPicked || requestedGrant(card, answer) !== undefined;
}

const notAChoice = 'This is none of the answers above. Nothing was approved or refused.';

/** Only the plan's own questions take the words of the terminal's language: a call is approved in one way. */
function questionAnswer(card: readonly ShownCall[], answer: string, terminal: Terminal): string {
  const agreed = card.every(isQuestion) ? yesOrNo(answer, terminal) : undefined;
  return agreed === undefined ? answer : agreed ? 'y' : 'n';
}

/** The decisions of an answer; without a planner nobody could read the words of a no, so they are left out. */
function decisions(
  card: readonly ShownCall[],
  answer: string,
  planned: boolean,
): readonly ApprovalDecision[] {
  const picked = card.length > 1 ? pickedIn(answer, card.length) : undefined;
  const all = /^y(es)?$/i.test(answer);
  const instead = planned ? insteadIn(answer) : undefined;
  return card.map(({ approvalId, hash }, place) => ({
    approvalId,
    hash,
    approved: picked ? picked.includes(place) : all,
    ...(instead !== undefined && { said: instead }),
  }));
}

function outcomeOf(answers: readonly ApprovalDecision[], remembered: boolean): string {
  const yes = answers.filter(({ approved }) => approved).length;
  if (yes > 0 && yes < answers.length) return `Approved ${yes} of ${answers.length}.`;
  const words = yes > 0 ? 'Approved' : 'Not approved';
  return remembered ? `${words}. The permission is saved; list it with patina tools --grants.` : `${words}.`;
}

const mayBeUntrusted = (card: readonly ShownCall[]): boolean =>
  card.some(({ origins = [] }) => origins.some(({ trusted }) => !trusted));

/** The permission that a bare `session` saves: a folder or a host before the exact arguments. */
function narrowCoverage(card: readonly ShownCall[]): Coverage {
  const offered = coveragesOf(card);
  const narrow = offered.find(({ kind }) => kind === 'folder' || kind === 'host') ?? offered[0];
  return narrow ?? { kind: 'any', where: {} };
}

/** The saved permission that an answer requests; never includes text from an untrusted source. */
function requestedGrant(card: readonly ShownCall[], answer: string): GrantRequest | undefined {
  const [word = '', kind, ...rest] = answer.toLowerCase().split(/\s+/);
  if (rest.length > 0 || !card.every(({ tool }) => tool.startsWith('mcp://'))) return undefined;
  if (word === 'never' && kind === undefined) return { reach: 'always', decision: 'never', where: {} };
  const reach = (['run', 'session', 'always'] as const).find((one) => one === word);
  if (!reach || mayBeUntrusted(card)) return undefined;
  const coverage =
    kind === undefined ? narrowCoverage(card) : coveragesOf(card).find((one) => one.kind === kind);
  return coverage && { reach, decision: 'allow', where: coverage.where };
}

/** Answers the calls of a card and describes the outcome. */
function answerCard(
  app: Pick<App, 'runs'>,
  place: RunRef,
  card: readonly ShownCall[],
  { answer, planned }: { readonly answer: string; readonly planned: boolean },
): string {
  const grant = requestedGrant(card, answer);
  const answers = decisions(card, grant?.decision === 'allow' ? 'yes' : answer, planned);
  const answered = app.runs.answer(place, answers, grant);
  if (!answered.ok) return describeError(answered.error);
  const unread = !planned && insteadIn(answer) !== undefined ? [unreadWords] : [];
  return [outcomeOf(answers, grant !== undefined), ...unread].join(' ');
}

const unreadWords = 'No model planned this run, so nobody reads your words.';

const choice = (text: string): TextLine => ({ text, style: 'quiet' });

function choicesOf(card: readonly ShownCall[], planned: boolean): readonly TextLine[] {
  const instead = planned ? [choice('  n: WORDS    no, instead: the model plans on with your words')] : [];
  if (card.some(isQuestion)) return [choice('  y           yes'), choice('  n           no'), ...instead];
  const some =
    card.length > 1
      ? [
          choice('  1,3  2-5    approve only these'),
          choice('  ? 3         show call 3'),
          choice('  / TEXT      list the calls that contain TEXT'),
        ]
      : [];
  const isTool = card.every(({ tool }) => tool.startsWith('mcp://'));
  const narrow = describeCoverage(
    narrowCoverage(card),
    card.map(({ tool }) => tool),
  );
  return [
    choice('  y           approve exactly this, once'),
    ...some,
    choice('  n           do not approve'),
    ...instead,
    choice(`  e           change the arguments${card.length > 1 ? ' (e 2: of call 2)' : ''}`),
    choice('  x           show the exact arguments'),
    ...(isTool ? scopeLines(card, narrow, !mayBeUntrusted(card)) : []),
  ];
}

/** What is known of the plan of a run that asks. */
interface KnownPlan extends Pick<RunState, 'plan' | 'runId' | 'source'> {
  readonly announces?: RunState['announces'] | undefined;
}

/** The open questions of one card. */
interface Dialogue {
  readonly place: RunRef;
  readonly ids: readonly string[];
  /** Aborts when no question of the card is open any more, or the run has ended. */
  readonly signal: AbortSignal;
}

/** The titles of the steps that ask on a card, by node id. */
type StepTitles = ReadonlyMap<string, string>;

/** The calls of a card that contain the filter, a line each with the number of the call. */
function listLines(card: readonly ShownCall[], titles: StepTitles, filter = ''): readonly TextLine[] {
  const width = String(card.length).length;
  const several = new Set(card.map(({ nodeId }) => nodeId)).size > 1;
  const step = ({ nodeId }: ShownCall): string => (several ? ` (${titles.get(nodeId) ?? nodeId})` : '');
  const lines = card.map(
    (shown, at) => `  ${String(at + 1).padStart(width)}  ${targetLine(shown)}${step(shown)}`,
  );
  const found = lines.filter((line) => line.toLowerCase().includes(filter.toLowerCase()));
  return found.length === 0 ? [{ text: 'No call matches.' }] : found.map((text) => ({ text }));
}

function cardLines(card: readonly ShownCall[], titles: StepTitles): readonly TextLine[] {
  const [first] = card;
  if (first && isQuestion(first)) return card.flatMap(questionLines);
  if (first && card.length === 1) return callLines(first);
  return [{ text: `${card.length} calls wait for your approval:` }, ...listLines(card, titles)];
}

/**
 * Shows pending calls together, with what they change. An empty answer means no, and so does the end of the input;
 * one that is no choice is asked for again.
 */
export function createApprovalPrompts(app: Pick<App, 'editApproval' | 'runs'>, terminal: Terminal) {
  const closed = new AbortController();
  const open = new Map<string, ShownCall>();
  const unplanned = new Set<string>();
  const titles = new Map<string, string>();

  /** Ends the dialogue of a card, by one of its questions. */
  const withdrawals = new Map<string, AbortController>();

  const read = async (prompt: string, signal: AbortSignal): Promise<string> => {
    const answer = await terminal.readLine(prompt, { signal, discardTypeahead: true });
    return answer?.trim() ?? '';
  };
  const show = (lines: readonly TextLine[]): void => {
    for (const { text, style } of lines) terminal.log(text, style);
  };
  /** Edits one call; false when the answer was not a request to edit. */
  const edited = async (
    card: readonly ShownCall[],
    answer: string,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const match = /^e(?:dit)?(?:\s+(\d+))?$/i.exec(answer);
    const shown = match ? card[Number(match[1] ?? 1) - 1] : undefined;
    if (!shown || isQuestion(shown)) return false;
    const input = await read('Arguments, as JSON: ', signal);
    // Empty input keeps the arguments, and so does the end of the run.
    if (input === '') return true;
    const value = parseJson(input);
    if (!value.ok) terminal.log(value.error);
    else {
      const { approvalId, hash } = shown;
      const taken = await app.editApproval({ approvalId, hash, arguments: value.value });
      if (!taken.ok) terminal.log(describeError(taken.error));
    }
    return true;
  };
  /** Shows more of a card; false when the answer did not ask for it. */
  const showed = (card: readonly ShownCall[], answer: string): boolean => {
    const shown = card[Number(/^\?\s*(\d+)$/.exec(answer)?.[1]) - 1];
    const filter = card.length > 1 ? /^\/\s*(\S.*)$/.exec(answer)?.[1] : undefined;
    if (shown) show(callLines(shown));
    else if (filter !== undefined) show(listLines(card, titles, filter));
    else if (/^x$/i.test(answer)) show(exactLines(card));
    else return false;
    return true;
  };
  const choose = async (dialogue: Dialogue): Promise<void> => {
    const { place, ids, signal } = dialogue;
    const card = ids.flatMap((id) => open.get(id) ?? []);
    const prompt = card.some(isQuestion) ? 'Your answer [y/N] ' : 'Approve exactly this? [y/N] ';
    const answer = questionAnswer(card, await read(prompt, signal), terminal);
    if (signal.aborted) return;
    if (showed(card, answer)) return choose(dialogue);
    if (await edited(card, answer, signal)) return ask(dialogue);
    if (!isChoice(card, answer)) {
      terminal.log(card.every(isQuestion) ? yesOrNoHint(terminal) : notAChoice);
      return choose(dialogue);
    }
    terminal.log(answerCard(app, place, card, { answer, planned: !unplanned.has(place.runId) }));
  };
  const ask = async (dialogue: Dialogue): Promise<void> => {
    const { place, ids, signal } = dialogue;
    if (signal.aborted) return;
    const card = ids.flatMap((id) => open.get(id) ?? []);
    terminal.log('');
    show(cardLines(card, titles));
    show(choicesOf(card, !unplanned.has(place.runId)));
    return choose(dialogue);
  };
  const notePlan = ({ plan, source, runId, announces = {} }: KnownPlan): void => {
    if (source !== 'model') unplanned.add(runId);
    if (!plan) return;
    const own = new Map(plan.nodes.map(({ id, title }) => [id, title]));
    for (const [id, title] of own) titles.set(id, own.get(announces[id] ?? id) ?? title);
  };
  /** Takes the questions of a step that has ended from the user: nothing waits for their answers. */
  const withdraw = ({ runId, nodeId }: Extract<SessionEvent, { type: 'node-ended' }>): void => {
    const ids = [...open.values()].flatMap((one) =>
      one.runId === runId && one.nodeId === nodeId ? [one.approvalId] : [],
    );
    const ended = new Set(ids.flatMap((id) => withdrawals.get(id) ?? []));
    for (const id of ids) {
      open.delete(id);
      withdrawals.delete(id);
    }
    const waiting = new Set(withdrawals.values());
    for (const withdrawal of ended) if (!waiting.has(withdrawal)) withdrawal.abort();
  };
  const note = (event: SessionEvent): void => {
    if (event.type === 'plan-made') notePlan(event);
    if (event.type === 'node-ended') withdraw(event);
    if (event.type !== 'approval-edited') return;
    const before = open.get(event.approvalId);
    if (!before) return;
    const { file: _file, undo: _undo, sources: _sources, ...rest } = before;
    const { file, undo, hash } = event;
    const now = { arguments: event.arguments, hash, ...(file && { file }), ...(undo && { undo }) };
    open.set(event.approvalId, { ...rest, ...now });
  };
  return {
    /** Takes over the plan of a run that is resumed: no event says it again. */
    onResume: ({ proposal, ...run }: RunState): void => {
      const source = proposal?.source ?? run.source;
      if (source) notePlan({ ...run, source });
    },
    onEvents(events: readonly SessionEvent[]): void {
      const cards = new Map<string, { readonly place: RunRef; readonly ids: string[] }>();
      for (const event of events) {
        note(event);
        if (event.type !== 'approval-requested') continue;
        open.set(event.approvalId, event);
        const key = event.card ?? event.approvalId;
        const { sessionId, runId } = event;
        const ids = [...(cards.get(key)?.ids ?? []), event.approvalId];
        cards.set(key, { place: { sessionId, runId }, ids });
      }
      for (const card of cards.values()) {
        const withdrawal = new AbortController();
        for (const id of card.ids) withdrawals.set(id, withdrawal);
        const signal = AbortSignal.any([closed.signal, withdrawal.signal]);
        void terminal.inTurn(() => ask({ ...card, signal }));
      }
    },
    /** Withdraws open questions because the run has ended. */
    close: (): void => closed.abort(),
  };
}
