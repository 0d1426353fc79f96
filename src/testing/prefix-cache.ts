/** Characters per token, as an estimate that is the same for every request. */
const charactersPerToken = 4;
/** Below this a provider caches nothing, and above it whole steps. */
const smallestPrefix = 1_024;
const step = 128;
/** How many blocks before a mark are looked up. */
const lookBack = 20;

/** What a request's input would have been charged as, in estimated tokens. */
export interface CachedInput {
  readonly input: number;
  readonly cached: number;
}

type Body = Readonly<Record<string, unknown>>;

interface Block {
  readonly text: string;
  readonly marked: boolean;
}

/**
 * The cache that providers describe, computed from the requests they receive: input counts as cached only where
 * it equals an earlier request from its first byte on; where the protocol has marks (`cache_control`), only up to
 * a mark, and never without one.
 */
export function createPrefixCache({ marks: needsMarks }: { readonly marks: boolean }) {
  const earlier: string[] = [];
  const written = new Set<string>();
  const automatic = (whole: string): number => {
    const longest = Math.max(0, ...earlier.map((before) => commonLength(before, whole)));
    const tokens = Math.floor(longest / charactersPerToken);
    return tokens < smallestPrefix ? 0 : Math.floor(tokens / step) * step;
  };
  const atMarks = (blocks: readonly Block[]): number => {
    const prefixes = blocks.map((_, at) =>
      blocks
        .slice(0, at + 1)
        .map(({ text }) => text)
        .join('\n'),
    );
    const marks = blocks.flatMap(({ marked }, at) => (marked ? [at] : []));
    const read = marks.flatMap((mark) =>
      prefixes.slice(Math.max(0, mark - lookBack), mark + 1).filter((prefix) => written.has(prefix)),
    );
    for (const mark of marks) written.add(prefixes[mark] ?? '');
    const tokens = Math.floor(Math.max(0, ...read.map(({ length }) => length)) / charactersPerToken);
    return tokens < smallestPrefix ? 0 : tokens;
  };
  return {
    receive(body: Body): CachedInput {
      const blocks = blocksOf(body);
      const whole = blocks.map(({ text }) => text).join('\n');
      const cached = needsMarks ? atMarks(blocks) : automatic(whole);
      earlier.push(whole);
      return { input: Math.floor(whole.length / charactersPerToken), cached };
    },
  };
}

function commonLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The order in which providers read a request: tools, system message, conversation. */
function blocksOf(body: Body): readonly Block[] {
  const messages = [...listOf(body['messages']), ...listOf(body['input'])];
  return [
    ...listOf(body['tools']),
    ...(typeof body['system'] === 'string' ? [body['system']] : listOf(body['system'])),
    ...(body['instructions'] === undefined ? [] : [body['instructions']]),
    ...messages.flatMap(contentOf),
  ].map(blockOf);
}

/** The blocks of a message, each with its role, so that a moved mark changes no other byte. */
function contentOf(message: unknown): readonly unknown[] {
  if (typeof message !== 'object' || message === null || !('content' in message)) return [message];
  const { content, ...rest } = message;
  return Array.isArray(content) ? content.map((block: unknown) => ({ ...rest, block })) : [message];
}

function blockOf(value: unknown): Block {
  let marked = false;
  const text = JSON.stringify(value, (name, inner: unknown) => {
    if (name !== 'cache_control') return inner;
    marked = true;
    return undefined;
  });
  return { text, marked };
}
