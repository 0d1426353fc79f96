/** Characters that embed, override or isolate a direction: text with one of them can be drawn as another text. */
const directionControls = /[\u202A-\u202E\u2066-\u2069]/g;

const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16)}`;

/** The same text with these characters visible, such as `\u202e`; in a JSON text they keep their meaning. */
export const visibleControls = (text: string): string => text.replaceAll(directionControls, escaped);

/** A name that the user gave, without these characters: it is drawn as it reads, and so is what is beside it. */
export const withoutDirectionControls = (text: string): string => text.replaceAll(directionControls, '');
