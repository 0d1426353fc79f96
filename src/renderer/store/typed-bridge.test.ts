import { expect, it } from 'vitest';
import { ok } from '#shared/result';
import { typedBridge } from './typed-bridge';

const onPush = () => () => undefined;
const pathOf = () => '';

it('[IPC-typed] a refusal of the bridge is a typed error, whether thrown or rejected', async () => {
  const refuse = (): never => {
    throw new Error('Electron contextBridge recursion depth exceeded.');
  };
  for (const invoke of [refuse, () => Promise.reject(new Error('An object could not be cloned.'))]) {
    const bridge = typedBridge({ invoke, onPush, pathOf });
    expect(await bridge.invoke('app-info', undefined)).toMatchObject({
      error: { kind: 'HOST', code: 'INVALID_INPUT', message: expect.stringContaining('app-info') as string },
    });
  }
});

it('the bridge passes on the answers of main', async () => {
  const bridge = typedBridge({ invoke: () => Promise.resolve(ok(null)), onPush, pathOf });
  expect(await bridge.invoke('app-quit', undefined)).toEqual(ok(null));
});
