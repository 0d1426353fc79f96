import type { JsonObject } from '#shared/json';
import { useCallback, useState } from 'react';

const none: JsonObject = {};

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** Fields that are different now, but for those that hold what was saved from here. */
function changedElsewhere(before: JsonObject, now: JsonObject, own: JsonObject): readonly string[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return fields.filter(
    (field) => !same(before[field], now[field]) && !(field in own && same(own[field], now[field])),
  );
}

export interface Elsewhere {
  /** Fields somebody else changed while the draft is open: a model, the command line. */
  readonly fields: readonly string[];
  /** What is saved from here is no news. */
  readonly saving: (edits: JsonObject) => void;
  readonly seen: () => void;
}

/** Tells what others change in a draft that is open. */
export function useElsewhere(fields: JsonObject | null): Elsewhere {
  const now = fields ?? none;
  const [known, setKnown] = useState(now);
  const [own, setOwn] = useState<JsonObject>({});
  const [changed, setChanged] = useState<readonly string[]>([]);
  if (known !== now) {
    setKnown(now);
    const more = changedElsewhere(known, now, own);
    if (more.length > 0) setChanged([...new Set([...changed, ...more])]);
  }
  const saving = useCallback((edits: JsonObject) => setOwn((held) => ({ ...held, ...edits })), []);
  const seen = useCallback(() => setChanged([]), []);
  return { fields: changed, saving, seen };
}
