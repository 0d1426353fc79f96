import { describeChange, type FileChange, type TextHunk } from '#shared/file-change';
import { coveragesOf } from '#shared/grant';
import { describeCoverage } from '#shared/grant-labels';
import { isObject, type Json } from '#shared/json';
import { toolLabel, writeTarget } from '#shared/ledger';
import type { SessionEvent } from '#shared/session-event';
import type { LineStyle } from './output';

type Requested = Extract<SessionEvent, { type: 'approval-requested' }>;

/** An open call of a card, as it is shown now. */
export type ShownCall = Omit<Requested, 'v' | 'seq' | 'at' | 'type' | 'turn'>;

export interface TextLine {
  readonly text: string;
  readonly style?: LineStyle;
}

/** A question that the plan itself asks, not a permission for a call. */
export const isQuestion = ({ tool }: Pick<ShownCall, 'tool'>): boolean => tool === 'request_user_approval';

const plain = (text: string): TextLine => ({ text });
const quiet = (text: string): TextLine => ({ text, style: 'quiet' });

const signs = { same: ' ', added: '+', removed: '-', note: ' ' } as const;

function hunkLines({ oldStart, newStart, lines }: TextHunk): readonly TextLine[] {
  let [old, now] = [oldStart, newStart];
  const column = (shown: boolean, value: number): string => (shown ? String(value) : '').padStart(5);
  return lines.map(({ kind, text }) => {
    const numbers = `${column(kind === 'same' || kind === 'removed', old)}${column(kind === 'same' || kind === 'added', now)}`;
    if (kind === 'same' || kind === 'removed') old += 1;
    if (kind === 'same' || kind === 'added') now += 1;
    const style = kind === 'added' || kind === 'removed' ? { style: kind } : {};
    return { text: `${numbers} ${signs[kind]} ${text.replace(/\r$/, '')}`, ...style };
  });
}

const oldLines = ({ lines }: TextHunk): number =>
  lines.filter(({ kind }) => kind === 'same' || kind === 'removed').length;

function diffLines({ hunks, exists, omitted }: Extract<FileChange, { kind: 'text' }>): readonly TextLine[] {
  let end = 1;
  const shown = hunks.flatMap((hunk) => {
    const gap = exists ? hunk.oldStart - end : 0;
    end = hunk.oldStart + oldLines(hunk);
    return [...(gap > 0 ? [quiet(`           … ${gap} unchanged lines`)] : []), ...hunkLines(hunk)];
  });
  return [
    ...shown,
    ...(omitted > 0 ? [quiet(`           … ${omitted} more changed lines; x shows all`)] : []),
  ];
}

function changeLines(change: FileChange): readonly TextLine[] {
  if (change.kind === 'text') return diffLines(change);
  if (change.kind === 'deleted') {
    const more = change.more ? [quiet('           … more lines')] : [];
    return [...change.hunks.flatMap(hunkLines), ...more];
  }
  if (change.kind !== 'replaced') return [];
  const size = `           ${change.bytes} bytes now${change.newBytes === undefined ? '' : `, ${change.newBytes} bytes after`}`;
  return [quiet(size), ...change.first.map((line) => quiet(`           ${line}`))];
}

const maxValue = 20_000;

/** A name that a model or a server chose, on one line: a line break in it could pass for another argument. */
const onOneLine = (text: string): string => text.replace(/[\r\n\u2028\u2029]+/g, ' ');

function valueLines(value: Json, shown: Pick<ShownCall, 'names'>, indent: string): readonly string[] {
  if (Array.isArray(value) || isObject(value)) {
    const rows = Array.isArray(value)
      ? (value as readonly Json[]).map((one) => ['-', one] as const)
      : Object.entries(value).map(([name, one]) => [`${name}:`, one] as const);
    if (rows.length === 0) return [Array.isArray(value) ? '(no items)' : '(no values)'];
    return ['', ...rows.flatMap(([name, one]) => fieldLines(name, one, shown, indent))];
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const known = shown.names?.find((one) => one.value === text);
  const name = known ? ` = ${onOneLine(known.name)} (from ${toolLabel(known.source)})` : '';
  const cut = text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
  if (!cut.includes('\n')) return [`${cut === '' ? '(empty text)' : cut}${name}`];
  return ['', ...cut.split('\n').map((line) => `${indent}| ${line}`)];
}

function fieldLines(
  name: string,
  value: Json,
  shown: Pick<ShownCall, 'names'>,
  indent: string,
): readonly string[] {
  const [first = '', ...more] = valueLines(value, shown, `${indent}  `);
  return [`${indent}${onOneLine(name)} ${first}`.trimEnd(), ...more];
}

/** The arguments of a call, one line each, with real line breaks and names beside known ids. */
function formLines(shown: ShownCall): readonly TextLine[] {
  const { arguments: args, labels = {}, sources = [] } = shown;
  if (!isObject(args)) return [plain(JSON.stringify(args))];
  return Object.entries(args).flatMap(([name, value]) => {
    const label = Object.hasOwn(labels, name) ? labels[name] : undefined;
    const lines = fieldLines(label === undefined ? `${name}:` : `${label} (${name}):`, value, shown, '  ');
    const tools = sources.find(({ argument }) => argument === name)?.tools ?? [];
    return [
      ...lines.map(plain),
      ...(tools.length > 0 ? [quiet(`    (from ${tools.map(toolLabel).join(', ')})`)] : []),
    ];
  });
}

function sourceLines({ origins = [], flows = [] }: ShownCall): readonly TextLine[] {
  const names = (trusted: boolean) => [
    ...new Set(origins.filter((one) => one.trusted === trusted).map(({ source }) => toolLabel(source))),
  ];
  const [known, unknown] = [names(true), names(false)];
  return [
    ...(known.length > 0 ? [quiet(`(uses data from ${known.join(', ')})`)] : []),
    ...flows.map(({ from, to }) => plain(`(passes text from ${from} on to ${to})`)),
    ...(unknown.length > 0
      ? [plain(`(may contain text from ${unknown.join(', ')}, which is not trusted)`)]
      : []),
  ];
}

const undoText = { possible: 'You can undo this write.', impossible: 'This cannot be undone.' } as const;

/** The target of a call in one line, with what happens to it. */
export function targetLine({ tool, file, arguments: args }: ShownCall): string {
  const target = file?.path ?? writeTarget(args);
  return `${toolLabel(tool)} ${target}${file ? `: ${describeChange(file)}` : ''}`;
}

/** Everything that a card says about one call. */
export function callLines(shown: ShownCall): readonly TextLine[] {
  const { file, again: fileChanged, undo } = shown;
  return [
    ...(fileChanged
      ? [plain('The file has changed since you approved this write, so Patina asks again.')]
      : []),
    plain(targetLine(shown)),
    ...(file && file.kind !== 'unknown' ? changeLines(file) : formLines(shown)),
    ...sourceLines(shown),
    ...(undo ? [quiet(undoText[undo])] : []),
  ];
}

/** A question of the plan with the values that it shows. */
export function questionLines(shown: ShownCall): readonly TextLine[] {
  const args = isObject(shown.arguments) ? shown.arguments : {};
  const { action, arguments: params = null, inputs = null } = args;
  const answers = isObject(params) ? params : inputs;
  const values =
    isObject(answers) && Object.keys(answers).length > 0 ? formLines({ ...shown, arguments: answers }) : [];
  return [plain(typeof action === 'string' ? action : 'The plan asks whether to continue.'), ...values];
}

export const exactLines = (card: readonly ShownCall[]): readonly TextLine[] =>
  card.map(({ tool, arguments: args }) => plain(`${tool}\n${JSON.stringify(args, null, 2)}`));

/** What an answer may allow beyond this card, each scope in words; the first line names the default. */
export function scopeLines(
  card: readonly ShownCall[],
  narrow: string,
  mayAllow: boolean,
): readonly TextLine[] {
  const tools = card.map(({ tool }) => tool);
  const labels = [...new Set(tools.map(toolLabel))].join(', ');
  const never = quiet(`  never       never allow ${labels} in this project`);
  if (!mayAllow) return [never];
  const coverages = coveragesOf(card);
  return [
    quiet(
      `  run, session, always: approve, and allow without asking in that scope (${narrow} unless you add a word):`,
    ),
    ...coverages.map((one) => quiet(`    ${one.kind.padEnd(10)}${describeCoverage(one, tools)}`)),
    never,
  ];
}
