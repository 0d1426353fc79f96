import type { JsonObject } from '#shared/json';
import type { AuthoringNames } from '#shared/workflow-panel';

export type NameKind = keyof AuthoringNames;

interface PartWords {
  readonly name: string;
  readonly label: string;
  /** The help text, announced with the field. */
  readonly hint?: string;
}

export interface LinePart extends PartWords {
  readonly kind: 'line' | 'number';
  readonly mono?: boolean;
  /** Names suggested while typing. */
  readonly suggest?: NameKind;
}

export interface TextPart extends PartWords {
  readonly kind: 'text';
  readonly rows: number;
}

/** A list of texts, one per line. */
export interface LinesPart extends PartWords {
  readonly kind: 'lines';
  readonly rows: number;
  readonly mono?: boolean;
  /** Names that one choice adds. */
  readonly add?: NameKind;
}

export interface ChoicePart extends PartWords {
  readonly kind: 'choice';
  readonly options: readonly (readonly [value: string, label: string])[];
}

export interface SwitchPart extends PartWords {
  readonly kind: 'switch';
}

/**
 * Lists of texts by name, `operation: create_ddr, set_goal`, one per line; with `single`, one text per name.
 */
export interface PairsPart extends PartWords {
  readonly kind: 'pairs';
  readonly single?: boolean;
}

/** A nested object; absent if its `variants` include that choice and the user selects it. */
export interface GroupPart extends PartWords {
  readonly kind: 'group';
  readonly shape: GroupShape;
}

/** A list of objects. */
export interface RowsPart extends PartWords {
  readonly kind: 'rows';
  /** The name of one item: `input`. */
  readonly noun: string;
  readonly blank: JsonObject;
  readonly shapeOf: (row: JsonObject) => GroupShape;
}

/** How one field of a definition is edited. */
export type Part =
  LinePart | TextPart | LinesPart | ChoicePart | SwitchPart | PairsPart | GroupPart | RowsPart;

export interface Variant {
  readonly kind: string;
  readonly label: string;
  readonly blank: JsonObject;
  readonly parts: readonly Part[];
}

/** The parts of an object. With `variants`, its `kind` determines the other parts; `none` means no object. */
export interface GroupShape {
  readonly parts: readonly Part[];
  readonly variants?: {
    readonly label: string;
    readonly none?: string;
    readonly options: readonly Variant[];
  };
}
