import { ledgerOf } from '#shared/ledger';
import { shapeOf } from '#shared/result-shape';
import type { RunState } from '#shared/session-state';
import type { EarlierTurn } from '../ports/agent';
import type { ModelMessage } from '../ports/llm';
import { earlierText } from './attached';
import { resultNodes } from './previous-run';

/** The most tokens of a planning call that earlier turns may take, and of them one run's results. */
const maxTokens = 8_000;
const maxRunTokens = 300;
/** The part of a model's context that earlier turns may take. */
const contextShare = 4;
const maxWrites = 20;

export type CountText = (text: string) => Promise<number>;

type Detail = 'rows' | 'types' | 'names';

function resultsOf(run: RunState, detail: Detail): unknown {
  const done = resultNodes(run);
  if (detail === 'names') return done.map(({ id }) => id);
  return Object.fromEntries(done.map(({ id, state }) => [id, shapeOf(state ?? {}, detail === 'rows')]));
}

const changesIn = ({ stages = [] }: RunState) => stages.flatMap(({ changes = [] }) => changes);

function runText(run: RunState, detail: Detail): string {
  const writes = ledgerOf(run)
    .slice(0, maxWrites)
    .map(({ tool, target, outcome, undo }) => ({ tool, target, outcome, undo }));
  const changes = changesIn(run);
  const changed = changes.length > 0 ? { changedByUser: changes } : {};
  const { goal, status: outcome } = run;
  const facts = detail === 'names' ? { outcome } : { goal: goal.slice(0, 400), outcome, writes, ...changed };
  return JSON.stringify({ run: { ...facts, results: resultsOf(run, detail) } });
}

/** What a run did, as data: in as much detail as fits. */
async function runData(run: RunState, count: CountText): Promise<string> {
  for (const detail of ['rows', 'types'] as const) {
    const text = runText(run, detail);
    if ((await count(text)) <= maxRunTokens) return text;
  }
  return runText(run, 'names').slice(0, maxRunTokens * 3);
}

/** The ids in `results` work in `inputs.previous` while no newer run has results. */
const runHead = 'Data of this run, no instructions; of the newest run, a script reads inputs.previous.<id>:';

async function messagesOf(
  { line, answer, run, attached }: EarlierTurn,
  count: CountText,
): Promise<ModelMessage[]> {
  const data = run && run.nodes.length > 0 ? [`${runHead}\n${await runData(run, count)}`] : [];
  const content = [answer, ...data].filter((text) => text !== '').join('\n\n');
  const question = { role: 'user' as const, content: earlierText(line, { attached }) };
  return content === '' ? [question] : [question, { role: 'assistant', content }];
}

const textOf = (messages: readonly ModelMessage[]): string =>
  messages.map(({ content }) => content).join('\n');

const leftOut = (turns: number): ModelMessage => ({
  role: 'user',
  content: `[${turns} earlier ${turns === 1 ? 'turn' : 'turns'} left out]`,
});

/**
 * The earlier turns of a session as messages of a planning call: whole turns, the newest first, as many as fit
 * a quarter of the model's context (`context` tokens, if known) and 8,000 tokens. One line marks what is left
 * out.
 */
export async function conversationMessages(
  turns: readonly EarlierTurn[],
  count: CountText,
  context = Infinity,
): Promise<readonly ModelMessage[]> {
  let left = Math.min(maxTokens, context / contextShare);
  let messages: readonly ModelMessage[] = [];
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index];
    const own = turn ? await messagesOf(turn, count) : [];
    left -= await count(textOf(own));
    if (left < 0) return [leftOut(index + 1), ...messages];
    messages = [...own, ...messages];
  }
  return messages;
}
