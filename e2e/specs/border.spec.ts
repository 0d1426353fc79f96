import { expect, test } from '../fixtures/patina';

test.describe('the boundary between the window and main', () => {
  test('[SEC-15] [H63] opens a link only after a native question that shows the real host', async ({
    launch,
  }) => {
    const { app, page } = await launch();
    await app.evaluate(({ dialog, shell }) => {
      const record = globalThis as unknown as { asked: string[]; opened: string[]; response: number };
      record.asked = [];
      record.opened = [];
      record.response = 0;
      dialog.showMessageBox = ((_window: unknown, options: { message: string; detail?: string }) => {
        record.asked.push(`${options.message} ${options.detail ?? ''}`);
        return Promise.resolve({ response: record.response, checkboxChecked: false });
      }) as unknown as typeof dialog.showMessageBox;
      shell.openExternal = (url: string) => {
        record.opened.push(url);
        return Promise.resolve();
      };
    });
    const open = (url: string) =>
      page.evaluate(
        (address) =>
          (
            window as unknown as {
              patina: { invoke: (name: string, input: unknown) => Promise<{ value: { opened: boolean } }> };
            }
          ).patina
            .invoke('link-open', { url: address })
            .then((result) => result.value.opened),
        url,
      );
    const refused = [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'smb://host/share',
      'calculator:',
      '//host/path',
      'https://user:pass@evil.example/',
      'data:text/html,x',
      'app://patina/index.html',
      'not a url',
    ];
    for (const url of refused) expect(await open(url), url).toBe(false);
    expect(await open('https://xn--pple-43d.com/login')).toBe(true);
    expect(await open('https://example.com/docs')).toBe(true);
    await app.evaluate(() => void ((globalThis as unknown as { response: number }).response = 1));
    expect(await open('https://example.com/cancelled')).toBe(false);
    const { asked, opened } = await app.evaluate(
      () => globalThis as unknown as { asked: string[]; opened: string[] },
    );
    expect(opened).toEqual(['https://xn--pple-43d.com/login', 'https://example.com/docs']);
    expect(asked).toHaveLength(3);
    expect(asked[0]).toContain('xn--pple-43d.com');
    expect(asked[0]).toContain('written to look like');
  });

  test('[SEC-17] [H66] refuses calls from frames, unknown names, wrong types and large payloads', async ({
    launch,
  }) => {
    const { app, page } = await launch();
    const invoke = (name: string, input: unknown) =>
      page.evaluate(
        ([call, payload]) =>
          (
            window as unknown as { patina: { invoke: (name: unknown, input: unknown) => Promise<unknown> } }
          ).patina.invoke(call, payload),
        [name, input] as const,
      );
    const invalid = { ok: false, error: { kind: 'HOST', code: 'INVALID_INPUT' } };
    expect(await invoke('no-such-call', {})).toMatchObject(invalid);
    expect(await invoke('__proto__', {})).toMatchObject(invalid);
    expect(await invoke('constructor', {})).toMatchObject(invalid);
    expect(await invoke('session-open', { sessionId: 7 })).toMatchObject(invalid);
    expect(await invoke('settings-set', { mode: 'sudo' })).toMatchObject(invalid);
    expect(
      await invoke('settings-set', JSON.parse('{"__proto__": {"polluted": true}, "extra": 1}')),
    ).toMatchObject(invalid);
    const large = await page.evaluate(() =>
      (
        window as unknown as { patina: { invoke: (name: string, input: unknown) => Promise<unknown> } }
      ).patina.invoke('message-send', {
        sessionId: 'x',
        text: 'a'.repeat(50_000_000),
        runMode: 'ask',
        model: { providerId: 'offline', model: 'offline' },
      }),
    );
    expect(large).toMatchObject(invalid);
    const fromFrame = await app.evaluate(({ ipcMain, BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      const handlers = (
        ipcMain as unknown as {
          _invokeHandlers: Map<string, (event: unknown, ...args: unknown[]) => Promise<unknown>>;
        }
      )._invokeHandlers;
      const handle = handlers.get('patina:invoke');
      const frame = { url: 'app://patina/index.html' };
      return handle?.({ sender: window?.webContents, senderFrame: frame }, 'app-info', undefined);
    });
    expect(fromFrame).toMatchObject(invalid);
    expect(await page.evaluate(() => ({}))).toEqual({});
  });
});
