/** A form of statement: how it begins, and every keyword and function that may follow. */
export interface StatementForm {
  readonly begins: string;
  /** Words in capitals, separated by blanks. */
  readonly words: string;
  /** Functions, separated by blanks. */
  readonly calls?: string;
}

const CONDITIONS = "WHERE AND OR NOT IN IS NULL LIKE ESCAPE EXISTS SELECT FROM ANY ARRAY CAST AS TEXT JSONB";
const LISTS = "jsonb_array_elements_text";
const COLUMNS = "TEXT BIGINT DOUBLE PRECISION PRIMARY KEY NOT NULL";

/**
 * The forms of statement that go to CockroachDB; a test compares every statement with them. Source: CockroachDB, SQL
 * statements; PostgreSQL compatibility; docs/datacenter.md#statements-on-cockroachdb.
 */
export const COCKROACH_FORMS: readonly StatementForm[] = [
  { begins: "BEGIN ISOLATION LEVEL", words: "SERIALIZABLE REPEATABLE READ WRITE ONLY" },
  { begins: "SET LOCAL", words: "" },
  { begins: "COMMIT", words: "" },
  { begins: "ROLLBACK", words: "TO SAVEPOINT" },
  { begins: "SAVEPOINT", words: "" },
  { begins: "RELEASE SAVEPOINT", words: "" },
  {
    begins: "SELECT",
    words: `${CONDITIONS} DISTINCT JOIN LEFT ON USING GROUP BY ORDER ASC DESC LIMIT CASE WHEN THEN ELSE END UNION ALL VALUES`,
    calls: `${LISTS} COUNT MIN MAX SUM COALESCE LOWER version current_schema`,
  },
  {
    begins: "INSERT INTO",
    words: `${CONDITIONS} VALUES ON CONFLICT DO NOTHING UPDATE SET RETURNING BIGINT EPOCH JOIN LEFT GROUP BY ORDER DESC LIMIT CASE WHEN THEN ELSE END`,
    calls: `${LISTS} SUM EXTRACT now`,
  },
  { begins: "UPDATE", words: `${CONDITIONS} SET RETURNING BIGINT`, calls: `${LISTS} REPLACE COALESCE SUM` },
  { begins: "DELETE FROM", words: CONDITIONS, calls: LISTS },
  { begins: "CREATE TABLE IF NOT EXISTS", words: `${COLUMNS} FOREIGN REFERENCES ON DELETE CASCADE` },
  { begins: "CREATE INDEX IF NOT EXISTS", words: "ON WHERE IN IS NOT NULL" },
  { begins: "CREATE UNIQUE INDEX IF NOT EXISTS", words: "ON WHERE IS NOT NULL" },
  { begins: "ALTER TABLE", words: `ADD COLUMN IF NOT EXISTS ${COLUMNS} DEFAULT` },
  { begins: "DROP INDEX IF EXISTS", words: "" },
];

const MARKS: ReadonlySet<string> = new Set([
  "(",
  ")",
  ",",
  ".",
  "=",
  "<",
  ">",
  "<=",
  ">=",
  "<>",
  "+",
  "-",
  "*",
  "||",
  "->>",
]);
const TOKEN = /'(?:[^']|'')*'|\$\d+|\d+|[A-Za-z_]\w*|->>|\|\||<=|>=|<>|\S/g;

/** Returns the first part of one or several statements that no supported form allows; undefined if all is allowed. */
export function unknownForm(sql: string): string | undefined {
  const parts = sql.split(/;\s*/).filter((part) => part !== "");
  return parts.map(unknownPart).find((found) => found !== undefined);
}

function unknownPart(sql: string): string | undefined {
  const text = sql.trim().replace(/\s+/g, " ");
  const form = COCKROACH_FORMS.find(({ begins }) => text === begins || text.startsWith(`${begins} `));
  if (form === undefined) return `no form begins like this: ${text}`;
  const words = new Set(form.words.split(" "));
  const calls = new Set((form.calls ?? "").split(" "));
  const tokens = text.slice(form.begins.length).match(TOKEN) ?? [];
  for (const [at, token] of tokens.entries()) {
    if (/^['$\d]/.test(token)) continue;
    const isCall = tokens[at + 1] === "(" && !isTable(form, tokens[at - 1]);
    const isName = !isCall && /^[a-z_]\w*$/.test(token);
    if (isName || words.has(token) || calls.has(token) || MARKS.has(token)) continue;
    return `${token} is not allowed in ${form.begins}: ${text}`;
  }
  return undefined;
}

/** Whether a name behind the word `before`, with a parenthesis behind it, is that of a table with its columns. */
function isTable({ begins }: StatementForm, before: string | undefined): boolean {
  return before === undefined ? begins !== "SELECT" : before === "ON" || before === "REFERENCES";
}
