import { foldedWords } from '../control-plane/fold';

const starters = new Set('use start run begin launch execute do open trigger initiate'.split(' '));

/** What workflows are called, by position: folded names ("create ddr") and exact ids. */
export interface WorkflowNames {
  readonly names: ReadonlyMap<string, readonly number[]>;
  readonly ids: ReadonlyMap<string, number>;
}

/** Ids written out: `create_ddr` is a name wherever it stands; a plain word is one only where a workflow is asked for. */
function idsIn(index: WorkflowNames, message: string): readonly number[] {
  const tokens =
    message
      .normalize('NFKC')
      .toLowerCase()
      .match(/[a-z0-9_]+/gu) ?? [];
  return [...new Set(tokens)].flatMap((token) => {
    const owner = token.includes('_') ? index.ids.get(token) : undefined;
    return owner === undefined ? [] : [owner];
  });
}

/** "Use workflow: create_ddr", "Start the code-refinement workflow." (TUL-006 §3.3). */
function namesIn(index: WorkflowNames, message: string): readonly number[] {
  const words = foldedWords(message);
  const at = words.findIndex((word) => word === 'workflow');
  const verb = words.findIndex((word) => starters.has(word));
  if (at < 0 || verb < 0 || verb > at) return [];
  const article = (name: readonly string[]): string =>
    name.filter((word, i) => i > 0 || word !== 'the').join(' ');
  const between = article(words.slice(verb + 1, at));
  const after = words.slice(at + 1);
  const named = after.length > 0 && between === '' ? after.slice(0, 12) : [];
  const spoken = [between, ...named.map((_word, i) => named.slice(0, i + 1).join(' '))];
  return [...new Set(spoken.flatMap((name) => index.names.get(name) ?? []))];
}

/** The workflows a message names, which beats every pattern (TUL-006 §3.3). */
export const namedIn = (index: WorkflowNames, message: string): readonly number[] => [
  ...new Set([...idsIn(index, message), ...namesIn(index, message)]),
];
