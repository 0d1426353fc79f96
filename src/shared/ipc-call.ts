import type { z } from 'zod';

/** Declares one call: its input schema at run time, its output type at compile time. */
export const call =
  <Output>() =>
  <Input extends z.ZodType>(input: Input) => ({ input, output: undefined as unknown as Output });
