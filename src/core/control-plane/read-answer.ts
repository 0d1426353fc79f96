import type { Question } from '#shared/route';
import { fold } from './fold';
import { isCodeToken } from './utterance';

/** How a line answers an open question; `choice` is the index in `options`. */
export type Answer = 'yes' | 'no' | 'weak-yes' | 'no-answer' | { readonly choice: number };

const list = (text: string): ReadonlySet<string> => new Set(text.split('|'));

const yesWords = list(
  'yes|y|yep|yeah|yup|ya|confirm|confirmed|i confirm|do it|do that|go ahead|yes do it|yes do that|yes go ahead|yes confirm|' +
    'yes i confirm|yes i do|yes i am sure|yes i m sure|proceed|yes proceed|please do|yes please do|affirmative|yes yes',
);
const noWords = list(
  'no|n|nope|nah|cancel|cancel it|cancel that|stop|never mind|nevermind|not now|not yet|don t|do not|don t do it|don t do that|' +
    'do not do it|no don t|no do not|no cancel|no stop|abort|forget it|leave it|no way|decline|dismiss|rather not|' +
    'none|neither|none of them|none of these|none of those|no never mind|no not now',
);
/** A plain yes or no in other languages, without words that English has, too. */
const foreignYes = list(
  'ja|jawohl|oui|si|sim|da|tak|ano|evet|hai|ja bitte|oui s il vous plait|si por favor|да|так|ναι|はい|是|是的|好|네|예',
);
const foreignNo = list(
  'nein|nein danke|non|non merci|nao|nee|nej|nei|nie|hayir|нет|ні|οχι|いいえ|不|不是|不要|아니요|아니',
);
const weakWords = list(
  'ok|okay|k|sure|fine|alright|all right|sounds good|looks good|good|ok sure|ok fine|sure thing|that s fine|fine by me',
);
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];
const maxAnswerLength = 256;

const politeFront = /^(?:(?:please|oh|well|hey|patina|then|um|so|ok|okay|sure|alright) )+/u;
const politeBack = /(?: (?:please|pls|thanks|thank you|patina|now|then))+$/u;

/** The folded line, with and without the polite words around it. */
function readingsOf(text: string): readonly string[] {
  const folded = fold(text);
  const short = folded.replace(politeBack, '');
  return [...new Set([folded, short, folded.replace(politeFront, ''), short.replace(politeFront, '')])];
}

function refusesOwnWords(reading: string, own: readonly string[]): boolean {
  return own.some((words) => [`don t ${words}`, `do not ${words}`, `no don t ${words}`].includes(reading));
}

function agrees(reading: string, own: readonly string[]): boolean {
  return (
    yesWords.has(reading) ||
    foreignYes.has(reading) ||
    own.some((words) => reading === words || reading === `yes ${words}`)
  );
}

function numbered(reading: string): number {
  const match = /^(?:option |number |no |the )?#?(\d{1,2})$/u.exec(reading);
  if (match) return Number(match[1]) - 1;
  const word = /^(?:the )?([a-z]+)(?: one| option)?$/u.exec(reading)?.[1] ?? '';
  return ordinals.indexOf(word);
}

/** The single option that a line names by its label, id, number or position. */
function choiceOf(readings: readonly string[], { options, choices = [] }: Question): number | undefined {
  const named = options.flatMap((option, index) => {
    const names = [option, choices[index]?.label ?? option, choices[index]?.resolvedId ?? option].map(fold);
    return names.some((name) => name !== '' && readings.includes(name)) ? [index] : [];
  });
  if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  return readings.map(numbered).find((index) => index >= 0 && index < options.length);
}

function isAnswerShaped(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length > maxAnswerLength || /[\n\r?\u061f\uff1f"\u201c\u201d]/u.test(trimmed)) return false;
  return !trimmed
    .replace(/^(\d{1,2})\)$/u, '$1')
    .split(/\s+/u)
    .some(isCodeInAnswer);
}

/** Labels may contain colons and parentheses; any other code character makes a token code. */
const isCodeInAnswer = (token: string): boolean => isCodeToken(token.replace(/[:()]/gu, ''));

/** The terminal numbers the options of every question; no other word for a position is a consent. */
function numberedYesNo(readings: readonly string[], options: readonly string[]): Answer | undefined {
  const digits = readings.find((reading) => /^\d{1,2}$/u.test(reading));
  const option = fold(options[Number(digits) - 1] ?? '');
  return option === 'yes' || option === 'no' ? option : undefined;
}

function readYesNo(readings: readonly string[], own: readonly string[], { options }: Question): Answer {
  if (readings.some((reading) => agrees(reading, own))) return 'yes';
  const byNumber = numberedYesNo(readings, options);
  if (byNumber) return byNumber;
  return readings.some((reading) => weakWords.has(reading)) ? 'weak-yes' : 'no-answer';
}

function readShaped(text: string, question: Question): Answer {
  const readings = readingsOf(text);
  const own = (question.yesWords ?? []).map(fold);
  if (
    readings.some(
      (reading) => noWords.has(reading) || foreignNo.has(reading) || refusesOwnWords(reading, own),
    )
  )
    return 'no';
  if (isYesNo(question)) return readYesNo(readings, own, question);
  const choice = choiceOf(readings, question);
  return choice === undefined ? 'no-answer' : { choice };
}

const isYesNo = ({ options }: Question): boolean => options.some((option) => fold(option) === 'yes');

/**
 * Reads a line as an answer to a router question. Only a line that consists of the answer alone counts: "Yes,
 * but explain first" does not. A model's proposal is answered only on its card.
 */
export function readAnswer(text: string, question: Question): Answer {
  if (question.asker !== 'router') return 'no-answer';
  const label = question.options.indexOf(text.trim());
  if (label >= 0 && !isYesNo(question)) return { choice: label };
  return label >= 0 || isAnswerShaped(text) ? readShaped(text, question) : 'no-answer';
}
