/** The name of an enum value whose word on the command line is `Word`: `rack-pdu` is RACK_PDU. */
type EnumName<Word extends string> = Word extends `${infer First}-${infer Rest}`
  ? `${Uppercase<First>}_${EnumName<Rest>}`
  : Uppercase<Word>;

export function enumName<Word extends string>(word: Word): EnumName<Word> {
  return word.toUpperCase().replaceAll("-", "_") as EnumName<Word>;
}

/** The words of enum values on the command line: RACK_PDU is `rack-pdu`. */
export function enumWords(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase().replaceAll("_", "-"));
}
