import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { appError } from '#shared/app-error';
import { TaintSource } from '#shared/approval';
import { ArtifactHandle } from '#shared/execution';
import { err, ok } from '#shared/result';
import type { LabelledArtifactStore } from '../../../core/ports/sandbox';
import { writeFileAtomic } from '../system/atomic-file';

const Label = z.array(TaintSource);
type Origins = NonNullable<ReturnType<LabelledArtifactStore['originsOf']>>;

const keyOf = ({ source, nodeId, trusted }: Origins[number]): string => `${source} ${nodeId} ${trusted}`;

/**
 * Stores the origins of each artifact in a file beside it: `<hash>.origins`. An unreadable file counts as
 * missing.
 */
export function createArtifactLabels(
  placeOf: (hash: string) => string,
): Pick<LabelledArtifactStore, 'label' | 'originsOf'> {
  const fileOf = (handle: string): string | null =>
    ArtifactHandle.safeParse(handle).success
      ? `${placeOf(handle.slice(handle.lastIndexOf('/') + 1))}.origins`
      : null;
  const originsOf = (handle: string): Origins | null => {
    const file = fileOf(handle);
    if (file === null) return null;
    try {
      return Label.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch {
      return null;
    }
  };
  return {
    originsOf,
    label(handle, origins) {
      const file = fileOf(handle);
      if (file === null) return err(appError('HOST', 'INVALID_INPUT', 'This is not an artifact handle.'));
      const known = originsOf(handle);
      // Identical content from two sources may come from either, so keep the origins of both.
      const all = [...new Map([...(known ?? []), ...origins].map((one) => [keyOf(one), one])).values()];
      if (known && all.length === known.length) return ok(null);
      try {
        writeFileAtomic(file, JSON.stringify(all));
        return ok(null);
      } catch {
        return err(appError('HOST', 'STORAGE', 'The origin of an artifact could not be saved.'));
      }
    },
  };
}
