import type { AttachOption } from '#shared/context-item';
import type { PickerPage } from '#shared/control-plane';
import type { SessionState } from '#shared/session-state';
import type { SymbolHit } from './symbols';
import type { PageRequest } from '../control-plane/control-plane';

const shownFiles = 12;
const shownSessions = 5;
const shownResources = 5;
const shownSymbols = 8;
/** Files that are looked at for folders that match. */
const folderFiles = 200;
const shownFolders = 4;

const diffs: readonly AttachOption[] = [
  { source: { type: 'diff', staged: false }, kind: 'diff', name: 'diff', about: '' },
  { source: { type: 'diff', staged: true }, kind: 'diff', name: 'staged', about: '' },
];

/** The names that the code of a project defines and a typed word begins; none without a project. */
export type FindSymbols = (project: string | null, query: string) => Promise<readonly SymbolHit[]>;
type Page = (state: SessionState | null, request: PageRequest) => Promise<PickerPage>;

/** The folders above matching files whose own name matches, those nearest to the root first. */
function foldersOf(paths: readonly string[], text: string): readonly AttachOption[] {
  const wanted = text.toLowerCase();
  const folders = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1);
    parts.forEach((name, at) => {
      if (name.toLowerCase().includes(wanted)) folders.add(parts.slice(0, at + 1).join('/'));
    });
  }
  return [...folders]
    .sort((a, b) => a.length - b.length)
    .slice(0, shownFolders)
    .map((path) => ({ source: { type: 'path', path }, kind: 'folder', name: `${path}/`, about: '' }));
}

/** The paths that have the text as it was typed come first: the search of the lists reads letters and digits only. */
function beginningFirst(paths: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const distance = (path: string): number => {
    const lower = path.toLowerCase();
    if (lower.slice(lower.lastIndexOf('/') + 1).startsWith(wanted)) return 0;
    return lower.includes(wanted) ? 1 : 2;
  };
  return [...paths].sort((a, b) => distance(a) - distance(b));
}

/**
 * What a line can attach and a text matches: changes, files, folders and symbols of the project, resources, and
 * sessions. The lists are those of the pickers, so they are as fast and match in the same way.
 */
export function createAttachOptions(page: Page, symbols: FindSymbols, newProject: () => string | null) {
  let reading: Promise<unknown> = Promise.resolve();
  return async (state: SessionState | null, text: string): Promise<readonly AttachOption[]> => {
    const wanted = text.trim();
    const ask = (providerId: string, limit: number, refresh?: true) =>
      page(state, { source: { providerId }, text: wanted, offset: 0, limit, refresh });
    // Files come and go outside Patina: as the menu opens they are read again, and the older list is shown meanwhile.
    if (wanted === '') reading = ask('project_files', 1, true);
    const askFiles = async () => {
      const known = await ask('project_files', folderFiles);
      if (known.items.length > 0) return known;
      await reading;
      return ask('project_files', folderFiles);
    };
    // Typing starts no server: only the resources of running ones are listed.
    const [files, sessions, resources, found] = await Promise.all([
      askFiles(),
      ask('sessions', shownSessions),
      ask('mcp_resources', shownResources),
      symbols(state ? state.project : newProject(), wanted),
    ]);
    const listed = files.items.map(({ header }) => header.id);
    // A space at the end may be the one in a name.
    const query = text.trimStart();
    const paths = /[^\p{L}\p{N}]/u.test(query) ? beginningFirst(listed, query) : listed;
    const named = diffs.filter(({ name }) => name.startsWith(wanted.toLowerCase()));
    return [
      ...named,
      ...paths.slice(0, shownFiles).map((path): AttachOption => {
        return { source: { type: 'path', path }, kind: 'file', name: path, about: '' };
      }),
      ...(wanted === '' ? [] : foldersOf(paths, wanted)),
      ...found.slice(0, shownSymbols).map(({ path, line, name }): AttachOption => {
        return { source: { type: 'symbol', path, line, name }, kind: 'text', name, about: `${path}:${line}` };
      }),
      ...resources.items.flatMap(({ header, keywords }): AttachOption[] => {
        const [server] = keywords;
        if (server === undefined) return [];
        const source = { type: 'resource', server, uri: header.id } as const;
        return [{ source, kind: 'resource', name: header.displayName, about: server }];
      }),
      ...sessions.items
        .filter(({ header }) => header.id !== state?.id)
        .map(({ header }): AttachOption => {
          const source = { type: 'session', id: header.id } as const;
          return { source, kind: 'session', name: header.displayName, about: '' };
        }),
    ];
  };
}

export type AttachOptions = ReturnType<typeof createAttachOptions>;
