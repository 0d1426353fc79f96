import { isListed } from '#shared/control-plane';
import { useCallback, useId, useMemo, useState, type KeyboardEvent, type RefObject } from 'react';
import type { PageRequest } from '../../store/commands';
import { useApp, useMirror, useView } from '../../store/app-context';
import { slashRows } from '../../store/slash-lines';
import { useLatest } from '../../ui/use-latest';
import { editField } from './edit-field';
import {
  isFinished,
  itemOptions,
  nameOptions,
  slashStage,
  type SlashOption,
  type SlashStage,
} from './slash-text';

const itemsShown = 20;
const none: readonly SlashOption[] = [];

/** A slash line and the session in which it was typed. */
interface Typed {
  readonly text: string;
  readonly sessionId: string | null;
}

/** The items that match the text after a command's name. */
function usePage(stage: SlashStage | null) {
  const { commands } = useApp();
  const row = stage?.stage === 'item' ? stage.row : null;
  const rest = stage?.stage === 'item' ? stage.rest : '';
  const request = useMemo(
    (): PageRequest | null =>
      row && { source: row.resolverSource, text: rest.trim(), offset: 0, limit: itemsShown },
    [row, rest],
  );
  const latest = useLatest(request, commands.pickerPage);
  // Results for an older text or another command are not offered.
  return latest && latest.input === request && latest.output.ok ? latest.output.value : null;
}

function useOptions(draft: Typed | null) {
  const plane = useMirror((mirror) => mirror.controlPlane);
  const sessionId = useView((view) => view.sessionId);
  const rows = useMemo(() => slashRows(plane), [plane]);
  const listed = useMemo(() => rows.filter((row) => plane && isListed(plane, row)), [plane, rows]);
  const text = draft?.sessionId === sessionId ? draft.text : '';
  const stage = useMemo(() => slashStage(text, rows), [text, rows]);
  const page = usePage(stage);
  const options = useMemo(() => {
    if (!stage) return none;
    const all = stage.stage === 'name' ? nameOptions(stage.prefix, listed) : itemOptions(stage.row, page);
    return all.filter((option) => option.text !== text);
  }, [stage, listed, page, text]);
  const finished = stage !== null && isFinished(stage, rows, page);
  return { options, finished };
}

export interface SlashMenuState {
  readonly id: string;
  readonly options: readonly SlashOption[];
  readonly active: number;
  readonly activate: (index: number) => void;
  readonly complete: (option: SlashOption) => void;
  readonly leave: () => void;
}

export interface Slash extends SlashMenuState {
  /** Reports that the field's text has changed. */
  readonly read: (text: string) => void;
  /** Handles a key; returns whether the menu used it. */
  readonly pressed: (event: KeyboardEvent) => boolean;
}

/** The completions of a slash line: command names, then the items of a command. */
export function useSlash(fieldRef: RefObject<HTMLTextAreaElement | null>): Slash {
  const { view } = useApp();
  const id = useId();
  const [draft, setTyped] = useState<Typed | null>(null);
  const [selection, setSelection] = useState({ options: none, active: 0 });
  const { options, finished } = useOptions(draft);
  const active = selection.options === options ? Math.min(selection.active, options.length - 1) : 0;
  const activate = (index: number) => setSelection({ options, active: index });
  const leave = useCallback(() => setTyped(null), []);
  const complete = (option: SlashOption) => {
    const field = fieldRef.current;
    if (field) editField(field, 0, field.value.length, option.text);
  };
  const keys: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: () => activate((active + 1) % options.length),
    ArrowUp: () => activate((active + options.length - 1) % options.length),
    Escape: leave,
    Tab: () => options[active] && complete(options[active]),
    Enter: finished ? undefined : () => options[active] && complete(options[active]),
  };
  return {
    id,
    options,
    active,
    activate,
    complete,
    leave,
    read: (text) => {
      // Typing without a slash renders nothing.
      if (text.startsWith('/')) setTyped({ text, sessionId: view.store.getState().sessionId });
      else leave();
    },
    pressed: (event) => {
      const act = options.length > 0 ? keys[event.key] : undefined;
      if (!act) return false;
      event.preventDefault();
      act();
      return true;
    },
  };
}
