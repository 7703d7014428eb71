import type { QuestionField, QuestionFields } from "#gen/datacenter/v1/questions.ts";

/** A field of a page that asks an RPC. */
interface AskedRow<Field> {
  /** Its name in the address. */
  readonly setting: string;
  /** The field of the request. */
  readonly field: Field;
  readonly label: string;
  /** What holds, or what is expected, while it is empty. */
  readonly empty: string;
  /** Kinds of the inventory that it names one of. */
  readonly kinds?: readonly string[];
  /** Words of the address with their labels, if they differ from the values of the request's field. */
  readonly words?: Readonly<Record<string, string>>;
  /** Whether a flag is on while the address does not name it. */
  readonly isOn?: true;
}

/** Such a field with the type that it has in the request. */
export type AskedField = AskedRow<string> & { readonly asked: QuestionField };

export function askedFields<Fields extends QuestionFields>(
  fields: Fields,
  rows: readonly AskedRow<keyof Fields & string>[],
): readonly AskedField[] {
  return rows.map((row) => ({ ...row, asked: fields[row.field] as QuestionField }));
}

/** Words that the address may have for a field, with their labels; undefined if it takes a text. */
export function wordsOf({ asked, words }: AskedField): Readonly<Record<string, string>> | undefined {
  if (asked.type === "flag") return { 0: "no", 1: "yes" };
  if (asked.type !== "choice") return undefined;
  return words ?? Object.fromEntries(asked.values.map(wordOf));
}

function wordOf(value: string): readonly [word: string, label: string] {
  const words = value.toLowerCase();
  return [words.replaceAll("_", "-"), words.replaceAll("_", " ")];
}

/** The words that the address may have, by setting, for fields that take no text. */
export function wordsBySetting(rows: readonly AskedField[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const words = wordsOf(row);
      return words === undefined ? [] : [[row.setting, Object.keys(words)]];
    }),
  );
}
