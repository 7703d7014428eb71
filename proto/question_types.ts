/** A field of what an RPC takes. */
export type QuestionField =
  | { readonly type: "text" | "int" | "number" | "flag" | "group"; readonly isList?: true }
  /** Values are without the prefix and without UNSPECIFIED. */
  | { readonly type: "choice"; readonly isList?: true; readonly prefix: string; readonly values: readonly string[] };

export type QuestionFields = Readonly<Record<string, QuestionField>>;
