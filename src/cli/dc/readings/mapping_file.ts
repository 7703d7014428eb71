import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { READING_QUANTITIES, type ReadingQuantity } from "#dc/model/enum_values.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { type Conversion, conversionOf, NAMED_UNITS, unitsOf } from "./units.ts";

/** Seconds between two times that a query is asked, unless its row says otherwise, and the fewest. */
const USUAL_EVERY_S = 60;
const LEAST_EVERY_S = 5;
const USUAL_TIMEOUT_S = 10;
const MOST_TIMEOUT_S = 60;
const DAY_S = 24 * 60 * 60;
/** Queries of a file. Ours: asked one after another, they fit into a minute. */
const MOST_QUERIES = 200;

/** A query whose series are readings of a quantity. */
export interface ReadingQuery {
  readonly query: string;
  readonly quantity: ReadingQuantity;
  /** Reference of the element, with labels of the series in double braces. */
  readonly element: string;
  readonly conversion: Conversion;
  readonly everyS: number;
}

/** Where to ask, and how. Files of secrets are read for each question, so that they can be renewed. */
export interface PrometheusAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly user: string | undefined;
  readonly passwordFile: string | undefined;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly timeoutMs: number;
}

export interface ReadingMapping {
  readonly address: PrometheusAddress;
  /** Who measured, of all readings of the file. */
  readonly source: string;
  readonly queries: readonly ReadingQuery[];
}

/** Keys of a mapping with their meaning, as documents state it. */
export const MAPPING_KEYS = {
  url: "Address, up to the `/api`",
  user: "Basic authentication, with `password_file`",
  password_file:
    "File with the password; files are read for each question, and their paths are relative to the mapping",
  token_file: "File with a bearer token, instead of a user",
  ca_file: "Certificates in PEM instead of the system's",
  timeout_s: `Longest wait for a reply, 1 to ${MOST_TIMEOUT_S} (${USUAL_TIMEOUT_S})`,
  source: "Source of all readings of the file (`prometheus`)",
  queries: `Up to ${MOST_QUERIES} queries, asked one after another`,
} as const;

/** Keys of a query with their meaning. */
export const QUERY_KEYS = {
  query: "A query of PromQL",
  quantity: "Quantity of its series",
  element: "Reference of the element, with labels of the series in double braces",
  unit: `Unit of the series, if another: ${NAMED_UNITS.join(", ")}`,
  every_s: `Seconds between two times that it is asked, ${LEAST_EVERY_S} to ${DAY_S.toLocaleString("en")} (${USUAL_EVERY_S})`,
} as const;

/** Reads a mapping in YAML or JSON; paths in it are relative to it. @throws OperationError naming the key and what is expected */
export async function readMapping(file: string): Promise<ReadingMapping> {
  const value = await parseMapping(file);
  if (!isJsonObject(value)) throw wrongKey(file, "the file", "keys and values");
  demandKeys(file, "", value, MAPPING_KEYS);
  const queries = value["queries"];
  if (!Array.isArray(queries) || queries.length === 0 || queries.length > MOST_QUERIES)
    throw wrongKey(file, "queries", `a list of 1 to ${MOST_QUERIES} queries`);
  return {
    address: addressOf(file, value),
    source: optionalText(file, "source", value["source"]) ?? "prometheus",
    queries: queries.map((row, index) => queryOf(file, `queries[${index}]`, row)),
  };
}

async function parseMapping(file: string): Promise<unknown> {
  const { parseDocument } = await import("yaml");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new OperationError("not_found", `Cannot read the readings file "${file}": ${(error as Error).message}`);
  }
  const document = parseDocument(text, { prettyErrors: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) throw wrongKey(file, error.message.split("\n")[0] ?? "the file", "YAML or JSON");
  return document.toJS({ maxAliasCount: 0 });
}

function addressOf(file: string, value: Readonly<Record<string, unknown>>): PrometheusAddress {
  const text = (key: keyof typeof MAPPING_KEYS) => optionalText(file, key, value[key]);
  const path = (key: keyof typeof MAPPING_KEYS) => {
    const given = text(key);
    return given === undefined ? undefined : resolve(dirname(file), given);
  };
  const url = text("url") ?? "";
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw wrongKey(file, "url", "http:// or https://");
  if (new URL(url).username !== "" || new URL(url).password !== "")
    throw wrongKey(file, "url", "no password in the address: user and password_file");
  const address = {
    url: url.replace(/\/+$/, ""),
    user: text("user"),
    passwordFile: path("password_file"),
    tokenFile: path("token_file"),
    caFile: path("ca_file"),
    timeoutMs: seconds(file, "timeout_s", value["timeout_s"] ?? USUAL_TIMEOUT_S, [1, MOST_TIMEOUT_S]) * 1000,
  };
  if ((address.user === undefined) !== (address.passwordFile === undefined))
    throw wrongKey(file, "user", "user and password_file together");
  if (address.user !== undefined && address.tokenFile !== undefined)
    throw wrongKey(file, "token_file", "either a token_file or a user");
  return address;
}

function queryOf(file: string, at: string, row: unknown): ReadingQuery {
  if (!isJsonObject(row)) throw wrongKey(file, at, "an object");
  demandKeys(file, `${at}.`, row, QUERY_KEYS);
  const text = (key: keyof typeof QUERY_KEYS) => optionalText(file, `${at}.${key}`, row[key]);
  const [query, element] = [text("query"), text("element")];
  if (query === undefined) throw wrongKey(file, `${at}.query`, "a query of PromQL");
  if (element === undefined) throw wrongKey(file, `${at}.element`, "a reference, such as device:{{instance}}");
  const name = text("quantity")?.replace(/^READING_QUANTITY_/, "");
  const quantity = READING_QUANTITIES.find((one) => one === name);
  if (quantity === undefined) throw wrongKey(file, `${at}.quantity`, READING_QUANTITIES.join(", "));
  const unit = text("unit");
  const conversion = conversionOf(quantity, unit);
  if (conversion === undefined) throw wrongKey(file, `${at}.unit`, unitsOf(quantity).join(", ") || "no unit");
  const everyS = seconds(file, `${at}.every_s`, row["every_s"] ?? USUAL_EVERY_S, [LEAST_EVERY_S, DAY_S]);
  return { query, quantity, element, conversion, everyS };
}

function demandKeys(file: string, at: string, value: object, keys: object): void {
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(keys, key));
  if (unknown !== undefined) throw wrongKey(file, `${at}${unknown}`, Object.keys(keys).join(", "));
}

function optionalText(file: string, key: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && value !== "") return value;
  throw wrongKey(file, key, "a text");
}

function seconds(file: string, key: string, value: unknown, [least, most]: readonly [number, number]): number {
  if (typeof value === "number" && value >= least && value <= most) return value;
  throw wrongKey(file, key, `${least} to ${most} seconds`);
}

function wrongKey(file: string, key: string, expected: string): OperationError {
  return new OperationError(
    "invalid_argument",
    `Cannot take ${key} of the readings file "${file}": expected ${expected}`,
  );
}
