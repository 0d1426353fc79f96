import type { TaintSource } from '#shared/approval';
import type { Json } from '#shared/json';
import { shapeOf } from '#shared/result-shape';
import type { AttachedItem } from '../ports/agent';
import type { UserMessage } from '../ports/llm';
import { attachedHeading, markedItem } from '../tools/item-text';
import { attachedName } from './each';
import { jsonOfText } from './json-text';
import type { NodeOutcome } from './node-run';

/** The most tokens that one item, and all items of a line together, may take of a planning call. */
const maxItemTokens = 1_500;
const maxAllTokens = 4_000;

type WithItems = { readonly attached?: readonly AttachedItem[] | undefined };

/** What a script reads of an item: its text, or the value of a text that is JSON. */
function valueOf({ item, text }: AttachedItem): Json {
  if (text === null) return { kind: item.kind, name: item.ref, bytes: item.bytes };
  return jsonOfText(text) ?? text;
}

/** Items are untrusted: their texts come from files, pages and other sessions. */
export const attachedOrigins = ({ attached = [] }: WithItems): readonly TaintSource[] =>
  attached.map(({ item }) => ({ source: `attached: ${item.ref}`, nodeId: attachedName, trusted: false }));

/** The items of a line as an input of scripts, by their number from 1; null without items. */
export function attachedInput({ attached = [] }: WithItems): NodeOutcome | null {
  if (attached.length === 0) return null;
  const state = Object.fromEntries(attached.map((one, at) => [String(at + 1), valueOf(one)]));
  const origins = attachedOrigins({ attached });
  return { id: attachedName, status: 'done', summary: '', state, origins, cached: false };
}

/** How an item that is too long for the planner appears: what it is, its shape and where to read it. */
function digest(one: AttachedItem, place: number): string {
  const { tokens } = one.item;
  const read = { id: attachedName, path: `/${place}` };
  return JSON.stringify({ tokens, shape: shapeOf(valueOf(one)), read_result: read });
}

/** The items in full as long as they are short, in their order. */
function shownTexts(attached: readonly AttachedItem[]): readonly string[] {
  let left = maxAllTokens;
  return attached.map((one, at) => {
    const { item, text, image } = one;
    if (image) return markedItem(item, at + 1, '(an image, sent with this message)');
    const fits = text !== null && item.tokens <= maxItemTokens && item.tokens <= left;
    if (fits) left -= item.tokens;
    return markedItem(item, at + 1, fits ? text : digest(one, at + 1));
  });
}

/** A line of the user with its items, as a planning call receives them. */
export function attachedText(
  line: string,
  { attached = [] }: WithItems,
): Pick<UserMessage, 'content' | 'images'> {
  if (attached.length === 0) return { content: line };
  const scripts = `A script reads each one in full as inputs.${attachedName}[n], n from 1.`;
  const images = attached.flatMap(({ image }) => image ?? []);
  return {
    content: [`${attachedHeading} ${scripts}`, ...shownTexts(attached), line].join('\n\n'),
    ...(images.length > 0 && { images }),
  };
}

/** The items of an earlier line, without their texts. */
export function earlierText(line: string, { attached = [] }: WithItems): string {
  const names = attached.map(({ item }) => `${item.kind} ${JSON.stringify(item.ref)}`);
  return names.length === 0 ? line : `${line}\n\n[attached, not shown again: ${names.join(', ')}]`;
}
