import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { READING_QUANTITIES, type ReadingQuantity } from "#dc/model/enum_values.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { CONVERTED_UNITS, type Conversion, findConversion, listUnits } from "./units.ts";

/** Default and minimum interval between two runs of a query, in seconds. */
const DEFAULT_INTERVAL_S = 60;
const MIN_INTERVAL_S = 5;
const DEFAULT_TIMEOUT_S = 10;
const MAX_TIMEOUT_S = 60;
const DAY_S = 24 * 60 * 60;
/** Maximum number of queries in a file. Queries run one after another and must fit into a minute. */
const MAX_QUERIES = 200;

/** A query whose series are readings of a quantity. */
export interface ReadingQuery {
  readonly query: string;
  readonly quantity: ReadingQuantity;
  /** Reference of the element; may contain labels of the series in double braces. */
  readonly element: string;
  readonly conversion: Conversion;
  readonly intervalS: number;
}

/** Address and credentials of a server. Files of secrets are read for each query, so that they can be renewed. */
export interface PrometheusAddress {
  /** URL without a slash at the end. */
  readonly url: string;
  readonly user: string | undefined;
  readonly passwordFile: string | undefined;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly timeoutMs: number;
}

export interface ReadingMapping {
  readonly address: PrometheusAddress;
  /** Name of the measuring system, for all readings of the file. */
  readonly source: string;
  readonly queries: readonly ReadingQuery[];
}

/** Keys of a mapping with their meanings, for the documentation. */
export const MAPPING_KEYS = {
  url: "Address, up to the `/api`",
  user: "Basic authentication, with `password_file`",
  password_file:
    "File with the password; files are read for each question, and their paths are relative to the mapping",
  token_file: "File with a bearer token, instead of a user",
  ca_file: "Certificates in PEM instead of the system's",
  timeout_s: `Longest wait for a reply, 1 to ${MAX_TIMEOUT_S} (${DEFAULT_TIMEOUT_S})`,
  source: "Source of all readings of the file (`prometheus`)",
  queries: `Up to ${MAX_QUERIES} queries, asked one after another`,
} as const;

/** Keys of a query with their meanings, for the documentation. */
export const QUERY_KEYS = {
  query: "A query of PromQL",
  quantity: "Quantity of its series",
  element: "Reference of the element, with labels of the series in double braces",
  unit: `Unit of the series, if another: ${CONVERTED_UNITS.join(", ")}`,
  every_s: `Seconds between two times that it is asked, ${MIN_INTERVAL_S} to ${DAY_S.toLocaleString("en")} (${DEFAULT_INTERVAL_S})`,
} as const;

/** Reads a mapping, with paths relative to its file. @throws OperationError that names the key and what is expected */
export async function readReadingMapping(file: string): Promise<ReadingMapping> {
  const value = await parseMappingFile(file);
  if (!isJsonObject(value)) throw createKeyError(file, "the file", "keys and values");
  requireKnownKeys(file, "", value, MAPPING_KEYS);
  const queries = value["queries"];
  if (!Array.isArray(queries) || queries.length === 0 || queries.length > MAX_QUERIES)
    throw createKeyError(file, "queries", `a list of 1 to ${MAX_QUERIES} queries`);
  return {
    address: parseAddress(file, value),
    source: parseOptionalText(file, "source", value["source"]) ?? "prometheus",
    queries: queries.map((row, index) => parseQuery(file, `queries[${index}]`, row)),
  };
}

async function parseMappingFile(file: string): Promise<unknown> {
  const { parseDocument } = await import("yaml");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new OperationError("not_found", `Cannot read the readings file "${file}": ${(error as Error).message}`);
  }
  const document = parseDocument(text, { prettyErrors: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) throw createKeyError(file, error.message.split("\n")[0] ?? "the file", "YAML or JSON");
  return document.toJS({ maxAliasCount: 0 });
}

function parseAddress(file: string, value: Readonly<Record<string, unknown>>): PrometheusAddress {
  const text = (key: keyof typeof MAPPING_KEYS) => parseOptionalText(file, key, value[key]);
  const path = (key: keyof typeof MAPPING_KEYS) => {
    const given = text(key);
    return given === undefined ? undefined : resolve(dirname(file), given);
  };
  const url = text("url") ?? "";
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw createKeyError(file, "url", "http:// or https://");
  if (new URL(url).username !== "" || new URL(url).password !== "")
    throw createKeyError(file, "url", "no password in the address: user and password_file");
  const address = {
    url: url.replace(/\/+$/, ""),
    user: text("user"),
    passwordFile: path("password_file"),
    tokenFile: path("token_file"),
    caFile: path("ca_file"),
    timeoutMs: parseSeconds(file, "timeout_s", value["timeout_s"] ?? DEFAULT_TIMEOUT_S, [1, MAX_TIMEOUT_S]) * 1000,
  };
  if ((address.user === undefined) !== (address.passwordFile === undefined))
    throw createKeyError(file, "user", "user and password_file together");
  if (address.user !== undefined && address.tokenFile !== undefined)
    throw createKeyError(file, "token_file", "either a token_file or a user");
  return address;
}

function parseQuery(file: string, at: string, row: unknown): ReadingQuery {
  if (!isJsonObject(row)) throw createKeyError(file, at, "an object");
  requireKnownKeys(file, `${at}.`, row, QUERY_KEYS);
  const text = (key: keyof typeof QUERY_KEYS) => parseOptionalText(file, `${at}.${key}`, row[key]);
  const [query, element] = [text("query"), text("element")];
  if (query === undefined) throw createKeyError(file, `${at}.query`, "a query of PromQL");
  if (element === undefined) throw createKeyError(file, `${at}.element`, "a reference, such as device:{{instance}}");
  const name = text("quantity")?.replace(/^READING_QUANTITY_/, "");
  const quantity = READING_QUANTITIES.find((one) => one === name);
  if (quantity === undefined) throw createKeyError(file, `${at}.quantity`, READING_QUANTITIES.join(", "));
  const unit = text("unit");
  const conversion = findConversion(quantity, unit);
  if (conversion === undefined) throw createKeyError(file, `${at}.unit`, listUnits(quantity).join(", ") || "no unit");
  const everyS = parseSeconds(file, `${at}.every_s`, row["every_s"] ?? DEFAULT_INTERVAL_S, [MIN_INTERVAL_S, DAY_S]);
  return { query, quantity, element, conversion, intervalS: everyS };
}

function requireKnownKeys(file: string, at: string, value: object, keys: object): void {
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(keys, key));
  if (unknown !== undefined) throw createKeyError(file, `${at}${unknown}`, Object.keys(keys).join(", "));
}

function parseOptionalText(file: string, key: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && value !== "") return value;
  throw createKeyError(file, key, "a text");
}

function parseSeconds(file: string, key: string, value: unknown, [least, most]: readonly [number, number]): number {
  if (typeof value === "number" && value >= least && value <= most) return value;
  throw createKeyError(file, key, `${least} to ${most} seconds`);
}

function createKeyError(file: string, key: string, expected: string): OperationError {
  return new OperationError(
    "invalid_argument",
    `Cannot take ${key} of the readings file "${file}": expected ${expected}`,
  );
}
