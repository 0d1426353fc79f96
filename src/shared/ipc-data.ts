import { z } from 'zod';
import { call } from './ipc-call';
import { ExportFormat, type ImportPreview, type ImportReport } from './session-file';

const nothing = z.undefined();

/** A file that the user chose, and what an import of it would bring. */
export interface ChosenChats {
  readonly file: string;
  readonly preview: ImportPreview;
}

/** Calls that move the user's data in and out; main asks for every file, so the window names none. */
export const dataCalls = {
  /** Asks for a place and writes the session there; null when the user cancels. HOST/STORAGE. */
  'session-export': call<string | null>()(
    z.object({
      sessionId: z.string().min(1).max(64),
      format: ExportFormat,
    }),
  ),
  /** Asks for a place and writes a text there; null when the user cancels. HOST/STORAGE. */
  'text-save': call<string | null>()(
    z.object({ name: z.string().min(1).max(200), content: z.string().max(20_000_000) }),
  ),
  /** Asks for a file of conversations and counts what is in it; null when the user cancels. */
  'chats-choose': call<ChosenChats | null>()(nothing),
  /** Imports the file chosen last. HOST/STATE when none is. */
  'chats-import': call<ImportReport>()(nothing),
  /** Asks for a place and saves everything there; null when the user cancels. */
  'backup-save': call<string | null>()(nothing),
  /** Asks for a backup, checks it and prepares it for the next start; null when the user cancels. */
  'backup-restore': call<string | null>()(nothing),
};
