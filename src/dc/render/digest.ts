import { createHash } from "node:crypto";

/** SHA-256 of a text in UTF-8 or of bytes. */
export function sha256(content: string | Uint8Array, encoding: "hex" | "base64"): string {
  return createHash("sha256").update(content).digest(encoding);
}
