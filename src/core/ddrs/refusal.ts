import type { AppError } from '#shared/app-error';
import type { DdrError } from '#shared/ddr';
import { err } from '#shared/result';

/** Why an operation was refused. */
export type Refusal = DdrError;

export const refuse = (code: Refusal['code'], message: string) => err<Refusal>({ code, message });

/** Maps a storage failure to a DDR manager error: a concurrent writer is a conflict, all else is storage. */
export function refuseFailure(error: AppError) {
  const hint = error.hint === undefined ? '' : ` ${error.hint}`;
  return refuse(error.code === 'STATE' ? 'conflict' : 'storage', `${error.message}${hint}`);
}
