import { sameJson, type JsonObject } from '#shared/json';
import { useCallback, useState } from 'react';

/** Fields that are different now, but for those that hold what was saved from here. */
function changedElsewhere(before: JsonObject, now: JsonObject, own: JsonObject): readonly string[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const same = (one: JsonObject, field: string): boolean => sameJson(one[field] ?? null, now[field] ?? null);
  return fields.filter((field) => !same(before, field) && !(field in own && same(own, field)));
}

export interface Elsewhere {
  /** Fields somebody else changed while the draft is open: a model, the command line. */
  readonly fields: readonly string[];
  readonly seen: () => void;
}

/** Tells what others change in a draft that is open; `own` is what was saved from here. */
export function useElsewhere(now: JsonObject, own: JsonObject): Elsewhere {
  const [known, setKnown] = useState(now);
  const [changed, setChanged] = useState<readonly string[]>([]);
  if (known !== now) {
    setKnown(now);
    const more = changedElsewhere(known, now, own);
    if (more.length > 0) setChanged([...new Set([...changed, ...more])]);
  }
  return { fields: changed, seen: useCallback(() => setChanged([]), []) };
}
