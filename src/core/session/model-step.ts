import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { FactOf } from '#shared/session-event';
import type { ModelStep, SessionState } from '#shared/session-state';
import { imagesOf, withoutBytes } from './prompt';
import type { PromptText } from '../ports/prompt-text';
import type { StepMaterial } from './step-material';

/** The parts of a model call that are sent besides the conversation. */
export interface SentStep {
  readonly turn: number;
  readonly part: ModelStep['part'];
  readonly blocks: readonly PromptText[];
  readonly tools: readonly string[];
  /** The plan node that makes the call. */
  readonly node?: string;
}

export const textHash = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/**
 * The record of a model call: its workspace snapshot and each block, with the texts that the session has not
 * stored yet.
 */
export function modelStepFact(
  { sentTexts }: Pick<SessionState, 'sentTexts'>,
  { snapshot, promptPack, toolCatalog }: StepMaterial,
  { turn, part, blocks, tools, node }: SentStep,
): FactOf<'model-step-started'> {
  const hashed = blocks.map(({ source, text }) => ({ source, hash: textHash(text), text }));
  const images = imagesOf(blocks).map(withoutBytes);
  const newBlocks = hashed.filter(({ hash }) => !sentTexts.includes(hash));
  return {
    type: 'model-step-started',
    turn,
    part,
    snapshot,
    promptPack,
    toolCatalog,
    blocks: hashed.map(({ source, hash }) => ({ source, hash })),
    texts: Object.fromEntries(newBlocks.map(({ hash, text }) => [hash, text])),
    ...(images.length > 0 && { images }),
    tools: [...tools],
    ...(node !== undefined && { node }),
  };
}
