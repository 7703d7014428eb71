import type { QuestionField, QuestionFields } from "#gen/datacenter/v1/questions.ts";

/** A field of a page whose value is sent in an RPC request. */
interface RequestFieldRow<Field> {
  /** Name of the setting in the URL. */
  readonly setting: string;
  /** Field of the request. */
  readonly field: Field;
  readonly label: string;
  /** Placeholder text: the default, or the expected input. */
  readonly placeholder: string;
  /** Kinds of elements that the field can name. */
  readonly kinds?: readonly string[];
  /** Words in URLs with their labels, if they differ from the values of the request's field. */
  readonly labelsByWord?: Readonly<Record<string, string>>;
  /** Whether a flag is on if the URL does not contain it. */
  readonly isOnByDefault?: true;
}

/** A field with its type in the request. */
export type RequestField = RequestFieldRow<string> & { readonly asked: QuestionField };

export function createRequestFields<Fields extends QuestionFields>(
  fields: Fields,
  rows: readonly RequestFieldRow<keyof Fields & string>[],
): readonly RequestField[] {
  return rows.map((row) => ({ ...row, asked: fields[row.field] as QuestionField }));
}

/** Returns the words of a field in URLs with their labels; undefined if the field accepts any text. */
export function getFieldWords({ asked, labelsByWord }: RequestField): Readonly<Record<string, string>> | undefined {
  if (asked.type === "flag") return { 0: "no", 1: "yes" };
  if (asked.type !== "choice") return undefined;
  return labelsByWord ?? Object.fromEntries(asked.values.map(convertToFieldWord));
}

function convertToFieldWord(value: string): readonly [word: string, label: string] {
  const words = value.toLowerCase();
  return [words.replaceAll("_", "-"), words.replaceAll("_", " ")];
}

/** Returns the words in URLs by setting, for fields that accept no free text. */
export function groupWordsBySetting(rows: readonly RequestField[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const words = getFieldWords(row);
      return words === undefined ? [] : [[row.setting, Object.keys(words)]];
    }),
  );
}
