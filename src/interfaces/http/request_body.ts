import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { refuse } from "#dc/model/refusal.ts";
import { type BodyMeter, createSizeRefusal } from "#interfaces/connect/body_meter.ts";
import { createBodyRefusal, createMediaTypeRefusal, HttpRefusal } from "#interfaces/connect/errors.ts";
import { readBody } from "#interfaces/connect/incoming_body.ts";
import { computeMaxInflatedBytes } from "#interfaces/connect/limits.ts";
import type { RouteContext } from "#interfaces/connect/whole_reply.ts";
import { parseJson } from "#kernel/json_in_steps.ts";
import { shortenText } from "#kernel/shortened.ts";

const decompressGzip = promisify(gunzip);

/**
 * Reads a JSON body, decompressing gzip, of at most `limit` bytes both compressed and decompressed.
 * @throws Refusal for another type or encoding, beyond the limit, or for anything but JSON in UTF-8
 */
export async function readJsonBody(
  { req: { raw: request }, env }: RouteContext,
  limit: number,
  meter: BodyMeter,
): Promise<unknown> {
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw createMediaTypeRefusal(request, "application/json");
  }
  const encoding = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip") {
    const message = `Content-Encoding "${shortenText(encoding)}" is not known: expected gzip`;
    throw new HttpRefusal("UNSUPPORTED_MEDIA_TYPE", message, { "accept-encoding": "gzip, identity" });
  }
  const sent = await readBody(env.incoming, meter, limit);
  if (encoding === "identity") return parseJsonBody(sent, meter);
  const bytes = await unzipBody(sent, Math.min(limit, computeMaxInflatedBytes(sent.length)));
  await meter.scheduler.run(meter.checkShape(bytes));
  return parseJsonBody(bytes, meter);
}

async function unzipBody(bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await decompressGzip(bytes, { maxOutputLength: limit });
  } catch (error) {
    if (error instanceof RangeError) throw createSizeRefusal(limit);
    const expected = "expected gzip, as Content-Encoding names it";
    throw refuse("MALFORMED_MESSAGE", `Cannot decompress the body: ${expected}`);
  }
}

async function parseJsonBody(bytes: Uint8Array, { scheduler }: BodyMeter): Promise<unknown> {
  try {
    return await scheduler.run(parseJson(bytes));
  } catch (error) {
    throw createBodyRefusal(error);
  }
}
