import { z } from 'zod';
import type { ConfigProblem } from './app-error';
import { call } from './ipc-call';
import { SnapshotHash } from './workspace';
import type { SnapshotFileDiff } from './workspace-call';

/** A file of a project with instructions for models. */
export interface InstructionFile {
  /** Relative to the project folder with `/`; a file of a folder above it begins with `../`. */
  readonly path: string;
  readonly bytes: number;
  readonly tokens: number;
  /** How the file on disk differs from the adopted one. */
  readonly status: 'new' | 'adopted' | 'changed' | 'removed';
}

/** The instructions that a project brings along, and what the user decided about them. */
export interface InstructionFilesView {
  readonly project: string;
  /** Names exactly what was read; null when there is nothing to adopt. */
  readonly found: string | null;
  /** Names what models read; null: nothing was adopted. */
  readonly adopted: string | null;
  /** Whether the user refused them, so that nothing suggests them again. */
  readonly dropped: boolean;
  readonly files: readonly InstructionFile[];
  /** Files that cannot be adopted, each with the rule that it breaks. */
  readonly problems: readonly ConfigProblem[];
  /** From what is adopted to what is on disk. */
  readonly changes: readonly Omit<SnapshotFileDiff, 'kind'>[];
}

const sessionId = z.string().min(1).max(64).optional();

/** Calls about the instructions that the project of a session, or of new sessions, brings along. */
export const instructionFileCalls = {
  /** Reads them; null without a project folder. */
  'instruction-files': call<InstructionFilesView | null>()(z.object({ sessionId })),
  /** Adopts exactly what was shown. HOST/STATE when the files differ from it by now. */
  'instruction-files-adopt': call<InstructionFilesView | null>()(
    z.object({ sessionId, found: SnapshotHash }),
  ),
  /** From now on models read none of them. */
  'instruction-files-drop': call<InstructionFilesView | null>()(z.object({ sessionId })),
} as const;
