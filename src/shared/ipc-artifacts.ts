import { z } from 'zod';
import { ArtifactHandle } from './execution';
import { call } from './ipc-call';

/** Part of an artifact's text. */
export interface ArtifactText {
  readonly text: string;
  /** Of the whole artifact. */
  readonly bytes: number;
  readonly lines: number;
  /** Whether `text` ends before what was asked for does. */
  readonly cut: boolean;
}

const line = z.number().int().positive();

/** An image that can be drawn as it is: no other address is loaded for it. */
export interface ArtifactImage {
  /** `data:image/…;base64,…` */
  readonly dataUrl: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** What the window asks about artifacts of a session's project. */
export const artifactCalls = {
  /**
   * Its text, the lines from `from` to `to` (counted from 1, both included), of these only those that hold `grep`; at most
   * a million characters at once. HOST/NOT_FOUND, HOST/STORAGE.
   */
  'artifact-read': call<ArtifactText>()(
    z.object({
      sessionId: z.string().min(1).max(64),
      handle: ArtifactHandle,
      from: line.optional(),
      to: line.optional(),
      grep: z.string().max(1_000).optional(),
    }),
  ),
  /**
   * Writes it whole to a file that the user chooses, and gives that file's path; null when none was chosen.
   * HOST/NOT_FOUND, HOST/STORAGE.
   */
  'artifact-save': call<string | null>()(
    z.object({
      sessionId: z.string().min(1).max(64),
      handle: ArtifactHandle,
      /** What the file is called unless the user says otherwise. */
      name: z.string().min(1).max(200),
      /** The artifact is the base64 text of what the file is to hold. */
      base64: z.boolean().optional(),
    }),
  ),
  /**
   * An image of a tool's result, whose artifact is its base64 text. HOST/NOT_FOUND; HOST/INVALID_INPUT for one that is not
   * of that type, or too large to be drawn.
   */
  'artifact-image': call<ArtifactImage>()(
    z.object({
      sessionId: z.string().min(1).max(64),
      handle: ArtifactHandle,
      mimeType: z.string().max(200),
    }),
  ),
} as const;
