import { refuse } from "#dc/model/refusal.ts";
import { createBodyRefusal, createMediaTypeRefusal, HttpRefusal } from "#interfaces/connect/errors.ts";
import { parseJson } from "#kernel/json_in_steps.ts";
import { isJsonObject, parseUniqueJson } from "#kernel/json_object.ts";
import { JsonShapeScan } from "#kernel/json_scan.ts";
import { shortenText } from "#kernel/shortened.ts";
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
type ReadLimitedBody = (limit: number) => Promise<Uint8Array>;

/** Returns the refusal of a method other than GET and POST. */
function createMethodRefusal(method: string): HttpRefusal {
  const allow = "GET, POST";
  return new HttpRefusal("METHOD_NOT_ALLOWED", `${shortenText(method)} is not supported: expected ${allow}`, { allow });
}

/** Reads the parameters of a request. @throws Refusal */
export async function readParams(request: Request, readBody: ReadLimitedBody, run: RunSteps): Promise<GraphqlParams> {
  if (request.method === "GET" || request.method === "HEAD")
    return requireGraphqlParams(parseQueryParams(new URL(request.url).searchParams), 0);
  if (request.method !== "POST") throw createMethodRefusal(request.method);
  const { type, isUtf8 } = parseMediaType(request.headers.get("content-type") ?? "");
  if (type !== JSON_MEDIA_TYPE || !isUtf8) throw createMediaTypeRefusal(request, `${JSON_MEDIA_TYPE} in UTF-8`);
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    const message = `Content-Encoding "${shortenText(encoding)}" is not known: expected identity`;
    throw new HttpRefusal("UNSUPPORTED_MEDIA_TYPE", message, { "accept-encoding": "identity" });
  }
  const bytes = await readBody(MAX_BULK_BODY_BYTES);
  return requireGraphqlParams(await parseJsonBody(bytes, run), bytes.length);
}

function parseQueryParams(given: { get(name: string): string | null }): Record<string, unknown> {
  const parseJsonParam = (name: string) => {
    const text = given.get(name);
    if (text === null || text === "") return undefined;
    const problem = new JsonShapeScan().scanChunk(Buffer.from(text));
    if (problem !== undefined) throw refuse("MESSAGE_TOO_COMPLEX", `Cannot read parameter "${name}": ${problem}`);
    try {
      return parseUniqueJson(text);
    } catch {
      throw refuse("MALFORMED_MESSAGE", `Parameter "${name}" is no JSON`);
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
  } catch (error) {
    throw createBodyRefusal(error);
  }
  if (!isJsonObject(value))
    throw refuse("MALFORMED_MESSAGE", "Expected a JSON object with a query; batches are not supported");
  return value;
}

function requireGraphqlParams(
  { query, operationName, variables, extensions }: Record<string, unknown>,
  bodyBytes: number,
): GraphqlParams {
  if (typeof query !== "string")
    throw refuse("REQUIRED_FIELD", 'Parameter "query" is missing or no text', { field: "query" });
  const name = operationName ?? undefined;
  if (name !== undefined && typeof name !== "string")
    throw refuse("MALFORMED_MESSAGE", 'Parameter "operationName" is no text');
  for (const [parameter, value] of Object.entries({ variables, extensions })) {
    if (value !== undefined && value !== null && !isJsonObject(value)) {
      throw refuse("MALFORMED_MESSAGE", `Parameter "${parameter}" is no object`);
    }
  }
  return { query, operationName: name, variables: isJsonObject(variables) ? variables : {}, bodyBytes };
}
