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
  it('hands a checked payload to its handler, without what the contract does not name', async () => {
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
