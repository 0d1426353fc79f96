import type { IpcHandlers } from '#shared/ipc';
import { ok } from '#shared/result';
import { describe, expect, it, vi } from 'vitest';
import { createDispatch } from './dispatch';

function open() {
  const rename = vi.fn(() => ok(null));
  const dispatch = createDispatch({ 'session-rename': rename } as unknown as IpcHandlers);
  return { rename, dispatch };
}

const invalid = { ok: false, error: { kind: 'HOST', code: 'INVALID_INPUT' } };

describe('dispatch', () => {
  it('passes a validated payload to its handler, without fields that the contract does not name', async () => {
    const { rename, dispatch } = open();
    const input = { sessionId: 's', title: '  New  ', extra: 1 };
    expect(await dispatch('session-rename', input)).toEqual(ok(null));
    expect(rename).toHaveBeenCalledExactlyOnceWith({ sessionId: 's', title: 'New' });
  });

  it.each([
    undefined,
    null,
    7,
    '',
    'no-such-call',
    '__proto__',
    'constructor',
    'toString',
    ['session-rename'],
  ])('refuses the name %j', async (name) => {
    const { rename, dispatch } = open();
    expect(await dispatch(name, { sessionId: 's', title: 'x' })).toMatchObject(invalid);
    expect(rename).not.toHaveBeenCalled();
  });

  it('[IPC-typed] turns a handler that throws or rejects into a typed error, reported once', async () => {
    const reported: unknown[] = [];
    const nul = Object.assign(new TypeError('null bytes'), { code: 'ERR_INVALID_ARG_VALUE' });
    const failures = [
      () => Promise.reject(new Error('a bug')),
      () => fail(nul),
      () => fail(new RangeError('deep')),
    ];
    const fail = (error: Error): never => {
      throw error;
    };
    const codes = [];
    for (const handler of failures) {
      const handlers = { 'session-rename': handler } as unknown as IpcHandlers;
      const dispatch = createDispatch(handlers, (name, error) => reported.push([name, error]));
      const answer = await dispatch('session-rename', { sessionId: 's', title: 'x' });
      codes.push(answer.ok ? 'ok' : `${answer.error.kind}/${answer.error.code}`);
    }
    expect(codes).toEqual(['HOST/STATE', 'HOST/INVALID_INPUT', 'HOST/INVALID_INPUT']);
    expect(reported).toHaveLength(3);
  });

  it.each([undefined, null, 'text', [], { sessionId: 1, title: 'x' }, { sessionId: 's', title: ' ' }])(
    'refuses the payload %j and names the field',
    async (input) => {
      const { rename, dispatch } = open();
      const refused = await dispatch('session-rename', input);
      expect(refused).toMatchObject(invalid);
      expect(refused).toMatchObject({
        error: { message: expect.stringMatching(/^session-rename: \w+: ./) as string },
      });
      expect(rename).not.toHaveBeenCalled();
    },
  );
});
