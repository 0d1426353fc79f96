import { all, createLowlight } from 'lowlight';

/** All grammars; a separate bundle chunk, loaded only for a less common language. */
export function createAllGrammars() {
  return createLowlight(all);
}
