import type { SearchHit } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { Clock } from '../ports/clock';
import type { SentenceEncoder } from '../ports/sentence-encoder';
import type { SessionOpening } from '../ports/session-store';
import type { SessionLog } from './session-log';

/** Hits that are put in order by meaning: those that a reader sees first. */
const firstPage = 10;
/** A search does not wait longer for the encoder, which may still have to load. */
const maxWaitMs = 400;
/** The newest sessions, whose titles and first lines are compared. */
const newestSessions = 300;
const maxSimilar = 5;
/** Sentences that are less close have little in common. */
const minCloseness = 0.3;
/** How much the first places count over later ones when two orders are mixed. */
const rankOffset = 5;

export interface SessionSearchDeps {
  readonly log: Pick<SessionLog, 'search' | 'openings'>;
  readonly encoder: SentenceEncoder;
  readonly clock: Clock;
}

const withoutMarks = (snippet: string): string => snippet.replace(/[\u0001\u0002…]/g, '').trim();

/** Mixes the order of the words with the order by meaning: each place counts, the first ones most. */
function mixed(hits: readonly SearchHit[], closeness: readonly number[]): readonly SearchHit[] {
  const byMeaning = hits.map((_, at) => at).sort((a, b) => (closeness[b] ?? 0) - (closeness[a] ?? 0));
  const score = (at: number): number => 1 / (rankOffset + at) + 1 / (rankOffset + byMeaning.indexOf(at));
  return hits
    .map((hit, at) => ({ hit, score: score(at) }))
    .sort((a, b) => b.score - a.score)
    .map(({ hit }) => hit);
}

export type SessionSearch = ReturnType<typeof createSessionSearch>;

/** Searches the messages of all sessions by words, and by meaning where the encoder is available. */
export function createSessionSearch({ log, encoder, clock }: SessionSearchDeps) {
  const inTime = <T>(work: Promise<T>): Promise<T | null> =>
    new Promise((resolve) => {
      const cancel = clock.after(maxWaitMs, () => resolve(null));
      void work.then((value) => {
        cancel();
        resolve(value);
      });
    });
  return {
    /** The hits for the words; the first ones in an order to which their meaning contributes. */
    async search(text: string): Promise<Result<readonly SearchHit[]>> {
      const found = log.search(text);
      if (!found.ok || found.value.length < 2 || !encoder.available()) return found;
      const page = found.value.slice(0, firstPage);
      const texts = page.map(({ sessionTitle, snippet }) => `${sessionTitle}. ${withoutMarks(snippet)}`);
      const closeness = await inTime(encoder.compare({ query: text, texts }));
      return closeness ? ok([...mixed(page, closeness), ...found.value.slice(firstPage)]) : found;
    },
    /** Sessions whose title or first line is close in meaning, nearest first; none without the encoder. */
    async similar(text: string): Promise<Result<readonly SearchHit[]>> {
      if (text.trim() === '' || !encoder.available()) return ok([]);
      const listed = log.openings(newestSessions);
      if (!listed.ok) return listed;
      const texts = listed.value.flatMap(({ title, line }) => [title, line].filter((one) => one !== ''));
      const unique = [...new Set(texts)];
      const closeness = await encoder.compare({ query: text, texts: unique, set: 'sessions' });
      if (!closeness) return ok([]);
      const of = new Map(unique.map((one, at) => [one, closeness[at] ?? 0]));
      const near = (opening: SessionOpening): number =>
        Math.max(of.get(opening.title) ?? 0, of.get(opening.line) ?? 0);
      const hits = listed.value
        .map((opening) => ({ opening, closeness: near(opening) }))
        .filter((one) => one.closeness >= minCloseness)
        .sort((a, b) => b.closeness - a.closeness)
        .slice(0, maxSimilar)
        .map(({ opening: { sessionId, title, turn, line } }) => ({
          sessionId,
          sessionTitle: title,
          turn,
          snippet: line,
        }));
      return ok(hits);
    },
  };
}
