import { readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { dirname, resolve } from "node:path";
import { READING_QUANTITIES, type ReadingQuantity } from "#dc/model/enum_values.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject, tryParseJson } from "#kernel/json_object.ts";

/** Factor and offset that convert a value to the quantity's own unit. */
interface Conversion {
  readonly factor: number;
  /** Added after the multiplication. */
  readonly offset: number;
}

const IDENTITY: Conversion = { factor: 1, offset: 0 };

const createConversion = (factor: number, offset = 0): Conversion => ({ factor, offset });

/** Units of each quantity by the suffix of the quantity's name; the first unit is the quantity's own. */
const UNITS_BY_SUFFIX: Readonly<Record<string, Readonly<Record<string, Conversion>>>> = {
  W: { W: IDENTITY, mW: createConversion(0.001), kW: createConversion(1000), MW: createConversion(1e6) },
  VA: { VA: IDENTITY, kVA: createConversion(1000), MVA: createConversion(1e6) },
  A: { A: IDENTITY, mA: createConversion(0.001) },
  C: {
    C: IDENTITY,
    mC: createConversion(0.001),
    F: createConversion(5 / 9, -160 / 9),
    K: createConversion(1, -273.15),
  },
  M3H: {
    "m3/h": IDENTITY,
    "m3/s": createConversion(3600),
    "l/s": createConversion(3.6),
    "l/min": createConversion(0.06),
  },
  BPS: {
    "bit/s": IDENTITY,
    "kbit/s": createConversion(1e3),
    "Mbit/s": createConversion(1e6),
    "Gbit/s": createConversion(1e9),
    "B/s": createConversion(8),
  },
  PCT: { "%": IDENTITY, ratio: createConversion(100) },
  MIN: { min: IDENTITY, s: createConversion(1 / 60), h: createConversion(60) },
};

/** Every unit that differs from its quantity's own unit. */
const CONVERTED_UNITS: readonly string[] = Object.values(UNITS_BY_SUFFIX).flatMap((units) =>
  Object.keys(units).slice(1),
);

/** Returns a unit's conversion; undefined if the quantity lacks the unit. Without a unit, nothing is converted. */
function findConversion(quantity: ReadingQuantity, unit: string | undefined): Conversion | undefined {
  if (unit === undefined) return IDENTITY;
  const units = getUnitConversions(quantity);
  return Object.hasOwn(units, unit) ? units[unit] : undefined;
}

function getUnitConversions(quantity: ReadingQuantity): Readonly<Record<string, Conversion>> {
  const end = quantity.slice(quantity.lastIndexOf("_") + 1);
  return (Object.hasOwn(UNITS_BY_SUFFIX, end) ? UNITS_BY_SUFFIX[end] : undefined) ?? {};
}

/** Converts a value and rounds it to twelve digits, so that 0.1 kW is 100 W. */
export function convertValue(value: number, { factor, offset }: Conversion): number {
  return factor === 1 && offset === 0 ? value : Number((value * factor + offset).toPrecision(12));
}

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
interface PrometheusAddress {
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
  const units = Object.keys(getUnitConversions(quantity)).join(", ");
  if (conversion === undefined) throw createKeyError(file, `${at}.unit`, units || "no unit");
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

/** Maximum bytes of a reply: about 30,000 series, which are parsed in less time than a call takes. */
const MAX_BODY_BYTES = 8 << 20;
/** Maximum size of a file with a secret or certificates, in bytes. */
const MAX_FILE_BYTES = 1 << 20;
/** Maximum length of an error text that is printed, in characters. */
const MAX_SHOWN_CHARS = 200;

/** One series of a reply. */
export interface MeasuredSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Value of the series; NaN for text that is not a number. */
  readonly value: number;
  /** Time of the measurement or evaluation, in milliseconds since 1970. */
  readonly at: number;
}

/** Runs a query with Prometheus' HTTP API. Follows no redirects, which would send the secret to another server. */
export async function queryPrometheus(
  address: PrometheusAddress,
  query: string,
  signal?: AbortSignal,
): Promise<readonly MeasuredSeries[]> {
  const limit = AbortSignal.timeout(address.timeoutMs);
  try {
    const asked = { signal: signal === undefined ? limit : AbortSignal.any([limit, signal]) };
    return parseSeriesReply(await postQuery(address, query, asked));
  } catch (error) {
    if (error instanceof OperationError) throw error;
    const reason = limit.aborted ? `no reply within ${address.timeoutMs / 1000} s` : (error as Error).message;
    throw createUnavailableError(reason);
  }
}

interface PrometheusReply {
  readonly status: number;
  readonly text: string;
  /** The header Authorization of the request; undefined if none was sent. */
  readonly authorization: string | undefined;
}

async function postQuery(
  address: PrometheusAddress,
  query: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<PrometheusReply> {
  const url = new URL(`${address.url}/api/v1/query`);
  const authorization = await readAuthorization(address);
  const ca = address.caFile === undefined ? undefined : await readCredentialFile(address.caFile);
  const body = new URLSearchParams({ query }).toString();
  const headers = {
    accept: "application/json",
    "accept-encoding": "identity",
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(Buffer.byteLength(body)),
    ...(authorization !== undefined && { authorization }),
  };
  const options = { method: "POST", headers, signal, agent: false as const, ...(ca !== undefined && { ca }) };
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestHttps : requestHttp;
    const sent = request(url, options, (response) => {
      readBody(response).then((text) => resolve({ status: response.statusCode ?? 0, text, authorization }), reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  const encoding = response.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    response.destroy();
    throw createUnavailableError(`the reply is encoded as ${encoding}: expected identity`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) {
      response.destroy();
      throw createUnavailableError(
        `the reply is longer than ${MAX_BODY_BYTES >> 20} MiB: expected a query of fewer series`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function readAuthorization({ user, passwordFile, tokenFile }: PrometheusAddress): Promise<string | undefined> {
  if (tokenFile !== undefined) return `Bearer ${(await readCredentialFile(tokenFile)).trim()}`;
  if (user === undefined || passwordFile === undefined) return undefined;
  const password = (await readCredentialFile(passwordFile)).replace(/\r?\n$/, "");
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

async function readCredentialFile(file: string): Promise<string> {
  try {
    // Only regular files are read: a pipe waits for its writer, and a device may never end.
    const found = await stat(file);
    if (!found.isFile() || found.size > MAX_FILE_BYTES) throw new Error("expected a file of 1 MiB at most");
    return await readFile(file, "utf8");
  } catch (error) {
    throw createUnavailableError(`cannot read "${file}": ${(error as Error).message}`);
  }
}

function parseSeriesReply({ status, text, authorization }: PrometheusReply): readonly MeasuredSeries[] {
  const reply = tryParseJson(text);
  if (status !== 200) {
    const error = isJsonObject(reply) && typeof reply["error"] === "string" ? reply["error"] : undefined;
    const told = error === undefined ? "" : `: ${shortenText(removeSecret(error, authorization))}`;
    throw createUnavailableError(`HTTP ${status}${told}`);
  }
  const data = isJsonObject(reply) ? reply["data"] : undefined;
  if (!isJsonObject(data)) throw createUnavailableError("the reply is not Prometheus': expected JSON with data");
  const { resultType: type, result } = data;
  if (type !== "vector" || !Array.isArray(result))
    throw createUnavailableError(
      `the result is a ${shortenText(String(type))}: expected a query whose result is a vector`,
    );
  return result.map(parseOneSeries);
}

function parseOneSeries(row: unknown): MeasuredSeries {
  const { metric, value } = isJsonObject(row) ? row : {};
  if (!isJsonObject(metric) || !Array.isArray(value)) throw createUnavailableError("a series has no metric or value");
  if (Object.values(metric).some((label) => typeof label !== "string"))
    throw createUnavailableError("a label is no text");
  const [at, text] = value;
  // Prometheus writes numbers as Go does. JavaScript parses them except infinities, which the service rejects anyway.
  const number = typeof text === "string" && text.trim() !== "" ? Number(text) : Number.NaN;
  return { labels: metric as MeasuredSeries["labels"], value: number, at: Math.round(Number(at) * 1000) };
}

/** Removes the secret from a server's text, which may repeat the request, so that no log contains the secret. */
function removeSecret(text: string, authorization: string | undefined): string {
  const secret = authorization?.replace(/^\w+ /, "") ?? "";
  return secret === "" ? text : text.replaceAll(secret, "…");
}

function shortenText(text: string): string {
  const line = text.replace(/\p{C}+/gu, " ");
  return line.length > MAX_SHOWN_CHARS ? `${line.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…` : line;
}

function createUnavailableError(reason: string): OperationError {
  return new OperationError("unavailable", reason);
}
