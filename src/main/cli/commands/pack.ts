import type { InstalledPack, PackCounts, PackSummary } from '#shared/pack';
import type { App } from '../../app';
import { pathArgument } from '../caller-paths';
import { fail, print, type ExitCode, type Terminal } from '../output';

type PackPart = Pick<App, 'packs'>;

const kinds = ['catalogs', 'commands', 'modes', 'recipes', 'workflows'] as const;

const countsText = (counts: PackCounts): string =>
  kinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${counts[kind] === 1 ? kind.slice(0, -1) : kind}`)
    .join(', ');

const problemLines = ({ problems }: PackSummary): readonly string[] =>
  problems.map(
    ({ file, field, reason }) => `  ${[file, field, reason].filter((part) => part !== '').join(': ')}`,
  );

const packLines = (pack: InstalledPack): readonly string[] => [
  `${pack.id}  ${pack.version}  ${pack.title}  (${countsText(pack.counts) || 'empty'})`,
  ...problemLines(pack),
];

/** `patina pack list`: the packs in Patina's folder; exit code 1 when the next start leaves one out. */
export function packListCommand({ packs }: PackPart, terminal: Terminal): ExitCode {
  const { packs: installed } = packs.list();
  print(terminal, installed, () => installed.flatMap(packLines).join('\n') || 'No pack is installed.');
  return installed.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

/** `patina pack install DIR`: copies a pack that the next start would take; the command is the consent. */
export async function packInstallCommand(
  { packs }: PackPart,
  terminal: Terminal,
  folder: string,
): Promise<ExitCode> {
  const path = pathArgument('The folder', folder);
  if (!path.ok) return fail(terminal, path.error);
  const read = packs.read(path.value);
  if (!read.ok) return fail(terminal, read.error);
  const installed = await packs.install(read.value);
  if (!installed.ok) return fail(terminal, installed.error);
  const { pack, replaces } = read.value;
  print(terminal, { id: pack.id, version: pack.version, replaces }, () =>
    [
      `${pack.id} ${pack.version} is installed: ${countsText(pack.counts)}.`,
      ...(replaces === null ? [] : [`It replaces version ${replaces}.`]),
      'A running window takes it at its next start.',
    ].join('\n'),
  );
  return 0;
}

/** `patina pack remove ID`: puts the pack aside for the next start. */
export async function packRemoveCommand(
  { packs }: PackPart,
  terminal: Terminal,
  id: string,
): Promise<ExitCode> {
  const removed = packs.remove(id);
  if (!removed.ok) return fail(terminal, removed.error);
  print(
    terminal,
    { id, removed: true },
    () => `${id} is removed. Its files are kept as packs/.removed-${id}.`,
  );
  return 0;
}
