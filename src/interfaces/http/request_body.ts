import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { refuse } from "#dc/model/refusal.ts";
import { type BodyMeter, createSizeRefusal, createUploadAbortedError } from "#interfaces/connect/body_meter.ts";
import { createBodyRefusal, createMediaTypeRefusal, HttpRefusal } from "#interfaces/connect/errors.ts";
import { computeMaxInflatedBytes } from "#interfaces/connect/limits.ts";
import { OperationError } from "#kernel/errors.ts";
import { parseJson } from "#kernel/json_in_steps.ts";
import { shortenText } from "#kernel/shortened.ts";

const decompressGzip = promisify(gunzip);

/**
 * Reads a JSON body, decompressing gzip, of at most `limit` bytes both compressed and decompressed.
 * @throws Refusal for another type or encoding, beyond the limit, or for anything but JSON in UTF-8
 */
export async function readJsonBody(request: Request, limit: number, meter: BodyMeter): Promise<unknown> {
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw createMediaTypeRefusal(request, "application/json");
  }
  const encoding = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip") {
    const message = `Content-Encoding "${shortenText(encoding)}" is not known: expected gzip`;
    throw new HttpRefusal("UNSUPPORTED_MEDIA_TYPE", message, { "accept-encoding": "gzip, identity" });
  }
  const sent = await readLimitedBytes(request, limit, meter);
  if (sent === undefined) throw createSizeRefusal(limit);
  if (encoding === "identity") return parseJsonBody(sent, meter);
  const bytes = await unzipBody(sent, Math.min(limit, computeMaxInflatedBytes(sent.length)));
  await meter.scheduler.run(meter.checkShape(bytes));
  return parseJsonBody(bytes, meter);
}

/**
 * Reads a body of at most `limit` bytes, or returns undefined for a larger one.
 *
 * @throws Refusal of the meter; ConnectError canceled when the caller aborts
 */
export async function readLimitedBytes(
  request: Request,
  limit: number,
  meter: BodyMeter,
): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length;
      if (length > limit) return undefined;
      await meter.chargeAndScan(chunk);
      chunks.push(chunk);
    }
  } catch (error) {
    // Any other error comes from the connection.
    throw error instanceof OperationError ? error : createUploadAbortedError();
  }
  meter.chargeParsing();
  await meter.scheduler.yieldIfDue();
  return Buffer.concat(chunks);
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
