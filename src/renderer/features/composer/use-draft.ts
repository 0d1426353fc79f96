import { maxMessageLength } from '#shared/input-line';
import { aboutTokens } from '#shared/text-tokens';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { useApp, useView } from '../../store/app-context';
import { newSessionDraft, startingDraft } from '../../store/drafts';
import { fold, foldFrom, placeholdersIn, unfold, type Field, type Paste } from './pasted-text';
import { usePlaceholders, type PlaceholderEdits } from './use-placeholders';

/**
 * The part of the draft that affects how the composer looks; it changes rarely, however fast the user types.
 */
interface FieldState {
  readonly filled: boolean;
  /** A longer text fills the field anyway, so it is no longer measured on every keystroke. */
  readonly long: boolean;
  /** The length of a text that is too long to send, else 0; in UTF-16 units. */
  readonly excess: number;
  /** About how many tokens it has. */
  readonly tokens: number;
  readonly pastes: readonly Paste[];
}

const blank: FieldState = { filled: false, long: false, excess: 0, tokens: 0, pastes: [] };

/** A longer text is judged by its beginning, so that no key counts all of it. */
const countedCharacters = 2_000;
/** Fewer tokens change nothing that the user sees. */
const tokenStep = 50;

function roughTokens(text: string): number {
  const counted = text.slice(0, countedCharacters);
  const tokens = (aboutTokens(counted) * text.length) / Math.max(1, counted.length);
  return Math.round(tokens / tokenStep) * tokenStep;
}

function fieldStateOf(field: Field, text: string): FieldState {
  const { length } = text;
  const marks = [...new Set(placeholdersIn(field).map(({ placeholder }) => placeholder))];
  return {
    filled: field.text.trim() !== '',
    long: field.text.length > foldFrom,
    excess: length > maxMessageLength ? length : 0,
    tokens: roughTokens(text),
    pastes: marks.map((placeholder) => ({ placeholder, text: field.pastes.get(placeholder) ?? '' })),
  };
}

function sameFieldState(a: FieldState, b: FieldState): boolean {
  return (
    a.filled === b.filled &&
    a.long === b.long &&
    a.excess === b.excess &&
    a.tokens === b.tokens &&
    a.pastes.length === b.pastes.length &&
    a.pastes.every(
      ({ placeholder, text }, index) =>
        placeholder === b.pastes[index]?.placeholder && text === b.pastes[index].text,
    )
  );
}

/** The field's current look; returns the previous object if nothing about it has changed. */
function seeing(field: Field, text: string): (known: FieldState) => FieldState {
  const next = fieldStateOf(field, text);
  return (known) => (sameFieldState(known, next) ? known : next);
}

export interface DraftField extends FieldState, PlaceholderEdits {
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>;
  /** Reports that the field's text has changed. */
  readonly changed: () => void;
  /** Returns the text to send and clears the draft; null if the text is empty or too long. */
  readonly take: () => string | null;
}

/**
 * The text itself lives in the <textarea>, not in React: a keystroke renders nothing, however long the text
 * and whatever streams above. The field does not contain long pastes, only their placeholders.
 */
export function useDraft(): DraftField {
  const { drafts, view } = useApp();
  const draftKey = useView(({ ready, sessionId }) =>
    ready ? (sessionId ?? newSessionDraft) : startingDraft,
  );
  const tick = useView(({ composerTick }) => composerTick);
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const pastesRef = useRef<ReadonlyMap<string, string>>(new Map());
  const [look, setLook] = useState(blank);

  const now = (): Field => ({ text: fieldRef.current?.value ?? '', pastes: pastesRef.current });
  useEffect(() => {
    const element = fieldRef.current;
    if (!element) return;
    const text = drafts.read(draftKey);
    const shown = { text: element.value, pastes: pastesRef.current };
    const next = unfold(shown).text === text ? shown : fold({ text, folds: drafts.folds(draftKey) });
    if (next !== shown) {
      element.value = next.text;
      pastesRef.current = next.pastes;
      element.setSelectionRange(next.text.length, next.text.length);
    }
    setLook(seeing(next, text));
  }, [drafts, draftKey, tick]);
  useEffect(() => {
    const field = fieldRef.current;
    // Even where nothing changes, focus() lays out the page.
    if (tick === 0 || view.store.getState().dialog !== null || document.activeElement === field) return;
    field?.focus();
  }, [tick, view]);

  const changed = () => {
    const shown = now();
    const { text, folds } = unfold(shown);
    drafts.write(draftKey, text, folds);
    setLook(seeing(shown, text));
  };
  const take = (): string | null => {
    const { text } = unfold(now());
    if (text.trim() === '' || text.length > maxMessageLength) return null;
    if (fieldRef.current) fieldRef.current.value = '';
    pastesRef.current = new Map();
    changed();
    return text;
  };
  const marks = usePlaceholders(fieldRef, pastesRef);
  return { fieldRef, ...look, changed, take, ...marks };
}
