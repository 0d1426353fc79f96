import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '#shared/app-error';
import { ipcCalls, type IpcName } from '#shared/ipc';
import { ok } from '#shared/result';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { createDispatch, type Dispatch } from './dispatch';
import { createHandlers } from './handlers';

let harness: MainHarness;
let dispatch: Dispatch;
const thrown: string[] = [];

beforeAll(async () => {
  harness = await startMain({ prepareHome: (home) => mkdirSync(join(home, 'project')) });
  const shows = () => undefined;
  const windows = { showOwn: shows, showInMain: shows, showNew: shows };
  const desktop = {
    chooseFolder: () => Promise.resolve('/a\0b'),
    chooseFile: () => Promise.resolve('/a\0b'),
    chooseChats: () => Promise.resolve('/a\0b'),
    chooseBackup: () => Promise.resolve('/a\0b'),
    choosePack: () => Promise.resolve('/a\0b'),
    chooseModelFile: () => Promise.resolve('/a\0b'),
    placeBackup: () => Promise.resolve('/a\0b'),
    saveFile: () => Promise.resolve(ok(null)),
    openLink: () => Promise.resolve(false),
    openPage: () => Promise.resolve(),
    helpPages: () => ok([]),
    confirmDelete: () => Promise.resolve(false),
    drawDiagram: () => Promise.resolve({ problem: 'late' as const }),
    loadPicture: () => Promise.resolve(ok(new Uint8Array())),
    writeClipboard: () => undefined,
    quit: () => undefined,
    restart: () => undefined,
  };
  const handlers = createHandlers(harness.app, desktop, windows);
  dispatch = createDispatch(handlers, (name) => thrown.push(name));
});
afterAll(() => harness.close());

interface Json {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly allOf?: readonly Json[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly items?: Json;
  readonly additionalProperties?: Json | boolean;
}

function objectsOf(properties: Readonly<Record<string, Json>>, text: string): readonly unknown[] {
  const fields = Object.entries(properties).map(([name, field]) => [name, valuesOf(field, text)] as const);
  const count = Math.max(1, ...fields.map(([, values]) => values.length));
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(fields.map(([name, values]) => [name, values[at % values.length]])),
  );
}

const plainValues: Readonly<Record<string, unknown>> = { number: 0, integer: 0, boolean: true, null: null };

/** Values that a schema accepts, with one odd text in every text position. */
function valuesOf(schema: Json, text: string): readonly unknown[] {
  if ('const' in schema) return [schema.const];
  if (schema.enum) return [schema.enum[0]];
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (branches) return branches.flatMap((branch) => valuesOf(branch, text));
  const { type = 'string' } = schema;
  if (type === 'object') return objectsOf(schema.properties ?? {}, text);
  if (type === 'array') return [valuesOf(schema.items ?? {}, text).slice(0, 1)];
  return [type in plainValues ? plainValues[type] : text];
}

/**
 * Values that a schema accepts with a NUL in exactly one of its texts, with plain values in all others and
 * without them: a plain value that is refused, as a width of 0 is, would hide the text.
 */
function oneNulEach(schema: Json): readonly unknown[] {
  if ('const' in schema || schema.enum) return [];
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (branches) return branches.flatMap(oneNulEach);
  const { type = 'string', properties = {} } = schema;
  if (type === 'array') return oneNulEach(schema.items ?? {}).map((value) => [value]);
  if (type !== 'object') return type in plainValues ? [] : ['a\0b'];
  const plain = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, valuesOf(field, 'a')[0]]),
  );
  return Object.entries(properties).flatMap(([name, field]) =>
    oneNulEach(field).flatMap((value) => [{ ...plain, [name]: value }, { [name]: value }]),
  );
}

const nested = (depth: number): unknown => {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};

const jsonOf = (name: IpcName): Json =>
  z.toJSONSchema(ipcCalls[name].input, { io: 'input', unrepresentable: 'any' }) as Json;

/** All inputs that the window could send to one call. */
function inputsFor(name: IpcName): readonly unknown[] {
  const schema = jsonOf(name);
  const sessions = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'sessionId' in value
      ? { ...value, sessionId: harness.sessionId }
      : value;
  const texts = ['\0', 'a\0b', '/tmp/\0', '../..', '\u202e', '\ud800', '__proto__', 'x'.repeat(5_000)];
  const values = [...texts.flatMap((text) => valuesOf(schema, text)), ...oneNulEach(schema)];
  const odd = [undefined, null, 7, NaN, '', [], {}, nested(5_000), { __proto__: null }, new Map()];
  return [...values, ...values.map(sessions), ...odd];
}

describe('every call of the window with odd values', () => {
  it.each(Object.keys(ipcCalls) as IpcName[])('[IPC-typed] %s returns a value', async (name) => {
    for (const input of inputsFor(name)) {
      const answer = await dispatch(name, input);
      expect(typeof answer.ok).toBe('boolean');
      if (!answer.ok)
        expect(AppError.safeParse(answer.error).success, JSON.stringify(answer.error)).toBe(true);
    }
  });

  it('[IPC-typed] a project folder with a NUL is invalid input', async () => {
    const invalid = { error: { kind: 'HOST', code: 'INVALID_INPUT' } };
    const input = { sessionId: harness.sessionId, project: '/a\0b' };
    expect(await dispatch('session-set-project', input)).toMatchObject(invalid);
    expect(await dispatch('settings-set', { project: '/a\0b' })).toMatchObject(invalid);
    expect(harness.app.settings.get().project).toBeNull();
  });

  it('[IPC-typed] no handler failed on a value that Node would have rejected', () => {
    const paths: readonly string[] = ['backup-save', 'backup-restore'];
    expect(thrown.filter((name) => !paths.includes(name))).toEqual([]);
  });
});
