import { appError, type AppError } from '#shared/app-error';
import type { ModelRef, ProviderModels } from '#shared/model';
import { modelKey } from '#shared/model-parameters';
import { err, ok, type Result } from '#shared/result';
import { nearestNames } from '../../core/tools/nearest-names';
import type { App } from '../app';

/** The model as PROVIDER/MODEL, if a provider has that id. */
function qualified(name: string, providers: readonly ProviderModels[]) {
  const provider = providers.find(({ providerId }) => name.startsWith(`${providerId}/`));
  const model = name.slice((provider?.providerId.length ?? 0) + 1);
  if (!provider || model === '') return null;
  return { ref: { providerId: provider.providerId, model }, listed: provider.models.includes(model) };
}

const ambiguous = (name: string, refs: readonly ModelRef[]): AppError =>
  appError('HOST', 'INVALID_INPUT', `Several providers have a model "${name}".`, {
    hint: `Give one of these to --model: ${refs.map(modelKey).join(', ')}.`,
  });

function unknown(name: string, providers: readonly ProviderModels[]): AppError {
  const keys = providers.flatMap(({ providerId, models }) =>
    models.map((model) => modelKey({ providerId, model })),
  );
  const word = name.toLowerCase();
  const containing = keys.filter((key) => key.toLowerCase().includes(word));
  const byName = new Map(keys.map((key) => [key.slice(key.indexOf('/') + 1), key]));
  const alike = nearestNames(name, [...byName.keys()]).map((near) => byName.get(near) ?? near);
  const near = [...new Set([...containing, ...nearestNames(name, keys), ...alike])].slice(0, 5);
  const meant = near.length > 0 ? `Did you mean ${near.join(', ')}? ` : '';
  return appError('HOST', 'NOT_FOUND', `No provider lists a model "${name}".`, {
    hint: `${meant}A model that is not listed is given as PROVIDER/MODEL; "patina provider list" names the providers.`,
  });
}

/**
 * The model that `--model` names: PROVIDER/MODEL, listed or not, or a name that one provider lists; without a name the
 * model that was chosen for the session. HOST/NOT_FOUND or HOST/INVALID_INPUT with near names otherwise.
 */
export async function modelNamed(
  app: Pick<App, 'chosenModel' | 'models'>,
  name: string | undefined,
  session: string | undefined,
): Promise<Result<ModelRef>> {
  if (name === undefined) return ok(await app.chosenModel(session));
  const providers = await app.models.listModels(false);
  const full = qualified(name, providers);
  if (full?.listed) return ok(full.ref);
  const refs = providers
    .filter(({ models }) => models.includes(name))
    .map(({ providerId }) => ({ providerId, model: name }));
  const [ref, ...others] = refs;
  if (ref) return others.length > 0 ? err(ambiguous(name, refs)) : ok(ref);
  return full ? ok(full.ref) : err(unknown(name, providers));
}
