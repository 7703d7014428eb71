import { readFile, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject, tryParseJson } from "#kernel/json_object.ts";
import type { PrometheusAddress } from "./mapping_file.ts";

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
