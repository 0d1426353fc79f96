import { appendFileSync } from 'node:fs';

/** A measured number beside the best that the machine could do in the same run. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  /** The floor, in the same unit: raw inserts, an empty window; absent for a goal without one. */
  readonly floor?: number;
  /** The most the ratio (with a floor) or the value (without one) should be. */
  readonly goal: number;
  readonly unit: string;
}

const collected: (Measurement & { readonly ratio: number | null; readonly met: boolean })[] = [];

const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** Prints one aligned line and keeps the number; `PATINA_BENCH_FILE` collects them as JSON lines. Goals are for quiet machines: a miss fails nothing. */
export function report(measurement: Measurement): void {
  const { name, value, floor, goal, unit } = measurement;
  const ratio = floor === undefined ? null : value / floor;
  const met = (ratio ?? value) <= goal;
  const against = ratio === null ? '' : `floor ${short(floor ?? 0)} ${unit}, ratio ${ratio.toFixed(2)}`;
  const wanted = ratio === null ? `goal ${goal} ${unit}` : `goal ${goal}x`;
  const line = [
    name.padEnd(44),
    `${short(value)} ${unit}`.padStart(12),
    against.padStart(32),
    wanted.padStart(14),
  ];
  process.stdout.write(`${line.join('  ')}  ${met ? 'met' : 'missed'}\n`);
  collected.push({ ...measurement, ratio, met });
  const file = process.env['PATINA_BENCH_FILE'];
  if (file) appendFileSync(file, `${JSON.stringify(collected.at(-1))}\n`);
}

/** The median of some numbers. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
