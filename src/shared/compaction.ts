import { z } from 'zod';
import { ModelRef, Usage } from './model';

const upTo = z.number().int().nonnegative();

/** Facts about the part of a conversation that a model reads in short form. */
export const compactionFacts = [
  z.object({
    type: z.literal('history-compacted'),
    /** The last turn that the summary stands for; it covers that turn and those before it on its path. */
    upTo,
    summary: z.string(),
    by: z.enum(['model', 'rule']),
    /** The model call that wrote the summary. */
    usage: Usage.optional(),
    /** The model of that call. */
    model: ModelRef.optional(),
  }),
  z.object({ type: z.literal('compaction-undone'), upTo }),
] as const;

type CompactionFact = z.infer<(typeof compactionFacts)[number]>;

/** A summary that models read in place of a turn and those before it. */
export interface Compaction {
  readonly upTo: number;
  readonly summary: string;
  readonly by: 'model' | 'rule';
  readonly at: number;
  /** The number of turns when it was made. */
  readonly turns: number;
  readonly usage?: Usage;
  readonly model?: ModelRef;
  /** The user took it back: models read the turns themselves again. */
  readonly undone?: true;
}

/** The compactions of a session after one more fact. */
export function applyCompactionFact(
  {
    compactions = [],
    turnCount,
  }: { readonly compactions?: readonly Compaction[]; readonly turnCount: number },
  fact: CompactionFact & { readonly at: number },
): readonly Compaction[] {
  if (fact.type === 'history-compacted') {
    const { type: _type, upTo: last, summary, by, usage, model, at } = fact;
    const spent = { ...(usage && { usage }), ...(model && { model }) };
    return [...compactions, { upTo: last, summary, by, at, turns: turnCount, ...spent }];
  }
  const undone = compactions.findLastIndex((each) => each.upTo === fact.upTo && !each.undone);
  return compactions.map((each, at) => (at === undone ? { ...each, undone: true } : each));
}
