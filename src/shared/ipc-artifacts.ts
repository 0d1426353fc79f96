import { z } from 'zod';
import { ArtifactHandle } from './execution';
import { call } from './ipc-call';

/** Part of an artifact's text. */
export interface ArtifactText {
  readonly text: string;
  /** Size of the whole artifact. */
  readonly bytes: number;
  readonly lines: number;
  /** Whether `text` was truncated before the end of the requested range. */
  readonly cut: boolean;
}

const line = z.number().int().positive();

/** An image that can be drawn directly; it loads from no other address. */
export interface ArtifactImage {
  /** `data:image/…;base64,…` */
  readonly dataUrl: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** Calls about artifacts of a session's project. */
export const artifactCalls = {
  /**
   * Reads the text, or the lines from `from` to `to` (1-based, inclusive); with `grep`, only those of them
   * that contain it. At most a million characters at once. HOST/NOT_FOUND, HOST/STORAGE.
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
   * Saves the whole artifact to a file that the user chooses and returns the file's path; null when the user
   * chose none. HOST/NOT_FOUND, HOST/STORAGE.
   */
  'artifact-save': call<string | null>()(
    z.object({
      sessionId: z.string().min(1).max(64),
      handle: ArtifactHandle,
      /** Suggested file name. */
      name: z.string().min(1).max(200),
      /** The artifact is base64 text; decode it when saving. */
      base64: z.boolean().optional(),
    }),
  ),
  /**
   * An image from a tool's result, stored as base64 text. HOST/NOT_FOUND; HOST/INVALID_INPUT for an image of
   * another type, or too large to draw.
   */
  'artifact-image': call<ArtifactImage>()(
    z.object({
      sessionId: z.string().min(1).max(64),
      handle: ArtifactHandle,
      mimeType: z.string().max(200),
    }),
  ),
} as const;
