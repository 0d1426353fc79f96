import { z } from 'zod';
import { DdrId, DdrTla } from '#shared/ddr';
import { breaksOut, endOfText } from './sections';

const control = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/** One line of text without line breaks, control characters or bidirectional control characters. */
export const line = (max: number) =>
  z
    .string('must be text')
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must be at most ${max} characters`)
    .refine((text) => !control.test(text), 'must be one line without control characters');

/** Text under a heading. */
export const block = (max: number) =>
  z
    .string('must be text')
    .transform((text) => text.replaceAll(/\r\n?/g, '\n').trim())
    .transform((text) => text.slice(0, endOfText(text)).trim())
    .pipe(
      z
        .string()
        .min(1, 'must not be empty')
        .max(max, `must be at most ${max} characters`)
        .refine((text) => !text.includes('\0'), 'must not contain a NUL character')
        .superRefine((text, context) => {
          const reason = breaksOut(text);
          if (reason !== null) context.addIssue({ code: 'custom', message: reason });
        }),
    );

export const id = z.string('must be the id of a DDR, such as AGN-014').pipe(DdrId);
export const tla = z.string('must be three capital letters').trim().pipe(DdrTla);
export const chapterId = z
  .string('must be the id of a chapter, such as C1')
  .regex(/^C\d{1,4}$/, 'must look like C1');

/** A summary is shown in lists, so it is one paragraph without headings. */
export const summary = (max: number) =>
  block(max).refine((text) => !/\n\s*\n/.test(text), 'must be one paragraph');

/** A chapter's heading; "Goal" is reserved for the goal. */
export const chapterTitle = line(120)
  .refine((text) => text.toLowerCase() !== 'goal', 'must not be "Goal": use set_goal')
  .refine((text) => !text.startsWith('#'), 'must not start with #');
