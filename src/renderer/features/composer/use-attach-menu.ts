import {
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import type { AttachOption } from '#shared/context-item';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { useLatest } from '../../ui/use-latest';
import { editField } from './edit-field';
import type { SlashOption } from './slash-text';
import type { Slash } from './use-slash';

/** An `@` at the beginning of a word, with what was typed after it on its line, up to the caret. */
interface Mention {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Has a space outside quotes: it may be a name, or the words after one. */
  readonly spaced: boolean;
}

/** Longer words are not looked for. */
const maxMentionLength = 200;
const none: readonly AttachOption[] = [];

function mentionAt(line: string, caret: number): Mention | null {
  const before = line.slice(Math.max(0, caret - maxMentionLength), caret);
  const [, query, quoted] = /(?:^|\s)@("([^"\n]*)"?|(?:(?!\s@)[^"\n])*)$/.exec(before) ?? [];
  if (query === undefined) return null;
  const spaced = quoted === undefined && /\s/.test(query);
  return { start: caret - query.length - 1, end: caret, text: quoted ?? query, spaced };
}

/** Whether a name, or a later part of its path, begins with the text. */
const begins = ({ name }: AttachOption, text: string): boolean =>
  `/${name}`.toLowerCase().includes(`/${text.toLowerCase()}`);

function noteOf({ source, kind }: AttachOption): string {
  if (source.type === 'symbol') return text('items.kinds.symbol');
  return kind === 'file' ? '' : text(`items.kinds.${kind}`);
}

function aboutOf({ source, about }: AttachOption): string {
  return source.type === 'diff' ? text(source.staged ? 'items.staged' : 'items.uncommitted') : about;
}

const optionOf = (option: AttachOption, at: number): SlashOption => ({
  key: `${at} ${option.kind} ${option.name}`,
  text: option.name,
  name: option.kind === 'diff' ? `@${option.name}` : option.name,
  note: noteOf(option),
  about: aboutOf(option),
});

export interface AttachMenu extends Slash {
  /**
   * Enter while the options for the typed name are not there yet: takes the first of them when they arrive, or does
   * `otherwise` when there are none; typing on ends the wait. Returns whether it waits.
   */
  readonly waits: (event: KeyboardEvent, otherwise: () => void) => boolean;
}

/** The menu of what can be attached, while the caret is behind an `@`. It takes the same keys as the slash menu. */
export function useAttachMenu(fieldRef: RefObject<HTMLTextAreaElement | null>): AttachMenu {
  const { commands } = useApp();
  const id = useId();
  const [mention, setMention] = useState<Mention | null>(null);
  const [selection, setSelection] = useState({ of: none, active: 0 });
  const query = mention?.text;
  const request = useMemo(() => (query === undefined ? null : { query }), [query]);
  const ask = useCallback((input: { query: string }) => commands.attachOptions(input.query), [commands]);
  const latest = useLatest(request, ask);
  const listed = mention && latest?.output.ok ? latest.output.value : none;
  const found = useMemo(
    () => (mention?.spaced ? listed.filter((option) => begins(option, mention.text)) : listed),
    [listed, mention],
  );
  // The options for an older text stay until those for this one are there, but no key takes one of them.
  const current = latest?.input === request;
  const options = useMemo(() => found.map(optionOf), [found]);
  const active = selection.of === found ? Math.min(selection.active, found.length - 1) : 0;
  const activate = (index: number) => setSelection({ of: found, active: index });
  const leave = useCallback(() => setMention(null), []);
  const complete = (option: SlashOption) => {
    const field = fieldRef.current;
    const chosen = found[options.indexOf(option)];
    if (!field || !mention || !chosen) return;
    editField(field, mention.start, mention.end, '');
    leave();
    void commands.attach(chosen.source, chosen.name);
  };
  const take = () => current && options[active] && complete(options[active]);
  const awaited = useRef<{ readonly request: typeof request; readonly otherwise: () => void } | null>(null);
  useEffect(() => {
    const wait = awaited.current;
    const over = current || wait?.request !== request;
    if (!wait || !over) return;
    awaited.current = null;
    if (wait.request !== request) return;
    if (options[0]) complete(options[0]);
    else wait.otherwise();
  });
  const keys: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: () => activate((active + 1) % options.length),
    ArrowUp: () => activate((active + options.length - 1) % options.length),
    Escape: leave,
    Tab: take,
    Enter: take,
  };
  return {
    id,
    options,
    active,
    activate,
    complete,
    leave,
    waits: (event, otherwise) => {
      if (event.key !== 'Enter' || current || !mention || mention.spaced) return false;
      event.preventDefault();
      awaited.current = { request, otherwise };
      return true;
    },
    read: (line) => {
      const caret = fieldRef.current?.selectionStart ?? line.length;
      // Typing without an `@` renders nothing.
      const next = line.includes('@') ? mentionAt(line, caret) : null;
      // Words that no name begins with end it; no name begins with more of them.
      const ended = !mention || (mention.spaced && current && found.length === 0);
      if (next?.spaced && ended) leave();
      else if (next || mention) setMention(next);
    },
    pressed: (event: KeyboardEvent) => {
      const act = options.length > 0 ? keys[event.key] : undefined;
      if (!act) return false;
      event.preventDefault();
      act();
      return true;
    },
  };
}
