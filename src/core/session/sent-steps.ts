import type { ContextItem } from '#shared/context-item';
import type { SentStepView } from '#shared/sent-step';
import type { SessionEvent } from '#shared/session-event';
import { textHash } from './turn-steps';

/** The calls that contain the user's line. */
const takesLine: ReadonlySet<SentStepView['part']> = new Set(['reply', 'plan', 'repair']);

type Counter = (text: string) => number;

/**
 * The model calls of a turn exactly as sent. A block's text is recorded with the first call of the session
 * that contained it and is never rebuilt, so neither a later version of Patina nor the removal of a snapshot
 * changes what is shown.
 */
export function sentSteps(
  events: readonly SessionEvent[],
  turn: number,
  countTokens: Counter,
): readonly SentStepView[] {
  const texts = new Map<string, string>();
  const steps: SentStepView[] = [];
  let items: readonly ContextItem[] | undefined;
  for (const event of events) {
    if (event.type === 'message-sent' && event.turn === turn) items = event.items;
    if (event.type !== 'model-step-started') continue;
    for (const [hash, text] of Object.entries(event.texts)) texts.set(hash, text);
    if (event.turn !== turn) continue;
    const { part, at, node, snapshot, promptPack, toolCatalog, tools, images } = event;
    const blocks = event.blocks.map(({ source, hash }) => {
      const recorded = texts.get(hash);
      const text = recorded !== undefined && textHash(recorded) === hash ? recorded : null;
      return { source, hash, text, tokens: text === null ? 0 : countTokens(text) };
    });
    steps.push({
      part,
      at,
      snapshot,
      promptPack,
      toolCatalog,
      blocks,
      tools,
      ...(items && takesLine.has(part) && { items }),
      ...(images && { images }),
      ...(node !== undefined && { node }),
    });
  }
  return steps;
}
