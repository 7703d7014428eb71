/** The word of an enumeration that NetBox spells in lower case with hyphens, or undefined. */
export function oneOf<Word extends string>(words: readonly Word[], given: string): Word | undefined {
  const wanted = given.toUpperCase().replaceAll("-", "_");
  return words.find((word) => word === wanted);
}
