import { parseJson } from "#kernel/json_in_steps.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { JsonShapeScan } from "#kernel/json_scan.ts";
import type { Steps } from "#kernel/steps.ts";
import { MAX_BULK_BODY_BYTES } from "./limits.ts";

/** Media types of replies. Source: GraphQL over HTTP, Media Types. */
export const GRAPHQL_MEDIA_TYPE = "application/graphql-response+json";
export const JSON_MEDIA_TYPE = "application/json";

/** Parameters of a GraphQL request. */
export interface GraphqlParams {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly bodyBytes: number;
}

/** Refusal of an HTTP request, with the status and headers of the response. */
export class GraphqlHttpError extends Error {
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
  if (accept === null || accept.trim() === "") return JSON_MEDIA_TYPE;
  const ranges = accept.split(",").map(parseMediaRange);
  // Of equally preferred types, selects the more expressive one.
  const rankMediaType = (type: string) => (type === GRAPHQL_MEDIA_TYPE ? 1 : 0);
  const taken = ranges.filter(({ type, quality }) => type !== "" && quality > 0);
  return taken.toSorted((a, b) => b.quality - a.quality || rankMediaType(b.type) - rankMediaType(a.type))[0]?.type;
}

function parseMediaRange(text: string): { readonly type: string; readonly quality: number } {
  const { type: range, parameters, isUtf8 } = parseMediaType(text);
  const quality = Number(parameters.find((one) => one.startsWith("q="))?.slice(2) ?? 1);
  if (!isUtf8) return { type: "", quality };
  if (range === GRAPHQL_MEDIA_TYPE) return { type: GRAPHQL_MEDIA_TYPE, quality };
  return { type: ["application/json", "application/*", "*/*"].includes(range) ? JSON_MEDIA_TYPE : "", quality };
}

function parseMediaType(text: string) {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((one) => one.startsWith("charset="))?.slice("charset=".length);
  return { type, parameters, isUtf8: charset === undefined || /^"?utf-?8"?$/.test(charset) };
}

/** Runs work in steps, with other calls between them. */
export type RunSteps = <Result>(steps: Steps<Result>) => Promise<Result>;
type ReadLimitedBody = (limit: number) => Promise<Uint8Array | undefined>;

/** Reads the parameters of a request. @throws BadRequest */
export async function readParams(request: Request, readBody: ReadLimitedBody, run: RunSteps): Promise<GraphqlParams> {
  if (request.method === "GET" || request.method === "HEAD")
    return requireGraphqlParams(parseQueryParams(new URL(request.url).searchParams), 0);
  if (request.method !== "POST") throw new GraphqlHttpError(405, "Expected GET or POST", { allow: "GET, POST" });
  const { type, isUtf8 } = parseMediaType(request.headers.get("content-type") ?? "");
  if (type !== JSON_MEDIA_TYPE || !isUtf8)
    throw new GraphqlHttpError(415, `Expected Content-Type ${JSON_MEDIA_TYPE} in UTF-8`);
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    const headers = { "accept-encoding": "identity" };
    throw new GraphqlHttpError(415, `Content-Encoding "${encoding}" is not known: expected identity`, headers);
  }
  const bytes = await readBody(MAX_BULK_BODY_BYTES);
  if (bytes === undefined) {
    throw new GraphqlHttpError(413, `The body is too large: expected at most ${MAX_BULK_BODY_BYTES} bytes`);
  }
  return requireGraphqlParams(await parseJsonBody(bytes, run), bytes.length);
}

function parseQueryParams(given: { get(name: string): string | null }): Record<string, unknown> {
  const parseJsonParam = (name: string) => {
    const text = given.get(name);
    if (text === null || text === "") return undefined;
    const problem = new JsonShapeScan().scanChunk(Buffer.from(text));
    if (problem !== undefined) throw new GraphqlHttpError(400, `Cannot read parameter "${name}": ${problem}`);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new GraphqlHttpError(400, `Parameter "${name}" is no JSON`);
    }
  };
  return {
    query: given.get("query"),
    operationName: given.get("operationName"),
    variables: parseJsonParam("variables"),
    extensions: parseJsonParam("extensions"),
  };
}

async function parseJsonBody(bytes: Uint8Array, run: RunSteps): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = await run(parseJson(bytes));
  } catch {
    throw new GraphqlHttpError(400, "Cannot read the body: expected JSON in UTF-8");
  }
  if (!isJsonObject(value))
    throw new GraphqlHttpError(400, "Expected a JSON object with a query; batches are not supported");
  return value;
}

function requireGraphqlParams(
  { query, operationName, variables, extensions }: Record<string, unknown>,
  bodyBytes: number,
): GraphqlParams {
  if (typeof query !== "string") throw new GraphqlHttpError(400, 'Parameter "query" is missing or no text');
  const name = operationName ?? undefined;
  if (name !== undefined && typeof name !== "string")
    throw new GraphqlHttpError(400, 'Parameter "operationName" is no text');
  for (const [parameter, value] of Object.entries({ variables, extensions })) {
    if (value !== undefined && value !== null && !isJsonObject(value)) {
      throw new GraphqlHttpError(400, `Parameter "${parameter}" is no object`);
    }
  }
  return { query, operationName: name, variables: isJsonObject(variables) ? variables : {}, bodyBytes };
}
