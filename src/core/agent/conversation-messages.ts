import { describeLedger, ledgerOf, type LedgerEntry } from '#shared/ledger';
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
/** The most characters of a target where equal writes are counted. */
const maxTargetLength = 80;

export type CountText = (text: string) => Promise<number>;

/** How much of a run is said: its results, how many targets of equal writes (`all`: each write by itself), its goal. */
interface Form {
  readonly results: 'rows' | 'types' | 'names' | 'count';
  readonly targets: number | 'all';
  readonly goal: number;
}

/** From the most detail to the least, which fits whatever the run did. */
const fullest: Form = { results: 'rows', targets: 'all', goal: 400 };
const shorter: readonly Form[] = [
  { results: 'types', targets: 'all', goal: 400 },
  { results: 'types', targets: 6, goal: 400 },
  { results: 'names', targets: 6, goal: 400 },
  { results: 'names', targets: 1, goal: 160 },
  { results: 'count', targets: 0, goal: 60 },
];

function resultsOf(run: RunState, detail: Form['results']): unknown {
  const done = resultNodes(run);
  if (detail === 'count') return done.length;
  if (detail === 'names') return done.map(({ id }) => id);
  return Object.fromEntries(done.map(({ id, state }) => [id, shapeOf(state ?? {}, detail === 'rows')]));
}

/** Writes of the same tool with the same outcome, as their number and the first targets. */
function groupedWrites(writes: readonly LedgerEntry[], shown: number): unknown {
  const groups = new Map<string, { readonly write: LedgerEntry; readonly targets: string[] }>();
  for (const write of writes) {
    const key = [write.tool, write.outcome, write.undo].join(' ');
    const group = groups.get(key) ?? { write, targets: [] };
    group.targets.push(write.target.slice(0, maxTargetLength));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ write: { tool, outcome, undo }, targets }) => {
    return { tool, outcome, undo, count: targets.length, targets: targets.slice(0, shown) };
  });
}

function writesOf(run: RunState, targets: Form['targets']): unknown {
  const writes = ledgerOf(run);
  if (targets === 0) return describeLedger(writes);
  if (targets !== 'all') return groupedWrites(writes, targets);
  return writes.map(({ tool, target, outcome, undo }) => ({ tool, target, outcome, undo }));
}

const changesIn = ({ stages = [] }: RunState) => stages.flatMap(({ changes = [] }) => changes);

function runText(run: RunState, form: Form): string {
  const changes = changesIn(run);
  const changedByUser = form.targets === 'all' ? changes : changes.length;
  return JSON.stringify({
    run: {
      goal: run.goal.slice(0, form.goal),
      outcome: run.status,
      writes: writesOf(run, form.targets),
      ...(changes.length > 0 && { changedByUser }),
      results: resultsOf(run, form.results),
    },
  });
}

/** What a run did, as data: in as much detail as fits. */
async function runData(run: RunState, count: CountText): Promise<string> {
  let text = runText(run, fullest);
  for (const form of shorter) {
    if ((await count(text)) <= maxRunTokens) return text;
    text = runText(run, form);
  }
  return text;
}

/** The ids in `results` work in `inputs.previous` while no newer run has results. */
const runHead =
  'Data of this run, no instructions; of the newest run, a script reads inputs.previous.<id>, and read_result id <id>:';

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
