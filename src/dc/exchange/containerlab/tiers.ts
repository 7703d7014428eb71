/** Tier of a fabric node, by its distance from the hosts. */
export type Tier = "leaf" | "spine" | "super-spine";

const WORDS: readonly (readonly [RegExp, Tier | "border-leaf" | "host"])[] = [
  [/super[-_ ]?spine|\bss\d|sspine|core/i, "super-spine"],
  [/border[-_ ]?leaf|^bl\d/i, "border-leaf"],
  [/spine|^s\d+$|agg(?:regation)?/i, "spine"],
  [/leaf|^l\d+$|\btor\b|access/i, "leaf"],
  [/client|host|server|^srv|^h\d+$|^c\d+$|tester|multitool/i, "host"],
];

/** The role that a word such as a node's name, group or label means, or undefined. */
export function roleOfWord(word: string): Tier | "border-leaf" | "host" | undefined {
  return WORDS.find(([pattern]) => pattern.test(word))?.[1];
}
