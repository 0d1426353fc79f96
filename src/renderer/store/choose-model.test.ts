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
    expect(chooseModel(null, [provider('other', 'configured'), offline], gone)).toEqual({
      providerId: 'other',
      model: 'm',
    });
  });
});
