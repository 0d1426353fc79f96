import { z } from 'zod';
import type { ArtifactImage } from './ipc-artifacts';
import { call } from './ipc-call';

/** A longer source is shown as code. */
export const maxDiagramLength = 20_000;

/** What became of a diagram: a picture, or why there is none. */
export type DiagramAnswer =
  | { readonly drawn: ArtifactImage }
  | { readonly problem: 'syntax'; readonly line?: number }
  | { readonly problem: 'too-large' | 'late' };

/** Calls for pictures in a reply: drawn here, or loaded because the user asked for it. */
export const pictureCalls = {
  /** Draws a mermaid diagram; it waits for those asked for before. */
  'diagram-draw': call<DiagramAnswer>()(
    z.object({ source: z.string().max(maxDiagramLength), dark: z.boolean() }),
  ),
  /**
   * Loads the picture at an http or https address, from the host in the address and no other. HOST/INVALID_INPUT,
   * HOST/NOT_FOUND.
   */
  'picture-load': call<ArtifactImage>()(z.object({ url: z.string().max(4_096) })),
} as const;
