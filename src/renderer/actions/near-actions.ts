import type { Turn } from '#shared/session-state';
import { useEffect, useState } from 'react';
import { useApp, useMirror } from '../store/app-context';
import { isAvailable, useActionRows, type ActionRow } from './action-rows';

const maxShown = 3;
/** Milliseconds without typing before the nearest actions are looked for. */
const pauseMs = 250;
/** A longer line is seldom a command. */
const maxWords = 8;

/** Whether sentences can be compared by meaning now. */
export const useSentenceEncoder = (): boolean =>
  useMirror(({ info, settings }) => (info?.sentenceEncoder ?? false) && settings.searchByMeaning);

/** Whether a line that no command took has the shape of one: short, on one line, and no question or code. */
export function mayMeanAction({ text, route }: Turn): boolean {
  if (route?.action.type !== 'continue-with-llm') return false;
  const { reasonCode } = route.action;
  if (reasonCode !== 'no-match' && reasonCode !== 'unresolved') return false;
  return !/[?\n=<>{}()`;$\\]/.test(text) && text.trim().split(/\s+/).length <= maxWords;
}

/**
 * At most three available actions that are nearest to a text in meaning; null while they are not known, `unavailable`
 * when nothing can compare them now. Without a
 * text it looks for none. A local model is asked too, for what the user has requested.
 */
export function useNearActions(
  text: string | null,
  localModel?: string,
): readonly ActionRow[] | 'unavailable' | null {
  const app = useApp();
  const encoder = useSentenceEncoder();
  const rows = useActionRows();
  const [found, setFound] = useState<{
    readonly text: string;
    readonly ids: readonly string[] | null;
  } | null>(null);
  const wanted = encoder || localModel !== undefined ? (text?.trim() ?? '') : '';
  useEffect(() => {
    if (wanted === '') return;
    let current = true;
    const timer = setTimeout(() => {
      void app.commands.nearActions(wanted, localModel).then((near) => {
        if (current) setFound({ text: wanted, ids: near.ok ? near.value : null });
      });
    }, pauseMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [app, wanted, localModel]);
  if (wanted === '' || found?.text !== wanted) return null;
  if (found.ids === null) return 'unavailable';
  return found.ids
    .flatMap((id) => rows.find((row) => row.id === id) ?? [])
    .filter((row) => row.id !== 'palette' && isAvailable(row, app))
    .slice(0, maxShown);
}
