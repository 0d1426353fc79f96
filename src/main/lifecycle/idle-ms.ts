/** Long enough for a follow-up goal, short enough that an idle app costs nothing. */
const usualIdleMs = 60_000;

/** `PATINA_IDLE_MS` overrides the default; a value that is not a whole number has no effect. */
export function idleMsFrom(value: string | undefined): number {
  return /^\d{1,9}$/.test(value ?? '') ? Number(value) : usualIdleMs;
}
