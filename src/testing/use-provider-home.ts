import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { startScriptedModel, type Script, type ScriptedModel } from './scripted-model';

/** A home folder for each test of a file, and scripted models that end with the test. */
export function useProviderHome() {
  const closing: (() => unknown)[] = [];
  let home = '';
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'patina-providers-'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    rmSync(home, { recursive: true, force: true });
  });
  return {
    home: () => home,
    /** Calls something when the test has ended; the last one first. */
    onEnd: (close: () => unknown): void => void closing.push(close),
    async server(script: Partial<Script> = {}): Promise<ScriptedModel> {
      const model = await startScriptedModel({ replies: [], ...script });
      closing.push(model.close);
      return model;
    },
  };
}
