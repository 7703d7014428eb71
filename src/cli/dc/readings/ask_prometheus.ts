import { readFile, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject, tryParseJson } from "#kernel/json_object.ts";
import type { PrometheusAddress } from "./mapping_file.ts";

/** Longest reply, in bytes. Ours: some 30,000 series, parsed in less time than a call takes. */
const MAX_BODY_BYTES = 8 << 20;
/** Largest file of a secret or of certificates, in bytes. */
const MAX_FILE_BYTES = 1 << 20;
/** Longest text of an error that is shown. */
const MAX_SHOWN_CHARS = 200;

/** One series of a reply. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** NaN for a value that is no number. */
  readonly value: number;
  /** When it was measured or evaluated, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Asks a query of a server with Prometheus' HTTP API. The reply is bounded in size and time, and no redirection is followed,
 * which would carry the secret elsewhere.
 * @throws OperationError with the reason
 */
export async function askPrometheus(
  address: PrometheusAddress,
  query: string,
  signal?: AbortSignal,
): Promise<readonly Series[]> {
  const limit = AbortSignal.timeout(address.timeoutMs);
  try {
    const asked = { signal: signal === undefined ? limit : AbortSignal.any([limit, signal]) };
    return seriesOf(await post(address, query, asked));
  } catch (error) {
    if (error instanceof OperationError) throw error;
    const reason = limit.aborted ? `no reply within ${address.timeoutMs / 1000} s` : (error as Error).message;
    throw unavailable(reason);
  }
}

interface Reply {
  readonly status: number;
  readonly text: string;
  /** What was sent to prove who asks; undefined if nothing was. */
  readonly authorization: string | undefined;
}

async function post(
  address: PrometheusAddress,
  query: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<Reply> {
  const url = new URL(`${address.url}/api/v1/query`);
  const authorization = await authorizationOf(address);
  const ca = address.caFile === undefined ? undefined : await secretOf(address.caFile);
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
    throw unavailable(`the reply is encoded as ${encoding}: expected identity`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) {
      response.destroy();
      throw unavailable(`the reply is longer than ${MAX_BODY_BYTES >> 20} MiB: expected a query of fewer series`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function authorizationOf({ user, passwordFile, tokenFile }: PrometheusAddress): Promise<string | undefined> {
  if (tokenFile !== undefined) return `Bearer ${(await secretOf(tokenFile)).trim()}`;
  if (user === undefined || passwordFile === undefined) return undefined;
  const password = (await secretOf(passwordFile)).replace(/\r?\n$/, "");
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

async function secretOf(file: string): Promise<string> {
  try {
    // Not a pipe, which waits for its writer, nor a device without an end.
    const found = await stat(file);
    if (!found.isFile() || found.size > MAX_FILE_BYTES) throw new Error("expected a file of 1 MiB at most");
    return await readFile(file, "utf8");
  } catch (error) {
    throw unavailable(`cannot read "${file}": ${(error as Error).message}`);
  }
}

function seriesOf({ status, text, authorization }: Reply): readonly Series[] {
  const reply = tryParseJson(text);
  if (status !== 200) {
    const error = isJsonObject(reply) && typeof reply["error"] === "string" ? reply["error"] : undefined;
    const told = error === undefined ? "" : `: ${showText(withoutSecret(error, authorization))}`;
    throw unavailable(`HTTP ${status}${told}`);
  }
  const data = isJsonObject(reply) ? reply["data"] : undefined;
  if (!isJsonObject(data)) throw unavailable("the reply is not Prometheus': expected JSON with data");
  const { resultType: type, result } = data;
  if (type !== "vector" || !Array.isArray(result))
    throw unavailable(`the result is a ${showText(String(type))}: expected a query whose result is a vector`);
  return result.map(oneSeries);
}

function oneSeries(row: unknown): Series {
  const { metric, value } = isJsonObject(row) ? row : {};
  if (!isJsonObject(metric) || !Array.isArray(value)) throw unavailable("a series has no metric or value");
  if (Object.values(metric).some((label) => typeof label !== "string")) throw unavailable("a label is no text");
  const [at, text] = value;
  // Prometheus writes numbers as Go does; JavaScript reads all but its infinities, which are refused anyway.
  const number = typeof text === "string" && text.trim() !== "" ? Number(text) : Number.NaN;
  return { labels: metric as Series["labels"], value: number, at: Math.round(Number(at) * 1000) };
}

/** A server may repeat what it was asked with: the secret goes into no log. */
function withoutSecret(text: string, authorization: string | undefined): string {
  const secret = authorization?.replace(/^\w+ /, "") ?? "";
  return secret === "" ? text : text.replaceAll(secret, "…");
}

function showText(text: string): string {
  const line = text.replace(/\p{C}+/gu, " ");
  return line.length > MAX_SHOWN_CHARS ? `${line.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…` : line;
}

function unavailable(reason: string): OperationError {
  return new OperationError("unavailable", reason);
}
