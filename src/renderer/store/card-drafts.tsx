import { parseJson } from '#shared/json';
import { createContext, use, useMemo, useState, type ReactNode } from 'react';
import type { z } from 'zod';
import { useApp } from './app-context';
import { cardDraft } from './drafts';

interface CardDrafts {
  /** What was typed, as JSON; empty: nothing. */
  readonly read: (card: string) => string;
  readonly write: (card: string, draft: string) => void;
}

/** Outside the window, what is typed into a card lives as long as the card. */
const CardDraftsContext = createContext<CardDrafts>({ read: () => '', write: () => undefined });

/** Stores what is typed into the cards inside it with their owner: a session, or the servers. */
export function CardDraftsOf({ owner, children }: { readonly owner: string; readonly children: ReactNode }) {
  const { drafts } = useApp();
  const ofOwner = useMemo(
    (): CardDrafts => ({
      read: (card) => drafts.read(cardDraft(owner, card)),
      write: (card, draft) => drafts.write(cardDraft(owner, card), draft),
    }),
    [drafts, owner],
  );
  return <CardDraftsContext value={ofOwner}>{children}</CardDraftsContext>;
}

/** Tells whether something is typed into a card that was not sent. */
export function useIsTyped(): (card: string) => boolean {
  const { read } = use(CardDraftsContext);
  return (card) => read(card) !== '';
}

/**
 * What the user types into a card: it is there again when the card is drawn again, also in the next window, until it
 * is sent or dropped. A stored value that does not fit the schema is ignored.
 */
export function useCardDraft<T>(card: string, schema: z.ZodType<T>, first: () => T) {
  const { read, write } = use(CardDraftsContext);
  const [initial] = useState(first);
  const [restored] = useState(() => {
    const stored = parseJson(read(card));
    return schema.safeParse(stored.ok ? stored.value : undefined);
  });
  const [value, setValue] = useState(restored.success ? restored.data : initial);
  return {
    value,
    /** The user typed it before, so that its field does not take the focus. */
    restored: restored.success,
    type: (entered: T) => {
      setValue(entered);
      const json = JSON.stringify(entered);
      write(card, json === JSON.stringify(initial) ? '' : json);
    },
    /** Forgets it once it was sent or dropped; the card shows it until it is gone. */
    drop: () => write(card, ''),
  };
}
