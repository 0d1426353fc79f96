/** Long enough for the next goal of the same train of thought, short enough that an idle app costs nothing. */
const usualIdleMs = 60_000;

/** `PATINA_IDLE_MS` shortens or lengthens it; what is no whole number changes nothing. */
export function idleMsFrom(value: string | undefined): number {
  return /^\d{1,9}$/.test(value ?? '') ? Number(value) : usualIdleMs;
}
