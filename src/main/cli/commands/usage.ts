import { appError, type AppError } from '#shared/app-error';
import { modelKey } from '#shared/model-parameters';
import { freshTokens, hitRate, type Cost, type SpentTokens } from '#shared/spent';
import { dollars, type UsageBy, type UsageReport } from '#shared/usage-report';
import type { ModelPrice, ModelRef } from '#shared/model';
import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';

export interface UsageOptions {
  readonly by: UsageBy;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly atLimit?: 'warn' | 'stop';
}

/** A cost in words; calls without a known price are never counted as free. */
function costText({ usd, unpriced }: Cost, calls: number): string {
  if (calls > 0 && unpriced === calls) return 'price unknown';
  return unpriced === 0 ? dollars(usd) : `${dollars(usd)} + ${unpriced} of ${calls} calls with unknown price`;
}

const percent = (spent: SpentTokens): string => {
  const rate = hitRate(spent);
  return rate === null ? 'cache not reported' : `${Math.round(rate * 100)} % cached`;
};

/** Tokens and cost of a line, in columns that a person can read. */
function spentText(spent: SpentTokens & { readonly cost: Cost }): string {
  const { calls, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens, cost } = spent;
  const tokens = [
    `${freshTokens(spent)} fresh`,
    `${cachedTokens} cached`,
    `${cacheWriteTokens} written`,
    `${outputTokens} out${reasoningTokens > 0 ? ` (${reasoningTokens} thinking)` : ''}`,
  ].join(', ');
  return `${calls} ${calls === 1 ? 'call' : 'calls'}  ${tokens}  ${percent(spent)}  ${costText(cost, calls)}`;
}

function nameOf(by: UsageBy, key: string, name: string): string {
  if (by !== 'session') return key;
  return key === '' ? 'deleted sessions' : `${key}  ${name || 'New session'}`;
}

function monthText({ month, cost, limit }: UsageReport['month']): string {
  const spent = `${month}: ${dollars(cost.usd)}`;
  const of = limit === null ? 'no monthly limit' : `of ${dollars(limit)}`;
  const have = cost.unpriced === 1 ? 'call has' : 'calls have';
  const unknown = cost.unpriced > 0 ? `; ${cost.unpriced} ${have} no known price` : '';
  return `${spent}, ${of}${unknown}`;
}

function describe({ by, from, to, lines, total, month }: UsageReport): string {
  return [
    ...lines.map((line) => `${nameOf(by, line.key, line.name)}  ${spentText(line)}`),
    lines.length === 0 ? `No model calls from ${from} to ${to}.` : `${from} to ${to}  ${spentText(total)}`,
    monthText(month),
  ].join('\n');
}

/** `patina usage`: what model calls used and cost; with `--limit` and `--at-limit`, sets the monthly limit first. */
export function usageCommand(
  app: Pick<App, 'settings' | 'usage'>,
  terminal: Terminal,
  { by, from, to, limit, atLimit }: UsageOptions,
): ExitCode {
  if (limit !== undefined || atLimit !== undefined) {
    const saved = app.settings.patch({
      ...(limit !== undefined && { monthlyLimit: limit }),
      ...(atLimit !== undefined && { limitAction: atLimit }),
    });
    if (!saved.ok) return fail(terminal, saved.error);
  }
  const report = app.usage.report({ by, from, to });
  if (!report.ok) return fail(terminal, report.error);
  print(terminal, report.value, () => describe(report.value));
  return 0;
}

const perMillion = ({ input, cachedInput, cacheWrite, output, above }: ModelPrice): string =>
  [
    `input ${dollars(input)}`,
    ...(cachedInput === undefined ? [] : [`cached ${dollars(cachedInput)}`]),
    ...(cacheWrite === undefined ? [] : [`cache write ${dollars(cacheWrite)}`]),
    `output ${dollars(output)}`,
    ...(above
      ? [`above ${above.tokens} input tokens: ${dollars(above.input)} and ${dollars(above.output)}`]
      : []),
  ].join(', ');

/** `patina prices`: the prices that the user set, and the lists. */
export function pricesCommand(
  app: Pick<App, 'prices' | 'settings'>,
  terminal: Terminal,
  { search = '' }: { readonly search?: string },
): ExitCode {
  const set = Object.entries(app.settings.get().modelOptions).flatMap(([name, { price }]) => {
    const slash = name.indexOf('/');
    const ref = { provider: name.slice(0, slash), model: name.slice(slash + 1) };
    return price ? [{ ...ref, ...price, list: 'set' as const, page: null, date: null }] : [];
  });
  const words = search.toLowerCase().split(/\s+/);
  const shown = [...set, ...app.prices()].filter(({ provider, model }) =>
    words.every((word) => `${provider} ${model}`.toLowerCase().includes(word)),
  );
  print(terminal, shown, () =>
    shown
      .map(({ provider, model, list, date, page, ...price }) => {
        const source =
          date === null ? 'set by you' : `${list === 'own' ? 'your list, ' : ''}${date}, ${page}`;
        return `${provider}/${model}  ${perMillion(price)}  (${source})`;
      })
      .join('\n'),
  );
  return 0;
}

function refOf(name: string): ModelRef | null {
  const slash = name.indexOf('/');
  return slash < 1 || slash === name.length - 1
    ? null
    : { providerId: name.slice(0, slash), model: name.slice(slash + 1) };
}

const noModel = appError(
  'HOST',
  'INVALID_INPUT',
  'The name of a model is PROVIDER/MODEL, such as lab/big-model.',
  {
    hint: '"patina provider list" names the providers.',
  },
);

async function unknownProvider(
  { models, providers }: Pick<App, 'models' | 'providers'>,
  id: string,
): Promise<AppError | null> {
  const known = (await models.listModels(false)).flatMap(({ providerId, source }) =>
    source === 'offline' ? [] : [providerId],
  );
  if (known.includes(id)) return null;
  const offer = (await providers.offers()).find((offered) => offered.id === id);
  if (offer)
    return appError('HOST', 'NOT_FOUND', `${offer.name} is not set up, so no price was saved.`, {
      hint: `"patina provider add ${id}" sets it up; then set the price again.`,
    });
  return appError('HOST', 'NOT_FOUND', `There is no provider "${id}", so no price was saved.`, {
    hint:
      known.length === 0
        ? '"patina provider add" adds a provider.'
        : `Name the model as PROVIDER/MODEL with one of these providers: ${known.join(', ')}.`,
  });
}

/**
 * `patina prices set|remove`: the user's price of one model; null removes it, also that of a provider which was
 * removed.
 */
export async function priceSetCommand(
  { settings, models, providers }: Pick<App, 'settings' | 'models' | 'providers'>,
  terminal: Terminal,
  name: string,
  price: ModelPrice | null,
): Promise<ExitCode> {
  const ref = refOf(name);
  if (!ref) {
    fail(terminal, noModel);
    return 2;
  }
  const unknown = price && (await unknownProvider({ models, providers }, ref.providerId));
  if (unknown) return fail(terminal, unknown);
  const { modelOptions } = settings.get();
  const { price: _before, ...rest } = modelOptions[modelKey(ref)] ?? {};
  const options = { ...rest, ...(price && { price }) };
  const saved = settings.patch({ modelOptions: { ...modelOptions, [modelKey(ref)]: options } });
  if (!saved.ok) return fail(terminal, saved.error);
  print(terminal, { ...ref, price }, () =>
    price ? `Saved the price of "${name}".` : `Removed your price of "${name}".`,
  );
  return 0;
}
