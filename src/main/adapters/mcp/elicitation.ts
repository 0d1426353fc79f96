import type { Client, ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';
import type { ElicitField, Elicitation } from '#shared/elicitation';
import type { Elicit } from '../../../core/ports/elicit';
import { stripControls } from './text-tail';

const MAX_FIELDS = 30;
const MAX_OPTIONS = 200;
const MAX_TEXT_CHARACTERS = 2_000;

/**
 * Words that name a secret, anywhere in a text. Forms must not request secrets: servers get them from their
 * configuration.
 */
const SECRET =
  /pass.?(word|phrase|code)|\bpwd\b|secret|credential|api.?key|access.?key|private.?key|\btokens?\b|one.?time.?(code|password)|recovery.?(code|phrase)|seed.?phrase|card.?number|security.?code|social.security/i;
/** Short words that name a secret only as a field name or as the object of a request ("enter your PIN"). */
const SHORT = 'pin|otp|cvv|cvc|mfa|2fa|ssn';
const SHORT_NAME = new RegExp(`\\b(${SHORT})\\b`, 'i');
const SHORT_ASKED = new RegExp(`\\b(your|the|enter|type)\\s+(\\w+\\s+){0,2}(${SHORT})\\b`, 'i');

const namesSecret = (name: string): boolean => SECRET.test(name) || SHORT_NAME.test(name);
const asksSecret = (text: string): boolean => SECRET.test(text) || SHORT_ASKED.test(text);

type Property = ElicitRequestFormParams['requestedSchema']['properties'][string];
interface Choice {
  readonly value: string;
  readonly label: string;
}

const printable = (text: unknown): string =>
  typeof text === 'string' ? stripControls(text).slice(0, MAX_TEXT_CHARACTERS) : '';

/** Splits camelCase and snake_case into words, so that `dbPassword` and `api_key` match as words. */
const words = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_.-]+/g, ' ');

/** The part of a form that requests a secret, which no form may do, or null. */
export function requestsSecret({ message, requestedSchema }: ElicitRequestFormParams): string | null {
  // Checks the text as displayed: bounded, and without invisible characters that could split a word.
  if (asksSecret(printable(message))) return 'its question';
  const secret = Object.entries(requestedSchema.properties).find(
    ([name, { title, description }]) =>
      namesSecret(words(printable(name))) ||
      namesSecret(printable(title)) ||
      asksSecret(printable(description)),
  );
  return secret ? `the field ${printable(secret[0]).slice(0, 64)}` : null;
}

function choices(property: object): readonly Choice[] | null {
  const { enum: values, enumNames, oneOf, anyOf } = property as Record<string, unknown>;
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : null;
  if (titled !== null) {
    return titled.slice(0, MAX_OPTIONS).map((option: { const: string; title?: string }) => ({
      value: option.const,
      label: printable(option.title ?? option.const),
    }));
  }
  if (!Array.isArray(values)) return null;
  const names = Array.isArray(enumNames) ? (enumNames as string[]) : [];
  return (values as string[])
    .slice(0, MAX_OPTIONS)
    .map((value, index) => ({ value, label: printable(names[index] ?? value) }));
}

const defined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

function toField(name: string, property: Property, required: boolean): ElicitField {
  const label = printable(property.title) || words(name);
  const named = { name, label, description: printable(property.description), required };
  const initial = 'default' in property ? property.default : undefined;
  if (property.type === 'boolean') return defined({ ...named, kind: 'yes-no', initial }) as ElicitField;
  if (property.type === 'array') {
    const { minItems, maxItems } = property;
    const options = [...(choices(property.items) ?? [])];
    return defined({ ...named, kind: 'some-of', options, initial, minItems, maxItems }) as ElicitField;
  }
  if (property.type === 'number' || property.type === 'integer') {
    const { minimum, maximum } = property;
    const whole = property.type === 'integer';
    return defined({ ...named, kind: 'number', whole, initial, minimum, maximum }) as ElicitField;
  }
  const options = choices(property);
  if (options !== null)
    return defined({ ...named, kind: 'one-of', options: [...options], initial }) as ElicitField;
  const { format, minLength, maxLength } = property as Record<string, unknown>;
  return defined({ ...named, kind: 'text', initial, format, minLength, maxLength }) as ElicitField;
}

/** Converts a server's form into the form that the window draws, bounded. */
export function toElicitation(
  server: string,
  { message, requestedSchema }: ElicitRequestFormParams,
): Elicitation {
  const required = new Set(requestedSchema.required);
  const fields = Object.entries(requestedSchema.properties)
    .slice(0, MAX_FIELDS)
    .map(([name, property]) => toField(name, property, required.has(name)));
  return { server, message: printable(message), fields };
}

export interface ElicitationDeps {
  readonly server: string;
  readonly elicit: Elicit;
  /** Called for each form refused before anyone sees it, with a sentence for the server's status. */
  readonly onRefused: (why: string) => void;
}

/**
 * Answers a server's questions to the user. Supports forms only; declines one that requests a secret before
 * anyone sees it.
 */
export function answerElicitations(client: Client, { server, elicit, onRefused }: ElicitationDeps): void {
  client.setRequestHandler('elicitation/create', async ({ params }, context): Promise<ElicitResult> => {
    if (params.mode === 'url') return { action: 'decline' };
    const form = params;
    const secret = requestsSecret(form);
    if (secret !== null) {
      onRefused(
        `A form was declined: ${secret} asks for a secret. Put the server's secrets into its configuration.`,
      );
      return { action: 'decline' };
    }
    return elicit(toElicitation(server, form), context.mcpReq.signal);
  });
}
