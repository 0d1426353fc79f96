import { appError } from '#shared/app-error';
import { ok } from '#shared/result';
import { describe, expect, it, vi } from 'vitest';
import { createRefusedDispatch } from './refused-dispatch';

const error = appError('CONFIG', 'INVALID', 'A mode is not valid.', {
  problems: [{ file: '/m.json', field: 'key', rule: 'mode-key-format', reason: 'It has capitals.' }],
});

function refuse() {
  const desktop = {
    chooseFolder: vi.fn(),
    chooseFile: vi.fn(),
    chooseChats: vi.fn(),
    chooseBackup: vi.fn(),
    choosePack: vi.fn(),
    chooseModelFile: vi.fn(),
    placeBackup: vi.fn(),
    saveFile: vi.fn(),
    openLink: vi.fn(),
    openPage: vi.fn(),
    helpPages: () => ok([]),
    confirmDelete: vi.fn(),
    drawDiagram: vi.fn(),
    loadPicture: vi.fn(),
    writeClipboard: vi.fn(),
    quit: vi.fn(),
    restart: vi.fn(),
  };
  return { desktop, dispatch: createRefusedDispatch(error, desktop) };
}

describe('a Patina that refused to start', () => {
  it('[START-refused] reports all reasons', async () => {
    expect(await refuse().dispatch('app-info', undefined)).toEqual({ ok: false, error });
  });

  it('[START-refused] copies, quits, and restarts without packs, and does nothing else', async () => {
    const { desktop, dispatch } = refuse();
    await dispatch('clipboard-write', { text: 'what is wrong' });
    expect(desktop.writeClipboard).toHaveBeenCalledExactlyOnceWith('what is wrong');
    await dispatch('app-restart', { withoutPacks: ['tickets'] });
    expect(desktop.restart).toHaveBeenCalledExactlyOnceWith(['tickets']);
    await dispatch('app-quit', undefined);
    expect(desktop.quit).toHaveBeenCalledOnce();
    const inputs: Readonly<Record<string, unknown>> = {
      'session-create': {},
      'message-send': {
        sessionId: 's',
        text: 'hello',
        runMode: 'ask',
        model: { providerId: 'offline', model: 'offline' },
      },
      'model-list': { refresh: true },
      'project-choose': undefined,
      'link-open': { url: 'https://example.org' },
    };
    for (const [name, input] of Object.entries(inputs)) {
      expect(await dispatch(name, input)).toMatchObject({
        ok: false,
        error: { kind: 'HOST', code: 'STATE' },
      });
    }
    expect(desktop.chooseFolder).not.toHaveBeenCalled();
    expect(desktop.openLink).not.toHaveBeenCalled();
  });

  it('still validates its requests', async () => {
    const { dispatch, desktop } = refuse();
    expect(await dispatch('app-restart', { withoutPacks: [1] })).toMatchObject({
      error: { code: 'INVALID_INPUT' },
    });
    expect(await dispatch('no-such-call', undefined)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
    expect(desktop.restart).not.toHaveBeenCalled();
  });
});
