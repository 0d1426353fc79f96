import type { InstructionFilesView } from '#shared/instruction-files';
import type { Notice } from '#shared/notice';
import type { Clock } from '../ports/clock';
import type { InstructionFiles } from './instruction-files';

export interface SuggestInstructionsDeps {
  readonly files: Pick<InstructionFiles, 'check' | 'find'>;
  /** The project of a session, or of new sessions for null; null: none. */
  readonly projectOf: (sessionId: string | null) => string | null;
  /**
   * Notifies the listener of any change in these folders, excluding subfolders. Returns the function that
   * stops watching.
   */
  readonly watch: (folders: readonly string[], listener: () => void) => () => void;
  readonly clock: Pick<Clock, 'after'>;
  readonly raise: (notice: Notice) => void;
  readonly withdraw: (id: string) => void;
}

/** Says that a project brings instructions along, or that adopted ones changed; adopts nothing. */
export type InstructionSuggestions = ReturnType<typeof createInstructionSuggestions>;

/** Programs write several files at once, and a project folder changes often. */
const debounceMs = 1_000;
const maxFolders = 32;
const noticeId = 'project-instructions';

/** What the user should know about the instructions of a project; null when everything is decided. Pure. */
function instructionNotice(view: InstructionFilesView): Notice | null {
  const { adopted, dropped, found, files, changes } = view;
  if (dropped || changes.length === 0) return null;
  const base = { id: noticeId, level: 'info', section: 'instructions' } as const;
  const named = files.filter(({ status }) => status !== 'adopted').map(({ path }) => path);
  const shown = named.slice(0, 3).join(', ') + (named.length > 3 ? `, ${named.length - 3} more` : '');
  if (adopted !== null)
    return {
      ...base,
      title: "The project's instructions changed",
      detail: `${shown}. The adopted text stays in use.`,
      hint: 'Read the difference, then adopt it or not.',
    };
  if (found === null) return null;
  return {
    ...base,
    title: 'This project brings instructions for models along',
    detail: `${shown}. No model reads them yet.`,
    hint: 'Read them, then adopt them or not.',
  };
}

/** The folders whose files the instructions are. */
function foldersOf({ project, files }: InstructionFilesView): readonly string[] {
  const own = files.map(({ path }) => path.split('/').slice(0, -1).join('/'));
  const below = [...new Set(['', '.github', '.cursor/rules', ...own])];
  return below.slice(0, maxFolders).map((each) => (each === '' ? project : `${project}/${each}`));
}

/** Creates the suggestions; reads and watches nothing until it follows a session. */
export function createInstructionSuggestions(deps: SuggestInstructionsDeps) {
  const { files, watch, clock, raise, withdraw } = deps;
  let followed: string | null = null;
  let stopWatching: () => void = () => undefined;
  let cancel: () => void = () => undefined;

  const show = (view: InstructionFilesView): void => {
    const notice = instructionNotice(view);
    if (notice) raise(notice);
    else withdraw(noticeId);
  };
  const compare = async (project: string, known: InstructionFilesView): Promise<void> => {
    const view = await files.check(
      project,
      known.files.map(({ path }) => path),
    );
    if (followed === project) show(view);
  };
  const begin = async (project: string): Promise<void> => {
    const view = await files.find(project);
    if (followed !== project) return;
    show(view);
    stopWatching();
    stopWatching = watch(foldersOf(view), () => {
      cancel();
      cancel = clock.after(debounceMs, () => void compare(project, view));
    });
  };
  const stop = (): void => {
    cancel();
    stopWatching();
    stopWatching = () => undefined;
    withdraw(noticeId);
  };
  return {
    /** Watches the project of the session on the screen, and no other. */
    follow(sessionId: string | null): void {
      const project = deps.projectOf(sessionId);
      if (project === followed) return;
      stop();
      followed = project;
      if (project !== null) void begin(project);
    },
    /** Reads again after the user decided something. */
    refresh(): void {
      if (followed !== null) void begin(followed);
    },
    close(): void {
      followed = null;
      stop();
    },
  };
}
