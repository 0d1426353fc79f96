import { describe, expect, it } from 'vitest';
import { offlineModel, type ProviderModels } from '#shared/model';
import { chooseModel, isMissing } from './choose-model';

const provider = (providerId: string, source: ProviderModels['source']): ProviderModels => ({
  providerId,
  name: providerId,
  source,
  hasKey: false,
  models: ['m'],
});
const offline = provider('offline', 'offline');
const gone = { providerId: 'acme', model: 'm' };

describe('the model for the next line', () => {
  it('[OFF-never-silent] stays the chosen one when its provider is missing', () => {
    expect(chooseModel(gone, [provider('other', 'configured'), offline])).toBe(gone);
    expect(isMissing(gone, [offline])).toBe(true);
    expect(isMissing(gone, [])).toBe(false);
  });

  it('[OFF-never-silent] is the last one that answered, not offline, where nothing was chosen', () => {
    expect(chooseModel(null, [offline], gone)).toBe(gone);
    expect(chooseModel(null, [offline])).toBe(offlineModel);
    expect(chooseModel(offlineModel, [offline], gone)).toBe(offlineModel);
  });

  it.each(['environment', 'configured', 'local'] as const)(
    '[OFF-never-silent] is the last one that answered, not one of another provider (%s), once its own is missing',
    (source) => {
      const other = { providerId: 'other', model: 'm' };
      const listed = [provider('other', source), offline];
      expect(chooseModel(null, listed, gone)).toBe(gone);
      expect(chooseModel(null, [provider('acme', 'configured'), ...listed], gone)).toEqual(
        source === 'environment' ? other : gone,
      );
      expect(chooseModel(null, listed)).toEqual(other);
      expect(chooseModel(other, listed, gone)).toBe(other);
    },
  );

  it('[MDL-vanished] is the last one that answered once its provider no longer lists it', () => {
    const acme = { ...provider('acme', 'configured'), models: ['n'] };
    expect(chooseModel(null, [acme, offline], gone)).toBe(gone);
    // A provider without a list, and a name that stood for its absence, prove nothing.
    const other = provider('other', 'environment');
    expect(chooseModel(null, [other, { ...acme, models: [] }], gone)).toEqual({
      providerId: 'other',
      model: 'm',
    });
    const unnamed = { providerId: 'acme', model: 'default' };
    expect(chooseModel(null, [acme, offline], unnamed)).toEqual({ providerId: 'acme', model: 'n' });
  });

  it('is no model of another purpose, although its name comes first', () => {
    const acme = { ...provider('acme', 'configured'), models: ['babbage-002', 'chat-1'] };
    expect(chooseModel(null, [acme, offline])).toEqual({ providerId: 'acme', model: 'chat-1' });
  });

  it.each([
    ['environment', 'Environment'],
    ['configured', 'providers.json'],
  ] as const)('[OFF-broken-file] is none on this computer while the %s cannot be read', (source, name) => {
    const unreadable = { ...provider(name, source), models: [], problem: 'It is no JSON.' };
    const local = provider('this-computer', 'local');
    expect(chooseModel(null, [unreadable, local, offline])).toBe(offlineModel);
    const unreachable = { ...unreadable, providerId: 'acme' };
    expect(chooseModel(null, [unreachable, local, offline])).toEqual({
      providerId: 'this-computer',
      model: 'm',
    });
  });
});
