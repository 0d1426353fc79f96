import { z } from 'zod';
import type { ModelRef } from './model';
import type { SessionFact } from './session-event';
import { maxTime, type ImportSource, type SkippedItems, type SkippedKind } from './session-file';

/** A fact with its time, in milliseconds since the epoch. */
interface TimedFact {
  readonly fact: SessionFact;
  readonly at: number;
}

/** A conversation of another app, as the facts of a session; `key` identifies it in its source. */
export interface ImportedChat {
  readonly key: string;
  readonly turns: number;
  readonly facts: readonly TimedFact[];
}

/** Counts of what a conversation contains and a session cannot. */
type Skip = (what: SkippedKind) => void;

/** A message of either app; `other` is a part of the tree without text for people, such as a tool call. */
interface Message {
  readonly id: string;
  readonly parent: string | null;
  readonly role: 'user' | 'assistant' | 'other';
  readonly text: string;
  readonly at: number;
  /** The model that wrote it, where the export says so. */
  readonly model?: string;
}

interface Chat {
  readonly key: string;
  readonly title: string;
  readonly at: number;
  readonly messages: readonly Message[];
  /** The message that the conversation ends with. */
  readonly last: string | undefined;
}

/** The texts of a reply so far, the newest first: branches share what they have in common. */
interface ReplyTexts {
  readonly message: Message;
  readonly before: ReplyTexts | null;
}

interface Position {
  readonly message: Message;
  /** The line that is being answered on this path. */
  readonly line: Message | null;
  readonly replies: ReplyTexts | null;
  /** The turn before that line, -1 at the beginning. */
  readonly parent: number;
}

function textsOf(replies: ReplyTexts | null): readonly Message[] {
  const found: Message[] = [];
  for (let at = replies; at; at = at.before) found.push(at.message);
  return found.reverse();
}

/** An imported reply names its app; no provider of this home answers for it. */
const modelOf = (name: string): ModelRef => ({ providerId: '', model: name });

interface Turn {
  readonly turn: number;
  readonly line: Message;
  readonly parent: number;
  readonly regenerates: number | undefined;
  readonly replies: readonly Message[];
}

function factsOf(turn: Turn, providerName: string): readonly TimedFact[] {
  const { line, replies, parent, regenerates } = turn;
  const text = replies.map((reply) => reply.text).join('\n\n');
  const model = modelOf(replies.findLast((reply) => reply.model !== undefined)?.model ?? '');
  const from = replies[0]?.at ?? line.at;
  const to = replies.at(-1)?.at ?? from;
  const number = { turn: turn.turn };
  return [
    {
      at: line.at,
      fact: {
        type: 'message-sent',
        ...number,
        text: line.text,
        runMode: 'ask',
        model,
        ...(parent !== turn.turn - 1 && { parent }),
        ...(regenerates !== undefined && { regenerates }),
      },
    },
    { at: from, fact: { type: 'reply-started', ...number, model, providerName } },
    ...(text === '' ? [] : [{ at: to, fact: { type: 'reply-extended' as const, ...number, text } }]),
    // History has no failures to see to: a line that the export has no words for counts as stopped.
    { at: to, fact: { type: 'reply-ended', ...number, outcome: text === '' ? 'stopped' : 'done' } },
  ];
}

function childrenOf(messages: readonly Message[]): ReadonlyMap<string | null, readonly Message[]> {
  const known = new Set(messages.map(({ id }) => id));
  const children = new Map<string | null, Message[]>();
  for (const message of messages) {
    const parent = message.parent !== null && known.has(message.parent) ? message.parent : null;
    const siblings = children.get(parent);
    if (siblings) siblings.push(message);
    else children.set(parent, [message]);
  }
  // An export lists its messages in any order; siblings have the order in which they were written.
  for (const siblings of children.values()) siblings.sort((one, other) => one.at - other.at);
  return children;
}

/** Where a message stands: a line begins a turn, and a reply with words belongs to the line before it. */
function stands(place: Position): Pick<Position, 'line' | 'replies'> {
  const { message, line, replies } = place;
  if (message.role === 'user') return { line: message, replies: null };
  const speaks = message.role === 'assistant' && message.text !== '';
  return { line, replies: speaks ? { message, before: replies } : replies };
}

interface TurnTree {
  readonly turns: Turn[];
  readonly firstTurnOf: Map<string, number>;
  readonly turnAtMessage: Map<string, number>;
}

/** Adds the turn that ends with this message, and returns its number. */
function addTurn({ turns, firstTurnOf, turnAtMessage }: TurnTree, place: Position, line: Message): number {
  const turn = turns.length;
  const regenerates = firstTurnOf.get(line.id);
  if (regenerates === undefined) firstTurnOf.set(line.id, turn);
  turnAtMessage.set(place.message.id, turn);
  turns.push({ turn, line, parent: place.parent, regenerates, replies: textsOf(place.replies) });
  return turn;
}

/** The place of a message after another one; `turn` is the turn that ends there. */
const placeAfter = ({ line, replies, parent }: Position, message: Message, turn: number): Position => ({
  message,
  line,
  replies: line ? replies : null,
  parent: message.role === 'user' ? turn : parent,
});

/**
 * Turns a tree of messages into a tree of turns: a turn is a line and the replies up to the next line. A line with
 * several replies becomes several turns that answer it. Every message is visited once, in a loop, so that a deep or
 * broken tree costs no stack; messages in a cycle are never reached.
 */
function turnsOf(chat: Chat, skip: Skip): { turns: readonly Turn[]; head: number | undefined } {
  const children = childrenOf(chat.messages);
  const tree: TurnTree = { turns: [], firstTurnOf: new Map(), turnAtMessage: new Map() };
  const root = (message: Message): Position => ({ message, line: null, replies: null, parent: -1 });
  const open: Position[] = (children.get(null) ?? []).map(root).reverse();
  for (let place = open.pop(); place; place = open.pop()) {
    const here: Position = { ...place, ...stands(place) };
    const next = children.get(here.message.id) ?? [];
    const ends = next.length === 0 || next.some(({ role }) => role === 'user');
    if (!here.line && here.replies) skip('reply before the first line');
    const turn = here.line && ends ? addTurn(tree, here, here.line) : here.parent;
    open.push(...next.map((message) => placeAfter(here, message, turn)).reverse());
  }
  return { turns: tree.turns, head: chat.last === undefined ? undefined : tree.turnAtMessage.get(chat.last) };
}

function imported(chat: Chat, providerName: string, skip: Skip): ImportedChat | null {
  const { turns, head } = turnsOf(chat, skip);
  const last = turns.at(-1);
  if (!last) {
    skip('empty conversation');
    return null;
  }
  const facts = turns.flatMap((turn) => factsOf(turn, providerName));
  const end = facts.reduce((latest, { at }) => Math.max(latest, at), chat.at);
  const moved = head !== undefined && head !== last.turn;
  return {
    key: chat.key,
    turns: turns.length,
    facts: [
      { at: chat.at, fact: { type: 'session-created', title: chat.title, project: null } },
      ...facts,
      ...(moved ? [{ at: end, fact: { type: 'branch-chosen' as const, turn: head } }] : []),
    ],
  };
}

const title = z.string().nullish();
const seconds = z.number().nullish();
const milliseconds = (value: number | null | undefined, fallback: number): number =>
  typeof value === 'number' && value > 0 && value * 1000 <= maxTime ? Math.round(value * 1000) : fallback;

const ChatGptMessage = z.object({
  author: z.object({ role: z.string() }),
  create_time: seconds,
  recipient: z.string().nullish(),
  content: z.looseObject({
    content_type: z.string(),
    parts: z.array(z.unknown()).nullish(),
    text: z.string().nullish(),
  }),
  metadata: z
    .object({
      model_slug: z.string().nullish(),
      is_visually_hidden_from_conversation: z.boolean().nullish(),
      attachments: z.array(z.looseObject({ mime_type: z.string().nullish() })).nullish(),
      content_references: z
        .array(z.looseObject({ matched_text: z.string().nullish(), alt: z.string().nullish() }))
        .nullish(),
    })
    .nullish(),
});
type ChatGptMessage = z.infer<typeof ChatGptMessage>;
/** Where a message is in the tree; the message itself is read alone, so that an odd one does not lose the others. */
const ChatGptNode = z.object({
  id: z.string(),
  parent: z.string().nullish(),
  message: z.unknown(),
});
const ChatGptChat = z.object({
  id: z.string().nullish(),
  conversation_id: z.string().nullish(),
  title,
  create_time: seconds,
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), ChatGptNode),
});
type ChatGptNode = z.infer<typeof ChatGptNode>;

const partNames: readonly (readonly [start: string, what: SkippedKind])[] = [
  ['image', 'picture'],
  ['audio', 'sound'],
  ['real_time', 'sound'],
  ['video', 'video'],
];

function partText(part: unknown, skip: Skip): readonly string[] {
  if (typeof part === 'string') return part === '' ? [] : [part];
  const type = (part as { content_type?: unknown } | null)?.content_type;
  const text = (part as { text?: unknown } | null)?.text;
  if (type === 'audio_transcription' && typeof text === 'string') return [text];
  const named = partNames.find(([start]) => typeof type === 'string' && type.startsWith(start));
  skip(named?.[1] ?? 'other part');
  return [];
}

/** A fence that the text does not contain, so that the text cannot end it. */
function fenced(text: string): string {
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return `${fence}\n${text}\n${fence}`;
}

const contentNames: Readonly<Record<string, SkippedKind>> = {
  thoughts: 'thinking',
  reasoning_recap: 'thinking',
  user_editable_context: 'custom instructions',
  execution_output: 'tool result',
  tether_quote: 'tool result',
  tether_browsing_display: 'tool result',
};

/** The name of a kind of part; a type of an export may have the name of anything that all objects have. */
const nameOf = (names: Readonly<Record<string, SkippedKind>>, type: string): SkippedKind | undefined =>
  Object.hasOwn(names, type) ? names[type] : undefined;

/** What a message is that a session cannot contain; null for words of the user or the model, '' for nothing. */
function otherKind({ author, content, recipient, metadata }: ChatGptMessage): SkippedKind | '' | null {
  const named = nameOf(contentNames, content.content_type);
  if (named !== undefined) return named;
  const words = metadata?.is_visually_hidden_from_conversation === true ? 'hidden message' : null;
  switch (author.role) {
    case 'user':
      return words;
    case 'assistant':
      return (recipient ?? 'all') === 'all' ? words : 'tool call';
    case 'tool':
      return 'tool result';
    case 'system':
      return (content.parts ?? []).some((part) => part !== '') ? 'system message' : '';
    default:
      return 'other message';
  }
}

/** A place in a reply that ChatGPT draws as a link or a name: text between two characters of private use. */
const drawnPlace = / ?\ue200[^\ue200\ue201]*\ue201/g;

/** Writes what ChatGPT draws in a reply as the text that its export has for it. */
function withReferences(text: string, metadata: ChatGptMessage['metadata']): string {
  const references = metadata?.content_references ?? [];
  const texts = new Map(references.map(({ matched_text: place, alt }) => [place, alt]));
  return text.replace(drawnPlace, (found) => {
    const place = found.trimStart();
    const shown = texts.get(place);
    return shown ? `${found.slice(0, found.length - place.length)}${shown}` : '';
  });
}

function chatGptText({ content, metadata }: ChatGptMessage, skip: Skip): string {
  const { content_type: type, parts, text } = content;
  const code = type === 'code' && text ? [fenced(text)] : [];
  const texts = [...(parts ?? []), ...code].flatMap((part) => partText(part, skip));
  for (const { mime_type: of } of metadata?.attachments ?? []) if (!of?.startsWith('image/')) skip('file');
  return withReferences(texts.join('\n\n'), metadata);
}

/** The words of a line; a line of nothing but a picture or a file names that, for no model takes an empty line. */
function lineText(read: (skip: Skip) => string, skip: Skip): string {
  const left: string[] = [];
  const text = read((what) => {
    left.push(what);
    skip(what);
  });
  return text === '' ? left.map((what) => `[${what}]`).join(' ') : text;
}

function chatGptMessage({ id, parent, message }: ChatGptNode, at: number, skip: Skip): Message {
  const place = { id, parent: parent ?? null };
  const none = { ...place, at, role: 'other', text: '' } as const;
  if (message === null || message === undefined) return none;
  const { data: read } = ChatGptMessage.safeParse(message);
  const other = read ? otherKind(read) : 'unreadable message';
  if (other) skip(other);
  if (!read || other !== null) return none;
  const base = { ...place, at: milliseconds(read.create_time, at) };
  const words = (left: Skip): string => chatGptText(read, left);
  if (read.author.role === 'user') return { ...base, role: 'user', text: lineText(words, skip) };
  const model = read.metadata?.model_slug;
  return { ...base, role: 'assistant', text: words(skip), ...(model && { model }) };
}

function chatGpt(value: unknown, skip: Skip): ImportedChat | null {
  const read = ChatGptChat.safeParse(value);
  if (!read.success) {
    skip('unreadable conversation');
    return null;
  }
  const { mapping, current_node: last, create_time: begun, ...chat } = read.data;
  const at = milliseconds(begun, 0);
  const messages = Object.values(mapping).map((node) => chatGptMessage(node, at, skip));
  return imported(
    {
      key: chat.conversation_id ?? chat.id ?? '',
      title: chat.title ?? '',
      at,
      messages,
      last: last ?? undefined,
    },
    'ChatGPT',
    skip,
  );
}

const ClaudePlace = z.object({ uuid: z.string(), parent_message_uuid: z.string().nullish() });
const ClaudeMessage = z.object({
  sender: z.string(),
  text: z.string().nullish(),
  created_at: z.string().nullish(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().nullish() })).nullish(),
  attachments: z
    .array(z.looseObject({ file_name: z.string().nullish(), extracted_content: z.string().nullish() }))
    .nullish(),
  files: z.array(z.unknown()).nullish(),
});
type ClaudeMessage = z.infer<typeof ClaudeMessage>;
const ClaudeChat = z.object({
  uuid: z.string(),
  name: title,
  created_at: z.string().nullish(),
  current_leaf_message_uuid: z.string().nullish(),
  chat_messages: z.array(ClaudePlace.loose()),
});

const timeOf = (text: string | null | undefined, fallback: number): number => {
  const at = Date.parse(text ?? '');
  return Number.isFinite(at) && at > 0 ? at : fallback;
};

const claudePartNames: Readonly<Record<string, SkippedKind>> = {
  thinking: 'thinking',
  tool_use: 'tool call',
  tool_result: 'tool result',
  voice_note: 'sound',
};

function claudeText({ text, content, attachments, files }: ClaudeMessage, skip: Skip): string {
  const parts = (content ?? []).flatMap((part) => {
    if (part.type === 'text') return part.text ? [part.text] : [];
    skip(nameOf(claudePartNames, part.type) ?? 'other part');
    return [];
  });
  const attached = (attachments ?? []).flatMap(({ file_name: name, extracted_content: inside }) => {
    if (!inside) skip('file');
    return inside ? [`${name || 'Attached text'}:\n\n${fenced(inside)}`] : [];
  });
  for (const _file of files ?? []) skip('file');
  const words = parts.length > 0 ? parts : text ? [text] : [];
  return [...words, ...attached].join('\n\n');
}

function claudeWords(message: unknown, fallback: number, skip: Skip): Omit<Message, 'id' | 'parent'> {
  const { data: read } = ClaudeMessage.safeParse(message);
  const at = timeOf(read?.created_at, fallback);
  const words = (left: Skip): string => (read ? claudeText(read, left) : '');
  if (read?.sender === 'human') return { role: 'user', text: lineText(words, skip), at };
  if (read?.sender === 'assistant') return { role: 'assistant', text: words(skip), at };
  skip(read ? 'other message' : 'unreadable message');
  return { role: 'other', text: '', at };
}

function claude(value: unknown, skip: Skip): ImportedChat | null {
  const read = ClaudeChat.safeParse(value);
  if (!read.success) {
    skip('unreadable conversation');
    return null;
  }
  const { chat_messages: all, ...chat } = read.data;
  const at = timeOf(chat.created_at, 0);
  const messages = all.map((message, index): Message => {
    // Older exports are a list: each message follows the one before it.
    const parent = message.parent_message_uuid ?? all[index - 1]?.uuid ?? null;
    return { id: message.uuid, parent, ...claudeWords(message, at, skip) };
  });
  const last = chat.current_leaf_message_uuid ?? undefined;
  return imported({ key: chat.uuid, title: chat.name ?? '', at, messages, last }, 'Claude', skip);
}

const has = (value: unknown, key: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key);

/** The app that wrote a list of conversations; null when no entry looks like one. */
export function chatSourceOf(list: readonly unknown[]): Exclude<ImportSource, 'patina'> | null {
  if (list.some((value) => has(value, 'mapping'))) return 'chatgpt';
  return list.some((value) => has(value, 'chat_messages')) ? 'claude' : null;
}

/** Counts skipped items by what they are. */
export function createSkipCounter() {
  const counts = new Map<SkippedKind, number>();
  return {
    skip: (what: SkippedKind): void => void counts.set(what, (counts.get(what) ?? 0) + 1),
    counted: (): readonly SkippedItems[] =>
      [...counts].map(([what, count]) => ({ what, count })).sort((a, b) => b.count - a.count),
  };
}

/**
 * One conversation of an export as the facts of a session; null when there is nothing to import. `skip` is called
 * for each part that a session cannot contain.
 */
export const importChat = (
  source: Exclude<ImportSource, 'patina'>,
  value: unknown,
  skip: Skip,
): ImportedChat | null => (source === 'chatgpt' ? chatGpt(value, skip) : claude(value, skip));
