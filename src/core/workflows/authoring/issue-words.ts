/** What the schema found wrong, as far as it is told in words of our own. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly origin?: unknown;
  readonly maximum?: unknown;
  readonly minimum?: unknown;
  readonly values?: unknown;
  readonly expected?: unknown;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const counted = (count: unknown, origin: unknown): string =>
  `${Number(count).toLocaleString('en')} ${origin === 'array' ? 'entries' : 'characters'}`;

/** An issue for people; what the definition's own rules say is said already. */
export function issueWords({ code, message, origin, maximum, minimum, values, expected }: Issue): string {
  switch (code) {
    case 'too_big':
      return origin === 'number' ? message : `must have at most ${counted(maximum, origin)}`;
    case 'too_small':
      return origin === 'number' ? message : `must have at least ${counted(minimum, origin)}`;
    case 'invalid_value':
      return Array.isArray(values) ? `must be one of ${values.map(String).join(', ')}` : message;
    case 'invalid_type':
      return `must be ${kinds[String(expected)] ?? String(expected)}`;
    default:
      return message;
  }
}
