import { parseJson } from "#kernel/json_in_steps.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { JsonScan } from "#kernel/json_scan.ts";
import type { Steps } from "#kernel/steps.ts";
import { MAX_BULK_BODY_BYTES } from "./limits.ts";

/** Media types of replies. Source: GraphQL over HTTP, Media Types. */
export const RESPONSE_JSON = "application/graphql-response+json";
export const PLAIN_JSON = "application/json";

/** Parameters of a GraphQL request. */
export interface GraphqlParams {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly bodyBytes: number;
}

/** Refusal of an HTTP request, with the status and headers of the response. */
export class BadRequest extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Selects the best accepted media type, undefined if none is supported; without an Accept header, plain JSON. */
export function selectMediaType(accept: string | null): string | undefined {
  if (accept === null || accept.trim() === "") return PLAIN_JSON;
  const ranges = accept.split(",").map(parseMediaRange);
  // Of equally preferred types, selects the more expressive one.
  const rank = (type: string) => (type === RESPONSE_JSON ? 1 : 0);
  const taken = ranges.filter(({ type, quality }) => type !== "" && quality > 0);
  return taken.toSorted((a, b) => b.quality - a.quality || rank(b.type) - rank(a.type))[0]?.type;
}

function parseMediaRange(text: string): { readonly type: string; readonly quality: number } {
  const { type: range, parameters, isUtf8 } = parseMediaType(text);
  const quality = Number(parameters.find((one) => one.startsWith("q="))?.slice(2) ?? 1);
  if (!isUtf8) return { type: "", quality };
  if (range === RESPONSE_JSON) return { type: RESPONSE_JSON, quality };
  return { type: ["application/json", "application/*", "*/*"].includes(range) ? PLAIN_JSON : "", quality };
}

function parseMediaType(text: string) {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((one) => one.startsWith("charset="))?.slice("charset=".length);
  return { type, parameters, isUtf8: charset === undefined || /^"?utf-?8"?$/.test(charset) };
}

/** Runs work in steps, with other calls between them. */
export type RunSteps = <Result>(steps: Steps<Result>) => Promise<Result>;
type ReadBody = (limit: number) => Promise<Uint8Array | undefined>;

/** Reads the parameters of a request. @throws BadRequest */
export async function readParams(request: Request, readBody: ReadBody, run: RunSteps): Promise<GraphqlParams> {
  if (request.method === "GET" || request.method === "HEAD")
    return requireParam(parseQueryParams(new URL(request.url).searchParams), 0);
  if (request.method !== "POST") throw new BadRequest(405, "Expected GET or POST", { allow: "GET, POST" });
  const { type, isUtf8 } = parseMediaType(request.headers.get("content-type") ?? "");
  if (type !== PLAIN_JSON || !isUtf8) throw new BadRequest(415, `Expected Content-Type ${PLAIN_JSON} in UTF-8`);
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    const headers = { "accept-encoding": "identity" };
    throw new BadRequest(415, `Content-Encoding "${encoding}" is not known: expected identity`, headers);
  }
  const bytes = await readBody(MAX_BULK_BODY_BYTES);
  if (bytes === undefined) {
    throw new BadRequest(413, `The body is too large: expected at most ${MAX_BULK_BODY_BYTES} bytes`);
  }
  return requireParam(await parseBody(bytes, run), bytes.length);
}

function parseQueryParams(given: { get(name: string): string | null }): Record<string, unknown> {
  const json = (name: string) => {
    const text = given.get(name);
    if (text === null || text === "") return undefined;
    const problem = new JsonScan().feed(Buffer.from(text));
    if (problem !== undefined) throw new BadRequest(400, `Cannot read parameter "${name}": ${problem}`);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new BadRequest(400, `Parameter "${name}" is no JSON`);
    }
  };
  return {
    query: given.get("query"),
    operationName: given.get("operationName"),
    variables: json("variables"),
    extensions: json("extensions"),
  };
}

async function parseBody(bytes: Uint8Array, run: RunSteps): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = await run(parseJson(bytes));
  } catch {
    throw new BadRequest(400, "Cannot read the body: expected JSON in UTF-8");
  }
  if (!isJsonObject(value)) throw new BadRequest(400, "Expected a JSON object with a query; batches are not supported");
  return value;
}

function requireParam(
  { query, operationName, variables, extensions }: Record<string, unknown>,
  bodyBytes: number,
): GraphqlParams {
  if (typeof query !== "string") throw new BadRequest(400, 'Parameter "query" is missing or no text');
  const name = operationName ?? undefined;
  if (name !== undefined && typeof name !== "string") throw new BadRequest(400, 'Parameter "operationName" is no text');
  for (const [parameter, value] of Object.entries({ variables, extensions })) {
    if (value !== undefined && value !== null && !isJsonObject(value)) {
      throw new BadRequest(400, `Parameter "${parameter}" is no object`);
    }
  }
  return { query, operationName: name, variables: isJsonObject(variables) ? variables : {}, bodyBytes };
}
