import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type BodyMeter, createUploadAbortedError } from "#interfaces/connect/body_meter.ts";
import { computeMaxInflatedBytes } from "#interfaces/connect/limits.ts";
import { OperationError } from "#kernel/errors.ts";
import { parseJson } from "#kernel/json_in_steps.ts";
import { HttpRefusal } from "./http_refusal.ts";

const decompressGzip = promisify(gunzip);

/**
 * Reads a JSON body, decompressing gzip, of at most `limit` bytes both compressed and decompressed.
 * @throws HttpRefusal 415 for another type or encoding, 413 beyond the limit, 400 for anything but JSON in UTF-8
 */
export async function readJsonBody(request: Request, limit: number, meter: BodyMeter): Promise<unknown> {
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw new HttpRefusal(415, "invalid_argument", "Expected Content-Type application/json");
  }
  const encoding = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip") {
    const headers = { "accept-encoding": "gzip, identity" };
    throw new HttpRefusal(
      415,
      "invalid_argument",
      `Content-Encoding "${encoding}" is not known: expected gzip`,
      headers,
    );
  }
  const sent = await readLimitedBytes(request, limit, meter);
  if (sent === undefined) throw createLargeBodyRefusal(limit);
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
    if (error instanceof RangeError) throw createLargeBodyRefusal(limit);
    throw new HttpRefusal(
      400,
      "invalid_argument",
      "Cannot decompress the body: expected gzip, as Content-Encoding names it",
    );
  }
}

function createLargeBodyRefusal(limit: number): HttpRefusal {
  return new HttpRefusal(413, "resource_exhausted", `The body is too large: expected at most ${limit} bytes`);
}

async function parseJsonBody(bytes: Uint8Array, { scheduler }: BodyMeter): Promise<unknown> {
  try {
    return await scheduler.run(parseJson(bytes));
  } catch {
    throw new HttpRefusal(400, "invalid_argument", "Cannot read the body: expected JSON in UTF-8");
  }
}
