import { devNull } from 'node:os';

/** Settings that make git run a program, write, or print something else than what is read here. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['core.pager', 'cat'],
  ['core.untrackedCache', 'false'],
  ['core.sshCommand', 'false'],
  ['core.quotePath', 'false'],
  ['color.ui', 'false'],
  ['log.showSignature', 'false'],
  ['blame.ignoreRevsFile', ''],
  ['diff.noprefix', 'false'],
  ['diff.mnemonicPrefix', 'false'],
  ['diff.orderFile', devNull],
  ['protocol.allow', 'never'],
  // A bare repository hidden among a project's files would bring settings of its own.
  ['safe.bareRepository', 'explicit'],
];

/**
 * The environment git runs in: the caller's without every `GIT_*` of it, and with the settings above pinned.
 * `filters` are the names of settings found in the repository (`filter.x.clean`, …) that would start a program; each is emptied.
 */
export function gitEnvironment(
  filters: readonly string[],
  inherited: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const kept = Object.entries(inherited).filter(([name]) => !/^git_/i.test(name));
  const pinned = [...SETTINGS, ...filters.map((name) => [name, emptied(name)] as const)];
  const settings = new Map<string, string>(
    pinned.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  );
  return {
    ...Object.fromEntries<string | undefined>(kept),
    ...Object.fromEntries<string | undefined>(settings),
    GIT_CONFIG_COUNT: String(pinned.length),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // An empty list: no way of fetching is allowed, whatever a remote's address says.
    GIT_ALLOW_PROTOCOL: '',
    LC_ALL: 'C',
  };
}

function emptied(name: string): string {
  return name.toLowerCase().endsWith('.required') ? 'false' : '';
}

/** Whether a setting of a repository makes git start a program for a file that it compares. */
export function startsProgram(name: string): boolean {
  return /^filter\..+\.(clean|smudge|process|required)$/is.test(name);
}
