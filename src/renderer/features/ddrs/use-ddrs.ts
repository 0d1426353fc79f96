import { appError } from '#shared/app-error';
import { Ddr, DdrDiff, DdrList, DdrSearchHit } from '#shared/ddr';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { useCallback, useMemo } from 'react';
import { z } from 'zod';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';

const One = z.object({ ddr: Ddr });
const Hits = z.object({ hits: z.array(DdrSearchHit) });
export type Hits = z.infer<typeof Hits>;

type Call = (operation: string, payload: JsonObject) => Promise<Result<unknown>>;

/** Converts the DDR manager's envelope to a Result: a refusal is an error like any other. */
function useCall(): Call {
  const { commands } = useApp();
  return useCallback(
    async (operation, payload) => {
      const answer = await commands.callDdrs(operation, payload);
      if (!answer.ok) return answer;
      if (answer.value.ok) return ok(answer.value.result);
      const { code, message } = answer.value.error;
      return err(appError('HOST', code === 'storage' ? 'STORAGE' : 'INVALID_INPUT', message));
    },
    [commands],
  );
}

async function read<T>(call: Promise<Result<unknown>>, schema: z.ZodType<T>): Promise<Result<T>> {
  const answer = await call;
  if (!answer.ok) return answer;
  const parsed = schema.safeParse(answer.value);
  return parsed.success ? ok(parsed.data) : err(appError('HOST', 'STATE', text('ddrs.invalidAnswer')));
}

export interface DdrCalls {
  readonly list: () => Promise<Result<DdrList>>;
  readonly get: (id: string) => Promise<Result<Ddr>>;
  readonly search: (text: string) => Promise<Result<Hits>>;
  readonly diff: (id: string, against: DdrDiff['against']) => Promise<Result<DdrDiff>>;
  readonly approve: (operation: string, payload: JsonObject) => Promise<Result<unknown>>;
}

/** The user's own calls to the DDR manager; every answer is validated. */
export function useDdrCalls(): DdrCalls {
  const call = useCall();
  return useMemo(
    () => ({
      list: () => read(call('list_ddrs', {}), DdrList),
      get: async (id) => {
        const answer = await read(call('get_ddr', { id }), One);
        return answer.ok ? ok(answer.value.ddr) : answer;
      },
      search: (text) => read(call('search_ddrs', { text }), Hits),
      diff: (id, against) => read(call('diff_ddr', { id, against }), DdrDiff),
      approve: (operation, payload) => call(operation, payload),
    }),
    [call],
  );
}
