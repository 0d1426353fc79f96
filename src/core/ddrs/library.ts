import type { ConfigProblem } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { DdrStore, StoredDdr } from '../ports/ddr-store';
import { didYouMean } from '../tools/nearest-names';
import { readDocument, type DdrDocument } from './document';
import { refuse, type Refusal } from './refusal';

/** All design records, and the problems of unreadable ones. */
export interface DdrList {
  /** Ordered by id. */
  readonly documents: readonly DdrDocument[];
  readonly problems: readonly ConfigProblem[];
}

export type Library = ReturnType<typeof createLibrary>;

const byId = (a: DdrDocument, b: DdrDocument): number => {
  const [left, right] = [a.ddr, b.ddr];
  if (left.tla !== right.tla) return left.tla < right.tla ? -1 : 1;
  return Number(left.id.slice(4)) - Number(right.id.slice(4)) || (left.id < right.id ? -1 : 1);
};

/** Caches the parsed document while its text is unchanged. */
function createReader() {
  const cache = new Map<string, { readonly text: string; readonly read: ReturnType<typeof readDocument> }>();
  return (stored: StoredDdr): ReturnType<typeof readDocument> => {
    const key = `${stored.origin}/${stored.file}`;
    const known = cache.get(key);
    if (known?.text === stored.text) return known.read;
    const read = readDocument(stored);
    cache.set(key, { text: stored.text, read });
    return read;
  };
}

function twice(document: DdrDocument, first: DdrDocument): ConfigProblem {
  const reason = `${document.ddr.id} is already in ${first.stored.file}, which is the one that is used.`;
  return { file: document.stored.file, field: 'id', rule: 'unique', reason };
}

/**
 * Creates the library. The user's documents override the seeds: a seed is listed only when the user has no
 * document with its id.
 */
export function createLibrary(store: DdrStore) {
  const read = createReader();
  const list = (): Result<DdrList, Refusal> => {
    const stored = store.read();
    if (!stored.ok) return refuse('storage', stored.error.message);
    const problems: ConfigProblem[] = [...stored.value.problems];
    const documents = new Map<string, DdrDocument>();
    for (const one of stored.value.documents) {
      const document = read(one);
      if (!document.ok) {
        problems.push(document.error);
        continue;
      }
      const first = documents.get(document.value.ddr.id);
      if (!first) documents.set(document.value.ddr.id, document.value);
      else if (one.origin === 'home') problems.push(twice(document.value, first));
    }
    return ok({ documents: [...documents.values()].sort(byId), problems });
  };
  return {
    list,
    find(id: string): Result<DdrDocument, Refusal> {
      const all = list();
      if (!all.ok) return all;
      const found = all.value.documents.find(({ ddr }) => ddr.id === id);
      if (found) return ok(found);
      const near = didYouMean(
        id,
        all.value.documents.map(({ ddr }) => ddr.id),
      );
      return err({ code: 'not_found', message: `There is no DDR "${id}".${near ? ` ${near}` : ''}` });
    },
  };
}
