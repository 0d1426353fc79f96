import type { ElectronApplication } from '@playwright/test';

/** Has every page of a list answered as if its source were still being read, or could not be; `null` ends that. */
export async function holdPages(app: ElectronApplication, state: 'loading' | 'failed' | null): Promise<void> {
  await app.evaluate(({ ipcMain }, as) => {
    type Handler = (event: unknown, name: unknown, input: unknown) => unknown;
    const { _invokeHandlers: handlers } = ipcMain as unknown as { _invokeHandlers: Map<string, Handler> };
    const kept = globalThis as unknown as { realInvoke?: Handler | undefined };
    const channel = 'patina:invoke';
    kept.realInvoke ??= handlers.get(channel);
    const real = kept.realInvoke;
    if (!real) throw new Error('Nothing answers the window.');
    const status =
      as === 'failed' ? { state: 'failed', reason: 'The server did not answer within 10 s.' } : { state: as };
    handlers.set(channel, (event, name, input) =>
      as !== null && name === 'picker-page'
        ? { ok: true, value: { items: [], offset: 0, total: 0, status } }
        : real(event, name, input),
    );
  }, state);
}
