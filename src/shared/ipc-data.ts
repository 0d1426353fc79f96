import { z } from 'zod';
import { call } from './ipc-call';
import type { ChosenPack, PackList } from './pack';
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
  'pack-list': call<PackList>()(nothing),
  /** Asks for a folder and reads the pack in it; null when the user cancels. Errors: CONFIG/INVALID. */
  'pack-choose': call<ChosenPack | null>()(nothing),
  /** Copies the pack chosen last into Patina's folder, for the next start. HOST/STATE when none is. */
  'pack-install': call<null>()(nothing),
  /** Takes a pack out of Patina's folder, for the next start; its files are kept beside it. */
  'pack-remove': call<null>()(z.object({ id: z.string().min(1).max(64) })),
  /** Asks for a place and saves everything there; null when the user cancels. */
  'backup-save': call<string | null>()(nothing),
  /** Asks for a backup, checks it and prepares it for the next start; null when the user cancels. */
  'backup-restore': call<string | null>()(nothing),
};
